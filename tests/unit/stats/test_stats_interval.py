"""The interval for the flip probability: by hand, against SciPy, and by what it covers."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import beta, binom

from evalaction.stats.interval import Interval, flip_interval


def reference(modal: int, n: int) -> tuple[float, float]:
    """The same interval from SciPy: Clopper-Pearson's upper end, and the root of the union bound."""
    highest = 1.0 if modal == n else beta.ppf(0.975, modal + 1, n - modal)
    lowest = 0.0 if modal <= 1 else brentq(lambda p: binom.sf(modal - 1, n, p) / p - 0.025, 1e-9, modal / n, xtol=1e-14)
    return 1 - float(highest), 1 - float(lowest)


def modal_counts(weights: list[int], n: int) -> list[int]:
    """Modal counts of 2,000 seeded runs of n draws from answers with these weights."""
    rng = random.Random(20260102)  # noqa: S311 - a simulation
    return [max(Counter(rng.choices(range(len(weights)), weights, k=n)).values()) for _ in range(2_000)]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 20, 100])
def test_flip_interval__scipy(n: int) -> None:
    """Both ends agree with SciPy's to nine digits for every modal count."""
    expected = [pytest.approx(reference(modal, n), abs=1e-9) for modal in range(n + 1)]
    assert expected == [flip_interval(modal, n) for modal in range(n + 1)]


@pytest.mark.parametrize(
    ("modal", "n", "percent"),
    [(5, 5, (0, 60)), (4, 5, (0.5, 82)), (20, 20, (0, 18)), (1, 5, (28, 100)), (0, 5, (48, 100))],
)
def test_flip_interval__by_hand(modal: int, n: int, percent: tuple[float, float]) -> None:
    """The figures that reports show: (0.025)^(1/4) = 0.3976 is the lower end of p for five of five."""
    low, high = flip_interval(modal, n)
    assert percent == (round(100 * low, 1 if low < 0.01 else 0), round(100 * high))


def test_flip_interval__ends() -> None:
    """No flip seen leaves the low end at 0, and one count of 1 or less the high end at 1, exactly."""
    assert [flip_interval(7, 7).low, flip_interval(1, 7).high, flip_interval(0, 7).high] == [0.0, 1.0, 1.0]


@given(st.integers(1, 40), st.data())
def test_flip_interval__ordered(n: int, data: st.DataObject) -> None:
    """The interval holds the flip rate that was seen, and moves down as more draws agree."""
    modal = data.draw(st.integers(0, n - 1))
    one, more = flip_interval(modal, n), flip_interval(modal + 1, n)
    assert 0 <= one.low <= 1 - modal / n <= one.high <= 1
    assert (more.low <= one.low, more.high <= one.high) == (True, True)


@pytest.mark.parametrize(("modal", "n", "level"), [(-1, 5, 0.95), (6, 5, 0.95), (0, 0, 0.95), (3, 5, 0.0), (3, 5, 1.0)])
def test_flip_interval__out_of_range(modal: int, n: int, level: float) -> None:
    """What is no count of no draws has no interval."""
    with pytest.raises(ValueError, match=f"no interval for {modal} of {n}"):
        flip_interval(modal, n, level=level)


def test_flip_interval__level() -> None:
    """A higher level gives a wider interval."""
    narrow, wide = flip_interval(4, 5, level=0.8), flip_interval(4, 5, level=0.99)
    assert (wide.low < narrow.low, narrow.high < wide.high) == (True, True)


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize(
    "weights",
    [[1, 1], [9, 1], [99, 1], [1] * 20, [50] + [1] * 50, [4, 3, 2, 1]],
    ids=["two", "nine_to_one", "hardly_ever", "twenty", "one_of_many", "four"],
)
def test_flip_interval__coverage(n: int, weights: list[int]) -> None:
    """In 2,000 seeded runs the interval holds the true flip probability at least as often as it says."""
    truth, counts = 1 - max(weights) / sum(weights), modal_counts(weights, n)
    intervals: list[Interval] = [flip_interval(modal, n) for modal in range(n + 1)]
    covered = sum(intervals[modal].low <= truth <= intervals[modal].high for modal in counts)
    assert covered >= 0.95 * len(counts)


def test_flip_interval__why_not_clopper_pearson() -> None:
    """Clopper-Pearson on the modal count covers 58 % with five draws of twenty equal answers, not 95 %."""
    counts = modal_counts([1] * 20, 5)
    covered = sum(beta.ppf(0.025, modal, 6 - modal) <= 1 / 20 for modal in counts)
    assert covered / len(counts) == pytest.approx(0.58, abs=0.03)
