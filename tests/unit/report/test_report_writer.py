"""Report documents as JSON text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.report.writer import Document, Written, json_chunks, json_text, written
from evalaction.values import parse

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=60) | st.just(Decimal("0.10"))
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=30), inner, max_size=6),
    max_leaves=30,
)
FULL = st.lists(DOCUMENTS, min_size=1, max_size=4) | st.dictionaries(st.text(), DOCUMENTS, min_size=1, max_size=4)


@pytest.mark.parametrize("text", ["1" + "0" * 350, "-" + "9" * 400, "0.1", "19.50", "9007199254740993"])
def test_json_text__numbers(text: str) -> None:
    """A number of any size is written with all its digits, and read back as the same value."""
    value: Any = parse(text)
    assert parse(json_text(value)) == value


def test_json_text__not_finite() -> None:
    """A float that JSON does not know is refused rather than written."""
    with pytest.raises(ValueError, match="nan is no JSON number"):
        json_text(float("nan"))


@given(DOCUMENTS)
def test_json_text__read_back(document: Document) -> None:
    """A reader gets the very document back; the text ends in a line feed."""
    text = json_text(document)
    assert text.endswith("\n")
    assert json.loads(text, parse_float=Decimal) == document


def test_json_text__whole() -> None:
    """What holds no other thing stays on one line where it fits, and nothing invisible stands raw."""
    wide: list[Document] = ["x" * 40, "y" * 40, "z" * 7]
    document: Document = {
        "fits": [*wide[:2], "z" * 6],
        "wide": wide,
        "empty": [{}, [], None, True, 1.5, Decimal("0.10")],
        "text": ['"\\\b\f\n\t\x7f', "é\u202e", "\ud83d"],
        "deep": [{"a": [{"b": 1, "c": {}}]}],
    }
    assert json_text(document) == (
        "{\n"
        f'  "fits": ["{"x" * 40}", "{"y" * 40}", "{"z" * 6}"],\n'
        f'  "wide": [\n    "{"x" * 40}",\n    "{"y" * 40}",\n    "{"z" * 7}"\n  ],\n'
        '  "empty": [{}, [], null, true, 1.5, 0.10],\n'
        '  "text": ["\\"\\\\\\u0008\\u000c\\n\\t\\u007f", "é\\u202e", "\\ud83d"],\n'
        '  "deep": [\n    {\n      "a": [\n        {"b": 1, "c": {}}\n      ]\n    }\n  ]\n'
        "}\n"
    )


@given(
    st.dictionaries(st.text(max_size=9), DOCUMENTS, max_size=4),
    st.lists(FULL, max_size=4),
    st.dictionaries(st.text(max_size=9), FULL, min_size=1, max_size=2),
)
def test_json_chunks__one_text(first: dict[str, Document], listed: list[Document], last: dict[str, Document]) -> None:
    """A list that is never there as a whole is written as one that is."""
    whole = {**first, "a list of things": listed, **last}
    lazy: dict[str, Document | Iterator[Document | Written]] = {**first, "a list of things": iter(listed), **last}
    assert "".join(json_chunks(lazy)) == json_text(whole)


@given(st.lists(FULL, max_size=4))
def test_written__in_place(listed: list[Document]) -> None:
    """An item that was written before stands where it would have been written."""
    items: Iterator[Document | Written] = (written(item) if place % 2 else item for place, item in enumerate(listed))
    assert "".join(json_chunks({"first": 1, "items": items})) == "".join(
        json_chunks({"first": 1, "items": iter(listed)})
    )


def test_json_chunks__by_item() -> None:
    """An item is asked for when those before it are written, not sooner."""
    asked = []

    def items() -> Iterator[Document]:
        for number in range(3):
            asked.append(number)
            yield {"number": number}

    seen = [(chunk, len(asked)) for chunk in json_chunks({"n": 3, "items": items()})]
    assert seen == [
        ('{\n  "n": ', 0),
        ("3", 0),
        (',\n  "items": ', 0),
        ('[\n    {"number": 0}', 1),
        (',\n    {"number": 1}', 2),
        (',\n    {"number": 2}', 3),
        ("\n  ]", 3),
        ("\n}\n", 3),
    ]
