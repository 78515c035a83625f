"""A run with the machine's own network, clock and signals: what both doors and the demo share.

I/O: sends requests, runs commands, keeps a ledger, takes over the signals that end a run in the meantime.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from evalaction import __version__
from evalaction.check import Prepared, run
from evalaction.doors import give_back, hold_signals, is_echo, is_to_end, take_signals
from evalaction.grade.closing import private_places
from evalaction.meanwhile import Meanwhile
from evalaction.measuring import Drawing, Watcher
from evalaction.records.report import CaseResult, Report
from evalaction.targets import Targets

if TYPE_CHECKING:
    from evalaction.ledger.book import Ledger
    from evalaction.publish.pieces import Pieces

_SENT_S = 0.02
"""Within so many seconds the first requests are sent, and hardly a reply has come."""
AHEAD = ("draw.answered", "grading", "report.assemble", "publish.pieces", "publish.desk")
"""What a run needs for its replies, and at its end."""
VERSIONS = (("evalaction", __version__), ("python", sys.version.split()[0]))


def measure(
    prepared: Prepared, *, targets: Targets, watcher: Watcher, pieces: Callable[[], Pieces] | None = None
) -> Report:
    """Draw, grade and report.

    An interrupt (Ctrl-C, a cancelled job) ends the drawing; the report then holds what there is. A second one
    ends the run without a report: grading can take long, and must not swallow it.

    Args:
        prepared: what to draw.
        targets: where; with neither, nothing is sent.
        watcher: told of each draw as it comes.
        pieces: gives that in which cases are written as they are graded, the same each time; None: none is.

    Raises:
        BadInput: a case cannot be sent, the environment's proxy or certificates cannot be used, or the ledger cannot.
    """
    # What is loaded and begun until requests can be sent is not to be left in the middle.
    before = hold_signals()
    try:
        return asyncio.run(_measure(prepared, targets, watcher, pieces))
    finally:
        give_back(before)


async def _measure(
    prepared: Prepared, targets: Targets, watcher: Watcher, pieces: Callable[[], Pieces] | None
) -> Report:
    if targets.draws is None and targets.judge is None:
        return await run(prepared, drawing=None, watcher=watcher, versions=VERSIONS)
    from evalaction.draw.client import make_client  # noqa: PLC0415 - httpx, where something is drawn alone
    from evalaction.draw.clock import SystemClock  # noqa: PLC0415 - the same

    settings = prepared.settings
    private = private_places(os.environ, folders=(settings.repo, settings.report_dir))
    stop, loop, meanwhile = asyncio.Event(), asyncio.get_running_loop(), Meanwhile()

    def write(result: CaseResult) -> None:
        if pieces is not None:
            meanwhile.do(lambda: pieces().add(result))

    with _stopping(stop), _ledger_of(prepared, targets) as ledger:
        async with make_client(settings.limits) as client:
            drawing = Drawing(
                targets=targets,
                client=client,
                clock=SystemClock(),
                rng=random.Random(),  # noqa: S311 - jitter
                stop=stop,
                private=private,
                meanwhile=meanwhile,
                ledger=ledger,
                on_case=write,
            )
            # Counted from when everything is planned: what is loaded before a request is sent delays it.
            loop.call_soon(loop.call_later, _SENT_S, _load_ahead, meanwhile)
            return await run(prepared, drawing=drawing, watcher=watcher, versions=VERSIONS)


def _load_ahead(meanwhile: Meanwhile) -> None:
    """Have that loaded, a module and what it imports at a time, while the first replies are awaited."""
    for name in AHEAD:
        meanwhile.do(partial(import_module, f"evalaction.{name}"))


def _ledger_of(prepared: Prepared, targets: Targets) -> AbstractContextManager[Ledger | None]:
    """Open the ledger, where one is kept."""
    settings = prepared.settings
    if settings.ledger is None:
        return nullcontext()
    from evalaction.ledger.book import open_ledger  # noqa: PLC0415 - where one is kept alone

    return open_ledger(
        Path(settings.ledger),
        resume=settings.resume,
        targets=targets,
        within=Path(settings.repo),
        report_dir=Path(settings.report_dir),
        trees=[tree for tree in (prepared.pair.base, prepared.pair.head) if tree is not None],
    )


@contextmanager
def _stopping(stop: asyncio.Event) -> Iterator[None]:
    """Let the first signal that ends a run set ``stop``, and the second one raise ``KeyboardInterrupt``."""
    loop = asyncio.get_running_loop()

    # Not the loop's own handlers: those run between two steps of the loop, and grading is one long step.
    def heard(number: int, frame: FrameType | None) -> None:
        if is_echo():
            return
        if number in asked:
            signal.default_int_handler(number, frame)
        asked.add(number)
        loop.call_soon_threadsafe(stop.set)

    asked: set[int] = set()
    before = take_signals(heard)
    if is_to_end():  # and was not heard of
        stop.set()
    try:
        yield
    finally:
        give_back(before)
