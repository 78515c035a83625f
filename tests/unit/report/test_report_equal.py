"""What counts as one, and what does not although it looks alike."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from support.reports import case_result

from evalaction.records.case import Compare, Grader
from evalaction.report.equal import look_alikes, set_aside
from evalaction.report.untrusted import plain

FOLDED = {"compare": (("vendor", Compare(case_insensitive=True)),), "expect_keys": ("vendor",)}
VENDORS = {"A": {"vendor": "Acme"}, "B": {"vendor": "ACME"}, "C": {"vendor": "Other"}}
NUMBERS = {"A": "1949", "B": "1950", "C": "1970"}
WITHIN = {"grader": Grader.NUMBER, "answers": NUMBERS, "expect": 1950, "whole": Compare(tolerance=5)}


@pytest.mark.parametrize(
    ("strip", "fields", "shown", "hidden"),
    [
        (
            "A B",
            {**FOLDED, "answers": VENDORS},
            ['vendor: "Acme", "ACME" count as one (case_insensitive)'],
            ["vendor: 2 spellings count as one (case_insensitive)"],
        ),
        (
            "A B C",
            {**FOLDED, "answers": VENDORS},
            ["vendor: 3 spellings count as 2 answers (case_insensitive)"],
            ["vendor: 3 spellings count as 2 answers (case_insensitive)"],
        ),
        (
            "B B",
            {**FOLDED, "answers": VENDORS, "expect": {"vendor": "acme"}},
            ['vendor: "ACME" in draws 1, 2 counts as the expected "acme" (case_insensitive)'],
            ["vendor: what draws 1, 2 gave counts as the expected value (case_insensitive)"],
        ),
        (
            "A B",
            {**FOLDED, "answers": VENDORS, "expect": {"vendor": "acme"}},
            ['vendor: "Acme", "ACME" count as one, and as the expected "acme" (case_insensitive)'],
            ["vendor: 2 spellings count as one, and as the expected value (case_insensitive)"],
        ),
        (
            "A B C",
            WITHIN,
            ["1949 in draw 1 counts as the expected 1950 (tolerance 5)"],
            ["what draw 1 gave counts as the expected value (tolerance 5)"],
        ),
        ("A A", {**FOLDED, "answers": VENDORS}, [], []),
        ("A C", {"answers": VENDORS}, [], []),
        (
            "A B",
            {"grader": Grader.NUMBER, "answers": {"A": "19.51", "B": "19.49"}, "whole": Compare(round=Decimal("0.1"))},
            ["19.51, 19.49 count as one (round 0.1)"],
            ["2 spellings count as one (round 0.1)"],
        ),
    ],
)
def test_set_aside__table(strip: str, fields: dict[str, Any], shown: list[str], hidden: list[str]) -> None:
    """An option is named where it makes one of several values, or meets the expected one, and nowhere else."""
    result = case_result("c", strip, **fields)

    assert [[plain(line) for line in set_aside(result, show=show)] for show in (True, False)] == [shown, hidden]


def test_set_aside__long() -> None:
    """A completion that would take long to read again is not explained."""
    answers = {"A": {"vendor": "a" * 100_000}, "B": {"vendor": "A" * 100_000}}
    assert set_aside(case_result("c", "A B", **FOLDED, answers=answers), show=True) == []


@pytest.mark.parametrize(
    ("strip", "fields", "shown", "hidden"),
    [
        (
            "A A B",
            {"answers": {"A": {"s": "paid"}, "B": {"s": "p\u0430id"}}},
            ["A and B look alike in s: U+0061 against U+0430 at character 2"],
            ["A and B look alike"],
        ),
        (
            "A A",
            {"answers": {"A": {"s": "p\u0430id"}}, "expect": {"s": "paid"}},
            ["A looks like the expected value in s: U+0430 against U+0061 at character 2"],
            ["A looks like the expected value"],
        ),
        (
            "A A",
            {"grader": Grader.TEXT, "answers": {"A": "P\u0410ID"}, "expect": "Paid"},
            ["A looks like the expected value: U+0430 against U+0061 at character 2"],
            ["A looks like the expected value"],
        ),
        (
            "A A",
            {"grader": Grader.EXACT, "answers": {"A": "e\u0301"}, "expect": "\u00e9"},
            ["A looks like the expected value: U+0065 U+0301 against U+00E9 at character 1"],
            ["A looks like the expected value"],
        ),
        (
            "A ?",
            {"grader": Grader.CHOICE, "labels": ("yes", "no"), "answers": {"A": "yes"}, "raw": {"?": "y\u0435s"}},
            ["draw 2 looks like the label yes: U+0435 against U+0065 at character 2"],
            ["draw 2 looks like the label yes"],
        ),
        ("A B", {}, [], []),
    ],
)
def test_look_alikes__table(strip: str, fields: dict[str, Any], shown: list[str], hidden: list[str]) -> None:
    """Answers that look alike, or like what is expected, are told apart; without completions only that they do."""
    result = case_result("c", strip, **fields)

    assert [[plain(line) for line in look_alikes(result, show=show)] for show in (True, False)] == [shown, hidden]
