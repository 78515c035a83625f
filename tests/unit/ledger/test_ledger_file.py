"""The file of a ledger: who may use it, what is taken from it, and what is refused."""

from __future__ import annotations

import errno
import json
import os
import stat
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.ledgers import URL, began, draw_of, ledger_at, make_call

from evalaction.errors import BadInput
from evalaction.ledger import file as ledger_file
from evalaction.ledger.file import open_file
from evalaction.ledger.line import write_line
from evalaction.records.draw import Call, Draw

CALLS = [make_call(name, index) for index in (1, 2) for name in ("a", "é")]
NAME = "draws.jsonl"


def filled(path: Path, calls: list[Call] | None = None) -> bytes:
    """Write a ledger of one run, and return its bytes."""
    with ledger_at(path) as ledger:
        book = ledger.at(URL)
        for call in CALLS if calls is None else calls:
            book.add(call, [draw_of(call)])
    return path.read_bytes()


def found(path: Path) -> tuple[list[tuple[Draw, ...] | None], tuple[str, ...]]:
    """Resume a ledger, and return what is found of every call, and what is said of it."""
    with ledger_at(path, run="run-2", resume=True) as ledger:
        book = ledger.at(URL)
        return [book.find(call) for call in CALLS], ledger.notes


def test_open_file__new(tmp_path: Path) -> None:
    """A new ledger is the owner's alone, has its folders made, and one line for the run and one for each draw."""
    path = tmp_path / "deep" / "er" / NAME
    raw = filled(path)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    lines = [json.loads(line) for line in raw.splitlines()]
    assert {"evalaction_ledger": 1, "run": "run-1"} == {name: lines[0][name] for name in ("evalaction_ledger", "run")}
    assert [(call.id, call.index) for call in CALLS] == [(line["id"], line["index"]) for line in lines[1:]]
    assert ["2026-01-02T03:04:05.000+00:00", "2026-01-02T03:04:06.000+00:00"] == [line["at"] for line in lines[1:3]]


def test_open_file__nothing_drawn(tmp_path: Path) -> None:
    """A run that draws nothing leaves an empty file, which is no obstacle to the next one."""
    assert b"" == filled(tmp_path / NAME, [])
    assert b"" != filled(tmp_path / NAME)


def test_open_file__from_an_archive(tmp_path: Path) -> None:
    """A file that everybody may read, as it comes out of an archive, is the owner's alone again."""
    path = tmp_path / NAME
    path.touch()
    path.chmod(0o666)
    filled(path)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("resume", [False, True])
def test_open_file__stranger(tmp_path: Path, resume: bool) -> None:
    """A file that is no ledger, or not to be gone on with, stays as it is, its mode included."""
    path = tmp_path / NAME
    path.write_bytes(b"{}\n")
    path.chmod(0o644)
    with pytest.raises(BadInput), ledger_at(path, resume=resume):
        pass
    assert (0o644, b"{}\n") == (stat.S_IMODE(path.stat().st_mode), path.read_bytes())


def test_open_file__not_resumed(tmp_path: Path) -> None:
    """Without being asked to, no run takes a draw of another: a ledger that holds any is an error."""
    path = tmp_path / NAME
    before = filled(path)
    with pytest.raises(BadInput) as caught:
        open_file(path, resume=False, began=began())
    expected = (
        f"{path}: the ledger holds draws of an earlier run. Name another file, or give --resume (the input resume) to "
        "go on with that run."
    )
    assert (expected, before) == (str(caught.value), path.read_bytes())


def test_open_file__nothing_to_resume(tmp_path: Path) -> None:
    """Where there is nothing to resume, a ledger is begun, and that is said."""
    path = tmp_path / NAME
    assert ([None] * 4, (f"There was nothing to resume in the ledger {path}: it was begun.",)) == found(path)


def test_find__another_run(tmp_path: Path) -> None:
    """Draws of an earlier run are found whole, each with the run that made it, and the next run finds both runs'."""
    path = tmp_path / NAME
    filled(path, CALLS[:2])
    first, notes = found(path)
    expected = [(draw,) for draw in map(draw_of, CALLS[:2])]
    assert [(replayed(draws[0]), "run-1") for draws in expected] == [
        (replayed(draws[0]), draws[0].replay_of) for draws in first if draws is not None
    ]
    assert (first[2:], notes) == ([None, None], ())
    with ledger_at(path, run="run-2", resume=True) as ledger:
        ledger.at(URL).add(CALLS[2], [draw_of(CALLS[2], "no")])
    then, _ = found(path)
    assert ["run-1", "run-1", "run-2", None] == [draws and draws[0].replay_of for draws in then]


