"""What the workers of one run share: what is sent next and when, what came of it, and the end of the run.

Nothing here is done while somebody else is in the middle of it: only ``next`` waits, and looks at everything anew then.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from evalaction.draw import ending
from evalaction.draw.adaptation import NOT_HONOURED, Adaptations
from evalaction.draw.bell import NEVER, Bell
from evalaction.draw.clock import Clock
from evalaction.draw.failure import concerns_all, is_passing
from evalaction.draw.gathered import Gathered
from evalaction.draw.job import Job, Queue, unsent
from evalaction.draw.pace import Pace
from evalaction.draw.tokens import tokens_of
from evalaction.draw.wait import backoff
from evalaction.records.draw import Call, Cause, Failure, Reply, Spent
from evalaction.records.settings import Limits

if TYPE_CHECKING:
    from evalaction.draw.wire import Try

NOTHING_SPENT = Spent()
"""What the first part of a run begins with."""
GIVE_UP = 5
"""Draws that may come to nothing, all tries included, before anything has come at all; then the run ends."""
SPARE = 8
"""Requests beyond ``max_concurrency`` that may be begun and not settled while the endpoint is in trouble."""


class State:
    """Shared by all workers of a part of a run."""

    def __init__(
        self,
        calls: Iterable[Call],
        gathered: Gathered,
        *,
        limits: Limits,
        clock: Clock,
        pace: Pace,
        stop: asyncio.Event | None,
        spent: Spent,
        on_pause: Callable[[Failure, float], None] | None,
    ) -> None:
        """Begin a part of a run, now; see ``draw_calls``."""
        self.limits, self.clock, self.spent = limits, clock, spent
        self.gathered = gathered
        self.adapted = Adaptations(spent.adapted)
        self.made = self.retried = self.tokens = 0
        """Requests of this part, those beyond the first of their draws, and the tokens that they took."""
        self.faults: Counter[str] = Counter()
        """How often a request of this part brought no reply, by kind."""
        self.first_sent: float | None = None
        """Clock time of the first request; None before it."""
        self.last_done: float | None = None
        """Clock time of the latest outcome of a request."""
        self.left_s = limits.deadline_s - spent.elapsed_s
        """Seconds that the deadline leaves this part, from its beginning; the first part begins with the run."""
        self.end = spent.end or (ending.late(limits) if self.left_s <= 0 else None)
        """Why nothing more is sent; None while the run goes on."""
        self._deadline = clock.now() + self.left_s
        self._pace, self._on_pause = pace, on_pause
        self.stopping = stop or asyncio.Event()
        """Set when nothing more is to be sent, by whoever wants the run to end."""
        self._queue = Queue(calls)
        self._bell = Bell(clock)
        self._came = self._failed = 0
        self._estimated = False

    async def next(self) -> Job | None:
        """Return the next job, once its request may leave, and count that request.

        Returns:
            None when there is nothing more to send.
        """
        while self.end is None:
            now = self.clock.now()
            job = self._ready(now) if self._pace.may_send(now) else None
            if job is not None:
                if job in self.gathered or (job := self._begin(job)) is not None:
                    return job if self._may_send(job, now) else None
                await asyncio.sleep(0)  # a long ledger does not keep the run from hearing an interrupt
            elif self.gathered or not self._queue.is_empty:
                await self._bell.wait(self._soonest(now))
            else:
                self._bell.wake()
                break
        return None

    def land(self, job: Job, got: Try, *, latency_s: float) -> None:
        """Note what a request brought: its draws are settled, or it is to be sent again."""
        now = self.last_done = self.clock.now()
        self._pace.landed()
        if isinstance(got.outcome, Failure):
            self._went_wrong(job, got, got.outcome, now=now)
        else:
            self._brought(job, got.outcome, latency_s=latency_s)

    def stop(self, end: Failure) -> None:
        """Let nobody send any more, and wake those who wait. The first reason stays."""
        if self.end is None:
            self.end = end
            self._bell.wake()

    def close(self) -> None:
        """Set no alarm any more: the workers have gone."""
        self._bell.close()

    def settle_rest(self) -> None:
        """Settle, as missing, what is not known when the run has ended; what is kept of it is taken all the same."""
        if self.end is None:
            return
        if self._pace.in_flight:  # given up
            self.faults[self.end.counted_as] += self._pace.in_flight
        for job in self.gathered.left():
            self.gathered.missing(job, job.after(self.end))
        failure = unsent(self.end)
        for job in self._queue.unbegun():
            for rest in self.gathered.begin(job):
                self.gathered.missing(rest, failure)

    def _ready(self, now: float) -> Job | None:
        """Return the next job that may be sent now; None when there is none."""
        begun, most = len(self.gathered), self._pace.most
        return self._queue.take(
            now,
            # Before a first reply nothing is begun beyond what is in flight at once: it may all be in vain.
            may_begin=self._came > 0 or begun < most,
            # No draw is to use up all its tries in one bad minute: while it lasts, all have their turn.
            rather_begin=self._pace.pauses > 0 and begun < most + SPARE,
        )

    def _begin(self, job: Job) -> Job | None:
        """Begin a job: return it, or None where others take its place."""
        rest = self.gathered.begin(job)
        if rest == [job] and not self._is_split(job):
            return job
        for each in rest:
            self._again(each)
        return None

    def _may_send(self, job: Job, now: float) -> bool:
        """Count one more request for ``job``, unless this would exceed the budget, or the run is to stop."""
        allowed = self.limits.max_total_tokens
        if self.stopping.is_set():
            self.stop(ending.interrupted())
        elif self.spent.made + self.made >= self.limits.max_calls:
            self.stop(ending.calls_used_up(self.limits))
        elif allowed is not None and (used := self.spent.tokens + self.tokens) >= allowed:
            self.stop(ending.tokens_used_up(allowed, used, estimated=self._estimated))
        if self.end is not None:
            return False
        if self.first_sent is None:
            self.first_sent = now
        self.made += 1
        self.retried += job.tries > 0
        job.tries += 1
        job.waited += now - job.since if job.last is not None else 0.0
        job.number = self._pace.sent()
        job.known = self.adapted.made
        return True

    def _brought(self, job: Job, replies: Sequence[Reply], *, latency_s: float) -> None:
        if self._pace.replied(job.number, case=_case(job)):
            self._bell.wake(1)
        if not self._came:  # more may be begun from now on
            self._bell.wake()
        self._came += 1
        tokens, estimated = tokens_of(job.call, replies)
        self.tokens += tokens
        self._estimated |= estimated
        if replies[0].choices == 1 < job.call.choices:
            self.adapted.note(NOT_HONOURED, model=job.call.sampling.model)
        if self.gathered.came(job, replies, latency_s=latency_s, adapted=self.adapted.all):
            job.free += 1
            self._again(job)

    def _went_wrong(self, job: Job, got: Try, failure: Failure, *, now: float) -> None:
        self.faults[failure.counted_as] += 1
        job.last, job.since = failure, now
        if self._is_adapted(job, got):
            job.free += 1
            self._again(job)
        elif is_passing(failure) and not got.exhausted:
            self._try_again(job, got, failure, now=now)
        else:
            if got.exhausted:
                wall = self.clock.wall()
                self.stop(ending.exhausted(failure, wall=wall, seconds=got.retry_after))
            elif failure.cause is Cause.REJECTED:
                self.stop(failure)
            self._missing(job, failure)

    def _try_again(self, job: Job, got: Try, failure: Failure, *, now: float) -> None:
        """Let a job that failed in a way that may pass wait for its next try, if it has one."""
        pace, cap = self._pace, self.limits.wait_cap_s
        everyone = concerns_all(failure)
        case = _case(job) if job.failed == 1 else None
        paused = pace.failed(job.number, now=now, everyone=everyone, retry_after=got.retry_after, case=case)
        if everyone or paused:
            self._end_if_too_long(failure, got.retry_after if everyone else None, now=now)
        if paused and self.end is None and self._on_pause is not None:
            self._on_pause(failure, pace.not_before - now)
        if job.failed >= self.limits.tries:
            self._missing(job, failure)
            return
        own = 0.0 if paused else got.retry_after or backoff(job.failed, pace.rng)
        wait = max(own, pace.not_before - now)
        if self.end is None and job.waited + wait > cap:
            self._missing(job, ending.impatient(failure, seconds=wait, cap=cap))
        else:
            self._queue.park(job, due=now + own)
            self._bell.set(now + own)

    def _end_if_too_long(self, failure: Failure, retry_after: float | None, *, now: float) -> None:
        """End the run where waiting for the endpoint is of no use, instead of after the waiting."""
        cap, left = self.limits.wait_cap_s, self._deadline - now
        seconds = self._pace.not_before - now
        wall = self.clock.wall()
        if retry_after is not None and retry_after > cap:
            beyond = f"a run waits {cap:g} s at most"
            self.stop(ending.too_long(failure, wall=wall, seconds=seconds, beyond=beyond))
        elif retry_after is not None and retry_after > left:
            beyond, remedy = f"the deadline leaves {left:,.0f} s", ", or raise deadline (--deadline)"
            self.stop(ending.too_long(failure, wall=wall, seconds=seconds, beyond=beyond, remedy=remedy))
        elif (troubled := self._pace.troubled_since) is not None and now + seconds - troubled > cap:
            self.stop(ending.down_too_long(failure, seconds=now + seconds - troubled, cap=cap))

    def _is_adapted(self, job: Job, got: Try) -> bool:
        """Note what is to be changed, and say whether the job is changed by it, or was by what others brought."""
        if got.refused is None:
            return False
        self.adapted.note(got.refused, model=job.call.sampling.model)
        return job.known < self.adapted.made

    def _again(self, job: Job) -> None:
        """Send a job at once, before all others; as several, where each of its draws has to be asked for by itself."""
        parts = [job]
        if self._is_split(job):
            parts = [job.part(turn) for turn in range(job.call.choices)]
            self.gathered.split(job, parts)
        for part in parts:
            self._queue.again(part)
        self._bell.wake(len(parts))

    def _is_split(self, job: Job) -> bool:
        return job.call.choices > 1 and self.adapted.one_choice(job.call.sampling.model)

    def _missing(self, job: Job, failure: Failure) -> None:
        """Settle a job to which nothing came, and end the run when there is no use in going on."""
        self.gathered.missing(job, failure)
        self._failed += 1
        if not self._came and self._failed >= GIVE_UP:
            self.stop(ending.in_vain(self._failed, failure))

    def _soonest(self, now: float) -> float:
        """Return the clock time at which there may be something to send though nothing comes until then."""
        due = self._queue.due
        if now < self._pace.not_before:
            return self._pace.not_before
        return NEVER if due is None or due <= now else due


def _case(job: Job) -> tuple[str, str]:
    return (job.call.path, job.call.id)
