"""A run in a log: plain lines, grouped. I/O: writes to the stream it is given.

No line is a workflow command but the ones that open and close a group, which hold our own words alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from evalaction.records.report import CaseResult, Report
from evalaction.report import lines, words
from evalaction.report.untrusted import Phrase, log_line, plain

MOST = 50
"""Cases of one kind that a log lists; the report file has all."""


def write_log(report: Report, stream: TextIO, *, groups: bool, location: str | None = None) -> None:
    """Write a run to a log.

    Args:
        report: the run, secrets already taken out.
        stream: where to.
        groups: whether the log is one that GitHub folds.
        location: path or address of the whole report; None when nobody can say.
    """
    for line in log_lines(report, groups=groups, location=location):
        _write(stream, line)


def write_lines(lines: Iterable[str], stream: TextIO) -> None:
    """Write other lines to a log, none of which is taken for a workflow command.

    Args:
        lines: one line each, whatever text they hold.
        stream: where to.
    """
    for line in lines:
        _write(stream, log_line(line))


def log_lines(report: Report, *, groups: bool, location: str | None = None) -> Iterator[str]:
    """Yield the lines: the verdict and what needs a look first, passing cases and small print in groups."""
    yield from map(_safe, lines.opening(report))
    urgent = lines.urgent(report)
    for result in urgent[:MOST]:
        yield _safe(lines.case_line(result))
        yield from (f"    {_safe(line)}" for line in lines.case_details(result, show=report.show_completions))
    yield from _more(len(urgent))
    passing = lines.passing(report)
    if passing:
        yield from _group(words.count(len(passing), "passing case"), _cases(passing), groups=groups)
    yield from _group("About this run", map(_safe, lines.closing(report, location=location)), groups=groups)


def _cases(results: list[CaseResult]) -> Iterator[str]:
    yield from (_safe(lines.case_line(result)) for result in results[:MOST])
    yield from _more(len(results))


def _more(number: int) -> Iterator[str]:
    if number > MOST:
        yield f"and {words.count(number - MOST, 'more case')}"


def _group(title: str, content: Iterable[str], *, groups: bool) -> Iterator[str]:
    yield f"::group::{title}" if groups else f"{title}:"
    yield from content if groups else (f"  {line}" for line in content)
    if groups:
        yield "::endgroup::"


def _safe(phrase: Phrase) -> str:
    return log_line(plain(phrase))


def _write(stream: TextIO, line: str) -> None:
    # A log that knows no ∅ (an ASCII locale) shows its number instead of ending the run.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
