"""Other wordings of a rubric: the same exam once more, and what a judge's labels owe to the wording. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.judge.request import Frame, ask
from evalaction.judge.score import labels_by_fixture, unlike
from evalaction.records.deck import Deck
from evalaction.records.deck_result import WordingScore
from evalaction.records.exam import Reworded
from evalaction.records.gate import Share
from evalaction.records.judge import Judged, Outcome


def wordings_of(frame: Frame) -> tuple[Reworded, ...]:
    """Return the first asking of every order of a deck's exam under each other wording of its rubric.

    Aliases, mark, items and orders are the exam's own: the text of the rubric is all that differs.

    Args:
        frame: of the deck.
    """
    return tuple(
        Reworded(path=wording.path, requests=tuple(ask(frame, order, rubric=wording.text) for order in frame.orders))
        for wording in frame.deck.wordings
    )


def score_wording(deck: Deck, exam: Sequence[Outcome], reworded: Reworded, outcomes: Sequence[Outcome]) -> WordingScore:
    """Return what a judge said under another wording, against what it said under the deck's own.

    Labels are compared order by order, with those of the first asking.

    Args:
        deck: what was asked about.
        exam: outcomes of the exam's own requests, or a part of them.
        reworded: the wording, and what was asked.
        outcomes: of its requests, or a part of them.
    """
    answered = [outcome for outcome in outcomes if isinstance(outcome, Judged)]
    k = len(deck.fixtures)
    labels = labels_by_fixture(answered) or ((),) * k
    own = {each.request.order: each for each in exam if isinstance(each, Judged) and each.request.repeat == 1}
    both = [each for each in answered if each.request.order in own]
    before = labels_by_fixture([own[each.request.order] for each in both]) or ((),) * k
    after = labels_by_fixture(both) or ((),) * k
    flips = [
        any(unlike(one, other) for one, other in zip(*rows, strict=True)) for rows in zip(before, after, strict=True)
    ]
    right = sum(row.count(fixture.gold) for row, fixture in zip(labels, deck.fixtures, strict=True))
    return WordingScore(
        path=reworded.path,
        flips=Share(count=sum(flips), of=k) if both else None,
        gold=Share(count=right, of=k * len(answered)) if answered else None,
        labels=labels,
        asked=len(reworded.requests),
    )
