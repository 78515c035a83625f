"""What to look at first, and what to do about it; what the run as a whole has to say. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.forks import WARNINGS
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import GateName, Verdict
from evalaction.records.judge import Unjudged
from evalaction.records.report import CaseResult, Report
from evalaction.report import case_sentence, failures, fresh, remedies, roots, words
from evalaction.report.decks import remedies as deck_remedies
from evalaction.report.decks import words as deck_words
from evalaction.report.untrusted import Phrase, Quoted, quoted


def lead(report: Report) -> Phrase:
    """Return what to look at first: the worst case in a sentence, then what was not drawn."""
    phrase = _first(report)
    if (
        report.unaffected
        and not words.decks_alone(report.partial)
        and (report.cases or report.decks or report.not_chosen)
    ):
        one = report.unaffected == 1
        drawn = "" if report.held is not None else f" and {'was' if one else 'were'} not drawn"
        phrase = (*phrase, f" {words.count(report.unaffected, 'case')} {'is' if one else 'are'} unaffected{drawn}.")
    if words.decks_alone(report.partial):
        # Which cases are affected was not asked.
        return (*phrase, " No case was drawn.") if report.manifest.items else phrase
    if report.partial is not None:
        were = "was" if report.not_chosen == 1 else "were"
        left = f"; {words.count(report.not_chosen, 'affected case')} {were} left out" if report.not_chosen else ""
        phrase = (*phrase, " Chosen: ", quoted(report.partial), f"{left}.")
    return phrase


def next_step(report: Report) -> Phrase:
    """Return what to do about what the lead is about; empty when nothing is to be done."""
    if report.held is not None:
        return remedies.with_names(report.held.remedy)
    case, deck = _subjects(report)
    root = roots.of_case(case, report) if case is not None and case.verdict is Verdict.UNMEASURED else None
    said = () if deck is None else deck_remedies.for_deck(deck, roots.of_deck(deck, report))
    if case is None:
        return remedies.as_sentence(said)
    own = remedies.for_case(case) if root is None else remedies.for_missing(case, root.failure, judge=root.judge)
    if said and own == remedies.JUDGE_FIRST:
        # Whoever is told to mend the judge first is told how.
        return remedies.as_sentence((f"{own}: ", *said))
    first, other = remedies.with_names(own or ""), ("for the judge, ", *said) if said else ()
    return (*remedies.as_sentence(first), *((" ",) if first and said else ()), *remedies.as_sentence(other))


def not_independent(report: Report) -> list[Phrase]:
    """Return the cases and decks whose draws may not be fresh, with what was seen, where the lead does not say it."""
    told = [subject for subject in _subjects(report) if subject is not None and fresh.is_cause(subject)]
    every: list[fresh.Subject] = [*report.cases, *report.decks]
    doubted = [each for each in every if fresh.gate_of(each) is not None]
    return [
        (_named(each), ": ", *fresh.seen(each, show=report.show_completions))
        for each in doubted
        if not any(each is one for one in told)
    ]


def _named(subject: fresh.Subject) -> Quoted:
    return deck_words.name(subject) if isinstance(subject, DeckResult) else words.case_id(subject)


def failed_probes(report: Report) -> list[Phrase]:
    """Return the decks whose judge fails a probe that only warns, with what it did."""
    return [
        (
            "the judge of ",
            deck_words.name(deck),
            ", ",
            *deck_words.probe_phrase(failed[0]),
            *([f"; {words.count(len(failed) - 1, 'more probe')} failed"] if len(failed) > 1 else []),
        )
        for deck in report.decks
        if GateName.JUDGE_PROBE in deck_words.warning(deck)
        if (failed := [probe for probe in deck.probes if deck_words.is_failed(probe)])
    ]


def not_looked_for(report: Report) -> list[Phrase]:
    """Return the gates of the run that were not measured, but for one that the lead tells of."""
    unmeasured = [gate for gate in report.gates if gate.verdict is Verdict.UNMEASURED]
    told = _subjects(report) == (None, None)
    gates = [gate for gate in unmeasured if gate.warns or not told]
    return [(f"the gate {gate.name}: ", quoted(gate.detail, words.CAUSE)) for gate in gates]


def missing_draws(report: Report) -> list[Phrase]:
    """Return why draws and judges' replies are missing, once for each cause but the one in the lead."""
    if report.held is not None:
        return []
    told = _told(report)
    cases, decks = words.missing(report.cases), deck_words.missing(report.decks)
    some: list[tuple[str, words.Group | deck_words.Unanswered]] = [
        *(
            (f"{words.count(len(each.draws), 'draw')} of {words.count(each.cases, 'case')} missing, ", each)
            for each in cases
        ),
        *(
            (f"{words.count(each.requests, 'request')} about {words.count(each.decks, 'deck')} not answered, ", each)
            for each in decks
        ),
    ]
    # That the run had ended says nothing where the end's own cause stands beside it.
    ended = any(group.failure.cause is not Cause.STOPPED for _, group in some)
    return [
        (what, *_cause(group, show=True))
        for what, group in some
        if not (ended and group.failure.cause is Cause.STOPPED) and group.failure != told
        if report.show_completions or failures.is_ours(group.failure)
    ]


def _told(report: Report) -> Failure | None:
    """Return the cause that the lead tells of."""
    case, deck = _subjects(report)
    if case is not None and case.verdict is Verdict.UNMEASURED:
        root = roots.of_case(case, report)
    elif deck is not None and deck.verdict is Verdict.UNMEASURED:
        root = roots.of_deck(deck, report)
    else:
        root = None
    return None if root is None else root.failure


def warned(report: Report) -> list[Phrase]:
    """Return what of the manifest's notes is a warning, whatever was measured."""
    return [(note,) for note in report.manifest.notes if note in WARNINGS]


