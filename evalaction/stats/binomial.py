"""The binomial distribution's tails, without SciPy. Pure."""

from __future__ import annotations

import math
from functools import lru_cache


@lru_cache(maxsize=256)
def _log_coefficients(n: int) -> tuple[float, ...]:
    return tuple(math.log(math.comb(n, k)) for k in range(n + 1))


def between(low: int, high: int, *, n: int, p: float) -> float:
    """Return P(low ≤ X ≤ high) for X ~ Bin(n, p).

    Args:
        low: smallest count that is summed, 0 or more.
        high: largest count that is summed, n at most; below ``low`` the sum is empty.
        n: trials, 0 or more.
        p: probability of one success, 0 to 1.

    Returns:
        The probability, summed term by term in the tail that is asked for, so that small ones keep
        their digits.
    """
    if p in (0.0, 1.0):
        return float(low <= n * p <= high)
    coefficients, yes, no = _log_coefficients(n), math.log(p), math.log1p(-p)
    return min(1.0, math.fsum(math.exp(coefficients[k] + k * yes + (n - k) * no) for k in range(low, high + 1)))


def at_least(k: int, *, n: int, p: float) -> float:
    """Return P(X ≥ k) for X ~ Bin(n, p)."""
    return between(max(k, 0), n, n=n, p=p)


def at_most(k: int, *, n: int, p: float) -> float:
    """Return P(X ≤ k) for X ~ Bin(n, p)."""
    return between(0, min(k, n), n=n, p=p)
