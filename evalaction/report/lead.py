"""What to look at first, and what to do about it; what the run as a whole has to say. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from evalaction.forks import WARNINGS
from evalaction.records.draw import Cause
from evalaction.records.gate import Gate, GateName, Share, Verdict
from evalaction.records.report import CaseResult, DrawState, Report
from evalaction.report import remedies, words
from evalaction.report.findings import given_instead, is_wrong
from evalaction.report.misses import missed, misses
from evalaction.report.untrusted import Phrase, quoted


def lead(report: Report) -> Phrase:
    """Return what to look at first: the worst case in a sentence, then what was not drawn."""
    phrase = _first(report)
    if report.unaffected and (report.cases or report.decks or report.not_chosen):
        one = report.unaffected == 1
        drawn = "" if report.held is not None else f" and {'was' if one else 'were'} not drawn"
        phrase = (*phrase, f" {words.count(report.unaffected, 'case')} {'is' if one else 'are'} unaffected{drawn}.")
    if report.partial is not None:
        were = "was" if report.not_chosen == 1 else "were"
        left = f"; {words.count(report.not_chosen, 'affected case')} {were} left out" if report.not_chosen else ""
        phrase = (*phrase, " Chosen: ", quoted(report.partial), f"{left}.")
    return phrase


def next_step(report: Report) -> Phrase:
    """Return what to do about the case that the lead is about; empty when nothing is to be done."""
    if report.held is not None:
        return remedies.with_names(report.held.remedy)
    worst = _worst(report)
    if worst is None:
        return ()
    root = _root(worst, report) if worst.verdict is Verdict.UNMEASURED else None
    said = remedies.for_case(worst) if root is None else remedies.for_failure(root.failure)
    return () if said is None else remedies.with_names(remedies.sentence(said))


def not_independent(report: Report) -> list[Phrase]:
    """Return the cases whose draws may be one reply shown again, with what was seen."""
    return [
        (words.case_id(case), ": ", quoted(gate.detail, words.CAUSE))
        for case in report.cases
        if (gate := _repeated(case)) is not None
    ]


def not_looked_for(report: Report) -> list[Phrase]:
    """Return the gates of the run that were not measured, but for one that the lead tells of."""
    unmeasured = [gate for gate in report.gates if gate.verdict is Verdict.UNMEASURED]
    gates = [gate for gate in unmeasured if gate.warns or _worst(report) is not None]
    return [(f"the gate {gate.name}: ", quoted(gate.detail, words.CAUSE)) for gate in gates]


def missing_draws(report: Report) -> list[Phrase]:
    """Return why draws are missing, as the endpoint says it, once for each cause but the one in the lead."""
    if report.held is not None:
        return []
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


def warned(report: Report) -> list[Phrase]:
    """Return what of the manifest's notes is a warning, whatever was measured."""
    return [(note,) for note in report.manifest.notes if note in WARNINGS]


def notes(report: Report) -> list[str]:
    """Return the manifest's notes, but for warnings and those that are said as causes of missing draws."""
    failures = [graded.draw.failure for case in report.cases for graded in case.draws]
    told = {failure.message for failure in failures if failure is not None}
    return [note for note in report.manifest.notes if note not in told and note not in WARNINGS]


def _worst(report: Report) -> CaseResult | None:
    """Return the first case that failed, or else that could not be measured: cases stand in that order."""
    return next((case for case in report.cases if case.verdict is not Verdict.PASS), None)


def _first(report: Report) -> Phrase:
    if report.held is not None:
        calls = sum(case.planned.case.n for case in report.cases)
        takes = (f" Drawing would take {words.count(calls, 'call')}.",) if calls else ()
        return (*remedies.with_names(report.held.message), *takes)
    worst = _worst(report)
    if worst is not None and worst.verdict is Verdict.FAIL:
        return (words.case_id(worst), *_failure(worst, show=report.show_completions))
    if report.verdict is Verdict.FAIL:
        return ("No case fails: see what is checked differently, below.",)
    if worst is not None:
        return _nothing_came(worst, report)
    gates = words.unmeasured_gates(report.gates)
    if gates:
        detail = quoted(gates[0].detail, words.CAUSE)
        return (f"No case fails, but the gate {gates[0].name} could not be measured: ", detail, ".")
    return _passing(report.cases) if report.cases else _nothing_drawn(report)


