"""Cases that are written as they are graded stand in the file as they would otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from support.example_reports import mixed
from support.reports import case_result

from evalaction.publish.files import write_reports
from evalaction.publish.pieces import Pieces
from evalaction.records.report import Report
from evalaction.report.comment_cases import row
from evalaction.report.document import case_document
from evalaction.report.writer import Written

SOURCE = "https://github.com/acme/evals/blob/0a1b"


def files(run: Report, folder: Path, pieces: Pieces | None = None) -> tuple[bytes, bytes]:
    """Write the report files of a run, and return what they hold."""
    paths = write_reports(run, folder, within=folder.parent, pieces=pieces)
    return paths.json.read_bytes(), paths.markdown.read_bytes()


def test_pieces__same_files(tmp_path: Path) -> None:
    """Both files are the same byte for byte, whichever of their cases were written before."""
    run = mixed()
    usual = files(run, tmp_path / "usual")
    for step in (1, 2):
        pieces = Pieces()
        for result in run.cases[::step]:
            pieces.add(result)
        assert files(run, tmp_path / str(step), pieces) == usual


def test_pieces__another_result() -> None:
    """What was written of a case counts for the very result that was written, and for no other of that case."""
    pieces, result = Pieces(), case_result("a", "A A B")
    changed = replace(result, flipping=not result.flipping, agreement=None)
    pieces.add(result)
    assert pieces.of(changed) == case_document(changed)
    assert pieces.row(changed, None) == row(changed, None) != row(result, None)
    assert pieces.row(result, None) == row(result, None)
    assert pieces.row(result, SOURCE) == row(result, SOURCE) != row(result, None)
    pieces.add(result)
    assert isinstance(pieces.of(result), Written)
    other = case_result("b", "A A")
    assert pieces.of(other) == case_document(other)
