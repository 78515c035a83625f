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


def marks(*draws: Draw) -> list[str | None]:
    """Return what marks each draw."""
    across = Across()
    return [None if (reply := across.marked(draw).reply) is None else reply.replayed for draw in draws]


def test_across__two_cases() -> None:
    """A draw whose reply another case has had is marked with the case that had it first; that one is not."""
    first = [drawn("a", LONG.format(number)) for number in range(3)]
    assert marks(*first, *[replace(draw, id="b") for draw in first]) == [None] * 3 + ["response id of g.jsonl#a"] * 3
    assert marks(first[0], replace(first[1], id="b"), first[1], replace(first[0], id="b")) == [
        None, None, "response id of g.jsonl#b", "response id of g.jsonl#a",
    ]  # fmt: skip


def test_across__marked_already() -> None:
    """A mark that the endpoint gave stays: it says more. Nothing else of a draw changes."""
    first, again = drawn("a", LONG.format(1)), drawn("b", LONG.format(1))
    assert again.reply is not None
    across = Across()
    assert across.marked(first) is first
    marked = across.marked(again)
    assert marked == replace(again, reply=replace(again.reply, replayed="response id of g.jsonl#a"))
    hit = replace(again, reply=replace(again.reply, replayed="x-cache: HIT"))
    assert across.marked(hit) is hit


@pytest.mark.parametrize(
    "other",
    [
        drawn("a", LONG.format(1)),
        drawn("b", LONG.format(2)),
        drawn("b", LONG.format(1), choice=1),
        replace(drawn("b", None), reply=reply_of("y", id=LONG.format(1))),
        replace(drawn("b", None), reply=None),
    ],
    ids=["same case", "another id", "another choice", "another text", "missing"],
)
def test_across__nothing_shared(other: Draw) -> None:
    """What a case shares with itself is seen there; choices of one request are replies of their own."""
    assert marks(drawn("a", LONG.format(1)), other) == [None, None]


@pytest.mark.parametrize("response_id", [None, "", "chatcmpl-7", "0", "chatcmpl-1764563219", "cmpl-a1b2c3d4e5f6a7b"])
def test_across__by_chance(response_id: str | None) -> None:
    """An id that comes twice by chance, or none at all, tells nothing of two cases."""
    assert marks(drawn("a", response_id), drawn("b", response_id)) == [None, None]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 8)), max_size=60))
def test_across__each_marked(pairs: list[tuple[str, int]]) -> None:
    """Whatever comes in whatever order, those draws are marked whose id came first from another case."""
    first: dict[int, str] = {}
    before = [(first.setdefault(number, case), case) for case, number in pairs]
    expected = [None if one == case else f"response id of g.jsonl#{one}" for one, case in before]
    assert expected == marks(*[drawn(case, LONG.format(number)) for case, number in pairs])
