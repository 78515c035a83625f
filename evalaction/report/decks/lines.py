"""A run's decks in plain lines, for a log and for a terminal: the comment's words without its Markdown. Pure.

Nothing that a model or an endpoint wrote stands in any of it.
"""

from __future__ import annotations

from evalaction.records.deck_result import DeckResult
from evalaction.records.report import Report
from evalaction.report import words
from evalaction.report.decks import causes as deck_causes
from evalaction.report.decks import comment as comment_decks
from evalaction.report.decks import figures as deck_figures
from evalaction.report.decks import rows as deck_rows
from evalaction.report.decks import words as deck_words
from evalaction.report.decks.rows import Row
from evalaction.report.untrusted import Phrase, quoted

ROWS = 8
"""Fixtures of a deck that have a line of their own, the worst first."""


def urgent(report: Report) -> list[DeckResult]:
    """Return the decks that failed, could not be measured, or fail a gate that only warns."""
    return [result for result in report.decks if comment_decks.needs_look(result)]


def passing(report: Report) -> list[DeckResult]:
    """Return the decks that passed, with nothing to be said of them."""
    return [result for result in report.decks if not comment_decks.needs_look(result)]


def deck_name(result: DeckResult) -> Phrase:
    """Return ``❌ fail judge of trace-judge (decks/trace.jsonl)``."""
    path = words.path(result.planned.deck.path)
    return (f"{words.verdict(result.verdict)} judge of ", deck_words.name(result), " (", path, ")")


def deck_line(result: DeckResult) -> Phrase:
    """Return a deck's figures in one line; of one that was held back, what would be asked."""
    because = ", ".join(result.planned.reasons)
    if deck_words.is_held(result):
        requests = len(result.outcomes) + len(result.further)
        said = f": not asked; affected because {because}; {words.count(requests, 'request')}"
        return (*deck_name(result), said)
    return (*deck_name(result), f": {deck_words.why(result)}; run because {because}")


def deck_details(result: DeckResult) -> list[Phrase]:
    """Return the labels of the worst fixtures, and what the figures say; every line begins with words of ours."""
    if deck_words.is_held(result) or not result.answered:
        return []
    worst = [row for row in deck_rows.by_weight(result) if row.flips or row.misses]
    more = len(worst) - ROWS
    lines = [*map(_row, worst[:ROWS]), *([(f"and {words.count(more, 'more fixture')}",)] if more > 0 else [])]
    said: list[Phrase] = [
        (("labels: ", *deck_rows.legend(result)) if worst else ()),
        deck_causes.no_label(result, show=False),
    ]
    if not deck_causes.is_silent(result):
        said += [
            deck_figures.by_position(result),
            (deck_figures.noise(result),),
            (deck_figures.disagreement(result),),
        ]
    return [*lines, *(line for line in said if any(line)), *comment_decks.further(result)]


def _row(row: Row) -> Phrase:
    flips = {True: "flips", False: "does not flip", None: "flips not measured"}[row.flips]
    gold = words.NOT_MEASURED if row.gold is None else str(row.gold)
    name, right = quoted(row.fixture.id, words.ID), quoted(row.fixture.gold, words.NAME)
    return ("fixture ", name, f": {row.vector}; gold ", right, f" met {gold}; {flips}")
