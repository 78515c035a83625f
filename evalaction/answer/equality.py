"""When two JSON values count as equal: by value, their strings by Unicode NFC, and by what a contract sets aside. Pure.

Each of these is an equivalence, since it compares normal forms: equal is what has one normal form. A tolerance is none
(0 is near 1, 1 is near 2), so it holds between an answer and an expected value alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation, Overflow, Underflow
from functools import lru_cache

from evalaction.comparable import is_ascii
from evalaction.decimals import MAX_NUMBER_LENGTH, WHOLE, as_number, is_number
from evalaction.letters import fold, nfc
from evalaction.records.case import EXACTLY, Compare
from evalaction.values import JSON, canonical

MAX_MULTIPLE = 50
"""Decimal digits of the multiple that a number is rounded to, beyond which it stays as it is: bounds the time."""

_CONTEXT = Context(
    prec=2 * MAX_NUMBER_LENGTH, Emax=10**9, Emin=-(10**9), traps=[InvalidOperation, Overflow, Underflow, Inexact]
)


def normal(value: JSON, compare: Compare = EXACTLY) -> JSON:
    """Return the normal form of ``value``: two values are equal exactly when their normal forms are.

    Strings and keys are in NFC, save in what ``comparable.why_incomparable`` names. Linear time, whatever the value.

    Args:
        value: as ``values.parse`` returns it.
        compare: what is set aside beyond that; its ``tolerance`` is not looked at.
    """
    return value if compare == EXACTLY and is_ascii(value) else _normal(value, compare)


def _normal(value: JSON, compare: Compare) -> JSON:
    if isinstance(value, list):
        within = _within(compare)
        items = [_normal(item, within) for item in value]
        return sorted(items, key=canonical) if compare.unordered else items
    if isinstance(value, dict):
        within = _within(compare)
        return {key: _normal(item, within) for key, item in keyed(value).items()}
    if isinstance(value, str):
        return fold(value) if compare.case_insensitive else nfc(value)
    if compare.round is not None and is_number(value):
        return rounded(value, compare.round)
    return value


def _within(compare: Compare) -> Compare:
    """Return how what stands inside a value is compared: the order of its own items is no longer meant."""
    if not compare.unordered:
        return compare
    return Compare(case_insensitive=compare.case_insensitive, round=compare.round)


def equal(one: JSON, other: JSON, compare: Compare = EXACTLY) -> bool:
    """Return whether two values count as equal. An equivalence, for each ``compare``."""
    return canonical(normal(one, compare)) == canonical(normal(other, compare))


def meets(given: JSON, expected: JSON, compare: Compare = EXACTLY) -> bool:
    """Return whether ``given`` counts as the expected value: equal to it, or a number within the tolerance of it."""
    return equal(given, expected, compare) or (
        compare.tolerance is not None
        and is_number(given)
        and is_number(expected)
        and _is_near(given, expected, compare.tolerance)
    )


def _is_near(given: int | Decimal, expected: int | Decimal, tolerance: int | Decimal) -> bool:
    """Return whether |given - expected| <= tolerance, exactly; False where the bounds have too many digits to tell."""
    middle, off = Decimal(expected), Decimal(tolerance)
    try:
        low, high = _CONTEXT.subtract(middle, off), _CONTEXT.add(middle, off)
    except DecimalException:
        return False
    return low <= Decimal(given) <= high


def rounded(value: int | Decimal, grid: int | Decimal) -> int | Decimal:
    """Return the multiple of ``grid`` that is nearest to ``value``; of two alike, the one farther from zero.

    Exact, in decimal digits. A value that is ``MAX_MULTIPLE`` digits or more larger than the grid stays as it is.

    Args:
        value: any number.
        grid: above 0.
    """
    if isinstance(value, int) and isinstance(grid, int) and -WHOLE < value < WHOLE:  # the same, and faster
        multiple, rest = divmod(abs(value), grid)
        nearest = (multiple + (2 * rest >= grid)) * grid
        return nearest if value > 0 else -nearest
    return _rounded(value, grid)


@lru_cache(maxsize=4096)
def _rounded(value: int | Decimal, grid: int | Decimal) -> int | Decimal:
    exact, step = Decimal(value), Decimal(grid)
    larger_by = exact.adjusted() - step.adjusted()
    if not exact or larger_by < -1:
        return 0  # below a tenth of the grid
    if larger_by >= MAX_MULTIPLE:
        return value
    try:
        rest = _CONTEXT.remainder_near(exact, step)
        nearest = _CONTEXT.subtract(exact, rest)
        if _CONTEXT.add(rest.copy_abs(), rest.copy_abs()) == step and rest.is_signed() == exact.is_signed():
            nearest = _CONTEXT.add(nearest, step.copy_sign(exact))  # halfway, and the even multiple was nearer to zero
        return as_number(nearest)
    except DecimalException:
        return value


def keyed(value: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return an object under its keys in NFC; under those that it has where two of them become one."""
    if all(map(str.isascii, value)):
        return dict(value)
    found = {nfc(key): item for key, item in value.items()}
    return found if len(found) == len(value) else dict(value)


def projected(
    value: Mapping[str, JSON], keys: Sequence[str], compare: Sequence[tuple[str, Compare]] = ()
) -> dict[str, JSON]:
    """Return the normal form of an object's part under ``keys``; a key that it lacks stays absent, which is not null.

    Args:
        value: the object.
        keys: what is taken of it, in any spelling; empty: all of it.
        compare: (key, when two values under it count as equal), keys in any spelling.
    """
    found, by_key = keyed(value), {nfc(key): each for key, each in compare}
    wanted = [nfc(key) for key in keys] if keys else list(found)
    return {key: normal(found[key], by_key.get(key, EXACTLY)) for key in wanted if key in found}
