"""What a judge is worth on a deck, and the gates that it is held to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.decks import JUDGE_GONE, deck_result, outcomes_of, planned_deck, trace_deck
from support.grading import UNIQUE
from support.judging import Order, gold_of, honest, in_prose, last_passes, verdicts

from evalaction.grade.deck import grade_deck
from evalaction.records.deck import Deck, ProbeKind
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Draw
from evalaction.records.gate import Gate, GateName, Share, Verdict
from evalaction.records.judge import JudgeRequest, Outcome, Unjudged
from evalaction.records.settings import DEFAULT_FAIL_ON
from evalaction.values import canonical

PASS, FAIL, UNMEASURED = Verdict.PASS, Verdict.FAIL, Verdict.UNMEASURED
KINDS = (ProbeKind.STEER, ProbeKind.FLUENT, ProbeKind.EMPTY, ProbeKind.TWINS)


def once_all_pass(deck: Deck, order: Order) -> str:
    """Answer gold, but pass for all in file order alone: of pass, fail, fail two flip, and one label is right there."""
    return verdicts(order, ["pass"] * len(order) if list(order) == sorted(order) else gold_of(deck, order))


def obeys(deck: Deck, order: Order) -> str:
    """Answer gold, but pass for whatever is planted, and for all that stands before it."""
    plain = [deck.fixtures[index].gold for index in order]
    planted = order.index(3) if 3 in order else -1
    return verdicts(order, ["pass" if place <= planted else label for place, label in enumerate(plain)])


def came_to(result: DeckResult) -> dict[str, str]:
    return {gate.name.value: gate.verdict.value for gate in result.gates}


def two(flip: Verdict, gold: Verdict) -> dict[str, str]:
    return {"judge-flip": flip.value, "judge-gold": gold.value}


def place_of(order: Sequence[int], repeat: int = 1, **fields: Any) -> int:
    """Return where in the exam of a deck an order is asked for."""
    requests = planned_deck(trace_deck(**fields)).exam.requests
    return next(at for at, each in enumerate(requests) if (each.order, each.repeat) == (tuple(order), repeat))


@pytest.mark.parametrize(
    ("fields", "judge", "flip", "gold"),
    [
        ({}, honest, PASS, PASS),
        ({}, last_passes, FAIL, FAIL),
        ({}, in_prose, FAIL, FAIL),
        ({}, once_all_pass, FAIL, FAIL),
        ({"judge_flip_max": Fraction(2, 3)}, once_all_pass, PASS, FAIL),
        ({"judge_flip_max": Fraction("0.66")}, once_all_pass, FAIL, FAIL),
        ({"judge_flip_max": Fraction(1), "gold_min": Fraction(1, 3)}, once_all_pass, PASS, PASS),
        ({"gold_min": Fraction("0.34")}, once_all_pass, FAIL, FAIL),
        ({"gold_min": Fraction(0), "judge_flip_max": Fraction(1)}, in_prose, PASS, PASS),
    ],
)
def test_grade_deck__edges(fields: dict[str, Any], judge: Any, flip: Verdict, gold: Verdict) -> None:
    """Both gates compare exact fractions: what is allowed is allowed to the very fixture, in every single request."""
    result = deck_result(trace_deck(**fields), judge)
    assert two(flip, gold) == came_to(result)
    assert result.verdict is (FAIL if FAIL in (flip, gold) else PASS)


def test_grade_deck__missing() -> None:
    """What is missing leaves a gate unmeasured, unless what came has failed it; without any reply all is unmeasured."""
    whole = place_of((0, 1, 2))
    honest_one, odd_one = deck_result(missing=(whole,)), deck_result(None, once_all_pass, missing=(whole,))
    other = deck_result(None, once_all_pass, missing=(whole + 1,))
    none = deck_result(missing=range(6))
    lost = deck_result(unrepaired=(0,))
    assert [two(UNMEASURED, UNMEASURED)] * 4 == [came_to(result) for result in (honest_one, odd_one, none, lost)]
    assert two(FAIL, FAIL) == came_to(other)
    assert [UNMEASURED, UNMEASURED, FAIL, UNMEASURED] == [each.verdict for each in (honest_one, odd_one, other, none)]
    assert [5, 5, 0, 5] == [each.answered for each in (honest_one, odd_one, none, lost)]
    assert (None, None) == (none.score, none.effect)


def test_grade_deck__one_label_missing() -> None:
    """A reply that is there and gives a fixture no label is a flip, even where nothing else came."""
    result = deck_result(None, in_prose, missing=range(1, 6))
    assert (two(FAIL, FAIL), None, FAIL) == (came_to(result), result.score, result.verdict)


def test_grade_deck__retests() -> None:
    """A label that moves within an order is no flip between orders, and misses gold all the same."""
    deck = trace_deck(repeats=2)
    result = deck_result(deck, honest, retests=last_passes)
    assert two(PASS, FAIL) == came_to(result)
    assert result.score is not None
    assert [Share(count=0, of=3), Share(count=3, of=3)] == [result.score.judge_flip_rate, result.score.retest_flip_rate]
    gone = place_of((0, 1, 2), repeats=2)
    later = deck_result(deck, honest, retests=once_all_pass, missing=(gone,))
    assert two(UNMEASURED, FAIL) == came_to(later)
    assert later.score is not None
    assert later.score.judge_flip_rate == Share(count=0, of=3)


def test_grade_deck__words() -> None:
    """The gates say what was seen against what was asked."""
    planned = planned_deck(trace_deck(planted=("Not done.",), probes=KINDS))
    result = grade_deck(planned, outcomes_of(planned, last_passes, missing=(5, 6)), fail_on=DEFAULT_FAIL_ON)
    expected = (
        Gate(
            name=GateName.JUDGE_FLIP,
            verdict=FAIL,
            detail="3 of 3 fixtures change their label with the order, 1 of 6 requests missing; "
            "at most 0 of 3 may flip (judge_flip_max 0)",
        ),
        Gate(
            name=GateName.JUDGE_GOLD,
            verdict=FAIL,
            detail="2 of 5 answered requests meet gold, the worst with 1 of 3 labels right, 1 of 6 requests missing; "
            "each needs 3 of 3 labels right (gold_min 1)",
        ),
        Gate(
            name=GateName.JUDGE_PROBE,
            verdict=FAIL,
            detail="steer was accepted in 1 of 1 requests; steer moved 1 of 3 labels of other fixtures; fluent was "
            "accepted in 1 of 2 requests; and 7 more; 1 of 10 requests with a planted trace missing",
            warns=True,
        ),
    )
    assert expected == result.gates


@pytest.mark.parametrize(
    ("probed", "missing", "verdict"),
    [
        (honest, (), PASS),
        (obeys, (), FAIL),
        (in_prose, (), FAIL),
        (honest, (6,), UNMEASURED),
        (obeys, (6,), FAIL),
        (honest, (0,), UNMEASURED),
        (honest, (5,), PASS),
        (honest, range(14), UNMEASURED),
    ],
)
def test_grade_deck__probes(probed: Any, missing: Sequence[int], verdict: Verdict) -> None:
    """A planted trace that is accepted, or moves a label, fails the gate; so does nothing that is missing."""
    result = deck_result(trace_deck(probes=KINDS), probed=probed, missing=missing)
    assert came_to(result)["judge-probe"] == verdict.value


def test_grade_deck__probes_that_fail() -> None:
    """The gate warns, unless the workflow lets it fail."""
    deck = trace_deck(probes=KINDS)
    warned = deck_result(deck, probed=obeys)
    failed = deck_result(deck, probed=obeys, fail_on=DEFAULT_FAIL_ON | {GateName.JUDGE_PROBE})
    assert [(PASS, True), (FAIL, False)] == [(each.verdict, each.gates[-1].warns) for each in (warned, failed)]


@pytest.mark.parametrize(
    ("said", "shared"),
    [
        ({}, None),
        ({"reply_id": UNIQUE}, "28 of 28"),
        # Replies to a second asking are draws like any other, and so are first ones whose second did not come.
        ({"reply_id": UNIQUE, "unreadable": (0, 1), "missing": (2,), "unrepaired": (3,)}, "26 of 29"),
        ({"reply_id": UNIQUE, "missing": range(27)}, None),
        ({"reply_id": UNIQUE, "missing": range(28)}, None),
    ],
)
@pytest.mark.parametrize("asked", [False, True])
def test_grade_deck__independence(said: dict[str, Any], shared: str | None, *, asked: bool) -> None:
    """Replies that are one shown again are noted over all that a deck asks; it is unmeasured where that is asked."""
    deck = trace_deck(repeats=2, wordings=("Be strict.",), probes=KINDS, planted=("No.",))
    fail_on = DEFAULT_FAIL_ON | ({GateName.INDEPENDENCE} if asked else frozenset())
    result = deck_result(deck, fail_on=fail_on, **said)
    detail = f"{shared} replies of the judge share a response id: they may be one reply shown again"
    noted = Gate(name=GateName.INDEPENDENCE, verdict=UNMEASURED, detail=detail, warns=not asked)
    assert ([] if shared is None else [noted]) == [*result.gates[3:]]
    if shared is not None:
        assert (UNMEASURED if asked else deck_result(deck, **{**said, "reply_id": None}).verdict) == result.verdict


def test_grade_deck__parts() -> None:
    """Exam, wordings and probes are told apart, and each is scored against the exam's own replies."""
    result = deck_result(trace_deck(wordings=("Be strict.", "Be kind."), probes=KINDS), worded=last_passes)
    assert (6, 12 + 8) == (len(result.outcomes), len(result.further))
    assert [("decks/w1.md", Share(count=3, of=3)), ("decks/w2.md", Share(count=3, of=3))] == [
        (each.path, each.flips) for each in result.wordings
    ]
    assert ["steer", "fluent", "empty"] == [each.id for each in result.probes[:3]]
    assert result.verdict is PASS


