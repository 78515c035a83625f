"""What came of all requests about one deck: its figures, its gates, and what the deck comes to. Pure.

A missing request can go either way, so no gate passes while one of its own is missing; and nothing that comes later
takes back a failure: a fixture that got two labels flips whatever else is said of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalaction.frozen import frozen
from evalaction.grade.deck_gates import flip_gate, gold_gate, probe_gate
from evalaction.grade.gates import case_verdict
from evalaction.grade.independence import REPLIES, independence_gate, replies_of
from evalaction.judge.attribution import order_effect
from evalaction.judge.probes import score_probe
from evalaction.judge.score import FEWEST_ORDERS, score_deck
from evalaction.judge.wordings import score_wording
from evalaction.records.deck_result import DeckResult
from evalaction.records.exam import Exam
from evalaction.records.gate import Gate, GateName
from evalaction.records.judge import Judged, Outcome
from evalaction.records.plan import PlannedDeck


@frozen
class Answers:
    """The outcomes of an exam, by what they were asked for."""

    exam: tuple[Outcome, ...]
    """Of the deck's own orders and repeats."""
    wordings: tuple[tuple[Outcome, ...], ...]
    """By wording."""
    probes: tuple[tuple[Outcome, ...], ...]
    """By probe."""


def grade_deck(planned: PlannedDeck, outcomes: Sequence[Outcome], *, fail_on: frozenset[GateName]) -> DeckResult:
    """Grade what a judge said of a deck.

    Args:
        planned: the deck, with its exam.
        outcomes: one for each of ``planned.exam.all_requests``, in that order, whichever came first.
        fail_on: gates whose failure fails the deck; the others warn.

    Returns:
        What the judge is worth. Its figures are taken over the requests that were answered, and there are none while
        fewer than two orders were answered at their first asking.

    Raises:
        ValueError: the outcomes are not those of the exam.
    """
    deck, answers = planned.deck, sort_outcomes(planned.exam, outcomes)
    judged = [outcome for outcome in answers.exam if isinstance(outcome, Judged)]
    scored = len({outcome.request.order for outcome in judged if outcome.request.repeat == 1}) >= FEWEST_ORDERS
    probes = tuple(
        score_probe(deck, answers.exam, probe, came)
        for probe, came in zip(planned.exam.probes, answers.probes, strict=True)
    )
    asked: list[Gate] = [flip_gate(deck, answers.exam), gold_gate(deck, answers.exam)]
    if probes:
        asked.append(probe_gate(probes, answers.exam))
    independence = independence_gate({REPLIES: replies_of(outcomes)})
    if independence is not None:
        asked.append(independence)
    gates = tuple(replace(gate, warns=gate.name not in fail_on) for gate in asked)
    return DeckResult(
        planned=planned,
        verdict=case_verdict(gates, measured=len(judged)),
        outcomes=answers.exam,
        further=tuple(outcome for group in (*answers.wordings, *answers.probes) for outcome in group),
        score=score_deck(deck, judged) if scored else None,
        effect=order_effect(deck, judged, seed=planned.fingerprint) if scored else None,
        wordings=tuple(
            score_wording(deck, answers.exam, reworded, came)
            for reworded, came in zip(planned.exam.wordings, answers.wordings, strict=True)
        ),
        probes=probes,
        gates=gates,
    )


def sort_outcomes(exam: Exam, outcomes: Sequence[Outcome]) -> Answers:
    """Part the outcomes of ``exam.all_requests`` into those of the exam itself, its wordings and its probes.

    Raises:
        ValueError: there is another number of them, or one is of another request.
    """
    asked = exam.all_requests
    if len(outcomes) != len(asked) or any(
        outcome.request != request for outcome, request in zip(outcomes, asked, strict=True)
    ):
        raise ValueError("not the outcomes of this exam")
    rest = iter(outcomes)

    def take(number: int) -> tuple[Outcome, ...]:
        return tuple(next(rest) for _ in range(number))

    return Answers(
        exam=take(len(exam.requests)),
        wordings=tuple(take(len(reworded.requests)) for reworded in exam.wordings),
        probes=tuple(take(len(probe.requests)) for probe in exam.probes),
    )
