"""What a stored report as a whole has to add up to: its cases, its decks, its calls. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Draw
from evalaction.records.gate import Verdict
from evalaction.records.judge import Outcome
from evalaction.records.manifest import Calls
from evalaction.records.report import CaseResult, Report
from evalaction.report.answered import answered_by
from evalaction.report.stored.pieces import Unfit
from evalaction.report.tally import Tally, came, tally

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
    made = tally(report.cases, report.decks)
    _check_calls(report, made)
    _check_names(report, made)


def _check_stubs(report: Report) -> None:
    scores = {each.deck: each.scores for each in report.stubs}
    for result in report.decks:
        k, deck = len(result.planned.deck.fixtures), scores[result.planned.deck.name]
        if (deck.positional.of, deck.gold.of) != (k, k * len(result.outcomes)):
            raise Unfit("the stubs of a deck ran over other requests than its judge was asked")


def _check_calls(report: Report, made: Tally) -> None:
    cases, said = report.cases, report.manifest.calls
    asked = asked_of_judges(cases, report.decks)
    of_judges = [draw for outcome in asked for draw in outcome.draws if draw.replay_of is None]
    alone = [draw for case in cases if not _is_shared(case) for draw in _fresh(case)]
    exact = Calls(
        planned=_planned(report),
        made=sum(draw.tries for draw in (*alone, *of_judges)),
        retried=sum(max(draw.tries - 1, 0) for draw in (*alone, *of_judges)),
        judge=sum(draw.tries for draw in of_judges),
        repaired=sum(_is_repaired(outcome) for outcome in asked),
        draws=made.draws,
        answered=made.answered,
    )
    # What is left is of requests that several draws may have come of.
    rest = replace(
        said,
        made=said.made - exact.made,
        retried=said.retried - exact.retried,
        answered=exact.answered - said.answered,
    )
    same = replace(said, made=exact.made, retried=exact.retried, answered=exact.answered) == exact
    if not same or not _may_be_shared(rest, [case for case in cases if _is_shared(case)]):
        raise Unfit("its calls are not as many as it says")
    # The text of a draw that its judge was not asked about, or its command not run on, came, too.
    of_cases = [graded.draw for case in cases for graded in case.draws if came(graded)]
    measured = (*of_cases, *(draw for draw in of_judges if draw.reply))
    if not all(draw.tries for draw in measured if draw.replay_of is None):
        raise Unfit("something was measured in it without a call")


def _may_be_shared(rest: Calls, cases: Sequence[CaseResult]) -> bool:
    """Return whether so many requests may have brought the draws of cases that ask for several in one.

    Which draws came of one request is not to be seen. But each response has one first choice, and no draw has fewer
    tries than its request; which choice a draw was that could not be graded is not in the file.

    Args:
        rest: of the requests that are sent for these cases: those made and retried, and by how many fewer than one
            for each first choice, and each draw that could not be graded, were answered.
        cases: the cases.
    """
    draws = [draw for case in cases for draw in _fresh(case)]
    firsts = sum(draw.reply is not None and draw.reply.choice == 0 for draw in draws)
    ungraded = sum(graded.ungraded is not None for case in cases for graded in case.draws)
    return (
        firsts <= rest.made <= sum(draw.tries for draw in draws)
        and 0 <= rest.retried <= sum(max(draw.tries - 1, 0) for draw in draws)
        and 0 <= rest.answered <= ungraded
    )


def _is_shared(case: CaseResult) -> bool:
    """Return whether one request may have brought several draws of a case."""
    return case.planned.case.sampling.samples_per_request > 1


def _fresh(case: CaseResult) -> Iterator[Draw]:
    return (graded.draw for graded in case.draws if graded.draw.replay_of is None)


def _is_repaired(outcome: Outcome) -> bool:
    """Return whether a judge was asked once more in this run."""
    last = outcome.draws[-1]
    return len(outcome.draws) > 1 and last.tries > 0 and last.replay_of is None


def _check_names(report: Report, made: Tally) -> None:
    """Check who is said to have answered, and what to have been read from a ledger."""
    begun = {each.run: each.began for each in report.manifest.replays if each.began is not None}
    if report.manifest.replays != made.replays(begun=begun):
        raise Unfit("what it says was read from a ledger is not what its draws say")
    if report.manifest.answered_by != answered_by(made):
        raise Unfit("those who answered are not those that its draws name")


def _planned(report: Report) -> int:
    """Return the requests that are needed when none is repeated: see ``Plan.calls``."""
    cases = [result.planned.case for result in report.cases if result.planned.blocked is None]
    repeats = {case.key: 0 if case.contract.judge is None else case.contract.judge.repeats for case in cases}
    of_cases = sum(case.requests + case.n * repeats[case.key] for case in cases)
    return of_cases + sum(len(deck.planned.exam.all_requests) for deck in report.decks)
