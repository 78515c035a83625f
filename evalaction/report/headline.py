"""The verdict in one line. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.forks import FORK
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import PlannedDeck, Reason
from evalaction.records.report import CaseResult
from evalaction.report import words

PRODUCT = "evalaction"


def headline(
    *,
    verdict: Verdict,
    cases: Sequence[CaseResult],
    decks: Sequence[PlannedDeck] = (),
    gates: Sequence[Gate] = (),
    partial: str | None = None,
    interrupted: bool = False,
    held: bool = False,
) -> str:
    """Return the verdict in one line of our own words, as a notification shows it.

    Args:
        verdict: that of the run.
        cases: what was drawn, in any order.
        decks: affected decks, which could not be judged.
        gates: gates of the run as a whole.
        partial: what the run was narrowed to; None for the whole suite.
        interrupted: the run was stopped from outside before its end.
        held: nothing was drawn, since the pull request comes from a fork.
    """
    kind = _kind(cases, partial)
    if held:
        parts = [*_failing_gates(gates), _held(cases, kind, decks), *_unmeasured_gates(gates)]
    elif verdict is Verdict.FAIL:
        parts = _failing(cases, kind, decks, gates)
    elif verdict is Verdict.UNMEASURED:
        parts = [f"could not be measured: {_unmeasured(cases, kind, decks, gates)}"]
    elif not cases:
        parts = [f"nothing affected{' among the cases chosen' if partial else ''}"]
    else:
        parts = [_all(cases, kind, "passes", "pass")]
    loosened = any(gate.name is GateName.CONTRACT and gate.verdict is Verdict.FAIL and gate.warns for gate in gates)
    if loosened:
        parts.append(
            "but what is checked has changed" if verdict is Verdict.PASS else "and what is checked has changed"
        )
    return f"{PRODUCT}: {'interrupted, ' if interrupted else ''}{', '.join(parts)}"


def _all(cases: Sequence[CaseResult], kind: str, does: str, do: str) -> str:
    if len(cases) == 1:
        return f"the {kind} {does}"
    return f"{'both' if len(cases) == 2 else f'all {len(cases):,}'} {kind}s {do}"  # noqa: PLR2004 - two are both


def _kind(cases: Sequence[CaseResult], partial: str | None) -> str:
    if partial is not None:
        return "chosen case"
    compared = any(reason is not Reason.ALL for case in cases for reason in case.planned.reasons)
    return "affected case" if compared or not cases else "case"


def _number(cases: Sequence[CaseResult], verdict: Verdict) -> int:
    return sum(case.verdict is verdict for case in cases)


def _failing(cases: Sequence[CaseResult], kind: str, decks: Sequence[PlannedDeck], gates: Sequence[Gate]) -> list[str]:
    failed, unmeasured = (_number(cases, outcome) for outcome in (Verdict.FAIL, Verdict.UNMEASURED))
    parts = []
    if failed == len(cases) > 0:
        parts.append(_all(cases, kind, "fails", "fail"))
    elif failed:
        verb = "fails" if failed == 1 else "fail"
        parts.append(f"{failed:,} of {words.count(len(cases), kind)} {verb}")
    parts += _failing_gates(gates)
    if unmeasured:
        parts.append(f"{unmeasured:,} could not be measured")
    if decks:
        parts.append(f"{words.count(len(decks), 'deck')} could not be judged")
    parts += _unmeasured_gates(gates)
    return parts or ["a gate fails"]


def _failing_gates(gates: Sequence[Gate]) -> list[str]:
    names = [gate.name for gate in gates if gate.verdict is Verdict.FAIL and not gate.warns]
    if not names:
        return []
    return [f"the gate {names[0]} fails" if len(names) == 1 else "gates of the run fail"]


def _unmeasured_gates(gates: Sequence[Gate]) -> list[str]:
    return [f"the gate {gate.name} could not be measured" for gate in words.unmeasured_gates(gates)]


def _held(cases: Sequence[CaseResult], kind: str, decks: Sequence[PlannedDeck]) -> str:
    """Return ``3 affected cases were not drawn: …``."""
    drawn = f"the {kind} was not drawn" if len(cases) == 1 else f"{words.count(len(cases), kind)} were not drawn"
    judged = f"{words.count(len(decks), 'affected deck')} {'was' if len(decks) == 1 else 'were'} not judged"
    return f"{' and '.join([*([drawn] if cases else []), *([judged] if decks else [])])}: {FORK}"


def _unmeasured(cases: Sequence[CaseResult], kind: str, decks: Sequence[PlannedDeck], gates: Sequence[Gate]) -> str:
    unmeasured = _number(cases, Verdict.UNMEASURED)
    parts = [f"{unmeasured:,} of {words.count(len(cases), kind)}"] if unmeasured else []
    if decks:
        parts.append(words.count(len(decks), "affected deck"))
    parts += [f"the gate {gate.name}" for gate in words.unmeasured_gates(gates)]
    return " and ".join(parts) or "the run ended before its time"
