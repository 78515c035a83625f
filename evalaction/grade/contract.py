"""The gate of a whole run: what a change asks less of, rewrites or takes away. Pure."""

from __future__ import annotations

from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import Plan

_NO_BASE = "there is no base to compare with, so that nobody could look for loosened gates"
_UNREAD = "base could not be read whole, so that nobody could look for all loosened gates"


def contract_gate(plan: Plan, *, fail_on: frozenset[GateName], compared: bool) -> Gate | None:
    """Return the gate for loosened gates, edited expected values and removed cases; None when there are none.

    Where nobody could look for all of them, to have found none is no pass: then the gate is unmeasured. A run without
    any base, such as a scheduled one, has that gate only where its failure would fail the run.

    Args:
        plan: of the run; it names what the gate counts, and what of base could not be read.
        fail_on: gates whose failure fails the run; otherwise it warns.
        compared: whether there was a base.
    """
    warns = GateName.CONTRACT not in fail_on
    if not compared:
        return None if warns else Gate(name=GateName.CONTRACT, verdict=Verdict.UNMEASURED, detail=_NO_BASE)
    counts = {
        "loosened": len(plan.loosened),
        "expected values or gold labels edited": len(plan.edited_gold),
        "removed": len(plan.removed),
    }
    seen = [f"{number:,} {what}" for what, number in counts.items() if number]
    unread = [_UNREAD] if plan.unread else []
    if not seen and not unread:
        return None
    verdict = Verdict.FAIL if seen else Verdict.UNMEASURED
    return Gate(name=GateName.CONTRACT, verdict=verdict, detail=", ".join([*seen, *unread]), warns=warns)
