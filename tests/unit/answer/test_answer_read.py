"""From a reply to the answer that a contract asks for."""

from __future__ import annotations

from typing import Any

import pytest
from support.grading import contract_of, reply_of

from evalaction.answer.read import asks_for_array, read_answer
from evalaction.answer.reading import Extraction, Reading, Unreadable, a_kind
from evalaction.records.case import Compare, Grader, Schema
from evalaction.values import parse

ABC = '{"a": 1, "b": null, "c": 3}'


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({}, {"a": 1, "b": None, "c": 3}),
        ({"expect_keys": ("a", "z")}, {"a": 1}),
        ({"expect_keys": ("a",), "agree_on": ("b", "c")}, {"b": None, "c": 3}),
    ],
)
def test_read_answer__projected(fields: dict[str, Any], answer: Any) -> None:
    """The answer is the value under the contract's keys; the whole value is kept for what else is checked."""
    whole: Any = {"a": 1, "b": None, "c": 3}
    expected = Reading(value=whole, answer=answer, extraction=Extraction.WHOLE)
    assert expected == read_answer(reply_of(ABC), contract_of(**fields))


@pytest.mark.parametrize(
    ("text", "kind"),
    [("[1]", "an array"), ("null", "null"), ('"a"', "a string"), ("true", "a boolean"), ("1.5", "a number")],
)
def test_read_answer__no_object(text: str, kind: str) -> None:
    """A value that has no keys is no answer where keys are asked for, and one where none are."""
    cause = f"not an object: {kind} has none of the keys that are asked for"
    value = parse(text)
    assert [
        Unreadable(cause=cause),
        Reading(value=value, answer=value, extraction=Extraction.WHOLE),
    ] == [read_answer(reply_of(text), contract_of(expect_keys=keys)) for keys in (("a",), ())]


@pytest.mark.parametrize(("grader", "answer"), [(Grader.TEXT, "the label: b."), (Grader.EXACT, " The LABEL: b.\n")])
def test_read_answer__text(grader: Grader, answer: str) -> None:
    """The text graders read the text itself."""
    expected = Reading(value=answer, answer=answer, extraction=Extraction.TEXT)
    assert expected == read_answer(reply_of(" The LABEL: b.\n"), contract_of(grader=grader))


@pytest.mark.parametrize("grader", list(Grader))
def test_read_answer__no_answer(grader: Grader) -> None:
    """A reply that is no answer is none for any grader."""
    expected = Unreadable(cause="truncated: the token limit ended the reply (finish_reason length)")
    assert expected == read_answer(reply_of('{"a": 1}', finish_reason="length"), contract_of(grader=grader))


@pytest.mark.parametrize(
    ("document", "asked"),
    [
        ({"type": "array"}, True),
        ({"type": ["object", "array"]}, True),
        ({"type": "object"}, False),
        ({"items": {}}, False),
        (True, False),
    ],
)
def test_asks_for_array(document: Any, asked: bool) -> None:
    """Only a schema that names the type asks for an array."""
    assert asked is asks_for_array(contract_of(schema=Schema(document=document)))


def test_asks_for_array__no_schema() -> None:
    """Without a schema no array is asked for."""
    assert asks_for_array(contract_of()) is False


def test_read_answer__asked_for_array() -> None:
    """An array in prose is read where the schema asks for one."""
    contract = contract_of(schema=Schema(document={"type": "array"}))
    expected = Reading(value=[1, 2], answer=[1, 2], extraction=Extraction.ARRAY)
    assert expected == read_answer(reply_of("They are [1, 2]."), contract)


def test_a_kind__object() -> None:
    """Every kind of value has a name."""
    assert a_kind({}) == "an object"


@pytest.mark.parametrize(
    ("after_reasoning", "how"), [(False, "object in prose"), (True, "object in prose, after reasoning")]
)
def test_how(after_reasoning: bool, how: str) -> None:
    """How an answer was read is said in words."""
    reading = Reading(value={}, answer={}, extraction=Extraction.OBJECT, after_reasoning=after_reasoning)
    assert how == reading.how


@pytest.mark.parametrize(
    ("fields", "text", "answer", "how"),
    [
        ({"grader": Grader.DIFF}, "a\r\nb\n\n", "a\nb", Extraction.TEXT),
        ({"grader": Grader.DIFF, "fence": "sql"}, "So:\n```sql\nselect 1;\n\n```\n", "select 1;", Extraction.FENCE),
        ({"grader": Grader.COMMAND}, "a\n", "a\n", Extraction.TEXT),
        ({"grader": Grader.COMMAND, "expect_keys": ("a",)}, 'So: {"a": 1, "b": 2}', {"a": 1}, Extraction.OBJECT),
        ({"grader": Grader.CHOICE, "labels": ("Billing", "refund")}, "**billing**", "Billing", Extraction.MARKED),
        ({"grader": Grader.REGEX, "regex": "is ([a-z]+)"}, "It is open", "open", Extraction.MATCH),
        ({"grader": Grader.NUMBER, "whole": Compare(round=10)}, "It is 14.", 10, Extraction.NUMBER),
        (
            {"compare": (("\u00e9", Compare(case_insensitive=True)),), "expect_keys": ("\u00e9",)},
            '{"e\u0301": "A"}',
            {"\u00e9": "a"},
            Extraction.WHOLE,
        ),
        ({}, '["e\u0301"]', ["\u00e9"], Extraction.WHOLE),
    ],
)
def test_read_answer__graders(fields: dict[str, Any], text: str, answer: Any, how: Extraction) -> None:
    """Each grader reads its own answer, in its normal form."""
    read = read_answer(reply_of(text), contract_of(**fields))
    assert (answer, how) == ((read.answer, read.extraction) if isinstance(read, Reading) else read.cause)


@pytest.mark.parametrize(
    ("fields", "value"), [({}, "So: {}"), ({"expect_keys": ("a",)}, {}), ({"schema": Schema(document={})}, {})]
)
def test_read_answer__artifact(fields: dict[str, Any], value: Any) -> None:
    """A command is run on a JSON value where a form is asked for, and on the text otherwise."""
    read = read_answer(reply_of("So: {}"), contract_of(grader=Grader.COMMAND, **fields))
    assert value == (read.value if isinstance(read, Reading) else read.cause)


@pytest.mark.parametrize("grader", [Grader.JSON, Grader.DIFF, Grader.COMMAND])
def test_read_answer__too_many_fences(grader: Grader) -> None:
    """More fences than are looked at are a cause for every grader that looks at fences."""
    read = read_answer(reply_of("```\n```\n" * 10_001), contract_of(grader=grader))
    assert Unreadable(cause="more than 10,000 fenced blocks in the text") == read


def test_read_answer__keys_that_are_one() -> None:
    """Two keys that are one in Unicode NFC leave no answer, like a key twice."""
    cause = 'two keys of one object are the same in Unicode NFC: "\u00e9"'
    assert Unreadable(cause=cause) == read_answer(reply_of('So: {"\u00e9": 1, "e\u0301": 1}'), contract_of())
