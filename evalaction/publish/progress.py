"""How far a run is: a live bar on a terminal, a few lines in a log. I/O: writes to the stream it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from evalaction.records.draw import Draw, Failure

if TYPE_CHECKING:
    from rich.console import Console

LINES = 10
"""Lines that a log gets at most, however many draws there are; and as many of pauses."""
LONG_S = 5.0
"""A pause of so many seconds is told in a log."""


class PlainProgress:
    """A line now and then."""

    def __init__(self, stream: TextIO) -> None:
        """Write to ``stream``."""
        self._stream = stream
        self._total = self._done = self._missing = self._said = self._pauses = 0

    def start(self, total: int) -> None:
        """Begin."""
        self._total, self._done, self._missing, self._said = total, 0, 0, 0

    def draw(self, draw: Draw) -> None:
        """Count a draw; write a line for every tenth of them."""
        self._done += 1
        # What is asked once more, since its reply could not be read, was in no plan.
        self._total = max(self._total, self._done)
        self._missing += draw.failure is not None
        if self._done * LINES // max(self._total, 1) > self._said * LINES // max(self._total, 1):
            self._say()

    def pause(self, failure: Failure, seconds: float) -> None:
        """Write a line, where it is long."""
        if seconds >= LONG_S and self._pauses < LINES:
            self._pauses += 1
            self._stream.write(f"{waiting(failure, seconds)}\n")
            self._stream.flush()

    def finish(self) -> None:
        """Write the last line, unless it stands there."""
        if self._total and self._said != self._done:
            self._say()
        self._stream.flush()

    def _say(self) -> None:
        self._said = self._done
        gaps = f", {missing(self._missing)}" if self._missing else ""
        self._stream.write(f"requests {self._done:,} of {self._total:,}{gaps}\n")
        self._stream.flush()


class LiveProgress:
    """A bar that is gone when the drawing is over."""

    def __init__(self, console: Console) -> None:
        """Draw on ``console``."""
        from rich.progress import (  # noqa: PLC0415 - heavy, and not needed in a log
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        self._bar = Progress(
            TextColumn("requests"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._total = self._done = self._missing = 0

    def start(self, total: int) -> None:
        """Show an empty bar."""
        self._total, self._done, self._missing = total, 0, 0
        self._task = self._bar.add_task("", total=total)
        self._bar.start()

    def draw(self, draw: Draw) -> None:
        """Count a draw."""
        self._missing += draw.failure is not None
        self._done += 1
        self._total = max(self._total, self._done)
        self._bar.update(self._task, completed=self._done, total=self._total, description=missing(self._missing))

    def pause(self, failure: Failure, seconds: float) -> None:
        """Say so, until the next draw."""
        self._bar.update(self._task, description=waiting(failure, seconds))

    def finish(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def missing(number: int) -> str:
    """Return ``3 missing``, or nothing while none is."""
    return f"{number:,} missing" if number else ""


def waiting(failure: Failure, seconds: float) -> str:
    """Return ``waiting 20 s before the next request: HTTP 429``: words of ours alone, whatever an endpoint wrote."""
    from evalaction.report.spent import seconds as duration  # noqa: PLC0415 - seldom needed, and not at the start

    return f"waiting {duration(seconds)} before the next request: {failure.counted_as}"


def progress_on(stream: TextIO) -> PlainProgress | LiveProgress:
    """Return what suits ``stream``: a live bar on a terminal, lines otherwise."""
    if not stream.isatty():
        return PlainProgress(stream)
    from evalaction.publish.terminal import console_for  # noqa: PLC0415 - only a terminal needs it

    return LiveProgress(console_for(stream))
