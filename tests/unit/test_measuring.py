"""Measuring a plan: what is done while replies are awaited."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import httpx
import pytest
from support.drawing import FakeClock, make_plan, scripted_client
from support.endpoint import completion
from support.grading import planned_case
from support.wire import turns

from evalaction.draw.endpoint import make_target
from evalaction.grading import Grading
from evalaction.meanwhile import Meanwhile
from evalaction.measuring import Drawing, Measured, measure_plan
from evalaction.records.draw import Draw, Failure
from evalaction.records.plan import Plan
from evalaction.records.settings import Endpoint, Limits
from evalaction.redact import Redactor
from evalaction.targets import Targets

LIMITS = Limits(max_concurrency=1)


class Noted(Grading):
    """Notes which draw it is told of."""

    def __init__(self, plan: Plan, seen: list[str], *, broken: bool = False) -> None:
        super().__init__(plan, fail_on=frozenset(), redactor=Redactor(()))
        self.seen, self.broken = seen, broken

    def draw(self, draw: Draw) -> None:
        """Note it, or fail as a fault of ours would."""
        self.seen.append(f"graded {draw.index}")
        if self.broken:
            raise ZeroDivisionError
        super().draw(draw)


class Quiet:
    """A watcher who sees nothing."""

    def start(self, total: int) -> None:
        """See nothing."""

    def draw(self, draw: Draw) -> None:
        """See nothing."""

    def pause(self, failure: Failure, seconds: float) -> None:
        """See nothing."""

    def finish(self) -> None:
        """See nothing."""


def measured(seen: list[str], *, broken: bool = False) -> Measured:
    """Measure a case of four draws, one request at a time, each of which is answered three turns of the loop later."""
    plan = replace(make_plan(), cases=(planned_case(n=4),))
    grading = Noted(plan, seen, broken=broken)

    async def answered(_: httpx.Request) -> httpx.Response:
        seen.append(f"asked {sum(event.startswith('asked') for event in seen) + 1}")
        await turns(3)
        return httpx.Response(200, json=completion('{"label": "A"}'))

    async def go() -> Measured:
        async with scripted_client(answered, LIMITS) as client:
            drawing = Drawing(
                targets=Targets(draws=make_target(Endpoint(base_url="https://llm.example.test/v1"))),
                client=client,
                clock=FakeClock(),
                rng=random.Random(0),  # noqa: S311 - jitter
                stop=asyncio.Event(),
                private=(),
                meanwhile=Meanwhile(),
            )
            return await measure_plan(
                plan, drawing=drawing, held=None, limits=LIMITS, grading=lambda: grading, watcher=Quiet()
            )

    return asyncio.run(go())


def test_measure_plan__graded_while_others_are_awaited() -> None:
    """The next request leaves before a draw is graded, and the last draw is graded before anything is made of them."""
    seen: list[str] = []
    done = measured(seen)
    assert [done.drawn.made, *seen] == [
        4, "asked 1", "asked 2", "graded 1", "asked 3", "graded 2", "asked 4", "graded 3", "graded 4",
    ]  # fmt: skip


def test_measure_plan__fault_of_grading() -> None:
    """A fault of ours in grading ends the run as one: the loop does not swallow it, and nothing more is paid for."""
    seen: list[str] = []
    with pytest.raises(BaseExceptionGroup) as raised:
        measured(seen, broken=True)
    assert raised.group_contains(ZeroDivisionError)
    assert seen == ["asked 1", "asked 2", "graded 1"]
