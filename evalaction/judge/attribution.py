"""Whether a judge's labels move with the order, or move anyhow: a permutation test. Pure.

Under the null hypothesis the order says nothing, so the replies could be exchanged between the orders. The test
deals whole replies anew, since the labels of one reply hang together, and asks how often the replies to one order
come out as alike as they were seen to be.

Sources: K. R. Clarke, Non-parametric multivariate analyses of changes in community structure, Australian Journal of
Ecology 18 (1993), 117-143 (dissimilarity between groups against that within them, by permutation; here the
dissimilarities themselves, not their ranks). B. Phipson and G. K. Smyth, Permutation P-values should never be zero,
Statistical Applications in Genetics and Molecular Biology 9 (2010), article 39: the arrangement that was seen
counts among the random ones.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, pairwise
from math import comb, factorial, prod
from typing import TypeAlias

from evalaction.judge.score import by_order, in_order, labels_by_fixture
from evalaction.records.deck import Deck
from evalaction.records.gate import Share
from evalaction.records.judge import Judged, OrderEffect

FEWEST = 20
"""Arrangements below which even the clearest effect has a share above 0.05: two orders, each asked three times, make
10."""
ENUMERATED = 12_000
"""Arrangements up to which all of them are looked at: 3 fixtures in all 6 orders, asked twice, make 10,395."""
SHUFFLES = (4_999, 1_999, 999, 499, 199, 99)
"""Random arrangements otherwise, beside the one that was seen. At a share of 0.05 its standard error is 0.003, 0.005,
0.007, 0.010, 0.015 and 0.022. With the one that was seen they are multiples of 20, so that even the fewest hold no more
than one judge in twenty for one that goes by the order when none does."""
WORK = 600_000_000
"""What there is time for, about half a second: random arrangements · (replies · (200 + columns) + 400 · orders), since
dealing a reply takes as long as counting 200 of its columns, and an order takes that twice. 500 replies to 24 orders
are dealt 4,999 times, 10,000 (the most that any deck gets) 199 times."""

_DEALING, _GROUPING = 200, 400
_BYTE = 256

Labels: TypeAlias = Sequence[str | None]
"""Labels of one fixture, by reply."""


def order_effect(deck: Deck, judged: Sequence[Judged], *, seed: str) -> OrderEffect:
    """Compare a judge's disagreement between orders with its disagreement within them.

    With the disagreement over all pairs given, the difference between and within is the larger, the smaller the one
    within. So the arrangements that tell as much as the one seen are those with at most its disagreement within.

    Args:
        deck: what was judged.
        judged: replies that `score_deck` takes, in any order, 255 to one order at most.
        seed: any text, for the random arrangements.

    Returns:
        Both figures, and the test where orders were asked again often enough for it to come below 0.05 at all. The
        more replies there are, the fewer random arrangements are looked at: the most of ``SHUFFLES`` that keep to
        ``WORK``, or else the fewest.

    Raises:
        ValueError: as for `score_deck`, or there are more replies to one order.

    Source: the module's.
    """
    replies = in_order(judged)
    groups = by_order(deck, replies)
    sizes = [len(group) for group in groups]
    if max(sizes) >= _BYTE:
        raise ValueError(f"{max(sizes)} replies to one order: at most {_BYTE - 1} are compared")
    table, k = labels_by_fixture(replies), len(deck.fixtures)
    pairs, again = comb(len(replies), 2), sum(comb(size, 2) for size in sizes)
    apart = pairs * k - sum(map(_alike, table))
    within = again * k - sum(_alike([labels[index] for index in group]) for group in groups for labels in table)
    arrangements = _arrangements(sizes)
    enough = arrangements >= FEWEST
    return OrderEffect(
        between=Share(count=apart - within, of=(pairs - again) * k),
        within=Share(count=within, of=again * k) if again else None,
        as_telling=_test(table, sizes, arrangements, seed=seed) if enough else None,
        exact=enough and arrangements <= ENUMERATED,
    )


def _alike(labels: Labels) -> int:
    """Return how many pairs of labels are alike; a missing label is like no other."""
    return sum(comb(often, 2) for label, often in Counter(labels).items() if label is not None)


def _test(table: Sequence[Labels], sizes: Sequence[int], arrangements: int, *, seed: str) -> Share:
    cards, width = _cards(table)
    # A reply that is alone with its order is in no pair.
    places = [slice(*ends) for ends in pairwise(accumulate(sizes, initial=0)) if ends[1] - ends[0] > 1]
    seen = _alike_within([cards[place] for place in places], width)
    if arrangements <= ENUMERATED:
        every = _all(cards, [size for size in sizes if size > 1])
        return Share(count=sum(_alike_within(dealt, width) >= seen for dealt in every), of=arrangements)
    work = len(cards) * (_DEALING + width) + len(places) * _GROUPING
    shuffles = next((number for number in SHUFFLES if number * work <= WORK), SHUFFLES[-1])
    if not width:  # however they are dealt, they are as alike
        return Share(count=shuffles + 1, of=shuffles + 1)
    # Of this generator `random()` alone is promised to stay the same over Python's versions.
    rng = random.Random(seed)  # noqa: S311 - a simulation
    told = 1
    for _ in range(shuffles):
        dealt = sorted(cards, key=lambda _: rng.random())
        told += _alike_within([dealt[place] for place in places], width) >= seen
    return Share(count=told, of=shuffles + 1)


def _cards(table: Sequence[Labels]) -> tuple[list[int], int]:
    """Return each reply as a number whose bytes are columns, and how many columns there are.

    A column is a label of a fixture; it is 1 where the reply gives it. The sum of some replies then holds how many of
    them give each label. Labels that every reply gives are alike however the replies are dealt, and those that one
    alone gives never are: they have no column.
    """
    cards, width = [0] * len(table[0]), 0
    for labels in table:
        often = Counter(labels)
        for label in [label for label in often if label is not None and 1 < often[label] < len(labels)]:
            column = 1 << 8 * width
            cards = [card + column if given == label else card for card, given in zip(cards, labels, strict=True)]
            width += 1
    return cards, width


def _alike_within(groups: Sequence[Sequence[int]], width: int) -> int:
    """Return how many pairs of labels are alike within groups of replies, over all columns."""
    counts = b"".join([sum(group).to_bytes(width, "little") for group in groups])
    return sum(comb(often, 2) * counts.count(often) for often in range(2, max(map(len, groups)) + 1))


def _arrangements(sizes: Sequence[int]) -> int:
    """Return in how many ways the replies can be dealt into groups of these sizes that have no names."""
    alike: int = prod(factorial(size) ** number * factorial(number) for size, number in Counter(sizes).items())
    return factorial(sum(sizes)) // alike


def _all(cards: Sequence[int], sizes: Sequence[int]) -> Iterator[list[list[int]]]:
    """Yield every way to deal some of the replies into groups of these sizes, once."""
    for some in combinations(range(len(cards)), sum(sizes)):
        for groups in _dealt(some, sizes):
            yield [[cards[index] for index in group] for group in groups]


def _dealt(left: Sequence[int], sizes: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every such dealing of all that is left: the first goes into a group of each size there is."""
    if not left:
        yield []
        return
    for size in sorted(set(sizes)):
        rest = [*sizes]
        rest.remove(size)
        for others in combinations(left[1:], size - 1):
            for groups in _dealt([index for index in left[1:] if index not in others], rest):
                yield [(left[0], *others), *groups]
