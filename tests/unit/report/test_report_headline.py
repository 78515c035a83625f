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
from evalaction.report.headline import headline, lead, missing_draws, next_step, notes

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
        (report(PASSES, PASSES), "both affected cases pass"),
        (report(PASSES, partial="--case passes"), "the chosen case passes"),
        (
            report(PASSES, loosened=(change("a", "n", 5, 2),)),
            "the affected case passes, but what is checked has changed",
        ),
        (report(FAILS), "the affected case fails"),
        (report(FAILS, FAILS, FAILS), "all 3 affected cases fail"),
        (report(FAILS, FAILS, PASSES), "2 of 3 affected cases fail"),
        (report(FAILS, MISSING), "1 of 2 affected cases fails, 1 could not be measured"),
        (report(FAILS, decks=(deck("d"),)), "the affected case fails, 1 deck could not be judged"),
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


def test_headline__interrupted() -> None:
    """A run that was stopped from outside says so first, whatever it had found by then."""
    assert [headline(verdict=case.verdict, cases=(case,), interrupted=True) for case in (FAILS, MISSING, PASSES)] == [
        "evalaction: interrupted, the affected case fails",
        "evalaction: interrupted, could not be measured: 1 of 1 affected case",
        "evalaction: interrupted, the affected case passes",
    ]


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
        (failing("A A A A B", agreement_min=1), "c gave 2 answers in 5 draws: 4 of 5 agree, 5 are needed."),
        (
            failing("A A ? ?", agreement_min=1),
            "c gave 1 answer and 2 unreadable draws in 4 draws: 2 of 4 agree, 4 are needed.",
        ),
        (failing("? ?"), "c gave 2 unreadable draws in 2 draws: 0 of 2 agree, 2 are needed."),
        (
            failing("C C", expect={"total_cents": 1950}),
            "c gave one answer in all 2 draws, and it is wrong: 0 of 2 meet the expected value, 2 are needed.",
        ),
        (
            failing("A C", expect={"total_cents": 1950}, agreement_min="0.5"),
            "c gave wrong answers: 1 of 2 meet the expected value, 2 are needed.",
        ),
        (failing("A A", expect_keys=("no",), agreement_min=0), "c has the asked form in 0 of 2 draws."),
        (
            failing("A A", usage=Usage(completion=1_300), max_completion_tokens=1_200),
            "c needs up to 1,300 completion tokens, and 1,200 are allowed.",
        ),
        (
            failing("∅ ∅", failure=Failure(cause=Cause.STATUS, status=503, message="busy\n::error::x")),
            "c got 0 of 2 draws: HTTP 503: busy⏎::error::x.",
        ),
        (failing("A A"), "No answer moved in 2 draws of 1 case."),
        (failing("A B", agreement_min="0.5"), "1 of 1 passing case still flips: c, 1/2 agree."),
        (report(PASSES, gates=(CONTRACT,), unaffected=0), "No case fails: see what is checked differently, below."),
        (report(decks=(deck("d"),), unaffected=0), "No case had to be drawn."),
        (
            report(unaffected=1, not_chosen=2, partial="case x"),
            (
                "None of the cases chosen is affected: nothing was drawn. 1 case is unaffected and was not drawn."
                " Chosen: case x; 2 affected cases were left out."
            ),
        ),
        (report(unaffected=1), "No request, contract or sampling of 1 case changed: nothing was drawn."),
    ],
)
def test_lead__table(run: Report, expected: str) -> None:
    """The lead says of the worst case what was seen against what was asked for."""
    assert untrusted.plain(lead(run)) == expected


def test_lead__no_text_of_an_endpoint_without_completions() -> None:
    """Without completions, what an endpoint said is not repeated."""
    run = report(MISSING, show_completions=False, unaffected=0)

    assert untrusted.plain(lead(run)) == "missing got 0 of 2 draws: deadline."


def test_lead__text_answers() -> None:
    """A text grader's answers are counted like any other."""
    run = failing("A B", grader=Grader.TEXT, answers={"A": "yes", "B": "no"}, agreement_min=1)

    assert untrusted.plain(lead(run)) == "c gave 2 answers in 2 draws: 1 of 2 agree, 2 are needed."


REFUSED = Failure(cause=Cause.REJECTED, status=401, message="The key was refused.")
ENDED = Failure(cause=Cause.STOPPED, message="The run had ended (rejected, HTTP 401).")


def test_lead__what_ended_the_run() -> None:
    """The lead tells why the run ended, though the draws of its case were only not sent any more."""
    run = report(case_result("a", "A ∅ ∅", failure=ENDED), case_result("b", "A ∅", failure=REFUSED), unaffected=0)

    assert untrusted.plain(lead(run)) == "a got 1 of 3 draws: rejected with 401: The key was refused."
    assert missing_draws(run) == []


def test_missing_draws__once_for_each_cause() -> None:
    """What the endpoint said stands there once a cause, beside the lead, and not again as a note."""
    again = Failure(cause=Cause.STATUS, status=503, message="busy")
    run = report(
        FAILS,
        case_result("a", "A ∅ ∅", failure=REFUSED),
        case_result("b", "A ∅ ∅", failure=REFUSED),
        case_result("c", "A ∅", failure=again),
        manifest={"notes": (REFUSED.message, "other")},
    )

    assert [untrusted.plain(phrase) for phrase in missing_draws(run)] == [
        "4 draws of 2 cases missing, rejected with 401: The key was refused.",
        "1 draw of 1 case missing, HTTP 503: busy.",
    ]
    assert notes(run) == ["other"]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (report(FAILS), "Have the prompt settle which answer is right."),
        (failing("A ? ?"), "Have the prompt ask for nothing but the answer."),
        (
            failing("C C", expect={"total_cents": 1950}),
            "Correct the prompt, or the expected value if that is what is wrong.",
        ),
        (failing("A A", expect_keys=("no",)), "Have the prompt ask for the form that the contract names."),
        (
            failing("A A", max_completion_tokens=1),
            "Have the prompt ask for less, or raise max_completion_tokens.",
        ),
        (failing("∅ ∅", failure=Failure(cause=Cause.TIMEOUT, message="slow")), "Run it again."),
        (failing("∅ ∅", failure=REFUSED), ""),
        (
            report(case_result("c", "∅ ∅", failure=REFUSED), show_completions=False),
            "Check endpoint, key and model, then run it again.",
        ),
        (report(PASSES), ""),
        (report(), ""),
    ],
)
def test_next_step__table(run: Report, expected: str) -> None:
    """What to do goes by the worst case; nothing is repeated that the endpoint's own message says."""
    assert untrusted.plain(next_step(run)) == expected
