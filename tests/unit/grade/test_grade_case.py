"""All draws of a case together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grading import (
    COMMAND,
    FAIL_ON,
    NOT_RUN,
    command_run,
    contract_of,
    draw_of,
    draws_of,
    planned_case,
    replies,
    reply_of,
)

from evalaction.grade.case import grade_case
from evalaction.grade.draws import grade_draw
from evalaction.grade.schema import compile_form
from evalaction.records.case import Grader
from evalaction.records.command import CommandRun
from evalaction.records.draw import Failure, Usage
from evalaction.records.gate import Gate, GateName, Share, Verdict
from evalaction.records.report import CaseResult, Length, Mode

PASS, FAIL, UNMEASURED = Verdict.PASS, Verdict.FAIL, Verdict.UNMEASURED

KEYS = ("vendor", "total_cents", "currency")
CENTS = '{"vendor": "Acme Tools", "total_cents": 1950, "currency": "USD"}'
EUROS = '{"vendor": "Acme Tools", "total_cents": 19.5, "currency": "USD"}'
RIGHT: Any = {"vendor": "Acme Tools", "total_cents": 1950, "currency": "USD"}


def invoice_draws() -> Any:
    """Five draws of which the third stores 19.5 where the others store 1950, of 20, 20, 23, 20 and 20 tokens."""
    return [
        replace(draw, reply=replace(draw.reply, usage=Usage(completion=23 if draw.index == 3 else 20)))
        for draw in replies(CENTS, CENTS, EUROS, CENTS, CENTS)
        if draw.reply
    ]


def invoice(agreement_min: str, **fields: Any) -> CaseResult:
    planned = planned_case(expect_keys=KEYS, max_completion_tokens=60, agreement_min=agreement_min, **fields)
    return grade_case(planned, invoice_draws(), fail_on=FAIL_ON)


AGREEMENT = "4 of 5 draws agree; needs {0} of 5 (agreement_min {1})"
FORM = Gate(name=GateName.SCHEMA, verdict=PASS, detail="5 of 5 measured draws have the form that is asked for")
LENGTH = Gate(
    name=GateName.LENGTH, verdict=PASS, detail="5 of 5 measured draws keep the budget of 60 completion tokens"
)


def agreement(verdict: Verdict, needed: int, minimum: str) -> Gate:
    return Gate(name=GateName.AGREEMENT, verdict=verdict, detail=AGREEMENT.format(needed, minimum))


@pytest.mark.parametrize(("minimum", "needed", "verdict"), [("0.8", 4, PASS), ("0.81", 5, FAIL), ("1.0", 5, FAIL)])
def test_grade_case__invoice(minimum: str, needed: int, verdict: Verdict) -> None:
    """One draw of five that stores 19.5 where four store 1950: every figure, at three thresholds."""
    planned = planned_case(expect_keys=KEYS, max_completion_tokens=60, agreement_min=minimum)
    contract = planned.case.contract
    form = compile_form(contract, golden_path=planned.case.path)
    graded = tuple(grade_draw(draw, contract, form) for draw in invoice_draws())
    wrong = graded[2].answer
    expected = CaseResult(
        planned=planned,
        verdict=verdict,
        draws=graded,
        measured=5,
        agreement=Share(count=4, of=5),
        flip_rate=Share(count=1, of=5),
        disagreement=None,
        interval=None,
        modes=(
            Mode(label="A", answer=RIGHT, count=4, draws=(1, 2, 4, 5), modal=True),
            Mode(label="B", answer=wrong, count=1, draws=(3,), modal=False),
        ),
        flipping=True,
        differing_keys=("total_cents",),
        schema=Share(count=5, of=5),
        length=Length(mean=Fraction(103, 5), max=23, budget=60, estimated=False),
        expected=None,
        gates=(agreement(verdict, needed, minimum.removesuffix(".0")), FORM, LENGTH),
        has_expected=False,
        passes=Share(count=5, of=5),
        extractions=(("whole", (1, 2, 3, 4, 5)),),
    )
    assert expected == grade_case(planned, invoice_draws(), fail_on=FAIL_ON)


def test_grade_case__invoice_expected() -> None:
    """With a frozen expected value the same five draws fail it, at a threshold at which they agree."""
    result = invoice("0.8", expect={"total_cents": 1950})
    detail = "4 of 5 draws meet the expected value; needs 5 of 5 (expect_min 1)"
    assert (
        FAIL,
        Share(count=4, of=5),
        (agreement(PASS, 4, "0.8"), FORM, LENGTH, Gate(name=GateName.EXPECTED, verdict=FAIL, detail=detail)),
        True,
    ) == (result.verdict, result.expected, result.gates, result.has_expected)


def test_grade_case__stable_and_wrong() -> None:
    """Agreement is not truth: only an expected value catches five equal wrong answers."""
    draws, expects = replies(*[EUROS] * 5), (None, {"total_cents": 1950})
    cases = [planned_case(expect_keys=KEYS, expect=expect) for expect in expects]
    verdicts = [grade_case(planned, draws, fail_on=FAIL_ON).verdict for planned in cases]
    assert verdicts == [PASS, FAIL]


@pytest.mark.parametrize(
    ("strip", "count", "verdict"),
    [
        ("A A A A A", 5, PASS),
        ("A A A A x", 4, PASS),
        ("A A A A -", 4, PASS),
        ("A A A x x", 3, FAIL),
        ("A A A - -", 3, UNMEASURED),
        ("A A B - -", 2, UNMEASURED),
        ("A A B B -", 2, FAIL),
        ("A - - - -", 1, UNMEASURED),
        ("A B C D E", 1, FAIL),
        ("x x x x x", 0, FAIL),
        ("x x - - -", 0, FAIL),
        ("x - - - -", 0, UNMEASURED),
    ],
)
def test_grade_case__denominator(strip: str, count: int, verdict: Verdict) -> None:
    """Missing and unreadable draws stay in the denominator and agree with nothing."""
    result = grade_case(planned_case(), draws_of(strip), fail_on=FAIL_ON)
    assert (Share(count=count, of=5), Share(count=5 - count, of=5), verdict) == (
        result.agreement,
        result.flip_rate,
        result.verdict,
    )


def test_grade_case__equal_garbage() -> None:
    """Five equal texts that cannot be read agree on nothing: 0 of 5."""
    result = grade_case(planned_case(expect_keys=("label",)), draws_of("x x x x x"), fail_on=FAIL_ON)
    assert (FAIL, Share(count=0, of=5), (), False, Share(count=0, of=5)) == (
        result.verdict,
        result.agreement,
        result.modes,
        result.flipping,
        result.schema,
    )


@pytest.mark.parametrize("minimum", ["0", "0.8", "1"])
def test_grade_case__nothing_measured(minimum: str) -> None:
    """Without a measured draw there is no figure and no pass, whatever is asked."""
    planned = planned_case(
        expect_keys=("label",),
        expect={"label": "A"},
        expect_min=minimum,
        max_completion_tokens=60,
        agreement_min=minimum,
    )
    result = grade_case(planned, draws_of("- - - - -"), fail_on=FAIL_ON)
    figures = (
        result.agreement,
        result.flip_rate,
        result.schema,
        result.length,
        result.expected,
    )
    assert (UNMEASURED, 0, (None,) * 5, [UNMEASURED] * 4) == (
        result.verdict,
        result.measured,
        figures,
        [gate.verdict for gate in result.gates],
    )


def test_grade_case__missing_draws() -> None:
    """While draws are missing, the form is a count of those that came."""
    result = grade_case(planned_case(expect_keys=("label",)), draws_of("A A B x -"), fail_on=FAIL_ON)
    assert (4, Share(count=3, of=4), True) == (
        result.measured,
        result.schema,
        result.flipping,
    )


def test_grade_case__order_of_draws() -> None:
    """Draws come in any order and are shown in order of index."""
    draws = draws_of("A B A B A")
    one, other = (grade_case(planned_case(), order, fail_on=FAIL_ON) for order in (draws, draws[::-1]))
    assert (one, (1, 2, 3, 4, 5)) == (other, tuple(graded.draw.index for graded in other.draws))


def test_grade_case__expected_with_missing() -> None:
    """An expected value that the missing draws could still reach is unmeasured, and one out of reach has failed."""
    planned = planned_case(expect={"label": "A"}, expect_min="0.8", agreement_min="0")
    verdicts = [grade_case(planned, draws_of(strip), fail_on=FAIL_ON).verdict for strip in ("A A A x -", "A A x x -")]
    assert verdicts == [UNMEASURED, FAIL]


def test_grade_case__failed_whatever_is_missing() -> None:
    """A gate that failed on what was measured has failed, though agreement is unmeasured."""
    result = grade_case(planned_case(max_completion_tokens=11), draws_of("A - - - -"), fail_on=FAIL_ON)
    assert (FAIL, [UNMEASURED, FAIL]) == (result.verdict, [gate.verdict for gate in result.gates])


@pytest.mark.parametrize(
    ("fail_on", "verdict", "warns"),
    [(FAIL_ON, FAIL, False), (FAIL_ON - {GateName.AGREEMENT}, PASS, True), (frozenset(), PASS, True)],
)
def test_grade_case__warns(fail_on: frozenset[GateName], verdict: Verdict, warns: bool) -> None:
    """A failed gate that is not to fail the case is shown as failed, and warns."""
    result = grade_case(planned_case(), draws_of("A B A B A"), fail_on=fail_on)
    gate = replace(
        agreement(FAIL, 4, "0.8"), detail="3 of 5 draws agree; needs 4 of 5 (agreement_min 0.8)", warns=warns
    )
    assert (verdict, (gate,)) == (result.verdict, result.gates)


@pytest.mark.parametrize(("fail_on", "verdict"), [(FAIL_ON, PASS), (FAIL_ON | {GateName.INDEPENDENCE}, UNMEASURED)])
def test_grade_case__replayed(fail_on: frozenset[GateName], verdict: Verdict) -> None:
    """Five draws with one response id are noted, and could not be measured where that is asked for."""
    draws = [draw_of(reply_of('{"label": "A"}', id="cmpl-1"), index=index) for index in range(1, 6)]
    result = grade_case(planned_case(), draws, fail_on=fail_on)
    noted = Gate(
        name=GateName.INDEPENDENCE,
        verdict=UNMEASURED,
        detail="5 of 5 draws share a response id: they may be one reply shown again",
        warns=verdict is PASS,
    )
    assert (verdict, noted) == (result.verdict, result.gates[-1])


@pytest.mark.parametrize(
    "fields",
    [
        {"text": None, "finish_reason": "length", "reasoning": True},
        {"text": "", "reasoning": True},
        {"text": None, "refusal": "I can't help with that."},
        {"text": None, "finish_reason": "tool_calls", "tool_calls": True},
        {"text": None},
        {"text": "", "finish_reason": "content_filter"},
        {"text": "  \n\t"},
    ],
)
def test_grade_case__no_content(fields: dict[str, Any]) -> None:
    """Five equal replies without an answer are no agreement, and each keeps its cause."""
    draws = [draw_of(reply_of(**fields), index=index) for index in range(1, 6)]
    result = grade_case(planned_case(), draws, fail_on=FAIL_ON)
    assert (FAIL, Share(count=0, of=5), True) == (
        result.verdict,
        result.agreement,
        all(graded.cause for graded in result.draws),
    )


def test_grade_case__spent_on_reasoning() -> None:
    """Tokens that went into reasoning count against the budget."""
    reply = reply_of("", finish_reason="length", reasoning=True, usage=Usage(completion=400))
    result = grade_case(
        planned_case(n=2, max_completion_tokens=60), [draw_of(reply, index=1), draw_of(reply, index=2)], fail_on=FAIL_ON
    )
    assert Length(mean=Fraction(400), max=400, budget=60, estimated=False) == result.length
    assert [FAIL, FAIL] == [gate.verdict for gate in result.gates]


def test_grade_case__estimated_length() -> None:
    """Where one count is an estimate, the case's length says so."""
    draws = [
        draw_of(reply_of('{"a": 1}', usage=Usage(completion=5)), index=1),
        draw_of(reply_of('{"a": 1}', usage=Usage()), index=2),
    ]
    result = grade_case(planned_case(n=2), draws, fail_on=FAIL_ON)
    assert Length(mean=Fraction(7, 2), max=5, budget=None, estimated=True) == result.length


