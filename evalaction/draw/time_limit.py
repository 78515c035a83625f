"""A limit on how long each of many waits may take, one after the other. I/O: the event loop's timers."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import cast


class TimeLimit:
    """What ``asyncio.timeout`` does, for one task again and again, with one timer.

    That one makes and drops a timer for each wait, which is 5 % of what a request costs. This one's timer looks, when
    it goes off, whether the wait that goes on now began long enough ago, and is set anew where it did not.
    """

    def __init__(self, seconds: float) -> None:
        """Limit nothing yet.

        Args:
            seconds: that each ``with`` may take, more than 0; then it raises ``TimeoutError``.
        """
        self._seconds = seconds
        self._until: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._expired = False
        self._requests = 0
        self._task = cast("asyncio.Task[object]", None)

    def __enter__(self) -> None:
        """Begin to wait, in a task."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        if task is None:
            raise RuntimeError("a time limit is for a task")
        self._task, self._requests = task, task.cancelling()
        self._until = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_at(self._until, self._look, loop)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """End the wait; turn the cancellation that was this limit's own into ``TimeoutError``."""
        self._until = None
        if self._expired:
            self._expired = False
            if self._task.uncancel() <= self._requests and kind is asyncio.CancelledError:
                raise TimeoutError from error

    def close(self) -> None:
        """Set no timer any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        if self._until is None:
            return
        if loop.time() < self._until:
            self._timer = loop.call_at(self._until, self._look, loop)
        else:
            self._expired = True
            self._task.cancel()
