"""The one story of a run: load both sides, plan, draw, ask the judges, grade, decide, report.

Glue alone: no arithmetic, and no I/O but what the trees and the client do that are passed in.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from evalaction.draw.schedule import blocked_draws, case_calls, further, never_sent, over_budget
from evalaction.forks import NOT_ALLOWED
from evalaction.grade.case import grade_case
from evalaction.grade.contract import contract_gate
from evalaction.grade.deck import grade_deck
from evalaction.grade.judgement import with_judgement
from evalaction.judge.stubs import prove
from evalaction.judging import Judging, Send, ask_judges, nothing_judged
from evalaction.plan.commands import block
from evalaction.plan.make import make_plan
from evalaction.records.command import CommandRun
from evalaction.records.draw import Cause, Draw, DrawKey, Drawn, Failure, Spent
from evalaction.records.hub import HubFailure
from evalaction.records.judge import Examined
from evalaction.records.plan import Hold, Plan
from evalaction.records.report import CaseResult, Report
from evalaction.records.settings import Settings
from evalaction.records.suite import Suite
from evalaction.records.tree import Pair
from evalaction.redact import redact
from evalaction.report.assemble import Ran, assemble
from evalaction.report.plan_lines import plan_lines
from evalaction.sides import files_of, sound_suite, suite_of
from evalaction.stats.case import with_figures
from evalaction.suite.load import Known
from evalaction.targets import Targets, targets_of
from evalaction.trees.pair import differs, without_base

if TYPE_CHECKING:
    from evalaction.draw.client import Client
    from evalaction.draw.clock import Clock
    from evalaction.draw.endpoint import Target

T = TypeVar("T")
Runs: TypeAlias = Mapping[DrawKey, CommandRun | Failure]
"""What came of the command of a draw."""

NOTHING_DRAWN = Drawn(draws=(), made=0, retried=0, wall_s=0)
NOTHING_JUDGED = Judging(exams={}, opinions={}, drawn=NOTHING_DRAWN, repaired=0)


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

    def targets(self, *, in_container: bool) -> Targets:
        """Return where it is all to be sent; neither endpoint when it is held back. See ``targets_of``."""
        if self.held is not None:
            return Targets()
        return targets_of(self.plan, self.settings, in_container=in_container)


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """What drawing needs from outside."""

    targets: Targets
    """The endpoints that are asked."""
    client: Client
    """Keeps the connections."""
    clock: Clock
    """Times the draws, and waits between tries."""
    rng: random.Random
    """Jitters the waits between tries; no result depends on it."""
    stop: asyncio.Event
    """Set to end the run early with what there is."""
    private: tuple[Path, ...]
    """What is closed to other users while commands run."""


class Watcher(Protocol):
    """Whoever wants to see a run while it goes on."""

    def start(self, total: int) -> None:
        """Take note that ``total`` draws are about to be made."""

    def draw(self, draw: Draw) -> None:
        """Take note of a draw, missing ones included."""

    def finish(self) -> None:
        """Take note that there will be no more."""


def prepare(
    settings: Settings,
    *,
    pair: Pair,
    workflow: str | None = None,
    hold: Hold | None = None,
    decks_only: bool = False,
    no_commands: str | None = NOT_ALLOWED,
) -> Prepared:
    """Load both sides, find out what is affected, and prove the instrument on stub judges. Nothing is sent.

    Args:
        settings: of the run.
        pair: the trees to compare.
        workflow: path of the workflow file that started the run; None on a desk.
        hold: why nothing is to be sent, should anything be affected; None when it may be drawn.
        decks_only: plan all decks, affected or not, and no case.
        no_commands: why no command of head may be run (``why_no_commands``); None when they may be.

    Raises:
        BadInput: something at head cannot be read, or there is nothing to check.
        CannotMeasure: the instrument is broken.
    """
    try:
        prepared = _prepare(settings, pair, workflow=workflow, decks_only=decks_only)
    except HubFailure as failure:  # a file of base is fetched when it is read, and this one did not come
        prepared = _prepare(settings, without_base(pair, failure), workflow=workflow, decks_only=decks_only)
    return replace(prepared, plan=block(prepared.plan, why=no_commands), hold=hold)


def _prepare(settings: Settings, pair: Pair, *, workflow: str | None, decks_only: bool) -> Prepared:
    known: Known = {}
    head = sound_suite(settings, pair.head, known=known, before=lambda: files_of(settings, pair.base, known))
    base = None if pair.base is None else suite_of(settings, pair.base, known=known)
    plan = make_plan(
        base,
        head,
        renames=pair.renames,
        force_all="asked for" if settings.force_all else None,
        workflow_changed=workflow is not None and differs(pair, workflow),
        cases=settings.cases,
        tags=settings.tags,
        decks_only=decks_only,
    )
    stubs = prove(head.decks)
    return Prepared(settings=settings, pair=pair, suite=head, plan=plan, stubs=stubs)


def notes_of(prepared: Prepared) -> tuple[str, ...]:
    """Return what a reader must know before anything is sent: of the two sides, the plan, the files, the budget."""
    budget = None if prepared.held is not None else over_budget(prepared.plan, prepared.settings.limits)
    notes = (*prepared.settings.notes, *prepared.pair.notes, *prepared.plan.notes, *prepared.suite.warnings)
    return (*notes, budget.message) if budget is not None else notes


def shown_plan(prepared: Prepared) -> tuple[str, ...]:
    """Return what is planned, as people are shown it before anything is sent."""
    return plan_lines(
        prepared.plan, pair=prepared.pair, stubs=prepared.stubs, notes=notes_of(prepared), hold=prepared.held
    )


async def run(
    prepared: Prepared,
    *,
    drawing: Drawing | None,
    watcher: Watcher,
    versions: tuple[tuple[str, str], ...],
) -> Report:
    """Draw what is planned, have judged what has to be, grade it and report. Keys are taken out of the report.

    Args:
        prepared: what to draw.
        drawing: where and with what; None when nothing is to be sent. What is held back is never sent.
        watcher: told of each draw as it comes, of judges' replies too.
        versions: (component, version) for the manifest.
    """
    plan, fail_on = prepared.plan, prepared.settings.fail_on
    if prepared.held is not None:
        drawing = None
    drawn, judging = await _measured(prepared, drawing, watcher)
    drawn, runs = await _commands_run(prepared, drawing, drawn, judging)
    decks = tuple(grade_deck(item, judging.exams[item.deck.name], fail_on=fail_on) for item in plan.decks)
    contract = contract_gate(plan, fail_on=fail_on, compared=prepared.pair.base is not None)
    targets = Targets() if drawing is None else drawing.targets
    ran = Ran(
        settings=prepared.settings,
        pair=prepared.pair,
        suite=prepared.suite,
        plan=plan,
        stubs=prepared.stubs,
        drawn=drawn,
        results=tuple(with_judgement(result, decks) for result in _graded(prepared, drawn, judging, runs)),
        decks=decks,
        judging=judging.drawn,
        repaired=judging.repaired,
        gates=() if contract is None else (contract,),
        notes=notes_of(prepared),
        endpoint_host=None if targets.draws is None else targets.draws.host,
        judge_host=None if targets.judge is None else targets.judge.host,
        versions=versions,
        held=prepared.held,
    )
    return redact(assemble(ran), targets.secrets)


async def _measured(prepared: Prepared, drawing: Drawing | None, watcher: Watcher) -> tuple[Drawn, Judging]:
    """Draw the cases, then ask the judges, within one budget."""
    plan = prepared.plan
    if prepared.held is not None:
        failure = Failure(cause=Cause.HELD, message=prepared.held.message)
        drawn = never_sent(case_calls(plan), failure)
        return drawn, nothing_judged(plan, drawn.draws, failure)
    drawn, judging = NOTHING_DRAWN, NOTHING_JUDGED
    if drawing is None:
        return drawn, judging
    watcher.start(plan.calls)
    try:
        spent = Spent(end=over_budget(plan, prepared.settings.limits))
        drawn = replace(NOTHING_DRAWN, stopped=spent.end)
        if drawing.targets.draws is not None:
            send = _sender(prepared, drawing, drawing.targets.draws, watcher)
            drawn = await send(case_calls(plan), spent=spent)
        if drawing.targets.judge is not None:
            send = _sender(prepared, drawing, drawing.targets.judge, watcher)
            judging = await ask_judges(plan, drawn.draws, send=send, spent=further(spent, drawn))
        return drawn, judging
    finally:
        watcher.finish()


def _sender(prepared: Prepared, drawing: Drawing, target: Target, watcher: Watcher) -> Send:
    from evalaction.draw.run import draw_calls  # noqa: PLC0415 - httpx, where something is drawn alone

    return partial(
        draw_calls,
        client=drawing.client,
        target=target,
        limits=prepared.settings.limits,
        clock=drawing.clock,
        rng=drawing.rng,
        on_draw=watcher.draw,
        stop=drawing.stop,
    )


async def _commands_run(
    prepared: Prepared, drawing: Drawing | None, drawn: Drawn, judging: Judging
) -> tuple[Drawn, Runs]:
    """Run the commands that grade, and note it where they were stopped before their time."""
    asked = any(item.blocked is None and item.case.contract.command is not None for item in prepared.plan.cases)
    if drawing is None or prepared.held is not None or not asked:
        return drawn, {}
    from evalaction.grade.command import run_commands  # noqa: PLC0415 - where a command is run alone

    runs = await run_commands(
        prepared.plan.cases,
        drawn.draws,
        limits=prepared.settings.limits,
        elapsed_s=drawn.wall_s + judging.drawn.wall_s,
        private=drawing.private,
        stop=drawing.stop,
    )
    early = (run for run in runs.values() if isinstance(run, Failure) and run.cause is not Cause.COMMAND)
    return replace(drawn, stopped=drawn.stopped or next(early, None)), runs


def _graded(prepared: Prepared, drawn: Drawn, judging: Judging, runs: Runs) -> Iterator[CaseResult]:
    """Yield every case of the plan, graded, in its order."""
    draws: dict[tuple[str, str], list[Draw]] = {item.case.key: [] for item in prepared.plan.cases}
    for draw in (*drawn.draws, *blocked_draws(prepared.plan)):
        draws[draw.path, draw.id].append(draw)
    opinions, ran = _by_case(judging.opinions), _by_case(runs)
    for item in prepared.plan.cases:
        key, fail_on = item.case.key, prepared.settings.fail_on
        yield with_figures(grade_case(item, draws[key], fail_on=fail_on, opinions=opinions[key], runs=ran[key]))


def _by_case(found: Mapping[DrawKey, T]) -> Mapping[tuple[str, str], Mapping[int, T]]:
    by_case: defaultdict[tuple[str, str], dict[int, T]] = defaultdict(dict)
    for (path, id_, index), item in found.items():
        by_case[path, id_][index] = item
    return by_case
