"""A deck's fixtures as they are shown: a sign a label, worst fixtures, the replies that contradict each other. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from string import ascii_uppercase, digits

from evalaction.frozen import frozen
from evalaction.records.deck import Fixture
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import Share
from evalaction.records.judge import Judged
from evalaction.report import strips, words
from evalaction.report.untrusted import Phrase, quoted

NO_LABEL = "·"
"""A reply came, and gave the fixture no label. ``∅`` stands for a request to which none came, as for a draw."""

_ONE_BY_ONE, _TOGETHER, _MOST = 24, 10, 48
"""Labels that stand one by one, those of a group in a longer vector, and labels beyond which they are counted."""
_LEGENDS = {NO_LABEL: f"{NO_LABEL} no label", strips.MISSING: strips.LEGENDS[strips.MISSING]}


@frozen
class Row:
    """One fixture, and what the judge said of it."""

    index: int
    """Of the fixture in its deck, from 0."""
    fixture: Fixture
    labels: tuple[str | None, ...]
    """By request that was answered; None for no label."""
    vector: str
    """A sign for each request of the exam, or counts of them."""
    counts: tuple[tuple[str | None, int], ...]
    """(label, replies), the right label first, then the most frequent; empty when nothing came."""
    flips: bool | None
    """None while fewer than two orders were answered."""
    gold: Share | None
    """Replies with the right label, of all that came; None when none did."""

    @property
    def misses(self) -> bool:
        """Whether a reply that came does not give the right label."""
        return self.gold is not None and self.gold.count < self.gold.of


def signs(labels: Sequence[str]) -> dict[str, str]:
    """Return a sign for each label, no two alike: a letter of it where there is one left, else one that is left.

    ``pass``, ``fail`` → P, F; ``pass``, ``partial`` → P, A. More labels than signs are numbered.
    """
    every = [*ascii_uppercase, *digits[1:]]
    if len(labels) > len(every):
        return {label: str(number) for number, label in enumerate(labels, 1)}
    found: dict[str, str] = {}
    firsts = Counter(label[:1].upper() for label in labels)
    # A first letter that is a label's alone is its sign before another one takes it.
    for label in sorted(labels, key=lambda label: firsts[label[:1].upper()] > 1):
        own = [letter for letter in label.upper() if letter in every]
        found[label] = next(sign for sign in (*own, *every) if sign not in found.values())
    return {label: found[label] for label in labels}


def rows(result: DeckResult) -> tuple[Row, ...]:
    """Return the fixtures of a deck, in its order."""
    deck, shown = result.planned.deck, signs(result.planned.deck.labels)
    said = [_by_fixture(outcome) if isinstance(outcome, Judged) else None for outcome in result.outcomes]
    found = []
    for index, fixture in enumerate(deck.fixtures):
        labels = tuple(labels[index] for labels in said if labels is not None)
        marks = [strips.MISSING if labels is None else _sign(labels[index], shown) for labels in said]
        numbers = Counter(labels)
        found.append(
            Row(
                index=index,
                fixture=fixture,
                labels=labels,
                vector=_vector(marks, repeats=deck.repeats),
                counts=tuple(sorted(numbers.items(), key=lambda item: (item[0] != fixture.gold, -item[1]))),
                flips=None if result.score is None else result.score.fixtures[index].flips,
                gold=Share(count=labels.count(fixture.gold), of=len(labels)) if labels else None,
            )
        )
    return tuple(found)


def _by_fixture(judged: Judged) -> dict[int, str | None]:
    """Return the labels of a reply by index of the fixture in the deck."""
    labels, request = dict(judged.labels.by_alias), judged.request
    return {index: labels.get(alias) for index, alias in zip(request.order, request.aliases, strict=True)}


def _sign(label: str | None, shown: dict[str, str]) -> str:
    return NO_LABEL if label is None else shown.get(label, NO_LABEL)


def _vector(marks: Sequence[str], *, repeats: int) -> str:
    """Return ``P P F P F P``; orders asked again as ``PP PF``; many in tens, and very many as ``P×46 F×4``."""
    if len(marks) > _MOST:
        return " ".join(f"{mark}×{number}" for mark, number in Counter(marks).most_common())
    together = repeats if repeats > 1 else _TOGETHER if len(marks) > _ONE_BY_ONE else 1
    if together == 1 or any(len(mark) > 1 for mark in marks):
        return " ".join(marks)
    return " ".join("".join(marks[start : start + together]) for start in range(0, len(marks), together))


def legend(result: DeckResult) -> Phrase:
    """Return what the signs of a deck's vectors mean, and how they stand."""
    deck, asked = result.planned.deck, len(result.outcomes)
    if asked > _MOST:
        order = "Replies with each label, in no order"
    elif deck.repeats > 1:
        order = "One sign a reply, those to one order together"
    else:
        order = "One sign a reply, by order"
    labels: list[Phrase] = [
        # A sign is a letter of the label, and so a part of its text.
        (quoted(sign), " ", quoted(label, words.NAME))
        for label, sign in signs(deck.labels).items()
    ]
    vectors = "".join(row.vector for row in rows(result))
    others = "".join(f"; {said}" for sign, said in _LEGENDS.items() if sign in vectors)
    return (f"{order}: ", *words.listed(labels, _TOGETHER), f"{others}.")


def by_weight(result: DeckResult) -> list[Row]:
    """Return the fixtures of a deck, the worst first: those that flip, then those that miss gold most often."""
    return sorted(rows(result), key=_weight)


def _weight(row: Row) -> tuple[bool, float, int]:
    return (not row.flips, 1.0 if row.gold is None else float(row.gold.fraction), row.index)


def worst(result: DeckResult) -> Row | None:
    """Return the fixture to look at; None when none flips and none misses gold."""
    first = by_weight(result)[0]
    return first if first.flips or first.misses else None


def contradiction(result: DeckResult) -> tuple[Row, tuple[Judged, ...]] | None:
    """Return the worst fixture and two replies that give it different labels; one that is wrong where all agree.

    Where the fixture flips between orders, they are replies to two orders: the first that gives the right label (else
    the first one), and the first that gives another.
    """
    row = worst(result)
    if row is None:
        return None
    came = [outcome for outcome in result.outcomes if isinstance(outcome, Judged)]
    if row.flips:
        came = _first_of_orders(came)
    labelled = [(judged, _by_fixture(judged)[row.index]) for judged in came]
    right = next((judged for judged, label in labelled if label == row.fixture.gold), None)
    one = right or labelled[0][0]
    said = _by_fixture(one)[row.index]
    other = next((judged for judged, label in labelled if judged is not one and (label is None or label != said)), None)
    if other is None or one is other:
        return row, (one,)
    return row, (one, other)


def _first_of_orders(came: Sequence[Judged]) -> list[Judged]:
    firsts: dict[tuple[int, ...], Judged] = {}
    for judged in came:
        firsts.setdefault(judged.request.order, judged)
    return list(firsts.values())


def label_of(judged: Judged, row: Row) -> str | None:
    """Return the label that a reply gives to a fixture; None for none."""
    return _by_fixture(judged)[row.index]
