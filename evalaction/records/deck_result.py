"""What a judge is worth: on a deck, and as the grader of a case."""

from __future__ import annotations

from evalaction.frozen import frozen
from evalaction.records.deck import ProbeKind
from evalaction.records.gate import Gate, Share, Verdict
from evalaction.records.judge import DeckScore, Judged, OrderEffect, Outcome
from evalaction.records.plan import PlannedDeck


@frozen
class WordingScore:
    """What a judge said under another wording of the rubric, against what it said under the deck's own."""

    path: str
    """File of that wording."""
    flips: Share | None
    """Fixtures whose label differs in some order between the two wordings, of all; None while no order was answered
    under both. A missing label is like no other.
    """
    gold: Share | None
    """Labels that are the right one under that wording, of all labels asked for; None when nothing came."""
    labels: tuple[tuple[str | None, ...], ...]
    """By fixture of the deck, then by request that was answered; None for no label."""
    asked: int
    """Requests of that wording."""

    @property
    def answered(self) -> int:
        """Requests of that wording that were answered."""
        return len(self.labels[0])


@frozen
class ProbeScore:
    """What a judge made of a planted trace."""

    kind: ProbeKind
    """What was planted."""
    id: str
    """Id of the line for ``planted``, of the repeated fixture for ``twins``; otherwise the kind."""
    labels: tuple[str | None, ...]
    """Label of the planted trace by request that was answered; None for no label."""
    accepted: Share | None
    """Answered requests in which it got the deck's first label, of all that were answered; None for twins, and when
    nothing came.
    """
    apart: Share | None
    """Answered requests in which twins got different labels, or one of them none; None for all other kinds, and when
    nothing came.
    """
    moved: Share | None
    """Labels of the other fixtures that differ from those in the exam's first order, of all that could be compared;
    None when none could.
    """
    asked: int
    """Requests of this probe."""


@frozen
class DeckResult:
    """What a judge is worth on a deck."""

    planned: PlannedDeck
    """The deck, with why it was run and everything that was asked."""
    verdict: Verdict
    """Over the gates that do not warn: fail before unmeasured before pass."""
    outcomes: tuple[Outcome, ...]
    """Of every request of the exam, without wordings and probes, in their order."""
    further: tuple[Outcome, ...]
    """Of wordings and probes, in their order."""
    score: DeckScore | None
    """Over what came; None while fewer than two orders were answered."""
    effect: OrderEffect | None
    """None while fewer than two orders were answered."""
    wordings: tuple[WordingScore, ...]
    """In the order of the deck."""
    probes: tuple[ProbeScore, ...]
    """In the order of the exam."""
    gates: tuple[Gate, ...]
    """judge-flip, judge-gold, and judge-probe where the deck has probes; then independence, where it is in doubt."""

    @property
    def answered(self) -> int:
        """Requests of the exam that were answered."""
        return sum(isinstance(outcome, Judged) for outcome in self.outcomes)


@frozen
class Judgement:
    """Whose the flips of a judge-graded case are, and what its judge is worth.

    A flip is a draw that does not give the modal answer; where nothing was answered, all draws are. Each is somebody's:
    ``model + judge + transport`` is n minus the modal count.
    """

    decks: tuple[str, ...]
    """Names of the decks with its rubric, labels and judge."""
    untested: str | None
    """Why its judge counts as untested, in words; None when all of ``decks`` passed in this run with replies that are
    independent, and there is one. Untrusted text: it may name decks.
    """
    model: int
    """Flips whose text got one label, and another one than the modal answer, and replies that are no text to be graded.
    """
    judge: int
    """Flips whose text got two labels, or no label, over its repeats and all draws of the case with that text: the
    text is one, and the judge is not.
    """
    transport: int
    """Draws that did not come, or that the judge could not be asked about."""
