"""What a threshold does by chance alone. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from evalaction.stats.binomial import at_most

SOUND = 0.95
"""Probability of its answer at which a case is called sound, where the chance of a false alarm is told."""


def chance_of_failure(n: int, agreement_min: Fraction, p: float) -> float:
    """Return how likely it is that one answer, drawn with probability ``p``, misses the agreement threshold.

    That is P(Bin(n, p) < ⌈agreement_min · n⌉). Another answer can still reach the threshold in its place, so for
    the gate itself this is an upper bound; for thresholds above 1/2 and p near 1 it is all but exact.

    Args:
        n: draws, 1 or more.
        agreement_min: share of the draws that has to agree, 0 to 1.
        p: probability of the answer in one draw, 0 to 1.

    Returns:
        A probability, 0 to 1.

    Source: the binomial distribution function.
    """
    return at_most(math.ceil(agreement_min * n) - 1, n=n, p=p)


def any_of(chances: Iterable[tuple[float, int]]) -> float:
    """Return the chance that one independent case at least fails: 1 - Π (1 - chance) ^ number.

    Args:
        chances: (chance of one case, 0 to 1; number of such cases) pairs.
    """
    return 1 - math.prod((1 - chance) ** number for chance, number in chances)
