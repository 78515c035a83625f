"""What single draws come to, in words."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support.grading import command_run
from support.reports import case_result

from evalaction.records.case import Grader
from evalaction.records.command import Ended
from evalaction.records.report import CaseResult
from evalaction.report.checks import asides, command_endings, reading_paths, verdict_flip
from evalaction.report.untrusted import plain

RIGHT = {"expect": {"total_cents": 1950}}
FENCED = '```json\n{"total_cents": 1950, "vendor": "Acme Tools"}\n```'


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (case_result("c", "A A B A A", **RIGHT), "4 of 5 draws pass their checks, not draw 3 (pass^2 6/10, pass^5 0)"),
        (case_result("c", "A B", **RIGHT), "1 of 2 draws passes its checks, not draw 2 (pass^2 0)"),
        (case_result("c", "A B B", **RIGHT), "1 of 3 draws passes its checks: draw 1 (pass^2 0, pass^3 0)"),
        (
            case_result("c", " ".join("AAAAAAAAAAAAAAAAAAAB"), **RIGHT),
            "19 of 20 draws pass their checks, not draw 20 (pass^2 90 %, pass^5 75 %, pass^20 0)",
        ),
        (case_result("c", "A B A ∅", **RIGHT), "2 of the 3 draws that came pass their checks, not draw 2"),
        (case_result("c", "A A ?", **RIGHT), "2 of 3 draws pass their checks, not draw 3 (pass^2 1/3, pass^3 0)"),
        (case_result("c", "A A", **RIGHT), ""),
        (case_result("c", "B B", **RIGHT), ""),
        (case_result("c", "∅ ∅", **RIGHT), ""),
        (case_result("c", "A ?"), ""),
    ],
)
def test_verdict_flip__table(result: CaseResult, said: str) -> None:
    """Which draws pass is said where some do not, with pass^k unless draws are missing or nothing is checked."""
    assert plain(verdict_flip(result)) == said


def test_reading_paths__only_where_they_differ() -> None:
    """How draws were read is said where they needed different ways."""
    raw = {"F": FENCED}

    assert plain(reading_paths(case_result("c", "A F A", raw=raw))) == "read as: whole in draws 1, 3; fence in draw 2"
    assert reading_paths(case_result("c", "F F", raw=raw)) == ()


def test_command_endings__grouped() -> None:
    """Each way in which a command did not pass stands once, with its draws."""
    runs = {
        "B": command_run(2),
        "C": command_run(-11),
        "D": command_run(None, ended=Ended.TIME),
        "E": command_run(None, ended=Ended.OUTPUT),
    }
    answers = {letter: letter for letter in "ABCDE"}
    result = case_result("c", "A B C D E B", grader=Grader.COMMAND, answers=answers, runs=runs)

    assert plain(command_endings(result)) == (
        "command: exit code 2 in draws 2, 6; signal 11 in draw 3; ended at the time limit of 10 s in draw 4; "
        "ended at the output limit in draw 5"
    )


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (case_result("c", "A A"), ["only agreement is checked"]),
        (case_result("c", "∅ ∅"), []),
        (case_result("c", "A A", max_completion_tokens=20), []),
        (
            case_result("c", "A A A A B", expect_min=Fraction(1, 2), **RIGHT),
            ["4 of 5 draws pass their checks, not draw 5 (pass^2 6/10, pass^5 0)"],
        ),
        (case_result("c", "A A A A B", **RIGHT), []),
    ],
)
def test_asides__table(result: CaseResult, said: list[str]) -> None:
    """A line about a case says that nothing but agreement is checked, and of one that passes what its draws hide."""
    assert [plain(phrase) for phrase in asides(result)] == said
