"""The orders in which a deck is put to a judge: every one of them, or a balanced few. Pure.

A few orders are whole Latin squares whose rows are the orders. A square is made of one row on the numbers
0 … k-1, to which 0, 1, … k-1 is added modulo k, and of a relabelling that says which fixture each number is.
So every fixture stands once at every position of a square, whatever the row; the row decides which fixture
follows which. If all steps from one number of the row to the next differ (modulo k), every fixture directly
follows every other once.

For even k the zigzag 0, 1, k-1, 2, k-2, … has that property. For odd k no row has: its k-1 steps would be
1, 2, … k-1, which add up to 0 modulo k, so the row would end where it began. There the zigzag takes half of
the steps twice, and its mirror image takes the other half twice: a pair of squares is exact. One square alone
takes the row of ``_near``, in which one step is missing and one stands twice, the least that can be.

Sources: E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments,
Australian Journal of Scientific Research A 2 (1949), 149-168: one square for even k, two for odd k.
B. Gordon, Sequences in groups with distinct partial products, Pacific Journal of Mathematics 11 (1961),
1309-1313: in which commutative groups a row without a repeated step exists (for shifts modulo k: even k alone).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import count, islice, permutations
from math import factorial
from typing import TypeAlias

Order: TypeAlias = tuple[int, ...]

_TRIES = 1_000
"""Relabellings of a single square that are tried before one that is always free is taken: see ``_single``."""


def plan_orders(k: int, *, max_orders: int = 24, seed: str) -> tuple[Order, ...]:
    """Return the orders in which ``k`` fixtures are put to a judge.

    All k! of them, sorted, where that is at most ``max_orders``; the seed plays no part then. Otherwise as many
    as the largest multiple of k up to ``max_orders``, one square of k after another (see this module), without
    two that are equal. Let m be the number of squares. Then

    - every fixture stands at every position in exactly m orders, also in the first 1, 2, … squares of them;
    - for even k, and for odd k with even m, every fixture directly follows every other in exactly m orders;
    - for odd k with odd m (25 fixtures in 25 orders) it does so in m - 1, m or m + 1 orders: each fixture follows
      one other once less, one other once more, and the rest m times, which is the least for one square of shifts
      beside exact pairs. Only where nearly all k! orders are asked for, and no such square is left without an
      order that is there already, half of the others come once less and half once more.

    Args:
        k: number of fixtures, 2 or more.
        max_orders: most orders, k or more.
        seed: any text. The same gives the same orders, on every version of Python; another one gives other orders.

    Returns:
        Permutations of 0 … k-1; the number at an index is the fixture at that position.

    Raises:
        ValueError: fewer than two fixtures have no order, and fewer orders than fixtures no balance.
    """
    if k < 2:  # noqa: PLR2004 - one fixture has no order
        raise ValueError(f"{k} fixtures have no order")
    if max_orders < k:
        raise ValueError(f"{max_orders} orders of {k} fixtures: it takes {k} at least")
    if factorial(k) <= max_orders:
        return tuple(permutations(range(k)))
    planned: dict[Order, None] = {}
    squares = max_orders // k
    relabellings = _relabellings(k, seed)
    zigzag = _zigzag(k)
    exact = (zigzag,) if k % 2 == 0 else (zigzag, zigzag[::-1])
    while len(planned) < k * (squares - squares % len(exact)):
        relabelling = next(relabellings)  # one for both squares of a pair
        _add(planned, [order for row in exact for order in _square(row, relabelling)])
    if len(planned) < k * squares:
        _single(planned, k, relabellings)
    return tuple(planned)


def _zigzag(k: int) -> Order:
    """Return 0, 1, k-1, 2, k-2, …: the row of Williams' square."""
    return tuple((step + 1) // 2 if step % 2 else -(step // 2) % k for step in range(k))


def _near(k: int) -> Order:
    """Return a row for odd k of which one step (modulo k) is missing, one stands twice, and all others once.

    It takes 0, k-1, 1, k-2, … from both ends of what is left. All steps are even (modulo k), until each even one
    has been made. Then one number is set aside, and from there the steps are odd, all different; that number goes
    to the end.
    """
    numbers = list(range(k))
    row: list[int] = []
    aside: list[int] = []
    for place in range(k):
        number = numbers.pop(0)
        if place == (k + 1) // 2:
            aside.append(number)
        else:
            row.append(number)
            numbers.reverse()
    return (*row, *aside)


def _square(row: Order, relabelling: Order) -> list[Order]:
    """Return the k orders of one Latin square."""
    k = len(row)
    return [tuple(relabelling[(number + shift) % k] for number in row) for shift in range(k)]


def _relabellings(k: int, seed: str) -> Iterator[Order]:
    """Yield random permutations without an end: the numbers sorted by a hash of seed, round and number."""
    for turn in count():
        keys = [hashlib.sha256(f"{seed}\n{turn}\n{number}".encode()).digest() for number in range(k)]
        yield tuple(sorted(range(k), key=keys.__getitem__))


def _add(planned: dict[Order, None], orders: list[Order]) -> bool:
    """Add the orders, unless one of them is there already; return whether they were added.

    All squares that one row makes under different relabellings have either the same orders or none in common, and
    for odd k so have its pairs (the mirror image of the zigzag is the zigzag with every number taken from a fixed
    one, modulo k). So a free relabelling is left for as long as fewer than k! orders are asked for.
    """
    if not planned.keys().isdisjoint(orders):
        return False
    planned.update(dict.fromkeys(orders))
    return True


def _single(planned: dict[Order, None], k: int, relabellings: Iterator[Order]) -> None:
    """Add one square to exact pairs of them, for odd k."""
    row = _near(k)
    if any(_add(planned, _square(row, relabelling)) for relabelling in islice(relabellings, _TRIES)):
        return
    # What is left of the k! orders need not hold a square of this row; it holds one of the zigzag's.
    row = _zigzag(k)
    while not _add(planned, _square(row, next(relabellings))):
        pass
