"""Which values have a normal form: marks in a row, and keys that are one in Unicode NFC."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.comparable import is_ascii, same_key, why_incomparable
from evalaction.values import JSON

SAME = 'two keys of one object are the same in Unicode NFC: "\u00e9"'
NAMES = st.text("ae\u0301\u00e9", max_size=2)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def has_twins(value: Any) -> bool:
    """Return whether an object anywhere in ``value`` has two keys that are one."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    keys = {unicodedata.normalize("NFC", key) for key in value} if isinstance(value, dict) else set()
    return (isinstance(value, dict) and len(keys) < len(value)) or any(map(has_twins, inner))


@pytest.mark.parametrize(("marks", "cause"), [(100, None), (101, "more than 100 combining marks in a row in a string")])
def test_why_incomparable__marks(marks: int, cause: str | None) -> None:
    """A hundred combining marks in a row are taken, in a value and in a key, and no more."""
    text = "a" + "\u0301" * marks
    values: list[JSON] = [text, [text], {text: 1}]
    assert [cause, cause, cause] == [why_incomparable(each) for each in values]


def test_why_incomparable__named() -> None:
    """The cause names the key that two keys become."""
    assert why_incomparable([{"x": {"\u00e9": 1, "e\u0301": 2}}]) == SAME


@given(VALUES)
def test_why_incomparable__keys(value: Any) -> None:
    """A value without long runs of marks is refused for two keys of one object that are one, and for nothing else."""
    assert (why_incomparable(value) is not None) == has_twins(value)


@given(st.lists(NAMES, unique=True))
def test_same_key(names: list[str]) -> None:
    """A key is found exactly where fewer names are left in NFC, and it is one of these."""
    forms = [unicodedata.normalize("NFC", name) for name in names]
    found = same_key(names)
    assert (found is not None) == (len(set(forms)) < len(forms))
    assert found is None or forms.count(found) > 1


@pytest.mark.parametrize(
    ("value", "found"), [({"a": ["b", 1.5, None]}, True), ({"\u00e9": 1}, False), ([["\u00e9"]], False)]
)
def test_is_ascii(value: Any, found: bool) -> None:
    """One letter beyond ASCII counts, in a key as in a value."""
    assert is_ascii(value) is found
