"""One limit on many waits is to each of them what ``asyncio.timeout`` is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
from support.drawing import run_virtual

from evalaction.draw.time_limit import TimeLimit

LIMIT_S = 10.0


def ends(wait: Callable[[], Awaitable[object]], limit: TimeLimit) -> Awaitable[tuple[str, float]]:
    """Return how a wait within a limit ended, and after how many seconds."""

    async def go() -> tuple[str, float]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            with limit:
                await wait()
        except TimeoutError as error:
            return f"timed out: {type(error.__cause__).__name__}", loop.time() - began
        except OSError as error:
            return str(error), loop.time() - began
        return "done", loop.time() - began

    return go()


async def _fails() -> None:
    await asyncio.sleep(1)
    raise OSError("broken")


def test_time_limit__one_after_the_other() -> None:
    """Each wait has all of its time, whatever those before it took, and whether or not they ended in time."""
    waits: list[Callable[[], Awaitable[object]]] = [
        lambda: asyncio.sleep(9),
        lambda: asyncio.sleep(9.5),
        lambda: asyncio.sleep(11),
        lambda: asyncio.sleep(0),
        _fails,
        lambda: asyncio.sleep(3600),
        lambda: asyncio.sleep(9),
    ]

    async def go() -> list[tuple[str, float]]:
        limit = TimeLimit(LIMIT_S)
        found = [await ends(wait, limit) for wait in waits[:3]]
        await asyncio.sleep(25)  # nothing is limited in the meantime
        found += [await ends(wait, limit) for wait in waits[3:]]
        limit.close()
        return found

    found = [(how, round(seconds, 3)) for how, seconds in run_virtual(go())]
    assert found == [
        ("done", 9),
        ("done", 9.5),
        ("timed out: CancelledError", 10),
        ("done", 0),
        ("broken", 1),
        ("timed out: CancelledError", 10),
        ("done", 9),
    ]


def test_time_limit__one_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many waits that end soon take one timer, and none is left when the limit is closed."""
    timers: list[asyncio.TimerHandle] = []

    async def go() -> tuple[int, bool]:
        loop = asyncio.get_running_loop()
        limit = TimeLimit(LIMIT_S)
        usual = loop.call_at

        def counted(when: float, call: Callable[..., object], *given: Any) -> asyncio.TimerHandle:
            timers.append(usual(when, call, *given))
            return timers[-1]

        monkeypatch.setattr(loop, "call_at", counted)
        for _ in range(1_000):
            with limit:
                pass
        limit.close()
        return len(timers), timers[0].cancelled()

    assert run_virtual(go()) == (1, True)


@pytest.mark.parametrize(("when", "how"), [(5, "cancelled"), (LIMIT_S, "as asyncio's"), (15, "timed out")])
def test_time_limit__cancelled_from_outside(when: float, how: str) -> None:
    """A cancellation that is not the limit's own stays one; where both come at once it is as with asyncio's own."""

    async def ours() -> None:
        with TimeLimit(LIMIT_S):
            await asyncio.sleep(60)

    async def usual() -> None:
        async with asyncio.timeout(LIMIT_S):
            await asyncio.sleep(60)

    async def go(wait: Callable[[], Coroutine[Any, Any, None]]) -> str:
        task = asyncio.ensure_future(wait())
        asyncio.get_running_loop().call_later(when, task.cancel)
        try:
            await task
        except TimeoutError:
            return "timed out"
        except asyncio.CancelledError:
            return "cancelled"
        return "done"

    found = [run_virtual(go(wait)) for wait in (ours, usual)]
    assert found[0] == found[1]
    assert found[0] == how or how == "as asyncio's"


def test_time_limit__outside_of_a_task() -> None:
    """Without a task there is nothing that could be ended."""

    async def go() -> str:
        done: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def call() -> None:
            with pytest.raises(RuntimeError, match="a time limit is for a task"), TimeLimit(LIMIT_S):
                pass
            done.set_result("refused")

        asyncio.get_running_loop().call_soon(call)
        return await done

    assert run_virtual(go()) == "refused"
