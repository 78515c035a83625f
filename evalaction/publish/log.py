"""A run in a log: plain lines, grouped. I/O: writes to the stream it is given.

In GitHub's log the only workflow commands are those that fold a group, which hold our own words alone, and those
that stop commands where model text follows. No line begins with model text. What is written besides is in ``plain``.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TextIO

from evalaction.publish.plain import write_commands
from evalaction.records.report import CaseResult, Report
from evalaction.report import lines, words
from evalaction.report.case_words import WHEN_ASKED, CaseWords
from evalaction.report.decks import lines as deck_lines
from evalaction.report.untrusted import Phrase, log_line, plain

MOST = 50
"""Cases and decks of one kind that a log lists; the report file has all."""

_INDENT = "    "


def write_log(
    report: Report, stream: TextIO, *, groups: bool, location: str | None = None, said: CaseWords = WHEN_ASKED
) -> None:
    """Write a run to a log.

    Args:
        report: the run, secrets already taken out.
        stream: where to.
        groups: whether the log is one that GitHub folds.
        location: path or address of the whole report; None when nobody can say.
        said: says what there is to say of a case.
    """
    write_commands(log_lines(report, groups=groups, location=location, said=said), stream)


def log_lines(
    report: Report,
    *,
    groups: bool,
    location: str | None = None,
    said: CaseWords = WHEN_ASKED,
    token: Callable[[int], str] = secrets.token_hex,
) -> Iterator[str]:
    """Yield the lines: the verdict and what needs a look first, answers, passing cases and small print in groups.

    Args:
        report: the run, secrets already taken out.
        groups: whether the log is one that GitHub folds.
        location: path or address of the whole report; None when nobody can say.
        said: says what there is to say of a case.
        token: makes random text in hex of the given number of bytes.
    """
    yield from _opening(report, groups=groups, token=token)
    urgent = lines.urgent(report)
    for result in urgent[:MOST]:
        yield _safe(said.line(result))
        yield from _details(result, said, show=report.show_completions, groups=groups, token=token)
    yield from _more(len(urgent))
    for deck in deck_lines.urgent(report)[:MOST]:
        yield _safe(deck_lines.deck_line(deck))
        yield from (_INDENT + _safe(line) for line in deck_lines.deck_details(deck))
    yield from _more(len(deck_lines.urgent(report)), "deck")
    passing = lines.passing(report)
    if passing:
        yield from _group(words.count(len(passing), "passing case"), _cases(passing, said), groups=groups)
    decks = deck_lines.passing(report)
    if decks:
        listed = map(_safe, map(deck_lines.deck_line, decks[:MOST]))
        yield from _group(words.count(len(decks), "passing deck"), (*listed, *_more(len(decks), "deck")), groups=groups)
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


def _details(
    result: CaseResult, said: CaseWords, *, show: bool, groups: bool, token: Callable[[int], str]
) -> Iterator[str]:
    """Yield what there is to say of a case: what is no model text stands open, the answers in a group."""
    if not groups:
        yield from (_INDENT + _safe(line) for line in said.lines(result, show=show))
        return
    quiet = [_INDENT + _safe(line) for line in said.lines(result, show=False)]
    whole = [_INDENT + _safe(line) for line in said.lines(result, show=True)] if show else quiet
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


def _cases(results: list[CaseResult], said: CaseWords) -> Iterator[str]:
    yield from (_safe(said.line(result)) for result in results[:MOST])
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
