"""Plan and endpoints → what was measured: draws, what judges said of them, what commands made of them.

Glue alone; what sends, runs and keeps is passed in.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from evalaction.draw.schedule import blocked_draws, case_calls, further, never_sent, over_budget
from evalaction.frozen import frozen
from evalaction.meanwhile import Meanwhile
from evalaction.records.draw import Call, Cause, Draw, Drawn, Failure, Spent
from evalaction.records.judge import Judging
from evalaction.records.plan import Hold, Plan
from evalaction.records.report import CaseResult
from evalaction.records.settings import Limits
from evalaction.targets import Targets

if TYPE_CHECKING:
    from evalaction.draw.client import Client
    from evalaction.draw.clock import Clock
    from evalaction.draw.endpoint import Target
    from evalaction.draw.pace import Pace
    from evalaction.grading import Grading, Runs
    from evalaction.judging import Send
    from evalaction.ledger.book import Ledger

NOTHING_DRAWN = Drawn(draws=(), made=0, retried=0, wall_s=0)
NOTHING_JUDGED = Judging(exams={}, opinions={}, drawn=NOTHING_DRAWN, repaired=0)


@frozen
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
    meanwhile: Meanwhile
    """Grades draws while others are awaited."""
    ledger: Ledger | None = None
    """Keeps each draw as it comes, and gives those of earlier runs; None: none is kept."""
    on_case: Callable[[CaseResult], None] | None = None
    """Told of each case as it is graded (see ``Grading``); None: nobody is."""


class Watcher(Protocol):
    """Whoever wants to see a run while it goes on."""

    def start(self, total: int) -> None:
        """Take note that ``total`` draws are about to be made."""

    def draw(self, draw: Draw) -> None:
        """Take note of a draw, missing ones included."""

    def pause(self, failure: Failure, seconds: float) -> None:
        """Take note that for so many seconds no request leaves, because of what came in place of a reply."""

    def finish(self) -> None:
        """Take note that there will be no more."""


@frozen
class Measured:
    """What was measured of a plan, besides the draws of its cases."""

    drawn: Drawn
    """What drawing the cases took."""
    judging: Judging
    """What the judges said."""
    runs: Runs
    """What came of commands."""


async def measure_plan(
    plan: Plan,
    *,
    drawing: Drawing | None,
    held: Hold | None,
    limits: Limits,
    grading: Callable[[], Grading],
    watcher: Watcher,
) -> Measured:
    """Draw the cases of a plan, ask the judges and run the commands, within one budget.

    Args:
        plan: what to measure.
        drawing: where and with what; None when nothing is to be sent.
        held: why nothing is sent though there is something to send; None otherwise.
        limits: of the run.
        grading: gives what is told of each draw of a case as it comes, the same each time; not asked for before that.
        watcher: told likewise, and of the replies of judges.
    """
    for draw in blocked_draws(plan):
        grading().draw(draw)
    if held is not None:
        from evalaction.judging import nothing_judged  # noqa: PLC0415 - of no use before anything is sent

        failure = Failure(cause=Cause.HELD, message=held.message)
        drawn = never_sent(case_calls(plan), failure)
        for draw in drawn.draws:
            grading().draw(draw)
        return Measured(drawn=drawn, judging=nothing_judged(plan, grading().waiting(), failure), runs={})
    if drawing is None:
        return Measured(drawn=NOTHING_DRAWN, judging=NOTHING_JUDGED, runs={})
    watcher.start(plan.draws + plan.judge_calls)
    try:
        drawn, judging = await _asked(plan, drawing, limits, grading, watcher)
    finally:
        watcher.finish()
        if drawing.ledger is not None:
            drawing.ledger.settle()
    return await _commands_run(plan, drawing, limits, grading, Measured(drawn=drawn, judging=judging, runs={}))


async def _asked(
    plan: Plan, drawing: Drawing, limits: Limits, grading: Callable[[], Grading], watcher: Watcher
) -> tuple[Drawn, Judging]:
    """Draw the cases, then ask the judges."""

    def on_draw(draw: Draw) -> None:
        drawing.meanwhile.do(lambda: grading().draw(draw))
        watcher.draw(draw)

    # Draws of an earlier run cost no calls: a run that goes on with them ends where its calls are used up.
    resumed = drawing.ledger is not None and not drawing.ledger.is_empty
    spent = Spent(end=None if resumed else over_budget(plan, limits))
    paces: dict[str, Pace] = {}
    drawn = replace(NOTHING_DRAWN, stopped=spent.end)
    if drawing.targets.draws is not None:
        # Grading has the draws: of a large run they are not to be kept twice.
        send = _sender(drawing, drawing.targets.draws, limits, paces, watcher, on_draw=on_draw)
        drawn = await send(case_calls(plan), spent=spent)
        drawing.meanwhile.finish()
        spent = further(spent, drawn)
    if (judge := drawing.targets.judge) is None:
        return drawn, NOTHING_JUDGED
    from evalaction.judging import ask_judges  # noqa: PLC0415 - of no use before anything is sent

    if drawing.targets.draws is not None and judge.url != drawing.targets.draws.url:
        spent = replace(spent, adapted=())  # what one endpoint does not take another may
    send = _sender(drawing, judge, limits, paces, watcher)
    return drawn, await ask_judges(plan, grading().waiting(), send=send, spent=spent)


def _sender(
    drawing: Drawing,
    target: Target,
    limits: Limits,
    paces: dict[str, Pace],
    watcher: Watcher,
    *,
    on_draw: Callable[[Draw], None] | None = None,
) -> Send:
    """Return what sends a part of a run; whoever is told of its draws has them, and otherwise they are returned."""
    from evalaction.draw.run import draw_calls  # noqa: PLC0415 - httpx, where something is drawn alone

    ledger = None if drawing.ledger is None else drawing.ledger.at(target.url)
    send = partial(
        draw_calls,
        client=drawing.client,
        target=target,
        limits=limits,
        clock=drawing.clock,
        rng=drawing.rng,
        on_draw=on_draw or watcher.draw,
        on_pause=watcher.pause,
        stop=drawing.stop,
        ledger=ledger,
        paces=paces,
        keep=on_draw is None,
    )
    if ledger is None:
        return send

    async def kept(calls: Sequence[Call], *, spent: Spent) -> Drawn:
        drawn = await send(calls, spent=spent)
        # What an earlier run could not send as it was asked for is true of the draws that were taken from it.
        return replace(drawn, adapted=tuple(dict.fromkeys((*drawn.adapted, *ledger.adapted))))

    return kept


async def _commands_run(
    plan: Plan, drawing: Drawing, limits: Limits, grading: Callable[[], Grading], measured: Measured
) -> Measured:
    """Run the commands that grade, and note it where they were stopped before their time."""
    if not any(item.blocked is None and item.case.contract.command is not None for item in plan.cases):
        return measured
    from evalaction.grade.command import run_commands  # noqa: PLC0415 - where a command is run alone

    drawn = measured.drawn
    runs = await run_commands(
        plan.cases,
        grading().waiting(),
        limits=limits,
        elapsed_s=drawn.wall_s + measured.judging.drawn.wall_s,
        private=drawing.private,
        stop=drawing.stop,
    )
    early = (run for run in runs.values() if isinstance(run, Failure) and run.cause is not Cause.COMMAND)
    return replace(measured, drawn=replace(drawn, stopped=drawn.stopped or next(early, None)), runs=runs)
