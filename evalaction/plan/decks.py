"""Which decks are put to their judge, why, and what of them a reviewer must not miss. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalaction.frozen import frozen
from evalaction.plan.changes import edited_gold
from evalaction.plan.deck_changes import loosened_deck
from evalaction.plan.pairs import pair_decks
from evalaction.plan.reasons import deck_reasons, ordered
from evalaction.records.deck import Deck
from evalaction.records.plan import Change, PlannedCase, PlannedDeck, Reason, Removed


@frozen
class ComparedDecks:
    """What a comparison of the decks of two suites finds."""

    decks: tuple[Deck, ...]
    """Of head."""
    reasons: Sequence[frozenset[Reason]]
    """For each of them why it is affected; empty for one that is not."""
    removed: tuple[Removed, ...] = ()
    loosened: tuple[Change, ...] = ()
    edited_gold: tuple[Change, ...] = ()


@frozen
class ChosenDecks:
    """The decks of a plan."""

    decks: tuple[PlannedDeck, ...]
    """In the order of the suite."""
    left_out: int
    """Affected ones that do not belong to what was chosen."""


def compare_decks(
    base: Sequence[Deck], head: tuple[Deck, ...], *, renames: Mapping[str, str], always: frozenset[Reason]
) -> ComparedDecks:
    """Compare the decks of two suites.

    Args:
        base: decks of base.
        head: decks of head.
        renames: path at head → path at base.
        always: why a deck is affected that was there at base, whether it differs or not.
    """
    pairs, gone = pair_decks(base, head, renames=renames)
    both = [(old, deck) for deck, old in pairs if old is not None]
    return ComparedDecks(
        decks=head,
        reasons=[
            frozenset({Reason.NEW}) if old is None else always.union(deck_reasons(old, deck)) for deck, old in pairs
        ],
        removed=tuple(_removed(pairs, gone)),
        loosened=tuple(change for old, deck in both for change in loosened_deck(old, deck)),
        edited_gold=tuple(change for old, deck in both for change in edited_gold(old, deck)),
    )


def choose_decks(
    changes: ComparedDecks, *, drawn: Sequence[PlannedCase], everything: bool, narrowed: bool
) -> ChosenDecks:
    """Choose the decks that are run: what is affected, and what says how good the judge of a drawn case is.

    Args:
        changes: the decks of head, with why they are affected.
        drawn: the cases that are drawn.
        everything: every deck is run, affected or not.
        narrowed: only the decks that belong to ``drawn`` are run.
    """
    graders = [planned.case.contract.judge for planned in drawn]
    judges = {(judge.rubric, judge.labels) for judge in graders if judge is not None}
    chosen: list[PlannedDeck] = []
    left_out = 0
    for deck, own in zip(changes.decks, changes.reasons, strict=True):
        grades = (deck.rubric, deck.labels) in judges
        why = own or ({Reason.ALL} if everything else {Reason.CASE} if grades else None)
        if why and (grades or not narrowed):
            chosen.append(_planned(deck, set(why)))
        else:
            left_out += why is not None
    return ChosenDecks(decks=tuple(chosen), left_out=left_out)


def _planned(deck: Deck, reasons: set[Reason]) -> PlannedDeck:
    from evalaction.judge.exam import exam_of  # noqa: PLC0415 - where there is a deck alone
    from evalaction.judge.fingerprint import deck_fingerprint  # noqa: PLC0415 - the same

    return PlannedDeck(deck=deck, fingerprint=deck_fingerprint(deck), reasons=ordered(reasons), exam=exam_of(deck))


def _removed(decks: Sequence[tuple[Deck, Deck | None]], gone: Sequence[Deck]) -> list[Removed]:
    """List the fixtures that are gone from a deck, then the decks that are gone."""
    removed = []
    for deck, old in decks:
        names = {fixture.id for fixture in deck.fixtures}
        fixtures = old.fixtures if old is not None else ()
        removed += [Removed(kind="fixture", path=deck.path, id=item.id) for item in fixtures if item.id not in names]
    return removed + [Removed(kind="deck", path=deck.path, id=deck.name) for deck in gone]
