"""The one story of a run: load both sides, plan, draw, ask the judges, grade, decide, report.

Glue alone: no arithmetic, and no I/O but what the trees and the client do that are passed in.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from evalaction.draw.schedule import over_budget
from evalaction.forks import NOT_ALLOWED
from evalaction.frozen import frozen
from evalaction.judge.stubs import prove
from evalaction.measuring import Drawing, Measured, Watcher, measure_plan
from evalaction.plan.commands import block
from evalaction.plan.make import make_plan
from evalaction.records.hub import HubFailure
from evalaction.records.judge import Examined
from evalaction.records.plan import Hold, Plan
from evalaction.records.report import Report
from evalaction.records.settings import Settings
from evalaction.records.suite import Suite
from evalaction.records.tree import Pair
from evalaction.redact import Redactor
from evalaction.report.plan_lines import plan_lines
from evalaction.sides import files_of, sound_suite, suite_of
from evalaction.suite.load import Known
from evalaction.targets import Targets, targets_of
from evalaction.trees.pair import differs, without_base

if TYPE_CHECKING:
    from evalaction.grading import Grading
    from evalaction.report.assemble import Ran


@frozen
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
    settings = prepared.settings
    # What a ledger that is gone on with holds is not known yet.
    budget = None if prepared.held is not None or settings.resume else over_budget(prepared.plan, settings.limits)
    notes = (*settings.notes, *prepared.pair.notes, *prepared.plan.notes, *prepared.suite.warnings)
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
    if prepared.held is not None:
        drawing = None
    redactor = Redactor(() if drawing is None else drawing.targets.secrets)
    on_case = None if drawing is None else drawing.on_case

    @cache
    def grading() -> Grading:
        from evalaction.grading import Grading  # noqa: PLC0415 - loaded while replies are awaited

        return Grading(prepared.plan, fail_on=prepared.settings.fail_on, redactor=redactor, on_case=on_case)

    measured = await measure_plan(
        prepared.plan,
        drawing=drawing,
        held=prepared.held,
        limits=prepared.settings.limits,
        grading=grading,
        watcher=watcher,
    )
    from evalaction.report.assemble import assemble  # noqa: PLC0415 - loaded while replies are awaited

    report = assemble(_ran(prepared, measured, grading(), drawing, versions))
    # The cases are without keys already; there may be very many of them.
    return replace(redactor.value(replace(report, cases=())), cases=report.cases)


def _ran(
    prepared: Prepared,
    measured: Measured,
    grading: Grading,
    drawing: Drawing | None,
    versions: tuple[tuple[str, str], ...],
) -> Ran:
    """Grade what only a judge or a command can grade, and the decks, and return everything that a report tells of."""
    from evalaction.grade.contract import contract_gate  # noqa: PLC0415 - the same
    from evalaction.grade.deck import grade_deck  # noqa: PLC0415 - the same
    from evalaction.report.assemble import Ran  # noqa: PLC0415 - the same

    plan, judging, fail_on = prepared.plan, measured.judging, prepared.settings.fail_on
    decks = tuple(grade_deck(item, judging.exams[item.deck.name], fail_on=fail_on) for item in plan.decks)
    contract = contract_gate(plan, fail_on=fail_on, compared=prepared.pair.base is not None)
    targets = Targets() if drawing is None else drawing.targets
    ledger = None if drawing is None else drawing.ledger
    return Ran(
        settings=prepared.settings,
        pair=prepared.pair,
        suite=prepared.suite,
        plan=plan,
        stubs=prepared.stubs,
        drawn=measured.drawn,
        results=grading.results(opinions=judging.opinions, runs=measured.runs, decks=decks),
        decks=decks,
        judging=judging.drawn,
        repaired=judging.repaired,
        gates=() if contract is None else (contract,),
        notes=(*notes_of(prepared), *(() if ledger is None else ledger.notes)),
        endpoint_host=None if targets.draws is None else targets.draws.host,
        judge_host=None if targets.judge is None else targets.judge.host,
        versions=versions,
        held=prepared.held,
        begun=() if ledger is None else tuple(ledger.begun.items()),
    )