def notes(report: Report) -> list[str]:
    """Return the manifest's notes and what was left out, but for warnings and what is said as a cause elsewhere."""
    some = [case for case in report.cases if case.measured < len(case.draws)]
    failures = [graded.draw.failure for case in some for graded in case.draws]
    outcomes = [outcome for deck in report.decks for outcome in (*deck.outcomes, *deck.further)]
    failures += [outcome.draw.failure for outcome in outcomes if isinstance(outcome, Unjudged)]
    told = {failure.message for failure in failures if failure is not None} | set(WARNINGS)
    return [note for note in report.manifest.notes if note not in told]


def _subjects(report: Report) -> tuple[CaseResult | None, DeckResult | None]:
    """Return the case and the deck that the lead is about: both only where both fail."""
    case = next((case for case in report.cases if case.verdict is not Verdict.PASS), None)
    deck = next((deck for deck in report.decks if deck.verdict is not Verdict.PASS), None)
    case_fails = case is not None and case.verdict is Verdict.FAIL
    deck_fails = deck is not None and deck.verdict is Verdict.FAIL
    if case_fails:
        return case, deck if deck_fails else None
    return (None, deck) if deck_fails or case is None else (case, None)


def _first(report: Report) -> Phrase:
    if report.held is not None:
        calls = sum(map(_calls, report.cases)) + sum(len(deck.outcomes) + len(deck.further) for deck in report.decks)
        takes = (f" Drawing would take {words.count(calls, 'call')}.",) if calls else ()
        return (*remedies.with_names(report.held.message), *takes)
    case, deck = _subjects(report)
    fails = any(subject is not None and subject.verdict is Verdict.FAIL for subject in (case, deck))
    if report.verdict is Verdict.FAIL and not fails:
        what = "Neither a case nor a judge fails" if report.decks else "No case fails"
        return (f"{what}: see what is checked differently, below.",)
    if case is None and deck is None:
        return _holds(report)
    return _sentences(
        () if case is None else _about(case, report),
        () if deck is None else _about_deck(deck, report),
    )


def _sentences(*phrases: Phrase) -> Phrase:
    first, *others = [phrase for phrase in phrases if phrase]
    return (*first, *(part for phrase in others for part in (" ", *phrase)))


def _about_deck(deck: DeckResult, report: Report) -> Phrase:
    show, root = report.show_completions, roots.of_deck(deck, report)
    return deck_words.sentence(deck, show=show, because=() if root is None else root.told(show=show))


def _about(case: CaseResult, report: Report) -> Phrase:
    if case.verdict is Verdict.FAIL:
        return (words.case_id(case), *case_sentence.failure(case, show=report.show_completions))
    return _nothing_came(case, report)


def _holds(report: Report) -> Phrase:
    """Return what to know of a run in which no case and no deck needs a look."""
    gates = words.unmeasured_gates(report.gates)
    if gates:
        detail = quoted(gates[0].detail, words.CAUSE)
        return (f"No case fails, but the gate {gates[0].name} could not be measured: ", detail, ".")
    if not report.cases and not report.decks:
        return _nothing_drawn(report)
    cases = _passing(report.cases) if report.cases else ()
    return _sentences(cases, deck_words.holds(report.decks) if report.decks else ())


def _calls(case: CaseResult) -> int:
    asked = case.planned.case
    judge = asked.contract.judge
    return asked.requests + (0 if judge is None else asked.n * judge.repeats)


def _nothing_drawn(report: Report) -> Phrase:
    if report.partial is not None:
        return ("None of the cases chosen is affected: nothing was drawn.",)
    decks = sum(each.deck is not None for each in report.stubs)
    judged = f"rubric, fixture or sampling of {words.count(decks, 'deck')}"
    if not report.manifest.items and decks:
        return (f"No {judged} changed: no judge was asked.",)
    also = f", and no {judged}" if decks else ""
    drawn = f"No request, contract or sampling of {words.count(report.unaffected, 'case')}"
    return (f"{drawn}{also} changed: nothing was drawn.",)


def _nothing_came(case: CaseResult, report: Report) -> Phrase:
    if fresh.is_cause(case):
        return (words.case_id(case), " could not be measured: ", *fresh.seen(case, show=report.show_completions), ".")
    root = roots.of_case(case, report)
    came = f" got {case.measured} of {words.count(case.planned.case.n, 'draw')}"
    if root is None:
        return (words.case_id(case), f"{came} and could not be measured.")
    return (words.case_id(case), f"{came}: ", *root.told(show=report.show_completions))


def _cause(group: words.Group | deck_words.Unanswered, *, show: bool) -> Phrase:
    said = group.failure.message.removesuffix(".")
    return (group.cause, *((": ", quoted(said, words.CAUSE)) if show and said else ()), ".")


def _passing(cases: Sequence[CaseResult]) -> Phrase:
    flipping = sorted((case for case in cases if case.flipping), key=_agreement)
    drawn = sum(case.measured for case in cases)
    if not flipping:
        doubted = sum(fresh.gate_of(case) is not None for case in cases)
        but = f", but those of {words.count(doubted, 'case')} may not be fresh" if doubted else ""
        return (f"No answer moved in {words.count(drawn, 'draw')} of {words.count(len(cases), 'case')}{but}.",)
    verb = "still flips" if len(flipping) == 1 else "still flip"
    who = f"{len(flipping):,} of {len(cases):,} passing cases" if len(cases) > 1 else "The passing case"
    return (f"{who} {verb}: ", words.case_id(flipping[0]), f", {flipping[0].agreement} agree.")


def _agreement(case: CaseResult) -> float:
    return float(case.agreement.fraction) if case.agreement else 0.0
