"""Binomial tails, checked against SciPy."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from evalaction.stats.binomial import at_least, at_most, between


@pytest.mark.parametrize("n", [1, 2, 5, 20, 100, 1_000])
@pytest.mark.parametrize("p", [0.0, 1e-9, 0.2, 0.5, 0.999, 1.0])
def test_tails__scipy(n: int, p: float) -> None:
    """Both tails are SciPy's for every count, small ones to nine digits."""
    counts = range(0, n + 1, max(1, n // 20))
    expected = [(float(binom.sf(k - 1, n, p)), float(binom.cdf(k, n, p))) for k in counts]
    found = [(at_least(k, n=n, p=p), at_most(k, n=n, p=p)) for k in counts]
    assert [pytest.approx(pair, rel=1e-9, abs=1e-280) for pair in expected] == found


@pytest.mark.parametrize(("low", "high", "expected"), [(0, 5, 1.0), (3, 2, 0.0), (2, 2, 10 / 32), (0, 0, 1 / 32)])
def test_between__by_hand(low: int, high: int, expected: float) -> None:
    """Five fair coins."""
    assert between(low, high, n=5, p=0.5) == pytest.approx(expected)


def test_tails__out_of_range() -> None:
    """A count below 0 is always reached, and one above n never."""
    found = [at_least(-1, n=5, p=0.5), at_least(6, n=5, p=0.5), at_most(-1, n=5, p=0.5), at_most(9, n=5, p=0.5)]
    assert found == pytest.approx([1, 0, 0, 1])
