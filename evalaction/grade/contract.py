"""The gate of a whole run: what a change asks less of, rewrites or takes away. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.records.plan import Change, Plan, Removed
from evalaction.records.report import Gate, GateName, Verdict
from evalaction.values import JSON, dumps

MAX_NAMED = 20
"""Things of one kind that are named; the rest are counted."""
MAX_SHOWN = 40
"""Characters of a value."""


def contract_gate(plan: Plan, *, fail_on: frozenset[GateName]) -> Gate | None:
    """Return the gate for loosened gates, edited expected values and removed cases; None when there are none.

    Args:
        plan: of the run.
        fail_on: gates whose failure fails the run; otherwise it warns.
    """
    parts = [
        *_named("loosened", [_change(change) for change in plan.loosened]),
        *_named("expected value edited", [_change(change) for change in plan.edited_gold]),
        *_named("removed", [_removed(removed) for removed in plan.removed]),
    ]
    if not parts:
        return None
    warns = GateName.CONTRACT not in fail_on
    return Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail="; ".join(parts), warns=warns)


def _named(what: str, items: Sequence[str]) -> list[str]:
    if not items:
        return []
    rest = f", and {len(items) - MAX_NAMED:,} more" if len(items) > MAX_NAMED else ""
    return [f"{what}: {', '.join(items[:MAX_NAMED])}{rest}"]


def _change(change: Change) -> str:
    return f"{change.id} {change.field} {_value(change.before)} → {_value(change.after)} ({change.path}:{change.line})"


def _removed(removed: Removed) -> str:
    return f"{removed.kind} {removed.path}" if removed.id is None else f"{removed.kind} {removed.id} ({removed.path})"


def _value(value: JSON) -> str:
    if value is None:
        return "not set"
    text = dumps(value)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
