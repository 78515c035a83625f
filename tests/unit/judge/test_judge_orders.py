"""Orders: every one of them, or a few in which each fixture stands everywhere and follows every other."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import pairwise, permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.judge.orders import plan_orders

Orders = tuple[tuple[int, ...], ...]

SIZES = range(2, 51)
LIMITS = (24, 60, 111)
"""Most orders: the default, and others of which k leaves a remainder."""
few = pytest.mark.parametrize("k", [k for k in SIZES if k > 2])
"""Two fixtures have two orders, which are all."""


@cache
def planned(k: int, seed: str = "a") -> tuple[Orders, ...]:
    """Return a few orders of k fixtures for several ``max_orders``, never all of them."""
    limits = sorted({limit for limit in (k, 2 * k + 1, 3 * k, *LIMITS) if k <= limit < factorial(k)})
    plans = tuple(plan_orders(k, max_orders=limit, seed=seed) for limit in limits)
    assert [limit // k * k for limit in limits] == [len(orders) for orders in plans]
    return plans


def places(orders: Orders) -> Counter[tuple[int, int]]:
    """Return how often each (fixture, position) occurs."""
    return Counter((fixture, place) for order in orders for place, fixture in enumerate(order))


def neighbours(orders: Orders) -> Counter[tuple[int, int]]:
    """Return how often each (fixture, the one directly after it) occurs, those that never occur included."""
    k = len(orders[0])
    found = Counter(dict.fromkeys(permutations(range(k), 2), 0))
    found.update(pair for order in orders for pair in pairwise(order))
    return found


@pytest.mark.parametrize(("k", "limit"), [(2, 2), (2, 24), (3, 6), (3, 24), (4, 24), (5, 120), (6, 1_000)])
def test_plan_orders__all(k: int, limit: int) -> None:
    """Up to ``max_orders`` they are all k! orders, each once, whatever the seed."""
    expected = tuple(sorted(permutations(range(k))))
    assert expected == plan_orders(k, max_orders=limit, seed="a") == plan_orders(k, max_orders=limit, seed="b")


@few
def test_plan_orders__permutations(k: int) -> None:
    """Above, they are the largest multiple of k that is allowed, each a permutation, and no two are equal."""
    for orders in planned(k):
        assert len(orders) == len(set(orders))
        assert {tuple(range(k))} == {tuple(sorted(order)) for order in orders}


@few
def test_plan_orders__position(k: int) -> None:
    """Every fixture stands exactly equally often at every position, in each square of k orders alone too."""
    once = Counter({(fixture, place): 1 for fixture in range(k) for place in range(k)})
    for orders in planned(k):
        assert [once] * (len(orders) // k) == [places(orders[start : start + k]) for start in range(0, len(orders), k)]


@few
def test_plan_orders__carry_over(k: int) -> None:
    """Every fixture directly follows every other equally often; for odd k and an odd number of squares nearly so.

    Then each fixture follows one other once less than the rest, and one once more.
    """
    for orders in planned(k):
        squares = len(orders) // k
        found = neighbours(orders)
        off = [
            sorted(
                found[first, then] - squares for first in range(k) if first != then and found[first, then] != squares
            )
            for then in range(k)
        ]
        exact = k % 2 == 0 or squares % 2 == 0
        assert [[] if exact else [-1, 1]] * k == off


@few
def test_plan_orders__positional_stub(k: int) -> None:
    """Every fixture stands last in an order and not last in another: a judge that goes by that flips on each."""
    for orders in planned(k):
        last = Counter(order[-1] for order in orders)
        assert set(range(k)) == set(last)
        assert all(0 < often < len(orders) for often in last.values())


@few
def test_plan_orders__seed(k: int) -> None:
    """The same seed gives the same orders in the same sequence; another gives other orders."""
    assert planned(k) == planned.__wrapped__(k)
    # Three fixtures have two squares in all, so that one other seed may give the same.
    others = [planned(k, seed) for seed in "bcdefghij"]
    assert all(any(set(orders) != set(other[index]) for other in others) for index, orders in enumerate(planned(k)))


@pytest.mark.parametrize(("k", "limit"), [(4, 23), (5, 59), (5, 79), (5, 119), (6, 719), (7, 5_039)])
def test_plan_orders__nearly_all(k: int, limit: int) -> None:
    """Where nearly all k! orders are asked for no two are equal, and one square over is at most one off."""
    orders = plan_orders(k, max_orders=limit, seed="a")
    squares = limit // k
    assert squares * k == len(orders) == len(set(orders))
    assert {squares} == set(places(orders).values())
    off = 1 if k % 2 == 1 and squares % 2 == 1 else 0
    assert off == max(abs(often - squares) for often in neighbours(orders).values())


@given(k=st.integers(2, 30), over=st.integers(0, 100), seed=st.text())
def test_plan_orders__any_seed(k: int, over: int, seed: str) -> None:
    """Whatever text the seed is, the orders are distinct permutations and every position is balanced."""
    orders = plan_orders(k, max_orders=k + over, seed=seed)
    expected = min(factorial(k), (k + over) // k * k)
    assert expected == len(orders) == len(set(orders))
    assert {expected // k} == set(places(orders).values())
    assert k * k == len(places(orders))


def test_plan_orders__fixed() -> None:
    """The orders of a seed are these: an earlier run's, another machine's and another Python's."""
    square = ((2, 1, 4, 0, 3), (1, 0, 2, 3, 4), (0, 3, 1, 4, 2), (3, 4, 0, 2, 1), (4, 2, 3, 1, 0))
    assert square == plan_orders(5, seed="a")[:5]
    text = "\n".join(" ".join(map(str, order)) for order in plan_orders(25, max_orders=25, seed="é"))
    assert (
        "dd5e8e61a46609ca6dff7e276ca1bad5f789fa6b968cc7058382568e0e33d51c" == hashlib.sha256(text.encode()).hexdigest()
    )


def test_plan_orders__process() -> None:
    """Nothing of a process's own hashing gets into the orders."""
    code = "from evalaction.judge.orders import plan_orders; print(plan_orders(7, seed='a'))"
    command = [sys.executable, "-c", code]
    printed = {
        subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    }
    assert {f"{plan_orders(7, seed='a')}\n"} == printed


@pytest.mark.parametrize(
    ("k", "limit", "message"),
    [
        (0, 24, "0 fixtures have no order"),
        (1, 24, "1 fixtures have no order"),
        (4, 3, "3 orders of 4 fixtures: it takes 4 at least"),
        (25, 24, "24 orders of 25 fixtures: it takes 25 at least"),
    ],
)
def test_plan_orders__refused(k: int, limit: int, message: str) -> None:
    """One fixture has no order, and fewer orders than fixtures put none of them everywhere."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        plan_orders(k, max_orders=limit, seed="a")
