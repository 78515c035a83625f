"""The runs of ``tests/examples`` that show graders at work, by the folder's name: see ``example_reports``."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from support.grading import COMMAND, command_run
from support.reports import case_result, report

from evalaction.forks import NOT_ALLOWED
from evalaction.records.case import Compare, Grader
from evalaction.records.command import Ended
from evalaction.records.draw import Cause, Failure, Usage
from evalaction.records.report import Report

GOOD = """[invoice]
vendor = Acme Tools
total = 1950
currency = EUR
terms = net 30"""
OFF = GOOD.replace("1950", "1,950").replace("net 30", "net 30 days")
WROTE = """FAIL: test_total (check.TotalTest)
Traceback (most recent call last):
  File "check.py", line 9, in test_total
AssertionError: 1905 != 1950
"""


def grader_reports() -> dict[str, Report]:
    """Return every example of graders, by name."""
    return {
        "comment-verdict-flip": verdict_flip(),
        "comment-diff": diff(),
        "comment-command": command(),
        "comment-spelling": spelling(),
    }


def verdict_flip() -> Report:
    """Return a run with draws that pass and draws that fail, one read in two ways, and one that is hardly checked."""
    answers = {"A": {"status": "eligible"}, "B": {"status": "unknown"}}
    fenced = 'Here it is:\n```json\n{"status": "eligible"}\n```'
    some_long = {"A": Usage(completion=40)}
    return report(
        case_result("refund_status", "A A B A A", answers=answers, expect={"status": "eligible"}),
        case_result("refund_came", "A B B ∅ A", answers=answers, expect={"status": "eligible"}, line=2),
        case_result(
            "refund_mostly",
            "A F A A B",
            answers={**answers, "F": fenced},
            expect={"status": "eligible"},
            expect_min=Fraction(3, 5),
            line=3,
        ),
        case_result(
            "refund_tone", "A A A A A", answers={"A": "Thank you."}, grader=Grader.TEXT, line=4, usage=some_long["A"]
        ),
        manifest={"items": 4},
    )


def diff() -> Report:
    """Return a run of texts held against a known-good file: one differs, one differs where it cannot be seen."""
    said = {"grader": Grader.DIFF, "expect": GOOD, "expect_path": "golden/invoice.ini"}
    unseen = GOOD.replace("Acme Tools", "Acme\u00a0Tools")
    many = "\n".join(f"line {number} of the draw" for number in range(1, 400))
    return report(
        case_result("invoice_ini", "A A B A ?", answers={"A": GOOD, "B": OFF, "?": ""}, **said),
        case_result("invoice_space", "A A A", answers={"A": unseen}, line=2, **said),
        case_result("invoice_long", "A A", answers={"A": many}, line=3, **said),
        manifest={"items": 3},
    )


def command() -> Report:
    """Return a run of artifacts that a command was run on: failing tests, limits, and one that is not allowed."""
    answers = {letter: f"print({number})" for number, letter in enumerate("ABCD")}
    runs = {
        "B": command_run(1, WROTE),
        "C": command_run(None, "1\n2\n", ended=Ended.TIME, cut=True),
        "D": command_run(-9),
    }
    blocked = Failure(cause=Cause.COMMAND, message=NOT_ALLOWED)
    return report(
        case_result("total_unit_tests", "A B A C B", answers=answers, runs=runs, grader=Grader.COMMAND),
        case_result("killed", "A D", answers=answers, runs=runs, grader=Grader.COMMAND, agreement_min="0.5", line=2),
        case_result("too_slow", "A A C A C", answers=answers, runs=runs, grader=Grader.COMMAND, line=4),
        case_result(
            "not_allowed", "∅ ∅ ∅", failure=blocked, blocked=NOT_ALLOWED, grader=Grader.COMMAND, command=COMMAND, line=3
        ),
        manifest={"items": 4},
    )


def spelling() -> Report:
    """Return a run of answers that look alike and are not equal, and of others that are equal and do not look so."""
    latin, other = {"status": "paid", "vendor": "Acme"}, {"status": "p\u0430id", "vendor": "Acme"}
    quoted = {"A": {"quote": "it's due"}, "B": {"quote": "it\u2019s due"}, "C": {"quote": "it's\u200b due"}}
    spelled = {
        "A": {"vendor": "Acme", "total": Decimal("19.5"), "tags": ["a", "b"]},
        "B": {"vendor": "ACME", "total": Decimal("19.52"), "tags": ["b", "a"]},
    }
    compare = (
        ("tags", Compare(unordered=True)),
        ("total", Compare(round=Decimal("0.1"), tolerance=Decimal("0.05"))),
        ("vendor", Compare(case_insensitive=True)),
    )
    labels = ("yes", "no")
    return report(
        case_result(
            "look_alike",
            "A A A B B",
            answers={"A": latin, "B": other},
            expect_keys=("status", "vendor"),
            agreement_min=1,
        ),
        case_result("not_expected", "A A", answers={"A": other}, expect={"status": "paid"}, line=2),
        case_result("punctuation", "A A B C", answers=quoted, expect_keys=("quote",), agreement_min=1, line=3),
        case_result(
            "label",
            "A A ?",
            answers={"A": "yes", "?": "y\u0435s"},
            grader=Grader.CHOICE,
            labels=labels,
            agreement_min=1,
            line=4,
        ),
        case_result(
            "set_aside",
            "A B A",
            answers=spelled,
            expect={"total": Decimal("19.48"), "vendor": "acme"},
            compare=compare,
            line=5,
        ),
        case_result(
            "within",
            "A A A A B",
            answers={"A": "about 1,949 euros", "B": "1950"},
            grader=Grader.NUMBER,
            expect=1950,
            whole=Compare(tolerance=5),
            line=6,
        ),
        case_result(
            "near",
            "A B A",
            answers={"A": "1949", "B": "1950"},
            grader=Grader.NUMBER,
            expect=1950,
            whole=Compare(tolerance=5),
            line=7,
        ),
        manifest={"items": 7},
    )
