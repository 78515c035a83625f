"""One request on its way to its draws, and the order in which such requests are sent. Pure: time is an argument."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush

from evalaction.frozen import mutable
from evalaction.records.draw import Call, Cause, Draw, Failure, Reply


@mutable
class Job:
    """A call that is to be made, or made again, until its draws are known."""

    call: Call
    """What is asked."""
    place: int
    """Of its first draw, among all draws in the order of the calls, from 0."""
    tries: int = 0
    """Requests sent."""
    free: int = 0
    """Those of them that use up no try: refused for a parameter that the next one does without, or answered in part."""
    waited: float = 0.0
    """Seconds spent waiting between tries."""
    since: float = 0.0
    """Clock time at which its latest wait began."""
    last: Failure | None = None
    """What the latest try failed with."""
    number: int = 0
    """Of its latest request, as ``Pace`` gave it."""
    known: int = 0
    """Changes of parameters that its latest request was sent with."""

    @property
    def failed(self) -> int:
        """Tries that are used up."""
        return self.tries - self.free

    def came(self, replies: Sequence[Reply], *, latency_s: float) -> tuple[Draw, ...]:
        """Return the draws that replies stand for, the first one for the first draw."""
        return tuple(self._draw(turn, reply=reply, latency_s=latency_s) for turn, reply in enumerate(replies))

    def missing(self, failure: Failure) -> tuple[Draw, ...]:
        """Return its draws when nothing comes."""
        return tuple(self._draw(turn, failure=failure) for turn in range(self.call.choices))

    def after(self, end: Failure) -> Failure:
        """Return why its draws are missing, now that the run has ended with ``end``."""
        ended = unsent(end)
        if self.last is None:
            return ended
        return replace(
            ended,
            message=f"{ended.message} The last try: {self.last.message}",
            status=self.last.status,
            kind=self.last.kind,
        )

    def advance(self, draws: int) -> None:
        """Go on without its first draws, fewer than it has: they are known."""
        self.call = replace(self.call, index=self.call.index + draws, choices=self.call.choices - draws)
        self.place += draws

    def part(self, turn: int, *, choices: int = 1) -> Job:
        """Return a job for some of its draws.

        Args:
            turn: of the first of them, from 0.
            choices: how many, from that one on.
        """
        call = replace(self.call, index=self.call.index + turn, choices=choices)
        return replace(self, call=call, place=self.place + turn)

    def _draw(
        self, turn: int, *, reply: Reply | None = None, failure: Failure | None = None, latency_s: float | None = None
    ) -> Draw:
        call = self.call
        return Draw(
            path=call.path,
            id=call.id,
            index=call.index + turn,
            seed=call.seed,
            reply=reply,
            failure=failure,
            latency_s=latency_s,
            tries=self.tries,
        )


def unsent(end: Failure) -> Failure:
    """Return why a draw is missing that was not asked for any more when the run ended with ``end``."""
    if end.cause in {Cause.BUDGET, Cause.DEADLINE, Cause.INTERRUPTED}:
        return Failure(cause=end.cause, message=end.message)
    # The whole message stands in Drawn.stopped, once: there may be thousands of such draws.
    named = end.cause.value if end.status is None else f"{end.cause.value}, HTTP {end.status}"
    return Failure(cause=Cause.STOPPED, message=f"The run had ended ({named}).")


class Queue:
    """What is still to be sent: calls that nobody has begun, in their order, and jobs that are to be sent again."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._calls = iter(calls)
        self._upcoming = next(self._calls, None)
        self._places = 0
        self._at_once: deque[Job] = deque()
        self._parked: list[tuple[float, int, Job]] = []
        self._turn = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to send, now or later."""
        return self._upcoming is None and not self._at_once and not self._parked

    @property
    def due(self) -> float | None:
        """Clock time at which the next job that waits may be sent again; None when none waits."""
        return self._parked[0][0] if self._parked else None

    def take(self, now: float, *, may_begin: bool, rather_begin: bool) -> Job | None:
        """Return the next job to send; None when there is none now.

        Args:
            now: the clock time.
            may_begin: whether a call may be begun that nobody has begun.
            rather_begin: whether that is better than to send again what has waited.
        """
        if self._at_once:
            return self._at_once.popleft()
        if may_begin and rather_begin and self._upcoming is not None:
            return self.begin()
        if self._parked and self._parked[0][0] <= now:
            return heappop(self._parked)[2]
        return self.begin() if may_begin else None

    def begin(self) -> Job | None:
        """Return a job for the next call that nobody has begun; None when there is none."""
        call = self._upcoming
        if call is None:
            return None
        job = Job(call=call, place=self._places)
        self._places += call.choices
        self._upcoming = next(self._calls, None)
        return job

    def unbegun(self) -> Iterator[Job]:
        """Begin, and yield, all that nobody has begun."""
        while (job := self.begin()) is not None:
            yield job

    def again(self, job: Job) -> None:
        """Send a job before anything else."""
        self._at_once.append(job)

    def park(self, job: Job, *, due: float) -> None:
        """Send a job again, not before the clock time ``due``."""
        heappush(self._parked, (due, self._turn, job))  # no two turns are equal: jobs are not compared
        self._turn += 1
