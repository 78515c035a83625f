"""Texts that look alike and are not equal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.report.spelling import difference, differences
from evalaction.values import JSON


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("ab\u0441d", "abcd", "U+0441 against U+0063 at character 3"),
        ("\u0410\u0412", "AB", "U+0410 against U+0041 at character 1"),
        ("\u0432ank", "bank", "U+0432 against U+0062 at character 1"),
        ("a\u200bb", "ab", "U+200B at character 2, where the other has nothing"),
        ("it's\u200b due", "it's due", "U+200B at character 5, where the other has nothing"),
        ("a\u200bb", "a\u200cb", "U+200B against U+200C at character 2"),
        ("ab\ufeff", "ab", "U+FEFF at character 3, where the other has nothing"),
        ("a b", "a\u00a0b", "U+0020 against U+00A0 at character 2"),
        ("a b", "a  b", "nothing at character 3, where the other has U+0020"),
        ("yes", "yes ", "nothing at character 4, where the other has U+0020"),
        ("1-2", "1\u20132", "U+002D against U+2013 at character 2"),
        ("it's", "it\u2019s", "U+0027 against U+2019 at character 3"),
        ("x\u00e9", "xe\u0301", "U+00E9 against U+0065 U+0301 at character 2"),
        ("\ufb01x", "fix", "U+FB01 against U+0066 at character 1"),
        ("\uff11", "1", "U+FF11 against U+0031 at character 1"),
        ("yes", "Yes", None),
        ("x\u00b2", "x2", None),
        ("ab", "abc", None),
        ("same", "same", None),
        ("\u0430" * 2_001, "a" * 2_001, None),
    ],
)
def test_difference__table(one: str, other: str, said: str | None) -> None:
    """What looks alike is told apart by the numbers of its characters; what looks different or is too long is not."""
    found = difference(one, other)

    assert (None if found is None else str(found)) == said


@given(st.text(max_size=20), st.text(max_size=20))
def test_difference__both_ways(one: str, other: str) -> None:
    """Whichever text comes first, the same place is found, with the two sides swapped; equal texts have none."""
    there, back = difference(one, other), difference(other, one)

    assert (there is None) == (back is None)
    assert difference(one, one) is None
    if there is not None and back is not None:
        assert (there.one, there.other, there.position) == (back.other, back.one, back.position)
        assert there.one != there.other


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({"k": ["a", "\u0430"]}, {"k": ["a", "a"]}, [("k", "U+0430 against U+0061 at character 1")]),
        ({"k": {"st\u0430te": 1}}, {"k": {"state": 1}}, [("k", "U+0430 against U+0061 at character 3")]),
        ({"k": "\u0430", "n": 1}, {"k": "a", "n": 2}, []),
        (["a"], ["a", "a"], []),
        ("1", 1, []),
        (True, 1, []),
        ({"k": "\u0430" * 1_900, "n": ["\u0430" * 1_900] * 9}, {"k": "a" * 1_900, "n": ["a" * 1_900] * 9}, []),
    ],
)
def test_differences__table(one: JSON, other: JSON, said: list[tuple[str | None, str]]) -> None:
    """Within two values, keys included, texts are told apart only where nothing else differs and they are not long."""
    assert [(key, str(found)) for key, found in differences(one, other)] == said
