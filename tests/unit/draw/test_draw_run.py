"""Calls → draws, in virtual time and without a network."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.drawing import draw, draw_part, failures, make_case, make_plan, replies
from support.endpoint import completion

from evalaction.draw.schedule import case_calls, over_budget
from evalaction.errors import BadInput
from evalaction.records.case import Sampling
from evalaction.records.draw import Cause, Draw, Drawn, Failure, Reply, Usage
from evalaction.records.settings import Limits


def ok(text: str = "42") -> httpx.Response:
    return httpx.Response(200, json=completion(text))


class Script:
    """Answers in turn, the last one for ever; keeps when each request came and what it asked."""

    def __init__(self, *answers: httpx.Response | Exception, seconds: float = 0) -> None:
        self.answers = answers
        self.seconds = seconds
        self.times: list[float] = []
        self.bodies: list[Any] = []
        self.most_in_flight = 0
        self._in_flight = 0

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        turn = min(len(self.times), len(self.answers) - 1)
        self.times.append(asyncio.get_running_loop().time())
        self.bodies.append(json.loads(request.content))
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self._in_flight -= 1
        answer = self.answers[turn]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    @property
    def prompts(self) -> list[str]:
        """What was asked, in order of arrival."""
        return [body["messages"][-1]["content"] for body in self.bodies]


def by_prompt(**answers: httpx.Response) -> Callable[[httpx.Request], httpx.Response]:
    """Answer each prompt with the response of its name."""
    return lambda request: answers[json.loads(request.content)["messages"][-1]["content"]]


def test_draw_calls__whole_result() -> None:
    """Every draw comes back once, in the order of the calls, with what is known of it."""
    plan = make_plan(make_case("a", n=2, sampling=Sampling(model="m", seed=7)), make_case("b", n=1))
    reply = Reply(text="42", finish_reason="stop", id="cmpl-1", model="m", usage=Usage(prompt=40, completion=12))
    expected = Drawn(
        draws=tuple(
            Draw(path="x.golden.jsonl", id=name, index=index, seed=seed, reply=reply, latency_s=2.0, tries=1)
            for name, index, seed in (("a", 1, 7), ("b", 1, None), ("a", 2, 8))
        ),
        made=3,
        retried=0,
        wall_s=2.0,
        tokens=3 * 52,
    )
    assert expected == draw(plan, Script(ok(), seconds=2.0))


def test_draw_calls__told_alone() -> None:
    """Where draws are not to be returned, each is told all the same, and the run's figures are the same."""
    calls = case_calls(make_plan(make_case("a", n=9)))
    limits = Limits(max_calls=7, max_concurrency=2)
    kept = draw_part(calls, Script(ok(), httpx.Response(500), ok(), seconds=1.0), limits=limits)
    told: list[Draw] = []
    script = Script(ok(), httpx.Response(500), ok(), seconds=1.0)
    drawn = draw_part(iter(calls), script, limits=limits, on_draw=told.append, keep=False)
    assert replace(kept, draws=()) == drawn
    assert sorted(told, key=lambda item: item.index) == list(kept.draws)


def test_draw_calls__empty() -> None:
    """An empty plan sends nothing."""
    script = Script(ok())
    assert Drawn(draws=(), made=0, retried=0, wall_s=0.0) == draw(make_plan(), script)
    assert script.times == []


def test_draw_calls__fresh() -> None:
    """N draws are n requests, and two cases with one prompt are drawn for each: nothing is kept or shared."""
    script = Script(*(ok(f"L{number}") for number in range(10)))
    drawn = draw(make_plan(make_case("a", prompt="p"), make_case("b", prompt="p")), script)
    assert script.prompts == ["p"] * 10
    assert {f"L{number}" for number in range(10)} == set(replies(drawn).values())


def test_draw_calls__interleaved() -> None:
    """Requests go round the cases."""
    script = Script(ok())
    draw(make_plan(make_case("a", n=2), make_case("b", n=3)), script, limits=Limits(max_concurrency=1))
    assert script.prompts == ["a", "b", "a", "b", "b"]


@pytest.mark.parametrize(("limit", "seconds"), [(1, 20.0), (3, 7.0), (8, 3.0), (50, 1.0)])
def test_draw_calls__concurrency(limit: int, seconds: float) -> None:
    """As many requests as allowed are in flight, and never more."""
    script = Script(ok(), seconds=1.0)
    drawn = draw(make_plan(make_case("a", n=20)), script, limits=Limits(max_concurrency=limit))
    assert min(limit, 20) == script.most_in_flight
    assert seconds == drawn.wall_s


