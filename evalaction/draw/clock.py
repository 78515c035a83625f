"""Time, as the drawing sees it: monotonic seconds, waiting, and the date that HTTP headers refer to."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What a run needs of time."""

    def now(self) -> float:
        """Return monotonic seconds from an arbitrary start."""

    def wall(self) -> datetime:
        """Return the current date, with a time zone."""

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``, 0 or more."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Return monotonic seconds from an arbitrary start."""
        return time.monotonic()

    def wall(self) -> datetime:
        """Return the current date, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``, 0 or more."""
        await asyncio.sleep(seconds)
