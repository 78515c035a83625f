"""Planted traces: an exam beyond order, and what a judge made of it. Pure.

Each planted trace is put to the judge twice, before all fixtures and after them; these stand in the first order of
the exam, under the aliases that they have there, so that the trace is all that differs. What is planted is made from
the fixture that is first by alias: neither gold nor the order of the file decides which one that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalaction.judge.names import aliases_of
from evalaction.judge.planting import Seed, seeds_of, shown
from evalaction.judge.prompt import line_of
from evalaction.judge.request import Extra, Frame, ask
from evalaction.judge.score import labels_by_fixture, unlike
from evalaction.records.deck import Deck, Fixture, ProbeKind
from evalaction.records.deck_result import ProbeScore
from evalaction.records.exam import Probe
from evalaction.records.gate import Share
from evalaction.records.judge import Judged, Outcome
from evalaction.values import JSON


def probes_of(frame: Frame) -> tuple[Probe, ...]:
    """Return what a deck plants, with the requests that put it to the judge.

    A planted trace has a gold label: that of the fixture which it repeats for ``twins``, and the deck's second label
    for everything that ought to fail. It gets into no request.

    Args:
        frame: of the deck.
    """
    return tuple(_probe(frame, seed) for seed in seeds_of(frame.deck))


def _probe(frame: Frame, seed: Seed) -> Probe:
    deck = frame.deck
    first = min(range(len(deck.fixtures)), key=frame.aliases.__getitem__)
    twin = seed.kind is ProbeKind.TWINS
    content = _content(deck, seed, frame.contents[first])
    (alias,) = aliases_of([line_of(content)], rubric=deck.rubric, given=frame.given, taken=frame.aliases)
    extra = Extra(alias=alias, content=content)
    last, order = len(deck.fixtures), frame.orders[0]
    return Probe(
        kind=seed.kind,
        planted=Fixture(
            id=seed.line.id if seed.line else deck.fixtures[first].id if twin else seed.kind.value,
            line=seed.line.line if seed.line else deck.fixtures[first].line,
            fields=content,
            gold=deck.fixtures[first].gold if twin else deck.labels[1],
        ),
        twin_of=first if twin else None,
        requests=tuple(ask(frame, placed, extra=extra) for placed in ((last, *order), (*order, last))),
    )


def _content(deck: Deck, seed: Seed, first: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return what is shown of a planted trace, in the order in which the deck names its fields."""
    return dict(seed.changes) if seed.line else shown({**first, **seed.changes}, deck.show)


def score_probe(deck: Deck, exam: Sequence[Outcome], probe: Probe, outcomes: Sequence[Outcome]) -> ProbeScore:
    """Return what a judge made of a planted trace.

    Args:
        deck: what was asked about.
        exam: outcomes of the exam's own requests, or a part of them.
        probe: what was planted.
        outcomes: of the probe's requests, or a part of them.
    """
    answered = [outcome for outcome in outcomes if isinstance(outcome, Judged)]
    k = len(deck.fixtures)
    rows = labels_by_fixture(answered) or ((),) * (k + 1)
    labels, twin = rows[k], None if probe.twin_of is None else rows[probe.twin_of]
    apart = None if twin is None else [unlike(one, other) for one, other in zip(labels, twin, strict=True)]
    accepted = [label == deck.labels[0] for label in labels] if twin is None else None
    return ProbeScore(
        kind=probe.kind,
        id=probe.planted.id,
        labels=labels,
        accepted=_share(accepted),
        apart=_share(apart),
        moved=_share(_moved(rows[:k], exam, probe)),
        asked=len(probe.requests),
    )


def _moved(rows: Sequence[Sequence[str | None]], exam: Sequence[Outcome], probe: Probe) -> list[bool]:
    """Return for each label beside the trace whether it differs from that without it; empty when nothing compares."""
    order = probe.requests[0].order[1:]
    plain = [
        each for each in exam if isinstance(each, Judged) and (each.request.order, each.request.repeat) == (order, 1)
    ]
    if not plain:
        return []
    without = labels_by_fixture(plain[:1])
    return [unlike(label, alone) for labels, (alone,) in zip(rows, without, strict=True) for label in labels]


def _share(found: Sequence[bool] | None) -> Share | None:
    return Share(count=sum(found), of=len(found)) if found else None
