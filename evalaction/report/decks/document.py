"""What a judge is worth on a deck as JSON, and what it said of a draw; with all of its replies. Pure.

The inverse is ``report/stored/deck.py``. Nothing stands there of what a judge was shown of fixtures and planted: these
are in the repository, at the commit that the report names.
"""

from __future__ import annotations

from collections.abc import Iterator

from evalaction import fingerprint
from evalaction.records.deck_result import DeckResult, ProbeScore, WordingScore
from evalaction.records.draw import Draw
from evalaction.records.exam import Exam
from evalaction.records.judge import Judged, Labels, OrderEffect, Outcome, StubScores
from evalaction.report.decks.instrument import scores_document
from evalaction.report.parts import exact, failure, gates, json_value, number, rounded, share, token_counts
from evalaction.report.writer import Document

STRANGE = 20
"""Names that were not asked for, of which one reply's run holds the first."""


def deck_document(result: DeckResult, scores: StubScores) -> Document:
    """Return everything that was measured on a deck.

    Args:
        result: what its judge is worth.
        scores: of the stub judges on this deck.
    """
    planned, deck, score, effect = result.planned, result.planned.deck, result.score, result.effect
    return {
        "name": deck.name,
        "file": deck.path,
        "line": deck.line,
        "config_file": deck.config_path,
        "rubric_file": deck.rubric_path,
        "rubric": deck.rubric,
        "reasons": [str(reason) for reason in planned.reasons],
        "fingerprint": planned.fingerprint,
        "verdict": str(result.verdict),
        "gates": gates(result.gates),
        "stubs": scores_document(scores),
        "labels": list(deck.labels),
        "show": list(deck.show),
        "sampling": json_value(fingerprint.parameters(deck.sampling)),
        "thresholds": {"judge_flip_max": exact(deck.judge_flip_max), "gold_min": exact(deck.gold_min)},
        "orders": planned.exam.orders,
        "repeats": deck.repeats,
        "asked": len(result.outcomes),
        "answered": result.answered,
        "judge_flip_rate": None if score is None else share(score.judge_flip_rate),
        "retest_flip_rate": None if score is None else share(score.retest_flip_rate),
        "disagreement": None if effect is None else number(effect.between.fraction),
        "order_effect": None if effect is None else _effect(effect),
        "gold": None if score is None else share(score.gold),
        "fixtures": _fixtures(result),
        "by_position": None
        if score is None
        else [{"position": place.number, **_counts(place.share.count, place.share.of)} for place in score.by_position],
        "wordings": [_wording(item) for item in result.wordings],
        "probes": [_probe(item) for item in result.probes],
        "runs": list(_runs(result)),
    }


def opinion_document(outcome: Outcome) -> Document:
    """Return what a judge said of one draw, asked once."""
    request = outcome.request
    labels = outcome.labels if isinstance(outcome, Judged) else None
    return {
        "repeat": request.repeat,
        "alias": request.aliases[0],
        "fingerprint": request.fingerprint,
        "label": None if labels is None else labels.by_alias[0][1],
        "cause": None if labels is None else dict(labels.causes).get(request.aliases[0]),
        **_came(outcome),
    }


def labels_document(labels: Labels) -> dict[str, Document]:
    """Return the labels that one reply gives by position, and why it gives none there."""
    causes = dict(labels.causes)
    return {
        "labels": [label for _, label in labels.by_alias],
        "causes": [causes.get(alias) for alias, _ in labels.by_alias],
    }


def _effect(effect: OrderEffect) -> Document:
    return {
        "between": share(effect.between),
        "within": share(effect.within),
        "as_telling": share(effect.as_telling),
        "exact": effect.exact,
    }


def _counts(count: int, of: int) -> dict[str, Document]:
    return {"count": count, "of": of}


