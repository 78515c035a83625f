"""Letters with many combining marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.letters import has_too_many_marks


@given(st.text("a\u0301\u0f73", min_size=95, max_size=320))
def test_has_too_many_marks(text: str) -> None:
    """A run of more than a hundred marks is found wherever it stands, and no shorter one is."""
    assert has_too_many_marks(text) == any(len(run) > 100 for run in text.split("a"))


@pytest.mark.parametrize("before", range(0, 210, 7))
@pytest.mark.parametrize(("marks", "found"), [(100, False), (101, True)])
def test_has_too_many_marks__place(before: int, marks: int, found: bool) -> None:
    """The place of a run says nothing."""
    text = "a" * before + "\u0316" * marks
    assert [found, found] == [has_too_many_marks(each) for each in (text, text + "a")]
