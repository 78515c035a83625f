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
from itertools import combinations
from math import factorial, prod

from evalaction.judge.score import by_order, in_order, labels_by_fixture, unlike
from evalaction.records.case import Deck
from evalaction.records.gate import Share
from evalaction.records.judge import Judged, OrderEffect

FEWEST = 20
"""Arrangements below which even the clearest effect has a share above 0.05: two orders, each asked three times, make
10."""
ENUMERATED = 12_000
"""Arrangements up to which all of them are looked at: 3 fixtures in all 6 orders, asked twice, make 10,395."""
SHUFFLES = 4_999
"""Random arrangements otherwise, beside the one that was seen: at a share of 0.05 they are 0.003 off or less."""

Groups = list[list[int]]


def order_effect(deck: Deck, judged: Sequence[Judged], *, seed: str) -> OrderEffect:
    """Compare a judge's disagreement between orders with its disagreement within them.

    With the disagreement over all pairs given, the difference between and within is the larger, the smaller the one
    within. So the arrangements that tell as much as the one seen are those with at most its disagreement within.

    Args:
        deck: what was judged.
        judged: replies that `score_deck` takes, in any order.
        seed: any text, for the random arrangements.

    Returns:
        Both figures, and the test where orders were asked again often enough for it to come below 0.05 at all.

    Raises:
        ValueError: as for `score_deck`.

    Source: the module's.
    """
    replies = in_order(judged)
    groups = by_order(deck, replies)
    table = labels_by_fixture(replies)
    apart = [[_apart(table, one, other) for other in range(len(replies))] for one in range(len(replies))]
    total = sum(apart[one][other] for one, other in combinations(range(len(replies)), 2))
    within, k = _within(groups, apart), len(deck.fixtures)
    again = sum(len(group) * (len(group) - 1) // 2 for group in groups)
    pairs = len(replies) * (len(replies) - 1) // 2
    arrangements = _arrangements(groups)
    enough = arrangements >= FEWEST
    return OrderEffect(
        between=Share(count=total - within, of=(pairs - again) * k),
        within=Share(count=within, of=again * k) if again else None,
        as_telling=_test(groups, apart, seed=seed) if enough else None,
        exact=enough and arrangements <= ENUMERATED,
    )


def _apart(table: Sequence[Sequence[str | None]], one: int, other: int) -> int:
    """Return for how many fixtures two replies differ; a missing label is like no other."""
    return sum(unlike(labels[one], labels[other]) for labels in table)


def _within(groups: Groups, apart: Sequence[Sequence[int]]) -> int:
    return sum(apart[one][other] for group in groups for one, other in combinations(group, 2))


def _test(groups: Groups, apart: Sequence[Sequence[int]], *, seed: str) -> Share:
    seen, sizes = _within(groups, apart), [len(group) for group in groups]
    if _arrangements(groups) <= ENUMERATED:
        all_of_them = [_within(dealt, apart) for dealt in _all(list(range(len(apart))), sizes)]
        return Share(count=sum(within <= seen for within in all_of_them), of=len(all_of_them))
    # Of this generator `random()` alone is promised to stay the same over Python's versions.
    rng = random.Random(seed)  # noqa: S311 - a simulation
    told = 1
    for _ in range(SHUFFLES):
        cards = iter(sorted(range(len(apart)), key=lambda _: rng.random()))
        told += _within([[next(cards) for _ in range(size)] for size in sizes], apart) <= seen
    return Share(count=told, of=SHUFFLES + 1)


def _arrangements(groups: Groups) -> int:
    """Return in how many ways the replies can be dealt into groups of these sizes that have no names."""
    sizes = Counter(len(group) for group in groups)
    replies = sum(size * number for size, number in sizes.items())
    alike: int = prod(factorial(size) ** number * factorial(number) for size, number in sizes.items())
    return factorial(replies) // alike


def _all(left: list[int], sizes: list[int]) -> Iterator[Groups]:
    """Yield every such dealing once: the first that is left goes into a group of each size there is."""
    if not left:
        yield []
        return
    for size in sorted(set(sizes)):
        rest = sizes.copy()
        rest.remove(size)
        for others in combinations(left[1:], size - 1):
            group = [left[0], *others]
            for dealt in _all([index for index in left[1:] if index not in others], rest):
                yield [group, *dealt]
