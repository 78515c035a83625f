"""Draws and judges' replies that may not be fresh: of which case or deck, and what is said of them. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from evalaction.grade.independence import DRAWS as DRAWS  # noqa: PLC0414 - whoever asks for doubts tells them apart
from evalaction.grade.independence import REPLIES, Doubt, doubts, replies_of
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.report import CaseResult
from evalaction.report.untrusted import Phrase, Quoted, quoted

Subject: TypeAlias = CaseResult | DeckResult

_MARK = 60
"""Characters of a mark that are shown."""


def gate_of(subject: Subject) -> Gate | None:
    """Return the gate that says that draws, or a judge's replies, may not be fresh; None where there is no doubt."""
    for gate in subject.gates:
        if gate.name is GateName.INDEPENDENCE:
            return gate
    return None


def is_cause(subject: Subject) -> bool:
    """Return whether a case or deck could not be measured for nothing but that."""
    unmeasured = {gate.name for gate in subject.gates if gate.verdict is Verdict.UNMEASURED and not gate.warns}
    return subject.verdict is Verdict.UNMEASURED and unmeasured == {GateName.INDEPENDENCE}


def doubts_of(subject: Subject) -> tuple[Doubt, ...]:
    """Return why draws of a case, or replies about a case or deck, may not be fresh."""
    if isinstance(subject, DeckResult):
        return doubts({REPLIES: replies_of((*subject.outcomes, *subject.further))})
    opinions = [opinion for graded in subject.draws for opinion in graded.opinions]
    return doubts({DRAWS: [graded.draw for graded in subject.draws], REPLIES: replies_of(opinions)})


def is_of_judge(subject: Subject) -> bool:
    """Return whether it is only replies of a judge that may not be fresh."""
    return all(doubt.group == REPLIES for doubt in doubts_of(subject))


def what(subject: Subject) -> str:
    """Return what may not be fresh, for a list of what is wrong: ``draws not independent``; empty for nothing."""
    gate = gate_of(subject)
    if gate is None:
        return ""
    who = "replies" if isinstance(subject, DeckResult) else "judge's replies" if is_of_judge(subject) else "draws"
    return f"{who} not independent{' (warns)' if gate.warns else ''}"


def seen(subject: Subject, *, show: bool) -> Phrase:
    """Return what was seen: ``3 of 5 draws are marked as replayed (x-cache: HIT)``; empty where there is no doubt.

    Args:
        subject: a case or a deck.
        show: whether what an endpoint said may be shown.
    """
    parts: list[str | Quoted] = []
    for doubt in doubts_of(subject):
        # Of a deck nothing but replies of its judge can be meant.
        own = replace(doubt, group="replies") if isinstance(subject, DeckResult) else doubt
        parts += [*(["; "] if parts else []), *_phrase(own, show=show)]
    return tuple(parts)


def _phrase(doubt: Doubt, *, show: bool) -> Phrase:
    named, more = doubt.named
    if not named or not show:
        return (doubt.start,)
    parts: list[str | Quoted] = [f"{doubt.start} ("]
    for mark in named:
        parts += [*([", "] if len(parts) > 1 else []), quoted(mark, _MARK)]
    return (*parts, f" and {more} more)" if more else ")")
