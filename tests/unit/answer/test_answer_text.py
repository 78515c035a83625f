"""Texts as answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.answer.text import normal_form, read_exact, read_text


def text_reading(text: str, *, after_reasoning: bool = False) -> Reading:
    return Reading(value=text, answer=text, extraction=Extraction.TEXT, after_reasoning=after_reasoning)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Billing", "billing"),
        (" a  b\n", "a b"),
        ("a\u00a0b", "a b"),
        ("\u00e9", "E\u0301"),
        ("STRASSE", "stra\u00dfe"),
        ("\u1f80", "\u1f88"),
    ],
)
def test_normal_form__equal(one: str, other: str) -> None:
    """Case, white space and the way in which an accent is written do not tell two texts apart."""
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize(("one", "other"), [("ab", "a b"), ("a.", "a"), ("1", "\u00b9"), ("e", "\u00e9")])
def test_normal_form__different(one: str, other: str) -> None:
    """Punctuation, accents and compatibility characters count."""
    assert normal_form(one) != normal_form(other)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_normal_form__stable(text: str) -> None:
    """The normal form of a normal form is itself."""
    assert normal_form(text) == normal_form(normal_form(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" Billing\n", text_reading("billing")),
        ("<think>Refund?</think> Billing", text_reading("billing", after_reasoning=True)),
        ("Refund?</think> Billing", text_reading("billing", after_reasoning=True)),
        (
            "<think>Refund?",
            Unreadable(cause="reasoning without an end: <think> is never closed, so what follows may be a draft"),
        ),
        ("<think>Refund?</think>", Unreadable(cause="nothing but reasoning")),
        ("a\ud800", Unreadable(cause="half of a surrogate pair in the text")),
        ("a" + "\u0301\u0316" * 500_000, Unreadable(cause="more than 100 combining marks in a row")),
        ("\u00e9" * 1_000, text_reading("\u00e9" * 1_000)),
    ],
    ids=lambda value: repr(value)[:20],
)
@pytest.mark.timeout(20)
def test_read_text(text: str, expected: Reading | Unreadable) -> None:
    """A text is read in normal form and without reasoning, in linear time."""
    assert expected == read_text(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" Billing\r\n", text_reading(" Billing\r\n")),
        ("<think>x</think>Y", text_reading("<think>x</think>Y")),
        ("a\udc00", Unreadable(cause="half of a surrogate pair in the text")),
    ],
)
def test_read_exact(text: str, expected: Reading | Unreadable) -> None:
    """Every character counts, white space and reasoning included."""
    assert expected == read_exact(text)
