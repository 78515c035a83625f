"""A run on a terminal: a table in the comment's words. I/O: writes to the stream it is given.

rich is imported when the first table is printed; it honours NO_COLOR and the terminal's width by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from evalaction.records.report import CaseResult, Report, Verdict
from evalaction.report import lines, words
from evalaction.report.untrusted import Phrase, plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = 100
"""Columns that a table needs; on a narrower terminal each case is a paragraph."""
MOST = 50
"""Cases that are listed; the report file has all."""

_STYLES = {Verdict.PASS: "green", Verdict.FAIL: "bold red", Verdict.UNMEASURED: "yellow"}
_HEADERS = ("verdict", "case", "draws", "agreement", "flip rate (95 %)", "why", "drawn because")


def console_for(stream: TextIO, environ: Mapping[str, str] | None = None, *, width: int | None = None) -> Console:
    """Return a console that writes to ``stream``.

    Args:
        stream: a terminal, or anything that takes text.
        environ: for NO_COLOR, TERM and COLUMNS; None for the process's own.
        width: in columns; None to ask the terminal.
    """
    from rich.console import Console  # noqa: PLC0415 - heavy, and not needed in a log

    return Console(
        file=stream, width=width, _environ=environ, highlight=False, markup=False, emoji=False, soft_wrap=False
    )


def print_report(report: Report, console: Console, *, location: str | None = None) -> None:
    """Print a run: verdict, what to look at first, a table of cases, details of those that need a look.

    Args:
        report: the run, secrets already taken out.
        console: see ``console_for``.
        location: path or address of the whole report; None when nobody can say.
    """
    first, *others = lines.opening(report)
    console.print(plain(first), style=_STYLES[report.verdict])
    _print(console, others)
    if report.cases:
        _print_cases(report.cases[:MOST], console)
        more = len(report.cases) - MOST
        if more > 0:
            console.print(f"and {words.count(more, 'more case')}")
    for result in lines.urgent(report)[:MOST]:
        console.print()
        console.print(plain(lines.case_name(result)), style=_STYLES[result.verdict])
        _print(console, lines.case_details(result, show=report.show_completions), indent=2)
    console.print()
    _print(console, lines.closing(report, location=location))


def _print(console: Console, phrases: Sequence[Phrase], indent: int = 0) -> None:
    from rich.padding import Padding  # noqa: PLC0415 - see above

    for phrase in phrases:
        text = plain(phrase)
        console.print(Padding(text, (0, 0, 0, indent), expand=False) if indent else text)


def _print_cases(results: Sequence[CaseResult], console: Console) -> None:
    if console.width >= WIDE:
        console.print(_table(results))
        return
    for result in results:
        console.print(plain(lines.case_line(result)), style=_STYLES[result.verdict])


def _table(results: Sequence[CaseResult]) -> Table:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - see above
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=SIMPLE_HEAD)
    for header in _HEADERS:
        wraps = header in {"case", "why"}
        table.add_column(header, overflow="fold", no_wrap=not wraps)
    for result in results:
        table.add_row(
            Text(words.verdict(result.verdict), style=_STYLES[result.verdict]),
            Text(plain((words.case_id(result),))),
            Text(words.strip(result)),
            Text(words.agreement(result)),
            Text(words.flip_rate(result)),
            Text(plain(words.why(result))),
            Text(words.reasons(result.planned)),
        )
    return table