def test_grade_case__huge_integers() -> None:
    """Large integers reach the report as the model wrote them."""
    result = grade_case(
        planned_case(n=2), replies('{"id": 18446744073709551617}', '{"id": 18446744073709551616}'), fail_on=FAIL_ON
    )
    assert [{"id": 18446744073709551616}, {"id": 18446744073709551617}] == [mode.answer for mode in result.modes]


@pytest.mark.parametrize(
    ("strip", "passes", "flips"),
    [
        ("A A A A A", Share(count=5, of=5), False),
        ("A A B A A", Share(count=4, of=5), True),
        ("A A x A A", Share(count=4, of=5), True),
        ("A A - - -", Share(count=2, of=2), False),
        ("A B - - -", Share(count=1, of=2), True),
        ("B B C x -", Share(count=0, of=4), False),
        ("- - - - -", None, False),
    ],
)
def test_grade_case__verdict_flip(strip: str, passes: Share | None, flips: bool) -> None:
    """Some measured draws pass their own checks and some do not; of missing ones nobody knows."""
    result = grade_case(planned_case(expect={"label": "A"}), draws_of(strip), fail_on=FAIL_ON)
    assert (passes, flips) == (result.passes, result.verdict_flip)


def test_grade_case__flips_without_a_verdict_flip() -> None:
    """Draws that differ can all hold to their contract, and equal ones can all fail it."""
    planned = planned_case(n=4, expect={"label": "A"}, expect_keys=("label",), agree_on=("note",))
    texts = [f'{{"label": "A", "note": {number}}}' for number in range(4)]
    differ = grade_case(planned, replies(*texts), fail_on=FAIL_ON)
    wrong = grade_case(planned, replies(*['{"label": "B", "note": 1}'] * 4), fail_on=FAIL_ON)
    assert [(True, False, Share(count=4, of=4)), (False, False, Share(count=0, of=4))] == [
        (result.flipping, result.verdict_flip, result.passes) for result in (differ, wrong)
    ]


