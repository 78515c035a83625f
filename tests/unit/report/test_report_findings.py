"""What there is to say about one case, whatever the place."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from support.reports import ANSWERS, FAIL_ON, case_result, planned_case, schema

from evalaction.grade.case import grade_case
from evalaction.records.case import Grader
from evalaction.records.draw import Usage
from evalaction.records.report import CaseResult
from evalaction.report.findings import counterexample, difference, findings
from evalaction.report.misses import wrong_keys
from evalaction.report.untrusted import plain
from evalaction.stats.case import with_figures

TEXTS = {"A": "yes", "B": "no"}
WRONG = "A is not the expected value"
LONG = {"A": f"{'x' * 300}1{'y' * 19}", "B": f"{'x' * 300}2{'y' * 19}"}
MIXED = {
    "A": {"x": 1, "vendor": 1, "total_cents": 1950},
    "B": {"x": 1, "vendor": 2, "total_cents": 2},
    "C": {"x": 1, "vendor": 3},
}
MANY = {letter: {"x": letter} for letter in "ABCD"}


@pytest.mark.parametrize(
    ("result", "shown", "hidden"),
    [
        (
            case_result("c", "A A B", expect_keys=("total_cents",)),
            "total_cents: 1950 in 2 of 3, 19.5 in 1",
            "A and B differ in total_cents",
        ),
        (case_result("c", "A A B"), "total_cents: 1950 in 2 of 3, 19.5 in 1", "A and B differ"),
        (
            case_result("c", "A A B", answers={**ANSWERS, "B": {"vendor": "Acme Tools"}}),
            "total_cents: 1950 in 2 of 3, absent in 1",
            "A and B differ",
        ),
        (
            case_result("c", "A A B C", expect_keys=("vendor", "total_cents")),
            "3 answers differ in total_cents, vendor",
            "3 answers differ in total_cents, vendor",
        ),
        (case_result("c", "A B C D", answers=MANY), "4 answers differ in x", "4 answers differ"),
        (
            case_result("c", "A A B", grader=Grader.TEXT, answers=TEXTS),
            '"yes" in 2 of 3, "no" in 1',
            "A and B differ",
        ),
        (
            case_result("c", "C C", expect={"total_cents": 1950}),
            "total_cents: 1905, expected 1950",
            "A is wrong in total_cents",
        ),
        (
            case_result("c", "A A", expect={"total_cents": 2}, expect_keys=("vendor",)),
            "draws 1, 2: total_cents 1950, expected 2",
            "draws 1, 2 miss the expected value in total_cents",
        ),
        (
            case_result("c", "A A B", expect={"total_cents": 1950}, expect_keys=("vendor",)),
            "draw 3: total_cents 19.5, expected 1950",
            "draw 3 misses the expected value in total_cents",
        ),
        (
            case_result("c", "A C B", expect={"total_cents": 1950}, agree_on=("x",), answers=MIXED),
            "draws 2, 3 miss the expected value in total_cents",
            "draws 2, 3 miss the expected value in total_cents",
        ),
        (
            case_result(
                "c", "A A B", expect={"total_cents": 2}, expect_keys=("vendor",), agreement_min=1, answers=MIXED
            ),
            "vendor: 1 in 2 of 3, 2 in 1",
            "A and B differ in vendor",
        ),
        (case_result("c", "A A A A ?", expect={"total_cents": 1950}), "", ""),
        (case_result("c", "A A", expect="no", answers=TEXTS, grader=Grader.TEXT), '"yes", expected "no"', WRONG),
        (
            case_result("c", "A A", expect={"x": 1}, answers={"A": [1]}, schema=schema({"type": "array"})),
            '[1], expected {"x":1}',
            WRONG,
        ),
        (
            case_result("c", "A A B", grader=Grader.TEXT, answers=LONG),
            '"xxxxxxxxxxxx…xxxxx1yyyyyyyyyyyyyyyyyyy" in 2 of 3, "xxxxxxxxxxxx…xxxxx2yyyyyyyyyyyyyyyyyyy" in 1',
            "A and B differ",
        ),
        (case_result("c", "A A"), "", ""),
        (case_result("c", "∅ ∅"), "", ""),
    ],
)
def test_difference__table(result: CaseResult, shown: str, hidden: str) -> None:
    """Few answers stand side by side, many are counted; without completions only the contract's keys are named."""
    assert (plain(difference(result, show=True)), plain(difference(result, show=False))) == (shown, hidden)


