"""Independence: what marks a reply as no fresh one, and which replies are taken for one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grading import draw_of, reply_of

from evalaction.grade.independence import DRAWS, REPLIES, Doubt, doubts, independence_gate
from evalaction.records.draw import Draw, Usage
from evalaction.records.gate import Gate, GateName, Verdict

LONG = "chatcmpl-9fTqZ3kWm1Yb7LxPA2c4"
UUID = "550e8400-e29b-41d4-a716-446655440000"
AGAIN = "they may be one reply shown again"


def draws_with(*fields: dict[str, Any]) -> list[Draw]:
    """Return a draw for each, whose reply says ``x`` unless said otherwise."""
    return [draw_of(reply_of(**{"text": "x", **item}), index=index) for index, item in enumerate(fields, 1)]


def counted(draws: list[Draw]) -> list[str]:
    return [str(doubt) for doubt in doubts({DRAWS: draws, REPLIES: ()})]


@pytest.mark.parametrize("response_id", [LONG, UUID, "gen-1764563219-9fTqZ3kWm1Yb7LxP", "a1b2c3d4e5f6a7b8", "x" * 16])
def test_doubts__unique_id(response_id: str) -> None:
    """An id that no two responses share by chance counts, whatever time and text stand beside it."""
    draws = draws_with({"id": response_id, "created": 1}, {"id": response_id, "created": 2, "text": "y"}, {"id": "z"})
    assert [f"2 of 3 draws share a response id: {AGAIN}"] == counted(draws)


@pytest.mark.parametrize(
    "response_id", ["chatcmpl-7", "0", "chatcmpl-1764563219", "20261130120000123", "cmpl-a1b2c3d4e5f6a7b", "-" * 40]
)
@pytest.mark.parametrize(
    ("other", "shared"),
    [
        ({}, True),
        ({"created": 18}, False),
        ({"created": None}, False),
        ({"text": "y"}, False),
        ({"refusal": "no"}, False),
        ({"choice": 1}, False),
        ({"usage": Usage(completion=99)}, True),
    ],
)
def test_doubts__short_id(response_id: str, other: dict[str, Any], *, shared: bool) -> None:
    """An id that may come twice by chance, or is a time, counts with the same choice, time and text alone."""
    first = {"id": response_id, "created": 17}
    expected = [f"2 of 2 draws share a response id: {AGAIN}"] if shared else []
    assert expected == counted(draws_with(first, {**first, **other}))


@pytest.mark.parametrize("response_id", [None, ""])
def test_doubts__no_id(response_id: str | None) -> None:
    """Replies without an id are not taken for one, however alike."""
    assert [] == counted(draws_with(*[{"id": response_id, "created": 17}] * 3))


def test_doubts__choices_of_one_request() -> None:
    """The choices of one response are draws of their own; the same choice of a response that came twice is not."""
    once = [{"id": LONG, "choice": place, "choices": 3} for place in range(3)]
    assert [[], [f"6 of 6 draws share a response id: {AGAIN}"]] == [
        counted(draws_with(*once)),
        counted(draws_with(*once, *once)),
    ]


@pytest.mark.parametrize(
    ("marks", "detail"),
    [
        (["x-cache: HIT", None, None], "1 of 3 draws is marked as replayed (x-cache: HIT)"),
        (["age: 2", "x-cache: HIT", "age: 2"], "3 of 3 draws are marked as replayed (age: 2, x-cache: HIT)"),
        (
            ["age: 3", "age: 1", "age: 2", "age: 4"],
            "4 of 4 draws are marked as replayed (age: 1, age: 2 and 2 more)",
        ),
        (["m" * 200], f"1 of 1 draws is marked as replayed ({'m' * 60})"),
        (["", None], None),
    ],
)
def test_doubts__marks(marks: list[str | None], detail: str | None) -> None:
    """What the endpoint marks as kept from before counts by itself; the marks are named, the most frequent first."""
    draws = draws_with(*({"id": f"{LONG}{place}", "replayed": mark} for place, mark in enumerate(marks)))
    assert ([] if detail is None else [detail]) == counted(draws)


def test_doubts__prompt_cache() -> None:
    """A reply whose prompt was read from the provider's cache is a fresh one."""
    assert [] == counted(draws_with(*({"id": f"{LONG}{n}", "usage": Usage(cached=40)} for n in range(3))))


def test_doubts__ledger() -> None:
    """What was read from a ledger is a draw like any other, and is in doubt where it doubles one."""
    first, second = draws_with({"id": LONG}, {"id": UUID})
    read = replace(first, replay_of="run-1")
    assert [[], [f"2 of 2 draws share a response id: {AGAIN}"]] == [
        counted([read, second]),
        counted([read, replace(first, index=2)]),
    ]


@given(st.lists(st.sampled_from([*"abc", LONG, UUID]), max_size=9))
def test_doubts__indices(ids: list[str]) -> None:
    """Those that are counted are exactly those whose id is there more than once; missing draws stay in the number."""
    draws = [*draws_with(*({"id": id_} for id_ in ids)), draw_of(None, index=len(ids) + 1)]
    shared = tuple(index for index, id_ in enumerate(ids, 1) if ids.count(id_) > 1)
    expected = (Doubt(group=DRAWS, indices=shared, of=len(draws)),) if shared else ()
    assert expected == doubts({DRAWS: draws})


@pytest.mark.parametrize(
    ("draws", "replies", "detail"),
    [
        ("abc", "abc", None),
        ("aab", "abc", f"2 of 3 draws share a response id: {AGAIN}"),
        ("abc", "aabb", f"4 of 4 replies of the judge share a response id: {AGAIN}"),
        (
            "aA",
            "bbc",
            "1 of 2 draws is marked as replayed (x-cache: HIT); "
            f"2 of 3 replies of the judge share a response id: {AGAIN}",
        ),
    ],
)
def test_independence_gate(draws: str, replies: str, detail: str | None) -> None:
    """Draws are held against draws, and a judge's replies against its replies; a doubt is neither pass nor fail.

    A capital letter is the id of a reply that is marked.
    """
    groups = {
        name: draws_with(*({"id": id_, "replayed": "x-cache: HIT" if id_.isupper() else None} for id_ in ids))
        for name, ids in ((DRAWS, draws), (REPLIES, replies))
    }
    expected = None
    if detail is not None:
        expected = Gate(name=GateName.INDEPENDENCE, verdict=Verdict.UNMEASURED, detail=detail)
    assert expected == independence_gate(groups)
