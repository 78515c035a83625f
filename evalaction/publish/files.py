"""The report files, ``report.json`` and ``report.md``, each there whole or not at all.

I/O: writes to the report folder (see ``folder``).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from evalaction.errors import CannotMeasure
from evalaction.frozen import frozen
from evalaction.publish.folder import NAMES, clear_directory, unwritable
from evalaction.publish.pieces import Pieces
from evalaction.records.report import Report
from evalaction.report.comment import render_comment
from evalaction.report.document import report_pieces
from evalaction.report.writer import json_chunks

_BUFFER = 1024 * 1024
"""Bytes that are written at once."""


@frozen
class ReportPaths:
    """Where the report files of a run are."""

    json: Path
    markdown: Path


def write_reports(
    report: Report,
    directory: Path,
    *,
    within: Path,
    pieces: Pieces | None = None,
    token: Callable[[int], str] = secrets.token_hex,
) -> ReportPaths:
    """Write a run's report files.

    Args:
        report: the run, secrets already taken out.
        directory: see ``clear_directory``.
        within: see ``clear_directory``.
        pieces: what is written already of its cases; None for nothing.
        token: makes random text, for names of files that nobody else has.

    Returns:
        The paths, below ``directory``. ``report.json`` holds every draw whatever ``show_completions`` says;
        ``report.md`` is the comment, within the comment's limit.

    Raises:
        BadInput: see ``clear_directory``.
        CannotMeasure: the disk takes no more; no file is half-written, and what was measured is not kept.
    """
    clear_directory(directory, within=within)
    written = pieces or Pieces()
    paths = ReportPaths(json=directory / NAMES[0], markdown=directory / NAMES[1])
    texts = {
        paths.json: json_chunks(report_pieces(report, map(written.of, report.cases))),
        paths.markdown: (render_comment(report, report_location="report.json", said=written),),
    }
    suffix = token(8)
    made: list[tuple[Path, Path]] = []
    try:
        for path, chunks in texts.items():
            beside = path.with_name(f".{path.name}.{suffix}")
            made.append((beside, path))
            _create(beside, chunks)
        for beside, path in made:
            beside.replace(path)
    except OSError as error:
        raise CannotMeasure(*unwritable(directory, error).problems) from error
    finally:
        for beside, _ in made:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
    return paths


def _create(path: Path, chunks: Iterable[str]) -> None:
    # "x" neither overwrites nor follows a link.
    with path.open("x", encoding="utf-8", newline="\n", buffering=_BUFFER) as file:
        file.writelines(chunks)
