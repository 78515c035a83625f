"""The verdict in one line."""

from __future__ import annotations

import pytest
from support.decks import deck_result, trace_deck
from support.example_decks import all_pass, fluent_last, obeys
from support.judging import honest
from support.reports import case_result, change, deck, removed, report

from evalaction.records.deck import ProbeKind
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import Reason
from evalaction.records.report import Report
from evalaction.report.headline import headline

FAILS = case_result("fails", "A B", agreement_min=1)
PASSES = case_result("passes", "A A")
MISSING = case_result("missing", "∅ ∅")
FLIPS, WRONG, HOLDS = (deck_result(judge=judge) for judge in (fluent_last, all_pass, honest))
STEERED = deck_result(trace_deck(probes=(ProbeKind.STEER, ProbeKind.EMPTY)), honest, probed=obeys)
CONTRACT = Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail="", warns=False)
UNMEASURED = Gate(name=GateName.CONTRACT, verdict=Verdict.UNMEASURED, detail="there is no base")


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
        (report(FAILS, PASSES, decks=(FLIPS,)), "1 of 2 affected cases fails, the judge flips on 1 of 3 fixtures"),
        (
            report(FAILS, MISSING, decks=(FLIPS,)),
            ("1 of 2 affected cases fails, 1 could not be measured, the judge flips on 1 of 3 fixtures"),
        ),
        (
            report(PASSES, MISSING, decks=(FLIPS,)),
            ("the judge flips on 1 of 3 fixtures, 1 of 2 affected cases could not be measured"),
        ),
        (report(PASSES, decks=(WRONG,)), "the judge misses gold on 2 of 3 fixtures"),
        (report(decks=(WRONG, HOLDS)), "on 1 of 2 decks the judge misses gold on 2 of 3 fixtures"),
        (report(decks=(WRONG, FLIPS, HOLDS)), "the judges of 2 of 3 decks fail"),
        (report(decks=(WRONG, FLIPS)), "both judges fail"),
        (
            report(decks=(FLIPS, deck("d"))),
            ("on 1 of 2 decks the judge flips on 1 of 3 fixtures, 1 deck could not be judged"),
        ),
        (report(decks=(HOLDS, deck("d"))), "could not be measured: 1 of 2 affected decks"),
        (report(decks=(HOLDS,)), "the judge of the affected deck passes"),
        (report(decks=(HOLDS, HOLDS), partial="the decks alone"), "the judges of both decks pass"),
        (report(PASSES, decks=(HOLDS,)), "the affected case and the judge pass"),
        (report(decks=(STEERED,)), "the judge of the affected deck passes, but a probe fails"),
        (report(decks=(HOLDS, STEERED)), "the judges of both affected decks pass, but a probe fails"),
        (report(PASSES, decks=(STEERED, STEERED)), "the affected case and both judges pass, but 2 probes fail"),
        (
            report(PASSES, decks=(STEERED,), loosened=(change("a", "n", 5, 2),)),
            "the affected case and the judge pass, but a probe fails, and what is checked has changed",
        ),
        (report(PASSES, PASSES, decks=(HOLDS, HOLDS, HOLDS)), "both affected cases and all 3 judges pass"),
        (report(PASSES, gates=(CONTRACT,)), "the gate contract fails"),
        (report(MISSING, PASSES), "could not be measured: 1 of 2 affected cases"),
        (report(decks=(deck("d"),)), "could not be measured: 1 affected deck"),
        (
            report(MISSING, decks=(deck("d"), deck("e"))),
            "could not be measured: 1 of 1 affected case and 2 affected decks",
        ),
        (report(case_result("a", "A A", reasons=(Reason.ALL,))), "the case passes"),
        (report(PASSES, gates=(UNMEASURED,)), "could not be measured: the gate contract"),
        (
            report(PASSES, MISSING, gates=(UNMEASURED,)),
            "could not be measured: 1 of 2 affected cases and the gate contract",
        ),
        (report(FAILS, gates=(UNMEASURED,)), "the affected case fails, the gate contract could not be measured"),
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
