"""What a deck's figures say of its judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.decks import deck_result, planned_deck, trace_deck
from support.example_decks import TRACES, fluent_last, wavering
from support.judging import (
    Judge,
    at_random,
    drops_the_last,
    first_two_pass,
    honest,
    last_flips,
    last_passes,
    verdicts,
)

from evalaction.judge.score import in_order
from evalaction.records.deck import Fixture
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import Share
from evalaction.records.judge import Judged
from evalaction.report.decks.figures import by_position, disagreement, favoured, noise, ordinal, turning_place
from evalaction.report.untrusted import plain

ONCE, TWICE = (trace_deck(fixtures=TRACES, repeats=repeats) for repeats in (1, 2))
WAVERS = deck_result(TWICE, wavering([(0, 1, 2), (1, 2, 0)]), retests=wavering([(2, 1, 0), (1, 0, 2)]))
ORDERED = deck_result(TWICE, last_passes, retests=wavering([]))


def accepting(places: Sequence[int]) -> Judge:
    """Return a judge that passes what stands at these places, from 0, and nothing else."""
    return lambda _deck, order: verdicts(order, ["pass" if at in places else "fail" for at in range(len(order))])


def told(result: DeckResult, share: tuple[int, int] | None, *, retest: int, flips: int = 1) -> DeckResult:
    """Return a deck with another share of telling arrangements, and other numbers of flips."""
    assert result.effect is not None
    assert result.score is not None
    test = None if share is None else Share(count=share[0], of=share[1])
    score = replace(result.score, judge_flip_rate=Share(count=flips, of=3), retest_flip_rate=Share(count=retest, of=3))
    return replace(result, score=score, effect=replace(result.effect, as_telling=test))


AGAIN = "The same order asked twice: "
NOISE = " too, and labels are not shown to move more between orders than within one: noise, as far as can be told"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (
            deck_result(ONCE, fluent_last),
            "Each order was asked once: whether labels move in the same order too is not measured.",
        ),
        (
            deck_result(TWICE, fluent_last, missing=range(1, 12, 2)),
            "No order was answered twice: whether labels move in the same order too is not measured.",
        ),
        (
            deck_result(TWICE, fluent_last),
            f"{AGAIN}0 of 3 flip, so this is order, not noise (permutation test: 315/10395).",
        ),
        (
            told(ORDERED, (27, 10395), retest=1),
            f"{AGAIN}1 of 3 flip, and labels move more between orders than within one: order, beyond the noise "
            "(permutation test: 27/10395).",
        ),
        (WAVERS, f"{AGAIN}2 of 3 flip{NOISE} (permutation test: 10395/10395)."),
        (told(ORDERED, (3120, 10395), retest=2), f"{AGAIN}2 of 3 flip{NOISE} (permutation test: 3120/10395)."),
        (
            told(ORDERED, (945, 10395), retest=0),
            f"{AGAIN}0 of 3 flip, which is too little to tell order from noise (permutation test: 945/10395).",
        ),
        (told(ORDERED, None, retest=1), f"{AGAIN}1 of 3 flip; too few replies came to tell order from noise."),
        (deck_result(TWICE), f"{AGAIN}0 of 3 flip."),
        (told(ORDERED, None, retest=1, flips=0), f"{AGAIN}1 of 3 flip, so labels move whatever the order: noise."),
        (deck_result(TWICE, missing=range(12)), ""),
    ],
)
def test_noise__table(result: DeckResult, expected: str) -> None:
    """Order and noise are told apart by asking again, with the share of the permutation test to the letter."""
    assert noise(result) == expected


def test_noise__at_random() -> None:
    """Where not all arrangements were looked at it is said; so is how often an order was asked."""
    three = deck_result(trace_deck(fixtures=TRACES, repeats=3), fluent_last)

    assert noise(three) == (
        "The same order asked 3 times: 0 of 3 flip, so this is order, not noise (permutation test: "
        f"{three.effect and three.effect.as_telling}, of random arrangements)."
    )
    assert three.effect is not None
    assert three.effect.as_telling is not None
    assert three.effect.as_telling.fraction < Fraction(1, 20)


def test_by_position__places() -> None:
    """The rate of the first label is told by place; it is a pass rate where the label is called so."""
    other = trace_deck("yes", "no", labels=("yes", "no"))

    assert [plain(by_position(result)) for result in (deck_result(ONCE, fluent_last), deck_result(other))] == [
        "Pass rate by position: 1st 2/6, 2nd 2/6, 3rd 4/6. The fixture that flips does so where it stands last, and "
        "only there.",
        "Rate of yes by position: 1st 1/2, 2nd 1/2.",
    ]
    assert by_position(deck_result(missing=range(6))) == ()


def test_by_position__many_places() -> None:
    """Of more than twelve places the lowest and the highest are told."""
    fixtures = tuple(
        Fixture(id=f"f{n}", line=n, fields={"trace": f"t{n}"}, gold="pass" if n else "fail") for n in range(13)
    )
    result = deck_result(trace_deck(fixtures=fixtures, show=("trace",)), last_passes)

    assert plain(by_position(result)) == (
        "Pass rate by position: from 0/13 (1st) to 13/13 (13th). pass goes to whatever stands last, and to nothing "
        "else."
    )


@pytest.mark.parametrize("size", [2, 3, 4])
def test_favoured__accepts_by_place(size: int) -> None:
    """A judge that accepts at some places and nowhere else is told by them, whichever they are; no other judge is."""
    asked = trace_deck(*["pass", "fail", "fail", "pass"][:size])
    sets = [places for number in range(size + 1) for places in combinations(range(size), number)]
    said = {places: favoured(deck_result(asked, accepting(places))) for places in sets}

    last, all_but = size - 1, tuple(range(size - 1))
    assert said[(last,)] == "whatever stands last"
    assert said[(0,)] == "whatever stands first"
    assert said[all_but] == ("all but what stands last" if size > 2 else "whatever stands first")
    assert [places for places, words in said.items() if not words] == [(), tuple(range(size))]
    assert len(set(said.values())) == len(sets) - 1


def test_favoured__several_places() -> None:
    """Two places are named by their numbers; labels that are missing, or given by worth, favour none."""
    asked = trace_deck("pass", "pass", "fail", "fail")
    judges = (first_two_pass, honest, last_flips, drops_the_last)

    assert [favoured(deck_result(asked, judge)) for judge in judges] == ["whatever stands 1st or 2nd", "", "", ""]


def test_favoured__needs_fixtures_that_moved() -> None:
    """Where only such orders were answered in which a fixture kept its place, its worth may be what is seen."""
    asked = planned_deck(trace_deck("pass", "fail", "fail"))
    moved = [index for index, request in enumerate(asked.exam.requests) if request.order[0] != 0]
    result = deck_result(asked.deck, honest, missing=moved)

    assert result.score is not None
    assert [str(place.share) for place in result.score.by_position] == ["2/2", "0/2", "0/2"]
    assert favoured(result) == ""


def test_turning_place__all_that_flip() -> None:
    """The place is told where each fixture that flips has another label there than anywhere else."""
    asked = trace_deck("pass", "pass", "fail", "fail")
    judges = (last_flips, last_passes, first_two_pass, honest, drops_the_last)

    assert [turning_place(deck_result(asked, judge)) for judge in judges] == ["last", "last", None, None, None]
    assert turning_place(deck_result(trace_deck("pass", "fail"), last_flips)) is None
    assert turning_place(deck_result(missing=range(6))) is None


@given(st.integers(min_value=0, max_value=10_000))
def test_turning_place__never_more_than_seen(seed: int) -> None:
    """Whatever a judge says, a place is told only where every fixture that flips keeps to it."""
    result = deck_result(trace_deck("pass", "fail", "fail"), at_random(0.5, seed))
    place = turning_place(result)
    assert result.score is not None
    if place is None:
        return
    at = {"first": 0, "2nd": 1, "last": 2}[place]
    orders = [judged.request.order for judged in in_order([out for out in result.outcomes if isinstance(out, Judged)])]
    for index, fixture in enumerate(result.score.fixtures):
        if fixture.flips:
            by_place = {(order[at] == index, label) for order, label in zip(orders, fixture.labels, strict=True)}
            assert len(by_place) == 2


def test_disagreement__pairs() -> None:
    """Disagreement is told between orders and within them; within is not measured where no order was asked twice."""
    pairs = "Pairs of labels that differ: "

    assert [disagreement(result) for result in (deck_result(ONCE, fluent_last), WAVERS)] == [
        f"{pairs}between orders 8/45, within one order not measured.",
        f"{pairs}between orders 56/180, within one order 8/18.",
    ]
    assert disagreement(deck_result(missing=range(6))) == ""


@given(st.integers(min_value=1, max_value=1_000))
def test_ordinal__english(number: int) -> None:
    """Numbers end as they are spoken: in ``th``, but for 1, 2 and 3 outside the teens."""
    last, teen = number % 10, 10 < number % 100 < 20

    ending = {1: "st", 2: "nd", 3: "rd"}.get(last, "th") if not teen else "th"
    assert ordinal(number) == f"{number}{ending}"
