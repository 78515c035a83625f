"""A run in a log: plain lines, grouped. I/O: writes to the stream it is given.

In GitHub's log the only workflow commands are those that fold a group, which hold our own words alone, and those
that stop commands where model text follows. No line begins with model text. Masks and annotations are commands
too, made elsewhere and written by ``write_commands``.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TextIO

from evalaction.records.report import CaseResult, Report
from evalaction.redact import MIN_SECRET, forms_of
from evalaction.report import lines, words
from evalaction.report.decks import lines as deck_lines
from evalaction.report.untrusted import Phrase, log_line, mask_command, plain

MOST = 50
"""Cases and decks of one kind that a log lists; the report file has all."""

_INDENT = "    "


def mask_lines(secrets: Iterable[str]) -> list[str]:
    """Return the workflow commands that keep secrets out of a log, to be written before anything else.

    Args:
        secrets: keys and tokens. Each of their lines is masked, trimmed, in every form that reports are cleared of;
            one of fewer than ``MIN_SECRET`` characters is not, since words would go with it.
    """
    parts = (line.strip() for secret in secrets for line in re.split("[\r\n]", secret))
    # Half of a surrogate pair cannot be written to a log, neither in a mask nor in what it is to hide.
    kept = [part for part in parts if len(part) >= MIN_SECRET and _can_be_written(part)]
    return list(dict.fromkeys(mask_command(form) for part in kept for form in forms_of(part)))


def _can_be_written(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def write_commands(commands: Iterable[str], stream: TextIO) -> None:
    """Write workflow commands as they are: masks first in a log, annotations last."""
    for line in commands:
        _write(stream, line)


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


def log_lines(
    report: Report,
    *,
    groups: bool,
    location: str | None = None,
    token: Callable[[int], str] = secrets.token_hex,
) -> Iterator[str]:
    """Yield the lines: the verdict and what needs a look first, answers, passing cases and small print in groups.

    Args:
        report: the run, secrets already taken out.
        groups: whether the log is one that GitHub folds.
        location: path or address of the whole report; None when nobody can say.
        token: makes random text in hex of the given number of bytes.
    """
    yield from _opening(report, groups=groups, token=token)
    urgent = lines.urgent(report)
    for result in urgent[:MOST]:
        yield _safe(lines.case_line(result))
        yield from _details(result, show=report.show_completions, groups=groups, token=token)
    yield from _more(len(urgent))
    for deck in deck_lines.urgent(report)[:MOST]:
        yield _safe(deck_lines.deck_line(deck))
        yield from (_INDENT + _safe(line) for line in deck_lines.deck_details(deck))
    yield from _more(len(deck_lines.urgent(report)), "deck")
    passing = lines.passing(report)
    if passing:
        yield from _group(words.count(len(passing), "passing case"), _cases(passing), groups=groups)
    decks = deck_lines.passing(report)
    if decks:
        said = map(_safe, map(deck_lines.deck_line, decks[:MOST]))
        yield from _group(words.count(len(decks), "passing deck"), (*said, *_more(len(decks), "deck")), groups=groups)
    yield from _group("About this run", map(_safe, lines.closing(report, location=location)), groups=groups)


def _opening(report: Report, *, groups: bool, token: Callable[[int], str]) -> Iterator[str]:
    """Yield the headline and what is said of the run; lines that quote a model or an endpoint apart."""
    whole = map(_safe, lines.opening(report))
    if not groups:
        yield from whole
        return
    quiet = {_safe(line) for line in lines.opening(replace(report, show_completions=False))}
    for is_quiet, some in groupby(whole, key=quiet.__contains__):
        found = list(some)
        yield from found if is_quiet else _stopped(found, token)


def _details(result: CaseResult, *, show: bool, groups: bool, token: Callable[[int], str]) -> Iterator[str]:
    """Yield what there is to say of a case: what is no model text stands open, the answers in a group."""
    quiet = [_INDENT + _safe(line) for line in lines.case_details(result, show=False)]
    whole = [_INDENT + _safe(line) for line in lines.case_details(result, show=True)] if show else quiet
    if not groups:
        yield from whole
        return
    yield from quiet
    if whole != quiet and result.measured:
        yield from _group("Its answers", _stopped(whole, token), groups=True)


def _stopped(lines: list[str], token: Callable[[int], str]) -> Iterator[str]:
    """Yield lines in which a runner looks for no command, up to a word that nobody can know who wrote them."""
    word = token(16)
    while any(word in line for line in lines):
        word = token(16)
    yield f"::stop-commands::{word}"
    yield from lines
    yield f"::{word}::"


def _cases(results: list[CaseResult]) -> Iterator[str]:
    yield from (_safe(lines.case_line(result)) for result in results[:MOST])
    yield from _more(len(results))


def _more(number: int, noun: str = "case") -> Iterator[str]:
    if number > MOST:
        yield f"and {words.count(number - MOST, f'more {noun}')}"


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