def test_draw_calls__recovers() -> None:
    """A passing error, inside a 200 or as a status, is asked again, and the draw is as good as any."""
    bad = httpx.Response(200, json={"error": {"message": "Upstream failed", "code": 502}})
    for script in (Script(bad, bad, ok()), Script(httpx.Response(500), httpx.ReadError("broken"), ok())):
        drawn = draw(make_plan(make_case("a", n=1)), script, limits=Limits(max_concurrency=1))
        assert replies(drawn) == {("a", 1): "42"}
        assert (drawn.made, drawn.retried, drawn.draws[0].tries) == (3, 2, 3)


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, json={"error": {"message": "too many calls", "code": 429}}),
        httpx.Response(200, json={"error": "model is loading"}),
        httpx.Response(200, json={"id": "x", "choices": []}),
        httpx.Response(200, json={"id": "x", "choices": None}),
        httpx.Response(200, json=[]),
        httpx.Response(200, json=completion("", finish_reason="error")),
        httpx.Response(200, text="<html>"),
        httpx.Response(429),
        httpx.Response(408),
        httpx.ConnectError("refused"),
    ],
)
def test_draw_calls__never_recovers(answer: httpx.Response | Exception) -> None:
    """What stays wrong is a missing draw after 4 tries, never an empty answer."""
    drawn = draw(make_plan(make_case("a", n=2)), Script(answer))
    assert [(item.reply, item.tries) for item in drawn.draws] == [(None, 4), (None, 4)]
    assert (drawn.made, drawn.retried, drawn.stopped) == (8, 6, None)


def test_draw_calls__backoff() -> None:
    """Tries come at growing, random distances."""
    script = Script(httpx.Response(500))
    draw(make_plan(make_case("a", n=1)), script, seed=1)
    gaps = [later - earlier for earlier, later in zip(script.times, script.times[1:], strict=False)]
    assert [0 < gap <= bound for gap, bound in zip(gaps, (2, 4, 8), strict=True)] == [True] * 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 422])
@pytest.mark.parametrize("in_body", [False, True])
def test_draw_calls__rejected(status: int, in_body: bool) -> None:
    """What will not get better is asked once: nothing more is sent, and what is in flight ends."""
    error = {"error": {"message": "no", "code": status}}
    script = Script(httpx.Response(200 if in_body else status, json=error), ok(), seconds=1.0)
    drawn = draw(make_plan(make_case("a", n=5)), script, limits=Limits(max_concurrency=2))
    assert len(script.times) == 2
    assert replies(drawn) == {("a", 2): "42"}
    stopped = ("stopped", None)
    expected = {("a", 1): ("rejected", status), ("a", 3): stopped, ("a", 4): stopped, ("a", 5): stopped}
    assert expected == failures(drawn)
    assert drawn.stopped == drawn.draws[0].failure
    assert (drawn.made, drawn.retried) == (2, 0)
    message = f"The run had ended (rejected, HTTP {status})."
    assert Failure(cause=Cause.STOPPED, message=message) == drawn.draws[4].failure


