"""Parts of one run: a budget, a deadline and an end over all of them; parameters that an endpoint refuses by name."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.drawing import (
    FakeClock,
    draw_part,
    failures,
    make_case,
    make_plan,
    replies,
    run_virtual,
    scripted_client,
)
from support.endpoint import completion

from evalaction.draw.endpoint import make_target
from evalaction.draw.pace import Pace
from evalaction.draw.run import draw_calls
from evalaction.draw.schedule import case_calls, further
from evalaction.records.case import Sampling
from evalaction.records.draw import Call, Cause, Draw, Drawn, Failure, Spent
from evalaction.records.settings import Endpoint, Limits
from evalaction.values import JSON

UNASKED = frozenset({"temperature", "response_format"})
ONE = Limits(max_concurrency=1)


def left_out(drawn: Drawn) -> tuple[str, ...]:
    """Return the names of the parameters that were left out."""
    return tuple(each.name for each in drawn.adapted)


def calls_of(n: int, *, unasked: frozenset[str] = UNASKED) -> tuple[Call, ...]:
    """Return calls that send a temperature and a form, which nobody wrote down."""
    form: JSON = {"type": "json_schema"}
    case = make_case("a", n=n, sampling=Sampling(model="m", temperature=0, response_format=form))
    return tuple(replace(call, unasked=unasked) for call in case_calls(make_plan(case)))


class Picky:
    """Refuses some parameters by name, after ``seconds``; keeps when each request came and what it held of them."""

    def __init__(self, *refused: str, status: int = 400, seconds: float = 1.0) -> None:
        self.refused = refused
        self.status = status
        self.seconds = seconds
        self.times: list[float] = []
        self.held: list[set[str]] = []

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        body = json.loads(request.content)
        self.times.append(asyncio.get_running_loop().time())
        self.held.append(UNASKED & body.keys())
        await asyncio.sleep(self.seconds)
        named = next((name for name in self.refused if name in body), None)
        if named is None:
            return httpx.Response(200, json=completion("42"))
        return httpx.Response(self.status, json={"error": {"message": f"{named} is not supported", "param": named}})


@pytest.mark.parametrize("status", [400, 404, 415, 422, 500, 501])
def test_draw_calls__refused_in_flight(status: int) -> None:
    """A parameter that nobody wrote down is left out once it is refused: those in flight are sent again, none ends."""
    picky = Picky("response_format", status=status)
    drawn = draw_part(calls_of(5), picky, limits=Limits(max_concurrency=3))
    assert failures(drawn) == {}
    assert [UNASKED] * 3 + [{"temperature"}] * 5 == picky.held
    assert [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0] == picky.times
    assert [2, 2, 2, 1, 1] == [draw.tries for draw in drawn.draws]
    assert (drawn.made, drawn.retried, left_out(drawn)) == (8, 3, ("response_format",))


def test_draw_calls__refused_by_default() -> None:
    """A temperature of 0 that nobody wrote down is left out where a model takes only its own."""
    message = "Unsupported value: 'temperature' does not support 0 with this model."

    def handler(request: httpx.Request) -> httpx.Response:
        if "temperature" in json.loads(request.content):
            return httpx.Response(400, json={"error": {"message": message, "param": "temperature"}})
        return httpx.Response(200, json=completion("42"))

    drawn = draw_part(calls_of(2), handler, limits=ONE)
    assert replies(drawn) == {("a", 1): "42", ("a", 2): "42"}
    assert (drawn.made, drawn.retried, left_out(drawn)) == (3, 1, ("temperature",))


def test_draw_calls__refused_one_after_another() -> None:
    """Two refused parameters are left out one after the other."""
    picky = Picky("response_format", "temperature")
    drawn = draw_part(calls_of(2), picky, limits=ONE)
    assert [UNASKED, {"temperature"}, set(), set()] == picky.held
    assert failures(drawn) == {}
    assert left_out(drawn) == ("response_format", "temperature")


@pytest.mark.parametrize("unasked", [frozenset(), frozenset({"temperature"})])
def test_draw_calls__refused_what_was_written(unasked: frozenset[str]) -> None:
    """A form that a repository wrote down is not left out: its refusal ends the run, with the parameter's name."""
    picky = Picky("response_format")
    drawn = draw_part(calls_of(2, unasked=unasked), picky, limits=ONE)
    message = (
        "llm.example.test refuses the parameter 'response_format' with the model 'm' (HTTP 400). Change it, or do not "
        "set it, for the case at x.golden.jsonl:1. It said: response_format is not supported"
    )
    assert Failure(cause=Cause.REJECTED, message=message, status=400) == drawn.stopped
    assert (drawn.made, left_out(drawn)) == (1, ())


