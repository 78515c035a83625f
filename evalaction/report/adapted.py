"""What an endpoint does not take as it was asked for, in words; and what of it somebody asked for. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from evalaction.draw.parameter import RESPONSE_FORMAT
from evalaction.draw.request import DISPENSABLE, MAX_TOKENS
from evalaction.records.case import Case, Sampling
from evalaction.records.draw import Adaptation
from evalaction.records.plan import Plan
from evalaction.suite.words import count

Models: TypeAlias = frozenset[str | None]
"""Names of models; with None among them, any."""

_CHOICES = "n"
_FIELDS = {_CHOICES: "samples_per_request"}
"""What a file calls a parameter that has another name in a request."""


def adapted(
    plan: Plan, *, draws: Sequence[Adaptation], judges: Sequence[Adaptation], shared: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the endpoints do not take and what became of it, and what of it a reader must be told.

    Args:
        plan: what was asked.
        draws: what the endpoint of the draws does not take.
        judges: what that of the judges does not take.
        shared: it is one endpoint.

    Returns:
        All of it, and with who asked for it that of which a golden line, a file or an input had said it; a sentence
        each.
    """
    own = [each for each in judges if not (shared and each in draws)]
    every = [_said("the endpoint", each) for each in draws]
    every += [_of_judges(each) for each in own]
    told = [_asked("the endpoint", each, models, plan, judges=shared) for each, models in _by_change(draws)]
    told += [_asked("the judge's endpoint", each, models, plan, cases=False) for each, models in _by_change(own)]
    return tuple(dict.fromkeys(every)), tuple(said for said in told if said is not None)


def _by_change(all_: Sequence[Adaptation]) -> Iterator[tuple[Adaptation, Models]]:
    """Yield each change once, with the models that it was made for."""
    models: dict[Adaptation, set[str | None]] = {}
    for each in all_:
        models.setdefault(replace(each, model=None), set()).add(each.model)
    yield from ((change, frozenset(names)) for change, names in models.items())


def _of_judges(each: Adaptation) -> str:
    said = _said("the judge's endpoint", each)
    if each.name == RESPONSE_FORMAT and each.instead is None:
        return f"{said}, and the form of the replies was asked for in words alone"
    return said


def _said(whose: str, each: Adaptation, who: str = "") -> str:
    """Return what an endpoint does not take: ``the endpoint refuses temperature: it was left out from then on``.

    Args:
        whose: the endpoint.
        each: what it does not take.
        who: asked for it, as a clause (``2 cases ask for``); empty for nobody in particular.
    """
    field = f" ({_FIELDS[each.name]})" if each.name in _FIELDS else ""
    which = f", which {who}{field}" if who else ""
    if each.instead is not None:
        return f"{whose} takes {each.instead} in place of {each.name}{which}"
    if not each.refused and each.name == _CHOICES:
        return f"{whose} gives one choice a request, though {f'{who} more{field}' if who else 'n asked for more'}"
    does = "refuses" if each.refused else "does not follow"
    return f"{whose} {does} {each.name}{which}: it was left out from then on"


def _asked(
    whose: str, each: Adaptation, models: Models, plan: Plan, *, cases: bool = True, judges: bool = True
) -> str | None:
    """Return the same with how many cases and decks ask one of the models for it; None where none does."""
    if each.instead is None and each.name not in DISPENSABLE:
        return None  # where somebody wrote it down, it was sent all the same
    found = [("case", sum(_asks(case, each.name, models) for case in _cases(plan)))] if cases else []
    found += list(_judging(plan, each.name, models)) if judges else []
    total = sum(number for _, number in found)
    if not total:
        return None
    *most, last = [count(number, noun) for noun, number in found if number]
    who = f"{', '.join(most)} and {last}" if most else last
    return _said(whose, each, f"{who} {'asks' if total == 1 else 'ask'} for")


def _judging(plan: Plan, name: str, models: Models) -> Iterator[tuple[str, int]]:
    decks = ((item.deck.sampling, item.deck.unasked) for item in plan.decks)
    yield "deck", _number(decks, name, models)
    judges = [case.contract.judge for case in _cases(plan)]
    yield (
        "judge-graded case",
        _number([(each.sampling, each.unasked) for each in judges if each is not None], name, models),
    )


def _number(asked: Iterable[tuple[Sampling, frozenset[str]]], name: str, models: Models) -> int:
    return sum(_has(sampling, name, models) and name not in unasked for sampling, unasked in asked)


def _asks(case: Case, name: str, models: Models) -> bool:
    """Return whether a case asks for a parameter; a cap that was made from its length budget nobody asked for."""
    budget = case.contract.max_completion_tokens
    made = name == MAX_TOKENS and budget is not None and case.sampling.max_tokens == 2 * budget
    return _has(case.sampling, name, models) and not made


def _has(sampling: Sampling, name: str, models: Models) -> bool:
    if sampling.model not in models and None not in models:
        return False
    return sampling.samples_per_request > 1 if name == _CHOICES else getattr(sampling, name, None) is not None


def _cases(plan: Plan) -> list[Case]:
    return [planned.case for planned in plan.cases if planned.blocked is None]
