"""The verdict in one line. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.forks import FORK
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import Reason
from evalaction.records.report import CaseResult
from evalaction.report import words
from evalaction.report.decks import words as deck_words

PRODUCT = "evalaction"


def headline(
    *,
    verdict: Verdict,
    cases: Sequence[CaseResult],
    decks: Sequence[DeckResult] = (),
    gates: Sequence[Gate] = (),
    partial: str | None = None,
    interrupted: bool = False,
    held: bool = False,
) -> str:
    """Return the verdict in one line of our own words, as a notification shows it.

    Args:
        verdict: that of the run.
        cases: what was drawn, in any order.
        decks: what was judged, in any order.
        gates: gates of the run as a whole.
        partial: what the run was narrowed to; None for the whole suite.
        interrupted: the run was stopped from outside before its end.
        held: nothing was drawn, since the pull request comes from a fork.
    """
    kind, deck = _kind(cases, partial), deck_words.kind(decks, partial)
    if held:
        parts = [*_failing_gates(gates), _held(cases, kind, decks), *_unmeasured_gates(gates)]
    elif verdict is Verdict.FAIL:
        parts = _failing(cases, kind, decks, gates)
    elif verdict is Verdict.UNMEASURED:
        parts = [f"could not be measured: {_unmeasured(cases, kind, (decks, deck), gates)}"]
    elif not cases and not decks:
        parts = [f"nothing affected{' among the cases chosen' if partial else ''}"]
    else:
        parts = [_passing(cases, kind, decks, deck), *_warning_probes(decks)]
    loosened = any(gate.name is GateName.CONTRACT and gate.verdict is Verdict.FAIL and gate.warns for gate in gates)
    if loosened:
        parts.append(
            f"{'but' if verdict is Verdict.PASS and not _warning_probes(decks) else 'and'} what is checked has changed"
        )
    return f"{PRODUCT}: {'interrupted, ' if interrupted else ''}{', '.join(parts)}"


def _passing(cases: Sequence[CaseResult], kind: str, decks: Sequence[DeckResult], deck: str) -> str:
    """Return ``all 3 affected cases pass``, with the judges of decks beside them."""
    if not decks:
        return _all(cases, kind, "passes", "pass")
    if not cases:
        return f"the judge of the {deck} passes" if len(decks) == 1 else f"the judges of {_both(decks)} {deck}s pass"
    judges = "the judge" if len(decks) == 1 else f"{_both(decks)} judges"
    which = f"the {kind}" if len(cases) == 1 else f"{_both(cases)} {kind}s"
    return f"{which} and {judges} pass"


def _warning_probes(decks: Sequence[DeckResult]) -> list[str]:
    """Return ``but a probe fails`` where the gate of a deck's probes fails, and only warns."""
    probed = [deck for deck in decks if GateName.JUDGE_PROBE in deck_words.warning(deck)]
    failed = sum(deck_words.is_failed(probe) for deck in probed for probe in deck.probes)
    return [] if not failed else ["but a probe fails" if failed == 1 else f"but {failed:,} probes fail"]


def _all(cases: Sequence[CaseResult], kind: str, does: str, do: str) -> str:
    return f"the {kind} {does}" if len(cases) == 1 else f"{_both(cases)} {kind}s {do}"


def _both(items: Sequence[object]) -> str:
    return "both" if len(items) == 2 else f"all {len(items):,}"  # noqa: PLR2004 - two are both


def _kind(cases: Sequence[CaseResult], partial: str | None) -> str:
    if partial is not None:
        return "chosen case"
    compared = any(reason is not Reason.ALL for case in cases for reason in case.planned.reasons)
    return "affected case" if compared or not cases else "case"


def _number(results: Sequence[CaseResult | DeckResult], verdict: Verdict) -> int:
    return sum(result.verdict is verdict for result in results)


def _failing(cases: Sequence[CaseResult], kind: str, decks: Sequence[DeckResult], gates: Sequence[Gate]) -> list[str]:
    failed, unmeasured = (_number(cases, outcome) for outcome in (Verdict.FAIL, Verdict.UNMEASURED))
    parts = []
    if failed == len(cases) > 0:
        parts.append(_all(cases, kind, "fails", "fail"))
    elif failed:
        verb = "fails" if failed == 1 else "fail"
        parts.append(f"{failed:,} of {words.count(len(cases), kind)} {verb}")
    lost = [f"{unmeasured:,}{'' if failed else f' of {words.count(len(cases), kind)}'} could not be measured"]
    # What failed comes first, but cases stay together.
    parts += [*(lost if failed and unmeasured else []), *_failing_judges(decks), *_failing_gates(gates)]
    parts += lost if unmeasured and not failed else []
    unjudged = _number(decks, Verdict.UNMEASURED)
    if unjudged:
        parts.append(f"{words.count(unjudged, 'deck')} could not be judged")
    parts += _unmeasured_gates(gates)
    return parts or ["a gate fails"]


def _failing_judges(decks: Sequence[DeckResult]) -> list[str]:
    """Return what is wrong with the judge that fails, or how many of them fail."""
    failing = [deck for deck in decks if deck.verdict is Verdict.FAIL]
    if not failing:
        return []
    if len(failing) == len(decks) > 1:
        return [f"{_both(decks)} judges fail"]
    if len(failing) > 1:
        return [f"the judges of {len(failing):,} of {words.count(len(decks), 'deck')} fail"]
    which = "" if len(decks) == 1 else f"on 1 of {words.count(len(decks), 'deck')} "
    return [f"{which}{deck_words.clause(failing[0])}"]


def _failing_gates(gates: Sequence[Gate]) -> list[str]:
    names = [gate.name for gate in gates if gate.verdict is Verdict.FAIL and not gate.warns]
    if not names:
        return []
    return [f"the gate {names[0]} fails" if len(names) == 1 else "gates of the run fail"]


def _unmeasured_gates(gates: Sequence[Gate]) -> list[str]:
    return [f"the gate {gate.name} could not be measured" for gate in words.unmeasured_gates(gates)]


def _held(cases: Sequence[CaseResult], kind: str, decks: Sequence[DeckResult]) -> str:
    """Return ``3 affected cases were not drawn: …``."""
    drawn = f"the {kind} was not drawn" if len(cases) == 1 else f"{words.count(len(cases), kind)} were not drawn"
    judged = f"{words.count(len(decks), 'affected deck')} {'was' if len(decks) == 1 else 'were'} not judged"
    return f"{' and '.join([*([drawn] if cases else []), *([judged] if decks else [])])}: {FORK}"


def _unmeasured(
    cases: Sequence[CaseResult], kind: str, judged: tuple[Sequence[DeckResult], str], gates: Sequence[Gate]
) -> str:
    decks, deck = judged
    unmeasured = _number(cases, Verdict.UNMEASURED)
    parts = [f"{unmeasured:,} of {words.count(len(cases), kind)}"] if unmeasured else []
    unjudged = _number(decks, Verdict.UNMEASURED)
    if unjudged:
        of = "" if unjudged == len(decks) else f"{unjudged:,} of "
        parts.append(f"{of}{words.count(len(decks), deck)}")
    parts += [f"the gate {gate.name}" for gate in words.unmeasured_gates(gates)]
    return " and ".join(parts) or "the run ended before its time"
