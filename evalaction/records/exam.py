"""Everything that a judge is asked about a deck, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalaction.records.case import Fixture, ProbeKind
from evalaction.records.gate import Gate, Share, Verdict
from evalaction.records.judge import DeckScore, Judged, JudgeRequest, OrderEffect, Outcome

if TYPE_CHECKING:  # a planned deck carries its exam
    from evalaction.records.plan import PlannedDeck


@dataclass(frozen=True, kw_only=True, slots=True)
class Reworded:
    """A deck under another wording of its rubric."""

    path: str
    """File of that wording, path in the tree."""
    requests: tuple[JudgeRequest, ...]
    """The first asking of every order of the exam, with nothing else changed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """A planted trace among a deck's fixtures."""

    kind: ProbeKind
    """What is planted."""
    planted: Fixture
    """The trace. In ``requests`` it has the index that follows the deck's last; its gold label is the deck's first one
    for twins of a fixture with that label, and another one for everything that ought to fail.
    """
    twin_of: int | None
    """Index of the fixture that it repeats; None unless it is one of twins."""
    requests: tuple[JudgeRequest, ...]
    """The fixtures in the first order of the exam, with the trace before all of them, and after all of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exam:
    """Everything that a judge is asked about a deck."""

    requests: tuple[JudgeRequest, ...]
    """Order by order, all repeats of one after another."""
    wordings: tuple[Reworded, ...] = ()
    """In the order of the deck."""
    probes: tuple[Probe, ...] = ()
    """In the order of ``ProbeKind``, then of the deck's file."""

    @property
    def orders(self) -> int:
        """Number of orders."""
        return len({request.order for request in self.requests})

    @property
    def all_requests(self) -> tuple[JudgeRequest, ...]:
        """Every request, in the order in which outcomes are kept: the exam, the wordings, the probes."""
        further = [*(item.requests for item in self.wordings), *(item.requests for item in self.probes)]
        return (*self.requests, *(request for requests in further for request in requests))


@dataclass(frozen=True, kw_only=True, slots=True)
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


@dataclass(frozen=True, kw_only=True, slots=True)
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


@dataclass(frozen=True, kw_only=True, slots=True)
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
    """judge-flip, judge-gold, and judge-probe where the deck has probes; then independence, where it failed."""

    @property
    def answered(self) -> int:
        """Requests of the exam that were answered."""
        return sum(isinstance(outcome, Judged) for outcome in self.outcomes)


@dataclass(frozen=True, kw_only=True, slots=True)
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