def replayed(draw: Draw) -> tuple[Any, ...]:
    """Return a draw without the run that it comes from."""
    return (draw.path, draw.id, draw.index, draw.seed, draw.reply, draw.latency_s, draw.tries)


@settings(max_examples=150)
@given(data=st.data())
def test_open_file__cut_anywhere(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A file that is cut at any byte resumes: whole lines are found, the rest is made again, and a cut line is told."""
    path = tmp_path_factory.mktemp("cut") / NAME
    raw = filled(path)
    size = data.draw(st.integers(0, len(raw)))
    path.write_bytes(raw[:size])
    whole = raw[:size].count(b"\n")
    draws, notes = found(path)
    assert [index < whole - 1 for index in range(4)] == [each is not None for each in draws]
    said = {
        "whole": (),
        "cut": (
            f"The last line of the ledger {path} was cut short, as when a machine stops in the middle of writing; it "
            "was dropped.",
        ),
        "empty": (f"There was nothing to resume in the ledger {path}: it was begun.",),
    }
    kind = "empty" if size == 0 else "whole" if raw[:size].endswith(b"\n") else "cut"
    assert said[kind] == notes
    with ledger_at(path, run="run-2", resume=True) as ledger:
        book = ledger.at(URL)
        for call, draw in zip(CALLS, draws, strict=True):
            if draw is None:
                book.add(call, [draw_of(call)])
    assert [True] * 4 == [each is not None for each in found(path)[0]]


def with_line(raw: bytes, number: int, change: Callable[[bytes], bytes]) -> bytes:
    """Return a file with one line, from 1, changed."""
    lines = raw.splitlines(keepends=True)
    lines[number - 1] = change(lines[number - 1])
    return b"".join(lines)


DAMAGED = "this line was changed or damaged, or is no line of a ledger."
CHANGES: dict[str, tuple[int, Callable[[bytes], bytes], str]] = {
    "edited": (3, lambda line: line.replace(b"yes", b"no!"), DAMAGED),
    "not JSON": (2, lambda _: b"{\n", DAMAGED),
    "empty": (4, lambda _: b"\n", DAMAGED),
    "CRLF": (2, lambda line: line.replace(b"\n", b"\r\n"), DAMAGED),
    "cut in the middle": (3, lambda line: line[:40] + b"\n", DAMAGED),
    "another version": (
        1,
        lambda line: line.replace(b'ledger":1,', b'ledger":2,'),
        "this line was written by another version of evalaction.",
    ),
    "no first line": (1, lambda _: b"", "the first line of this draw's run is missing."),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_open_file__changed(tmp_path: Path, kind: str) -> None:
    """Anything in the file that evalaction did not write is one error with its line, and the file stays as it is."""
    number, change, message = CHANGES[kind]
    path = tmp_path / NAME
    path.write_bytes(with_line(filled(path), number, change))
    before = path.read_bytes()
    with pytest.raises(BadInput) as caught:
        open_file(path, resume=True, began=began())
    remedy = "Remove the line, so that its draw is made again, or name another file with ledger (--ledger)."
    assert (f"{path}:{number}: {message} {remedy}", before) == (str(caught.value), path.read_bytes())


def test_open_file__somebody_elses(tmp_path: Path) -> None:
    """A file that is no ledger is not cut, also where it has no line feed at its end."""
    path = tmp_path / NAME
    path.write_text("a shopping list")
    with pytest.raises(BadInput, match="is no line of a ledger"):
        open_file(path, resume=True, began=began())
    assert "a shopping list" == path.read_text()


def test_open_file__huge_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line without an end is not read to its end; a reply that would make one is not kept."""
    monkeypatch.setattr(ledger_file, "MAX_LINE", 1_000)
    path = tmp_path / NAME
    with ledger_at(path) as ledger:
        ledger.at(URL).add(CALLS[0], [draw_of(CALLS[0], "x" * 1_000)])
        ledger.at(URL).add(CALLS[1], [draw_of(CALLS[1])])
    raw = path.read_bytes()
    assert 2 == len(raw.splitlines())
    path.write_bytes(raw + b"x" * 1_001)
    with pytest.raises(BadInput, match=r"draws\.jsonl:3: this line has more than 1,000 bytes\."):
        open_file(path, resume=True, began=began())


def test_open_file__too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered of a ledger has a limit."""
    monkeypatch.setattr(ledger_file, "MAX_LINES", 4)
    filled(tmp_path / NAME)
    with pytest.raises(BadInput, match="the ledger has more than 4 lines"):
        open_file(tmp_path / NAME, resume=True, began=began())


def test_open_file__in_use(tmp_path: Path) -> None:
    """Two runs never share a ledger; when the first has ended, the second may go on."""
    path = tmp_path / NAME
    with ledger_at(path):
        for resume in (False, True):
            with pytest.raises(BadInput) as caught:
                open_file(path, resume=resume, began=began("run-2"))
            expected = f"{path}: the ledger is in use by another run. Name another file with ledger (--ledger)."
            assert expected == str(caught.value)
    filled(path)


def test_open_file__no_file(tmp_path: Path) -> None:
    """A link is not followed, and neither a folder, a pipe nor a device takes draws."""
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(tmp_path / "elsewhere")
    os.mkfifo(pipe)
    for path in (link, pipe, tmp_path, Path("/dev/null"), tmp_path / ("x" * 300), tmp_path / "a\0b"):
        with pytest.raises(BadInput, match=r"the ledger (cannot be used|is no file)"):
            open_file(path, resume=True, began=began())
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("written", [0, 20])
def test_append__no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int) -> None:
    """A full disk is said once and ends nothing; the file keeps whole lines alone."""
    path = tmp_path / NAME
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[:written])

    with ledger_at(path) as ledger:
        book = ledger.at(URL)
        book.add(CALLS[0], [draw_of(CALLS[0])])
        monkeypatch.setattr(os, "write", full)
        book.add(CALLS[1], [draw_of(CALLS[1])])
        monkeypatch.setattr(os, "write", write)
        book.add(CALLS[2], [draw_of(CALLS[2])])
        ledger.settle()
        said = f"The ledger {path} could not be written any more (No space left on device): it lacks later draws."
        assert (said,) == ledger.notes
    assert 2 == len(path.read_bytes().splitlines())
    assert [True, False, False, False] == [each is not None for each in found(path)[0]]


def test_find__changed_in_use(tmp_path: Path) -> None:
    """A file that is changed while it is in use gives nothing that is not what was read; the draw is made, and told."""
    path = tmp_path / NAME
    raw = filled(path)
    with ledger_at(path, run="run-2", resume=True) as ledger:
        path.write_bytes(with_line(raw, 2, lambda line: line.replace(b"yes", b"no!")))
        book = ledger.at(URL)
        assert [False, True] == [book.find(call) is not None for call in CALLS[:2]]
        said = f"The ledger {path} was changed while it was in use: what is not there any more was drawn."
        assert (said,) == ledger.notes


def test_find__memory(tmp_path: Path) -> None:
    """What is remembered of a draw does not grow with its text."""
    path = tmp_path / NAME
    with ledger_at(path) as ledger:
        book = ledger.at(URL)
        for index in range(1, 201):
            call = make_call("a", index)
            book.add(call, [draw_of(call, "x" * 100_000)])
    tracemalloc.start()
    with ledger_at(path, run="run-2", resume=True) as ledger:
        held, most = tracemalloc.get_traced_memory()
        draws = ledger.at(URL).find(make_call("a", 200))
    tracemalloc.stop()
    assert draws is not None
    assert (held < 200 * 1_000 + 2_000_000, most < 8_000_000) == (True, True), (held, most)


def test_write__order_of_runs(tmp_path: Path) -> None:
    """Of a draw that two runs made, the earlier run's is taken first, then the later one's, then none."""
    path = tmp_path / NAME
    one = filled(path, CALLS[:1])
    path.unlink()
    with ledger_at(path, run="run-2") as ledger:
        ledger.at(URL).add(CALLS[0], [draw_of(CALLS[0], "no")])
    path.write_bytes(one + path.read_bytes())
    with ledger_at(path, run="run-3", resume=True) as ledger:
        book = ledger.at(URL)
        found = [book.find(CALLS[0]) for _ in range(3)]
    assert ["run-1", "run-2", None] == [draws and draws[0].replay_of for draws in found]


def test_open_file__first_line_twice(tmp_path: Path) -> None:
    """A run that kept no draw leaves a first line at most, and that is a whole ledger."""
    path = tmp_path / NAME
    path.write_bytes(write_line(began()) * 2)
    assert ([None] * 4, ()) == found(path)
