"""Cases that are written as they are graded stand in the files and in the log as they would otherwise."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from support.example_reports import mixed
from support.reports import case_result, report, with_id

from evalaction.publish.files import write_reports
from evalaction.publish.log import log_lines
from evalaction.publish.pieces import Pieces
from evalaction.publish.terminal import console_for, print_report
from evalaction.records.report import Report
from evalaction.report.case_words import WHEN_ASKED, CaseWords
from evalaction.report.comment_cases import row
from evalaction.report.document import case_document
from evalaction.report.lines import case_line
from evalaction.report.writer import Written


def printed(run: Report, said: CaseWords = WHEN_ASKED) -> str:
    """Return what a narrow terminal shows of a run, on which a case is a paragraph."""
    stream = io.StringIO()
    print_report(run, console_for(stream, {"TERM": "dumb", "NO_COLOR": "1"}, width=40), said=said)
    return stream.getvalue()


def crowd() -> Report:
    """Return a run with more cases of each kind than have words kept."""
    kinds = [case_result("f", "A B", agreement_min=1), case_result("p", "A A"), case_result("q", "A B")]
    return report(*(with_id(result, f"{result.planned.case.id}_{number}") for number in range(60) for result in kinds))


def raising(*_: object, **__: object) -> object:
    """Stand for what is not to be done."""
    raise AssertionError


SOURCE = "https://github.com/acme/evals/blob/0a1b"


def files(run: Report, folder: Path, pieces: Pieces | None = None) -> tuple[bytes, bytes]:
    """Write the report files of a run, and return what they hold."""
    paths = write_reports(run, folder, within=folder.parent, pieces=pieces)
    return paths.json.read_bytes(), paths.markdown.read_bytes()


@pytest.mark.parametrize("show", [True, False])
@pytest.mark.parametrize("run", [mixed(), crowd()], ids=["mixed", "crowd"])
def test_pieces__same_words(tmp_path: Path, run: Report, show: bool) -> None:
    """Files, log and terminal are the same to the character, whichever cases were written before and by which rule."""
    run = replace(run, show_completions=show)
    usual, log, table = files(run, tmp_path / "usual"), list(log_lines(run, groups=False)), printed(run)
    for step, shown in ((1, show), (2, show), (1, not show)):
        pieces = Pieces(show=shown)
        for result in run.cases[::step]:
            pieces.add(result)
        assert list(log_lines(run, groups=False, said=pieces)) == log
        assert printed(run, pieces) == table
        assert files(run, tmp_path / f"{step} {shown}", pieces) == usual


def test_pieces__written_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was written before is not made again: neither for the files nor for the log."""
    run = mixed()
    pieces = Pieces()
    for result in run.cases:
        pieces.add(result)
    for name in ("row", "details", "of_passing", "line", "lines"):
        monkeypatch.setattr(CaseWords, name, raising)
    monkeypatch.setattr("evalaction.publish.pieces.case_document", raising)
    files(run, tmp_path / "report", pieces)
    assert list(log_lines(run, groups=False, said=pieces))


def test_pieces__another_result() -> None:
    """What was written of a case counts for the very result that was written, and for no other of that case."""
    pieces, result = Pieces(), case_result("a", "A A B")
    changed = replace(result, flipping=not result.flipping, agreement=None)
    pieces.add(result)
    assert pieces.of(changed) == case_document(changed)
    assert pieces.row(changed, None) == row(changed, None) != row(result, None)
    assert pieces.row(result, None) == row(result, None)
    assert pieces.row(result, SOURCE) == row(result, SOURCE) != row(result, None)
    assert pieces.line(changed) == case_line(changed) != case_line(result) == pieces.line(result)
    pieces.add(result)
    assert isinstance(pieces.of(result), Written)
    other = case_result("b", "A A")
    assert pieces.of(other) == case_document(other)
