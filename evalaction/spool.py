"""Many records of a run, kept on the disk: what is needed of them again is read again.

I/O: one temporary file without a name, which nobody else can open and which is gone when the run is. Python's own
format is good enough for it, since nobody else wrote what is read.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, cast, overload

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_SIZE = 4
"""Bytes that say how long a record is."""
_AT_ONCE = 4_096
"""Bytes that are read in one go: most records have fewer."""


class Spool:
    """Records in a file, each found by its place."""

    def __init__(self) -> None:
        """Open the file."""
        with tempfile.TemporaryFile(buffering=0) as file:
            self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)  # records are read for as long as anybody holds them
        self._end = 0

    def keep(self, item: T) -> int | T:
        """Write a record down.

        Returns:
            Its place; or the record itself where the disk takes no more.
        """
        content = pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL)
        record = len(content).to_bytes(_SIZE) + content
        try:
            written = os.pwrite(self._descriptor, record, self._end)
        except OSError:
            return item
        if written < len(record):
            return item
        place, self._end = self._end, self._end + written
        return place

    def read(self, place: int) -> Any:
        """Return the record at a place."""
        record = os.pread(self._descriptor, _AT_ONCE, place)
        size = _SIZE + int.from_bytes(record[:_SIZE])
        while len(record) < size:
            record += os.pread(self._descriptor, size - len(record), place + len(record))
        return pickle.loads(record[_SIZE:size])  # noqa: S301 - this process wrote it


class Spooled(Sequence[T_co]):
    """Records of which most are in a spool. Each is another object whenever it is read, and equal to what it was."""

    __slots__ = ("_items", "_spool")

    def __init__(self, spool: Spool, items: Sequence[int | T_co]) -> None:
        """Take the places of records, or records themselves, in order."""
        self._spool = spool
        self._items = tuple(items)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._items)

    def __iter__(self) -> Iterator[T_co]:
        """Read one after the other."""
        return map(self._read, self._items)

    @overload
    def __getitem__(self, place: int) -> T_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, place: int | slice) -> T_co | tuple[T_co, ...]:
        """Read one, or some."""
        if isinstance(place, slice):
            return tuple(map(self._read, self._items[place]))
        return self._read(self._items[place])

    def __eq__(self, other: object) -> bool:
        """Compare what it holds, with a tuple as well."""
        return tuple(self) == tuple(other) if isinstance(other, Spooled | tuple) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of what it holds."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Render what it holds."""
        return f"Spooled({list(self)!r})"

    def _read(self, item: int | T_co) -> T_co:
        return cast("T_co", self._spool.read(item)) if isinstance(item, int) else item
