"""What the draws of a run say together, counted in one go: there may be more of them than fit in memory. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import TypeAlias

from evalaction.frozen import mutable
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Draw, Reply, Usage
from evalaction.records.manifest import Replays, Tokens
from evalaction.records.report import CaseResult, GradedDraw

Name: TypeAlias = tuple[str | None, str | None]
"""(model, ``system_fingerprint``) as an endpoint says it."""


@mutable
class Tally:
    """Counts over all draws of a run, and over all replies of its judges."""

    draws: int = 0
    """Draws that came in this run."""
    answered: int = 0
    """Requests that brought those draws."""
    draws_read: Counter[str] = field(default_factory=Counter)
    """Draws that were read from a ledger, by the run that drew them."""
    replies_read: Counter[str] = field(default_factory=Counter)
    """Replies of judges, likewise."""
    names: dict[str | None, Counter[Name]] = field(default_factory=lambda: defaultdict(Counter))
    """By model that was asked for, how many draws were answered under each name."""
    judges: dict[str | None, Counter[Name]] = field(default_factory=lambda: defaultdict(Counter))
    """The same of judges and their replies."""
    sums: dict[str, int] = field(default_factory=dict)
    """Tokens by kind, as the endpoint counted them; a kind that it never counted is not there."""
    counted: int = 0
    """Requests whose tokens are to be counted."""
    uncounted: int = 0
    """Those of them whose tokens the endpoint did not count."""

    def replays(self, *, begun: Mapping[str, str]) -> tuple[Replays, ...]:
        """Return what was read from a ledger, by run.

        Args:
            begun: when each of those runs began, as far as the ledger says it.
        """
        return tuple(
            Replays(run=run, began=begun.get(run), draws=self.draws_read[run], replies=self.replies_read[run])
            for run in dict.fromkeys((*self.draws_read, *self.replies_read))
        )

    def tokens(self, *, total: int) -> Tokens:
        """Return the tokens of a run; the choices of one request count once, and what a ledger gave costs nothing.

        Args:
            total: what the run's budget counted; 0 where nobody did.
        """
        return Tokens(
            prompt=self.sums.get("prompt"),
            completion=self.sums.get("completion"),
            reasoning=self.sums.get("reasoning"),
            cached=self.sums.get("cached"),
            total=total if self.counted and total else None,
            estimated=self.uncounted > 0,
        )

    def _add_tokens(self, reply: Reply) -> None:
        if reply.choices > 1 and reply.choice:
            return  # they stand with the first choice
        usage, sums = reply.usage, self.sums
        self.counted += 1
        self.uncounted += usage.prompt is None or usage.completion is None
        for kind, number in _kinds(usage):
            if number is not None:
                sums[kind] = sums.get(kind, 0) + number

    def add_draw(self, graded: GradedDraw, asked: str | None) -> None:
        """Count a draw of a case, which was asked of the model ``asked``."""
        draw = graded.draw
        if draw.reply is not None:
            self.names[asked][draw.reply.model, draw.reply.fingerprint] += 1
        if draw.replay_of is not None:
            self.draws_read[draw.replay_of] += 1
        elif came(graded):
            reply = draw.reply or graded.came
            self.draws += 1
            self.answered += reply is None or reply.choice == 0
            if reply is not None:
                self._add_tokens(reply)

    def add_reply(self, draw: Draw, asked: str | None) -> None:
        """Count what came of a request to a judge, which was asked of the model ``asked``."""
        if draw.reply is None:
            return
        self.judges[asked][draw.reply.model, draw.reply.fingerprint] += 1
        if draw.replay_of is not None:
            self.replies_read[draw.replay_of] += 1
        else:
            self._add_tokens(draw.reply)


def tally(cases: Iterable[CaseResult], decks: Iterable[DeckResult]) -> Tally:
    """Count the draws of cases and the replies of judges, each read once."""
    made = Tally()
    for case in cases:
        asked, judge = case.planned.case.sampling.model, case.planned.case.contract.judge
        for graded in case.draws:
            made.add_draw(graded, asked)
            if judge is not None:
                for opinion in graded.opinions:
                    for draw in opinion.draws:
                        made.add_reply(draw, judge.sampling.model)
    for deck in decks:
        for outcome in (*deck.outcomes, *deck.further):
            for draw in outcome.draws:
                made.add_reply(draw, deck.planned.deck.sampling.model)
    return made


def came(graded: GradedDraw) -> bool:
    """Return whether a reply came for a draw, gradable or not."""
    return graded.draw.reply is not None or graded.ungraded is not None or bool(graded.opinions)


def _kinds(usage: Usage) -> tuple[tuple[str, int | None], ...]:
    return (
        ("prompt", usage.prompt),
        ("completion", usage.completion),
        ("reasoning", usage.reasoning),
        ("cached", usage.cached),
    )
