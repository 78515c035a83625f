"""YAML, read strictly."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.errors import BadInput
from evalaction.suite.yamltext import MAX_CHARACTERS, read
from evalaction.values import JSON, canonical

TOO_MUCH = "The file holds or expands to too many values, or nests too deeply. Make it smaller."


def refused(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        read("f.yml", text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 0.80\nb: [1, -2, 1.5e+3, 1e2]", {"a": 0.8, "b": [1, -2, 1500, "1e2"]}),
        ("a: no\nb: True\nc: ~\nd: off", {"a": "no", "b": True, "c": None, "d": "off"}),
        ("a: 2026-01-02\nb: 'x'", {"a": "2026-01-02", "b": "x"}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ("a: &x {k: 1}\nb: *x", {"a": {"k": 1}, "b": {"k": 1}}),
        ("yes: 1\n1: 2", {"yes": 1, "1": 2}),
        ("", None),
        ("# nothing\n", None),
    ],
)
def test_read__values(text: str, expected: JSON) -> None:
    """Only true and false are truth values, dates are texts, and keys are texts as they were written."""
    value = read("f.yml", text).value
    assert repr(expected) == repr(value).replace("Number", "")


def test_read__digits() -> None:
    """A number keeps all its digits."""
    value = read("f.yml", "a: 0.1234567890123456789012345").value
    assert b'{"a":0.1234567890123456789012345}' == canonical(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3", "f.yml:3: The key `a` stands twice. Remove one of them."),
        ("a: 1\nb: [", "f.yml:2: The file is not YAML: expected the node content, but found '<stream end>'."),
        (
            "a: !!python/object/apply:os.system [ls]",
            "f.yml:1: The tag tag:yaml.org,2002:python/object/apply:os.system is not read.",
        ),
        ("a: !mine x", "f.yml:1: The tag !mine is not read."),
        ("b: &b {x: 1}\na:\n  <<: *b", "f.yml:3: Merge keys (<<) are not read. Write the entries out."),
        ("a: 0x1F", "f.yml:1: The number 0x1F is not in decimal notation. Write digits, or a text."),
        ("a: .inf", "f.yml:1: The number .inf is not in decimal notation. Write digits, or a text."),
        ("a: 1_000", "f.yml:1: The number 1_000 is not in decimal notation. Write digits, or a text."),
        ("? [a]\n: 1", "f.yml:1: A key has to be a text."),
        ("a: 1\n---\nb: 2", "f.yml:2: The file is not YAML: but found another document."),
        ("\na: \x07", "f.yml:2: The file is not YAML: special characters are not allowed."),
    ],
)
def test_read__refused(text: str, expected: str) -> None:
    """What JSON cannot hold, or a reader would misread, names its line."""
    assert expected == refused(text)


def test_read__aliases_that_explode() -> None:
    """A few nested aliases that stand for billions of values are stopped."""
    levels = [f"a{index}: &a{index} [{', '.join([f'*a{index - 1}'] * 10)}]" for index in range(1, 10)]
    text = "a0: &a0 [x]\n" + "\n".join(levels)
    assert f"f.yml:1: {TOO_MUCH}" == refused(text)


def test_read__circle_and_depth() -> None:
    """An alias to itself, and nesting without an end, are stopped."""
    assert f"f.yml:1: {TOO_MUCH}" == refused("a: &a [*a]")
    assert f"f.yml:1: {TOO_MUCH}" == refused("[" * 2_000)
    assert "f.yml: The YAML is nested too deeply." == refused("- " * 2_000)


@pytest.mark.parametrize(
    ("piece", "line"),
    [("1,", 1), ("\n1,", 15_001), ("{},", 1)],
)
def test_read__too_large(piece: str, line: int) -> None:
    """A file of very many small values is given up on the way, and not after the last of them."""
    assert f"f.yml:{line}: {TOO_MUCH}" == refused("[" + piece * (MAX_CHARACTERS // len(piece) - 1) + "]")


def test_read__too_long() -> None:
    """A file that is too long is not looked at."""
    assert "f.yml: The file is longer than 256,000 characters." == refused("#" * (MAX_CHARACTERS + 1))


@given(text=st.text(max_size=80))
def test_read__any_text(text: str) -> None:
    """Whatever a file holds, there is a document or a message."""
    with suppress(BadInput):
        assert canonical(read("f.yml", text).value)
