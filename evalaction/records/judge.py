"""What a judge is asked, what it said, and what its labels are worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from evalaction.frozen import frozen
from evalaction.records.draw import Draw, DrawKey, Drawn
from evalaction.records.gate import Share
from evalaction.values import JSON


@frozen
class JudgeRequest:
    """A deck in one order, as a judge is asked for it. It holds nothing of gold labels, ids, notes or tags."""

    order: tuple[int, ...]
    """Index of the fixture in the deck, from 0, by position."""
    repeat: int
    """Which asking of this order it is, from 1."""
    aliases: tuple[str, ...]
    """Name under which the judge sees the fixture, by position."""
    messages: tuple[Mapping[str, JSON], ...]
    """What is sent."""
    fingerprint: str
    """SHA-256 in hex over the canonical messages."""
    form: JSON = None
    """The ``response_format`` that asks for a reply that can be read; sent where the endpoint takes it."""


@frozen
class Labels:
    """What one reply says."""

    by_alias: tuple[tuple[str, str | None], ...]
    """(alias, label) for every alias asked for, in the order asked; None where the reply gives no usable label."""
    causes: tuple[tuple[str, str], ...] = ()
    """(alias, why) for each without a label: missing, twice, not one of the labels. Untrusted text."""
    strange: tuple[str, ...] = ()
    """Names in the reply that were not asked for. Untrusted text."""
    unreadable: str | None = None
    """Why the whole reply cannot be read; None when it can. Then no alias has a label."""


@frozen
class Judged:
    """One request and what came of it."""

    request: JudgeRequest
    """What was asked."""
    labels: Labels
    """What the reply says that was read last."""
    draws: tuple[Draw, ...]
    """As they came: the reply, or the unreadable first one and the one that was read last."""

    @property
    def reply(self) -> str:
        """Text of the reply that was read last. Untrusted text."""
        last = self.draws[-1].reply
        return "" if last is None else last.text or ""

    @property
    def repaired(self) -> bool:
        """Tell whether the first reply could not be read, so that the judge was asked once more."""
        return len(self.draws) > 1


@frozen
class Unjudged:
    """One request to which no reply came, or to whose repair none did: nothing was measured."""

    request: JudgeRequest
    """What was asked."""
    draw: Draw
    """The missing draw, with its failure."""
    first: Draw | None = None
    """The unreadable reply that came before; None where nothing came at all."""

    @property
    def draws(self) -> tuple[Draw, ...]:
        """As they came: the missing one, after the unreadable first one where there was one."""
        return (self.draw,) if self.first is None else (self.first, self.draw)


Outcome: TypeAlias = Judged | Unjudged
"""What came of one request to a judge."""


@frozen
class FixtureScore:
    """What a judge said of one fixture."""

    id: str
    """Id of the fixture."""
    gold: str
    """The right label."""
    labels: tuple[str | None, ...]
    """Label by request, in the order of the requests; None for no label."""
    flips: bool
    """The labels of the first asking of each order are not all one label."""
    retest_flips: bool | None
    """Labels differ within one order that was asked again; None when none was."""
    gold_met: Share
    """Requests in which the label is the right one, of all."""


@frozen
class Position:
    """How often one label was given at one place of a request."""

    number: int
    """Place in the request, from 1."""
    share: Share
    """Fixtures there that got the deck's first label, of all that stood there."""


@frozen
class DeckScore:
    """What a judge is worth on a deck."""

    fixtures: tuple[FixtureScore, ...]
    """In the order of the deck."""
    judge_flip_rate: Share
    """Fixtures that flip between orders, of all."""
    retest_flip_rate: Share | None
    """Fixtures that flip within an order asked again, of all; None when no order was asked twice."""
    gold: Share
    """Labels that are the right one, of all labels asked for."""
    by_position: tuple[Position, ...]
    """In order."""


@frozen
class OrderEffect:
    """Whether a judge's labels move with the order, or move anyhow."""

    between: Share
    """Fixtures whose labels differ, over all pairs of replies to different orders; a missing label is like no other."""
    within: Share | None
    """The same over all pairs of replies to one order; None when no order was asked twice."""
    as_telling: Share | None
    """Arrangements of the replies in which those to one order are as alike as was seen, or more, of all that were
    looked at: the p-value of a permutation test. None when no order was asked twice, or so few replies are there that
    it could not come below 0.05."""
    exact: bool
    """All arrangements were looked at, not a random part of them; False without a test."""


@frozen
class StubScores:
    """How the stub judges did: what says whether the instrument can tell one judge from another."""

    positional: Share
    """Judge flip rate of the stub that gives whatever stands last the first label; 1.00 for a sound instrument."""
    positional_first: Share
    """The same of the stub that does so with whatever stands first."""
    identity: Share
    """Judge flip rate of the stub that goes by the alias alone; 0.00."""
    gold: Share
    """Labels that the stub that answers gold gets right; all of them."""
    stamp: Share
    """Labels that the stub that answers one label throughout gets right; not all of them."""
    forgetful: Share
    """Fixtures that flip and miss gold under the stub that answers gold and leaves out whatever stands last; all."""


@frozen
class Examined:
    """A deck over which the stub judges ran."""

    deck: str | None
    """Its name; None for the built-in one."""
    scores: StubScores
    """How they did."""


@frozen
class Judging:
    """What the judges of a run said."""

    exams: Mapping[str, tuple[Outcome, ...]]
    """By name of the deck: of ``exam.all_requests``, in that order."""
    opinions: Mapping[DrawKey, tuple[Outcome, ...]]
    """By draw of a judge-graded case, by repeat; nothing for a draw that holds no text to be judged."""
    drawn: Drawn
    """Every draw that the judges made, in the order of sending: first all requests, then all repairs."""
    repaired: int
    """Requests that asked once more for a reply that could not be read, and were sent."""
