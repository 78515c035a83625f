"""Which case of base each case of head was. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from evalaction.frozen import frozen
from evalaction.records.case import Case
from evalaction.records.deck import Deck

T = TypeVar("T", Case, Deck)


@frozen
class Pairs:
    """What the cases of head were at base."""

    olds: Sequence[Case | None]
    """For each case of head, in their order, its case of base; None when it is new."""
    removed: tuple[Case, ...]
    """Cases of base that are no longer there, in the order of base."""


def pair_cases(base: Sequence[Case], head: Sequence[Case], *, renames: Mapping[str, str]) -> Pairs:
    """Pair the cases of two suites.

    By key; then, among what is left, by an id that stands once on both sides; then by id along renamed files.

    Args:
        base: cases of base.
        head: cases of head.
        renames: path at head → path at base.
    """
    # Two suites that were loaded together have most cases in common, as the very same objects.
    rest = dict(zip(map(id, base), base, strict=True))
    olds = [rest.pop(id(case), None) for case in head]
    new = [case for case, old in zip(head, olds, strict=True) if old is None]
    left = {case.key: case for case in rest.values()}
    found = {case.key: left.pop(case.key) for case in new if case.key in left}
    if left and len(found) < len(new):
        _by_id(left, found, new)
        for case in new:
            before = (renames.get(case.path, case.path), case.id)
            if case.key not in found and before in left:
                found[case.key] = left.pop(before)
    if found:
        olds = [found.get(case.key) if old is None else old for case, old in zip(head, olds, strict=True)]
    return Pairs(olds=olds, removed=tuple(left.values()))


def _by_id(left: dict[tuple[str, str], Case], found: dict[tuple[str, str], Case], head: Sequence[Case]) -> None:
    new = [case for case in head if case.key not in found]
    old_ids = _once(left.values(), lambda case: case.id)
    new_ids = _once(new, lambda case: case.id)
    for name, case in new_ids.items():
        if name in old_ids:
            found[case.key] = left.pop(old_ids[name].key)


def _once(items: Iterable[T], name: Callable[[T], str]) -> dict[str, T]:
    """Return the items whose name no other has, by that name."""
    items = list(items)
    counts = Counter(name(item) for item in items)
    return {name(item): item for item in items if counts[name(item)] == 1}


def pair_decks(
    base: Sequence[Deck], head: Sequence[Deck], *, renames: Mapping[str, str]
) -> tuple[list[tuple[Deck, Deck | None]], list[Deck]]:
    """Pair the decks of two suites: by name, then by fixtures file, then along renamed fixtures files.

    Args:
        base: decks of base.
        head: decks of head.
        renames: path at head → path at base.

    Returns:
        The decks of head, each with the one it was at base, and the decks of base that are gone.
    """
    left = {deck.name: deck for deck in base}
    found = {deck.name: left.pop(deck.name) for deck in head if deck.name in left}
    paths = _once(left.values(), lambda deck: deck.path)
    for before in ({}, renames):
        for deck in head:
            path = before.get(deck.path, deck.path)
            if deck.name not in found and path in paths:
                found[deck.name] = left.pop(paths.pop(path).name)
    return [(deck, found.get(deck.name)) for deck in head], list(left.values())
