"""Who answered, and whether that changed within a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.decks import deck_result, judged_case
from support.reports import case_result

from evalaction.records.case import Sampling
from evalaction.records.judge import Judged
from evalaction.report.answered import MOST, answered_by, changes
from evalaction.report.tally import tally

FP_A, FP_B = "fp_44709d6fcb", "fp_9b0abffe81"


def answered(id_: str, *names: tuple[str | None, str | None] | None, model: str = "m-1") -> Any:
    """Return a case whose draws were answered under these names; None for a draw that is missing."""
    strip = " ".join("∅" if name is None else "A" for name in names)
    replies = {
        index: {"model": name[0], "fingerprint": name[1]} for index, name in enumerate(names, 1) if name is not None
    }
    return case_result(id_, strip, replies=replies, sampling=Sampling(model=model))


def test_answered_by__counts() -> None:
    """Every name is there with how many draws it answered, the most frequent first."""
    cases = [answered("a", ("m-1", FP_A), ("m-1", None), None), answered("b", ("m-1", FP_A), (None, None))]
    assert answered_by(tally(cases, [])) == (("m-1", FP_A, 2), (None, None, 1), ("m-1", None, 1))


def test_answered_by__nobody() -> None:
    """Of an endpoint that names nobody nothing is said."""
    assert (answered_by(tally([answered("a", (None, None), None)], [])), answered_by(tally([], []))) == ((), ())


def test_answered_by__bounded() -> None:
    """An endpoint that calls itself something else each time does not fill the report."""
    names: list[tuple[str | None, str | None]] = [(f"m-{number:03}", None) for number in range(MOST + 20)]
    cases = [answered(f"c{place}", *names[place : place + 60]) for place in (0, 60)]
    assert answered_by(tally(cases, [])) == tuple((f"m-{number:03}", None, 1) for number in range(MOST))


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ([answered("a", ("m-1", FP_A), ("m-1", FP_A), None)], []),
        # Another name than that which was asked for, all the time, is an alias.
        ([answered("a", ("m-1-2026-01-01", None), ("m-1-2026-01-01", None))], []),
        ([answered("a", (None, None), (None, None))], []),
        # Two models were asked for.
        ([answered("a", ("m-1", FP_A), ("m-1", FP_A)), answered("b", ("m-2", FP_B), ("m-2", FP_B), model="m-2")], []),
        (
            [answered("a", ("m-1-0101", None), ("m-1-0202", None)), answered("b", ("m-1-0101", None), None)],
            ["the model changed within the run: m-1 answered as m-1-0101 in 2 draws, as m-1-0202 in 1"],
        ),
        (
            [answered("a", ("m-1", FP_A), ("m-1", None), ("m-1", FP_B), ("m-1", FP_A))],
            [
                f"the model changed within the run: m-1 answered as m-1 ({FP_A}) in 2 draws, as m-1 (no fingerprint) "
                f"in 1, as m-1 ({FP_B}) in 1"
            ],
        ),
        (
            [answered("a", *((f"m-{number}" * 40, None) for number in range(5)), (None, None))],
            [
                "the model changed within the run: m-1 answered without a name in 1 draw, "
                f"as {('m-0' * 20)[:59]}… in 1, as {('m-1' * 20)[:59]}… in 1, and 3 more"
            ],
        ),
    ],
)
def test_changes(cases: list[Any], said: list[str]) -> None:
    """A model that was asked for and answered under more than one name, or fingerprint, has changed."""
    assert changes(tally(cases, [])) == said


def named(outcome: Any, model: str) -> Any:
    """Return what a judge said, under a name."""
    if not isinstance(outcome, Judged):
        return outcome
    return replace(
        outcome,
        draws=tuple(replace(draw, reply=draw.reply and replace(draw.reply, model=model)) for draw in outcome.draws),
    )


def test_changes__judges() -> None:
    """A judge that changes is told of as well, over decks and judge-graded cases with the same judge."""
    case, deck = judged_case("pp pp"), deck_result()
    case = replace(
        case,
        draws=tuple(
            replace(graded, opinions=tuple(named(each, "j-1-a") for each in graded.opinions)) for graded in case.draws
        ),
    )
    deck = replace(deck, outcomes=tuple(named(each, "j-1-b") for each in deck.outcomes))

    assert changes(tally([case], [deck])) == [
        "the judge changed within the run: j-1 answered as j-1-b in 6 replies, as j-1-a in 4"
    ]
