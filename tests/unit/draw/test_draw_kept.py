"""Draws that are kept as they come, and draws that an earlier run kept, in virtual time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st
from support.drawing import draw_part, failures, make_case, make_plan, replies
from support.endpoint import completion

from evalaction.draw.schedule import case_calls
from evalaction.records.case import Sampling
from evalaction.records.draw import Adaptation, Call, Cause, Draw, Failure, Reply, Spent
from evalaction.records.settings import Limits

ONE = Limits(max_concurrency=1)


class Shelf:
    """Draws by case and index, each to be taken once; notes what was added."""

    def __init__(self, *kept: tuple[str, int], seen: Callable[[str], None] = lambda _: None) -> None:
        self.kept = {
            key: Draw(
                path="x.golden.jsonl",
                id=key[0],
                index=key[1],
                seed=None,
                reply=Reply(text=f"old {key[0]}{key[1]}", finish_reason="stop"),
                latency_s=1.0,
                tries=1,
                replay_of="run 1",
            )
            for key in kept
        }
        self.added: list[tuple[str, int, int]] = []
        """Id, index and choices of each call that was added."""
        self._seen = seen

    def find(self, call: Call) -> tuple[Draw, ...] | None:
        """Return all draws of a call, or none."""
        keys = [(call.id, call.index + turn) for turn in range(call.choices)]
        return tuple(self.kept.pop(key) for key in keys) if self.kept.keys() >= set(keys) else None

    def add(self, call: Call, draws: Sequence[Draw], *, adapted: Sequence[Adaptation]) -> None:
        """Take note of draws."""
        assert {each.model for each in adapted} <= {call.sampling.model}
        assert [call.index + turn for turn in range(call.choices)] == [draw.index for draw in draws]
        assert all(draw.reply is not None and draw.replay_of is None for draw in draws)
        self.added.append((call.id, call.index, call.choices))
        self._seen(f"kept {call.id}{call.index}")


class Endpoint:
    """Answers what was asked with as many choices as were asked for; notes what that was."""

    def __init__(self, *, gives: int = 99) -> None:
        self.gives = gives
        self.asked: list[tuple[str, int]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        body = json.loads(request.content)
        choices = body.get("n", 1)
        self.asked.append((body["messages"][0]["content"], choices))
        whole = completion("new", id=f"cmpl-{len(self.asked)}")
        return httpx.Response(200, json={**whole, "choices": whole["choices"] * min(self.gives, choices)})


def calls_of(*names: str, n: int = 3, choices: int = 1) -> tuple[Call, ...]:
    """Return the calls of cases with such ids."""
    sampling = Sampling(model="m", samples_per_request=choices)
    return case_calls(make_plan(*(make_case(name, n=n, sampling=sampling) for name in names)))


def test_draw_calls__kept() -> None:
    """What a request brings is kept before anybody is told of it, and what never came is not."""
    seen: list[str] = []
    shelf = Shelf(seen=seen.append)

    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(413) if b'"b"' in request.content else httpx.Response(200, json=completion("42"))

    draw_part(
        calls_of("a", "b", n=2),
        handler,
        ledger=shelf,
        limits=ONE,
        on_draw=lambda draw: seen.append(f"told {draw.id}{draw.index}"),
    )
    assert seen == ["kept a1", "told a1", "told b1", "kept a2", "told a2", "told b2"]


def test_draw_calls__replayed() -> None:
    """Draws that are kept are told of like any other, are never sent, and cost nothing of the budget."""
    endpoint, shelf, told = Endpoint(), Shelf(("a", 1), ("a", 3), ("b", 2)), list[Draw]()
    limits = Limits(max_calls=3, max_total_tokens=1_000)
    drawn = draw_part(calls_of("a", "b"), endpoint, ledger=shelf, limits=limits, on_draw=told.append)
    texts = {
        ("a", 1): "old a1",
        ("a", 2): "new",
        ("a", 3): "old a3",
        ("b", 1): "new",
        ("b", 2): "old b2",
        ("b", 3): "new",
    }
    assert texts == replies(drawn)
    assert [item.replay_of for item in drawn.draws] == ["run 1", None, None, "run 1", "run 1", None]
    assert sorted(told, key=drawn.draws.index) == list(drawn.draws)
    assert (drawn.made, drawn.tokens, drawn.stopped, shelf.kept) == (3, 156, None, {})
    assert shelf.added == [("b", 1, 1), ("a", 2, 1), ("b", 3, 1)]


def test_draw_calls__all_replayed() -> None:
    """Where everything is kept, nothing is sent, and no time was taken."""
    endpoint = Endpoint()
    drawn = draw_part(calls_of("a"), endpoint, ledger=Shelf(("a", 1), ("a", 2), ("a", 3)))
    assert (endpoint.asked, drawn.made, drawn.wall_s, drawn.stopped, failures(drawn)) == ([], 0, 0.0, None, {})


def test_draw_calls__replayed_in_part() -> None:
    """Of a request for several, only those draws are asked for that are not kept."""
    endpoint = Endpoint()
    shelf = Shelf(("a", 2), ("a", 5), ("b", 1), ("b", 2), ("b", 3), ("b", 4), ("b", 5), ("b", 6))
    drawn = draw_part(calls_of("a", "b", n=6, choices=6), endpoint, ledger=shelf, limits=ONE)
    assert endpoint.asked == [("a", 1), ("a", 2), ("a", 1)]
    assert [item.replay_of is not None for item in drawn.draws] == [False, True, False, False, True, False] + [True] * 6
    assert failures(drawn) == {}
    assert [(item.id, item.index) for item in drawn.draws] == [(name, index) for name in "ab" for index in range(1, 7)]


def test_draw_calls__parts_kept() -> None:
    """A request that brings fewer choices is kept as what it brought."""
    shelf = Shelf()
    draw_part(calls_of("a", n=5, choices=5), Endpoint(gives=2), ledger=shelf)
    assert shelf.added == [("a", 1, 2), ("a", 3, 2), ("a", 5, 1)]


def test_draw_calls__replayed_after_the_end() -> None:
    """What is kept counts also when the run has ended before it was looked at, in this part or an earlier one."""
    end = Failure(cause=Cause.BUDGET, message="No.")
    endpoint = Endpoint()
    for limits, spent in ((Limits(), Spent(end=end)), (Limits(max_calls=1, max_concurrency=1), Spent(made=1))):
        drawn = draw_part(calls_of("a", n=4), endpoint, ledger=Shelf(("a", 2), ("a", 3)), limits=limits, spent=spent)
        assert replies(drawn) == {("a", 2): "old a2", ("a", 3): "old a3"}
        assert failures(drawn) == {("a", 1): ("budget", None), ("a", 4): ("budget", None)}
    assert endpoint.asked == []


def test_draw_calls__interrupted_among_replays() -> None:
    """A run that reads a long ledger hears an interrupt all the same."""
    stop = asyncio.Event()
    told: list[int] = []

    def on_draw(draw: Draw) -> None:
        told.append(draw.index)
        if len(told) == 50:
            stop.set()

    endpoint = Endpoint()
    shelf = Shelf(*[("a", index) for index in range(1, 91)])
    drawn = draw_part(calls_of("a", n=100), endpoint, ledger=shelf, limits=ONE, on_draw=on_draw, stop=stop)
    assert drawn.stopped == Failure(cause=Cause.INTERRUPTED, message="The run was interrupted.")
    assert (len(replies(drawn)), endpoint.asked, told) == (90, [], list(range(1, 101)))


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(2, 9),
    choices=st.integers(1, 9),
    gives=st.integers(1, 9),
    kept=st.sets(st.tuples(st.sampled_from("ab"), st.integers(1, 9))),
    max_calls=st.integers(0, 20),
)
def test_draw_calls__any_kept(n: int, choices: int, gives: int, kept: set[tuple[str, int]], max_calls: int) -> None:
    """Whatever is kept: no draw is lost, none that is kept is drawn again, and all that is drawn is kept."""
    kept = {key for key in kept if key[1] <= n}
    shelf = Shelf(*kept)
    calls = calls_of("a", "b", n=n, choices=min(n, choices))
    drawn = draw_part(calls, Endpoint(gives=gives), ledger=shelf, limits=Limits(max_calls=max_calls, max_concurrency=2))
    assert sorted((name, index) for name in "ab" for index in range(1, n + 1)) == sorted(
        (item.id, item.index) for item in drawn.draws
    )
    assert kept == {(item.id, item.index) for item in drawn.draws if item.replay_of is not None}
    added = [(name, index + turn) for name, index, size in shelf.added for turn in range(size)]
    assert sorted(added) == sorted(replies(drawn).keys() - kept)


def test_draw_calls__found_draws_whole() -> None:
    """A draw that is kept comes back as it is."""
    shelf = Shelf(("a", 1))
    (kept,) = shelf.kept.values()
    kept = replace(kept, latency_s=7.0, tries=3, seed=5)
    shelf.kept["a", 1] = kept
    assert draw_part(calls_of("a", n=2)[:1], Endpoint(), ledger=shelf).draws == (kept,)
