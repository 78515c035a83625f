"""The grader ``regex``: what the first group of every match holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.answer.match import read_match
from evalaction.answer.reading import Extraction, Reading, Unreadable

ANSWER = r"(?m)^ANSWER: (.*)$"


@pytest.mark.parametrize(
    ("text", "pattern", "answer", "after_reasoning"),
    [
        ("So:\nANSWER: B", ANSWER, "B", False),
        ("ANSWER: B\nANSWER: B", ANSWER, "B", False),
        ("<think>ANSWER: A</think>\n\nANSWER: B", "^ANSWER: (.)", "B", True),
        ("id AB-12", r"[A-Z]+-\d+", "AB-12", False),
        ("ANSWER: e\u0301\nANSWER: é", ANSWER, "é", False),
        ("ANSWER: B\r\nANSWER: B\n", ANSWER, "B", False),
    ],
)
def test_read_match__answer(text: str, pattern: str, answer: str, after_reasoning: bool) -> None:
    """The first group is the answer, or the whole match without one; equal matches are one, in NFC, with line feeds."""
    found = read_match(text, pattern)
    assert isinstance(found, Reading)
    assert (answer, Extraction.MATCH, after_reasoning) == (found.answer, found.extraction, found.after_reasoning)


@pytest.mark.parametrize(
    ("text", "pattern", "cause"),
    [
        ("no", ANSWER, "the pattern matches nowhere in the text"),
        ("ANSWER: A\nANSWER: B", ANSWER, 'ambiguous: the pattern finds "A" and "B"'),
        ("ANSWER: ", ANSWER, "the pattern matches, and what it is to find there is empty"),
        ("b", "(a)|b", "the pattern matches, and what it is to find there is empty"),
        ("a" * 2_000, "a", "the pattern matches more than 1,000 times"),
        ("a", "(", "missing ) at position 1"),
        ("\ud800", "a", "half of a surrogate pair in the text"),
        (
            "<think>ANSWER: A",
            ANSWER,
            "reasoning without an end: <think> is never closed, so what follows may be a draft",
        ),
    ],
)
def test_read_match__none(text: str, pattern: str, cause: str) -> None:
    """No match, matches that differ and an empty group are no answer."""
    assert Unreadable(cause=cause) == read_match(text, pattern)


@given(st.lists(st.from_regex("[a-z]{1,3}", fullmatch=True), max_size=5))
def test_read_match__all_matches(words: list[str]) -> None:
    """There is an answer exactly where all matches are equal and one is there."""
    found = read_match("\n".join(f"ANSWER: {word}" for word in words), ANSWER)
    assert isinstance(found, Reading) is (len(set(words)) == 1)
