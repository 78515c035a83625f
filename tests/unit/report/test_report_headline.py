"""The verdict in one line, and what to look at first."""

from __future__ import annotations

from typing import Any

import pytest
from support.reports import case_result, change, deck, removed, report

from evalaction.records.case import Grader
from evalaction.records.draw import Cause, Failure, Usage
from evalaction.records.plan import Reason
from evalaction.records.report import Gate, GateName, Report, Verdict
from evalaction.report import untrusted
from evalaction.report.headline import headline, lead

FAILS = case_result("fails", "A B", agreement_min=1)
PASSES = case_result("passes", "A A")
MISSING = case_result("missing", "∅ ∅")
CONTRACT = Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail="", warns=False)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (report(), "nothing affected"),
        (report(partial="--case x"), "nothing affected among the cases chosen"),
        (report(removed=(removed("a"),)), "nothing affected, but what is checked has changed"),
        (report(PASSES), "the affected case passes"),
        (report(PASSES, PASSES), "all 2 affected cases pass"),
        (report(PASSES, partial="--case passes"), "the chosen case passes"),
        (
            report(PASSES, loosened=(change("a", "n", 5, 2),)),
            "the affected case passes, but what is checked has changed",
        ),
        (report(FAILS), "1 of 1 affected case fails"),
        (report(FAILS, FAILS, PASSES), "2 of 3 affected cases fail"),
        (report(FAILS, MISSING), "1 of 2 affected cases fails, 1 could not be measured"),
        (report(FAILS, decks=(deck("d"),)), "1 of 1 affected case fails, 1 deck could not be judged"),
        (report(PASSES, gates=(CONTRACT,)), "the gate contract fails"),
        (report(MISSING, PASSES), "could not be measured: 1 of 2 affected cases"),
        (report(decks=(deck("d"),)), "could not be measured: 1 affected deck"),
        (
            report(MISSING, decks=(deck("d"), deck("e"))),
            "could not be measured: 1 of 1 affected case and 2 affected decks",
        ),
        (report(case_result("a", "A A", reasons=(Reason.ALL,))), "the case passes"),
    ],
)
def test_headline__table(run: Report, expected: str) -> None:
    """The headline counts what failed of what was drawn, and says what could not be measured."""
    assert run.headline == f"evalaction: {expected}"


def test_headline__unmeasured_without_cases() -> None:
    """A run that ended before its time is never green."""
    assert (
        headline(verdict=Verdict.UNMEASURED, cases=())
        == "evalaction: could not be measured: the run ended before its time"
    )


def failing(strip: str, **said: Any) -> Report:
    """Return a run of one case, with all cases of the suite drawn."""
    return report(case_result("c", strip, **said), unaffected=0)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (failing("A A A A B", agreement_min=1), "c gave 2 answers in 5 draws: 4/5 agree, 5/5 asked for."),
        (
            failing("A A ? ?", agreement_min=1),
            "c gave 1 answer and 2 unreadable draws in 4 draws: 2/4 agree, 4/4 asked for.",
        ),
        (failing("? ?"), "c gave 2 unreadable draws in 2 draws: 0/2 agree, 2/2 asked for."),
        (
            failing("C C", expect={"total_cents": 1950}),
            "c gives one answer in 2/2 draws, and it is wrong: 0/2 meet the expected value, 2/2 asked for.",
        ),
        (
            failing("A C", expect={"total_cents": 1950}, agreement_min="0.5"),
            "c gives wrong answers: 1/2 meet the expected value, 2/2 asked for.",
        ),
        (failing("A A", expect_keys=("no",), agreement_min=0), "c has the asked form in 0/2 draws."),
        (
            failing("A A", usage=Usage(completion=1_300), max_completion_tokens=1_200),
            "c needs up to 1,300 completion tokens, and 1,200 are allowed.",
        ),
        (
            failing("∅ ∅", failure=Failure(cause=Cause.STATUS, status=503, message="busy\n::error::x")),
            "c got 0 of 2 draws, status with 503: busy⏎::error::x.",
        ),
        (failing("A A"), "No answer moved in 2 draws of 1 case."),
        (failing("A B", agreement_min="0.5"), "1 of 1 passing case still flips: c, 1/2 agree."),
        (report(PASSES, gates=(CONTRACT,), unaffected=0), "No case fails: see what is checked differently, below."),
        (report(decks=(deck("d"),), unaffected=0), "No case had to be drawn, and this version cannot judge decks."),
        (
            report(unaffected=1, not_chosen=2),
            (
                "No request, contract or sampling changed, so nothing was drawn."
                " 1 case is unaffected and was not drawn. 2 affected cases were left out by the choice."
            ),
        ),
    ],
)
def test_lead__table(run: Report, expected: str) -> None:
    """The lead says of the worst case what was seen against what was asked for."""
    assert untrusted.plain(lead(run)) == expected


def test_lead__no_text_of_an_endpoint_without_completions() -> None:
    """Without completions, what an endpoint said is not repeated."""
    run = report(MISSING, show_completions=False, unaffected=0)

    assert untrusted.plain(lead(run)) == "missing got 0 of 2 draws, deadline."


def test_lead__text_answers() -> None:
    """A text grader's answers are counted like any other."""
    run = failing("A B", grader=Grader.TEXT, answers={"A": "yes", "B": "no"}, agreement_min=1)

    assert untrusted.plain(lead(run)) == "c gave 2 answers in 2 draws: 1/2 agree, 2/2 asked for."
