"""A busy endpoint over real sockets and in real time: its own counters say when requests came, and how many at once."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
from support.drawing import failures, make_case, make_plan
from support.endpoint import Answer, ScriptedEndpoint, answer, completion

from evalaction.draw.client import make_client
from evalaction.draw.clock import SystemClock
from evalaction.draw.endpoint import make_target
from evalaction.draw.run import draw_calls
from evalaction.draw.schedule import case_calls
from evalaction.records.draw import Drawn
from evalaction.records.plan import Plan
from evalaction.records.settings import Endpoint, Limits


def draw_in_real_time(plan: Plan, url: str, *, limits: Limits) -> Drawn:
    """Draw a plan on the machine's own clock."""

    async def go() -> Drawn:
        async with make_client(limits) as client:
            return await draw_calls(
                case_calls(plan),
                client=client,
                target=make_target(Endpoint(base_url=url)),
                limits=limits,
                clock=SystemClock(),
                rng=random.Random(0),  # noqa: S311 - jitter
                on_draw=lambda _: None,
            )

    return asyncio.run(go())


def in_milliseconds() -> tuple[dict[str, str], float]:
    """Return a header, and the time from which requests are taken again."""
    return {"Retry-After-Ms": "400"}, time.time() + 0.4


def in_seconds() -> tuple[dict[str, str], float]:
    """Return the same, in whole seconds."""
    return {"Retry-After": "1"}, time.time() + 1


def at_a_date() -> tuple[dict[str, str], float]:
    """Return the same, as a date, which is a whole second that is still to come."""
    date = int(time.time()) + 2
    return {"Retry-After": format_datetime(datetime.fromtimestamp(date, UTC), usegmt=True)}, float(date)


class Busy:
    """Refuses the first ``together`` requests, once all of them have come, and counts those that come too early."""

    def __init__(self, together: int, status: int, wait: Callable[[], tuple[dict[str, str], float]]) -> None:
        self.together = together
        self.status = status
        self.wait = wait
        self.barrier = threading.Barrier(together)
        self.lock = threading.Lock()
        self.closed_until = 0.0
        self.early = 0
        self.in_flight = self.most_afterwards = self.answered = 0

    def __call__(self, number: int, _: Any) -> Answer:
        """Answer one request."""
        if number < self.together:
            self.barrier.wait(timeout=60)
            headers, until = self.wait()
            with self.lock:
                self.closed_until = max(self.closed_until, until)
            return answer({"error": {"message": "busy"}}, self.status, headers)
        with self.lock:
            self.early += time.time() < self.closed_until
            self.in_flight += 1
            if self.answered < self.together // 2:
                self.most_afterwards = max(self.most_afterwards, self.in_flight)
        try:
            return answer(completion("42", id=f"cmpl-{number}"))
        finally:
            with self.lock:
                self.in_flight -= 1
                self.answered += 1


@pytest.mark.parametrize("status", [429, 503, 529])
@pytest.mark.parametrize("wait", [in_milliseconds, in_seconds, at_a_date])
def test_draw_calls__nobody_is_early(status: int, wait: Callable[[], tuple[dict[str, str], float]]) -> None:
    """Where all that are in flight are refused, not one request comes before the endpoint takes them again.

    Then half as many come at once as before, and every draw is made.
    """
    script = Busy(8, status, wait)
    with ScriptedEndpoint(script) as endpoint:
        plan = make_plan(make_case("a", n=40))
        drawn = draw_in_real_time(plan, endpoint.base_url, limits=Limits(max_concurrency=8))
    assert failures(drawn) == {}
    assert (script.early, len(endpoint.requests), drawn.made, drawn.retried) == (0, 48, 48, 8)
    assert drawn.faults == ((f"HTTP {status}", 8),)
    assert script.most_afterwards <= 4
    assert endpoint.most_in_flight == 8


def test_draw_calls__few_are_early() -> None:
    """While others are answered well, only those come early that were in flight when one was refused."""
    concurrency, refusals = 8, frozenset({50, 300, 301, 650})
    lock = threading.Lock()
    closed_until = 0.0
    early: list[int] = []

    def script(number: int, _: Any) -> Answer:
        nonlocal closed_until
        with lock:
            if time.time() < closed_until:
                early.append(number)
            if number in refusals:
                closed_until = max(closed_until, time.time() + 0.3)
                return answer({"error": {"message": "busy"}}, 429, {"Retry-After-Ms": "300"})
        return answer(completion("42", id=f"cmpl-{number}"))

    with ScriptedEndpoint(script) as endpoint:
        plan = make_plan(*(make_case(f"c{number}", n=20) for number in range(50)))
        drawn = draw_in_real_time(plan, endpoint.base_url, limits=Limits(max_concurrency=concurrency))
    assert failures(drawn) == {}
    assert len(endpoint.requests) == drawn.made == 1_000 + len(refusals)
    assert endpoint.most_in_flight <= concurrency
    # Those in flight, and one more for each whose answer was read before the refusal.
    assert len(early) <= len(refusals) * 2 * (concurrency - 1)


def test_draw_calls__ends_at_once_on_the_wire() -> None:
    """An endpoint that is to be left alone for a day is asked once, and the run is over."""
    headers = {"Retry-After": "86400"}
    with ScriptedEndpoint(lambda *_: answer({"error": {"message": "busy"}}, 429, headers)) as endpoint:
        drawn = draw_in_real_time(make_plan(make_case("a", n=9)), endpoint.base_url, limits=Limits(max_concurrency=1))
    assert (len(endpoint.requests), drawn.made) == (1, 1)
    assert drawn.stopped is not None
    assert drawn.stopped.message.startswith("The endpoint takes requests again in 86,400 s, at ")