def test_draw_calls__refused_all_the_same() -> None:
    """An endpoint that complains of a parameter that is not there is not asked a third time."""

    def handler(_: httpx.Request) -> httpx.Response:
        return httpx.Response(400, json={"error": {"message": "no", "param": "temperature"}})

    drawn = draw_part(calls_of(3), handler, limits=ONE)
    assert (drawn.made, drawn.retried, left_out(drawn)) == (2, 1, ("temperature",))
    assert [("rejected", 400), ("stopped", None), ("stopped", None)] == list(failures(drawn).values())


def test_draw_calls__refusal_uses_up_no_try() -> None:
    """A draw that had to be sent without a parameter is still tried as often as any other."""
    picky = Picky("temperature")

    async def handler(request: httpx.Request) -> httpx.Response:
        answer = await picky(request)
        return answer if answer.status_code == 400 else httpx.Response(500)

    drawn = draw_part(calls_of(1), handler)
    assert [draw.tries for draw in drawn.draws] == [5]


def test_draw_calls__refusal_and_budget() -> None:
    """Sending again without a parameter counts against the calls allowed."""
    drawn = draw_part(calls_of(2), Picky("temperature"), limits=Limits(max_concurrency=1, max_calls=1))
    assert (drawn.made, left_out(drawn)) == (1, ("temperature",))
    assert failures(drawn) == {("a", 1): ("budget", 400), ("a", 2): ("budget", None)}


def test_draw_calls__left_out_earlier() -> None:
    """What an earlier part of the run had to leave out is not sent at all."""
    picky = Picky("response_format")
    first = draw_part(calls_of(2), picky, limits=ONE)
    second = draw_part(calls_of(2), picky, limits=ONE, spent=further(Spent(), first))
    assert [UNASKED, *[{"temperature"}] * 4] == picky.held
    assert (second.made, second.retried, left_out(second)) == (2, 0, ("response_format",))


@pytest.mark.parametrize(("made", "sent"), [(0, 3), (7, 3), (8, 2), (10, 0), (11, 0)])
def test_draw_calls__budget_over_parts(made: int, sent: int) -> None:
    """What earlier parts have sent counts against the calls allowed."""
    drawn = draw_part(calls_of(3), Picky(), limits=Limits(max_calls=10), spent=Spent(made=made))
    assert (drawn.made, len(replies(drawn))) == (sent, sent)
    assert {("budget", None)} >= set(failures(drawn).values())


@pytest.mark.parametrize(("elapsed", "came"), [(0.0, 3), (97.0, 3), (98.0, 2), (99.5, 0), (100.0, 0), (1_000.0, 0)])
def test_draw_calls__deadline_over_parts(elapsed: float, came: int) -> None:
    """The deadline counts from the first request of the whole run."""
    limits = Limits(max_concurrency=1, deadline_s=100)
    drawn = draw_part(calls_of(3), Picky(seconds=0.9), limits=limits, spent=Spent(made=1, elapsed_s=elapsed))
    assert len(replies(drawn)) == came
    assert {("deadline", None)} >= set(failures(drawn).values())
    assert (drawn.made == 0) == (elapsed >= 100)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (
            Failure(cause=Cause.REJECTED, message="No key.", status=401),
            Failure(cause=Cause.STOPPED, message="The run had ended (rejected, HTTP 401)."),
        ),
        (
            Failure(cause=Cause.TIMEOUT, message="x"),
            Failure(cause=Cause.STOPPED, message="The run had ended (timeout)."),
        ),
        (Failure(cause=Cause.BUDGET, message="No."), Failure(cause=Cause.BUDGET, message="No.")),
        (Failure(cause=Cause.DEADLINE, message="No."), Failure(cause=Cause.DEADLINE, message="No.")),
        (Failure(cause=Cause.INTERRUPTED, message="No."), Failure(cause=Cause.INTERRUPTED, message="No.")),
    ],
)
def test_draw_calls__ended_earlier(end: Failure, expected: Failure) -> None:
    """After an end in an earlier part nothing is sent: every draw is missing for that reason, and told."""
    told: list[Draw] = []
    picky = Picky()
    drawn = draw_part(calls_of(3), picky, spent=Spent(made=3, end=end), on_draw=told.append)
    assert picky.times == []
    assert [expected] * 3 == [draw.failure for draw in drawn.draws]
    assert list(drawn.draws) == told
    assert (drawn.made, drawn.wall_s, drawn.stopped) == (0, 0.0, end)


