"""What the draws of a run say together: tokens, who answered, what was read from a ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.decks import deck_result, judged_case
from support.grading import reply_of
from support.reports import case_result

from evalaction.grade.case import grade_case
from evalaction.records.case import Sampling
from evalaction.records.draw import Usage
from evalaction.records.judge import Judged, Outcome
from evalaction.records.manifest import Replays, Tokens
from evalaction.records.report import CaseResult, GradedDraw
from evalaction.records.settings import DEFAULT_FAIL_ON
from evalaction.report.tally import tally

RUN, OTHER = "3f2a9c41b7d0e586", "77ab20ce1f045be1"
BEGUN = {RUN: "2026-11-30T12:00:00+00:00"}


def drawn(*usages: Usage, **fields: Any) -> CaseResult:
    """Return a case with a draw for each usage; the first of them is the first choice of its response, and so on."""
    replies = {place + 1: {"usage": usage, "choice": place, **fields} for place, usage in enumerate(usages)}
    return case_result("a", " ".join("A" for _ in usages), replies=replies)


def tokens_of(*cases: CaseResult, total: int = 0) -> Tokens:
    return tally(cases, []).tokens(total=total)


def test_tokens__sums() -> None:
    """Each kind is summed over the replies that give it; reasoning stands apart, and is part of the completion."""
    case = drawn(Usage(prompt=40, completion=12, reasoning=8, cached=32), Usage(prompt=40, completion=10))
    gone = case_result("b", "∅ ∅")

    assert tokens_of(case, gone, total=102) == Tokens(
        prompt=80, completion=22, reasoning=8, cached=32, total=102, estimated=False
    )


def test_tokens__several_choices() -> None:
    """The tokens of one request are counted once: the other choices, which have none of their own, lack nothing."""
    case = drawn(Usage(prompt=40, completion=60), Usage(), Usage(), choices=3)
    made = tally([case], [])

    assert made.tokens(total=100) == Tokens(
        prompt=40, completion=60, reasoning=None, cached=None, total=100, estimated=False
    )
    assert (made.draws, made.answered) == (3, 1)


@pytest.mark.parametrize("usage", [Usage(), Usage(prompt=40), Usage(completion=12)])
def test_tokens__uncounted(usage: Usage) -> None:
    """Where a reply comes without a count the total is an estimate."""
    assert tokens_of(drawn(Usage(prompt=1, completion=1), usage), total=9).estimated


def test_tokens__ledger() -> None:
    """What was read from a ledger costs nothing; without a reply of this run there is no total."""
    case = case_result("a", "A A", replay_of={1: RUN, 2: RUN})
    assert tokens_of(case, total=9) == Tokens(
        prompt=None, completion=None, reasoning=None, cached=None, total=None, estimated=False
    )


def test_tokens__judges() -> None:
    """Judges' replies cost what draws do, those to a second asking among them."""
    assert tally([judged_case("pp p-")], [deck_result(unreadable=(0,))]).tokens(total=0) == Tokens(
        prompt=2 * 200 + 3 * 200 + 7 * 200, completion=2 * 30 + 3 * 30 + 7 * 30, cached=None
    )


def test_tokens__ungraded() -> None:
    """A draw that came and could not be graded was paid for."""
    planned = judged_case("pp pp").planned
    draws = [
        replace(graded.draw, reply=reply_of("x", usage=Usage(prompt=5, completion=7)))
        for graded in judged_case("pp pp").draws
    ]
    made = tally([grade_case(planned, draws, fail_on=DEFAULT_FAIL_ON)], [])

    assert (made.draws, made.answered, made.tokens(total=24)) == (
        2,
        2,
        Tokens(prompt=10, completion=14, cached=None, total=24),
    )


def _read(graded: GradedDraw) -> tuple[Outcome, ...]:
    """Return what was said of a draw, as if it had been read from a ledger."""
    return tuple(
        replace(each, draws=tuple(replace(draw, replay_of=OTHER) for draw in each.draws))
        for each in graded.opinions
        if isinstance(each, Judged)
    )


def test_replays__by_run() -> None:
    """Draws and judges' replies are counted by the run that drew them."""
    case = case_result("a", "A A A B ∅", replay_of={1: RUN, 2: OTHER, 3: RUN})
    judged = judged_case("pp pp")
    read = replace(judged, draws=tuple(replace(graded, opinions=_read(graded)) for graded in judged.draws))
    made = tally([case, read], [])

    assert made.replays(begun=BEGUN) == (
        Replays(run=RUN, began=BEGUN[RUN], draws=2, replies=0),
        Replays(run=OTHER, began=None, draws=1, replies=4),
    )
    assert made.draws == 1 + 2


def test_tally__by_model() -> None:
    """Names are counted by the model that was asked for: another one is no change."""
    cases = [
        case_result("a", "A A", replies={1: {"model": "x"}}, sampling=Sampling(model="m-1")),
        case_result("b", "A ∅", replies={1: {"model": "y"}}, sampling=Sampling(model="m-2")),
    ]
    assert tally(cases, []).names == {"m-1": {("x", None): 1, (None, None): 1}, "m-2": {("y", None): 1}}
