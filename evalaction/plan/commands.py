"""Cases whose commands may not be run: none of their draws is made, since nobody could grade it. Pure."""

from __future__ import annotations

from dataclasses import replace

from evalaction.records.plan import Plan


def block(plan: Plan, *, why: str | None) -> Plan:
    """Return a plan in which no case is drawn that a command grades.

    Args:
        plan: of the run.
        why: in our own words, why no command may be run; None when commands may be, and then the plan is as it was.
    """
    if why is None:
        return plan
    cases = tuple(
        planned if planned.case.contract.command is None else replace(planned, blocked=why) for planned in plan.cases
    )
    return replace(plan, cases=cases)
