"""Disagreement between draws."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.stats.flips import disagreement


@pytest.mark.parametrize(
    ("counts", "n", "expected"),
    [
        ([5], 5, Fraction(0)),
        ([4, 1], 5, Fraction(8, 20)),
        ([4], 5, Fraction(8, 20)),
        ([2, 2], 5, Fraction(16, 20)),
        ([1, 1, 1], 3, Fraction(1)),
        ([], 5, Fraction(1)),
        ([1], 1, None),
        ([], 0, None),
    ],
)
def test_disagreement__by_hand(counts: list[int], n: int, expected: Fraction | None) -> None:
    """The share of pairs that differ, each unreadable draw differing from all; nothing without a pair."""
    assert expected == disagreement(counts, n)


@given(st.lists(st.integers(1, 6), max_size=5), st.integers(0, 4))
def test_disagreement__pairs(counts: list[int], unreadable: int) -> None:
    """It is what counting the pairs one by one gives."""
    draws = [answer for answer, count in enumerate(counts) for _ in range(count)]
    draws += [-1 - index for index in range(unreadable)]
    pairs = list(combinations(draws, 2))
    expected = Fraction(sum(one != other for one, other in pairs), len(pairs)) if pairs else None
    assert expected == disagreement(counts, len(draws))


def test_disagreement__expectation() -> None:
    """Its mean over many seeded runs is the chance that two draws differ, whatever n is."""
    rng = random.Random(1)  # noqa: S311 - a simulation
    means = []
    for n in (2, 5, 20):
        runs = [[rng.random() < 0.8 for _ in range(n)] for _ in range(4_000)]
        shares = [disagreement([sum(run), n - sum(run)], n) for run in runs]
        means.append(float(sum(share for share in shares if share is not None) / len(runs)))
    assert [pytest.approx(0.32, abs=0.02)] * 3 == means
