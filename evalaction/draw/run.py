"""Calls → draws: each is asked for afresh, and each is accounted for."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evalaction.draw.client import Client
from evalaction.draw.clock import Clock
from evalaction.draw.endpoint import Target
from evalaction.draw.exchange import Try, Wire, exchange
from evalaction.draw.failure import concerns_all, is_passing
from evalaction.draw.request import encode
from evalaction.draw.state import NOTHING_SPENT, Job, State, late
from evalaction.draw.wait import backoff
from evalaction.records.draw import Adaptation, Call, Cause, Draw, Drawn, Failure, Reply, Spent
from evalaction.records.settings import Limits


async def draw_calls(  # noqa: PLR0913 - each is another thing, and each is given by name
    calls: Sequence[Call],
    *,
    client: Client,
    target: Target,
    limits: Limits,
    clock: Clock,
    rng: random.Random,
    on_draw: Callable[[Draw], None],
    stop: asyncio.Event | None = None,
    spent: Spent = NOTHING_SPENT,
) -> Drawn:
    """Make the draws of a run, or of a part of it.

    Nothing is cached and nothing is shared: n draws are n requests, also where two ask the same. At most
    ``limits.max_concurrency`` requests are in flight. What fails for the moment is asked again, up to
    ``limits.tries`` times a draw; what fails for good, the budget, the deadline and ``stop`` end the run, and what was
    not drawn then is a missing draw with its cause. A parameter that nobody wrote down and that the endpoint refuses
    by name is left out from then on, and those requests that had it are sent again at once.

    Args:
        calls: what to draw, in the order in which it is sent.
        client: made by ``make_client``; stays open.
        target: where to draw it, made by ``make_target``.
        limits: budget, times, sizes; of the whole run.
        clock: ``SystemClock()``, save in tests.
        rng: jitters the waits between tries.
        on_draw: called once for every draw: as it is known, and at the end for those not drawn.
        stop: when it is set, nothing more is sent and what is in flight is given up.
        spent: what earlier parts of the run have used up. Where one has ended it, nothing is looked at or sent.

    Returns:
        All draws, in the order of the calls, with what this part made, retried and took.

    Raises:
        BadInput: a call cannot be sent as a request; nothing was sent.
    """
    for call in calls if spent.end is None else ():
        encode(call, model_name=target.model_name)
    jobs = [Job(call=call) for call in calls]
    state = State(limits=limits, clock=clock, rng=rng, spent=spent)
    wire = Wire(client=client, target=target, limits=limits, clock=clock)
    work = asyncio.ensure_future(_work(jobs, wire, state, on_draw))
    await _until_done(work, state, stop or asyncio.Event())
    for job in jobs:
        if job.draw is None and state.end is not None:
            on_draw(job.finish(job.after(state.end)))
    return _drawn(jobs, state)


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
        await asyncio.wait(both, timeout=max(0.0, state.left_s), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            state.last_done = state.clock.now()  # what is in flight is given up now
            state.stop(_interrupted() if stopping.done() else late(state.limits))
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
            got = await exchange(job.call, wire, left_out=frozenset(state.left_out))
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
    if got.refused is not None:
        state.adapt(job, got.refused)
        return
    final = not is_passing(outcome) or job.failed >= state.limits.tries
    state.settle(outcome, final=final)
    delay = max(backoff(job.failed, state.rng), got.retry_after or 0.0)
    if concerns_all(outcome):
        state.hold(delay)
    if final:
        job.finish(outcome)
    elif (failure := await state.wait(job, delay)) is not None:
        state.settle(failure, final=True)
        job.finish(failure)


def _drawn(jobs: list[Job], state: State) -> Drawn:
    began, ended = state.first_sent, state.last_done
    return Drawn(
        draws=tuple(job.draw for job in jobs if job.draw is not None),
        made=state.made,
        retried=state.retried,
        wall_s=0.0 if began is None or ended is None else max(0.0, ended - began),
        stopped=state.end,
        adapted=tuple(Adaptation(name=name) for name in sorted(state.left_out)),
    )


def _interrupted() -> Failure:
    return Failure(cause=Cause.INTERRUPTED, message="The run was interrupted.")
