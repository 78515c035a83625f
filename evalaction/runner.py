"""A run with the machine's own network, clock and signals: what both doors and the demo share.

I/O: sends requests, takes over SIGINT and SIGTERM while it draws.
"""

from __future__ import annotations

import asyncio
import platform
import random
import signal
from contextlib import suppress

from evalaction import __version__
from evalaction.check import Drawing, Prepared, Watcher, run
from evalaction.draw.client import make_client
from evalaction.draw.clock import SystemClock
from evalaction.draw.endpoint import Target
from evalaction.records.report import Report

VERSIONS = (("evalaction", __version__), ("python", platform.python_version()))


def measure(prepared: Prepared, *, target: Target | None, watcher: Watcher) -> Report:
    """Draw, grade and report.

    An interrupt (Ctrl-C, a cancelled job) ends the drawing; the report then holds what there is.

    Args:
        prepared: what to draw.
        target: where; None when nothing is to be drawn, and then nothing is sent.
        watcher: told of each draw as it comes.

    Raises:
        BadInput: a case cannot be sent, or the environment's proxy or certificates cannot be used.
    """
    return asyncio.run(_measure(prepared, target, watcher))


async def _measure(prepared: Prepared, target: Target | None, watcher: Watcher) -> Report:
    if target is None:
        return await run(prepared, drawing=None, watcher=watcher, versions=VERSIONS)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError):  # another platform, or not the main thread
            loop.add_signal_handler(number, stop.set)
    async with make_client(prepared.settings.limits) as client:
        drawing = Drawing(target=target, client=client, clock=SystemClock(), rng=random.Random(), stop=stop)  # noqa: S311 - jitter
        return await run(prepared, drawing=drawing, watcher=watcher, versions=VERSIONS)
