"""Calls → draws: each is asked for afresh, and each is accounted for.

Nothing is cached and nothing is shared: n draws are n choices, also where two ask the same. What fails for the moment
is asked again, up to ``limits.tries`` times a request; what fails for good, the budget, the deadline, a wait that is
too long and ``stop`` end the run, and what was not drawn then is a missing draw with its cause.

At most ``limits.max_concurrency`` requests are in flight, and fewer after the endpoint has said that it is too busy;
until it takes requests again none leaves, those aside that are in flight already (``pace.py``). A parameter that it
refuses by name is changed for the rest of the run, and those requests that had it are sent again at once. Where a
request for several choices brings fewer, the rest is asked for again; where it brings one, or ``n`` is refused, every
further request asks for one.

The budget is looked at before each request. What is in flight when ``limits.max_total_tokens`` is reached is still
answered: the tokens of up to ``max_concurrency`` requests may come on top of it. A request that fails is a call, and
takes no tokens that anybody told us of.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterable, Iterator, MutableMapping
from typing import Any

from evalaction.draw.client import Client
from evalaction.draw.clock import Clock
from evalaction.draw.ending import interrupted, late
from evalaction.draw.endpoint import Target
from evalaction.draw.exchange import exchange
from evalaction.draw.gathered import Gathered, Kept
from evalaction.draw.pace import Pace
from evalaction.draw.request import encode
from evalaction.draw.schedule import added
from evalaction.draw.state import NOTHING_SPENT, State
from evalaction.draw.time_limit import TimeLimit
from evalaction.draw.wire import Wire
from evalaction.records.draw import Call, Draw, Drawn, Failure, Spent
from evalaction.records.settings import Limits


async def draw_calls(  # noqa: PLR0913 - each is another thing, and each is given by name
    calls: Iterable[Call],
    *,
    client: Client,
    target: Target,
    limits: Limits,
    clock: Clock,
    rng: random.Random,
    on_draw: Callable[[Draw], None],
    on_pause: Callable[[Failure, float], None] | None = None,
    stop: asyncio.Event | None = None,
    spent: Spent = NOTHING_SPENT,
    ledger: Kept | None = None,
    paces: MutableMapping[str, Pace] | None = None,
    keep: bool = True,
) -> Drawn:
    """Make the draws of a run, or of a part of it; see the module.

    Args:
        calls: what to draw, in the order in which it is sent; gone through twice.
        client: made by ``make_client``; stays open.
        target: where to draw it, made by ``make_target``.
        limits: budget, times, sizes; of the whole run.
        clock: ``SystemClock()``, save in tests.
        rng: jitters the waits between tries.
        on_draw: called once for every draw: as it is known, and at the end for those not drawn.
        on_pause: called whenever no request leaves for a while, with why and for how many seconds.
        stop: when it is set, nothing more is sent and what is in flight is given up.
        spent: what earlier parts of the run have used up. Where one has ended it, nothing is looked at or sent.
        ledger: keeps each draw before anybody is told of it. A draw that it holds is taken from it, and not sent.
        paces: by host, how fast each endpoint is asked, for all parts of a run. None: this part is on its own.
        keep: whether the draws are returned; of many, ``on_draw`` may be told alone, so that memory stays bounded.

    Returns:
        All draws, in the order of the calls, with what this part made, retried and took.

    Raises:
        BadInput: a call cannot be sent as a request; nothing was sent.
        ValueError: a call asks for several choices with one seed.
    """
    calls = _checked(calls, target) if spent.end is None else calls
    pace = ({} if paces is None else paces).setdefault(target.host, Pace(most=limits.max_concurrency, rng=rng))
    gathered = Gathered(on_draw=on_draw, ledger=ledger, keep=keep)
    state = State(calls, gathered, limits=limits, clock=clock, pace=pace, stop=stop, spent=spent, on_pause=on_pause)
    await _until_done(_work(Wire(client=client, target=target, limits=limits, clock=clock), state), state)
    return _drawn(state)


def _checked(calls: Iterable[Call], target: Target) -> Iterable[Call]:
    """Return calls once it is clear that each can be sent; of those that differ in their seed alone, one is looked at.

    Raises:
        BadInput: one cannot be sent.
        ValueError: one asks for several choices with one seed.
    """
    calls = tuple(calls) if isinstance(calls, Iterator) else calls
    looked_at: dict[tuple[int, int], Call] = {}
    for call in calls:
        if call.choices > 1 and call.seed is not None:
            raise ValueError(f"{call.choices} choices of one request would share the seed {call.seed}")
        key = (id(call.messages), id(call.sampling))
        if key not in looked_at:
            looked_at[key] = call  # which keeps both, so that no other can have their ids
            encode(call, model_name=target.model_name)
    return calls


async def _work(wire: Wire, state: State) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(wire.limits.max_concurrency):
                group.create_task(_worker(wire, state))
                await asyncio.sleep(0)  # who has dialled sends, before the next one dials
    finally:
        state.close()


async def _until_done(working: Coroutine[Any, Any, None], state: State) -> None:
    """Wait for the workers, for ``stop`` or for the deadline; leave nothing running behind, and no draw unsettled."""
    work, stopping = asyncio.ensure_future(working), asyncio.ensure_future(state.stopping.wait())
    both: set[asyncio.Future[Any]] = {work, stopping}
    try:
        await asyncio.wait(both, timeout=max(0.0, state.left_s), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            state.last_done = state.clock.now()  # what is in flight is given up now
            state.stop(interrupted() if stopping.done() else late(state.limits))
    finally:
        stopping.cancel()
        work.cancel()
        await asyncio.wait(both)
    if not work.cancelled():
        work.result()  # raises what a worker raised
    state.settle_rest()


async def _worker(wire: Wire, state: State) -> None:
    """Send one request after another, for as long as there is one to send."""
    limit = TimeLimit(wire.limits.answer_s)
    try:
        while (job := await state.next()) is not None:
            began = state.clock.now()
            got = await exchange(job.call, wire, adapted=state.adapted.of(job.call.sampling.model), limit=limit)
            state.land(job, got, latency_s=state.clock.now() - began)
    finally:
        limit.close()


def _drawn(state: State) -> Drawn:
    began, ended = state.first_sent, state.last_done
    return Drawn(
        draws=tuple(draw for draw in state.gathered.draws if draw is not None),
        made=state.made,
        retried=state.retried,
        wall_s=0.0 if began is None or ended is None else max(0.0, ended - began),
        stopped=state.end,
        tokens=state.tokens,
        adapted=state.adapted.all,
        faults=added(state.faults.items()),
    )
