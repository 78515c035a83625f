"""Unified diffs, bounded."""

from __future__ import annotations

from difflib import unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.report.unified import LINES, WIDTH, unified

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "-a", "+b", "@@"]), min_size=1, max_size=16).map("\n".join)


def patched(good: str, diff: tuple[str, ...]) -> str:
    """Return what a patch makes of a text."""
    old, made, at = good.split("\n"), list[str](), 0
    for line in diff:
        if line.startswith("@@ "):
            start, _, number = line.split()[1][1:].partition(",")
            begin = int(start) - (1 if number != "0" else 0)
            made += old[at:begin]
            at = begin
            continue
        if line[0] in " -":
            assert old[at] == line[1:]
            at += 1
        made += [line[1:]] if line[0] in " +" else []
    return "\n".join([*made, *old[at:]])


@given(TEXTS, TEXTS)
def test_unified__a_patch(good: str, given_text: str) -> None:
    """The diff, applied to the one text, gives the other; it is empty exactly where they are equal."""
    found = unified(good, given_text)

    assert patched(good, found.lines) == given_text
    assert (found.lines == ()) == (good == given_text)
    assert found.left_out is None


def test_unified__as_everybody_writes_it() -> None:
    """One place that differs is shown as the standard library shows it."""
    good = "\n".join(f"line {number}" for number in range(30))
    given_text = good.replace("line 12", "line twelve")

    expected = tuple(unified_diff(good.split("\n"), given_text.split("\n"), lineterm=""))[2:]
    assert unified(good, given_text).lines == expected


@pytest.mark.parametrize("words", [("x", "y"), ("a\nb", "b\na"), ("", "z")])
def test_unified__bounded(words: tuple[str, str]) -> None:
    """Of two long texts a bounded part is compared and shown, and what was left out is said."""
    good, given_text = ("\n".join([word] * 100_000) for word in words)
    lines = max(text.count("\n") + 1 for text in (good, given_text))

    found = unified(good, given_text)
    assert (len(found.lines) <= 2 * LINES + 1, found.left_out) == (
        True,
        f"{lines - LINES:,} more lines, which were not compared",
    )


def test_unified__long_lines() -> None:
    """A line of millions of characters is cut to where it differs, and the two sides look different."""
    gone, come = unified("x" * 3_000_000 + "a" + "y" * 9, "x" * 3_000_000 + "b" + "y" * 9).lines[1:]

    assert (gone[0], come[0], len(gone) <= WIDTH + 1, len(come) <= WIDTH + 1) == ("-", "+", True, True)
    assert gone[1:] != come[1:]


def test_unified__lines_that_look_alike() -> None:
    """The first pair of lines that look alike is told apart by its characters, with the line in the draw."""
    found = unified("one\ntwo\nthree a", "one\n2\nthree\u00a0a")

    assert str(found.alike) == "U+0020 against U+00A0 at character 6 of line 3"
