"""Cases that are written as they are graded stand in the file as they would otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from support.example_reports import mixed
from support.reports import case_result

from evalaction.publish.files import write_reports
from evalaction.publish.pieces import Pieces
from evalaction.report.document import case_document
from evalaction.report.writer import Written


def test_pieces__same_file(tmp_path: Path) -> None:
    """A file is the same byte for byte, whichever of its cases were written before."""
    run = mixed()
    usual = write_reports(run, tmp_path / "usual", within=tmp_path).json.read_bytes()
    for step in (1, 2):
        pieces = Pieces()
        for result in run.cases[::step]:
            pieces.add(result)
        folder = tmp_path / str(step)
        assert write_reports(run, folder, within=tmp_path, pieces=pieces).json.read_bytes() == usual


def test_pieces__another_result() -> None:
    """What was written of a case counts for the very result that was written, and for no other of that case."""
    pieces, result = Pieces(), case_result("a", "A A B")
    changed = replace(result, flipping=not result.flipping)
    pieces.add(result)
    assert pieces.of(changed) == case_document(changed)
    pieces.add(result)
    assert isinstance(pieces.of(result), Written)
    other = case_result("b", "A A")
    assert pieces.of(other) == case_document(other)