def _fixtures(result: DeckResult) -> Document:
    if result.score is None:
        unmeasured: dict[str, Document] = dict.fromkeys(("labels", "flips", "retest_flips", "gold_met"))
        return [{"id": fixture.id, "gold": fixture.gold, **unmeasured} for fixture in result.planned.deck.fixtures]
    return [
        {
            "id": fixture.id,
            "gold": fixture.gold,
            "labels": list(fixture.labels),
            "flips": fixture.flips,
            "retest_flips": fixture.retest_flips,
            "gold_met": share(fixture.gold_met),
        }
        for fixture in result.score.fixtures
    ]


def _wording(score: WordingScore) -> Document:
    return {
        "file": score.path,
        "flips": share(score.flips),
        "gold": share(score.gold),
        "labels": [list(labels) for labels in score.labels],
        "asked": score.asked,
        "answered": score.answered,
    }


def _probe(score: ProbeScore) -> Document:
    return {
        "kind": str(score.kind),
        "id": score.id,
        "labels": list(score.labels),
        "accepted": share(score.accepted),
        "apart": share(score.apart),
        "moved": share(score.moved),
        "asked": score.asked,
    }


def _runs(result: DeckResult) -> Iterator[Document]:
    ids = [fixture.id for fixture in result.planned.deck.fixtures]
    outcomes = (*result.outcomes, *result.further)
    for part, outcome in zip(_parts(result.planned.exam, result.probes), outcomes, strict=True):
        request = outcome.request
        unlabelled: dict[str, Document] = {"labels": None, "causes": None}
        yield {
            **part,
            # What is planted is no fixture: it has no id here, whatever name it goes by.
            "order": [ids[index] if index < len(ids) else None for index in request.order],
            "aliases": list(request.aliases),
            "repeat": request.repeat,
            "fingerprint": request.fingerprint,
            **(labels_document(outcome.labels) if isinstance(outcome, Judged) else unlabelled),
            **_came(outcome),
        }


def _parts(exam: Exam, probes: tuple[ProbeScore, ...]) -> Iterator[dict[str, Document]]:
    """Yield for every request what it belongs to."""
    for _ in exam.requests:
        yield {"part": "exam", "wording": None, "probe": None}
    for reworded in exam.wordings:
        for _ in reworded.requests:
            yield {"part": "wording", "wording": reworded.path, "probe": None}
    for probe, score in zip(exam.probes, probes, strict=True):
        for _ in probe.requests:
            yield {"part": "probe", "wording": None, "probe": {"kind": str(score.kind), "id": score.id}}


def _came(outcome: Outcome) -> dict[str, Document]:
    """Return what came of one request, but for the labels."""
    if isinstance(outcome, Judged):
        first = outcome.draws[0] if outcome.repaired else None
        draw, labels = outcome.draws[-1], outcome.labels
    else:
        first, draw, labels = outcome.first, outcome.draw, None
    return {
        "state": "missing" if draw.reply is None else "answered",
        "repaired": isinstance(outcome, Judged) and outcome.repaired,
        "unreadable": None if labels is None else labels.unreadable,
        "strange": [] if labels is None else list(labels.strange[:STRANGE]),
        **_reply(draw),
        "error": None if draw.failure is None else failure(draw.failure),
        "first_reply": None if first is None else _reply(first),
    }


def _reply(draw: Draw) -> dict[str, Document]:
    reply = draw.reply
    nothing: dict[str, Document] = dict.fromkeys(
        (
            *("reply", "finish_reason", "refusal", "tool_calls", "reasoning"),
            *("response_id", "choice", "created", "model", "system_fingerprint", "replayed", "tokens"),
        )
    )
    came: dict[str, Document] = (
        nothing
        if reply is None
        else {
            "reply": reply.text,
            "finish_reason": reply.finish_reason,
            "refusal": reply.refusal,
            "tool_calls": reply.tool_calls,
            "reasoning": reply.reasoning,
            "response_id": reply.id,
            "choice": reply.choice,
            "created": reply.created,
            "model": reply.model,
            "system_fingerprint": reply.fingerprint,
            "replayed": reply.replayed,
            "tokens": token_counts(reply.usage),
        }
    )
    latency = None if draw.latency_s is None else rounded(draw.latency_s)
    return {**came, "seed": draw.seed, "latency_s": latency, "tries": draw.tries, "replay_of": draw.replay_of}
