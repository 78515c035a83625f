"""The one story of a run: load both sides, plan, draw, grade, decide, report.

Glue alone: no arithmetic, and no I/O but what the trees and the client do that are passed in.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from evalaction.draw.schedule import over_budget
from evalaction.errors import BadInput, Problem
from evalaction.forks import nothing_drawn
from evalaction.grade.case import grade_case
from evalaction.grade.contract import contract_gate
from evalaction.judge.stubs import prove
from evalaction.plan.make import make_plan
from evalaction.records.case import Case, Suite
from evalaction.records.draw import Draw, Drawn
from evalaction.records.hub import HubFailure
from evalaction.records.judge import Examined
from evalaction.records.plan import Hold, Plan
from evalaction.records.report import Report
from evalaction.records.settings import Settings
from evalaction.records.tree import Pair, Tree
from evalaction.redact import redact
from evalaction.report.assemble import Ran, assemble
from evalaction.stats.case import with_figures
from evalaction.suite.load import Known, load_suite
from evalaction.trees.pair import without_base

if TYPE_CHECKING:
    from evalaction.draw.client import Client
    from evalaction.draw.clock import Clock
    from evalaction.draw.endpoint import Target

NOTHING_DRAWN = Drawn(draws=(), made=0, retried=0, wall_s=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """What is known of a run before anything is sent."""

    settings: Settings
    """What the run was told."""
    pair: Pair
    """The two trees compared."""
    suite: Suite
    """Of head."""
    plan: Plan
    """What is to be drawn."""
    stubs: tuple[Examined, ...]
    """How the stub judges did, over every deck of head or the built-in one."""
    hold: Hold | None = None
    """Why nothing is to be sent, should anything be affected."""

    @property
    def held(self) -> Hold | None:
        """Why what is affected is not drawn; None when it is to be drawn, or nothing is affected."""
        return self.hold if self.plan.cases or self.plan.decks else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """What drawing needs from outside."""

    target: Target
    """The endpoint that is asked."""
    client: Client
    """Keeps the connections."""
    clock: Clock
    """Times the draws, and waits between tries."""
    rng: random.Random
    """Jitters the waits between tries; no result depends on it."""
    stop: asyncio.Event
    """Set to end the run early with what there is."""


class Watcher(Protocol):
    """Whoever wants to see a run while it goes on."""

    def start(self, total: int) -> None:
        """Take note that ``total`` draws are about to be made."""

    def draw(self, draw: Draw) -> None:
        """Take note of a draw, missing ones included."""

    def finish(self) -> None:
        """Take note that there will be no more."""


def prepare(settings: Settings, *, pair: Pair, workflow: str | None = None, hold: Hold | None = None) -> Prepared:
    """Load both sides, find out what is affected, and prove the instrument on stub judges. Nothing is sent.

    Args:
        settings: of the run.
        pair: the trees to compare.
        workflow: path of the workflow file that started the run; None on a desk.
        hold: why nothing is to be sent, should anything be affected; None when it may be drawn.

    Raises:
        BadInput: something at head cannot be read, or there is nothing to check.
        CannotMeasure: the instrument is broken.
    """
    try:
        return _prepare(settings, pair=pair, workflow=workflow, hold=hold)
    except HubFailure as failure:  # a file of base is fetched when it is read, and this one did not come
        return _prepare(settings, pair=without_base(pair, failure), workflow=workflow, hold=hold)


def _prepare(settings: Settings, *, pair: Pair, workflow: str | None, hold: Hold | None) -> Prepared:
    known: Known = {}
    head = _load(settings, pair.head, known, before=lambda: _files(settings, pair.base, known))
    if head.problems:
        raise BadInput(*head.problems)
    base = None if pair.base is None else _load(settings, pair.base, known)
    plan = make_plan(
        base,
        head,
        renames=pair.renames,
        force_all="asked for" if settings.force_all else None,
        workflow_changed=workflow is not None and _differs(pair, workflow),
        cases=settings.cases,
        tags=settings.tags,
    )
    stubs = prove(head.decks)
    return Prepared(settings=settings, pair=pair, suite=head, plan=plan, stubs=stubs, hold=hold)


def notes_of(prepared: Prepared) -> tuple[str, ...]:
    """Return what a reader must know before anything is sent: of the two sides, the plan, the files, the budget."""
    budget = None if prepared.held is not None else over_budget(prepared.plan, prepared.settings.limits)
    notes = (*prepared.settings.notes, *prepared.pair.notes, *prepared.plan.notes, *prepared.suite.warnings)
    return (*notes, budget.message) if budget is not None else notes


async def run(
    prepared: Prepared,
    *,
    drawing: Drawing | None,
    watcher: Watcher,
    versions: tuple[tuple[str, str], ...],
) -> Report:
    """Draw what is planned, grade it and report. The key and its like are taken out of the report.

    Args:
        prepared: what to draw.
        drawing: where and with what; None when nothing is to be drawn, and then nothing is sent. What is held back
            is never sent, whatever stands here.
        watcher: told of each draw as it comes.
        versions: (component, version) for the manifest.
    """
    plan, fail_on = prepared.plan, prepared.settings.fail_on
    if prepared.held is not None:
        drawing, drawn = None, nothing_drawn(plan, prepared.held)
    else:
        drawn = NOTHING_DRAWN if drawing is None else await _draw(prepared, drawing, watcher)
    by_case: dict[tuple[str, str], list[Draw]] = {item.case.key: [] for item in plan.cases}
    for draw in drawn.draws:
        by_case[draw.path, draw.id].append(draw)
    contract = contract_gate(plan, fail_on=fail_on, compared=prepared.pair.base is not None)
    ran = Ran(
        settings=prepared.settings,
        pair=prepared.pair,
        suite=prepared.suite,
        plan=plan,
        stubs=prepared.stubs,
        drawn=drawn,
        results=tuple(with_figures(grade_case(item, by_case[item.case.key], fail_on=fail_on)) for item in plan.cases),
        gates=() if contract is None else (contract,),
        notes=notes_of(prepared),
        endpoint_host=None if drawing is None else drawing.target.host,
        versions=versions,
        held=prepared.held,
    )
    return redact(assemble(ran), () if drawing is None else drawing.target.secrets)


async def _draw(prepared: Prepared, drawing: Drawing, watcher: Watcher) -> Drawn:
    from evalaction.draw.run import draw_plan  # noqa: PLC0415 - httpx, where something is drawn alone

    watcher.start(prepared.plan.draws)
    try:
        return await draw_plan(
            prepared.plan,
            client=drawing.client,
            target=drawing.target,
            limits=prepared.settings.limits,
            clock=drawing.clock,
            rng=drawing.rng,
            on_draw=watcher.draw,
            stop=drawing.stop,
        )
    finally:
        watcher.finish()


def target_of(prepared: Prepared, *, in_container: bool) -> Target | None:
    """Return where the plan is to be drawn; None when it draws nothing, or is held back.

    Raises:
        BadInput: naming at once every setting that is missing or cannot be used.
    """
    plan, settings = prepared.plan, prepared.settings
    if not plan.cases or prepared.held is not None:
        return None
    target, problems = None, _without_model([item.case for item in plan.cases])
    if settings.endpoint is None:
        cases = "case has" if len(plan.cases) == 1 else "cases have"
        message = f"No endpoint is given, and {len(plan.cases):,} {cases} to be drawn."
        remedy = "Set EVAL_BASE_URL (the input base-url), such as http://127.0.0.1:8080/v1."
        problems.insert(0, Problem(message=message, remedy=remedy))
    else:
        from evalaction.draw.endpoint import make_target  # noqa: PLC0415 - the same

        try:
            target = make_target(settings.endpoint, in_container=in_container)
        except BadInput as error:
            problems[:0] = error.problems
    if problems:
        raise BadInput(*problems)
    return target


def _without_model(cases: list[Case]) -> list[Problem]:
    nameless = [case for case in cases if case.sampling.model is None]
    if not nameless:
        return []
    first, more = nameless[0], len(nameless) - 1
    others = f" and {more:,} more" if more else ""
    message = f"No model is named for the case {first.id!r}{others}."
    remedy = "Set EVAL_MODEL (the input model), or model in evalaction.yml."
    return [Problem(path=first.path, line=first.line, message=message, remedy=remedy)]


def _files(settings: Settings, base: Tree | None, known: Known) -> list[str]:
    suite = None if base is None else _load(settings, base, known)
    return [] if suite is None else [*suite.golden_paths, *(deck.path for deck in suite.decks)]


def _load(settings: Settings, tree: Tree, known: Known, *, before: Callable[[], Iterable[str]] | None = None) -> Suite:
    """Load a side: base, which may have nothing to check, or head, which is told what there was before."""
    return load_suite(
        tree,
        defaults=settings.defaults,
        golden=settings.golden,
        config=settings.config,
        root=settings.root,
        known=known,
        before=before,
    )


def _differs(pair: Pair, path: str) -> bool:
    """Return whether a file differs between the sides; one that is missing on both does not."""
    if pair.base is None:
        return False
    sides = [tree.read(path) if path in tree.entries else None for tree in (pair.base, pair.head)]
    return sides[0] != sides[1]
