"""One draw, read and held to its contract."""

from __future__ import annotations

from typing import Any

import pytest
from support.grading import NO_REPLY, contract_of, draw_of, reply_of

from evalaction.grade.draws import completion_tokens, grade_draw
from evalaction.grade.schema import compile_form
from evalaction.records.case import Contract, Grader, Schema
from evalaction.records.draw import Usage
from evalaction.records.report import DrawState, GradedDraw


def grade(text: str | None, contract: Contract, **fields: Any) -> GradedDraw:
    return grade_draw(
        draw_of(reply_of(text, **fields)), contract, compile_form(contract, golden_path="case.golden.jsonl")
    )


@pytest.mark.parametrize(
    ("text", "usage", "fields", "length"),
    [
        ("x" * 9, Usage(completion=60), {}, (60, False)),
        ("x" * 9, Usage(), {}, (3, True)),
        ("x" * 8, Usage(completion=0), {}, (2, True)),
        ("x" * 8, Usage(completion=-1), {}, (2, True)),
        ("é😀", Usage(), {}, (1, True)),
        ("", Usage(completion=0), {}, (0, False)),
        (None, Usage(completion=0), {}, (0, False)),
        (None, Usage(), {}, (0, True)),
        ("", Usage(completion=400), {"reasoning": True, "finish_reason": "length"}, (400, False)),
        ("", Usage(completion=0), {"reasoning": True}, (0, True)),
        (None, Usage(completion=0), {"tool_calls": True}, (0, True)),
        (None, Usage(completion=0), {"refusal": "No, never."}, (3, True)),
    ],
)
def test_completion_tokens(text: str | None, usage: Usage, fields: dict[str, Any], length: tuple[int, bool]) -> None:
    """The endpoint's count is used where it can be true; otherwise four characters are a token, and it says so."""
    assert length == completion_tokens(reply_of(text, usage=usage, **fields))


def test_grade_draw__answered() -> None:
    """A draw that is all that its contract asks for."""
    draw = draw_of(reply_of('It is {"a": 1.0, "b": 2}.'))
    contract = contract_of(expect_keys=("a",), expect={"b": 2}, schema=Schema(document={"type": "object"}))
    expected = GradedDraw(
        draw=draw,
        state=DrawState.ANSWERED,
        answer={"a": 1},
        extraction="object in prose",
        schema_met=True,
        length=12,
        expected_met=True,
    )
    assert expected == grade_draw(draw, contract, compile_form(contract, golden_path="case.golden.jsonl"))


def test_grade_draw__unreadable() -> None:
    """A draw without an answer misses the form and the expected value, and keeps its length and its cause."""
    contract = contract_of(expect_keys=("a",), expect={"a": 1})
    draw = draw_of(reply_of("Sorry."))
    expected = GradedDraw(
        draw=draw,
        state=DrawState.UNREADABLE,
        cause="no JSON object in the text",
        schema_met=False,
        length=12,
        expected_met=False,
    )
    assert expected == grade_draw(draw, contract, compile_form(contract, golden_path="case.golden.jsonl"))


def test_grade_draw__missing() -> None:
    """Of a draw for which nothing came nothing is known but the cause."""
    contract = contract_of(expect_keys=("a",), expect={"a": 1})
    draw = draw_of(None)
    expected = GradedDraw(draw=draw, state=DrawState.MISSING, cause=NO_REPLY.message)
    assert expected == grade_draw(draw, contract, compile_form(contract, golden_path="case.golden.jsonl"))


def test_grade_draw__null() -> None:
    """``null`` is an answer like any other."""
    graded = grade("null", contract_of())
    assert (DrawState.ANSWERED, None, "whole") == (graded.state, graded.answer, graded.extraction)


TRUNCATED = "truncated: the token limit ended the reply (finish_reason length)"


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Mai", "items": ["soap", "rice"',
        '{"name": "Mai", "items": ["soap"]}',
        '{"name": "Mai", "items": [1, 23',
    ],
)
def test_grade_draw__cut_off(text: str) -> None:
    """A reply that the token limit ended is no answer, though it be valid and satisfy the schema."""
    contract = contract_of(schema=Schema(document={"type": "object", "required": ["name"]}))
    graded = grade(text, contract, finish_reason="length")
    assert (DrawState.UNREADABLE, TRUNCATED, False, ()) == (
        graded.state,
        graded.cause,
        graded.schema_met,
        graded.schema_errors,
    )


@pytest.mark.parametrize(
    ("contract", "text", "met"),
    [
        (contract_of(expect={"a": 1950}), '{"a": 1950.0, "b": 1}', True),
        (contract_of(expect={"a": 1950}), '{"a": "1950"}', False),
        (contract_of(expect={"a": 1}), '{"a": true}', False),
        (contract_of(expect={"a": None}), "{}", False),
        (contract_of(expect={"a": None}), '{"a": null}', True),
        (contract_of(expect={"a": {"x": [1], "y": 2}}), '{"a": {"y": 2, "x": [1.0]}}', True),
        (contract_of(expect={"a": {"x": 1}}), '{"a": {"x": 1, "y": 2}}', False),
        (contract_of(expect={"b": 1}, expect_keys=("a",)), '{"a": 0, "b": 1}', True),
        (contract_of(expect={}), "[]", False),
        (contract_of(expect=[1, 2]), "[1, 2.0]", True),
        (contract_of(grader=Grader.TEXT, expect="Billing"), " BILLING\n", True),
        (contract_of(grader=Grader.TEXT, expect="\u00e9"), "E\u0301", True),
        (contract_of(grader=Grader.TEXT, expect="Billing"), "Billing.", False),
        (contract_of(grader=Grader.TEXT, expect="a" + "\u0301\u0316" * 500_000), "a", False),
        (contract_of(grader=Grader.EXACT, expect="Billing"), "Billing", True),
        (contract_of(grader=Grader.EXACT, expect="Billing"), "Billing\n", False),
        (contract_of(), '{"a": 1}', None),
    ],
)
def test_grade_draw__expected(contract: Contract, text: str, met: bool | None) -> None:
    """The expected value is compared key by key by value, or as a text in the grader's own form."""
    assert met is grade(text, contract).expected_met


def test_grade_draw__form_of_a_text() -> None:
    """A form is asked of the JSON in a draw, whatever its grader reads."""
    contract = contract_of(grader=Grader.TEXT, expect_keys=("a", "b"))
    graded = grade('{"a":  1}', contract)
    assert ('{"a": 1}', ("/b: key absent",), False) == (graded.answer, graded.schema_errors, graded.schema_met)
