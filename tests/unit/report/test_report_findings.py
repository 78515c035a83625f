"""What there is to say about one case, whatever the place."""

from __future__ import annotations

import pytest
from support.reports import ANSWERS, case_result, schema

from evalaction.records.case import Grader
from evalaction.records.report import CaseResult
from evalaction.report.findings import difference, findings, wrong_keys
from evalaction.report.untrusted import plain

TEXTS = {"A": "yes", "B": "no"}
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
            "A is not the expected value",
            "A is not the expected value",
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


def test_findings__grouped_by_cause() -> None:
    """What is said of several draws alike stands there once; without completions nothing that quotes them does."""
    form = schema({"properties": {"total_cents": {"type": "integer"}}})
    result = case_result("c", "A B ? B ∅", schema=form)

    assert [plain(line) for line in findings(result, show=True)] == [
        "unreadable, draw 3: no JSON object in the text",
        "form, draws 2, 4: /total_cents: 19.5 is not an integer",
    ]
    assert findings(result, show=True, besides=result.draws[2])[0][0] == "form, draws 2, 4: "
    assert findings(result, show=False) == []
