"""The chance that a sound case fails."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.stats import binom

from evalaction.stats.chance import chance_of_failure


@pytest.mark.parametrize(
    ("n", "agreement_min", "p", "needed"),
    [
        (5, "0.8", 0.95, 4),
        (5, "0.81", 0.95, 5),
        (5, "1", 0.9, 5),
        (10, "0.7", 0.7, 7),
        (3, "0.66", 0.9, 2),
        (3, "0.67", 0.9, 3),
        (100, "0.8", 0.8, 80),
        (5, "0", 0.5, 0),
        (5, "0.8", 1.0, 4),
        (5, "0.8", 0.0, 4),
    ],
)
def test_chance_of_failure__scipy(n: int, agreement_min: str, p: float, needed: int) -> None:
    """It is P(Bin(n, p) < needed), with the number of draws needed counted exactly."""
    expected = float(binom.cdf(needed - 1, n, p))
    assert chance_of_failure(n, Fraction(agreement_min), p) == pytest.approx(expected, abs=1e-12)


def test_chance_of_failure__by_hand() -> None:
    """Five draws at 0.9 of which four have to agree: 1 - 0.9^5 - 5 · 0.9^4 · 0.1 = 0.08146."""
    assert chance_of_failure(5, Fraction(4, 5), 0.9) == pytest.approx(0.08146)
