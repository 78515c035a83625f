"""From gates to the verdict of a run and its exit code."""

from __future__ import annotations

from itertools import product

import pytest
from support.decks import deck_result
from support.grading import FAIL_ON, draws_of, planned_case
from support.judging import honest, last_passes

from evalaction.errors import ExitCode
from evalaction.forks import FAILS, SKIPPED
from evalaction.grade.case import grade_case
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import Hold
from evalaction.records.report import CaseResult
from evalaction.verdict import exit_code, is_excused, run_verdict

PASS, FAIL, UNMEASURED = Verdict.PASS, Verdict.FAIL, Verdict.UNMEASURED
STRIPS = {PASS: "A A A A A", FAIL: "A B C D E", UNMEASURED: "- - - - -"}


def case_that(verdict: Verdict) -> CaseResult:
    result = grade_case(planned_case(), draws_of(STRIPS[verdict]), fail_on=FAIL_ON)
    assert verdict is result.verdict
    return result


def deck_that(verdict: Verdict) -> DeckResult:
    judge, missing = {PASS: (honest, ()), FAIL: (last_passes, ()), UNMEASURED: (honest, (0,))}[verdict]
    result = deck_result(None, judge, missing=missing)
    assert verdict is result.verdict
    return result


def contract(*, warns: bool) -> Gate:
    return Gate(name=GateName.CONTRACT, verdict=FAIL, detail="removed: case a (b)", warns=warns)


def test_run_verdict__nothing_affected() -> None:
    """Nothing affected is a pass."""
    assert run_verdict([], []) is PASS


@pytest.mark.parametrize("verdicts", list(product(Verdict, repeat=3)))
def test_run_verdict__cases(verdicts: tuple[Verdict, ...]) -> None:
    """Any fail comes before any unmeasured, and that before pass."""
    expected = FAIL if FAIL in verdicts else UNMEASURED if UNMEASURED in verdicts else PASS
    assert expected is run_verdict([case_that(verdict) for verdict in verdicts], [])


@pytest.mark.parametrize(("warns", "verdict"), [(True, PASS), (False, FAIL)])
def test_run_verdict__gates_of_the_run(warns: bool, verdict: Verdict) -> None:
    """A gate of the run fails it unless it only warns."""
    assert verdict is run_verdict([case_that(PASS)], [contract(warns=warns)])


@pytest.mark.parametrize("verdicts", list(product(Verdict, repeat=2)))
def test_run_verdict__decks(verdicts: tuple[Verdict, Verdict]) -> None:
    """A deck counts as a case does, beside cases and alone."""
    case, deck = verdicts
    expected = FAIL if FAIL in verdicts else UNMEASURED if UNMEASURED in verdicts else PASS
    assert (expected, deck) == (
        run_verdict([case_that(case)], [], decks=[deck_that(deck)]),
        run_verdict([], [], decks=[deck_that(deck)]),
    )


def test_run_verdict__interrupted() -> None:
    """A run that was stopped may have missed a failure, and what has failed has failed."""
    assert [UNMEASURED, FAIL] == [
        run_verdict([], [], decks=[deck_that(verdict)], interrupted=True) for verdict in (PASS, FAIL)
    ]


@pytest.mark.parametrize(
    ("verdict", "code"), [(PASS, ExitCode.PASS), (FAIL, ExitCode.GATE_FAILED), (UNMEASURED, ExitCode.NOT_MEASURED)]
)
def test_exit_code(verdict: Verdict, code: ExitCode) -> None:
    """Every verdict has its code, and an interrupted run has its own whatever it came to."""
    assert (code, ExitCode.INTERRUPTED) == (exit_code(verdict), exit_code(verdict, interrupted=True))


@pytest.mark.parametrize(
    ("verdict", "code"), [(PASS, ExitCode.PASS), (FAIL, ExitCode.GATE_FAILED), (UNMEASURED, ExitCode.PASS)]
)
def test_exit_code__excused(verdict: Verdict, code: ExitCode) -> None:
    """An excuse is for what was not measured: a failure stays one, and an interrupted run has its own code."""
    assert code == exit_code(verdict, excused=True)
    assert exit_code(verdict, interrupted=True, excused=True) == ExitCode.INTERRUPTED


@pytest.mark.parametrize(
    ("hold", "gate", "excused"),
    [
        (None, None, False),
        (FAILS, None, False),
        (SKIPPED, None, True),
        (SKIPPED, (FAIL, False), True),
        (SKIPPED, (UNMEASURED, True), True),
        (SKIPPED, (UNMEASURED, False), False),
    ],
)
def test_is_excused(hold: Hold | None, gate: tuple[Verdict, bool] | None, excused: bool) -> None:
    """A hold excuses what it kept from being drawn, and no gate that had to be measured and was not."""
    gates = [] if gate is None else [Gate(name=GateName.CONTRACT, verdict=gate[0], detail="", warns=gate[1])]
    assert excused is is_excused(hold, gates)


def test_exit_code__numbers() -> None:
    """The numbers are what workflows rely on."""
    assert {code.name: int(code) for code in ExitCode} == {
        "PASS": 0,
        "GATE_FAILED": 1,
        "BAD_INPUT": 2,
        "NOT_MEASURED": 3,
        "INTERRUPTED": 130,
    }
