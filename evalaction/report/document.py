"""A report as the JSON document of ``report.json``, version 1. Pure.

Fractions are ``{count, of}``, null is "not measured", an absent figure is never 0. The shape is published in
``evalaction/schemas/report.schema.json``; ``docs/report.md`` says what each part means.
"""

from __future__ import annotations

import hashlib
from decimal import Decimal
from fractions import Fraction
from typing import cast

from evalaction import fingerprint
from evalaction.records.gate import Gate, Share
from evalaction.records.judge import StubScores
from evalaction.records.plan import Change, PlannedDeck, Removed
from evalaction.records.report import CaseResult, DrawState, GradedDraw, Length, Manifest, Report, Side
from evalaction.report.instrument import instrument_document, scores_document
from evalaction.report.writer import Document
from evalaction.values import JSON

SCHEMA_VERSION = 1
_DIGITS = 12
"""Decimal digits of a figure that no fraction of draws gives."""


def report_document(report: Report) -> dict[str, Document]:
    """Return everything that was measured, every draw included.

    Args:
        report: the run, secrets already taken out. ``show_completions`` is only noted: the file is whole.
    """
    scores = {each.deck: each.scores for each in report.stubs}
    return {
        "schema_version": SCHEMA_VERSION,
        "verdict": str(report.verdict),
        "exit_code": int(report.exit_code),
        "headline": report.headline,
        "base": _side(report.base),
        "head": _side(report.head),
        "partial": report.partial,
        "manifest": _manifest(report.manifest),
        "gates": _gates(report.gates),
        "cases": [_case(result) for result in report.cases],
        "decks": [_deck(planned, scores[planned.deck.name]) for planned in report.decks],
        "instrument": instrument_document(report.stubs),
        "removed": [removed_document(item) for item in report.removed],
        "loosened": [change_document(item) for item in report.loosened],
        "edited_gold": [change_document(item) for item in report.edited_gold],
        "unaffected": report.unaffected,
        "not_chosen": report.not_chosen,
        "held": None if report.held is None else {"message": report.held.message, "excused": report.held.excused},
        "show_completions": report.show_completions,
    }


def _side(side: Side) -> Document:
    return {"sha": side.sha, "ref": side.ref, "merge_of": side.merge_of}


def _manifest(manifest: Manifest) -> Document:
    calls, tokens = manifest.calls, manifest.tokens
    return {
        "model": manifest.model,
        "endpoint_host": manifest.endpoint_host,
        "sampling": list(manifest.sampling),
        "items": manifest.items,
        "prompts_sha256": manifest.prompts_sha256,
        "sampling_sha256": manifest.sampling_sha256,
        "dataset_sha256": manifest.dataset_sha256,
        "config_sha256": manifest.config_sha256,
        "versions": dict(manifest.versions),
        "adapted": [],
        "notes": list(manifest.notes),
        "calls": {"planned": calls.planned, "made": calls.made, "retried": calls.retried},
        "tokens": {"prompt": tokens.prompt, "completion": tokens.completion, "cached": tokens.cached},
        "wall_s": _rounded(manifest.wall_s),
        "repeat_command": manifest.repeat_command,
    }


def _case(result: CaseResult) -> Document:
    case, prints = result.planned.case, result.planned.fingerprints
    return {
        "id": case.id,
        "file": case.path,
        "line": case.line,
        "reasons": [str(reason) for reason in result.planned.reasons],
        "changed_files": list(result.planned.changed_files),
        "verdict": str(result.verdict),
        "n": case.n,
        "measured": result.measured,
        "agreement": _share(result.agreement),
        "flip_rate": _share(result.flip_rate),
        "disagreement": _number(result.disagreement),
        "interval": None if result.interval is None else [_rounded(bound) for bound in result.interval],
        "flipping": result.flipping,
        "distinct": len(result.modes),
        "modes": [
            {"answer": _json(mode.answer), "count": mode.count, "draws": list(mode.draws)} for mode in result.modes
        ],
        "differing_keys": list(result.differing_keys),
        "schema": _share(result.schema),
        "length": _length(result.length),
        "expected": _share(result.expected),
        "contract": _json(fingerprint.contract(case.contract)),
        "fingerprints": {"prompt": prints.prompt, "contract": prints.contract, "sampling": prints.sampling},
        "sampling": _json(fingerprint.parameters(case.sampling)),
        "gates": _gates(result.gates),
        "draws": [_draw(graded) for graded in result.draws],
        "baseline": None,
    }


