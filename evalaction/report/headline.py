"""The verdict in one line, and what to look at first. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.records.plan import PlannedDeck, Reason
from evalaction.records.report import CaseResult, DrawState, Gate, GateName, Report, Verdict
from evalaction.report import words
from evalaction.report.untrusted import Phrase, quoted

PRODUCT = "evalaction"

_FIRST = (GateName.AGREEMENT, GateName.EXPECTED, GateName.SCHEMA, GateName.LENGTH, GateName.INDEPENDENCE)


def headline(
    *,
    verdict: Verdict,
    cases: Sequence[CaseResult],
    decks: Sequence[PlannedDeck] = (),
    gates: Sequence[Gate] = (),
    partial: str | None = None,
) -> str:
    """Return the verdict in one line of our own words, as a notification shows it.

    Args:
        verdict: that of the run.
        cases: what was drawn, in any order.
        decks: affected decks, which could not be judged.
        gates: gates of the run as a whole.
        partial: what the run was narrowed to; None for the whole suite.
    """
    kind = _kind(cases, partial)
    parts = []
    if verdict is Verdict.FAIL:
        parts = _failing(cases, kind, decks, gates)
    elif verdict is Verdict.UNMEASURED:
        parts = [f"could not be measured: {_unmeasured(cases, kind, decks)}"]
    elif not cases:
        parts = [f"nothing affected{' among the cases chosen' if partial else ''}"]
    else:
        parts = [f"the {kind} passes" if len(cases) == 1 else f"all {len(cases):,} {kind}s pass"]
    loosened = any(gate.name is GateName.CONTRACT and gate.verdict is Verdict.FAIL and gate.warns for gate in gates)
    if loosened:
        parts.append(
            "but what is checked has changed" if verdict is Verdict.PASS else "and what is checked has changed"
        )
    return f"{PRODUCT}: {', '.join(parts)}"


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
    if failed:
        verb = "fails" if failed == 1 else "fail"
        parts.append(f"{failed:,} of {words.count(len(cases), kind)} {verb}")
    names = [gate.name for gate in gates if gate.verdict is Verdict.FAIL and not gate.warns]
    if names:
        parts.append(f"the gate {' and the gate '.join(names)} fails" if len(names) == 1 else "gates of the run fail")
    if unmeasured:
        parts.append(f"{unmeasured:,} could not be measured")
    if decks:
        parts.append(f"{words.count(len(decks), 'deck')} could not be judged")
    return parts or ["a gate fails"]


def _unmeasured(cases: Sequence[CaseResult], kind: str, decks: Sequence[PlannedDeck]) -> str:
    unmeasured = _number(cases, Verdict.UNMEASURED)
    parts = [f"{unmeasured:,} of {words.count(len(cases), kind)}"] if unmeasured else []
    if decks:
        parts.append(words.count(len(decks), "affected deck"))
    return " and ".join(parts) or "the run ended before its time"


def lead(report: Report) -> Phrase:
    """Return what to look at first: the worst case in a sentence, then what was not drawn."""
    phrase = _first(report)
    if report.unaffected:
        were = "is unaffected and was" if report.unaffected == 1 else "are unaffected and were"
        phrase = (*phrase, f" {words.count(report.unaffected, 'case')} {were} not drawn.")
    if report.not_chosen:
        were = "was" if report.not_chosen == 1 else "were"
        phrase = (*phrase, f" {words.count(report.not_chosen, 'affected case')} {were} left out by the choice.")
    return phrase


def _first(report: Report) -> Phrase:
    failed, unmeasured = (
        next((case for case in report.cases if case.verdict is outcome), None)
        for outcome in (Verdict.FAIL, Verdict.UNMEASURED)
    )
    if failed is not None:
        return (words.case_id(failed), *_failure(failed))
    if report.verdict is Verdict.FAIL:
        return ("No case fails: see what is checked differently, below.",)
    if unmeasured is not None:
        return _nothing_came(unmeasured, show=report.show_completions)
    if report.cases:
        return _passing(report.cases)
    if report.decks:
        return ("No case had to be drawn, and this version cannot judge decks.",)
    return ("No request, contract or sampling changed, so nothing was drawn.",)


def _failure(case: CaseResult) -> Phrase:
    gates = {gate.name: gate for gate in words.failing(case)}
    name = next((name for name in _FIRST if name in gates), None)
    contract, n = case.planned.case.contract, case.planned.case.n
    if name is GateName.AGREEMENT and case.agreement is not None:
        asked = words.needed(contract.agreement_min, n)
        return (f" gave {_answers(case)} in {words.count(n, 'draw')}: {case.agreement} agree, {asked} asked for.",)
    if name is GateName.EXPECTED and case.expected is not None:
        asked = words.needed(contract.expect_min, n)
        steady = (
            f"gives one answer in {case.agreement} draws, and it is wrong" if _steady(case) else "gives wrong answers"
        )
        return (f" {steady}: {case.expected} meet the expected value, {asked} asked for.",)
    if name is GateName.SCHEMA and case.schema is not None:
        return (f" has the asked form in {case.schema} draws.",)
    if name is GateName.LENGTH and case.length is not None:
        return (f" needs up to {case.length.max:,} completion tokens, and {case.length.budget or 0:,} are allowed.",)
    if name is GateName.INDEPENDENCE:
        return (" has two draws that are one reply shown twice.",)
    return (f" fails on {', '.join(gates) or 'a gate'}.",)


def _answers(case: CaseResult) -> str:
    unreadable = sum(draw.state is DrawState.UNREADABLE for draw in case.draws)
    parts = [words.count(len(case.modes), "answer")] if case.modes or not unreadable else []
    if unreadable:
        parts.append(words.count(unreadable, "unreadable draw"))
    return " and ".join(parts)


def _steady(case: CaseResult) -> bool:
    return case.agreement is not None and case.agreement.count == case.agreement.of


def _nothing_came(case: CaseResult, *, show: bool) -> Phrase:
    groups = words.missing(case)
    came = f" got {case.measured} of {words.count(case.planned.case.n, 'draw')}"
    if not groups:
        return (words.case_id(case), f"{came} and could not be measured.")
    failure = groups[0].failure
    message = (": ", quoted(failure.message.removesuffix("."), words.CAUSE)) if show else ()
    return (words.case_id(case), f"{came}, {words.cause(failure)}", *message, ".")


def _passing(cases: Sequence[CaseResult]) -> Phrase:
    flipping = sorted((case for case in cases if case.flipping), key=_agreement)
    drawn = sum(case.planned.case.n for case in cases)
    if not flipping:
        return (f"No answer moved in {words.count(drawn, 'draw')} of {words.count(len(cases), 'case')}.",)
    verb = "still flips" if len(flipping) == 1 else "still flip"
    worst = (words.case_id(flipping[0]), f", {flipping[0].agreement} agree")
    return (f"{len(flipping):,} of {words.count(len(cases), 'passing case')} {verb}: ", *worst, ".")


def _agreement(case: CaseResult) -> float:
    return float(case.agreement.fraction) if case.agreement else 0.0
