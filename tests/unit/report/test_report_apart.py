"""Values side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.report.apart import apart
from evalaction.report.untrusted import plain


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], []),
        (["a", "a"], ["a", "a"]),
        (["x" * 50, "y" * 50], [f"{'x' * 23}…", f"{'y' * 23}…"]),
        ([f"{'x' * 50}1", f"{'x' * 50}2", "z"], ["xxxxxxxx…xxx1", "xxxxxxxx…xxx2", "z"]),
        (["x" * 50, "x" * 51], ["xxxxxxxx…xxx", "xxxxxxxx…xxxx"]),
        (
            [f"{name}{'x' * 50}{end}{'y' * 50}" for name in "ab" for end in "12"],
            [f"{name}xxxxxxx…xxx{end}{'y' * 10}…" for name in "ab" for end in "12"],
        ),
        (
            [f"{'x' * 50}{one}{'y' * 50}{two}" for one, two in ("12", "13", "23")],
            ["xxxxxxxx…yyy2", "xxxxxxxx…yyy3", f"xxxxxxxx…xxx2{'y' * 10}…"],
        ),
    ],
)
def test_apart__table(texts: list[str], expected: list[str]) -> None:
    """Texts are cut at their end; those that would look the same are cut before their first difference."""
    assert [plain((piece,)) for piece in apart(texts, 24)] == expected


@given(st.text(st.characters(), max_size=60), st.text("ab", min_size=1), st.text("ab", min_size=1))
def test_apart__two_texts_look_different(start: str, one: str, other: str) -> None:
    """Whatever two texts have in common, they look the same only when they are equal, and keep the limit."""
    first, second = (plain((piece,)) for piece in apart([start + one, start + other], 24))

    assert (first == second) is (one == other)


@given(st.lists(st.text(st.sampled_from("ab\u0301\u200d"), max_size=40), max_size=6))
def test_apart__any_texts(texts: list[str]) -> None:
    """Signs of many characters end nothing, and equal texts look the same."""
    pieces = apart(texts, 8)

    assert [pieces[texts.index(text)] for text in texts] == pieces
