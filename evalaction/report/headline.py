"""The verdict in one line, and what to look at first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from evalaction.records.draw import Cause
from evalaction.records.plan import PlannedDeck, Reason
from evalaction.records.report import CaseResult, DrawState, Gate, GateName, Report, Share, Verdict
from evalaction.report import words
from evalaction.report.findings import advice
from evalaction.report.untrusted import Phrase, quoted

PRODUCT = "evalaction"


def headline(
    *,
    verdict: Verdict,
    cases: Sequence[CaseResult],
    decks: Sequence[PlannedDeck] = (),
    gates: Sequence[Gate] = (),
    partial: str | None = None,
    interrupted: bool = False,
) -> str:
    """Return the verdict in one line of our own words, as a notification shows it.

    Args:
        verdict: that of the run.
        cases: what was drawn, in any order.
        decks: affected decks, which could not be judged.
        gates: gates of the run as a whole.
        partial: what the run was narrowed to; None for the whole suite.
        interrupted: the run was stopped from outside before its end.
    """
    kind = _kind(cases, partial)
    if verdict is Verdict.FAIL:
        parts = _failing(cases, kind, decks, gates)
    elif verdict is Verdict.UNMEASURED:
        parts = [f"could not be measured: {_unmeasured(cases, kind, decks)}"]
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
    if report.unaffected and (report.cases or report.decks or report.not_chosen):
        were = "is unaffected and was" if report.unaffected == 1 else "are unaffected and were"
        phrase = (*phrase, f" {words.count(report.unaffected, 'case')} {were} not drawn.")
    if report.partial is not None:
        were = "was" if report.not_chosen == 1 else "were"
        left = f"; {words.count(report.not_chosen, 'affected case')} {were} left out" if report.not_chosen else ""
        phrase = (*phrase, " Chosen: ", quoted(report.partial), f"{left}.")
    return phrase


def next_step(report: Report) -> Phrase:
    """Return what to do about the case that the lead is about; empty when nothing is to be done."""
    worst = _worst(report)
    said = None if worst is None else advice(worst, show=report.show_completions)
    return () if said is None else (f"{said[0].upper()}{said[1:]}.",)


def _worst(report: Report) -> CaseResult | None:
    """Return the first case that failed, or else that could not be measured: cases stand in that order."""
    return next((case for case in report.cases if case.verdict is not Verdict.PASS), None)


def _first(report: Report) -> Phrase:
    worst = _worst(report)
    if worst is not None and worst.verdict is Verdict.FAIL:
        return (words.case_id(worst), *_failure(worst))
    if report.verdict is Verdict.FAIL:
        return ("No case fails: see what is checked differently, below.",)
    if worst is not None:
        return _nothing_came(worst, report)
    return _passing(report.cases) if report.cases else _nothing_drawn(report)


def _nothing_drawn(report: Report) -> Phrase:
    if report.decks:
        return ("No case had to be drawn.",)
    if report.partial is not None:
        return ("None of the cases chosen is affected: nothing was drawn.",)
    return (
        f"No request, contract or sampling of {words.count(report.unaffected, 'case')} changed: nothing was drawn.",
    )


def _failure(case: CaseResult) -> Phrase:
    gates = {gate.name: gate for gate in words.failing(case)}
    name = next((name for name in words.BY_WEIGHT if name in gates), None)
    contract, n = case.planned.case.contract, case.planned.case.n
    if name is GateName.AGREEMENT and case.agreement is not None:
        return (f" gave {_answers(case)} in {words.count(n, 'draw')}: {_of(case.agreement, contract.agreement_min)}",)
    if name is GateName.EXPECTED and case.expected is not None:
        met = _of(case.expected, contract.expect_min, "meet the expected value")
        if case.agreement is not None and case.agreement.count == n:
            return (f" gave one answer in all {words.count(n, 'draw')}, and it is wrong: {met}",)
        return (f" gave wrong answers: {met}",)
    if name is GateName.SCHEMA and case.schema is not None:
        return (f" has the asked form in {case.schema.count} of {words.count(case.schema.of, 'draw')}.",)
    if name is GateName.LENGTH and case.length is not None:
        return (f" needs up to {case.length.max:,} completion tokens, and {case.length.budget or 0:,} are allowed.",)
    return (f" fails on {', '.join(gates) or 'a gate'}.",)


def _of(share: Share, asked: Fraction, do: str = "agree") -> str:
    return f"{share.count} of {share.of} {do}, {words.needed(asked, share.of).count} are needed."


def _answers(case: CaseResult) -> str:
    unreadable = sum(draw.state is DrawState.UNREADABLE for draw in case.draws)
    parts = [words.count(len(case.modes), "answer")] if case.modes or not unreadable else []
    if unreadable:
        parts.append(words.count(unreadable, "unreadable draw"))
    return " and ".join(parts)


def _nothing_came(case: CaseResult, report: Report) -> Phrase:
    root = _root(case, report)
    came = f" got {case.measured} of {words.count(case.planned.case.n, 'draw')}"
    if root is None:
        return (words.case_id(case), f"{came} and could not be measured.")
    return (words.case_id(case), f"{came}: ", *_cause(root, show=report.show_completions))


def _root(case: CaseResult, report: Report) -> words.Group | None:
    """Return why draws of a case are missing: what ended the run, for those that were not sent any more."""
    own = words.missing([case])
    if own and own[0].failure.cause is not Cause.STOPPED:
        return own[0]
    return next(iter(words.missing(report.cases)), None)


def _cause(group: words.Group, *, show: bool) -> Phrase:
    said = group.failure.message.removesuffix(".")
    return (words.cause(group.failure), *((": ", quoted(said, words.CAUSE)) if show and said else ()), ".")


def missing_draws(report: Report) -> list[Phrase]:
    """Return why draws are missing, as the endpoint says it, once for each cause but the one in the lead."""
    worst, groups = _worst(report), words.missing(report.cases)
    told = _root(worst, report) if worst is not None and worst.verdict is Verdict.UNMEASURED else None
    # That the run had ended says nothing where the end's own cause stands beside it.
    ended = [group for group in groups if group.failure.cause is not Cause.STOPPED]
    return [
        (
            f"{words.count(len(group.draws), 'draw')} of {words.count(group.cases, 'case')} missing, ",
            *_cause(group, show=True),
        )
        for group in ended or groups
        if report.show_completions and (told is None or group.failure != told.failure)
    ]


def notes(report: Report) -> list[str]:
    """Return the manifest's notes, but for those that are said as causes of missing draws."""
    told = {group.failure.message for group in words.missing(report.cases)}
    return [note for note in report.manifest.notes if note not in told]


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
