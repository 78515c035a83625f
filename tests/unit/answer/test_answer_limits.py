"""Completions as long as any that is read: each is read in linear time, to an outcome that has a name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evalaction.answer.equality import normal
from evalaction.answer.json_text import UNCLOSED, read_json
from evalaction.answer.reading import Reading, Unreadable
from evalaction.answer.reply import MAX_TEXT
from evalaction.answer.text import read_text
from evalaction.records.case import Compare
from evalaction.values import canonical, parse

SIZE = MAX_TEXT
NOTHING = "no JSON object in the text"
NO_NAME = "invalid JSON at line 1, column 2: Expecting property name enclosed in double quotes"
MANY_VALUES = "more than 10,000 JSON values in one text"
MANY_FENCES = "more than 10,000 fenced blocks in the text"
TOO_MANY_VALUES = "more than 100,000 values in one JSON value"
MARKS = "more than 100 combining marks in a row in a string"


def full_of(unit: str, size: int = SIZE) -> str:
    """Return ``size`` characters of a unit, the last one cut off where it does not fit."""
    return (unit * (size // len(unit) + 1))[:size]


def at(column: int, what: str) -> str:
    return f"invalid JSON at line 1, column {column}: {what}"


UNREADABLE: dict[str, tuple[Callable[[], str], str]] = {
    "opening braces": (lambda: full_of("{"), NO_NAME),
    "closing braces": (lambda: full_of("}"), NOTHING),
    "sets": (lambda: full_of("{x} "), NO_NAME),
    "small numbers": (
        lambda: "[" + full_of("1,", 2_000_000) + "1]",
        "more than 100,000 values in one JSON value",
    ),
    "opening brackets": (lambda: full_of("["), at(211, "nested too deeply")),
    "opened arrays": (lambda: full_of("[1,"), at(631, "nested too deeply")),
    "opened objects": (lambda: full_of('{"a":'), at(1001, "nested too deeply")),
    "opened objects in prose": (lambda: "So: " + full_of('{"a":'), at(1005, "nested too deeply")),
    "broken objects": (lambda: full_of('{"a": x '), at(7, "Expecting value")),
    "broken arrays": (lambda: "So: " + full_of("[1x "), at(40_005, MANY_VALUES)),
    "citations": (lambda: full_of("[1] "), at(40_001, MANY_VALUES)),
    "objects": (lambda: full_of('{"a":1} '), at(80_001, MANY_VALUES)),
    "fences": (lambda: full_of("```\n"), MANY_FENCES),
    "fences that say JSON": (lambda: full_of('```json\n{"a": 1}\n```\n'), MANY_FENCES),
    "one fence in a longer one": (lambda: "````\n" + full_of("```\n"), NOTHING),
    "backticks": (lambda: full_of("`"), NOTHING),
    "backticks with a quotation mark": (lambda: full_of("`") + '"', NOTHING),
    "tags that open": (lambda: full_of("<think>"), UNCLOSED),
    "tags that close": (lambda: full_of("</think>", SIZE // 8 * 8), "nothing but reasoning"),
    "reasoning": (lambda: full_of("<think></think>", SIZE // 15 * 15), "nothing but reasoning"),
    "reasoning with opened objects": (lambda: full_of('<think>{"a":') + "</think>", "nothing but reasoning"),
    "broken objects and tags": (lambda: full_of('{"a": x</think>', SIZE // 15 * 15), "nothing but reasoning"),
    "a tag with blanks": (lambda: "<" + full_of(" ") + "think", NOTHING),
    "blanks": (lambda: full_of(" "), NOTHING),
    "line feeds": (lambda: full_of("\n"), NOTHING),
    "one line": (lambda: full_of("x", 1_000_000), NOTHING),
    "quotation marks": (lambda: full_of('"'), NOTHING),
    "100,000 digits": (lambda: full_of("1", 100_000), NOTHING),
    "100,000 digits in an object": (
        lambda: f'{{"a": {full_of("1", 100_000)}}}',
        at(7, "a number of 100,000 characters"),
    ),
    "digits": (lambda: full_of("1"), NOTHING),
    "100,000 levels": (lambda: "[" * 100_000 + "]" * 100_000, at(211, "nested too deeply")),
    "100,000 levels of objects": (
        lambda: '{"a":' * 100_000 + "1" + "}" * 100_000,
        at(1001, "nested too deeply"),
    ),
    "combining marks": (lambda: full_of("\u0301"), NOTHING),
    "combining marks in a string": (lambda: f'"{full_of(chr(0x301))}"', MARKS),
    "marks that stand for two": (lambda: f'"{full_of(chr(0xF73))}"', MARKS),
    "marks written as escapes": (lambda: '"' + "\\u0301" * (SIZE // 6) + '"', MARKS),
    "backslashes without an end": (lambda: '{"a":"' + "\\" * SIZE, at(6, "Unterminated string starting")),
    "halves of pairs": (
        lambda: '{"a":"' + "\\ud800" * (SIZE // 6) + '"}',
        at(6, "half of a surrogate pair in a string"),
    ),
    "empty objects": (lambda: '{"a":[' + full_of("{},", SIZE // 3 * 3) + "{}]}", TOO_MANY_VALUES),
    "values in prose": (lambda: 'So: {"a":[' + full_of("1,") + "1]}", TOO_MANY_VALUES),
    "a value too many": (lambda: "[" + full_of("1,", 200_000) + "1]", TOO_MANY_VALUES),
    "a key twice, at the end": (
        lambda: "{" + "".join(f'"k{index}":{index},' for index in range(60_000)) + '"k0":1}',
        at(877_782, 'the key "k0" stands twice in one object'),
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.timeout(120)
def test_read_json__oversized(name: str) -> None:
    """A completion made to take long is no answer, and the cause says why."""
    make, cause = UNREADABLE[name]
    assert Unreadable(cause=cause) == read_json(make())


READABLE: dict[str, Callable[[], str]] = {
    "10,000 keys": lambda: "{" + ",".join(f'"k{index}":{index}' for index in range(10_000)) + "}",
    "one string": lambda: f'"{full_of("x")}"',
    "backslashes": lambda: '"' + "\\" * SIZE + '"',
    "letters with marks": lambda: f'"{full_of("e" + chr(0x301))}"',
    "pairs written as escapes": lambda: '"' + "\\ud83d\\ude00" * (SIZE // 12) + '"',
    "99,999 small numbers": lambda: "[" + "1," * 99_998 + "1]",
    "200 levels": lambda: "[" * 200 + "]" * 200,
}


@pytest.mark.parametrize("name", READABLE)
@pytest.mark.timeout(120)
def test_read_json__oversized_value(name: str) -> None:
    """A value of any size within the limits is read, and has a normal form and canonical bytes."""
    text = READABLE[name]()
    read = read_json(text)
    assert isinstance(read, Reading)
    assert canonical(parse(text)) == canonical(read.value)
    assert canonical(normal(read.value)) == canonical(normal(normal(read.value)))


@pytest.mark.parametrize(
    ("unit", "cause"),
    [
        ("\u0301", "more than 100 combining marks in a row"),
        ("\u0f73", "more than 100 combining marks in a row"),
        ("<think>", UNCLOSED),
        ("<think></think>", "nothing but reasoning"),
    ],
)
@pytest.mark.timeout(120)
def test_read_text__oversized(unit: str, cause: str) -> None:
    """A text made to take long is no answer, and the cause says why."""
    assert Unreadable(cause=cause) == read_text(unit * (SIZE // len(unit)))


@pytest.mark.parametrize("unit", ["x", "e\u0301", " ", "{", "\U0001f600", "\u1100\u1161\u11a8"])
@pytest.mark.timeout(120)
def test_read_text__long(unit: str) -> None:
    """Any other text is an answer, however long."""
    assert isinstance(read_text(unit * (SIZE // len(unit))), Reading)


@pytest.mark.parametrize("number", ["1e999999999", "-1e-999999999", "9" * 4_000, "0." + "9" * 3_998, "1e400"])
@pytest.mark.parametrize("grid", ["0.01", "1e-399", "3", "1e300"])
@pytest.mark.timeout(120)
def test_normal__numbers_out_of_range(number: str, grid: str) -> None:
    """A number of any size has a normal form, and that one's is itself."""
    compare = Compare(round=parse(grid))  # type: ignore[arg-type]
    once = normal([parse(number)] * 100, compare)
    assert canonical(once) == canonical(normal(once, compare))
