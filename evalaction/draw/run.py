"""Plan → draws: every draw of the plan is asked for afresh, and each is accounted for."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from typing import Any

from evalaction.draw.client import Client
from evalaction.draw.clock import Clock
from evalaction.draw.endpoint import Target
from evalaction.draw.exchange import Try, Wire, exchange
from evalaction.draw.failure import concerns_all, is_passing
from evalaction.draw.request import encode
from evalaction.draw.schedule import interleave, over_budget
from evalaction.draw.state import Job, State
from evalaction.draw.wait import backoff
from evalaction.records.draw import Cause, Draw, Drawn, Failure, Reply
from evalaction.records.plan import Plan
from evalaction.records.settings import Limits


async def draw_plan(
    plan: Plan,
    *,
    client: Client,
    target: Target,
    limits: Limits,
    clock: Clock,
    rng: random.Random,
    on_draw: Callable[[Draw], None],
    stop: asyncio.Event | None = None,
) -> Drawn:
    """Make the draws of a plan.

    Nothing is cached and nothing is shared: n draws are n requests, also where two cases ask the same.
    At most ``limits.max_concurrency`` requests are in flight. What fails for the moment is asked again, up
    to ``limits.tries`` times a draw; what fails for good, the budget, the deadline and ``stop`` end the run,
    and what was not drawn then is a missing draw with its cause. Of a plan that makes more calls than allowed
    nothing is sent.

    Args:
        plan: what to draw.
        client: made by ``make_client``; stays open.
        target: where to draw it, made by ``make_target``.
        limits: budget, times, sizes.
        clock: ``SystemClock()``, save in tests.
        rng: jitters the waits between tries.
        on_draw: called once for every draw of the plan: as it is known, and at the end for those not drawn.
        stop: when it is set, nothing more is sent and what is in flight is given up.

    Returns:
        All draws, in the plan's order.

    Raises:
        BadInput: a case cannot be sent as a request; nothing was sent.
    """
    for planned in plan.cases:
        encode(planned.case, 1)
    jobs = [Job(case=case, index=index) for case, index in interleave(planned.case for planned in plan.cases)]
    state = State(limits=limits, clock=clock, rng=rng, end=over_budget(plan, limits))
    wire = Wire(client=client, target=target, limits=limits, clock=clock)
    work = asyncio.ensure_future(_work(jobs, wire, state, on_draw))
    await _until_done(work, state, stop or asyncio.Event())
    for job in jobs:
        if job.draw is None and state.end is not None:
            on_draw(job.finish(job.after(state.end)))
    return _drawn(plan, jobs, state)


async def _work(jobs: list[Job], wire: Wire, state: State, on_draw: Callable[[Draw], None]) -> None:
    queue = iter(jobs)
    async with asyncio.TaskGroup() as group:
        for _ in range(min(wire.limits.max_concurrency, len(jobs))):
            group.create_task(_worker(queue, wire, state, on_draw))


async def _until_done(work: asyncio.Future[None], state: State, stop: asyncio.Event) -> None:
    """Wait for the workers, for ``stop`` or for the deadline; leave nothing running behind."""
    stopping = asyncio.ensure_future(stop.wait())
    both: set[asyncio.Future[Any]] = {work, stopping}
    try:
        await asyncio.wait(both, timeout=state.limits.deadline_s, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            state.last_done = state.clock.now()  # what is in flight is given up now
            state.stop(_interrupted() if stopping.done() else _late(state.limits))
    finally:
        stopping.cancel()
        work.cancel()
        await asyncio.wait(both)
    if not work.cancelled():
        work.result()  # raises what a worker raised


async def _worker(queue: Iterator[Job], wire: Wire, state: State, on_draw: Callable[[Draw], None]) -> None:
    for job in queue:
        while job.draw is None and await _may_go_on(job, state):
            began = state.clock.now()
            got = await exchange(job.case, job.index, wire)
            await _take(job, got, latency_s=state.clock.now() - began, state=state)
        if job.draw is None:
            return
        on_draw(job.draw)


async def _may_go_on(job: Job, state: State) -> bool:
    """Wait until requests may be sent, and count the one that follows; False when there is none."""
    if (failure := await state.wait(job, 0)) is not None:
        state.settle(failure, final=True)
        job.finish(failure)
        return False
    return state.may_send(job)


async def _take(job: Job, got: Try, *, latency_s: float, state: State) -> None:
    """Settle ``job`` with what a try brought, or wait until the next try."""
    outcome = got.outcome
    state.last_done = state.clock.now()
    if isinstance(outcome, Reply):
        state.settle(None, final=True)
        job.finish(outcome, latency_s=latency_s)
        return
    job.last = outcome
    final = not is_passing(outcome) or job.tries >= state.limits.tries
    state.settle(outcome, final=final)
    delay = max(backoff(job.tries, state.rng), got.retry_after or 0.0)
    if concerns_all(outcome):
        state.hold(delay)
    if final:
        job.finish(outcome)
    elif (failure := await state.wait(job, delay)) is not None:
        state.settle(failure, final=True)
        job.finish(failure)


def _drawn(plan: Plan, jobs: list[Job], state: State) -> Drawn:
    settled = {(draw.path, draw.id, draw.index): draw for job in jobs if (draw := job.draw) is not None}
    began, ended = state.first_sent, state.last_done
    return Drawn(
        draws=tuple(
            settled[planned.case.path, planned.case.id, index]
            for planned in plan.cases
            for index in range(1, planned.case.n + 1)
        ),
        made=state.made,
        retried=state.retried,
        wall_s=0.0 if began is None or ended is None else max(0.0, ended - began),
        stopped=state.end,
    )


def _interrupted() -> Failure:
    return Failure(cause=Cause.INTERRUPTED, message="The run was interrupted.")


def _late(limits: Limits) -> Failure:
    return Failure(
        cause=Cause.DEADLINE,
        message=f"The deadline of {limits.deadline_s:,g} s was reached. Raise deadline (--deadline), or narrow the "
        "run with --case or --tag.",
    )
