"""Records on the disk: what is read again is what was kept."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grading import draw_of
from support.ledgers import REPLIES

from evalaction.records.draw import Draw, Reply
from evalaction.redact import Redactor
from evalaction.spool import Spool, Spooled


def spooled(*items: Draw) -> Spooled[Draw]:
    """Return records that are all on the disk."""
    spool = Spool()
    return Spooled(spool, [spool.keep(item) for item in items])


@given(st.lists(REPLIES))
def test_keep__round_trip(replies: list[Reply]) -> None:
    """Whatever is kept is read again exactly, one by one, all of it, and in parts."""
    items = tuple(draw_of(reply, index=index) for index, reply in enumerate(replies, 1))
    kept = spooled(*items)
    assert items == tuple(kept)
    assert kept == items
    assert (len(items), items[1:3], hash(items)) == (len(kept), kept[1:3], hash(kept))
    assert list(items) == [kept[place] for place in range(len(items))]


def test_keep__large() -> None:
    """A record of any size is one record."""
    items = tuple(draw_of(Reply(text="x" * size, finish_reason="stop")) for size in (0, 4_000, 5_000, 3_000_000, 1))
    assert items == tuple(spooled(*items))


def test_spool__nowhere_to_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has no name: nobody else can open it, and nothing is left of it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    kept = spooled(draw_of(None))
    assert ([], 1) == (list(tmp_path.iterdir()), len(kept))


@pytest.mark.parametrize("written", [None, 3])
def test_keep__full_disk(monkeypatch: pytest.MonkeyPatch, written: int | None) -> None:
    """Where the disk takes no more, a record stays in memory, and nothing is lost."""
    spool, write = Spool(), os.pwrite

    def full(descriptor: int, data: bytes, place: int) -> int:
        if written is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:written], place)

    first, second, third = (draw_of(None, index=index) for index in (1, 2, 3))
    items = [spool.keep(first)]
    monkeypatch.setattr(os, "pwrite", full)
    items.append(spool.keep(second))
    monkeypatch.undo()
    items.append(spool.keep(third))
    assert items[1] is second
    assert (first, second, third) == tuple(Spooled(spool, items))


def test_redact__spooled() -> None:
    """What takes keys out leaves records on the disk alone: they are without keys already."""
    kept = spooled(draw_of(None))
    assert Redactor(["a-secret-key"]).value(kept) is kept