def test_draw_calls__own_pacing() -> None:
    """A part does not wait for what an endpoint asked for in an earlier one, and counts its own failures."""
    busy = httpx.Response(503, headers={"Retry-After": "60"})
    first = draw_part(calls_of(1), lambda _: busy, limits=Limits(tries=1))
    picky = Picky()
    second = draw_part(calls_of(1), picky, spent=further(Spent(), first))
    assert (first.stopped, picky.times, failures(second)) == (None, [0.0], {})


@pytest.mark.parametrize(("host", "begins"), [("llm.example.test", 60.0), ("judge.example.test", 0.0)])
def test_draw_calls__shared_pacing(host: str, begins: float) -> None:
    """Parts that share their paces leave an endpoint alone for as long as it asked in an earlier one, and no other."""
    paces: dict[str, Pace] = {}
    times: list[float] = []

    def handler(_: httpx.Request) -> httpx.Response:
        times.append(asyncio.get_running_loop().time())
        if len(times) == 1:
            return httpx.Response(503, headers={"Retry-After": "60"})
        return httpx.Response(200, json=completion("42"))

    async def part(host: str) -> Drawn:
        async with scripted_client(handler, Limits()) as client:
            return await draw_calls(
                calls_of(1),
                client=client,
                target=make_target(Endpoint(base_url=f"https://{host}/v1")),
                limits=Limits(tries=1),
                clock=FakeClock(),
                rng=random.Random(0),  # noqa: S311 - jitter
                on_draw=lambda _: None,
                paces=paces,
            )

    async def go() -> Drawn:
        await part("llm.example.test")
        return await part(host)

    assert failures(run_virtual(go())) == {}
    assert (times, paces["llm.example.test"].window) == ([0.0, begins], 4)


Handler = Callable[[httpx.Request], Any]


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 8),
    refused=st.permutations(sorted(UNASKED)).flatmap(lambda names: st.integers(0, 2).map(lambda k: names[:k])),
    written=st.sets(st.sampled_from(sorted(UNASKED))),
    concurrency=st.integers(1, 4),
    seconds=st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=1, max_size=5),
)
def test_draw_calls__any_refusal(
    n: int, refused: Collection[str], written: set[str], concurrency: int, seconds: list[float]
) -> None:
    """Whatever is refused and in whatever order answers arrive: all draws come, unless a form that was written down is.

    A temperature is gone without, whoever wrote it down.
    """
    turn = iter(range(1_000))
    picky = Picky(*refused)

    async def handler(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(seconds[next(turn) % len(seconds)])
        return await picky(request)

    calls = calls_of(n, unasked=UNASKED - written)
    drawn = draw_part(calls, handler, limits=Limits(max_concurrency=concurrency))
    needed = written & {"response_format"}
    assert (drawn.stopped is None) == needed.isdisjoint(refused)
    assert set(left_out(drawn)) <= set(refused) - needed
    if drawn.stopped is None:
        assert set(left_out(drawn)) == set(refused)
        assert len(replies(drawn)) == n
    assert drawn.made == len(picky.times) == sum(draw.tries for draw in drawn.draws)
    assert drawn.retried == sum(max(0, draw.tries - 1) for draw in drawn.draws)
    assert max(draw.tries for draw in drawn.draws) <= 1 + len(left_out(drawn))
