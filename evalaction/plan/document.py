"""A plan as the JSON document that ``evalaction plan --json`` prints. Pure."""

from __future__ import annotations

from evalaction.records.plan import Change, Plan, PlannedCase, PlannedDeck, Removed
from evalaction.values import JSON


def plan_document(plan: Plan) -> dict[str, JSON]:
    """Return a plan as one JSON value. Judges and base are not drawn by this version, so their calls are 0."""
    return {
        "cases": [_case(planned) for planned in plan.cases],
        "decks": [_deck(planned) for planned in plan.decks],
        "removed": [_removed(item) for item in plan.removed],
        "loosened": [_change(item) for item in plan.loosened],
        "edited_gold": [_change(item) for item in plan.edited_gold],
        "unaffected": plan.unaffected,
        "not_chosen": plan.not_chosen,
        "total": plan.total,
        "chosen": plan.chosen,
        "notes": list(plan.notes),
        "calls": {"draws": plan.draws, "judge": 0, "baseline_at_most": 0},
    }


def _case(planned: PlannedCase) -> JSON:
    case = planned.case
    return {
        "id": case.id,
        "file": case.path,
        "line": case.line,
        "reasons": [reason.value for reason in planned.reasons],
        "changed_files": list(planned.changed_files),
        "n": case.n,
    }


def _deck(planned: PlannedDeck) -> JSON:
    return {
        "name": planned.deck.name,
        "file": planned.deck.path,
        "reasons": [reason.value for reason in planned.reasons],
    }


def _removed(item: Removed) -> JSON:
    return {"kind": item.kind, "file": item.path, "id": item.id}


def _change(item: Change) -> JSON:
    return {
        "id": item.id,
        "file": item.path,
        "line": item.line,
        "field": item.field,
        "before": item.before,
        "after": item.after,
    }
