"""The stub judges' scores in words and in JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from evalaction.records.gate import Share
from evalaction.records.judge import Examined, StubScores
from evalaction.report import words
from evalaction.report.untrusted import Phrase, plain, quoted

if TYPE_CHECKING:
    from evalaction.report.writer import Document

NAMES = tuple(field.name for field in fields(StubScores))
"""Of the scores, as they stand in the document."""


def stubs_phrase(stubs: Sequence[Examined]) -> Phrase:
    """Return ``positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck``: fixtures of all decks together.

    Args:
        stubs: one at least, of a sound instrument.
    """
    positional, identity = (
        Share(count=sum(share.count for share in shares), of=sum(share.of for share in shares))
        for shares in ([each.scores.positional for each in stubs], [each.scores.identity for each in stubs])
    )
    return (f"positional {figure(positional)}, identity {figure(identity)} on ", *_decks(stubs))


def stub_lines(stubs: Sequence[Examined]) -> list[str]:
    """Return a line with all figures for each deck: judge flip rates first, then how often gold was met."""
    return [plain(("Stubs on ", *_decks([each]), f": {_all_figures(each.scores)}.")) for each in stubs]


def _all_figures(scores: StubScores) -> str:
    flips = ("positional", "positional_first", "forgetful", "identity")
    said = [
        ", ".join(f"{name.replace('_', '-')} {figure(getattr(scores, name))}" for name in names)
        for names in (flips, ("gold", "stamp"))
    ]
    return f"flips of {said[0]}; gold met by {said[1]}"


def _decks(stubs: Sequence[Examined]) -> Phrase:
    if len(stubs) > 1:
        return (words.count(len(stubs), "deck"),)
    name = stubs[0].deck
    return ("the built-in deck",) if name is None else ("the deck ", quoted(name, words.ID))


def figure(share: Share) -> str:
    """Return a stub's score, ``1.00 (3/3)``; what is neither all nor none stands as a fraction alone."""
    if share.count in {0, share.of}:
        return f"{share.count // share.of}.00 ({share})"
    return str(share)


def instrument_document(stubs: Sequence[Examined]) -> Document:
    """Return how the stubs did on each deck."""
    return [{"deck": each.deck, "stubs": scores_document(each.scores)} for each in stubs]


def scores_document(scores: StubScores) -> Document:
    """Return the scores on one deck."""
    shares: dict[str, Share] = {name: getattr(scores, name) for name in NAMES}
    return {name: {"count": share.count, "of": share.of} for name, share in shares.items()}
