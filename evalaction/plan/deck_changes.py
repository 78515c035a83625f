"""What of a deck asks less of its judge than it did. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from evalaction.plan.changes import decimal
from evalaction.records.deck import Deck
from evalaction.records.plan import Change
from evalaction.suite.decks import order_count
from evalaction.values import JSON


def loosened_deck(before: Deck, after: Deck) -> Iterator[Change]:
    """Yield everything of a deck that asks less of its judge than it did.

    Fixtures that are gone are listed as removed, and edited gold labels as such; a changed rubric, another judge or
    other fields to be shown are a changed deck and are not judged here.

    Args:
        before: the deck at base.
        after: the deck at head.
    """

    def change(field: str, was: JSON, is_: JSON) -> Change:
        return Change(id=after.name, path=after.config_path, line=after.line, field=field, before=was, after=is_)

    if after.judge_flip_max > before.judge_flip_max:
        yield change("judge_flip_max", decimal(before.judge_flip_max), decimal(after.judge_flip_max))
    if after.gold_min < before.gold_min:
        yield change("gold_min", decimal(before.gold_min), decimal(after.gold_min))
    k = len(after.fixtures)
    if order_count(k, after.max_orders) < order_count(k, before.max_orders):
        yield change("max_orders", before.max_orders, after.max_orders)
    if after.repeats < before.repeats:
        yield change("repeats", before.repeats, after.repeats)
    if _accepts_more(before, after):
        yield change("labels", [*before.labels], [*after.labels])
    if not set(before.probes) <= set(after.probes):
        yield change("probes", _names(before), _names(after))
    left = {item.id for item in after.planted}
    yield from (change(f"planted.{item.id}", dict(item.fields), None) for item in before.planted if item.id not in left)


def _accepts_more(before: Deck, after: Deck) -> bool:
    """Tell whether a label is gone that told fixtures apart, or planted traces must not get another one than before."""
    planted = bool(before.probes or before.planted)
    return not set(before.labels) <= set(after.labels) or (planted and before.labels[0] != after.labels[0])


def _names(deck: Deck) -> JSON:
    return [probe.value for probe in deck.probes] or None
