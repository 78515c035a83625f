"""The order in which draws are sent, and whether they may be sent at all. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from evalaction.errors import CannotMeasure, Problem
from evalaction.records.case import Case
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


def check_budget(plan: Plan, limits: Limits) -> None:
    """Refuse a plan whose draws alone are more than the calls allowed, before anything is sent.

    Raises:
        CannotMeasure: with what to raise or to narrow.
    """
    if plan.draws > limits.max_calls:
        raise CannotMeasure(
            Problem(
                message=f"The plan makes {plan.draws:,} calls for {len(plan.cases):,} cases, and "
                f"{limits.max_calls:,} are allowed: nothing was sent.",
                remedy="Raise max-calls (--max-calls), or narrow the run with --case or --tag.",
            )
        )
