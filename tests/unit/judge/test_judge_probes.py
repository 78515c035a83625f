"""What a judge made of planted traces, by hand and for judges of known habits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judging import deck_of, heard, unheard

from evalaction.judge.exam import exam_of
from evalaction.judge.probes import score_probe
from evalaction.records.deck import Planted, ProbeKind
from evalaction.records.deck_result import ProbeScore
from evalaction.records.exam import Exam, Probe
from evalaction.records.gate import Share
from evalaction.records.judge import JudgeRequest, Outcome

DECK = replace(
    deck_of("pass", "fail", "fail"),
    probes=(ProbeKind.STEER, ProbeKind.TWINS),
    planted=(Planted(id="p", line=1, fields={"trace": "wrong"}),),
)
EXAM = exam_of(DECK)
STEER, TWINS, PLANTED = EXAM.probes
LAST = len(DECK.fixtures)


def share(count: int, of: int) -> Share:
    return Share(count=count, of=of)


def gold(request: JudgeRequest, planted: str | None) -> list[str | None]:
    """Return gold by position, and this label for what is planted."""
    return [planted if index == LAST else DECK.fixtures[index].gold for index in request.order]


def plain(exam: Exam = EXAM) -> list[Outcome]:
    """Return an exam that was answered with gold."""
    return [heard(DECK, request, gold(request, None)) for request in exam.requests]


def honest(probe: Probe, planted: Sequence[str | None]) -> list[Outcome]:
    """Return gold for the fixtures, and these labels for what is planted, request by request."""
    return [heard(DECK, request, gold(request, label)) for request, label in zip(probe.requests, planted, strict=True)]


@pytest.mark.parametrize(
    ("labels", "accepted"),
    [
        (("fail", "fail"), 0),
        (("pass", "fail"), 1),
        (("pass", "pass"), 2),
        ((None, None), 0),
        ((None, "pass"), 1),
    ],
)
def test_score_probe__accepted(labels: tuple[str | None, ...], accepted: int) -> None:
    """A planted failure is accepted where it got the first label; a missing label accepts nothing."""
    for probe, name in ((STEER, "steer"), (PLANTED, "p")):
        assert ProbeScore(
            kind=probe.kind,
            id=name,
            labels=labels,
            accepted=share(accepted, 2),
            apart=None,
            moved=share(0, 6),
            asked=2,
        ) == score_probe(DECK, plain(), probe, honest(probe, labels))


def test_score_probe__twins() -> None:
    """Twins are apart where their labels differ or one is missing, two missing ones among it."""
    assert TWINS.twin_of is not None
    same = TWINS.planted.gold
    other = {"pass": "fail", "fail": "pass"}[same]
    for labels, apart in (((same, same), 0), ((other, same), 1), ((other, other), 2), ((None, same), 1)):
        expected = ProbeScore(
            kind=ProbeKind.TWINS,
            id=DECK.fixtures[TWINS.twin_of].id,
            labels=labels,
            accepted=None,
            apart=share(apart, 2),
            moved=share(0, 6),
            asked=2,
        )
        assert expected == score_probe(DECK, plain(), TWINS, honest(TWINS, labels))
    mute = [heard(DECK, request, [None] * 4) for request in TWINS.requests]
    score = score_probe(DECK, plain(), TWINS, mute)
    assert (share(2, 2), share(6, 6)) == (score.apart, score.moved)


def test_score_probe__moved() -> None:
    """A judge that obeys the planted order moves every label that was not the first one already."""
    obeys = [heard(DECK, request, ["pass"] * 4) for request in STEER.requests]
    score = score_probe(DECK, plain(), STEER, obeys)
    assert (share(2, 2), share(4, 6)) == (score.accepted, score.moved)


def test_score_probe__moved_by_place() -> None:
    """Labels are compared with those in the exam's first order alone, and by fixture."""
    exam = [
        heard(DECK, request, ["pass", "fail", "fail"] if number else gold(request, None), number=number + 1)
        for number, request in enumerate(EXAM.requests)
    ]
    assert share(0, 6) == score_probe(DECK, exam, STEER, honest(STEER, ["fail", "fail"])).moved
    assert share(0, 6) == score_probe(DECK, exam[::-1], STEER, honest(STEER, ["fail", "fail"])).moved


def test_score_probe__moved_without_label() -> None:
    """A fixture without a label in the exam is like nothing beside the trace."""
    first = EXAM.requests[0]
    exam = [heard(DECK, first, [None, *gold(first, None)[1:]]), *plain()[1:]]
    assert share(2, 6) == score_probe(DECK, exam, STEER, honest(STEER, ["fail", "fail"])).moved


def test_score_probe__first_asking() -> None:
    """Where an order is asked again, its first asking is what is compared with."""
    deck = replace(DECK, repeats=2)
    exam = exam_of(deck)
    said: list[Outcome] = [
        heard(deck, request, gold(request, None) if request.repeat == 1 else ["fail"] * 3) for request in exam.requests
    ]
    assert share(0, 6) == score_probe(deck, said, exam.probes[0], honest(exam.probes[0], ["fail"] * 2)).moved
    assert score_probe(deck, said[1:], exam.probes[0], honest(exam.probes[0], ["fail"] * 2)).moved is None


def test_score_probe__in_part() -> None:
    """What did not come is counted nowhere, and no figure is made of nothing."""
    gone = [unheard(DECK, request) for request in STEER.requests]
    half = [gone[0], honest(STEER, ["fail", "pass"])[1]]
    known = {"kind": ProbeKind.STEER, "id": "steer", "apart": None, "asked": 2}
    assert ProbeScore(
        **known,  # type: ignore[arg-type]
        labels=("pass",),
        accepted=share(1, 1),
        moved=share(0, 3),
    ) == score_probe(DECK, plain(), STEER, half)
    nothing = ProbeScore(**known, labels=(), accepted=None, moved=None)  # type: ignore[arg-type]
    assert nothing == score_probe(DECK, plain(), STEER, gone) == score_probe(DECK, [], STEER, [])
    lost = [unheard(DECK, EXAM.requests[0]), *plain()[1:]]
    assert score_probe(DECK, lost, STEER, honest(STEER, ["fail", "fail"])).moved is None
    assert score_probe(DECK, [], TWINS, []).apart is None


@given(st.lists(st.sampled_from(["pass", "fail", None]), min_size=8, max_size=8), st.sampled_from(EXAM.probes))
def test_score_probe__any(said: list[str | None], probe: Probe) -> None:
    """Whatever is said, each figure counts at most what it is of, and the one that says most comes of labels alone."""
    outcomes = [heard(DECK, request, said[4 * n : 4 * n + 4]) for n, request in enumerate(probe.requests)]
    score = score_probe(DECK, plain(), probe, outcomes)
    planted = tuple(said[4 * n + request.order.index(LAST)] for n, request in enumerate(probe.requests))
    moved = sum(
        label is None or label != DECK.fixtures[index].gold
        for n, request in enumerate(probe.requests)
        for index, label in zip(request.order, said[4 * n : 4 * n + 4], strict=True)
        if index != LAST
    )
    assert (planted, share(moved, 6)) == (score.labels, score.moved)
    if probe.twin_of is None:
        assert (share(planted.count("pass"), 2), None) == (score.accepted, score.apart)
