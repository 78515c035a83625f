"""A plan as the JSON document that ``evalaction plan --json`` prints. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.records.plan import Plan, PlannedCase, PlannedDeck
from evalaction.report.document import change_document, removed_document
from evalaction.report.writer import Document


def plan_document(plan: Plan, *, notes: Sequence[str]) -> dict[str, Document]:
    """Return a plan as one JSON value. Base is not drawn by this version, so its calls are 0.

    Args:
        plan: of the run.
        notes: what else a reader must know.
    """
    return {
        "cases": [_case(planned) for planned in plan.cases],
        "decks": [_deck(planned) for planned in plan.decks],
        "removed": [removed_document(item) for item in plan.removed],
        "loosened": [change_document(item) for item in plan.loosened],
        "edited_gold": [change_document(item) for item in plan.edited_gold],
        "unaffected": plan.unaffected,
        "not_chosen": plan.not_chosen,
        "total": plan.total,
        "chosen": plan.chosen,
        "notes": list(notes),
        "calls": {"draws": plan.draw_calls, "judge": plan.judge_calls, "baseline_at_most": 0},
    }


def _case(planned: PlannedCase) -> Document:
    case, judge = planned.case, planned.case.contract.judge
    return {
        "id": case.id,
        "file": case.path,
        "line": case.line,
        "reasons": [reason.value for reason in planned.reasons],
        "changed_files": list(planned.changed_files),
        "n": case.n,
        "blocked": planned.blocked,
        "judge_calls": 0 if judge is None else case.n * judge.repeats,
    }


def _deck(planned: PlannedDeck) -> Document:
    return {
        "name": planned.deck.name,
        "file": planned.deck.path,
        "reasons": [reason.value for reason in planned.reasons],
        "orders": planned.exam.orders,
        "repeats": planned.deck.repeats,
        "requests": len(planned.exam.all_requests),
    }
