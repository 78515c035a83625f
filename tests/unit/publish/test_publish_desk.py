"""What a command prints of a run, and keeps of it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from support.example_reports import mixed

from evalaction.errors import BadInput
from evalaction.publish.desk import show_and_keep
from evalaction.publish.log import log_lines


def test_show_and_keep__in_a_log(tmp_path: Path) -> None:
    """Where nobody sits at a terminal the lines of a log are printed, and the files lie in the folder."""
    stream = io.StringIO()
    show_and_keep(mixed(), tmp_path, stream=stream, within=tmp_path)

    location = str(tmp_path / "report.json")
    assert stream.getvalue().splitlines() == list(log_lines(mixed(), groups=False, location=location))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "report.md"]


def test_show_and_keep__shown_first(tmp_path: Path) -> None:
    """What was paid for is printed even where no file can be written."""
    stream = io.StringIO()
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput):
        show_and_keep(mixed(), tmp_path / "file", stream=stream, within=tmp_path)
    assert stream.getvalue() != ""
