"""The grader ``number``: one number in a text, or the cause why there is none."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.answer.number import read_number
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.records.case import EXACTLY, Compare


def reading(value: Any, how: Extraction = Extraction.NUMBER, *, after_reasoning: bool = False) -> Reading:
    return Reading(value=value, answer=value, extraction=how, after_reasoning=after_reasoning)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        (" -5\n", -5),
        ("−5", -5),
        ("+5", 5),
        ("-0", 0),
        ("007", 7),
        ("3.0", 3),
        ("1e3", 1000),
        ("1,234,567.89", Decimal("1234567.89")),
        ("9007199254740993", 9007199254740993),
    ],
)
def test_read_number__whole(text: str, value: Any) -> None:
    """A text that is one number is that number, by its exact value."""
    assert reading(value, Extraction.WHOLE) == read_number(text, EXACTLY)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The answer is 12.", 12),
        ("Answer:42", 42),
        ("**42**", 42),
        ("$42.50 USD", Decimal("42.50")),
        ("(5)", 5),
        ("about 5%", 5),
        ("12kg", 12),
        ("100km/h", 100),
        ("a 10-year plan", 10),
        ("GPT4 says 7, and GPT-4 too", 7),
        ("v1.2.3 gives 8", 8),
        ("1e3, which is 1000.0", 1000),
        ("-5 or −5", -5),
        ("$-5", -5),
        ("**-5**", -5),
        ("-> 5 -->5", 5),
        ("- $5\n- **5**", 5),
        ("2, 2 or 02", 2),
    ],
)
def test_read_number__in_prose(text: str, value: Any) -> None:
    """The one number of a text is its answer; units, punctuation and marks may hang on it, and equal ones are one."""
    assert reading(value) == read_number(text, EXACTLY)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "no number in the text"),
        ("none", "no number in the text"),
        ("x2 and GPT-4", "no number in the text"),
        ("x2,000 and x2,000.5", "no number in the text"),
        ("5 or 6", "ambiguous: 5 and 6"),
        ("[1] It is 5", "ambiguous: 1 and 5"),
        ("+(5)", 'not written as a number: "+(5"'),
        ("-`5`", 'not written as a number: "-`5"'),
        ("<think>5", "reasoning without an end: <think> is never closed, so what follows may be a draft"),
        ("<think>5</think> ", "nothing but reasoning"),
        ("1\ud800", "half of a surrogate pair in the text"),
        ("1e999999999999", 'a number out of range: 1e999999999999: "1e999999999999"'),
        (f"1{'0' * 100_000}", f'longer than a number may be: "1{"0" * 58}…'),
        *(
            (text, f'not written as a number: "{text}"')
            for text in [
                "12,5",
                "1.2.3",
                "3/4",
                "2024-11-30",
                "10:30",
                "1,23,456",
                "1,2345",
                "1234,567",
                ".5",
                "-.5",
                "--5",
                "±5",
                "2+2",
                "2^8",
                "5²",
                "1½",
                "½",
                "٣",
                "0x1F",
                "1_000",
                "1'000",
                "10–20",
                "1 000",
                "1 001",
                "2\u202f002.50",
                "100 100",
                "-$5",
                "−€1,250.50",
                "-**5**",
                "minus 5",
                "Negative $5",
            ]
        ),
    ],
)
@pytest.mark.timeout(20)
def test_read_number__none(text: str, cause: str) -> None:
    """No number, two that differ, or what is not written as one, is no answer, and the cause shows it."""
    assert Unreadable(cause=cause) == read_number(text, EXACTLY)


def test_read_number__rounded() -> None:
    """The answer is in the normal form of the contract, and the value is what stands there."""
    expected = Reading(value=Decimal("19.97"), answer=20, extraction=Extraction.NUMBER, after_reasoning=True)
    assert expected == read_number("<think>19</think>It is 19.97", Compare(round=Decimal("0.1")))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["1 " * 500_000, "+" * 1_000_000, "x2 " * 300_000, "5" + "a-" * 500_000])
def test_read_number__long(text: str) -> None:
    """A long text of any kind is read in time that grows with its length, and has a named outcome."""
    assert isinstance(read_number(text, EXACTLY), Unreadable)


@given(
    st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.sampled_from(["{}", "It is {}.", "**{}**", "{} km", "<think>7</think>{}"]),
)
def test_read_number__any(value: int | Decimal, wrapping: str) -> None:
    """Every number is read back from every documented wrapping of it, by its exact value."""
    found = read_number(wrapping.format(value), EXACTLY)
    assert isinstance(found, Reading)
    assert value == found.value == found.answer