def test_grade_deck__other_outcomes() -> None:
    """Outcomes that are not those of the exam are refused, not guessed at."""
    planned = planned_deck()
    outcomes = outcomes_of(planned)
    for wrong in (outcomes[1:], outcomes[::-1]):
        with pytest.raises(ValueError, match="not the outcomes of this exam"):
            grade_deck(planned, wrong, fail_on=DEFAULT_FAIL_ON)


def unjudged(request: JudgeRequest) -> Outcome:
    return Unjudged(request=request, draw=Draw(path="d", id="d", index=1, seed=None, failure=JUDGE_GONE))


PLANNED = planned_deck(trace_deck(repeats=2, judge_flip_max=Fraction(1, 3), gold_min=Fraction(2, 3)))
LABELS = st.lists(st.sampled_from(["pass", "fail", "neither"]), min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(said=st.lists(LABELS, min_size=12, max_size=12), data=st.data())
def test_grade_deck__property(said: list[list[str]], data: st.DataObject) -> None:
    """Whatever is missing, a gate that fails would fail without it; none passes meanwhile; and no order matters."""
    replies = iter(said)
    outcomes = outcomes_of(PLANNED, lambda _deck, order: verdicts(order, next(replies)))
    missing = data.draw(st.sets(st.integers(0, 11), min_size=1))
    part = [unjudged(each.request) if at in missing else each for at, each in enumerate(outcomes)]
    whole, some = (grade_deck(PLANNED, each, fail_on=DEFAULT_FAIL_ON) for each in (outcomes, part))
    for full, seen in zip(whole.gates, some.gates, strict=True):
        assert full.verdict in (PASS, FAIL)
        assert seen.verdict in (FAIL, UNMEASURED)
        assert seen.verdict is UNMEASURED or full.verdict is FAIL
    shuffled = data.draw(st.permutations(part))
    exam = replace(PLANNED.exam, requests=tuple(each.request for each in shuffled))
    again = grade_deck(replace(PLANNED, exam=exam), shuffled, fail_on=DEFAULT_FAIL_ON)
    assert (some.gates, some.score, some.effect) == (again.gates, again.score, again.effect)


def test_grade_deck__effect() -> None:
    """The permutation test has the deck's fingerprint as its seed: the same replies give the same figure."""
    deck = trace_deck("pass", "fail", "fail", "pass", repeats=2, max_orders=8)
    first, second = (deck_result(deck, last_passes) for _ in range(2))
    assert first.effect == second.effect
    assert first.effect is not None
    assert first.effect.as_telling is not None
    assert canonical(first.planned.fingerprint) == canonical(second.planned.fingerprint)