def test_draw_calls__rejected_while_others_wait() -> None:
    """A draw that waits for its next try is not asked again either, and does not keep the run waiting."""
    plan = make_plan(make_case("a", n=1), make_case("b", n=1))
    answers = by_prompt(
        a=httpx.Response(500, headers={"Retry-After": "200"}),
        b=httpx.Response(401),
    )

    async def handle(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(1 if b'"a"' in request.content else 2)
        return answers(request)

    told: list[float] = []
    drawn = draw(plan, handle, on_draw=lambda _: told.append(asyncio.get_running_loop().time()))
    message = "The run had ended (rejected, HTTP 401). The last try: llm.example.test answered HTTP 500."
    assert Failure(cause=Cause.STOPPED, message=message, status=500) == drawn.draws[0].failure
    assert told == [2.0, 2.0]


def test_draw_calls__too_large_request() -> None:
    """A request that is too large is not asked again, and the other cases are drawn."""
    handler = by_prompt(a=httpx.Response(413), b=ok())
    drawn = draw(make_plan(make_case("a", n=2), make_case("b", n=2)), handler)
    assert failures(drawn) == {("a", 1): ("status", 413), ("a", 2): ("status", 413)}
    assert replies(drawn) == {("b", 1): "42", ("b", 2): "42"}
    assert (drawn.made, drawn.stopped) == (4, None)


@pytest.mark.parametrize("status", [429, 503, 529])
def test_draw_calls__everyone_waits(status: int) -> None:
    """When the endpoint asks to be left alone, nobody sends before that time is over."""
    script = Script(httpx.Response(status, headers={"Retry-After": "30"}), ok(), seconds=1.0)
    drawn = draw(make_plan(make_case("a", n=8)), script, limits=Limits(max_concurrency=2))
    assert failures(drawn) == {}
    assert script.times[:2] == [0.0, 0.0]
    assert min(script.times[2:]) == 31.0
    assert (drawn.made, drawn.retried) == (9, 1)


def test_draw_calls__one_waits() -> None:
    """A Retry-After on another error holds back that draw alone, and no other has to wait for its worker."""
    script = Script(httpx.Response(500, headers={"Retry-After-Ms": "30000"}), ok(), seconds=1.0)
    draw(make_plan(make_case("a", n=4)), script, limits=Limits(max_concurrency=2))
    assert script.times == [0.0, 0.0, 1.0, 1.0, 31.0]


@pytest.mark.parametrize("waits", [(86_400,), (200, 200)])
def test_draw_calls__wait_cap(waits: tuple[int, ...]) -> None:
    """A draw that is to wait longer in all than the cap is given up, and the others are drawn."""
    turns = iter(waits)

    def handler(request: httpx.Request) -> httpx.Response:
        if b'"a"' not in request.content:
            return ok()
        return httpx.Response(500, headers={"Retry-After": str(next(turns))})

    drawn = draw(make_plan(make_case("a", n=1), make_case("b", n=2)), handler, limits=Limits(max_concurrency=1))
    message = (
        f"The endpoint wants to be left alone for {waits[-1]:,} s more, and a request waits 300 s in all. "
        "The last try: llm.example.test answered HTTP 500."
    )
    assert Failure(cause=Cause.STATUS, message=message, status=500) == drawn.draws[0].failure
    assert (drawn.draws[0].tries, drawn.made, drawn.stopped) == (len(waits), len(waits) + 2, None)
    assert replies(drawn) == {("b", 1): "42", ("b", 2): "42"}


def test_draw_calls__gives_up() -> None:
    """When nothing has ever come, the run ends after a few draws instead of asking for every one in vain."""
    script = Script(httpx.ConnectError("refused"))
    drawn = draw(make_plan(make_case("a", n=100)), script, limits=Limits(max_concurrency=1))
    message = "None of the first 5 requests brought a reply, so the run was ended."
    assert Failure(cause=Cause.TRANSPORT, message=message, kind="no connection") == drawn.stopped
    assert Counter({("transport", None): 5, ("stopped", None): 95}) == Counter(failures(drawn).values())
    assert drawn.made == 20


def test_draw_calls__goes_on_after_a_reply() -> None:
    """Once something has come, one case that always fails does not end the run."""
    plan = make_plan(make_case("a", n=20), make_case("b", n=20))
    drawn = draw(plan, by_prompt(a=httpx.Response(500), b=ok()), limits=Limits(max_concurrency=1))
    assert {("b", index): "42" for index in range(1, 21)} == replies(drawn)
    assert drawn.stopped is None
    assert drawn.made == 100


def test_draw_calls__over_budget() -> None:
    """A plan over the calls allowed sends nothing, and every draw of it is missing for that reason."""
    script = Script(ok())
    drawn = draw(make_plan(make_case("a")), script, limits=Limits(max_calls=4))
    assert script.times == []
    assert (drawn.made, drawn.stopped) == (0, over_budget(make_plan(make_case("a")), Limits(max_calls=4)))
    assert {Cause.BUDGET} == {draw.failure.cause for draw in drawn.draws if draw.failure is not None}
    assert len(drawn.draws) == 5


def test_draw_calls__unsendable_case() -> None:
    """A case that cannot be sent is found before anything is sent."""
    script = Script(ok())
    with pytest.raises(BadInput):
        draw(make_plan(make_case("a"), make_case("b", sampling=Sampling(model=None))), script)
    assert script.times == []


def test_draw_calls__budget_reached() -> None:
    """Retries count: at the limit the run ends with what there is, and the rest is named."""
    script = Script(httpx.Response(500), httpx.Response(500), ok("1"), ok("2"))  # nothing else is begun before a reply
    drawn = draw(make_plan(make_case("a", n=4)), script, limits=Limits(max_concurrency=1, max_calls=4))
    assert replies(drawn) == {("a", 1): "1", ("a", 2): "2"}
    message = (
        "All 4 calls allowed were made, retries included. Raise max-calls (--max-calls), or narrow the run with "
        "--case or --tag."
    )
    end = Failure(cause=Cause.BUDGET, message=message)
    assert [end, end] == [item.failure for item in drawn.draws[2:]]
    assert (drawn.made, drawn.retried, drawn.stopped) == (4, 2, end)


def test_draw_calls__deadline() -> None:
    """At the deadline nothing more is sent, what is in flight is given up, and what came is kept."""
    script = Script(ok(), seconds=40.0)
    drawn = draw(make_plan(make_case("a", n=4)), script, limits=Limits(max_concurrency=1, deadline_s=100))
    message = "The deadline of 100 s was reached. Raise deadline (--deadline), or narrow the run with --case or --tag."
    end = Failure(cause=Cause.DEADLINE, message=message)
    assert replies(drawn) == {("a", 1): "42", ("a", 2): "42"}
    assert [(end, 1), (end, 0)] == [(item.failure, item.tries) for item in drawn.draws[2:]]
    assert (drawn.made, drawn.stopped, drawn.wall_s) == (3, end, 100.0)


def test_draw_calls__interrupted() -> None:
    """When it is told to stop, the run keeps what was paid for and gives up the rest."""
    stop = asyncio.Event()
    seen: list[tuple[str, bool]] = []

    def on_draw(item: Draw) -> None:
        seen.append((f"{item.id}{item.index}", item.reply is not None))
        if item.index == 2:
            stop.set()

    script = Script(ok(), seconds=1.0)
    drawn = draw(make_plan(make_case("a", n=4)), script, limits=Limits(max_concurrency=1), on_draw=on_draw, stop=stop)
    end = Failure(cause=Cause.INTERRUPTED, message="The run was interrupted.")
    assert replies(drawn) == {("a", 1): "42", ("a", 2): "42"}
    assert [end, end] == [item.failure for item in drawn.draws[2:]]
    assert drawn.stopped == end
    assert seen == [("a1", True), ("a2", True), ("a3", False), ("a4", False)]


def test_draw_calls__interrupted_before() -> None:
    """A run that is told to stop before it begins sends nothing and names every draw."""
    stop = asyncio.Event()
    stop.set()
    script = Script(ok(), seconds=1.0)
    drawn = draw(make_plan(make_case("a", n=2)), script, stop=stop)
    assert failures(drawn) == {("a", 1): ("interrupted", None), ("a", 2): ("interrupted", None)}


def test_draw_calls__cancelled() -> None:
    """A run that is cancelled from outside leaves no request behind."""
    script = Script(ok(), seconds=10.0)

    def on_draw(_: Draw) -> None:
        task = next(task for task in asyncio.all_tasks() if task.get_coro().__qualname__.endswith("go"))  # type: ignore[union-attr]
        task.cancel()

    with pytest.raises(asyncio.CancelledError):
        draw(make_plan(make_case("a", n=9)), script, limits=Limits(max_concurrency=2), on_draw=on_draw)
    assert script._in_flight == 0  # noqa: SLF001 - the test's own


def test_draw_calls__fault() -> None:
    """A bug is raised, and not taken for a missing draw."""

    def on_draw(_: Draw) -> None:
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as caught:
        draw(make_plan(make_case("a", n=9)), Script(ok()), on_draw=on_draw)
    assert caught.group_contains(ZeroDivisionError)


OUTCOMES = st.sampled_from(
    [
        ok(),
        httpx.Response(500),
        httpx.Response(429, headers={"Retry-After": "5"}),
        httpx.Response(503, headers={"Retry-After": "1000"}),
        httpx.Response(401),
        httpx.Response(413),
        httpx.Response(200, text="<html>"),
        httpx.ReadError("broken"),
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(2, 6), max_size=4),
    answers=st.lists(OUTCOMES, min_size=1, max_size=30),
    concurrency=st.integers(1, 5),
    spare=st.integers(0, 20),
    seconds=st.sampled_from([0.0, 1.0, 130.0]),
    seed=st.integers(0, 100),
)
def test_draw_calls__accounts(
    sizes: list[int], answers: list[httpx.Response | Exception], concurrency: int, spare: int, seconds: float, seed: int
) -> None:
    """Whatever the endpoint does: every draw once, in order, told once; calls counted and within every limit."""
    plan = make_plan(*(make_case(f"c{number}", n=n) for number, n in enumerate(sizes)))
    limits = Limits(max_concurrency=concurrency, max_calls=sum(sizes) + spare)
    script = Script(*answers, seconds=seconds)
    told: list[Draw] = []
    drawn = draw(plan, script, limits=limits, on_draw=told.append, seed=seed)
    wanted = [(call.id, call.index) for call in case_calls(plan)]
    assert wanted == [(item.id, item.index) for item in drawn.draws]
    assert sorted(wanted) == sorted((item.id, item.index) for item in told)
    assert all((item.reply is None) != (item.failure is None) for item in drawn.draws)
    assert all((item.reply is None) == (item.latency_s is None) for item in drawn.draws)
    assert drawn.made == len(script.times) == sum(item.tries for item in drawn.draws)
    assert drawn.retried == sum(max(0, item.tries - 1) for item in drawn.draws)
    assert max([item.tries for item in drawn.draws], default=0) <= limits.tries
    assert drawn.made <= limits.max_calls
    assert script.most_in_flight <= concurrency