def test_wrong_keys__those_that_the_answer_is_read_from() -> None:
    """A key that is expected and no part of the answer is not taken for an absent one."""
    result = case_result("c", "C C", expect={"vendor": "Acme", "total_cents": 1950}, expect_keys=("vendor",))

    assert wrong_keys(result) == ["vendor"]


def test_findings__values_outside_the_answer() -> None:
    """A value that is not the expected one, in a key that draws need not agree on, is named with its draws."""
    result = case_result("c", "A B C B", expect={"total_cents": 1950}, agree_on=("x",), answers=MIXED)
    flip = "1 of 4 draws passes its checks: draw 1 (pass^2 0, pass^4 0)"

    assert [[plain(line) for line in findings(result, show=show)] for show in (True, False)] == [
        [flip, "not as expected, draws 2, 4: total_cents 2", "not as expected, draw 3: total_cents absent"],
        [flip, "not as expected, draws 2, 4: total_cents", "not as expected, draw 3: total_cents"],
    ]


@pytest.mark.parametrize(
    ("result", "draw"),
    [
        (case_result("c", "A A B", agreement_min=1, expect={"vendor": "x"}), 3),
        (case_result("c", "A A B", agreement_min=0, expect={"vendor": "x"}), 1),
        (case_result("c", "A A B", agreement_min=0), 3),
        (case_result("c", "A A B", expect={"total_cents": 1950}, expect_keys=("vendor",)), 3),
        (case_result("c", "A A"), None),
    ],
)
def test_counterexample__what_the_case_fails_on(result: CaseResult, draw: int | None) -> None:
    """The draw to look at is another answer where agreement fails, and one that misses its contract elsewhere."""
    found = counterexample(result)

    assert (None if found is None else found.draw.index) == draw


def test_counterexample__gate_before_what_is_forgiven() -> None:
    """Where only the length budget fails, the draw over it is shown and named, and none of those that are let off."""
    expect, least = {"total_cents": 1950}, Fraction(1, 5)
    planned = planned_case("c", 5, expect=expect, expect_min=least, agreement_min=least, max_completion_tokens=20)
    given = case_result("c", "A A B A A").draws
    usages = [Usage(completion=25 if index == 4 else 20) for index in range(1, 6)]
    draws = [
        replace(graded.draw, reply=graded.draw.reply and replace(graded.draw.reply, usage=usage))
        for graded, usage in zip(given, usages, strict=True)
    ]
    result = with_figures(grade_case(planned, draws, fail_on=FAIL_ON))
    shown = counterexample(result)

    assert (shown.draw.index if shown else None) == 4
    assert [plain(line) for line in findings(result, show=True)] == [
        "3 of 5 draws pass their checks, not draws 3, 4 (pass^2 3/10, pass^5 0)",
        "over 20 tokens, draw 4: 25",
    ]


def test_findings__grouped_by_cause() -> None:
    """What is said of several draws alike stands there once; without completions nothing that quotes them does."""
    form = schema({"properties": {"total_cents": {"type": "integer"}}})
    result = case_result("c", "A B ? B ∅", schema=form)

    assert [plain(line) for line in findings(result, show=True)] == [
        "1 of the 4 draws that came passes its checks: draw 1",
        "unreadable, draw 3: no JSON object in the text",
        "form, draws 2, 4: /total_cents: 19.5 is not an integer",
    ]
    assert findings(result, show=True, besides=result.draws[2])[1][0] == "form, draws 2, 4: "
    assert [plain(line) for line in findings(result, show=False)] == [
        "1 of the 4 draws that came passes its checks: draw 1"
    ]
