"""Requests that ask for several choices: each draw once, whatever the endpoint makes of ``n``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.drawing import draw, draw_part, failures, make_case, make_plan
from support.endpoint import completion

from evalaction.draw.schedule import case_calls, never_sent
from evalaction.records.case import Case, Sampling
from evalaction.records.draw import Adaptation, Cause, Draw, Drawn, Failure
from evalaction.records.settings import Limits

ONE = Limits(max_concurrency=1)


def make_asking(name: str = "a", *, n: int = 5, choices: int = 5, seed: int | None = None) -> Case:
    """Return a case that asks for several draws in one request."""
    return make_case(name, n=n, sampling=Sampling(model="m", samples_per_request=choices, seed=seed))


class Several:
    """An endpoint that gives as many choices as ``gives`` says, in turn, for ever the last; it refuses ``n`` for 0.

    Its texts are ``REQUEST.CHOICE``, both from 0. Negative numbers are HTTP 500.
    """

    def __init__(self, *gives: int) -> None:
        self.gives = gives
        self.asked: list[int] = []
        """``n`` of each request."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        number, asked = len(self.asked), json.loads(request.content).get("n", 1)
        self.asked.append(asked)
        gives = self.gives[min(number, len(self.gives) - 1)]
        if gives < 0:
            return httpx.Response(500)
        if gives == 0 and asked > 1:
            return httpx.Response(400, json={"error": {"message": "n is not supported", "param": "n"}})
        texts = [f"{number}.{place}" for place in range(max(1, gives) if asked > 1 else 1)]
        return httpx.Response(200, json=several(texts, id=f"cmpl-{number}"))


def several(texts: Sequence[str], **changes: Any) -> dict[str, Any]:
    """Return a completion with a choice for each text."""
    one = completion("", **changes)
    choice = one["choices"][0]
    choices = [
        {**choice, "index": place, "message": {"role": "assistant", "content": text}}
        for place, text in enumerate(texts)
    ]
    return {**one, "choices": choices}


def texts_of(drawn: Drawn) -> list[str | None]:
    """Return what each draw brought, in their order."""
    return [None if item.reply is None else item.reply.text for item in drawn.draws]


def test_case_calls__choices() -> None:
    """A case takes ⌈n / k⌉ requests, the last one for the rest, and they go round the cases."""
    plan = make_plan(
        make_asking("a", n=5, choices=2), make_asking("b", n=4, choices=4), make_asking("c", n=2, choices=1)
    )
    expected = [("a", 1, 2), ("b", 1, 4), ("c", 1, 1), ("a", 3, 2), ("c", 2, 1), ("a", 5, 1)]
    assert expected == [(call.id, call.index, call.choices) for call in case_calls(plan)]
    assert len(expected) == plan.calls


@given(
    sizes=st.lists(st.tuples(st.integers(2, 100), st.integers(1, 100)), min_size=1, max_size=4),
    seed=st.none() | st.integers(-(10**9), 10**9),
)
def test_case_calls__seeds(sizes: Sequence[tuple[int, int]], seed: int | None) -> None:
    """No two draws of a case have one seed: a request with a seed asks for one choice. Every draw is asked for once."""
    cases = [make_asking(f"c{number}", n=n, choices=min(n, k), seed=seed) for number, (n, k) in enumerate(sizes)]
    calls = case_calls(make_plan(*cases))
    for case in cases:
        own = [call for call in calls if call.id == case.id]
        drawn = [call.index + turn for call in own for turn in range(call.choices)]
        assert sorted(drawn) == list(range(1, case.n + 1))
        if seed is not None:
            assert {call.choices for call in own} == {1}
            assert [call.seed for call in own] == list(range(seed, seed + case.n))
        else:
            assert {call.seed for call in own} == {None}


def test_draw_calls__one_seed_for_many() -> None:
    """Choices that would share a seed are a fault of ours, which is found before anything is sent."""
    (call,) = case_calls(make_plan(make_asking(n=3, choices=3)))
    endpoint = Several(3)
    with pytest.raises(ValueError, match="3 choices of one request would share the seed 7"):
        draw_part([replace(call, seed=7)], endpoint)
    assert endpoint.asked == []


def test_draw_calls__choices() -> None:
    """The choices of a request are its case's next draws, in their order; usage and calls are counted once."""
    endpoint = Several(3)
    drawn = draw(make_plan(make_asking(n=5, choices=3)), endpoint, limits=ONE)
    assert endpoint.asked == [3, 2]
    assert texts_of(drawn) == ["0.0", "0.1", "0.2", "1.0", "1.1"]
    assert [(item.index, item.tries, item.seed) for item in drawn.draws] == [(index, 1, None) for index in range(1, 6)]
    assert (drawn.made, drawn.retried, drawn.tokens, drawn.adapted) == (2, 0, 104, ())
    ids = [(item.reply.id, item.reply.choice) for item in drawn.draws if item.reply is not None]
    assert [("cmpl-0", 0), ("cmpl-0", 1), ("cmpl-0", 2), ("cmpl-1", 0), ("cmpl-1", 1)] == ids


