"""The file of a ledger: opened for one run alone, read through once, appended to a line at a time.

A line is handed to the system whole, by one call, before the draw is used for anything: a run that is killed loses
none. The disk is waited for at the end alone, so that a machine that loses its power may lose the last seconds.

I/O: reads and writes the one file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from evalaction.errors import BadInput, Problem
from evalaction.ledger.line import BEGINNING, MAX_LINE, Began, Entry, Unusable, read_line, write_line
from evalaction.ledger.place import refused, unusable

MAX_LINES = 1_000_000
"""Of one ledger: what is remembered of each is a few hundred bytes."""
_FLAGS = ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK")
_OTHERS = 0o077


class LedgerFile:
    """An open ledger. Close it (``with``): until then no other run can use it."""

    def __init__(self, path: Path, descriptor: int, *, began: Began, now: Callable[[], datetime]) -> None:
        """Take over an open and locked file; ``open_file`` is what makes one."""
        self.path = path
        """Where it is."""
        self._descriptor = descriptor
        self._began = began
        self._now = now
        self._places: dict[bytes, int] = {}
        self._later: dict[bytes, list[int]] = {}
        self._begun = False
        self._broken = False
        self._end = 0
        self.begun: dict[str, str] = {}
        """When each earlier run began, by run."""
        self.notes: dict[str, None] = {}
        """What a reader must know of the file, each once, in order."""

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it, and let other runs use it."""
        os.close(self._descriptor)

    @property
    def is_empty(self) -> bool:
        """Whether no draw of an earlier run is left in it."""
        return not self._places

    def holds(self, key: bytes) -> bool:
        """Return whether a draw of an earlier run is left that was asked for what has this key."""
        return key in self._places

    def take(self, key: bytes) -> Entry | None:
        """Return a draw of an earlier run, the earliest's first, and never again; None where none is left."""
        place = self._places.pop(key, None)
        if place is None:
            return None
        if key in self._later:
            self._places[key] = self._later[key].pop(0)
            if not self._later[key]:
                del self._later[key]
        try:
            entry = read_line(self._line_at(place))
        except (Unusable, OSError):
            entry = None
        if isinstance(entry, Entry) and entry.asked.key == key:
            return entry
        self.note(f"The ledger {self.path} was changed while it was in use: what is not there any more was drawn.")
        return None

    def append(self, make: Callable[[str, str], Entry]) -> None:
        """Append a draw; where the disk takes no more, or the line would be too long, it is not kept.

        Args:
            make: returns the line, given the id of the run and the time.
        """
        if self._broken:
            return
        line = write_line(make(self._began.run, self._now().isoformat(timespec="milliseconds")))
        if len(line) > MAX_LINE:
            self.note(f"Draws of more than {MAX_LINE:,} bytes are not kept in the ledger {self.path}.")
            return
        try:
            if not self._begun:
                self._write(write_line(self._began))
                self._begun = True
            self._write(line)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self._broken = True
            self.note(f"The ledger {self.path} could not be written any more ({reason}): it lacks later draws.")

    def settle(self) -> None:
        """Wait until the disk has everything."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self.note(f"Whether the disk holds all of the ledger {self.path} is not known ({reason}).")

    def read(self) -> None:
        """Read the file through, remember where its draws stand, and cut off a last line that is not whole.

        Raises:
            BadInput: a line is not one that evalaction wrote, naming it; nothing is changed then.
        """
        for number, place, raw in self._lines():
            if number > MAX_LINES:
                raise refused(self.path, f"has more than {MAX_LINES:,} lines")
            if not raw.endswith(b"\n"):
                self._drop(place, raw, number)
                return
            try:
                line = read_line(raw)
            except Unusable as error:
                raise self._bad(number, f"this line {error}") from None
            if isinstance(line, Began):
                self.begun.setdefault(line.run, line.began)
                continue
            if line.run not in self.begun:
                raise self._bad(number, "the first line of this draw's run is missing")
            self._remember(line.asked.key, place)

    def _remember(self, key: bytes, place: int) -> None:
        if key in self._places:
            self._later.setdefault(key, []).append(place)
        else:
            self._places[key] = place

    def _lines(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield the number of each line, where it begins, and the line."""
        place = number = 0
        with open(self._descriptor, "rb", buffering=1 << 20, closefd=False) as file:
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                if len(raw) > MAX_LINE:
                    raise self._bad(number, f"this line has more than {MAX_LINE:,} bytes")
                yield number, place, raw
                place += len(raw)
                self._end = place

    def _drop(self, place: int, raw: bytes, number: int) -> None:
        # Before a first whole line it may be anybody's file.
        if number == 1 and not raw.startswith(BEGINNING[: len(raw)]):
            raise self._bad(number, "this line was changed or damaged, or is no line of a ledger")
        os.ftruncate(self._descriptor, place)
        self._end = place
        self.note(
            f"The last line of the ledger {self.path} was cut short, as when a machine stops in the middle of "
            "writing; it was dropped."
        )

    def _line_at(self, place: int) -> bytes:
        parts: list[bytes] = []
        size = 1 << 13
        while sum(map(len, parts)) <= MAX_LINE:
            part = os.pread(self._descriptor, size, place + sum(map(len, parts)))
            end = part.find(b"\n") + 1
            parts.append(part[:end] if end else part)
            if end or not part:
                break
            size = 1 << 20
        return b"".join(parts)

    def _write(self, line: bytes) -> None:
        """Append a whole line, or nothing."""
        try:
            written = os.write(self._descriptor, line)
        except OSError:
            self._cut_back()
            raise
        if written < len(line):
            self._cut_back()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._end += len(line)

    def _cut_back(self) -> None:
        with suppress(OSError):  # a part of a line at the end is dropped when the file is read again
            os.ftruncate(self._descriptor, self._end)

    def _bad(self, number: int, what: str) -> BadInput:
        remedy = "Remove the line, so that its draw is made again, or name another file with ledger (--ledger)."
        return BadInput(Problem(path=str(self.path), line=number, message=f"{what}.", remedy=remedy))

    def note(self, said: str) -> None:
        """Say something of the file, once."""
        self.notes[said] = None


