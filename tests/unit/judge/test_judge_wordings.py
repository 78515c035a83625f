"""What a judge's labels owe to the wording of its rubric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judging import deck_of, heard, unheard

from evalaction.judge.exam import exam_of
from evalaction.judge.wordings import score_wording
from evalaction.records.deck import Wording
from evalaction.records.deck_result import WordingScore
from evalaction.records.gate import Share
from evalaction.records.judge import JudgeRequest, Outcome

DECK = replace(
    deck_of("pass", "fail", "fail"), wordings=(Wording(path="other.md", text="Pass what is correct."),), repeats=2
)
EXAM = exam_of(DECK)
(OTHER,) = EXAM.wordings
Says = Callable[[JudgeRequest], list[str | None]]


def share(count: int, of: int) -> Share:
    return Share(count=count, of=of)


def by_fixture(*labels: str | None) -> Says:
    """Return a judge that says one thing of each fixture."""
    return lambda request: [labels[index] for index in request.order]


def gold(request: JudgeRequest) -> list[str | None]:
    return [DECK.fixtures[index].gold for index in request.order]


def last(request: JudgeRequest) -> list[str | None]:
    return [*["fail"] * (len(request.order) - 1), "pass"]


def said(says: Says, requests: tuple[JudgeRequest, ...]) -> list[Outcome]:
    return [heard(DECK, request, says(request)) for request in requests]


@pytest.mark.parametrize(
    ("own", "other", "flips", "right", "rows"),
    [
        (gold, gold, 0, 18, (("pass",) * 6, ("fail",) * 6, ("fail",) * 6)),
        # Gold for one wording, the stamp for the other: the first fixture alone keeps its label.
        (gold, by_fixture("pass", "pass", "pass"), 2, 6, (("pass",) * 6,) * 3),
        (gold, by_fixture(None, "fail", "fail"), 1, 12, ((None,) * 6, ("fail",) * 6, ("fail",) * 6)),
        (by_fixture(None, None, None), by_fixture(None, None, None), 3, 0, ((None,) * 6,) * 3),
    ],
    ids=["same", "stamp", "one missing", "all missing"],
)
def test_score_wording__by_hand(
    own: Says, other: Says, flips: int, right: int, rows: tuple[tuple[str | None, ...], ...]
) -> None:
    """A fixture flips where its label in some order is not that under the deck's own wording; none is like no other."""
    assert WordingScore(
        path="other.md", flips=share(flips, 3), gold=share(right, 18), labels=rows, asked=6
    ) == score_wording(DECK, said(own, EXAM.requests), OTHER, said(other, OTHER.requests))


def test_score_wording__not_the_order() -> None:
    """What flips with the order, but not with the wording, does not count here."""
    score = score_wording(DECK, said(last, EXAM.requests), OTHER, said(last, OTHER.requests))
    assert (share(0, 3), share(10, 18)) == (score.flips, score.gold)


def test_score_wording__first_asking() -> None:
    """Labels of an order that was asked again are those of its first asking."""

    def turns(request: JudgeRequest) -> list[str | None]:
        return gold(request) if request.repeat == 1 else [None] * 3

    assert share(0, 3) == score_wording(DECK, said(turns, EXAM.requests), OTHER, said(gold, OTHER.requests)).flips


def test_score_wording__in_part() -> None:
    """Only orders that were answered under both wordings are compared, and no figure is made of nothing."""
    own: list[Outcome] = [unheard(DECK, EXAM.requests[0]), *said(gold, EXAM.requests)[1:]]
    gone: list[Outcome] = [unheard(DECK, request) for request in OTHER.requests]
    stamp = said(by_fixture("pass", "pass", "pass"), OTHER.requests)
    known = {"path": "other.md", "asked": 6}
    nothing = WordingScore(**known, flips=None, gold=None, labels=((), (), ()))  # type: ignore[arg-type]
    assert nothing == score_wording(DECK, own, OTHER, gone)
    first = [stamp[0], *gone[1:]]
    row = ("pass",)
    alone = WordingScore(**known, flips=None, gold=share(1, 3), labels=(row,) * 3)  # type: ignore[arg-type]
    assert alone == score_wording(DECK, own, OTHER, first)
    two = WordingScore(**known, flips=share(2, 3), gold=share(2, 6), labels=(row * 2,) * 3)  # type: ignore[arg-type]
    assert two == score_wording(DECK, own, OTHER, [*stamp[:2], *gone[2:]])


@given(st.permutations(range(6)))
def test_score_wording__any_order(arrived: list[int]) -> None:
    """Which reply came first changes no flip and no share."""
    own, other = said(gold, EXAM.requests), said(last, OTHER.requests)
    score = score_wording(DECK, own, OTHER, other)
    shuffled = score_wording(DECK, own[::-1], OTHER, [other[number] for number in arrived])
    assert (score.flips, score.gold) == (shuffled.flips, shuffled.gold)
    assert len(list(permutations(range(3)))) == score.asked
