"""What the workers of one run share: the count of calls, the wait that holds for all, and the end of the run."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from evalaction.draw.clock import Clock
from evalaction.records.draw import Call, Cause, Draw, Failure, Reply, Spent
from evalaction.records.settings import Limits

NOTHING_SPENT = Spent()
"""What the first part of a run begins with."""
GIVE_UP = 5
"""Draws that may come to nothing, all tries included, before anything has come at all; then the run ends."""


@dataclass(kw_only=True, slots=True)
class Job:
    """One draw on its way. Changed by the one worker that has it."""

    call: Call
    """What is asked."""
    tries: int = 0
    """Requests sent."""
    adapted: int = 0
    """Those of them that were refused for a parameter that the next one did without: they use up no try."""
    waited: float = 0.0
    """Seconds spent waiting between tries, or for the endpoint to take requests again."""
    last: Failure | None = None
    """What the latest try failed with."""
    draw: Draw | None = None
    """Set once, when it is known what came."""

    @property
    def failed(self) -> int:
        """Tries that are used up."""
        return self.tries - self.adapted

    def finish(self, outcome: Reply | Failure, *, latency_s: float | None = None) -> Draw:
        """Settle the draw."""
        self.draw = Draw(
            path=self.call.path,
            id=self.call.id,
            index=self.call.index,
            seed=self.call.seed,
            reply=outcome if isinstance(outcome, Reply) else None,
            failure=outcome if isinstance(outcome, Failure) else None,
            latency_s=latency_s,
            tries=self.tries,
        )
        return self.draw

    def after(self, end: Failure) -> Failure:
        """Return why this draw is missing, now that the run has ended with ``end``."""
        cause, message = end.cause, end.message
        if cause not in {Cause.BUDGET, Cause.DEADLINE, Cause.INTERRUPTED}:
            # The whole message stands in Drawn.stopped, once: there may be thousands of such draws.
            named = cause.value if end.status is None else f"{cause.value}, HTTP {end.status}"
            cause, message = Cause.STOPPED, f"The run had ended ({named})."
        if self.last is None:
            return Failure(cause=cause, message=message)
        return Failure(cause=cause, message=f"{message} The last try: {self.last.message}", status=self.last.status)


@dataclass(kw_only=True, slots=True)
class State:
    """Shared by all workers of a part of a run; only ever touched between two awaits."""

    limits: Limits
    clock: Clock
    rng: random.Random
    spent: Spent = NOTHING_SPENT
    """What earlier parts of the run have used up."""
    made: int = 0
    """Requests of this part."""
    retried: int = 0
    first_sent: float | None = None
    """Clock time of the first request; None before it."""
    last_done: float | None = None
    """Clock time of the latest outcome of a request."""
    not_before: float = float("-inf")
    """Clock time before which nobody sends."""
    came: int = 0
    """Draws that brought a reply."""
    failed: int = 0
    """Draws that came to nothing, all tries included."""
    end: Failure | None = None
    """Why nothing more is sent; None while the run goes on."""
    left_out: set[str] = field(default_factory=set)
    """Parameters that were refused by name, and are not sent any more where nobody wrote them down."""
    _sleeping: set[asyncio.Future[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Take over what earlier parts came to."""
        self.left_out |= {each.name for each in self.spent.adapted}
        self.end = self.spent.end
        if self.end is None and self.left_s <= 0:
            self.end = late(self.limits)

    @property
    def left_s(self) -> float:
        """Seconds that the deadline leaves this part, from its beginning; the first part begins with the run."""
        return self.limits.deadline_s - self.spent.elapsed_s

    def stop(self, end: Failure) -> None:
        """Let nobody send any more, and wake those who wait. The first reason stays."""
        if self.end is None:
            self.end = end
            for sleeper in self._sleeping:
                sleeper.cancel()

    def may_send(self, job: Job) -> bool:
        """Count one more request for ``job``, unless the run has ended or this would exceed the budget."""
        if self.end is None and self.spent.made + self.made >= self.limits.max_calls:
            self.stop(
                Failure(
                    cause=Cause.BUDGET,
                    message=f"All {self.limits.max_calls:,} calls allowed were made, retries included. Raise "
                    "max-calls (--max-calls), or narrow the run with --case or --tag.",
                )
            )
        if self.end is not None:
            return False
        self.made += 1
        self.retried += job.tries > 0
        job.tries += 1
        if self.first_sent is None:
            self.first_sent = self.clock.now()
        return True

    def adapt(self, job: Job, refused: str) -> None:
        """Leave out a parameter from now on; ``job``, which was sent with it, is to be sent again at once."""
        self.left_out.add(refused)
        job.adapted += 1

    def hold(self, seconds: float) -> None:
        """Let nobody send for ``seconds`` from now."""
        self.not_before = max(self.not_before, self.clock.now() + seconds)

    async def wait(self, job: Job, seconds: float) -> Failure | None:
        """Wait ``seconds``, and longer while nobody may send. Ends early when the run does.

        Returns:
            None; or why ``job`` may not wait that long.
        """
        until = self.clock.now() + seconds
        while self.end is None:
            left = max(until, self.not_before) - self.clock.now()
            if left <= 0:
                break
            if job.waited + left > self.limits.wait_cap_s:
                return self._impatient(job, left)
            job.waited += left
            await self._sleep(left)
        return None

    def settle(self, failure: Failure | None, *, final: bool) -> None:
        """Note what a request or a draw came to, and end the run when there is no use in going on.

        Args:
            failure: None for a reply.
            final: whether the draw's last try was made.
        """
        if failure is None:
            self.came += 1
        elif failure.cause is Cause.REJECTED:
            self.stop(failure)
        elif final:
            self.failed += 1
            if self.came == 0 and self.failed >= GIVE_UP:
                message = f"None of the first {self.failed} requests brought a reply, so the run was ended."
                self.stop(Failure(cause=failure.cause, message=message, status=failure.status))

    async def _sleep(self, seconds: float) -> None:
        sleeper = asyncio.ensure_future(self.clock.sleep(seconds))
        self._sleeping.add(sleeper)
        try:
            await asyncio.wait({sleeper})  # which does not mind when it is cancelled by stop()
        finally:
            self._sleeping.discard(sleeper)
            sleeper.cancel()

    def _impatient(self, job: Job, left: float) -> Failure:
        said = f" The last try: {job.last.message}" if job.last else ""
        return Failure(
            cause=Cause.STATUS,
            message=f"The endpoint wants to be left alone for {left:,.0f} s more, and a request waits "
            f"{self.limits.wait_cap_s:g} s in all.{said}",
            status=job.last.status if job.last else None,
        )


def late(limits: Limits) -> Failure:
    """Return why nothing more is sent after the deadline."""
    return Failure(
        cause=Cause.DEADLINE,
        message=f"The deadline of {limits.deadline_s:,g} s was reached. Raise deadline (--deadline), or narrow the "
        "run with --case or --tag.",
    )
