"""One draw, read and held to its contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grading import NO_REPLY, NOT_RUN, command_contract, command_run, contract_of, draw_of, reply_of

from evalaction.grade.draws import Known, completion_tokens, grade_draw
from evalaction.grade.schema import compile_form
from evalaction.records.case import Compare, Contract, Grader, Schema
from evalaction.records.command import CommandRun, Ended
from evalaction.records.draw import Cause, Failure, Usage
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
        # What several choices took together is no draw's own.
        ("x" * 9, Usage(completion=60), {"choices": 3}, (3, True)),
        ("x" * 9, Usage(), {"choices": 3, "choice": 2, "unseen": 4}, (4, True)),
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


@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, "", '{"a": 1}', '{"a": 1.0}', "no", '{"b": 2}']),
            st.sampled_from(["stop", "length"]),
            st.sampled_from([None, "I would rather not."]),
            st.booleans(),
        ),
        max_size=6,
    ),
    st.sampled_from([Grader.JSON, Grader.TEXT, Grader.COMMAND]),
)
def test_grade_draw__known(said: list[tuple[str | None, str, str | None, bool]], grader: Grader) -> None:
    """A draw that agrees with another to the letter is read once, and comes to what it comes to by itself."""
    contract = contract_of(expect_keys=("a",)) if grader is Grader.JSON else contract_of(grader=grader)
    form = compile_form(contract, golden_path="case.golden.jsonl")
    draws = [
        draw_of(
            reply_of(text, finish_reason=finish, refusal=refusal, tool_calls=calls, usage=Usage(completion=place)),
            index=place,
        )
        for place, (text, finish, refusal, calls) in enumerate(said, 1)
    ]
    known: Known = {}
    run = command_run()

    assert [grade_draw(draw, contract, form, run=run, known=known) for draw in draws] == [
        grade_draw(draw, contract, form, run=run) for draw in draws
    ]
    assert len(known) == (0 if grader is Grader.COMMAND else len(set(said)))


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
        passes=True,
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
        passes=False,
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
        (contract_of(expect={"\u00e9": "\u00e9"}), '{"e\u0301": "e\u0301"}', True),
        (contract_of(expect={"a": "x y"}, compare=(("a", Compare(case_insensitive=True)),)), '{"a": "X Y"}', True),
        (contract_of(expect={"a": "x y"}, compare=(("b", Compare(case_insensitive=True)),)), '{"a": "X Y"}', False),
        (contract_of(expect={"a": [1, 2]}, compare=(("a", Compare(unordered=True)),)), '{"a": [2, 1]}', True),
        (contract_of(expect={"a": 10}, compare=(("a", Compare(tolerance=1)),)), '{"a": 11}', True),
        (contract_of(expect={"a": 10}, compare=(("a", Compare(tolerance=1)),)), '{"a": 11.01}', False),
        (contract_of(expect={"a": 10}, compare=(("a", Compare(tolerance=1)),)), '{"a": true}', False),
        (contract_of(expect={"a": 10}, compare=(("a", Compare(round=5)),)), '{"a": 12}', True),
        (contract_of(grader=Grader.EXACT, expect="\u00e9"), "e\u0301", False),
        (contract_of(grader=Grader.CHOICE, labels=("Yes", "No"), expect="Yes"), "yes.", True),
        (contract_of(grader=Grader.CHOICE, labels=("Yes", "No"), expect="Yes"), "No", False),
        (contract_of(grader=Grader.CHOICE, labels=("Yes", "No"), expect="Yes"), "Yes, but no", False),
        (contract_of(grader=Grader.NUMBER, expect=1950), "It is 1,950.0 cents.", True),
        (contract_of(grader=Grader.NUMBER, expect=10, whole=Compare(tolerance=1)), "It is 11.", True),
        # Within the tolerance by what was given, not by what it is rounded to.
        (contract_of(grader=Grader.NUMBER, expect=10, whole=Compare(round=5, tolerance=1)), "13", False),
        (contract_of(grader=Grader.NUMBER, expect=10, whole=Compare(round=5)), "12", True),
        (contract_of(grader=Grader.REGEX, regex=r"Total: (\w+)", expect="ten"), "Total: ten", True),
        (contract_of(grader=Grader.REGEX, regex=r"Total: (\w+)", expect="ten"), "Total: two", False),
        (contract_of(grader=Grader.DIFF, expect="a\nb", expect_path="good.txt"), "a\r\nb", True),
        (contract_of(grader=Grader.DIFF, expect="a\nb", expect_path="good.txt"), "a\nb \n", False),
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


@pytest.mark.parametrize(
    ("text", "fields", "passes"),
    [
        ('{"a": 1}', {}, True),
        ('{"a": 1}', {"expect": {"a": 1}, "expect_keys": ("a",), "max_completion_tokens": 12}, True),
        ('{"a": 1}', {"max_completion_tokens": 11}, False),
        ('{"a": 1}', {"expect_keys": ("b",)}, False),
        ('{"a": 1}', {"expect": {"a": 2}}, False),
        ('{"a": 1}', {"grader": Grader.TEXT, "expect": '{"a": 1}', "expect_keys": ("b",)}, False),
        ("none", {}, False),
        ("none", {"grader": Grader.TEXT}, True),
    ],
)
def test_grade_draw__passes(text: str, fields: dict[str, Any], passes: bool) -> None:
    """A draw passes when it has an answer and holds to everything that is asked of one draw; agreement is not."""
    assert passes is grade(text, contract_of(**fields)).passes


def test_grade_draw__missing_passes_nothing() -> None:
    """What did not come neither passes nor fails."""
    assert grade_draw(draw_of(None), contract_of(expect={"a": 1}), None).passes is None


@pytest.mark.parametrize(
    ("run", "answer", "passes"),
    [
        (command_run(), "pass", True),
        (command_run(1, "assertion failed\n"), "fail", False),
        (command_run(-11), "fail", False),
        (command_run(None, ended=Ended.TIME), "fail", False),
        (command_run(None, "x" * 100, ended=Ended.OUTPUT, cut=True), "fail", False),
    ],
)
def test_grade_draw__command(run: CommandRun, answer: str, passes: bool) -> None:
    """The exit code is the answer: 0 passes, and anything else fails, an end at a limit among them."""
    draw = draw_of(reply_of("def f(): return 1"))
    expected = GradedDraw(
        draw=draw,
        state=DrawState.ANSWERED,
        answer=answer,
        extraction="exit code",
        length=12,
        expected_met=passes,
        command=run,
        passes=passes,
    )
    assert expected == grade_draw(draw, command_contract(), None, run=run)


@pytest.mark.parametrize(
    ("run", "failure"),
    [(NOT_RUN, NOT_RUN), (None, Failure(cause=Cause.COMMAND, message="its command was not run"))],
)
def test_grade_draw__command_not_run(run: Failure | None, failure: Failure) -> None:
    """Where the command could not be run nothing is known of a draw but its text, and it is missing."""
    draw = draw_of(reply_of("def f(): return 1"))
    expected = GradedDraw(
        draw=replace(draw, reply=None, failure=failure),
        state=DrawState.MISSING,
        cause=failure.message,
        ungraded="def f(): return 1",
        came=draw.reply,
    )
    assert expected == grade_draw(draw, command_contract(), None, run=run)


def test_grade_draw__command_without_an_artifact() -> None:
    """A draw without an artifact is unreadable, whatever came of a command, and fails."""
    draw = draw_of(reply_of("no code here"))
    graded = [grade_draw(draw, command_contract(fence="python"), None, run=run) for run in (None, command_run())]
    assert [(DrawState.UNREADABLE, None, False, False, None)] * 2 == [
        (each.state, each.answer, each.expected_met, each.passes, each.command) for each in graded
    ]


def test_grade_draw__command_and_form() -> None:
    """The form is held against the artifact, also where the command is content with it."""
    contract = command_contract(expect_keys=("a", "b"))
    form = compile_form(contract, golden_path="case.golden.jsonl")
    graded = grade_draw(draw_of(reply_of('It is {"a": 1}.')), contract, form, run=command_run())
    assert ("pass", "exit code", ("/b: key absent",), False, True, False) == (
        graded.answer,
        graded.extraction,
        graded.schema_errors,
        graded.schema_met,
        graded.expected_met,
        graded.passes,
    )