def open_file(
    path: Path, *, resume: bool, began: Began, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> LedgerFile:
    """Open a ledger, or begin one, and keep every other run from it.

    Args:
        path: see ``check_place``.
        resume: whether it may hold draws of earlier runs, which are then there to be taken.
        began: the first line of this run; written before its first draw.
        now: says what time it is, in UTC.

    Raises:
        BadInput: it cannot be opened, is in use, holds draws and is not to be resumed, or holds what evalaction did
            not write.
    """
    descriptor = _open(path)
    try:
        _check_file(path, descriptor)
        _lock(path, descriptor)
        file = LedgerFile(path, descriptor, began=began, now=now)
        _begin(file, path, resume=resume, empty=os.fstat(descriptor).st_size == 0)
        _close_to_others(path, descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return file


def _begin(file: LedgerFile, path: Path, *, resume: bool, empty: bool) -> None:
    if not empty and not resume:
        remedy = "Name another file, or give --resume (the input resume) to go on with that run."
        raise BadInput(Problem(path=str(path), message="the ledger holds draws of an earlier run.", remedy=remedy))
    if not empty:
        file.read()
    elif resume:
        file.note(f"There was nothing to resume in the ledger {path}: it was begun.")


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    for name in _FLAGS:
        flags |= getattr(os, name, 0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, 0o600)
    except (OSError, ValueError) as error:
        raise unusable(path, error) from error


def _check_file(path: Path, descriptor: int) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise refused(path, "is no file")


def _close_to_others(path: Path, descriptor: int) -> None:
    """Let nobody else read what is a ledger beyond doubt by now."""
    if os.fstat(descriptor).st_mode & _OTHERS:  # as it comes out of an archive
        try:
            os.fchmod(descriptor, 0o600)
        except OSError as error:
            raise unusable(path, error) from error


def _lock(path: Path, descriptor: int) -> None:
    try:
        import fcntl  # noqa: PLC0415 - there is none on some systems

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise refused(path, "is in use by another run") from None
    except ImportError:
        raise refused(path, "cannot be locked on this system") from None
    except OSError as error:
        raise unusable(path, error) from error
