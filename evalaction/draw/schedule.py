"""The order in which draws are sent, and whether they may be sent at all. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from evalaction.records.case import Case
from evalaction.records.draw import Cause, Failure
from evalaction.records.plan import Plan
from evalaction.records.settings import Limits


def interleave(cases: Iterable[Case]) -> list[tuple[Case, int]]:
    """Return (case, index) of every draw: the first of each case, the second of each, and so on.

    A bad minute at the provider then falls on all cases alike, instead of on one.
    """
    rounds: list[list[tuple[Case, int]]] = []
    for case in cases:
        rounds.extend([] for _ in range(case.n - len(rounds)))
        for index in range(1, case.n + 1):
            rounds[index - 1].append((case, index))
    return [draw for turn in rounds for draw in turn]


def over_budget(plan: Plan, limits: Limits) -> Failure | None:
    """Return why nothing of a plan is sent whose draws alone are more than the calls allowed; None otherwise."""
    if plan.draws <= limits.max_calls:
        return None
    cases = f"{len(plan.cases):,} {'case' if len(plan.cases) == 1 else 'cases'}"
    return Failure(
        cause=Cause.BUDGET,
        message=f"The plan makes {plan.draws:,} calls for {cases}, and max-calls allows {limits.max_calls:,}: nothing "
        "is sent. Raise max-calls (--max-calls), or narrow the run with --case or --tag.",
    )
