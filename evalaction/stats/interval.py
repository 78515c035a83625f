"""The interval for a case's flip probability. Pure."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from evalaction.stats.binomial import at_least, at_most

LEVEL = 0.95
"""Confidence of the interval that reports show."""

_HALVINGS = 60


class Interval(NamedTuple):
    """Both ends of an interval for a probability, 0 to 1."""

    low: float
    high: float


@lru_cache(maxsize=1_024)
def flip_interval(modal: int, n: int, *, level: float = LEVEL) -> Interval:
    """Return a confidence interval for the flip probability 1 - p, p being the likeliest answer's probability.

    The modal answer is chosen by the data, so the Clopper-Pearson interval on its count covers too seldom
    (58 % instead of 95 % with n = 5 and 20 equally likely answers). Here, with alpha = 1 - level:

    - upper end of p: Clopper-Pearson's for the modal count c, the p with P(Bin(n, p) ≤ c) = alpha/2 (1 for c = n).
      The likeliest answer was drawn c times at most, so a larger p is as unlikely as the formula says.
    - lower end of p: the smallest p with P(Bin(n, p) ≥ c) / p ≥ alpha/2, and 0 for c ≤ 1. When no answer is as likely
      as that, the chance that *any* answer is drawn c times or more is at most Σᵢ P(Bin(n, pᵢ) ≥ c), and each
      term is below pᵢ · alpha/2, so that the sum is below alpha/2.

    Args:
        modal: count of the modal answer, 0 to n; 0 when no draw could be read.
        n: draws, 1 or more, none of them missing.
        level: confidence, above 0 and below 1.

    Returns:
        The interval: 0 to 0.60 for 5 of 5, 0.005 to 0.82 for 4 of 5, 0 to 0.18 for 20 of 20.

    Raises:
        ValueError: an argument is out of its range.

    Source: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of
    the binomial", Biometrika 26 (1934), 404-413, for the upper end of p; the union bound (Boole's inequality)
    over the answers for the lower end.
    """
    if not (0 <= modal <= n and n > 0 and 0 < level < 1):
        raise ValueError(f"no interval for {modal} of {n} at level {level}")
    half = (1 - level) / 2
    highest = 1.0 if modal == n else _first(lambda p: at_most(modal, n=n, p=p) <= half)
    lowest = 0.0 if modal <= 1 else _first(lambda p: at_least(modal, n=n, p=p) >= half * p)
    return Interval(low=1 - highest, high=1 - lowest)


def _first(holds: Callable[[float], bool]) -> float:
    """Return the smallest p in 0 to 1 for which ``holds``, which stays true once it is, to 1e-18."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
