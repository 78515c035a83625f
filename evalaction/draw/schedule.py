"""The order in which requests are sent, and whether any may be sent at all. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from evalaction.draw.request import seed_of
from evalaction.records.case import Case
from evalaction.records.draw import Call, Cause, Draw, Drawn, Failure, Spent
from evalaction.records.plan import Plan
from evalaction.records.settings import Limits
from evalaction.suite.words import count

T = TypeVar("T")


def interleave(groups: Iterable[Sequence[T]]) -> list[T]:
    """Return the first of each group, the second of each, and so on.

    A bad minute at the provider then falls on all groups alike, instead of on one.
    """
    rounds: list[list[T]] = []
    for group in groups:
        rounds.extend([] for _ in range(len(group) - len(rounds)))
        for turn, item in zip(rounds, group, strict=False):
            turn.append(item)
    return [item for turn in rounds for item in turn]


def case_calls(plan: Plan) -> tuple[Call, ...]:
    """Return the requests for a plan's cases, interleaved: the first of each case, the second of each, and so on.

    None of those that are blocked. A case whose ``samples_per_request`` is k takes ⌈n / k⌉ requests, of which the last
    asks for what is left.
    """
    return tuple(interleave(_calls(planned.case) for planned in plan.cases if planned.blocked is None))


def blocked_draws(plan: Plan) -> tuple[Draw, ...]:
    """Return the draws of those cases of which none is made, all of them missing, each with why."""
    return tuple(
        draw
        for planned in plan.cases
        if planned.blocked is not None
        for draw in never_sent(_calls(planned.case), Failure(cause=Cause.COMMAND, message=planned.blocked)).draws
    )


def over_budget(plan: Plan, limits: Limits) -> Failure | None:
    """Return why nothing of a plan is sent that alone makes more calls than allowed; None otherwise."""
    if plan.calls <= limits.max_calls:
        return None
    return Failure(
        cause=Cause.BUDGET,
        message=f"The plan makes {_needs(plan)}, and max-calls allows {limits.max_calls:,}: nothing is sent. "
        f"Raise max-calls (--max-calls){_or_less(plan)}.",
    )


def never_sent(calls: Iterable[Call], failure: Failure) -> Drawn:
    """Return what there is when no call is sent, for one reason: nothing but missing draws."""
    missing = (
        Draw(path=call.path, id=call.id, index=call.index + turn, seed=None, failure=failure)
        for call in calls
        for turn in range(call.choices)
    )
    return Drawn(draws=tuple(missing), made=0, retried=0, wall_s=0)


def further(spent: Spent, drawn: Drawn) -> Spent:
    """Return what is used up after one more part of a run; what went by between two parts is not counted."""
    return Spent(
        made=spent.made + drawn.made,
        elapsed_s=spent.elapsed_s + drawn.wall_s,
        end=spent.end if drawn.stopped is None else drawn.stopped,
        tokens=spent.tokens + drawn.tokens,
        # What became of a parameter last: one that was sent by another name may be left out by now.
        adapted=tuple({(each.model, each.name): each for each in (*spent.adapted, *drawn.adapted)}.values()),
    )


def added(*faults: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Return how often each kind of failure came in several parts of a run together, most often first, then by name."""
    total: Counter[str] = Counter()
    for part in faults:
        total.update(dict(part))
    return tuple(sorted(total.items(), key=lambda item: (-item[1], item[0])))


def _calls(case: Case) -> list[Call]:
    budget = case.contract.max_completion_tokens
    # With a seed, all choices of a request would have the same one.
    choices = case.sampling.samples_per_request if case.sampling.seed is None else 1
    return [
        Call(
            path=case.path,
            line=case.line,
            id=case.id,
            index=index,
            messages=case.messages,
            sampling=case.sampling,
            seed=seed_of(case.sampling, index),
            choices=min(choices, case.n - index + 1),
            cap_of_budget=budget is not None and case.sampling.max_tokens == 2 * budget,
        )
        for index in range(1, case.n + 1, choices)
    ]


def _needs(plan: Plan) -> str:
    """Return the calls of a plan in words, draws and judges apart."""
    cases = count(plan.drawn, "case")
    if not plan.judge_calls:
        return f"{plan.draw_calls:,} calls for {cases}"
    judges = f"{count(plan.judge_calls, 'judge call')} for {_judged(plan)}"
    if not plan.drawn:
        return judges
    together = f" in {count(plan.draw_calls, 'request')}" if plan.draw_calls < plan.draws else ""
    return f"{plan.calls:,} calls ({count(plan.draws, 'draw')} for {cases}{together}, {judges})"


def _judged(plan: Plan) -> str:
    graded = sum(planned.case.contract.judge is not None for planned in plan.cases)
    named = ((len(plan.decks), "deck"), (graded, "judge-graded case"))
    return " and ".join(count(number, noun) for number, noun in named if number)


def _or_less(plan: Plan) -> str:
    """Return what else there is to do about a plan that is too large."""
    if not plan.decks:
        return ", or narrow the run with --case or --tag"
    fewer = "lower max_orders or repeats of a deck"
    return f", narrow the run with --case or --tag, or {fewer}" if plan.drawn else f", or {fewer}"
