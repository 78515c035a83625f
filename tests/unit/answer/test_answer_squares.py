"""Square brackets in the prose around JSON values."""

from __future__ import annotations

import pytest

from evalaction.answer.json_text import read_json
from evalaction.answer.reading import Reading, Unreadable

OBJECT, ARRAY = '{"a": "]"}', '["a", "["]'


@pytest.mark.parametrize("value", [OBJECT, ARRAY])
@pytest.mark.parametrize(
    "prose",
    [
        "[INFO] {}",
        "(see {})",
        "\x1b[32m{}\x1b[0m",
        "It lies in [0, 1), so {} in (0, 1].",
        "[a](b) {} [c](d)",
        "{}[0] and items[1]",
        "{} :]",
        "{} as [note] says, ]",
        "[x {}",
        "[x] {}, {} [y]",
        ":( [x] {}]]",
        "[see {}]",
        "[Note, as asked: {}](b)",
    ],
)
def test_brackets__prose(prose: str, value: str) -> None:
    """Brackets beside a value, halves of them, and those of intervals, links and colours, change nothing."""
    read = read_json(prose.replace("{}", value), arrays=True)
    assert isinstance(read, Reading)
    assert read.value == ({"a": "]"} if value == OBJECT else ["a", "["])


@pytest.mark.parametrize("value", [OBJECT, ARRAY])
@pytest.mark.parametrize(
    "prose", ["See [x, {}].", "See ['x', {}, 'y'].", "See [[x], z, \n {} (a) y].", "See [x, {}, {}]."]
)
def test_brackets__around(prose: str, value: str) -> None:
    """An item of a list that is not JSON is not taken out of it."""
    cause = "no answer in the text: its only JSON object stands inside other brackets"
    assert Unreadable(cause=cause) == read_json(prose.replace("{}", value), arrays=True)


def test_brackets__around_one_of_two() -> None:
    """A value that stands in brackets and beside them counts; one that stands in brackets alone does not."""
    read = read_json(f"[x, {OBJECT}] gives {OBJECT}")
    assert isinstance(read, Reading)
    assert read.value == {"a": "]"}


@pytest.mark.parametrize("value", [OBJECT, ARRAY])
@pytest.mark.parametrize(
    ("rest", "place"),
    [("]", (1, 1)), (' , "b", -1e2, null ]', (1, 20)), ("\n]\n", (2, None)), (", true]]", (1, 7)), (" [1] ]", (1, 6))],
)
def test_brackets__closed_too_early(value: str, rest: str, place: tuple[int, int | None]) -> None:
    """A bracket that closes what was never opened, with only items before it, tells that the value is but a part."""
    line, column = place[0], 1 if place[1] is None else len(value) + place[1]
    cause = f"invalid JSON at line {line}, column {column}: a closing bracket without its opening one"
    assert Unreadable(cause=cause) == read_json(value + rest, arrays=True)


@pytest.mark.parametrize(
    "text",
    ["[x" * 250_000 + OBJECT + "]" * 250_000, OBJECT + "[x]" * 160_000, OBJECT + " 1" * 250_000 + "]", OBJECT * 9_000],
    ids=len,
)
@pytest.mark.timeout(20)
def test_brackets__many(text: str) -> None:
    """However many brackets stand around a value, they are told apart in linear time."""
    assert isinstance(read_json(text, arrays=True), Reading | Unreadable)
