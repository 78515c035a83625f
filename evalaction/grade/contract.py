"""The gate of a whole run: what a change asks less of, rewrites or takes away. Pure."""

from __future__ import annotations

from evalaction.records.plan import Plan
from evalaction.records.report import Gate, GateName, Verdict


def contract_gate(plan: Plan, *, fail_on: frozenset[GateName], compared: bool) -> Gate | None:
    """Return the gate for loosened gates, edited expected values and removed cases; None when there are none.

    Without a base nobody could look for them: then the gate is unmeasured, where its failure would fail the run.

    Args:
        plan: of the run; it names what the gate counts.
        fail_on: gates whose failure fails the run; otherwise it warns.
        compared: whether there was a base.
    """
    counts = {
        "loosened": len(plan.loosened),
        "expected values or gold labels edited": len(plan.edited_gold),
        "removed": len(plan.removed),
    }
    warns = GateName.CONTRACT not in fail_on
    if not compared and not warns:
        detail = "there is no base to compare with, so that nobody could look for loosened gates"
        return Gate(name=GateName.CONTRACT, verdict=Verdict.UNMEASURED, detail=detail)
    if not any(counts.values()):
        return None
    detail = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    return Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail=detail, warns=warns)