def test_draw_calls__fewer_choices() -> None:
    """What a request did not bring is asked for again, by a request of its own."""
    endpoint = Several(3, 2)
    drawn = draw(make_plan(make_asking(n=5)), endpoint, limits=ONE)
    assert endpoint.asked == [5, 2]
    assert texts_of(drawn) == ["0.0", "0.1", "0.2", "1.0", "1.1"]
    assert [item.tries for item in drawn.draws] == [1, 1, 1, 2, 2]
    assert (drawn.made, drawn.retried, drawn.adapted) == (2, 1, ())


def test_draw_calls__more_choices() -> None:
    """Choices that nobody asked for are no draws."""
    endpoint = Several(9)
    drawn = draw(make_plan(make_asking(n=3, choices=2)), endpoint, limits=ONE)
    assert endpoint.asked == [2, 1]
    assert texts_of(drawn) == ["0.0", "0.1", "1.0"]


@pytest.mark.parametrize(("gives", "refused"), [(1, False), (0, True)])
def test_draw_calls__one_choice(gives: int, refused: bool) -> None:
    """Where ``n`` is refused, or does nothing, each draw is asked for by itself from then on, and it is said."""
    endpoint = Several(gives)
    drawn = draw(make_plan(make_asking("a", n=4, choices=4), make_asking("b", n=3, choices=2)), endpoint, limits=ONE)
    requests = 8 if refused else 7
    assert endpoint.asked == [4] + [1] * (requests - 1)
    assert failures(drawn) == {}
    assert len(set(texts_of(drawn))) == 7
    assert (drawn.made, drawn.adapted) == (requests, (Adaptation(name="n", refused=refused, model="m"),))
    assert drawn.faults == ((("parameter refused", 1),) if refused else ())


def test_draw_calls__choices_in_flight() -> None:
    """Requests for several that are in flight when ``n`` is refused are asked for one by one; none uses up a try."""
    endpoint = Several(0)
    plan = make_plan(*(make_asking(name, n=3, choices=3) for name in "abcd"))

    async def handler(request: httpx.Request) -> httpx.Response:
        answer = endpoint(request)
        await asyncio.sleep(1)
        return answer

    drawn = draw(plan, handler, limits=Limits(max_concurrency=3))
    assert endpoint.asked == [3] * 3 + [1] * 12
    assert failures(drawn) == {}
    assert (drawn.made, drawn.retried) == (15, 9)


def test_draw_calls__choices_fail() -> None:
    """A request for several that fails for good is as many missing draws, each with why; it is tried 4 times."""
    endpoint = Several(-1, -1, -1, -1, 2)
    drawn = draw(make_plan(make_asking("a", n=2, choices=2), make_asking("b", n=2, choices=2)), endpoint, limits=ONE)
    failure = Failure(cause=Cause.STATUS, message="llm.example.test answered HTTP 500.", status=500)
    assert [
        Draw(path="x.golden.jsonl", id="a", index=index, seed=None, failure=failure, tries=4) for index in (1, 2)
    ] == [item for item in drawn.draws if item.id == "a"]
    assert (endpoint.asked, drawn.made, drawn.retried) == ([2] * 5, 5, 3)


def test_draw_calls__choices_and_budget() -> None:
    """``max-calls`` counts requests, and not draws."""
    plan = make_plan(make_asking("a", n=9, choices=3))
    assert failures(draw(plan, Several(3), limits=Limits(max_calls=3))) == {}
    short = draw(plan, Several(2), limits=Limits(max_calls=4, max_concurrency=1))
    assert (short.made, sorted(failures(short))) == (4, [("a", 7), ("a", 8), ("a", 9)])


def test_never_sent__choices() -> None:
    """Calls for several choices that are not sent are as many missing draws."""
    failure = Failure(cause=Cause.HELD, message="From a fork.")
    drawn = never_sent(case_calls(make_plan(make_asking(n=3, choices=2))), failure)
    assert [1, 2, 3] == [item.index for item in drawn.draws]


@settings(max_examples=100, deadline=None)
@given(
    sizes=st.lists(st.tuples(st.integers(2, 12), st.integers(1, 12)), min_size=1, max_size=5),
    gives=st.lists(st.integers(-1, 13), max_size=30),
    concurrency=st.integers(1, 6),
    spare=st.integers(0, 40),
)
def test_draw_calls__any_choices(
    sizes: Sequence[tuple[int, int]], gives: Sequence[int], concurrency: int, spare: int
) -> None:
    """Whatever comes of ``n``: every draw once and in order, none from the choice of another, every request counted."""
    cases = [make_asking(f"c{number}", n=n, choices=min(n, k)) for number, (n, k) in enumerate(sizes)]
    plan = make_plan(*cases)
    endpoint = Several(*gives, 13)
    told: list[Draw] = []
    limits = Limits(max_concurrency=concurrency, max_calls=plan.calls + spare)
    drawn = draw(plan, endpoint, limits=limits, on_draw=told.append)
    expected = [(call.id, call.index + turn) for call in case_calls(plan) for turn in range(call.choices)]
    assert expected == [(item.id, item.index) for item in drawn.draws]
    assert sorted(expected) == sorted((item.id, item.index) for item in told)
    came = [text for text in texts_of(drawn) if text is not None]
    assert len(came) == len(set(came))
    assert drawn.made == len(endpoint.asked) <= limits.max_calls
    assert max(endpoint.asked) <= max(case.sampling.samples_per_request for case in cases)
    if drawn.stopped is None:
        assert {item.failure.status for item in drawn.draws if item.failure is not None} <= {500}
