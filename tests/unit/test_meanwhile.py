"""Work that waits for replies to be seen to: its order, its turns, its bounds, its faults."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.wire import turns

from evalaction.meanwhile import WAITING, Meanwhile

TURN, FINISH = "turn", "finish"


def run(story: Callable[[Meanwhile], Awaitable[None]]) -> None:
    """Let a story happen on an event loop."""

    async def told() -> None:
        await story(Meanwhile())

    asyncio.run(told())


def test_meanwhile__one_a_turn() -> None:
    """Nothing is done at once; then a piece is done a turn, in their order, with no wait for what never comes."""
    done: list[object] = []

    async def story(meanwhile: Meanwhile) -> None:
        for number in range(3):
            meanwhile.do(partial(done.append, number))
        assert done == []
        for _ in range(5):
            await turns(1)
            done.append("|")

    run(story)
    assert done == ["|", 0, "|", 1, "|", 2, "|", "|"]


def test_meanwhile__what_comes_goes_first() -> None:
    """As long as something comes in each turn, no piece is done; each reply is seen to before any."""
    done: list[int] = []

    async def story(meanwhile: Meanwhile) -> None:
        for number in range(10):
            meanwhile.do(partial(done.append, number))
            await turns(1)
            assert done == []
        await turns(11)

    run(story)
    assert done == list(range(10))


def test_meanwhile__work_of_work() -> None:
    """A piece may have more done: it comes behind what waits already, and ``finish`` does it, too."""
    done: list[str] = []

    async def story(meanwhile: Meanwhile) -> None:
        def grade() -> None:
            done.append("grade")
            meanwhile.do(lambda: done.append("write"))

        meanwhile.do(grade)
        meanwhile.do(lambda: done.append("other"))
        meanwhile.finish()

    run(story)
    assert done == ["grade", "other", "write"]


def test_meanwhile__bounded() -> None:
    """Where more comes than is done, the oldest is done at once: never do more than ``WAITING`` pieces wait."""
    done: list[int] = []

    async def story(meanwhile: Meanwhile) -> None:
        for number in range(WAITING + 5):
            meanwhile.do(partial(done.append, number))
        assert done == [0, 1, 2, 3, 4]
        meanwhile.finish()

    run(story)
    assert done == list(range(WAITING + 5))


@pytest.mark.parametrize("ended", ["finish", "do"])
def test_meanwhile__fault(ended: str) -> None:
    """What a piece raises is raised to whoever comes next, and nothing is done any more."""
    done: list[str] = []

    async def story(meanwhile: Meanwhile) -> None:
        meanwhile.do(partial(int, "no number"))
        meanwhile.do(lambda: done.append("behind it"))
        await turns(3)
        meanwhile.finish() if ended == "finish" else meanwhile.do(lambda: done.append("later"))

    with pytest.raises(ValueError, match="no number"):
        run(story)
    assert done == []


@given(st.lists(st.sampled_from(["do", "do", "do", TURN, FINISH]), max_size=300))
def test_meanwhile__each_once(steps: list[str]) -> None:
    """Whatever happens in whatever order, each piece is done once, in the order in which they were given."""
    done: list[int] = []
    asked = steps.count("do")

    async def story(meanwhile: Meanwhile) -> None:
        numbers = iter(range(asked))
        for step in steps:
            if step == TURN:
                await turns(1)
            elif step == FINISH:
                meanwhile.finish()
            else:
                meanwhile.do(partial(done.append, next(numbers)))
        meanwhile.finish()

    run(story)
    assert done == list(range(asked))
