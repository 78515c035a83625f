"""From gates to the verdict of a run and its exit code. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.errors import ExitCode
from evalaction.records.report import CaseResult, Gate, Verdict


def run_verdict(
    cases: Sequence[CaseResult], gates: Sequence[Gate], *, unmeasured_decks: int = 0, interrupted: bool = False
) -> Verdict:
    """Return what a run comes to: any fail, then any unmeasured, then pass; with nothing affected it passes.

    Args:
        cases: results of the cases drawn.
        gates: of the run as a whole; those that only warn count neither way.
        unmeasured_decks: affected decks that were not judged.
        interrupted: the run was stopped from outside; what it had no time for may have failed.
    """
    verdicts = {case.verdict for case in cases} | {gate.verdict for gate in gates if not gate.warns}
    if Verdict.FAIL in verdicts:
        return Verdict.FAIL
    if Verdict.UNMEASURED in verdicts or unmeasured_decks or interrupted:
        return Verdict.UNMEASURED
    return Verdict.PASS


def exit_code(verdict: Verdict, *, interrupted: bool = False) -> ExitCode:
    """Return the exit code of a run that came to a verdict.

    ===========  ====  ================================================
    verdict      code  means
    ===========  ====  ================================================
    pass         0     every gate that can fail the run holds, or nothing was affected
    fail         1     a gate failed on what was measured, whatever else is missing
    unmeasured   3     something that had to be measured was not
    any          130   the run was interrupted
    ===========  ====  ================================================

    Bad input or usage (2) ends a run before there is a verdict.

    Args:
        verdict: of the run.
        interrupted: the run was stopped from outside, so that its verdict is not its own.
    """
    if interrupted:
        return ExitCode.INTERRUPTED
    return {
        Verdict.PASS: ExitCode.PASS,
        Verdict.FAIL: ExitCode.GATE_FAILED,
        Verdict.UNMEASURED: ExitCode.NOT_MEASURED,
    }[verdict]
