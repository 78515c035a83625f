"""A run with the machine's own network, clock and signals: what both doors and the demo share.

I/O: sends requests, takes over SIGINT and SIGTERM while it draws.
"""

from __future__ import annotations

import asyncio
import platform
import random
import signal
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from evalaction import __version__
from evalaction.check import Drawing, Prepared, Watcher, run
from evalaction.draw.client import make_client
from evalaction.draw.clock import SystemClock
from evalaction.draw.endpoint import Target
from evalaction.errors import EvalactionError, ExitCode
from evalaction.records.report import Report
from evalaction.redact import Redactor
from evalaction.report.untrusted import log_line

VERSIONS = (("evalaction", __version__), ("python", platform.python_version()))


def measure(prepared: Prepared, *, target: Target | None, watcher: Watcher) -> Report:
    """Draw, grade and report.

    An interrupt (Ctrl-C, a cancelled job) ends the drawing; the report then holds what there is. A second one
    ends the run without a report: grading can take long, and must not swallow it.

    Args:
        prepared: what to draw.
        target: where; None when nothing is to be drawn, and then nothing is sent.
        watcher: told of each draw as it comes.

    Raises:
        BadInput: a case cannot be sent, or the environment's proxy or certificates cannot be used.
    """
    return asyncio.run(_measure(prepared, target, watcher))


def ending(error: BaseException, *, secrets: Iterable[str]) -> tuple[list[str], ExitCode]:
    """Return what a door says of an exception that ended its run, and its exit code.

    A fault of ours is told with its traceback and ends as not measured: exit code 1 means that a gate failed.

    Args:
        error: what was raised.
        secrets: taken out of the lines.
    """
    if isinstance(error, EvalactionError):
        lines, code = [f"error: {problem}" for problem in error.problems], error.exit_code
    elif isinstance(error, KeyboardInterrupt):
        lines, code = ["error: The run was interrupted."], ExitCode.INTERRUPTED
    else:
        lines = "".join(traceback.format_exception(error)).splitlines()
        lines.append("error: This is a fault of evalaction itself. Please report it with the lines above.")
        code = ExitCode.NOT_MEASURED
    redactor = Redactor(secrets)
    return [log_line(redactor.text(line)) for line in lines], code


async def _measure(prepared: Prepared, target: Target | None, watcher: Watcher) -> Report:
    if target is None:
        return await run(prepared, drawing=None, watcher=watcher, versions=VERSIONS)
    stop = asyncio.Event()
    with _stopping(stop):
        async with make_client(prepared.settings.limits) as client:
            rng = random.Random()  # noqa: S311 - jitter
            drawing = Drawing(target=target, client=client, clock=SystemClock(), rng=rng, stop=stop)
            return await run(prepared, drawing=drawing, watcher=watcher, versions=VERSIONS)


@contextmanager
def _stopping(stop: asyncio.Event) -> Iterator[None]:
    """Let the first SIGINT or SIGTERM set ``stop``, and the second one raise ``KeyboardInterrupt`` as usual."""
    loop = asyncio.get_running_loop()

    # Not the loop's own handlers: those run between two steps of the loop, and grading is one long step.
    def first(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.default_int_handler)
        loop.call_soon_threadsafe(stop.set)

    before = {}
    with suppress(ValueError):  # not the main thread
        before = {number: signal.signal(number, first) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