def _gates(gates: tuple[Gate, ...]) -> Document:
    return [
        {"name": str(gate.name), "verdict": str(gate.verdict), "detail": gate.detail, "warns": gate.warns}
        for gate in gates
    ]


def _length(length: Length | None) -> Document:
    if length is None:
        return None
    return {
        "mean": _number(length.mean),
        "max": length.max,
        "budget": length.budget,
        "unit": "tokens",
        "estimated": length.estimated,
    }


def _draw(graded: GradedDraw) -> Document:
    draw, reply = graded.draw, graded.draw.reply
    text = None if reply is None else reply.text
    usage = None if reply is None else reply.usage
    return {
        "index": draw.index,
        "seed": draw.seed,
        "state": str(graded.state),
        "text": text,
        "sha256": None if text is None else hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest(),
        "finish_reason": None if reply is None else reply.finish_reason,
        "refusal": None if reply is None else reply.refusal,
        "answer": _json(graded.answer),
        "extraction": graded.extraction,
        "tokens": None
        if usage is None
        else {
            "prompt": usage.prompt,
            "completion": usage.completion,
            "reasoning": usage.reasoning,
            "cached": usage.cached,
        },
        "schema_met": graded.schema_met,
        "schema_errors": list(graded.schema_errors),
        "expected_met": graded.expected_met,
        "length": None if graded.length is None else {"tokens": graded.length, "estimated": graded.length_estimated},
        "latency_s": None if draw.latency_s is None else _rounded(draw.latency_s),
        "tries": draw.tries,
        "response_id": None if reply is None else reply.id,
        "choice": None if reply is None else reply.choice,
        "created": None if reply is None else reply.created,
        "error": _error(graded),
    }


def _error(graded: GradedDraw) -> Document:
    failure = graded.draw.failure
    if failure is not None:
        return {"cause": str(failure.cause), "status": failure.status, "message": failure.message}
    if graded.state is DrawState.ANSWERED:
        return None
    return {"cause": str(graded.state), "status": None, "message": graded.cause or ""}


def _deck(planned: PlannedDeck, scores: StubScores) -> Document:
    not_measured = (
        "orders",
        "repeats",
        "judge_flip_rate",
        "retest_flip_rate",
        "disagreement",
        "gold",
        "fixtures",
        "by_position",
        "runs",
    )
    return {
        "name": planned.deck.name,
        "file": planned.deck.path,
        "reasons": [str(reason) for reason in planned.reasons],
        "fingerprint": planned.fingerprint,
        "verdict": "unmeasured",
        "gates": [],
        "stubs": scores_document(scores),
        **dict.fromkeys(not_measured),
    }


def removed_document(item: Removed) -> Document:
    """Return what base has and head has not."""
    return {"kind": item.kind, "file": item.path, "id": item.id}


def change_document(item: Change) -> Document:
    """Return what differs between base and head."""
    return {
        "id": item.id,
        "file": item.path,
        "line": item.line,
        "field": item.field,
        "before": _json(item.before),
        "after": _json(item.after),
    }


def _share(share: Share | None) -> Document:
    return None if share is None else {"count": share.count, "of": share.of}


def _number(fraction: Fraction | None) -> Document:
    if fraction is None:
        return None
    if fraction.denominator == 1:
        return fraction.numerator
    exact = Decimal(fraction.numerator) / Decimal(fraction.denominator)
    return round(exact, _DIGITS).normalize()


def _rounded(number: float) -> float:
    return round(number, _DIGITS)


def _json(value: JSON) -> Document:
    # A JSON value is a document; only the type checker cannot see that a list of the one is a list of the other.
    return cast("Document", value)