def test_grade_case__extractions() -> None:
    """Each way in which answers were read is listed with its draws: most draws first, then by name."""
    draws = replies('{"a": 1}', 'So: {"a": 1}', "none", '{"a": 1}', '```json\n{"a": 1}\n```')
    result = grade_case(planned_case(), draws, fail_on=FAIL_ON)
    assert (("whole", (1, 4)), ("fence", (5,)), ("object in prose", (2,))) == result.extractions


def test_grade_case__commands() -> None:
    """A command's exit code is the answer; where it could not be run the draw is missing and stays in n."""
    planned = planned_case(n=5, command=COMMAND, grader=Grader.COMMAND, expect="pass", expect_min="0.6")
    runs: dict[int, CommandRun | Failure] = {1: command_run()}
    runs |= {2: command_run(), 3: command_run(1, "1 failed\n"), 4: command_run(), 5: NOT_RUN}
    result = grade_case(planned, replies(*["an artifact"] * 5), fail_on=FAIL_ON, runs=runs)
    gates = (
        Gate(
            name=GateName.AGREEMENT,
            verdict=UNMEASURED,
            detail="3 of 5 draws agree, 1 missing; needs 4 of 5 (agreement_min 0.8)",
        ),
        Gate(
            name=GateName.EXPECTED,
            verdict=PASS,
            detail="3 of 5 draws pass the command, 1 missing; needs 3 of 5 (expect_min 0.6)",
        ),
    )
    assert (
        UNMEASURED,
        4,
        ["pass", "fail"],
        gates,
        Share(count=3, of=4),
        True,
        (("exit code", (1, 2, 3, 4)),),
        [None, None, None, None, "an artifact"],
    ) == (
        result.verdict,
        result.measured,
        [mode.answer for mode in result.modes],
        result.gates,
        result.passes,
        result.verdict_flip,
        result.extractions,
        [graded.ungraded for graded in result.draws],
    )


@given(st.permutations([*"AAABBC", "x", "-"]))
def test_grade_case__any_order(marks: list[str]) -> None:
    """What the draws say together does not depend on which of them came first."""
    planned = planned_case(n=8, expect={"label": "A"})
    given_order, sorted_order = (
        grade_case(planned, draws_of(" ".join(strip)), fail_on=FAIL_ON) for strip in (marks, sorted(marks))
    )
    assert _together(given_order) == _together(sorted_order)


def _together(result: CaseResult) -> CaseResult:
    """Return a result without its draws and where they stood."""
    return replace(
        result,
        draws=(),
        modes=tuple(replace(mode, draws=()) for mode in result.modes),
        extractions=tuple((how, ()) for how, _ in result.extractions),
    )


def test_contract_of__defaults() -> None:
    """The thresholds that tests lean on are the built-in ones."""
    assert (Fraction(4, 5), Fraction(1)) == (contract_of().agreement_min, contract_of().expect_min)
