"""A report as the JSON document of ``report.json``, version 1. Pure.

Fractions are ``{count, of}``, null is "not measured", an absent figure is never 0. The shape is published in
``evalaction/schemas/report.schema.json``; ``docs/report.md`` says what each part means.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from evalaction import fingerprint
from evalaction.records.command import CommandRun
from evalaction.records.deck_result import Judgement
from evalaction.records.manifest import Manifest
from evalaction.records.plan import Change, Removed
from evalaction.records.report import CaseResult, DrawState, GradedDraw, Length, Report, Side
from evalaction.report.decks.document import deck_document, opinion_document
from evalaction.report.decks.instrument import instrument_document
from evalaction.report.parts import failure, gates, json_value, number, rounded, share, token_counts
from evalaction.report.writer import Document, Written

SCHEMA_VERSION = 1


def report_document(report: Report) -> dict[str, Document]:
    """Return everything that was measured, every draw included.

    Args:
        report: the run, secrets already taken out. ``show_completions`` is only noted: the file is whole.
    """
    return _document(report, cases=list(map(case_document, report.cases)))


def report_pieces(
    report: Report, cases: Iterator[Document | Written] | None = None
) -> dict[str, Document | Iterator[Document | Written]]:
    """Return the same, with each case made when it is asked for: all of them need never be there at once.

    Args:
        report: the run, secrets already taken out.
        cases: what to put in place of its cases, one for each; None for ``case_document`` of each.
    """
    return {**_document(report, cases=[]), "cases": map(case_document, report.cases) if cases is None else cases}


def _document(report: Report, *, cases: list[Document]) -> dict[str, Document]:
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
        "gates": gates(report.gates),
        "cases": cases,
        "decks": [deck_document(result, scores[result.planned.deck.name]) for result in report.decks],
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
        "judge_model": manifest.judge_model,
        "judge_host": manifest.judge_host,
        "adapted": list(manifest.adapted),
        "faults": [{"kind": kind, "count": count} for kind, count in manifest.faults],
        "answered_by": [
            {"model": model, "system_fingerprint": fingerprint, "draws": draws}
            for model, fingerprint, draws in manifest.answered_by
        ],
        "replays": [
            {"run": each.run, "began": each.began, "draws": each.draws, "replies": each.replies}
            for each in manifest.replays
        ],
        "notes": list(manifest.notes),
        "calls": {
            "planned": calls.planned,
            "made": calls.made,
            "retried": calls.retried,
            "judge": calls.judge,
            "repaired": calls.repaired,
            "draws": calls.draws,
            "answered": calls.answered,
        },
        "tokens": {
            "prompt": tokens.prompt,
            "completion": tokens.completion,
            "reasoning": tokens.reasoning,
            "cached": tokens.cached,
            "total": tokens.total,
            "estimated": tokens.estimated,
        },
        "wall_s": rounded(manifest.wall_s),
        "repeat_command": manifest.repeat_command,
    }


def case_document(result: CaseResult) -> Document:
    """Return what was measured of one case, every draw included."""
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
        "agreement": share(result.agreement),
        "flip_rate": share(result.flip_rate),
        "disagreement": number(result.disagreement),
        "interval": None if result.interval is None else [rounded(bound) for bound in result.interval],
        "flipping": result.flipping,
        "distinct": len(result.modes),
        "modes": [
            {"answer": json_value(mode.answer), "count": mode.count, "draws": list(mode.draws)} for mode in result.modes
        ],
        "differing_keys": list(result.differing_keys),
        "schema": share(result.schema),
        "length": _length(result.length),
        "expected": share(result.expected),
        "passes": share(result.passes),
        "verdict_flip": result.verdict_flip,
        "pass_hat": None if result.pass_hat is None else [number(chance) for chance in result.pass_hat],
        "extractions": [{"how": how, "draws": list(indices)} for how, indices in result.extractions],
        "checks": list(case.contract.checks),
        "contract": json_value(fingerprint.contract(case.contract)),
        "expect_file": case.contract.expect_path,
        "fingerprints": {"prompt": prints.prompt, "contract": prints.contract, "sampling": prints.sampling},
        "sampling": json_value(fingerprint.asked(case.sampling)),
        "gates": gates(result.gates),
        "judge": _judgement(result.judgement),
        "draws": [_draw(graded) for graded in result.draws],
        "baseline": None,
    }


def _judgement(judgement: Judgement | None) -> Document:
    if judgement is None:
        return None
    return {
        "decks": list(judgement.decks),
        "untested": judgement.untested,
        "flips": {"model": judgement.model, "judge": judgement.judge, "transport": judgement.transport},
    }


def _length(length: Length | None) -> Document:
    if length is None:
        return None
    return {
        "mean": number(length.mean),
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
        "tool_calls": None if reply is None else reply.tool_calls,
        "reasoning": None if reply is None else reply.reasoning,
        "answer": json_value(graded.answer),
        "extraction": graded.extraction,
        "tokens": None if usage is None else token_counts(usage),
        "schema_met": graded.schema_met,
        "schema_errors": list(graded.schema_errors),
        "expected_met": graded.expected_met,
        "command": _run(graded.command),
        "passes": graded.passes,
        "length": None if graded.length is None else {"tokens": graded.length, "estimated": graded.length_estimated},
        "latency_s": None if draw.latency_s is None else rounded(draw.latency_s),
        "tries": draw.tries,
        "response_id": None if reply is None else reply.id,
        "choice": None if reply is None else reply.choice,
        "choices": None if reply is None else reply.choices,
        "created": None if reply is None else reply.created,
        "model": None if reply is None else reply.model,
        "system_fingerprint": None if reply is None else reply.fingerprint,
        "replayed": None if reply is None else reply.replayed,
        "replay_of": draw.replay_of,
        "judge": [opinion_document(outcome) for outcome in graded.opinions] or None,
        "ungraded": graded.ungraded,
        "error": _error(graded),
    }


def _run(run: CommandRun | None) -> Document:
    if run is None:
        return None
    return {"ended": str(run.ended), "exit_code": run.exit_code, "output": run.output, "cut": run.cut}


def _error(graded: GradedDraw) -> Document:
    if graded.draw.failure is not None:
        return failure(graded.draw.failure)
    if graded.state is DrawState.ANSWERED:
        return None
    return {"cause": str(graded.state), "status": None, "message": graded.cause or ""}


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
        "before": json_value(item.before),
        "after": json_value(item.after),
    }
