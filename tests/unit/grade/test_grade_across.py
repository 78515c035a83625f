"""Response ids that draws of different cases share."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grading import draw_of, reply_of

from evalaction.grade.across import Across
from evalaction.records.draw import Draw

LONG = "chatcmpl-9fTqZ3kWm1Yb7LxPA2c{}"


def drawn(case: str, response_id: str | None, *, choice: int = 0) -> Draw:
    """Return a draw of a case whose reply has this id."""
    return replace(draw_of(reply_of("x", id=response_id, choice=choice)), path="g.jsonl", id=case)


def told(*draws: Draw) -> tuple[str, ...]:
    """Return what is said of draws."""
    across = Across()
    for draw in draws:
        across.draw(draw)
    return across.notes()


def test_across__two_cases() -> None:
    """Draws of a case with ids of an earlier one are counted and both are named; it is said of the later one alone."""
    first = [drawn("a", LONG.format(number)) for number in range(5)]
    assert told(*first, *[replace(draw, id="b") for draw in first]) == (
        "5 draws of g.jsonl#b have the response ids of draws of g.jsonl#a: they may be replies shown again.",
    )
    assert told(*first, replace(first[3], id="b")) == (
        "1 draw of g.jsonl#b has the response id of a draw of g.jsonl#a: it may be a reply shown again.",
    )


@pytest.mark.parametrize(
    "other",
    [
        drawn("a", LONG.format(1)),
        drawn("b", LONG.format(2)),
        drawn("b", LONG.format(1), choice=1),
        replace(drawn("b", None), reply=None),
    ],
    ids=["same case", "another id", "another choice", "missing"],
)
def test_across__nothing_shared(other: Draw) -> None:
    """What a case shares with itself is its gate's business; choices of one request are replies of their own."""
    assert told(drawn("a", LONG.format(1)), other) == ()


@pytest.mark.parametrize("response_id", [None, "", "chatcmpl-7", "0", "chatcmpl-1764563219", "cmpl-a1b2c3d4e5f6a7b"])
def test_across__by_chance(response_id: str | None) -> None:
    """An id that comes twice by chance, or none at all, tells nothing of two cases."""
    assert told(drawn("a", response_id), drawn("b", response_id)) == ()


def test_across__few_named() -> None:
    """Three pairs are named, those with the most draws first; of the others how many draws there are."""
    draws = [drawn("a", LONG.format(number)) for number in range(9)]
    for count, case in ((1, "b"), (4, "c"), (2, "d"), (3, "e"), (1, "f")):
        draws += [drawn(case, LONG.format(number)) for number in range(count)]
    assert [note[:22] for note in told(*draws)] == [
        "4 draws of g.jsonl#c h", "3 draws of g.jsonl#e h", "2 draws of g.jsonl#d h", "2 more draws have resp",
    ]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 8)), max_size=60))
def test_across__each_counted(pairs: list[tuple[str, int]]) -> None:
    """Whatever comes in whatever order, those draws are counted whose id came first from another case."""
    first: dict[int, str] = {}
    expected = sum(first.setdefault(number, case) != case for case, number in pairs)
    notes = told(*[drawn(case, LONG.format(number)) for case, number in pairs])
    assert expected == sum(int(note.split()[0]) for note in notes)
