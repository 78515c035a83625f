"""What a suite holds and what should be known of it, in plain lines, without a model. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from evalaction.records.deck import Deck
from evalaction.records.suite import Suite
from evalaction.report import words
from evalaction.report.untrusted import Phrase, plain, quoted
from evalaction.suite.telling import telling_ids
from evalaction.suite.warnings import lint_warnings

TEXT = 500
"""Characters shown of a warning: two places and what is wrong there."""


def lint_lines(suite: Suite) -> tuple[str, ...]:
    """Return how many cases, files and decks there are, where the decks stand, and every warning.

    Args:
        suite: one without problems: these are errors, and told apart.
    """
    return tuple(plain(phrase) for phrase in _phrases(suite))


def _phrases(suite: Suite) -> Iterator[Phrase]:
    parts = [f"{words.count(len(suite.cases), 'case')} in {words.count(len(suite.golden_paths), 'golden file')}"]
    fixtures = sum(len(deck.fixtures) for deck in suite.decks)
    decks = words.count(len(suite.decks), "deck")
    parts.append(f"{decks} with {words.count(fixtures, 'fixture')}" if suite.decks else decks)
    if suite.dependencies:
        parts.append(words.count(len(suite.dependencies), "dependency"))
    yield (f"{', '.join(parts)}.",)
    yield from (_deck(deck) for deck in suite.decks)
    of_ids = (told for deck in suite.decks for told in telling_ids(deck))
    warnings = [*suite.warnings, *of_ids, *lint_warnings(suite)]
    yield from (("Warning: ", quoted(warning, TEXT)) for warning in warnings)
    if not warnings:
        yield ("No warnings.",)


def _deck(deck: Deck) -> Phrase:
    further = [
        words.count(len(items), noun)
        for items, noun in (
            (deck.fixtures, "fixture"),
            (deck.planted, "planted trace"),
            (deck.probes, "probe"),
            (deck.wordings, "other wording"),
        )
        if items
    ]
    place = words.path(deck.config_path, deck.line)
    return ("Deck: ", quoted(deck.name, words.ID), " (", place, f"): {', '.join(further)}")
