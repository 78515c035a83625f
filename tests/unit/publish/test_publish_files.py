"""Report files are there whole, or not at all."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.example_reports import mixed
from support.reports import case_result, report

from evalaction.errors import CannotMeasure
from evalaction.publish.files import ReportPaths, write_reports
from evalaction.report.comment import LIMIT, render_comment
from evalaction.report.document import report_document
from evalaction.report.writer import json_text

REMEDY = "Name another folder with report-dir, or remove what is there."


def names(folder: Path) -> list[str]:
    """Return the names in a folder, hidden ones included."""
    return sorted(path.name for path in folder.iterdir())


def test_write_reports__both_files(tmp_path: Path) -> None:
    """The folder is made, and holds the two files and nothing else; an earlier report is replaced."""
    folder = tmp_path / "a" / "b"
    write_reports(report(), folder, within=tmp_path)
    paths = write_reports(mixed(), folder, within=tmp_path)

    assert paths == ReportPaths(json=folder / "report.json", markdown=folder / "report.md")
    assert names(folder) == ["report.json", "report.md"]
    assert paths.json.read_text(encoding="utf-8") == json_text(report_document(mixed()))
    assert paths.markdown.read_text(encoding="utf-8") == render_comment(mixed(), report_location="report.json")


def test_write_reports__long_completions(tmp_path: Path) -> None:
    """The Markdown file keeps the comment's limit; the JSON file holds everything."""
    text = "x" * 300_000
    run = report(case_result("a", "A ?", raw={"?": text}, agreement_min=1))
    paths = write_reports(run, tmp_path, within=tmp_path)

    assert len(paths.markdown.read_bytes()) <= LIMIT
    assert json.loads(paths.json.read_text(encoding="utf-8"))["cases"][0]["draws"][1]["text"] == text


def test_write_reports__hostile_text(tmp_path: Path) -> None:
    """Halves of surrogate pairs and NUL break no file."""
    run = report(case_result("\ud83d\x00", "? ?", raw={"?": "\udd34\x00"}))
    paths = write_reports(run, tmp_path, within=tmp_path)

    assert json.loads(paths.json.read_bytes())["cases"][0]["id"] == "\ud83d\x00"
    assert "`⟨U+D83D⟩⟨U+0000⟩`" in paths.markdown.read_text(encoding="utf-8")


def test_write_reports__nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk leaves neither a temporary file nor a part of the report, and is no bad input."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CannotMeasure) as caught:
        write_reports(report(), tmp_path, within=tmp_path)

    assert str(caught.value) == f"The report folder {tmp_path} cannot be written: No space left on device. {REMEDY}"
    assert names(tmp_path) == []


def test_write_reports__fault_halfway(tmp_path: Path) -> None:
    """A fault of ours that shows while a file is being written leaves no part of it."""
    result = case_result("a", "A A A")
    graded = result.draws[0]
    draws = (replace(graded, draw=replace(graded.draw, latency_s=float("inf"))), *result.draws[1:])
    with pytest.raises(ValueError, match="inf is no JSON number"):
        write_reports(report(replace(result, draws=draws)), tmp_path, within=tmp_path)
    assert names(tmp_path) == []


def test_write_reports__link_in_a_files_place(tmp_path: Path) -> None:
    """A link in the place of a report file is replaced, and what it points at stays."""
    (tmp_path / "precious").write_text("stays", encoding="utf-8")
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "report.md").symlink_to("../precious")
    write_reports(report(), folder, within=tmp_path)

    assert (tmp_path / "precious").read_text(encoding="utf-8") == "stays"
    assert not (folder / "report.md").is_symlink()
