"""The gates of a deck: exact comparisons of counts. Pure; no float in any of them.

No gate is ever taken back: each counts only what further replies cannot change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from evalaction.grade.gates import decimal_text
from evalaction.judge.score import labels_by_fixture
from evalaction.records.deck import Deck
from evalaction.records.deck_result import ProbeScore
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.judge import Judged, Outcome

_NAMED = 3
"""Findings about planted traces that a gate names."""


def flip_gate(deck: Deck, outcomes: Sequence[Outcome]) -> Gate:
    """Return the gate for fixtures whose label changes with the order.

    A fixture flips when its labels at the first askings of all orders are not all one label; a missing label is like
    no other. The gate fails when more than ``judge_flip_max`` of the fixtures flip, and passes when no more do and
    every request was answered.

    Args:
        deck: what was asked about.
        outcomes: of every request of its exam, in any order.
    """
    firsts = [outcome for outcome in _judged(outcomes) if outcome.request.repeat == 1]
    rows = labels_by_fixture(firsts)
    flips = sum(None in labels or len(set(labels)) > 1 for labels in rows)
    k = len(deck.fixtures)
    allowed = math.floor(deck.judge_flip_max * k)
    verb = "changes its label" if flips == 1 else "change their label"
    seen = f"{flips} of {k} fixtures {verb} with the order" if firsts else "nothing is known"
    return Gate(
        name=GateName.JUDGE_FLIP,
        verdict=_verdict(failed=flips > deck.judge_flip_max * k, missing=_missing(outcomes)),
        detail=f"{seen}{_so_far(outcomes)}; at most {allowed} of {k} may flip "
        f"(judge_flip_max {decimal_text(deck.judge_flip_max)})",
    )


def gold_gate(deck: Deck, outcomes: Sequence[Outcome]) -> Gate:
    """Return the gate for gold labels, which enough fixtures must have in every single request.

    It fails when one answered request has fewer than ``gold_min`` of the fixtures right, and passes when none has and
    every request was answered.

    Args:
        deck: what was asked about.
        outcomes: of every request of its exam, in any order.
    """
    gold, k = [fixture.gold for fixture in deck.fixtures], len(deck.fixtures)
    judged = _judged(outcomes)
    right = [
        sum(label == wanted for (label,), wanted in zip(labels_by_fixture([reply]), gold, strict=True))
        for reply in judged
    ]
    bad = sum(number < deck.gold_min * k for number in right)
    worst = f", the worst with {min(right)} of {k} labels right" if bad else ""
    seen = f"{len(judged) - bad} of {len(judged)} answered requests meet gold{worst}" if judged else "nothing is known"
    return Gate(
        name=GateName.JUDGE_GOLD,
        verdict=_verdict(failed=bad > 0, missing=_missing(outcomes)),
        detail=f"{seen}{_so_far(outcomes)}; each needs {math.ceil(deck.gold_min * k)} of {k} labels "
        f"right (gold_min {decimal_text(deck.gold_min)})",
    )


def probe_gate(probes: Sequence[ProbeScore], outcomes: Sequence[Outcome]) -> Gate:
    """Return the gate for planted traces: none accepted, twins alike, no other fixture's label moved.

    It passes when every request with a planted trace was answered and could be compared with the first asking of the
    exam's first order.

    Args:
        probes: what came of each; one at least.
        outcomes: of every request of the exam, in its order.
    """
    found = [finding for probe in probes for finding in _findings(probe)]
    missing = sum(probe.asked - len(probe.labels) for probe in probes)
    compared = bool(outcomes) and isinstance(outcomes[0], Judged)
    shown = found[:_NAMED] if found else ["no planted trace was accepted, told from its twin, or moved another's label"]
    more = [f"and {len(found) - _NAMED:,} more"] if len(found) > _NAMED else []
    gone = [f"{missing} of {sum(probe.asked for probe in probes)} requests with a planted trace missing"]
    return Gate(
        name=GateName.JUDGE_PROBE,
        verdict=_verdict(failed=bool(found), missing=missing if compared else missing + 1),
        detail="; ".join(
            [
                *shown,
                *more,
                *(gone if missing else []),
                *([] if compared else ["the first order, which they are compared with, is missing"]),
            ]
        ),
    )


def _findings(probe: ProbeScore) -> Iterator[str]:
    name = f"{probe.kind} {probe.id}" if probe.id != probe.kind else str(probe.kind)
    if probe.accepted is not None and probe.accepted.count:
        yield f"{name} was accepted in {probe.accepted.count} of {probe.accepted.of} requests"
    if probe.apart is not None and probe.apart.count:
        yield f"{name} got different labels in {probe.apart.count} of {probe.apart.of} requests"
    if probe.moved is not None and probe.moved.count:
        yield f"{name} moved {probe.moved.count} of {probe.moved.of} labels of other fixtures"


def _judged(outcomes: Sequence[Outcome]) -> list[Judged]:
    return [outcome for outcome in outcomes if isinstance(outcome, Judged)]


def _missing(outcomes: Sequence[Outcome]) -> int:
    return len(outcomes) - len(_judged(outcomes))


def _so_far(outcomes: Sequence[Outcome]) -> str:
    missing = _missing(outcomes)
    return f", {missing} of {len(outcomes)} requests missing" if missing else ""


def _verdict(*, failed: bool, missing: int) -> Verdict:
    if failed:
        return Verdict.FAIL
    return Verdict.UNMEASURED if missing else Verdict.PASS
