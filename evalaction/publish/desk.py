"""What whoever runs a command sees of the run, and what is kept of it. I/O: writes to a stream, and files.

Loaded while replies are awaited: nobody needs it before (see ``runner``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from evalaction.publish.files import write_reports
from evalaction.publish.folder import NAMES
from evalaction.publish.log import write_log
from evalaction.publish.pieces import Pieces
from evalaction.publish.terminal import console_for, print_report
from evalaction.records.report import Report
from evalaction.report.case_words import WHEN_ASKED


def show_and_keep(report: Report, folder: Path, *, stream: TextIO, within: Path, pieces: Pieces | None = None) -> None:
    """Print a report, as a table on a terminal and as plain lines in a log, and write its files.

    It is printed first: what was paid for is seen even where it cannot be kept.

    Args:
        report: the run, secrets already taken out.
        folder: for the files.
        stream: where to print.
        within: see ``clear_directory``.
        pieces: see ``write_reports``.

    Raises:
        BadInput: see ``write_reports``.
        CannotMeasure: the same.
    """
    location, said = str(folder / NAMES[0]), pieces or WHEN_ASKED
    if stream.isatty():
        print_report(report, console_for(stream), location=location, said=said)
    else:
        write_log(report, stream, groups=False, location=location, said=said)
    write_reports(report, folder, within=within, pieces=pieces)
