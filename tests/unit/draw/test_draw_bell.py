"""Workers that wait."""

from __future__ import annotations

import asyncio

from support.drawing import FakeClock, run_virtual

from evalaction.draw.bell import NEVER, Bell


async def waiting(bell: Bell, *until: float) -> list[asyncio.Task[float]]:
    """Let so many workers wait, and return them; each comes to the time at which it was woken."""

    async def worker(at: float) -> float:
        await bell.wait(at)
        return asyncio.get_running_loop().time()

    tasks = [asyncio.ensure_future(worker(at)) for at in until]
    await asyncio.sleep(0)
    return tasks


def test_bell__time() -> None:
    """Everybody is woken at the earliest time that anybody waits for."""

    async def go() -> list[float]:
        return await asyncio.gather(*await waiting(Bell(FakeClock()), NEVER, 7.0, 3.0, 9.0))

    assert run_virtual(go()) == [3.0] * 4


def test_bell__earlier() -> None:
    """An earlier time takes the place of the one that was set, and a later one does not."""

    async def go() -> list[float]:
        bell = Bell(FakeClock())
        tasks = await waiting(bell, 7.0)
        bell.set(5.0)
        bell.set(6.0)
        return await asyncio.gather(*tasks)

    assert run_virtual(go()) == [5.0]


def test_bell__woken() -> None:
    """As many are woken as was asked, those who have waited longest; one that was cancelled is none of them."""

    async def go() -> list[float]:
        bell = Bell(FakeClock())
        tasks = await waiting(bell, NEVER, NEVER, NEVER, 4.0)
        tasks[0].cancel()
        await asyncio.sleep(1)
        bell.wake(2)
        await asyncio.sleep(1)
        return await asyncio.gather(*tasks[1:])

    assert run_virtual(go()) == [1.0, 4.0, 4.0]


def test_bell__nobody() -> None:
    """Where nobody waits, no time is set and nothing is woken; a closed one rings no more."""

    async def go() -> int:
        bell = Bell(FakeClock())
        bell.set(5.0)
        bell.wake()
        (task,) = await waiting(bell, 6.0)
        bell.close()
        await asyncio.sleep(10)
        assert not task.done()
        bell.wake()
        await task
        return len(asyncio.all_tasks())

    assert run_virtual(go()) == 1
