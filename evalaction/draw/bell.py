"""Where workers wait that have nothing to send: until somebody wakes them, or until it is time.

I/O: waits on the clock that it is given.
"""

from __future__ import annotations

import asyncio
from collections import deque

from evalaction.draw.clock import Clock

NEVER = float("inf")


class Bell:
    """One for all workers of a run. Whoever is woken looks again whether there is something to send."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sleepers: deque[asyncio.Future[None]] = deque()
        self._alarm: asyncio.Future[None] | None = None
        self._at = NEVER

    async def wait(self, until: float) -> None:
        """Wait until woken.

        Args:
            until: clock time at which everybody is woken at the latest; ``NEVER`` for none.
        """
        sleeper = asyncio.get_running_loop().create_future()
        self._sleepers.append(sleeper)
        self.set(until)
        await sleeper

    def set(self, at: float) -> None:
        """Wake everybody at the clock time ``at``, where anybody waits; an earlier time that was set before holds."""
        if at < self._at and self._sleepers:
            self.close()
            self._at = at
            self._alarm = asyncio.ensure_future(self._ring(at))

    def wake(self, most: int | None = None) -> None:
        """Wake those who have waited longest.

        Args:
            most: how many; None for all.
        """
        for _ in range(len(self._sleepers) if most is None else min(most, len(self._sleepers))):
            sleeper = self._sleepers.popleft()
            if not sleeper.done():  # not cancelled
                sleeper.set_result(None)

    def close(self) -> None:
        """Set no time any more."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm, self._at = None, NEVER

    async def _ring(self, at: float) -> None:
        await self._clock.sleep(max(0.0, at - self._clock.now()))
        self._alarm, self._at = None, NEVER
        self.wake()
