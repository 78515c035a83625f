"""From a reply to the answer that a contract asks for."""

from __future__ import annotations

from typing import Any

import pytest
from support.grading import contract_of, reply_of

from evalaction.answer.read import a_kind, asks_for_array, project, read_answer
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.records.case import Grader, Schema
from evalaction.values import parse

ABC = '{"a": 1, "b": null, "c": 3}'


@pytest.mark.parametrize(
    ("keys", "part"),
    [((), {}), (("a", "b"), {"a": 1, "b": None}), (("a", "z"), {"a": 1}), (("z",), {})],
)
def test_project(keys: tuple[str, ...], part: dict[str, Any]) -> None:
    """A key that the object lacks stays absent, and one that is null stays null."""
    assert part == project({"a": 1, "b": None, "c": 3}, keys)


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
