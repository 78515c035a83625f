"""A run on a terminal: a table in the comment's words. I/O: writes to the stream it is given.

rich is imported when the first table is printed; it honours NO_COLOR and the terminal's width by itself.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from evalaction.records.gate import Verdict
from evalaction.records.report import CaseResult, Report
from evalaction.report import checks, lines, strips, words
from evalaction.report.case_words import WHEN_ASKED, CaseWords
from evalaction.report.decks import comment as comment_decks
from evalaction.report.decks import lines as deck_lines
from evalaction.report.untrusted import Phrase, plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

FOLDED = 9
"""Columns that a folded text has at the least; where a table needs more than there are, a case is a paragraph."""
MOST = 50
"""Cases that are listed; the report file has all."""

_STRIP = 39
"""Columns of the draws in the table: what twenty of them take one by one."""
_BETWEEN = 3
"""Columns from one cell to the next."""

_STYLES = {Verdict.PASS: "green", Verdict.FAIL: "bold red", Verdict.UNMEASURED: "yellow"}
_HEADERS = ("verdict", "case", "draws", "agreement", "flip rate (95 %)", "why", "drawn because")
_WRAPS = {"case", "why"}
_FIRST_TO_GO = ("drawn because", "flip rate (95 %)")
"""Columns that a narrow terminal does without, in this order; the report file has them."""


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


def print_report(
    report: Report, console: Console, *, location: str | None = None, said: CaseWords = WHEN_ASKED
) -> None:
    """Print a run: verdict, what to look at first, a table of cases, details of those that need a look.

    Args:
        report: the run, secrets already taken out.
        console: see ``console_for``.
        location: path or address of the whole report; None when nobody can say.
        said: says what there is to say of a case.
    """
    first, *others = lines.opening(report)
    console.print(plain(first), style=_STYLES[report.verdict])
    _print(console, others)
    if report.cases:
        _print_cases(report.cases[:MOST], console, said)
        more = len(report.cases) - MOST
        if more > 0:
            console.print(f"and {words.count(more, 'more case')}")
    for result in lines.urgent(report)[:MOST]:
        console.print()
        console.print(plain(lines.case_name(result)), style=_STYLES[result.verdict])
        _print(console, said.lines(result, show=report.show_completions), indent=2)
    for deck in report.decks[:MOST]:
        console.print()
        console.print(plain(deck_lines.deck_line(deck)), style=_STYLES[deck.verdict])
        if comment_decks.needs_look(deck):
            _print(console, deck_lines.deck_details(deck), indent=2)
    console.print()
    _print(console, lines.closing(report, location=location))


def _print(console: Console, phrases: Sequence[Phrase], indent: int = 0) -> None:
    from rich.padding import Padding  # noqa: PLC0415 - see above

    for phrase in phrases:
        text = plain(phrase)
        console.print(Padding(text, (0, 0, 0, indent), expand=False) if indent else text)


def _print_cases(results: Sequence[CaseResult], console: Console, said: CaseWords) -> None:
    rows = [dict(zip(_HEADERS, _cells(result), strict=True)) for result in results]
    for dropped in range(len(_FIRST_TO_GO) + 1):
        headers = [header for header in _HEADERS if header not in _FIRST_TO_GO[:dropped]]
        if _least_width(headers, rows) <= console.width:
            console.print(_table(headers, rows, [_STYLES[result.verdict] for result in results]))
            return
    for result in results:
        console.print(plain(said.line(result)), style=_STYLES[result.verdict])


def _cells(result: CaseResult) -> tuple[str, ...]:
    return (
        words.verdict(result.verdict),
        plain((words.case_id(result),)),
        textwrap.fill(strips.strip(result), _STRIP),
        words.agreement(result),
        words.flip_rate(result),
        plain(words.joined([phrase for phrase in (words.why(result), *checks.asides(result)) if phrase])),
        words.reasons(result.planned),
    )


def _least_width(headers: Sequence[str], rows: Sequence[Mapping[str, str]]) -> int:
    """Return the columns that a table takes when its folded texts are folded as far as they may be."""
    from rich.cells import cell_len  # noqa: PLC0415 - see above

    widths = [
        FOLDED
        if header in _WRAPS
        else max(cell_len(line) for cell in (header, *(row[header] for row in rows)) for line in cell.splitlines())
        for header in headers
    ]
    return sum(widths) + _BETWEEN * len(widths) + 1


def _table(headers: Sequence[str], rows: Sequence[Mapping[str, str]], styles: Sequence[str]) -> Table:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - see above
    from rich.table import Table  # noqa: PLC0415 - see above
    from rich.text import Text  # noqa: PLC0415 - see above

    table = Table(box=SIMPLE_HEAD)
    for header in headers:
        wraps = header in _WRAPS
        table.add_column(header, overflow="fold", no_wrap=not wraps, min_width=FOLDED if wraps else None)
    for row, style in zip(rows, styles, strict=True):
        table.add_row(*(Text(row[header], style=style if header == _HEADERS[0] else "") for header in headers))
    return table
