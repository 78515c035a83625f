"""What a judge's replies to a deck come to: labels, flips, gold, positions. Pure.

Replies are put in the order of their requests first, so that nothing depends on which came first. A
missing label is like no other, not even like another missing one. What the figures mean is in docs/judge.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from evalaction.records.deck import Deck
from evalaction.records.gate import Share
from evalaction.records.judge import DeckScore, FixtureScore, Judged, Position

FEWEST_ORDERS = 2
"""Orders below which nothing can differ between them."""


def score_deck(deck: Deck, judged: Sequence[Judged]) -> DeckScore:
    """Return what a judge is worth on a deck.

    Args:
        deck: what was judged.
        judged: what came, of all requests or of a part of them: the first askings of two orders at least, and one
            reply for each asking.

    Returns:
        The figures; a fixture's labels stand by order, then by repeat.

    Raises:
        ValueError: the replies are not to requests of this deck, an asking has two replies, or fewer than two
            orders were answered at their first asking, so that no flip between orders could be seen.
    """
    replies = in_order(judged)
    asked = by_order(deck, replies)
    table = labels_by_fixture(replies)
    # A later asking never stands in for a first one that is missing: what flips here flips whatever else comes.
    firsts = [index for index, reply in enumerate(replies) if reply.request.repeat == 1]
    again = [replied for replied in asked if len(replied) > 1]
    fixtures = tuple(
        FixtureScore(
            id=fixture.id,
            gold=fixture.gold,
            labels=labels,
            flips=_differ([labels[index] for index in firsts]),
            retest_flips=any(_differ([labels[index] for index in replied]) for replied in again) if again else None,
            gold_met=Share(count=labels.count(fixture.gold), of=len(labels)),
        )
        for fixture, labels in zip(deck.fixtures, table, strict=True)
    )
    retested = Share(count=sum(fixture.retest_flips is True for fixture in fixtures), of=len(fixtures))
    return DeckScore(
        fixtures=fixtures,
        judge_flip_rate=Share(count=sum(fixture.flips for fixture in fixtures), of=len(fixtures)),
        retest_flip_rate=retested if again else None,
        gold=Share(count=sum(fixture.gold_met.count for fixture in fixtures), of=len(fixtures) * len(replies)),
        by_position=_positions(deck, replies),
    )


def in_order(judged: Sequence[Judged]) -> list[Judged]:
    """Return replies in the order in which an exam asks: by aliases, whatever the order of the file, then by repeat."""
    return sorted(judged, key=lambda reply: (reply.request.aliases, reply.request.repeat))


def by_order(deck: Deck, replies: Sequence[Judged]) -> list[list[int]]:
    """Return the indices of the replies to each order, in their order.

    Args:
        deck: what was judged.
        replies: as `in_order` gives them.

    Raises:
        ValueError: see `score_deck`.
    """
    whole = list(range(len(deck.fixtures)))
    if any(sorted(reply.request.order) != whole for reply in replies):
        raise ValueError(f"a reply to a request that is not of the deck {deck.name!r}")
    if any(_asking(one) == _asking(next_one) for one, next_one in pairwise(replies)):
        raise ValueError("two replies to one asking")
    groups = [list(group) for _, group in groupby(range(len(replies)), key=lambda index: replies[index].request.order)]
    if sum(replies[group[0]].request.repeat == 1 for group in groups) < FEWEST_ORDERS:
        raise ValueError("fewer than two orders: no flip between orders could be seen")
    return groups


def labels_by_fixture(replies: Sequence[Judged]) -> tuple[tuple[str | None, ...], ...]:
    """Return the labels of every fixture of the deck, by reply; None for no label."""
    rows = []
    for reply in replies:
        labels, request = dict(reply.labels.by_alias), reply.request
        by_fixture = {index: labels[alias] for index, alias in zip(request.order, request.aliases, strict=True)}
        rows.append([by_fixture[index] for index in range(len(request.order))])
    return tuple(zip(*rows, strict=True))


def unlike(one: str | None, other: str | None) -> bool:
    """Tell whether two labels differ; a missing one is like no other."""
    return one is None or one != other


def _asking(reply: Judged) -> tuple[tuple[int, ...], int]:
    return reply.request.order, reply.request.repeat


def _differ(labels: Sequence[str | None]) -> bool:
    return None in labels or len(set(labels)) > 1


def _positions(deck: Deck, replies: Sequence[Judged]) -> tuple[Position, ...]:
    counts = [0] * len(deck.fixtures)
    for reply in replies:
        labels = dict(reply.labels.by_alias)
        for place, alias in enumerate(reply.request.aliases):
            counts[place] += labels[alias] == deck.labels[0]
    return tuple(
        Position(number=number, share=Share(count=count, of=len(replies))) for number, count in enumerate(counts, 1)
    )
