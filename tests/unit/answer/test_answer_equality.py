"""When two JSON values count as equal."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.answer.equality import equal, keyed, meets, normal, projected, rounded
from evalaction.records.case import EXACTLY, Compare
from evalaction.values import JSON, canonical, parse

FOLDED = Compare(case_insensitive=True)
BAG = Compare(unordered=True)
TENTHS = Compare(round=Decimal("0.1"))
ALL = Compare(case_insensitive=True, unordered=True, round=5)
LETTERS = st.text("aAsSß\u00e9e\u0301E\u0345\u03b9", max_size=3)
NUMBERS = st.integers(-9, 9) | st.decimals(-9, 9, places=2, allow_nan=False).map(lambda number: parse(f"{number:f}"))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | LETTERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LETTERS, inner, max_size=2),
    max_leaves=5,
)
COMPARES = st.builds(
    Compare,
    case_insensitive=st.booleans(),
    unordered=st.booleans(),
    round=st.sampled_from([None, Decimal("0.1"), Decimal("0.25"), 1, 5]),
)


@pytest.mark.parametrize(
    ("one", "other", "compare"),
    [
        ('"\u00e9"', '"e\u0301"', EXACTLY),
        ('{"\u00e9": 1}', '{"e\u0301": 1.0}', EXACTLY),
        ('["STRASSE"]', '["stra\u00dfe"]', FOLDED),
        ('{"a": ["X"]}', '{"a": ["x"]}', FOLDED),
        ("[1, 2, 2]", "[2, 1, 2]", BAG),
        ('["b", "A"]', '["a", "B"]', ALL),
        ("0.15", "0.2", TENTHS),
        ("-0.15", "-0.2", TENTHS),
        ("0.25", "0.3", TENTHS),
        ('[{"n": 0.04}]', '[{"n": 0}]', TENTHS),
        ("2.5", "5", Compare(round=5)),
        ("1e-999999999", "0", TENTHS),
    ],
)
def test_equal(one: str, other: str, compare: Compare) -> None:
    """What a contract sets aside, and the spelling of a letter, is no difference."""
    assert equal(parse(one), parse(other), compare)


@pytest.mark.parametrize(
    ("one", "other", "compare"),
    [
        ('"A"', '"a"', EXACTLY),
        ("[1, 2]", "[2, 1]", FOLDED),
        ('{"A": 1}', '{"a": 1}', FOLDED),
        ('" a"', '"a"', FOLDED),
        ("[1, 1, 2]", "[1, 2, 2]", BAG),
        ("[[1, 2]]", "[[2, 1]]", BAG),
        ('{"a": [1, 2]}', '{"a": [2, 1]}', BAG),
        ("1", "true", ALL),
        ("0.14", "0.15", TENTHS),
        ("1", "1.1", Compare(tolerance=5)),
        ("1e999999999", "1e999999998", TENTHS),
    ],
)
def test_equal__different(one: str, other: str, compare: Compare) -> None:
    """Everything else is: keys have a case, inner arrays an order, and a tolerance is no equality."""
    assert not equal(parse(one), parse(other), compare)


@given(st.lists(VALUES, min_size=3, max_size=3), COMPARES)
def test_equal__equivalence(values: list[Any], compare: Compare) -> None:
    """Equality is reflexive, symmetric and transitive, whatever is set aside."""
    one, other, third = values
    assert equal(one, one, compare)
    assert equal(one, other, compare) == equal(other, one, compare)
    assert not (equal(one, other, compare) and equal(other, third, compare)) or equal(one, third, compare)


@given(VALUES, COMPARES)
def test_normal__stable(value: Any, compare: Compare) -> None:
    """The normal form of a normal form is itself, and a value equals its own."""
    once = normal(value, compare)
    assert canonical(once) == canonical(normal(once, compare))
    assert equal(value, once, compare)


def same(one: Any, other: Any) -> bool:
    """Compare two values as JSON does, in another way than by their bytes."""
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return isinstance(one, str) == isinstance(other, str) and bool(one == other)


@given(VALUES, VALUES)
def test_canonical__values(one: Any, other: Any) -> None:
    """Canonical bytes are equal exactly when the values are."""
    assert same(one, other) == (canonical(one) == canonical(other))
    assert canonical(one) == canonical(parse(json.dumps(parse(canonical(one).decode()), default=float)))


@given(
    st.integers(-1000, 1000) | st.decimals(-1000, 1000, allow_nan=False, places=4),
    st.integers(1, 50) | st.decimals("0.001", 50, allow_nan=False, places=3),
)
def test_rounded(number: int | Decimal, grid: int | Decimal) -> None:
    """A number becomes the nearest multiple, of two alike the one farther from zero, as fractions tell."""
    share = abs(Fraction(number)) / Fraction(grid)
    multiple = int(share + Fraction(1, 2)) * Fraction(grid)
    assert Fraction(rounded(number, grid)) == (multiple if number >= 0 else -multiple)


@pytest.mark.parametrize(
    ("given_", "expected", "tolerance", "met"),
    [
        ("19.99", "20", "0.01", True),
        ("19.98", "20", "0.01", False),
        ("20.01", "20", "0.01", True),
        ("20", "20.0", "0", True),
        ("true", "1", "1", False),
        ("1", "true", "1", False),
        ('"1"', "1", "5", False),
        ("[1]", "[2]", "5", False),
        ("1e999999999", "1", "5", False),
        ("1e-999999999", "0", "0.1", True),
        ("0.30000000000000000001", "0.2", "0.1", False),
    ],
)
def test_meets__tolerance(given_: str, expected: str, tolerance: str, met: bool) -> None:
    """A number meets an expected one within the tolerance, ends included, in exact decimals; nothing else does."""
    compare = Compare(tolerance=parse(tolerance))  # type: ignore[arg-type]
    assert met is meets(parse(given_), parse(expected), compare)


def test_meets__tolerance_of_unrounded() -> None:
    """The tolerance is held against the numbers as they are; rounding may meet as well."""
    compare = Compare(round=10, tolerance=1)
    assert [True, True, False] == [meets(given, 14, compare) for given in (15, 6, 16)]


def test_projected() -> None:
    """Keys are matched in NFC on both sides, absent ones stay absent, and each is compared in its own way."""
    value: dict[str, JSON] = {"e\u0301": "X", "b": ["B", "a"], "c": None, "d": "D"}
    expected = {"\u00e9": "x", "b": ["B", "a"], "c": None}
    assert expected == projected(value, ("\u00e9", "b", "c", "z"), (("e\u0301", FOLDED),))


def test_projected__all() -> None:
    """Without keys the whole object is taken, each key compared in its own way."""
    assert {"a": "x", "b": "X"} == projected({"a": "X", "b": "X"}, (), (("a", FOLDED),))


def test_keyed__twice() -> None:
    """Where two keys become one, both stay as they are."""
    value: dict[str, JSON] = {"\u00e9": 1, "e\u0301": 2}
    assert value == keyed(value)
