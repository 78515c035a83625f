"""Patterns over a model's text: what they match, what is refused, and that none of them hangs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.pattern import (
    MAX_MATCHES,
    MAX_PATTERN,
    PatternError,
    TooSlow,
    compile_pattern,
)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"ANSWER: (\w+)", "ANSWER: a, ANSWER: b", ["a", "b"]),
        (r"\d+", "1 22", ["1", "22"]),
        (r"(a)|b", "ab", ["a", None]),
        (r"(?:x)(y)(z)", "xyz", ["y"]),
        (r"é.", "éü", ["éü"]),
        (r"x*", "a", ["", ""]),
        (r"(?=(a))a", "aa", ["a", "a"]),
        (r"(.)\1", "abba", ["b"]),
        (r"\u00e9", "é", ["é"]),
        (r"a{1001}", "a" * 1001, ["a" * 1001]),
        (r"nothing", "text", []),
    ],
)
def test_groups_in__first_group(pattern: str, text: str, expected: list[str | None]) -> None:
    """Each match gives its first group, or all of it where there is no group, whichever library has the pattern."""
    assert expected == list(compile_pattern(pattern).groups_in(text))


@pytest.mark.parametrize("before", ["", "(?!x)"])
@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("^abc$", "abc", True),
        ("^abc$", "abc\n", False),
        ("^abc$", "x\nabc", False),
        ("[$]$", "a$", True),
        (r"\$$", "a$", True),
        (r"^\d+$", "৪২", False),
        (r"^\D$", "\u07c0", True),
        (r"^\w$", "é", False),
        (r"^\W$", "é", True),
        (r"^\s$", "\u00a0", False),
        (r"^\s$", "\t", True),
        (r"^\p{L}+$", "éa", True),
        ("^.$", "\n", False),
        ("(?m)^b$", "a\nb\nc", True),
    ],
)
def test_is_in__both_libraries(before: str, pattern: str, text: str, expected: bool) -> None:
    """Classes are ASCII's and ``$`` is the very end, with RE2 and, made by a lookahead, with the other library."""
    compiled = compile_pattern(before + pattern)
    assert (not before, expected) == (compiled.is_linear, compiled.is_in(text))


@pytest.mark.parametrize(
    ("pattern", "cause"),
    [
        ("(", "missing ) at position 1"),
        ("[^]", "unterminated character set at position 3"),
        (r"\cA", r"bad escape \c at position 2"),
        (r"\C", r"bad escape \C"),
        ("a**", "multiple repeat at position 2"),
        (r"\1", "invalid group reference at position 2"),
        ("\ud800", "it holds half of a surrogate pair"),
        ("a" * (MAX_PATTERN + 1), "it has 10,001 characters, and 10,000 are the most"),
        ("(?=a)" + "(" * 490 + ")" * 490, "it nests too deeply"),
        ("(?=a)((((a{1000}){1000}){1000}){1000}){1000}", "its repetitions written out have more than 10,000 parts"),
        ("(?=a)a{99999999999999999999}", "its repetitions written out have more than 10,000 parts"),
    ],
)
@pytest.mark.timeout(20)
def test_compile_pattern__refused(pattern: str, cause: str) -> None:
    """What neither library takes, or what would fill the memory, is an error in words."""
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern)
    assert cause == str(caught.value)


@given(st.text("()[]{}|?*+.^$\\,-09azdwsbpPLCQEuxRNk<>=!:&~ é\n", max_size=30))
def test_compile_pattern__any_text(text: str) -> None:
    """Any text is a pattern, or an error in words; a pattern searches any text or says that it takes too long."""
    outcome: bool | str
    try:
        outcome = compile_pattern(text).is_in("aab (x) [0] é\n" * 3)
    except (PatternError, TooSlow) as error:
        outcome = str(error)
    assert outcome != ""


@pytest.mark.parametrize(
    ("pattern", "text", "cause"),
    [
        (
            "((a|b){0,30}){0,30}c",
            "ab" * 500_000,
            "the pattern is too large for a text of 1,000,000 characters",
        ),
        ("(?if)(?=s)" + "s" * 8_000, "a" * 100_000, "the pattern is too large for a text of 100,000 characters"),
        ("^((a|b|ab)(?!c))+$", "ab" * 40 + "c", "the pattern took longer than 0.25 seconds"),
        ("a.*b|a", "a" * 1_000_000, "the pattern matches too often in a text of 1,000,000 characters"),
        ("a", "a" * (MAX_MATCHES + 1), "the pattern matches more than 1,000 times"),
    ],
)
@pytest.mark.timeout(60)
def test_groups_in__too_slow(pattern: str, text: str, cause: str) -> None:
    """A search that would take too long is given up, and says so."""
    with pytest.raises(TooSlow) as caught:
        list(compile_pattern(pattern).groups_in(text))
    assert cause == str(caught.value)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(x+x+)+y", "^((a|aa|x)(?!c))+$", r"^(a|aa)+\1$", r"(?<=(a|aa)+)b"])
@pytest.mark.timeout(20)
def test_is_in__backtracks_for_ever(pattern: str) -> None:
    """A pattern on which a backtracking matcher never ends comes to an end."""
    outcome: bool | str
    try:
        outcome = compile_pattern(pattern).is_in("a" * 40 + "x" * 40 + "!")
    except TooSlow as error:
        outcome = str(error)
    assert outcome in {False, "the pattern took longer than 0.25 seconds"}


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_is_in__quoted(before: str, text: str, after: str) -> None:
    """A quoted text is found wherever it stands."""
    assert compile_pattern(re.escape(text).replace("\n", "n").replace("\0", r"\x00")).is_in(before + text + after)
