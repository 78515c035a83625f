"""From gates to the verdict of a run and its exit code. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.errors import ExitCode
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import Gate, Verdict
from evalaction.records.plan import Hold
from evalaction.records.report import CaseResult


def run_verdict(
    cases: Sequence[CaseResult],
    gates: Sequence[Gate],
    *,
    decks: Sequence[DeckResult] = (),
    interrupted: bool = False,
) -> Verdict:
    """Return what a run comes to: any fail, then any unmeasured, then pass; with nothing affected it passes.

    Args:
        cases: results of the cases drawn.
        gates: of the run as a whole; those that only warn count neither way.
        decks: results of the decks that were to be judged.
        interrupted: the run was stopped from outside; what it had no time for may have failed.
    """
    verdicts = {*(case.verdict for case in cases), *(deck.verdict for deck in decks)}
    verdicts |= {gate.verdict for gate in gates if not gate.warns}
    if Verdict.FAIL in verdicts:
        return Verdict.FAIL
    if Verdict.UNMEASURED in verdicts or interrupted:
        return Verdict.UNMEASURED
    return Verdict.PASS


def is_excused(hold: Hold | None, gates: Sequence[Gate]) -> bool:
    """Return whether a run that could not be measured is excused: a hold says so, and is the only reason.

    Args:
        hold: why nothing was drawn; None when nothing was held back.
        gates: of the run as a whole. One that had to be measured and was not is no fork's doing.
    """
    unmeasured = any(gate.verdict is Verdict.UNMEASURED and not gate.warns for gate in gates)
    return hold is not None and hold.excused and not unmeasured


def exit_code(verdict: Verdict, *, interrupted: bool = False, excused: bool = False) -> ExitCode:
    """Return the exit code of a run that came to a verdict.

    ===========  ====  ================================================
    verdict      code  means
    ===========  ====  ================================================
    pass         0     every gate that can fail the run holds, or nothing was affected
    fail         1     a gate failed on what was measured, whatever else is missing
    unmeasured   3     something that had to be measured was not
    unmeasured   0     the same, and the workflow excuses it (``forks: skip``)
    any          130   the run was interrupted
    ===========  ====  ================================================

    Bad input or usage (2) ends a run before there is a verdict.

    Args:
        verdict: of the run.
        interrupted: the run was stopped from outside, so that its verdict is not its own.
        excused: nothing but an excused hold kept the run from measuring; a failure stays one.
    """
    if interrupted:
        return ExitCode.INTERRUPTED
    if excused and verdict is Verdict.UNMEASURED:
        return ExitCode.PASS
    return {
        Verdict.PASS: ExitCode.PASS,
        Verdict.FAIL: ExitCode.GATE_FAILED,
        Verdict.UNMEASURED: ExitCode.NOT_MEASURED,
    }[verdict]
