"""What scripted judges come to: every figure of each, whole, and that none depends on which reply came first."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import judging
from support.judging import Judge, all_orders, ask, deck_of, replied, verdicts

from evalaction.judge.attribution import order_effect
from evalaction.judge.score import score_deck
from evalaction.records.deck import Deck
from evalaction.records.gate import Share
from evalaction.records.judge import DeckScore, FixtureScore, Judged, OrderEffect, Position

THREE = deck_of("pass", "fail", "fail")
FOUR = deck_of("pass", "pass", "fail", "fail")
SQUARE = [(0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1)]
"""Four orders in which each of four fixtures stands once at every position and once after every other."""
NAMES = {"P": "pass", "F": "fail", "-": None}


def share(text: str) -> Share:
    count, of = text.split("/")
    return Share(count=int(count), of=int(of))


def score(
    deck: Deck,
    fixtures: list[tuple[str, str, str]],
    *,
    flips: str,
    gold: str,
    by_position: list[str],
    retest_flips: str | None = None,
) -> DeckScore:
    """Build a score; a fixture is its labels, ``=`` or ``flips`` (then perhaps ``retest``), and its gold."""
    return DeckScore(
        fixtures=tuple(
            FixtureScore(
                id=fixture.id,
                gold=fixture.gold,
                labels=tuple(NAMES[label] for label in labels),
                flips="flips" in moves,
                retest_flips=None if retest_flips is None else "retest" in moves,
                gold_met=share(met),
            )
            for fixture, (labels, moves, met) in zip(deck.fixtures, fixtures, strict=True)
        ),
        judge_flip_rate=share(flips),
        retest_flip_rate=None if retest_flips is None else share(retest_flips),
        gold=share(gold),
        by_position=tuple(Position(number=number, share=share(text)) for number, text in enumerate(by_position, 1)),
    )


NOTHING_READ = score(
    THREE, [("------", "flips", "0/6")] * 3, flips="3/3", gold="0/18", by_position=["0/6", "0/6", "0/6"]
)


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (
            judging.honest,
            score(
                THREE,
                [("PPPPPP", "=", "6/6"), ("FFFFFF", "=", "6/6"), ("FFFFFF", "=", "6/6")],
                flips="0/3",
                gold="18/18",
                by_position=["2/6", "2/6", "2/6"],
            ),
        ),
        (
            judging.last_passes,
            score(
                THREE,
                [("FFFPFP", "flips", "2/6"), ("FPFFPF", "flips", "4/6"), ("PFPFFF", "flips", "4/6")],
                flips="3/3",
                gold="10/18",
                by_position=["0/6", "0/6", "6/6"],
            ),
        ),
        (
            judging.first_two_pass,
            score(
                THREE,
                [("PPPFPF", "flips", "4/6"), ("PFPPFP", "flips", "2/6"), ("FPFPPP", "flips", "2/6")],
                flips="3/3",
                gold="8/18",
                by_position=["6/6", "6/6", "0/6"],
            ),
        ),
        (
            judging.last_flips,
            score(
                THREE,
                [("PPPFPF", "flips", "4/6"), ("FPFFPF", "flips", "4/6"), ("PFPFFF", "flips", "4/6")],
                flips="3/3",
                gold="12/18",
                by_position=["2/6", "2/6", "4/6"],
            ),
        ),
        (
            judging.drops_the_last,
            score(
                THREE,
                [("PPP-P-", "flips", "4/6"), ("F-FF-F", "flips", "4/6"), ("-F-FFF", "flips", "4/6")],
                flips="3/3",
                gold="12/18",
                by_position=["2/6", "2/6", "0/6"],
            ),
        ),
        (judging.by_index, NOTHING_READ),
        (judging.merges, NOTHING_READ),
        (judging.in_prose, NOTHING_READ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_score_deck__judges(judge: Judge, expected: DeckScore) -> None:
    """Over all six orders each judge is exactly what it is: by hand, every label of it."""
    assert expected == score_deck(THREE, ask(judge, THREE))


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (
            judging.honest,
            score(
                FOUR,
                [("PPPP", "=", "4/4"), ("PPPP", "=", "4/4"), ("FFFF", "=", "4/4"), ("FFFF", "=", "4/4")],
                flips="0/4",
                gold="16/16",
                by_position=["2/4", "2/4", "2/4", "2/4"],
            ),
        ),
        (
            judging.first_two_pass,
            score(
                FOUR,
                [
                    ("PFFP", "flips", "2/4"),
                    ("PPFF", "flips", "2/4"),
                    ("FPPF", "flips", "2/4"),
                    ("FFPP", "flips", "2/4"),
                ],
                flips="4/4",
                gold="8/16",
                by_position=["4/4", "4/4", "0/4", "0/4"],
            ),
        ),
        (
            judging.last_flips,
            score(
                FOUR,
                [
                    ("PPFP", "flips", "3/4"),
                    ("PPPF", "flips", "3/4"),
                    ("PFFF", "flips", "3/4"),
                    ("FPFF", "flips", "3/4"),
                ],
                flips="4/4",
                gold="12/16",
                by_position=["2/4", "2/4", "2/4", "2/4"],
            ),
        ),
        (
            judging.by_index,
            score(
                FOUR,
                [("----", "flips", "0/4")] * 4,
                flips="4/4",
                gold="0/16",
                by_position=["0/4", "0/4", "0/4", "0/4"],
            ),
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_score_deck__square(judge: Judge, expected: DeckScore) -> None:
    """Four of the 24 orders are enough to tell these judges apart, and an answer by number is never a label."""
    assert expected == score_deck(FOUR, ask(judge, FOUR, orders=SQUARE))


def scripted(deck: Deck, replies: list[tuple[tuple[int, ...], int, str]]) -> list[Judged]:
    """Return judged requests; a reply is its order, its repeat, and the labels by position (``.`` leaves one out)."""
    judged = []
    for order, repeat, letters in replies:
        said = {index: NAMES[letter] for index, letter in zip(order, letters, strict=True) if letter != "."}
        text = verdicts(tuple(said), [label or "unsure" for label in said.values()])
        judged.append(replied(deck, order, text, repeat=repeat))
    return judged


def test_score_deck__retest() -> None:
    """Flips between orders are those of the first askings; what moves when one order is asked again stands apart."""
    deck = deck_of("pass", "fail", "pass")
    judged = scripted(
        deck,
        [
            ((0, 1, 2), 1, "PFP"),
            ((0, 1, 2), 2, "PPP"),  # f2 moves
            ((1, 2, 0), 1, "FFP"),  # f3 is another than in the first order
            ((1, 2, 0), 2, "FFP"),
            ((2, 0, 1), 1, "PPF"),
            ((2, 0, 1), 2, "P.F"),  # f1 is left out
        ],
    )
    expected = score(
        deck,
        [("PPPPP-", "= retest", "5/6"), ("FPFFFF", "= retest", "5/6"), ("PPFFPP", "flips", "4/6")],
        flips="1/3",
        retest_flips="2/3",
        gold="14/18",
        by_position=["4/6", "2/6", "4/6"],
    )
    assert expected == score_deck(deck, judged)


def test_score_deck__some_again() -> None:
    """One order that is asked again is a retest of every fixture; a fixture without a label in it moves."""
    deck = deck_of("pass", "fail")
    judged = scripted(deck, [((0, 1), 1, "P."), ((0, 1), 2, "P."), ((1, 0), 1, "FP")])
    expected = score(
        deck,
        [("PPP", "=", "3/3"), ("--F", "flips retest", "1/3")],
        flips="1/2",
        retest_flips="1/2",
        gold="4/6",
        by_position=["2/3", "1/3"],
    )
    assert expected == score_deck(deck, judged)


def test_score_deck__in_part() -> None:
    """Where not every request was answered, the figures are those of what came, each over what it counts."""
    deck = deck_of("pass", "fail", "pass")
    judged = scripted(
        deck,
        [
            ((0, 1, 2), 1, "PFP"),
            ((1, 2, 0), 2, "FPF"),  # its first asking did not come: f1 is another, and does not flip by this
            ((2, 0, 1), 1, "FPF"),  # f3 is another than in the first order
        ],
    )
    expected = score(
        deck,
        [("PFP", "=", "2/3"), ("FFF", "=", "3/3"), ("PPF", "flips", "2/3")],
        flips="1/3",
        gold="7/9",
        by_position=["1/3", "2/3", "1/3"],
    )
    assert expected == score_deck(deck, judged)
    effect = order_effect(deck, judged, seed="s")
    assert OrderEffect(between=share("4/9"), within=None, as_telling=None, exact=False) == effect
    with pytest.raises(ValueError, match="fewer than two orders"):
        score_deck(deck, judged[1:])


@given(st.integers(2, 4), st.data())
def test_score_deck__any_part(k: int, data: st.DataObject) -> None:
    """Any part of the replies with two first askings has a score, of whose labels no one is lost."""
    deck = deck_of(*["pass", "fail", "pass", "fail"][:k])
    judged = ask(judging.at_random(0.5, data.draw(st.integers(0, 99))), deck, repeats=2)
    later = data.draw(st.lists(st.sampled_from(range(1, len(judged), 2)), unique=True))
    first = data.draw(st.lists(st.sampled_from(range(0, len(judged), 2)), min_size=2, unique=True))
    part = [*later, *first]
    result = score_deck(deck, [judged[index] for index in part])
    assert {len(part)} == {len(fixture.labels) for fixture in result.fixtures}
    assert len(part) * k == result.gold.of
    passed = sum(fixture.labels.count("pass") for fixture in result.fixtures)
    assert [(number, len(part)) for number in range(1, k + 1)] == [
        (position.number, position.share.of) for position in result.by_position
    ]
    assert passed == sum(position.share.count for position in result.by_position)


def test_score_deck__one_missing() -> None:
    """A fixture that has no label in a single order flips, and misses gold there alone."""
    deck = deck_of("pass", "fail")
    expected = score(
        deck,
        [("PP", "=", "2/2"), ("F-", "flips", "1/2")],
        flips="1/2",
        gold="3/4",
        by_position=["1/2", "1/2"],
    )
    assert expected == score_deck(deck, scripted(deck, [((0, 1), 1, "PF"), ((1, 0), 1, "-P")]))


def test_score_deck__first_label() -> None:
    """What is counted by position is the label that the deck names first."""
    deck = deck_of("good", "poor", "poor", labels=("poor", "fair", "good"))
    by_position = score_deck(deck, ask(judging.honest, deck)).by_position
    assert tuple(Position(number=number, share=Share(count=4, of=6)) for number in (1, 2, 3)) == by_position


@given(st.integers(2, 5), st.integers(2, 3), st.integers(1, 3), st.data())
def test_score_deck__definitions(k: int, orders: int, repeats: int, data: st.DataObject) -> None:
    """For any labels in any order of arrival each figure is what its definition counts, one by one."""
    deck = deck_of(*data.draw(st.lists(st.sampled_from(["pass", "fail"]), min_size=k, max_size=k)))
    asked = data.draw(st.lists(st.permutations(range(k)).map(tuple), min_size=orders, max_size=orders, unique=True))
    letters = st.text(alphabet="PF-.", min_size=k, max_size=k)
    cells = [(order, repeat, data.draw(letters)) for order in sorted(asked) for repeat in range(1, repeats + 1)]
    said = {
        (order, repeat): {index: NAMES.get(letter) for index, letter in zip(order, text, strict=True)}
        for order, repeat, text in cells
    }

    def moves(index: int, keys: list[tuple[tuple[int, ...], int]]) -> bool:
        given = [said[key][index] for key in keys]
        return any(one is None or one != other for one in given for other in given)

    again = [[(order, repeat) for repeat in range(1, repeats + 1)] for order in sorted(asked)]
    flips = [moves(index, [(order, 1) for order in asked]) for index in range(k)]
    retests = [any(moves(index, keys) for keys in again) if repeats > 1 else None for index in range(k)]
    met = [sum(row[index] == deck.fixtures[index].gold for row in said.values()) for index in range(k)]
    expected = DeckScore(
        fixtures=tuple(
            FixtureScore(
                id=fixture.id,
                gold=fixture.gold,
                labels=tuple(row[index] for row in said.values()),
                flips=flips[index],
                retest_flips=retests[index],
                gold_met=Share(count=met[index], of=len(cells)),
            )
            for index, fixture in enumerate(deck.fixtures)
        ),
        judge_flip_rate=Share(count=flips.count(True), of=k),
        retest_flip_rate=Share(count=retests.count(True), of=k) if repeats > 1 else None,
        gold=Share(count=sum(met), of=k * len(cells)),
        by_position=tuple(
            Position(
                number=place + 1,
                share=Share(count=sum(text[place] == "P" for _, _, text in cells), of=len(cells)),
            )
            for place in range(k)
        ),
    )
    assert expected == score_deck(deck, data.draw(st.permutations(scripted(deck, cells))))


@settings(max_examples=5)
@given(st.randoms(use_true_random=False))
def test_score_deck__arrival(rng: random.Random) -> None:
    """The order in which replies arrive changes nothing, of the score and of the test of order effects."""
    judged = ask(judging.at_random(0.5, 7), THREE, repeats=2)
    arrived = rng.sample(judged, len(judged))
    assert score_deck(THREE, judged) == score_deck(THREE, arrived)
    assert order_effect(THREE, judged, seed="s") == order_effect(THREE, arrived, seed="s")


@given(st.integers(2, 5), st.data())
def test_score_deck__order_blind(k: int, data: st.DataObject) -> None:
    """A judge that says one thing of a fixture never flips, and one that goes by a single place always does."""
    deck = deck_of(*["pass", "fail", "pass", "fail", "pass"][:k])
    table = data.draw(st.lists(st.sampled_from(["pass", "fail"]), min_size=k, max_size=k))
    place = data.draw(st.integers(0, k - 1))
    blind = ask(lambda _, order: verdicts(order, [table[index] for index in order]), deck)
    by_place = ask(lambda _, order: verdicts(order, ["pass" if at == place else "fail" for at in range(k)]), deck)
    assert Share(count=0, of=k) == score_deck(deck, blind).judge_flip_rate
    assert Share(count=k, of=k) == score_deck(deck, by_place).judge_flip_rate


def test_score_deck__random() -> None:
    """A judge that passes 30 % of everything meets gold and stands at every position as that says."""
    judged = ask(judging.at_random(0.3, 11), FOUR, repeats=20)
    result, effect = score_deck(FOUR, judged), order_effect(FOUR, judged[:192], seed="s")
    assert [pytest.approx(0.3, abs=0.06)] * 4 == [float(position.share.fraction) for position in result.by_position]
    met = [float(fixture.gold_met.fraction) for fixture in result.fixtures]
    assert [pytest.approx(chance, abs=0.06) for chance in (0.3, 0.3, 0.7, 0.7)] == met
    assert (Share(count=4, of=4), Share(count=4, of=4)) == (result.judge_flip_rate, result.retest_flip_rate)
    assert effect.within is not None
    # Two labels differ with a chance of 2 · 0.3 · 0.7.
    apart = [float(effect.between.fraction), float(effect.within.fraction)]
    assert [pytest.approx(0.42, abs=0.03)] * 2 == apart


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        ([], "fewer than two orders"),
        (ask(judging.honest, THREE, orders=[(0, 1, 2)], repeats=5), "fewer than two orders"),
        (ask(judging.honest, THREE) + ask(judging.honest, THREE, orders=[(2, 1, 0)]), "two replies to one asking"),
        (ask(judging.honest, FOUR), "not of the deck 'deck'"),
        (ask(judging.honest, deck_of("pass", "fail")), "not of the deck 'deck'"),
    ],
    ids=["none", "one_order", "twice", "longer", "shorter"],
)
def test_score_deck__no_score(judged: list[Judged], message: str) -> None:
    """Without two orders there is no flip rate that could be 0, and no other replies give one."""
    with pytest.raises(ValueError, match=message):
        score_deck(THREE, judged)
    with pytest.raises(ValueError, match=message):
        order_effect(THREE, judged, seed="s")


def test_all_orders__square() -> None:
    """The square is one: each fixture once at every position, and once after every other."""
    assert [sorted(column) for column in zip(*SQUARE, strict=True)] == [[0, 1, 2, 3]] * 4
    followed = sorted(pair for order in SQUARE for pair in pairwise(order))
    assert followed == [order[:2] for order in all_orders(FOUR)[::2]]
