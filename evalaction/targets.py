"""Where a plan's requests go: the endpoint of the draws and that of the judges, or what is missing for either.

Pure; it imports the HTTP library only where something is to be sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.plan import Plan
from evalaction.records.settings import Endpoint, Settings
from evalaction.report import words

if TYPE_CHECKING:
    from evalaction.draw.endpoint import Target


@frozen
class Targets:
    """Both endpoints of a run."""

    draws: Target | None = None
    """Where cases are drawn; None when none is to be drawn."""
    judge: Target | None = None
    """Where judges are asked; None when none is to be asked."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown of either, the longest first."""
        found = {secret for target in (self.draws, self.judge) if target is not None for secret in target.secrets}
        return tuple(sorted(found, key=lambda secret: (-len(secret), secret)))


def targets_of(plan: Plan, settings: Settings, *, in_container: bool) -> Targets:
    """Return where a plan is to be drawn and judged.

    Args:
        plan: what is to be sent.
        settings: of the run.
        in_container: whether this runs in a container action, where loopback is the container itself.

    Raises:
        BadInput: naming at once every setting that is missing or cannot be used.
    """
    problems = [*_without_model(plan), *_judges_without_model(plan)]
    draws = _target(settings.endpoint if plan.drawn else None, problems, in_container=in_container)
    judge = _target(settings.judge_endpoint if plan.judge_calls else None, problems, in_container=in_container)
    if (plan.drawn and settings.endpoint is None) or (plan.judge_calls and settings.judge_endpoint is None):
        problems.insert(0, _no_endpoint(plan))
    if problems:
        raise BadInput(*dict.fromkeys(problems))
    return Targets(draws=draws, judge=judge)


def _target(endpoint: Endpoint | None, problems: list[Problem], *, in_container: bool) -> Target | None:
    if endpoint is None:
        return None
    from evalaction.draw.endpoint import make_target  # noqa: PLC0415 - httpx, where something is drawn alone

    try:
        return make_target(endpoint, in_container=in_container)
    except BadInput as error:
        problems += error.problems
        return None


def _no_endpoint(plan: Plan) -> Problem:
    cases, decks = plan.drawn, len(plan.decks)
    waiting = [words.count(number, noun) for number, noun in ((cases, "case"), (decks, "deck")) if number]
    done = " and ".join([*(["drawn"] if cases else []), *(["judged"] if decks else [])])
    verb = "has" if cases + decks == 1 else "have"
    remedy = "Set EVAL_BASE_URL (the input base-url), such as http://127.0.0.1:8080/v1."
    if not cases:
        remedy = "Set JUDGE_URL (the input judge-base-url) or EVAL_BASE_URL, such as http://127.0.0.1:8080/v1."
    return Problem(message=f"No endpoint is given, and {' and '.join(waiting)} {verb} to be {done}.", remedy=remedy)


def _without_model(plan: Plan) -> list[Problem]:
    drawn = [item.case for item in plan.cases if item.blocked is None]
    nameless = [case for case in drawn if case.sampling.model is None]
    if not nameless:
        return []
    message = f"No model is named for the case {nameless[0].id!r}{_others(nameless)}."
    remedy = "Set EVAL_MODEL (the input model), or model in evalaction.yml."
    return [Problem(path=nameless[0].path, line=nameless[0].line, message=message, remedy=remedy)]


def _judges_without_model(plan: Plan) -> list[Problem]:
    judged = [(item.case, item.case.contract.judge) for item in plan.cases]
    cases = [case for case, judge in judged if judge is not None and judge.sampling.model is None]
    decks = [item.deck for item in plan.decks if item.deck.sampling.model is None]
    remedy = "Set JUDGE_MODEL (the input judge-model) or EVAL_MODEL, or judge_model of the deck."
    found = []
    if decks:
        message = f"No model is named for the judge of the deck {decks[0].name!r}{_others(decks)}."
        found.append(Problem(path=decks[0].config_path, line=decks[0].line, message=message, remedy=remedy))
    if cases:
        message = f"No model is named for the judge of the case {cases[0].id!r}{_others(cases)}."
        found.append(Problem(path=cases[0].path, line=cases[0].line, message=message, remedy=remedy))
    return found


def _others(found: Sequence[object]) -> str:
    return f" and {len(found) - 1:,} more" if len(found) > 1 else ""


def has_endpoint(plan: Plan, settings: Settings) -> bool:
    """Tell whether there is an endpoint for the cases of a plan, where it has any."""
    return not plan.drawn or settings.endpoint is not None


def has_models(plan: Plan) -> bool:
    """Tell whether every case of a plan has a model; what judges it is left out."""
    return not _without_model(plan)


def has_judges(plan: Plan, settings: Settings) -> bool:
    """Tell whether every judge of a plan has an endpoint and a model."""
    return not plan.judge_calls or (settings.judge_endpoint is not None and not _judges_without_model(plan))
