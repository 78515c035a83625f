"""What kept draws and judges' replies from coming: where the run had ended, what ended it. Pure."""

from __future__ import annotations

from dataclasses import replace

from evalaction.frozen import frozen
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause, Failure
from evalaction.records.report import CaseResult, Report
from evalaction.report import failures, fresh, words
from evalaction.report.decks import words as deck_words
from evalaction.report.untrusted import Phrase, quoted


@frozen
class Root:
    """A cause to which something is to be done."""

    failure: Failure
    """Of the first request that it kept from being answered."""
    judge: bool
    """It was a judge that was asked."""
    whose: str = ""
    """Whose requests it kept from being answered, where those are not the subject's own."""

    @property
    def cause(self) -> str:
        """Why, in our own words."""
        return f"{failures.cause(self.failure)}{self.whose}"

    @property
    def key(self) -> tuple[object, ...]:
        """What is the same for all that is missing for this reason."""
        return (self.failure.cause, failures.status(self.failure), self.judge)

    def told(self, *, show: bool) -> Phrase:
        """Return the cause as the end of a sentence.

        Args:
            show: whether what an endpoint said may be shown.
        """
        said = self.failure.message.removesuffix(".")
        return (
            self.cause,
            *((": ", quoted(said, words.CAUSE)) if (show or failures.is_ours(self.failure)) and said else ()),
            ".",
        )


def of_case(case: CaseResult, report: Report) -> Root | None:
    """Return why draws of a case are missing; None where none is, or that is not why it is unmeasured."""
    group = next(iter(words.missing([case])), None)
    if group is None or fresh.is_cause(case):
        return None
    root = _root(group.failure, report, judge=group.judge)
    return replace(root, whose=" (judge)") if root.judge else root


def of_deck(deck: DeckResult, report: Report) -> Root | None:
    """Return why requests about a deck were not answered; None where all were, or that is not why it is unmeasured."""
    group = next(iter(deck_words.missing([deck])), None)
    if group is None or fresh.is_cause(deck):
        return None
    root = _root(group.failure, report, judge=True)
    return root if root.judge else replace(root, whose=" (draws), so that no judge was asked")


def _root(failure: Failure, report: Report, *, judge: bool) -> Root:
    """Return what ended the run, for what was not sent any more; otherwise the failure itself."""
    own = Root(failure=failure, judge=judge)
    if failure.cause is not Cause.STOPPED:
        return own
    ends = [Root(failure=group.failure, judge=group.judge) for group in words.missing(report.cases)]
    ends += [Root(failure=group.failure, judge=True) for group in deck_words.missing(report.decks)]
    some = [end for end in ends if end.failure.cause is not Cause.STOPPED]
    by = failures.ended_by(failure)
    return next((end for end in some if by == failures.cause(end.failure)), next(iter(some), own))