def _nothing_drawn(report: Report) -> Phrase:
    if report.decks:
        return ("No case had to be drawn.",)
    if report.partial is not None:
        return ("None of the cases chosen is affected: nothing was drawn.",)
    return (
        f"No request, contract or sampling of {words.count(report.unaffected, 'case')} changed: nothing was drawn.",
    )


def _failure(case: CaseResult, *, show: bool) -> Phrase:
    gates = {gate.name: gate for gate in words.failing(case)}
    name = next((name for name in words.BY_WEIGHT if name in gates), None)
    contract = case.planned.case.contract
    if name is GateName.AGREEMENT and case.agreement is not None:
        met = _of(case, case.agreement, contract.agreement_min, "agrees", "agree")
        in_all = f" in {_came(case)}" if case.measured == case.planned.case.n else ""
        return (f" gave {_answers(case)}{in_all}: {met}",)
    if name is GateName.EXPECTED and case.expected is not None:
        return _not_expected(case, case.expected, show=show)
    if name is GateName.SCHEMA and case.schema is not None:
        return (f" has the asked form in {case.schema.count} of {_came(case)}.",)
    if name is GateName.LENGTH and case.length is not None:
        return (f" needs up to {case.length.max:,} completion tokens, and {case.length.budget or 0:,} are allowed.",)
    return (f" fails on {', '.join(map(words.gate_name, gates)) or 'a gate'}.",)


def _not_expected(case: CaseResult, share: Share, *, show: bool) -> Phrase:
    asked = case.planned.case.contract.expect_min
    if case.agreement is not None and case.agreement.count == share.of and is_wrong(case):
        met = _of(case, share, asked, "meets the expected value", "meet the expected value")
        return (f" gave one answer in all {words.count(share.of, 'draw')}, and it is wrong: {met}",)
    elsewhere, draws = misses(case), missed(case)
    gave = (" (", *given_instead(elsewhere, among=draws), ")") if show and elsewhere else ()
    met = _of(case, share, asked, "meets it", "meet it")
    return (f" misses the expected value in {words.draws(draws)}", *gave, f": {met}")


def _came(case: CaseResult) -> str:
    n = case.planned.case.n
    return words.count(n, "draw") if case.measured == n else f"the {words.count(case.measured, 'draw')} that came"


def _of(case: CaseResult, share: Share, asked: Fraction, does: str, do: str) -> str:
    """Return ``4 of 5 agree, 5 are needed.``, of the draws that came: a missing one has done nothing wrong."""
    needed = words.needed(asked, share.of)
    if case.measured == share.of:
        return f"{share.count} of {share.of} {do}, {needed.count} are needed."
    verb = does if case.measured == 1 else do
    return f"{share.count} of {_came(case)} {verb}, {needed.count} of {needed.of} are needed."


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


def _passing(cases: Sequence[CaseResult]) -> Phrase:
    flipping = sorted((case for case in cases if case.flipping), key=_agreement)
    drawn = sum(case.planned.case.n for case in cases)
    if not flipping:
        repeated = sum(_repeated(case) is not None for case in cases)
        but = f", but draws of {words.count(repeated, 'case')} may be one reply shown again" if repeated else ""
        return (f"No answer moved in {words.count(drawn, 'draw')} of {words.count(len(cases), 'case')}{but}.",)
    verb = "still flips" if len(flipping) == 1 else "still flip"
    who = f"{len(flipping):,} of {len(cases):,} passing cases" if len(cases) > 1 else "The passing case"
    return (f"{who} {verb}: ", words.case_id(flipping[0]), f", {flipping[0].agreement} agree.")


def _repeated(case: CaseResult) -> Gate | None:
    gates = (gate for gate in case.gates if gate.name is GateName.INDEPENDENCE)
    return next((gate for gate in gates if gate.verdict is Verdict.FAIL), None)


def _agreement(case: CaseResult) -> float:
    return float(case.agreement.fraction) if case.agreement else 0.0
