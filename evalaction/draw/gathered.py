"""The draws of a run as they are known one after another: by whom they are told, where they stand, what is kept.

I/O: none of its own; the ledger, and whoever wants to see the draws, are passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Protocol

from evalaction.draw.job import Job
from evalaction.records.draw import Adaptation, Call, Draw, Failure, Reply


class Kept(Protocol):
    """Draws that outlive a run: those of earlier ones, and those that this one makes."""

    def find(self, call: Call) -> tuple[Draw, ...] | None:
        """Return all draws of a call, as an earlier run made them, in their order; None where one is not there."""

    def add(self, call: Call, draws: Sequence[Draw], *, adapted: Sequence[Adaptation]) -> None:
        """Keep the draws that a request brought: all those of ``call``, in their order.

        Args:
            call: as it was asked for.
            draws: with their replies.
            adapted: what the endpoint does not take as it was asked for, as far as is known.
        """


class Gathered:
    """Every draw of the calls that were begun, and the jobs that are to bring those that are not known yet."""

    def __init__(self, *, on_draw: Callable[[Draw], None], ledger: Kept | None, keep: bool) -> None:
        self.draws: list[Draw | None] = []
        """In the order of the calls; None: not known yet. Empty where draws are told and not kept in memory."""
        self._keep = keep
        self._jobs: dict[Job, None] = {}
        self._on_draw = on_draw
        self._ledger = ledger

    def __contains__(self, job: object) -> bool:
        """Return whether a job was begun and is not settled."""
        return job in self._jobs

    def __len__(self) -> int:
        """Return how many such jobs there are."""
        return len(self._jobs)

    def begin(self, job: Job) -> list[Job]:
        """Take note of a job for a further call, and take those of its draws that are kept.

        Returns:
            Jobs for the draws that are not: the job itself where none of its draws is kept.
        """
        self._jobs[job] = None
        if self._keep:
            self.draws.extend([None] * job.call.choices)
        if self._ledger is None:
            return [job]
        if (found := self._ledger.find(job.call)) is not None:
            self._settle(job, found)
            return []
        return [job] if job.call.choices == 1 else self._without_kept(job, self._ledger)

    def split(self, job: Job, parts: Sequence[Job]) -> None:
        """Put several jobs, which have all draws of ``job`` that are not known yet, in its place."""
        del self._jobs[job]
        self._jobs.update(dict.fromkeys(parts))

    def came(self, job: Job, replies: Sequence[Reply], *, latency_s: float, adapted: Sequence[Adaptation]) -> bool:
        """Settle as many draws of a job as there are replies, the first ones first.

        Args:
            job: the job.
            replies: at least one; those beyond the job's draws count for nothing.
            latency_s: of the request.
            adapted: what the endpoint does not take as it was asked for, for the ledger.

        Returns:
            Whether there are draws left to ask for.
        """
        draws = job.came(replies[: job.call.choices], latency_s=latency_s)
        rest = len(draws) < job.call.choices
        answered = job.part(0, choices=len(draws)) if rest else job
        if self._ledger is not None:
            self._ledger.add(answered.call, draws, adapted=adapted)
        if rest:
            job.advance(len(draws))
        self._settle(answered, draws)
        return rest

    def missing(self, job: Job, failure: Failure) -> None:
        """Settle all draws of a job: nothing came."""
        self._settle(job, job.missing(failure))

    def left(self) -> list[Job]:
        """Return the jobs that were begun and are not settled, in the order of their draws."""
        return sorted(self._jobs, key=lambda job: job.place)

    def _settle(self, job: Job, draws: Sequence[Draw]) -> None:
        self._jobs.pop(job, None)
        if self._keep:
            self.draws[job.place : job.place + len(draws)] = draws
        for draw in draws:
            self._on_draw(draw)

    def _without_kept(self, job: Job, ledger: Kept) -> list[Job]:
        """Take those draws that are kept each by itself; a run may have ended between two answers to one call."""
        parts = [job.part(turn) for turn in range(job.call.choices)]
        kept = {part: found for part in parts if (found := ledger.find(part.call)) is not None}
        if not kept:
            return [job]
        rest = []
        for is_kept, group in groupby(parts, key=kept.__contains__):
            run = list(group)
            if not is_kept:
                rest.append(job.part(run[0].place - job.place, choices=len(run)))
        self.split(job, rest)
        for part, found in kept.items():
            self._settle(part, found)
        return rest
