"""The report files, ``report.json`` and ``report.md``, each there whole or not at all.

I/O: makes the folder and writes in it. A pull request may hold a symbolic link in the folder's place; it is
not followed.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from evalaction.errors import BadInput, CannotMeasure, Problem
from evalaction.frozen import frozen
from evalaction.records.report import Report
from evalaction.report.comment import render_comment
from evalaction.report.document import report_pieces
from evalaction.report.writer import json_chunks

NAMES = ("report.json", "report.md")

_REMEDY = "Name another folder with report-dir, or remove what is there."


@frozen
class ReportPaths:
    """Where the report files of a run are."""

    json: Path
    markdown: Path


def clear_directory(directory: Path, *, within: Path) -> None:
    """Make sure that report files can be written, before anything is spent on what they would hold.

    Those of an earlier run are removed: whatever becomes of this one, no file tells of another.

    Args:
        directory: made with its parents where it is not there yet; nothing but report files is removed from it.
        within: the folder with the checkout (in the Action the workspace), in which a pull request could have put a
            link: those elsewhere are the machine's own.

    Raises:
        BadInput: it cannot be made or written to, is no folder, is a symbolic link, or is reached through one that
            lies in ``within``.
    """
    for part in (directory, *directory.parents):
        # os.path's own: that of pathlib raises for a name that is too long.
        if os.path.islink(part) and (part == directory or _is_below(part, within)):  # noqa: PTH114 - see above
            raise BadInput(
                Problem(message=f"The report folder is reached through the symbolic link {part}.", remedy=_REMEDY)
            )
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise BadInput(Problem(message=f"The report folder {directory} is a file.", remedy=_REMEDY)) from error
    except OSError as error:
        raise _unwritable(directory, error) from error
    if not os.access(directory, os.W_OK | os.X_OK):
        raise BadInput(Problem(message=f"Nothing may be written to the report folder {directory}.", remedy=_REMEDY))
    for name in NAMES:
        path = directory / name
        if path.is_dir():
            message = f"In place of the report file {path} is a folder."
            raise BadInput(Problem(message=message, remedy=_REMEDY))
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise _unwritable(directory, error) from error


def _is_below(path: Path, folder: Path) -> bool:
    """Return whether a pull request could have put ``path`` into ``folder``; no link is followed to find out."""
    return not path.is_absolute() or folder.absolute() in path.parents


def write_reports(
    report: Report, directory: Path, *, within: Path, token: Callable[[int], str] = secrets.token_hex
) -> ReportPaths:
    """Write a run's report files.

    Args:
        report: the run, secrets already taken out.
        directory: see ``clear_directory``.
        within: see ``clear_directory``.
        token: makes random text, for names of files that nobody else has.

    Returns:
        The paths, below ``directory``. ``report.json`` holds every draw whatever ``show_completions`` says;
        ``report.md`` is the comment, within the comment's limit.

    Raises:
        BadInput: see ``clear_directory``.
        CannotMeasure: the disk takes no more; no file is half-written, and what was measured is not kept.
    """
    clear_directory(directory, within=within)
    paths = ReportPaths(json=directory / NAMES[0], markdown=directory / NAMES[1])
    texts = {
        paths.json: json_chunks(report_pieces(report)),
        paths.markdown: (render_comment(report, report_location="report.json"),),
    }
    suffix = token(8)
    written: list[tuple[Path, Path]] = []
    try:
        for path, chunks in texts.items():
            beside = path.with_name(f".{path.name}.{suffix}")
            written.append((beside, path))
            _create(beside, chunks)
        for beside, path in written:
            beside.replace(path)
    except OSError as error:
        raise CannotMeasure(*_unwritable(directory, error).problems) from error
    finally:
        for beside, _ in written:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
    return paths


def _create(path: Path, chunks: Iterable[str]) -> None:
    # "x" neither overwrites nor follows a link.
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.writelines(chunks)
        file.flush()
        os.fsync(file.fileno())


def _unwritable(directory: Path, error: OSError) -> BadInput:
    reason = error.strerror or type(error).__name__
    return BadInput(Problem(message=f"The report folder {directory} cannot be written: {reason}.", remedy=_REMEDY))
