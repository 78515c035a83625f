"""A busy or broken endpoint, in virtual time: when requests leave, how many at once, and when a run ends at once."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Sequence

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.drawing import draw, draw_part, failures, make_case, make_plan, replies
from support.endpoint import completion

from evalaction.draw.schedule import case_calls
from evalaction.records.case import Sampling
from evalaction.records.draw import Cause, Draw, Failure, Spent
from evalaction.records.settings import Limits


class Scripted:
    """An endpoint that answers in turn, then well for ever, each answer after ``seconds``; it counts as a server does.

    A turn is a status with the seconds of its ``Retry-After``, if any; 0 is a connection that breaks.
    """

    def __init__(self, *turns: tuple[int, float | None], seconds: float = 1.0) -> None:
        self.turns = turns
        self.seconds = seconds
        self.times: list[float] = []
        """When each request came."""
        self.most_in_flight = self.early = 0
        """Requests in work at one time, at most; those that came while the endpoint had asked to be left alone."""
        self._in_flight = 0
        self._closed: list[tuple[float, float]] = []

    async def __call__(self, _: httpx.Request) -> httpx.Response:
        """Answer one request."""
        now = asyncio.get_running_loop().time
        status, wait = self.turns[len(self.times)] if len(self.times) < len(self.turns) else (200, None)
        self.times.append(now())
        # An answer of the same moment may still be on its way.
        self.early += any(begin < now() < end for begin, end in self._closed)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self._in_flight -= 1
        if status == 0:
            raise httpx.ReadError("broken")
        if status == 200:
            return httpx.Response(200, json=completion("42", id=f"cmpl-{len(self.times)}"))
        if status in {429, 503, 529} and wait is not None:
            self._closed.append((now(), now() + wait))
        return httpx.Response(status, headers={} if wait is None else {"Retry-After": f"{wait:.3f}"})


def test_draw_calls__pace() -> None:
    """After a pause half as many leave at once, and one more with each round of replies; what is in flight ends."""
    endpoint = Scripted((429, 30))
    drawn = draw(make_plan(make_case("a", n=40)), endpoint)
    assert failures(drawn) == {}
    assert {0.0: 8, 31.0: 4, 32.0: 5, 33.0: 6, 34.0: 7, 35.0: 8, 36.0: 3} == Counter(endpoint.times)
    assert (drawn.made, drawn.retried, drawn.faults) == (41, 1, (("HTTP 429", 1),))


def test_draw_calls__pace_of_many_refusals() -> None:
    """Eight refusals of one moment halve once, and cost no draw more than a try."""
    endpoint = Scripted(*[(503, 30 + turn) for turn in range(8)])
    drawn = draw(make_plan(make_case("a", n=16)), endpoint)
    assert failures(drawn) == {}
    assert {0.0: 8, 38.0: 4, 39.0: 5, 40.0: 6, 41.0: 1} == Counter(endpoint.times)
    assert Counter(item.tries for item in drawn.draws) == {1: 8, 2: 8}


def told_pauses(endpoint: Scripted, limits: Limits, *, n: int) -> list[tuple[str, float]]:
    """Draw a case, and return what was told of pauses."""
    told: list[tuple[str, float]] = []
    draw_part(
        case_calls(make_plan(make_case("a", n=n))),
        endpoint,
        limits=limits,
        on_pause=lambda failure, seconds: told.append((failure.counted_as, round(seconds, 1))),
    )
    return told


def test_draw_calls__pauses_told() -> None:
    """Each pause is told once, when it begins, with why and for how long; a failure of one draw alone is none."""
    turns: list[tuple[int, float | None]] = [(200, None), (429, 30), (200, None), (408, None), (503, 7)]
    assert told_pauses(Scripted(*turns), Limits(max_concurrency=1), n=6) == [("HTTP 429", 30.0), ("HTTP 503", 7.0)]
    assert told_pauses(Scripted(*[(503, 30)] * 8), Limits(max_concurrency=8), n=8) == [("HTTP 503", 30.0)]


def test_draw_calls__no_pause_at_the_end() -> None:
    """What ends the run is no pause: nobody is told to wait for it."""
    assert told_pauses(Scripted((429, 7_200)), Limits(), n=4) == []


@pytest.mark.parametrize("concurrency", [1, 4, 32])
@pytest.mark.parametrize("turn", [(429, None), (503, 1.0), (500, None), (502, None), (0, None)])
def test_draw_calls__bad_minute(turn: tuple[int, float | None], concurrency: int) -> None:
    """A minute in which the endpoint answers nothing costs time and no draw, once it has answered at all."""
    endpoint = Scripted(seconds=0.5)

    async def handler(request: httpx.Request) -> httpx.Response:
        is_bad = 5 <= asyncio.get_running_loop().time() < 65
        endpoint.turns = ((200, None),) * len(endpoint.times) + ((turn,) if is_bad else ())
        return await endpoint(request)

    plan = make_plan(*(make_case(f"c{number}", n=5) for number in range(concurrency * 8)))
    drawn = draw(plan, handler, limits=Limits(max_concurrency=concurrency))
    assert (failures(drawn), drawn.stopped) == ({}, None)
    assert endpoint.early == 0


@pytest.mark.parametrize("status", [429, 503, 529])
@pytest.mark.parametrize(
    ("wait", "deadline", "elapsed", "beyond"),
    [
        (86_400, 1_800, 0, "in 86,400 s, at 2026-01-03 03:04:06 UTC, and a run waits 300 s at most"),
        (301, 1_800, 0, "in 301 s, at 2026-01-02 03:09:07 UTC, and a run waits 300 s at most"),
        (100, 100, 0, "in 100 s, at 2026-01-02 03:05:46 UTC, and the deadline leaves 99 s"),
        (100, 1_000, 910, "in 100 s, at 2026-01-02 03:05:46 UTC, and the deadline leaves 89 s"),
    ],
)
def test_draw_calls__ends_at_once(status: int, wait: int, deadline: int, elapsed: int, beyond: str) -> None:
    """An endpoint that wants to be left alone for longer than the run can wait ends it at once; what is there is kept.

    It says when requests are taken again, and what to do.
    """
    endpoint = Scripted((status, wait))
    calls = case_calls(make_plan(make_case("a", n=20)))
    drawn = draw_part(calls, endpoint, limits=Limits(deadline_s=deadline), spent=Spent(made=1, elapsed_s=elapsed))
    remedy = ", or raise deadline (--deadline)" if "deadline" in beyond else ""
    said = f"llm.example.test answered HTTP {status}."
    message = (
        f"The endpoint takes requests again {beyond}: the run was ended. Run again then{remedy}. "
        f"The last answer: {said}"
    )
    assert Failure(cause=Cause.STATUS, message=message, status=status) == drawn.stopped
    assert (drawn.made, drawn.wall_s, len(replies(drawn))) == (8, 1.0, 7)
    stopped = f"The run had ended (status, HTTP {status})."
    first = Failure(cause=Cause.STOPPED, message=f"{stopped} The last try: {said}", status=status)
    missing = [item.failure for item in drawn.draws if item.failure is not None]
    assert [first] + [Failure(cause=Cause.STOPPED, message=stopped)] * 12 == missing


def test_draw_calls__waits_in_all() -> None:
    """An endpoint that answers nothing for longer than a run waits ends it before the wait that would be too long."""
    endpoint = Scripted((200, None), *[(429, 100)] * 99)
    drawn = draw(make_plan(make_case("a", n=20)), endpoint, limits=Limits(max_concurrency=1))
    message = (
        "For 302 s, the next pause included, no request brings a reply, and a run waits 300 s at most: the run was "
        "ended. Run again when the endpoint is well. The last answer: llm.example.test answered HTTP 429."
    )
    assert Failure(cause=Cause.STATUS, message=message, status=429) == drawn.stopped
    assert (drawn.made, len(replies(drawn)), drawn.wall_s) == (4, 1, 204.0)


def test_draw_calls__hopeless() -> None:
    """From an endpoint that never says anything else but that it is busy, a run soon expects nothing more."""
    endpoint = Scripted(*[(429, None)] * 999)
    drawn = draw(make_plan(make_case("a", n=99)), endpoint)
    assert drawn.stopped is not None
    assert drawn.stopped.message.startswith(("None of the first 5 requests brought a reply", "For 3"))
    assert (drawn.wall_s <= 320, drawn.made <= 40) == (True, True)


QUOTA = {"error": {"message": "You exceeded your current quota.", "type": "insufficient_quota", "code": None}}


@pytest.mark.parametrize(
    ("headers", "when"),
    [
        ({}, ""),
        ({"Retry-After": "3600"}, " Requests are taken again in 3,600 s, at 2026-01-02 04:04:06 UTC."),
        ({"Retry-After": "999999999"}, " Requests are taken again in 999,999,999 s, at 2057-09-10 04:50:45 UTC."),
    ],
)
def test_draw_calls__quota(headers: dict[str, str], when: str) -> None:
    """A quota that does not come back within a run ends it at once, with what there is and what to do."""
    turn = iter(range(99))

    async def handler(_: httpx.Request) -> httpx.Response:
        number = next(turn)
        await asyncio.sleep(1)
        return (
            httpx.Response(429, headers=headers, json=QUOTA)
            if number == 0
            else httpx.Response(200, json=completion("42"))
        )

    drawn = draw(make_plan(make_case("a", n=20)), handler, limits=Limits(max_concurrency=4))
    said = "llm.example.test answered HTTP 429. It said: You exceeded your current quota."
    message = (
        "A quota of the endpoint is used up, and does not come back within a run: the run was ended."
        f"{when} Wait for it, or raise it with the provider, and run again. The last answer: {said}"
    )
    kind = "quota used up"
    assert Failure(cause=Cause.QUOTA, message=message, status=429, kind=kind) == drawn.stopped
    assert Failure(cause=Cause.QUOTA, message=said, status=429, kind=kind) == drawn.draws[0].failure
    assert (drawn.made, drawn.wall_s, len(replies(drawn)), drawn.faults) == (4, 1.0, 3, ((kind, 1),))


def test_draw_calls__faults_counted() -> None:
    """Every request that brought no reply is counted by its kind, also where a further try made it good."""
    turns = [(429, 1.0), (0, None), (500, None), (503, 1.0), (500, None), (413, None)]
    drawn = draw(make_plan(make_case("a", n=9)), Scripted(*turns), limits=Limits(max_concurrency=2))
    (broken,) = {name for name, _ in drawn.faults} - {"HTTP 413", "HTTP 429", "HTTP 500", "HTTP 503"}
    expected = Counter({"HTTP 500": 2, "HTTP 413": 1, "HTTP 429": 1, "HTTP 503": 1, broken: 1})
    assert expected == dict(drawn.faults)
    assert drawn.faults[0] == ("HTTP 500", 2)
    assert failures(drawn).keys() == {("a", item.index) for item in drawn.draws if item.reply is None}
    assert list(failures(drawn).values()) == [("status", 413)]
    assert drawn.made == sum(expected.values()) + len(replies(drawn))


def test_draw_calls__given_up_is_counted() -> None:
    """Requests that are in flight at the deadline are counted as what they were given up for."""
    endpoint = Scripted(seconds=40.0)
    drawn = draw(make_plan(make_case("a", n=9)), endpoint, limits=Limits(max_concurrency=3, deadline_s=100))
    assert (drawn.made, len(replies(drawn)), drawn.faults) == (9, 6, (("deadline", 3),))


TURNS = st.one_of(
    st.just((200, None)),
    st.tuples(st.sampled_from([429, 503, 529]), st.none() | st.integers(0, 240).map(lambda eighths: eighths / 8)),
    st.sampled_from([(500, None), (502, 3.0), (408, None), (0, None), (413, None)]),
)


@settings(max_examples=100, deadline=None)
@given(
    sizes=st.lists(st.integers(2, 9), min_size=1, max_size=9),
    turns=st.lists(TURNS, max_size=60),
    concurrency=st.integers(1, 12),
    seconds=st.sampled_from([0.0, 0.1, 1.0, 7.5]),
    seed=st.integers(0, 100),
)
def test_draw_calls__any_faults(
    sizes: Sequence[int],
    turns: Sequence[tuple[int, float | None]],
    concurrency: int,
    seconds: float,
    seed: int,
) -> None:
    """Whatever fails, and however often: no draw is lost or told twice, and every request is counted.

    No request leaves while the endpoint wants to be left alone, none beyond those allowed at once, none beyond the
    tries of its draw.
    """
    endpoint = Scripted(*turns, seconds=seconds)
    plan = make_plan(*(make_case(f"c{number}", n=n) for number, n in enumerate(sizes)))
    limits = Limits(max_concurrency=concurrency)
    told: list[Draw] = []
    drawn = draw(plan, endpoint, limits=limits, seed=seed, on_draw=told.append)
    assert [(call.id, call.index) for call in case_calls(plan)] == [(item.id, item.index) for item in drawn.draws]
    assert sorted(told, key=lambda item: (item.id, item.index)) == sorted(
        drawn.draws, key=lambda item: (item.id, item.index)
    )
    assert drawn.made == len(endpoint.times) == sum(item.tries for item in drawn.draws)
    assert drawn.made == len(replies(drawn)) + sum(number for _, number in drawn.faults)
    assert endpoint.early == 0
    assert endpoint.most_in_flight <= concurrency
    assert max(item.tries for item in drawn.draws) <= limits.tries
    if drawn.stopped is None:
        permanent = sum(status == 413 for status, _ in turns[: drawn.made])
        tired = sum(item.tries == 4 for item in drawn.draws if item.failure is not None)
        waited = sum(item.failure is not None and "in all" in item.failure.message for item in drawn.draws)
        assert len(failures(drawn)) <= permanent + tired + waited


@settings(max_examples=40, deadline=None)
@given(rate=st.floats(0, 0.35), concurrency=st.integers(2, 32), seed=st.integers(0, 1_000), cases=st.integers(5, 40))
def test_draw_calls__faults_at_a_rate(rate: float, concurrency: int, seed: int, cases: int) -> None:
    """Faults at random, of all kinds: what is missing has used up its tries, and no request is early or uncounted."""
    chance = random.Random(seed)  # noqa: S311 - faults
    kinds = [(429, 0.2), (503, 0.1), (500, None), (502, None), (0, None), (408, None)]
    turns = [chance.choice(kinds) if chance.random() < rate else (200, None) for _ in range(cases * 60)]
    endpoint = Scripted(*turns, seconds=0.05)
    plan = make_plan(*(make_case(f"c{number}") for number in range(cases)))
    drawn = draw(plan, endpoint, limits=Limits(max_concurrency=concurrency), seed=seed)
    assert drawn.stopped is None
    assert {item.tries for item in drawn.draws if item.reply is None} <= {4}
    assert drawn.made == len(endpoint.times) == len(replies(drawn)) + sum(number for _, number in drawn.faults)
    assert (endpoint.early, endpoint.most_in_flight <= concurrency) == (0, True)


def test_draw_calls__same_answers() -> None:
    """A run with faults brings the answers of a run without: seeds and prompts are those of the draw at each try."""

    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        return httpx.Response(200, json=completion(f"{body['messages'][0]['content']}{body['seed']}"))

    plan = make_plan(*(make_case(f"c{number}", sampling=Sampling(model="m", seed=number)) for number in range(9)))
    turn = iter(range(9_999))
    rough = draw(plan, lambda request: httpx.Response(500) if next(turn) % 3 == 1 else answer(request))
    assert replies(draw(plan, answer)) == replies(rough)
    assert rough.retried > 10
