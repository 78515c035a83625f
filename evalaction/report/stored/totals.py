"""What a stored report as a whole has to add up to: its cases, its decks, its calls. Pure."""

from __future__ import annotations

from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import Verdict
from evalaction.records.judge import Outcome
from evalaction.records.report import Calls, CaseResult, Report
from evalaction.report.stored.pieces import Unfit

_ORDER = (Verdict.FAIL, Verdict.UNMEASURED, Verdict.PASS)


def asked_of_judges(cases: tuple[CaseResult, ...], decks: tuple[DeckResult, ...]) -> list[Outcome]:
    """Return what came of every request to a judge."""
    of_decks = [outcome for deck in decks for outcome in (*deck.outcomes, *deck.further)]
    return [*of_decks, *(opinion for case in cases for graded in case.draws for opinion in graded.opinions)]


def check_totals(report: Report) -> None:
    """Check what the document as a whole has to add up to.

    Raises:
        Unfit: it does not.
    """
    if len({case.planned.case.key for case in report.cases}) != len(report.cases):
        raise Unfit("a case stands in it twice")
    if len({result.planned.deck.name for result in report.decks}) != len(report.decks):
        raise Unfit("a deck stands in it twice")
    for what, results in (("cases", report.cases), ("decks", report.decks)):
        verdicts = [result.verdict for result in results]
        if verdicts != sorted(verdicts, key=_ORDER.index):
            raise Unfit(f"its {what} are not in the order of their verdicts")
    if len(report.cases) + report.unaffected + report.not_chosen != report.manifest.items:
        raise Unfit("its cases are not as many as it says")
    _check_stubs(report)
    _check_calls(report)


def _check_stubs(report: Report) -> None:
    scores = {each.deck: each.scores for each in report.stubs}
    for result in report.decks:
        k, deck = len(result.planned.deck.fixtures), scores[result.planned.deck.name]
        if (deck.positional.of, deck.gold.of) != (k, k * len(result.outcomes)):
            raise Unfit("the stubs of a deck ran over other requests than its judge was asked")


def _check_calls(report: Report) -> None:
    asked = asked_of_judges(report.cases, report.decks)
    of_judges = [draw for outcome in asked for draw in outcome.draws]
    of_cases = [graded.draw for case in report.cases for graded in case.draws]
    calls = Calls(
        planned=_planned(report),
        made=sum(draw.tries for draw in (*of_cases, *of_judges)),
        retried=sum(max(draw.tries - 1, 0) for draw in (*of_cases, *of_judges)),
        judge=sum(draw.tries for draw in of_judges),
        repaired=sum(len(outcome.draws) > 1 and outcome.draws[1].tries > 0 for outcome in asked),
    )
    if calls != report.manifest.calls:
        raise Unfit("its calls are not as many as it says")
    # The text of a draw that its judge was not asked about, or its command not run on, came, too.
    came = [
        graded.draw
        for case in report.cases
        for graded in case.draws
        if graded.draw.reply or graded.opinions or graded.ungraded is not None
    ]
    if not all(draw.tries for draw in (*came, *(draw for draw in of_judges if draw.reply))):
        raise Unfit("something was measured in it without a call")


def _planned(report: Report) -> int:
    """Return the requests that are needed when none is repeated: see ``Plan.calls``."""
    cases = [result.planned.case for result in report.cases if result.planned.blocked is None]
    repeats = {case.key: 0 if case.contract.judge is None else case.contract.judge.repeats for case in cases}
    of_cases = sum(case.n * (1 + repeats[case.key]) for case in cases)
    return of_cases + sum(len(deck.planned.exam.all_requests) for deck in report.decks)
