"""The chance that several draws all pass."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from evalaction.stats.passes import pass_hat


@pytest.mark.parametrize(
    ("passing", "n", "expected"),
    [
        (5, 5, ("1", "1", "1", "1", "1")),
        (4, 5, ("4/5", "3/5", "2/5", "1/5", "0")),
        (3, 5, ("3/5", "3/10", "1/10", "0", "0")),
        (1, 5, ("1/5", "0", "0", "0", "0")),
        (0, 5, ("0", "0", "0", "0", "0")),
        (1, 2, ("1/2", "0")),
        (2, 2, ("1", "1")),
        (1, 1, ("1",)),
        (0, 1, ("0",)),
    ],
)
def test_pass_hat__by_hand(passing: int, n: int, expected: tuple[str, ...]) -> None:
    """C(c, k) / C(n, k) for every k, exact."""
    assert tuple(map(Fraction, expected)) == pass_hat(passing, n)


@given(st.integers(1, 8), st.data())
def test_pass_hat__subsets(n: int, data: st.DataObject) -> None:
    """It is what counting the sets of k draws of which all pass gives."""
    passes = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    counted = []
    for k in range(1, n + 1):
        taken = list(combinations(passes, k))
        counted.append(Fraction(sum(map(all, taken)), len(taken)))
    assert tuple(counted) == pass_hat(sum(passes), n)


@pytest.mark.parametrize("n", [2, 5, 20, 100])
def test_pass_hat__hypergeometric(n: int) -> None:
    """It is SciPy's chance of k passing draws among k that are taken without putting back, to nine digits."""
    for passing in range(0, n + 1, max(n // 20, 1)):
        expected = [float(hypergeom.pmf(k, n, passing, k)) for k in range(1, n + 1)]
        assert expected == pytest.approx([float(chance) for chance in pass_hat(passing, n)], rel=1e-9, abs=1e-30)


@given(st.integers(1, 100), st.data())
def test_pass_hat__falls(n: int, data: st.DataObject) -> None:
    """It begins with the share that passes, never rises with k, and ends at 1 where all pass and at 0 elsewhere."""
    passing = data.draw(st.integers(0, n))
    chances = pass_hat(passing, n)
    assert (n, Fraction(passing, n), Fraction(passing == n)) == (len(chances), chances[0], chances[-1])
    assert list(chances) == sorted(chances, reverse=True)


def test_pass_hat__unbiased() -> None:
    """Over all outcomes of five draws that each pass with p = 3/5, its mean is p^k, exactly."""
    n, p = 5, Fraction(3, 5)
    outcomes = [(p**c * (1 - p) ** (n - c), c) for bits in range(2**n) for c in [bits.bit_count()]]
    means = tuple(sum((chance * pass_hat(c, n)[k] for chance, c in outcomes), Fraction(0)) for k in range(n))
    assert tuple(p**k for k in range(1, n + 1)) == means


@pytest.mark.parametrize(("passing", "n"), [(-1, 5), (6, 5), (0, 0)])
def test_pass_hat__out_of_range(passing: int, n: int) -> None:
    """What no draws can be is refused, and no figure is made of it."""
    with pytest.raises(ValueError, match=rf"no pass\^k for {passing} of {n}"):
        pass_hat(passing, n)
