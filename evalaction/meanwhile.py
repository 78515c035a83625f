"""Work that is done while replies are awaited, so that no request leaves later for it. Pure, but for the event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

WAITING = 100
"""Pieces of work that may wait; where more come, the oldest is done at once, so that memory stays bounded."""


class Meanwhile:
    """Does pieces of work in their order, one at a time, when no reply has come that could be seen to first."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], object]] = deque()
        self._came = self._awake = False
        self._fault: Exception | None = None

    def do(self, work: Callable[[], object]) -> None:
        """Have a piece of work done in its turn; in ``finish`` at the latest.

        Args:
            work: may have more of it done.

        Raises:
            Exception: what an earlier piece raised. Nothing is done after it.
        """
        self._waiting.append(work)
        self._came = True
        if len(self._waiting) > WAITING:
            self._next()
        self._raise()
        if not self._awake:
            self._awake = True
            asyncio.get_running_loop().call_soon(self._turn)

    def finish(self) -> None:
        """Do what is still waiting.

        Raises:
            Exception: what this or an earlier piece raised.
        """
        while self._waiting:
            self._next()
        self._raise()

    def _turn(self) -> None:
        """Do a piece, unless something has come since the last turn: there may be more, and it goes first."""
        if not self._came and self._waiting:
            self._next()
        self._came = False
        self._awake = bool(self._waiting)
        if self._awake:
            asyncio.get_running_loop().call_soon(self._turn)

    def _next(self) -> None:
        try:
            self._waiting.popleft()()
        except Exception as fault:  # noqa: BLE001 - the event loop would write it down and go on
            self._fault = fault
            self._waiting.clear()

    def _raise(self) -> None:
        if self._fault is not None:
            raise self._fault
