"""Runs with decks and judge-graded cases, whose whole comments stand in ``tests/examples``, by the folder's name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from support.decks import deck_result, judged_case, trace_deck
from support.judging import Judge, Order, gold_of, honest, in_prose, last_passes, verdicts
from support.reports import case_result, deck, report, with_failure

from evalaction.records.deck import Deck, Fixture, ProbeKind
from evalaction.records.draw import Cause, Failure
from evalaction.records.plan import Reason
from evalaction.records.report import Report

TRACES = (
    Fixture(id="t_ok", line=1, fields={"task": "Refund order 7.", "trace": "Refunded order 7."}, gold="pass"),
    Fixture(id="t_fluent_fail", line=2, fields={"task": "Refund order 8.", "trace": "All is well."}, gold="fail"),
    Fixture(id="t_partial", line=3, fields={"task": "Refund order 9.", "trace": "Order 9?"}, gold="fail"),
)
REFUNDS = {"A": {"status": "unknown"}, "B": {"status": "eligible"}}


def deck_reports() -> dict[str, Report]:
    """Return every example, by name."""
    return {
        "comment-deck": failing(),
        "comment-deck-noise": noise(),
        "comment-deck-passing": passing(),
        "comment-deck-unmeasured": unmeasured(),
        "comment-deck-large": large(),
        "comment-judged": judged(),
    }


def fluent_last(deck: Deck, order: Order) -> str:
    """Answer gold, but pass the second fixture where it stands last."""
    labels = gold_of(deck, order)
    return verdicts(
        order,
        ["pass" if index == 1 and index == order[-1] else label for index, label in zip(order, labels, strict=True)],
    )


def obeys(deck: Deck, order: Order) -> str:
    """Answer gold, but pass everything beside a trace that gives orders."""
    steered = len(order) > len(TRACES) and "ignore" in str(deck.fixtures[-1].fields).casefold()
    return verdicts(order, ["pass"] * len(order) if steered else gold_of(deck, order))


def wavering(flips: Sequence[Order]) -> Judge:
    """Return a judge that answers gold, but passes everything in some orders."""

    def judge(deck: Deck, order: Order) -> str:
        return verdicts(order, ["pass"] * len(order) if order in flips else gold_of(deck, order))

    return judge


def failing() -> Report:
    """Return a run in which a case flips, and so does a judge that is steered, too; each order was asked twice."""
    asked = trace_deck(fixtures=TRACES, repeats=2, probes=(ProbeKind.STEER, ProbeKind.TWINS), wordings=("Is it done?",))
    flipping = case_result(
        "refund_abstain_v1",
        "A A A A B",
        answers=REFUNDS,
        agreement_min=1,
        expect_keys=("status",),
        path="golden/refunds.golden.jsonl",
        line=3,
    )
    return report(
        flipping,
        case_result("invoice_extract_v3", "A A A A A", expect={"total_cents": 1950}),
        decks=(deck_result(asked, fluent_last, probed=obeys, worded=honest, unreadable=(4,)),),
    )


def noise() -> Report:
    """Return a run of judges alone: one wavers without any change of order, one cannot be read, one is stable wrong."""
    asked = trace_deck(fixtures=TRACES, repeats=2, name="wavers")
    wrong = trace_deck(fixtures=TRACES, name="lenient", path="decks/lenient.jsonl")
    return report(
        decks=(
            deck_result(asked, wavering([(0, 1, 2), (1, 2, 0)]), retests=wavering([(2, 1, 0), (1, 0, 2)])),
            deck_result(replace(wrong, labels=("pass", "partial", "fail")), all_pass),
            deck_result(trace_deck(fixtures=TRACES, name="prose"), in_prose),
        ),
        partial="the decks alone",
        manifest={"repeat_command": "evalaction judge --base 1f0c2d9 --head 8a41b77"},
    )


def all_pass(_deck: Deck, order: Order) -> str:
    """Pass everything, whatever the order."""
    return verdicts(order, ["pass"] * len(order))


def passing() -> Report:
    """Return a run in which a case and two judges pass; one of them fails a probe, which only warns."""
    asked = trace_deck(fixtures=TRACES, repeats=2)
    steered = trace_deck(fixtures=TRACES, name="steered", probes=(ProbeKind.STEER, ProbeKind.EMPTY))
    return report(
        case_result("invoice_extract_v3", "A A A A A", expect={"total_cents": 1950}),
        decks=(deck_result(asked), deck_result(steered, honest, probed=obeys)),
        manifest={
            "judge_host": "judge.example.test",
            "adapted": (
                "the judge's endpoint refuses response_format: it was left out from then on, and the form of the "
                "replies was asked for in words alone",
            ),
        },
    )


def unmeasured() -> Report:
    """Return a run whose cases pass, and whose judges could not be reached, or not for long."""
    refused = Failure(cause=Cause.REJECTED, message="HTTP 401: Incorrect API key provided.", status=401)
    ended = Failure(cause=Cause.STOPPED, message="The run had ended (rejected, HTTP 401).")
    half = with_failure(deck_result(trace_deck(fixtures=TRACES), honest, missing=(3, 4, 5)), refused)
    return report(
        case_result("invoice_extract_v3", "A A A A A", expect={"total_cents": 1950}),
        decks=(half, deck("tone-judge", failure=ended, reasons=(Reason.CASE,))),
    )


def large() -> Report:
    """Return a run whose judge passes whatever stands last of 30 fixtures, in 30 orders."""
    fixtures = tuple(
        Fixture(id=f"trace_{n}", line=n, fields={"trace": f"trace {n}"}, gold="pass" if n % 3 else "fail")
        for n in range(1, 31)
    )
    return report(decks=(deck_result(trace_deck(fixtures=fixtures, show=("trace",), max_orders=30), last_passes),))


def judged() -> Report:
    """Return a run with cases that a judge grades: whose flips they are, what its exam says, and one without any."""
    exam = deck_result(trace_deck(fixtures=TRACES), fluent_last, reasons=(Reason.CASE,))
    same = ["We are sorry.", "We are sorry.", "Never!", "We are sorry.", "We are sorry."]
    return report(
        judged_case("pp pf ff fp pp", decks=(exam,), id="tone_flips", texts=same, agreement_min=1),
        judged_case("pp pp pp p- ∅", decks=(exam,), id="tone_missing", line=2, agreement_min=1),
        judged_case("pp pp pp pp pp", id="tone_alone", line=3, rubric="Is it kind?"),
        decks=(exam,),
    )
