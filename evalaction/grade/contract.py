"""The gate of a whole run: what a change asks less of, rewrites or takes away. Pure."""

from __future__ import annotations

from evalaction.records.plan import Plan
from evalaction.records.report import Gate, GateName, Verdict


def contract_gate(plan: Plan, *, fail_on: frozenset[GateName]) -> Gate | None:
    """Return the gate for loosened gates, edited expected values and removed cases; None when there are none.

    Args:
        plan: of the run; it names what the gate counts.
        fail_on: gates whose failure fails the run; otherwise it warns.
    """
    counts = {
        "loosened": len(plan.loosened),
        "expected values or gold labels edited": len(plan.edited_gold),
        "removed": len(plan.removed),
    }
    if not any(counts.values()):
        return None
    detail = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    warns = GateName.CONTRACT not in fail_on
    return Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail=detail, warns=warns)
