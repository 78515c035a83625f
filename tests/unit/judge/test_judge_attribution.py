"""Order effects against noise: by hand, against SciPy's permutation test, and by how often it is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test
from support import judging
from support.judging import all_orders, ask, deck_of, replied, verdicts

from evalaction.judge import attribution
from evalaction.judge.attribution import SHUFFLES, order_effect
from evalaction.records.deck import Deck
from evalaction.records.gate import Share
from evalaction.records.judge import Judged, OrderEffect

DECK = deck_of("pass", "fail", "fail")


def share(count: int, of: int) -> Share:
    return Share(count=count, of=of)


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        # Each fixture is alike in its 66 pairs; 12 replies can be dealt into six twos in 12!/(2!⁶ 6!) = 10,395 ways.
        (
            judging.honest,
            OrderEffect(between=share(0, 180), within=share(0, 18), as_telling=share(10_395, 10_395), exact=True),
        ),
        # A fixture stands last in 4 of 12 replies, so 4 · 8 pairs differ, all between. Two orders put the same one
        # last, and the four replies to them can be dealt in 3 ways: 3³.
        (
            judging.last_passes,
            OrderEffect(between=share(96, 180), within=share(0, 18), as_telling=share(27, 10_395), exact=True),
        ),
        # The label left out is like no other: 4 · 8 + 6 pairs differ, 2 of them within.
        (
            judging.drops_the_last,
            OrderEffect(between=share(108, 180), within=share(6, 18), as_telling=share(27, 10_395), exact=True),
        ),
        # No label at all says nothing of the order.
        (
            judging.merges,
            OrderEffect(between=share(180, 180), within=share(18, 18), as_telling=share(10_395, 10_395), exact=True),
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_order_effect__by_hand(judge: judging.Judge, expected: OrderEffect) -> None:
    """What goes by the order differs between orders alone; an honest judge and a mute one show no effect."""
    assert expected == order_effect(DECK, ask(judge, DECK, repeats=2), seed="s")


def test_order_effect__asked_once() -> None:
    """Without an order asked again there is no noise to compare with: it is not measured, and not 0."""
    expected = OrderEffect(between=share(24, 45), within=None, as_telling=None, exact=False)
    assert expected == order_effect(DECK, ask(judging.last_passes, DECK), seed="s")


def test_order_effect__too_few() -> None:
    """Where even the clearest effect could come by chance once in ten, no figure is given; from 35 ways on it is."""
    orders = all_orders(DECK)[:2]
    three = ask(judging.last_passes, DECK, orders=orders, repeats=3)
    expected = OrderEffect(between=share(18, 27), within=share(0, 18), as_telling=None, exact=False)
    assert expected == order_effect(DECK, three, seed="s")
    four = ask(judging.last_passes, DECK, orders=orders, repeats=4)
    expected = OrderEffect(between=share(32, 48), within=share(0, 36), as_telling=share(1, 35), exact=True)
    assert expected == order_effect(DECK, four, seed="s")


def replies_to(askings: Sequence[int], labels: Sequence[str]) -> list[Judged]:
    """Return replies with these labels (three a reply); the first order has the first number of them, and so on."""
    orders = all_orders(DECK)
    asked = [(orders[index], repeat) for index, times in enumerate(askings) for repeat in range(1, times + 1)]
    rows = zip(*[iter(labels)] * 3, strict=True)
    return [
        replied(DECK, order, verdicts(sorted(order), row), repeat=repeat)  # type: ignore[arg-type]
        for (order, repeat), row in zip(asked, rows, strict=True)
    ]


def reference(askings: Sequence[int], labels: Sequence[str], *, resamples: int) -> float:
    """SciPy's p-value for the mean difference between orders less that within them, the replies being exchanged."""
    replies = list(zip(*[iter(labels)] * 3, strict=True))
    order = [index for index, times in enumerate(askings) for _ in range(times)]
    pairs = list(combinations(range(len(order)), 2))

    def statistic(indices: Sequence[int]) -> float:
        apart: dict[bool, list[int]] = {True: [], False: []}
        for one, other in pairs:
            two = (replies[int(indices[one])], replies[int(indices[other])])
            apart[order[one] == order[other]].append(sum(a == "unsure" or a != b for a, b in zip(*two, strict=True)))
        return sum(apart[False]) / len(apart[False]) - sum(apart[True]) / len(apart[True])

    result = permutation_test(
        (list(range(len(order))),),
        statistic,
        permutation_type="pairings",
        alternative="greater",
        vectorized=False,
        n_resamples=resamples,
        rng=5,
    )
    return float(result.pvalue)


@settings(max_examples=8)
@given(st.sampled_from([(3, 2, 1, 1), (2, 2, 2, 1), (4, 3)]), st.data())
def test_order_effect__scipy(askings: tuple[int, ...], data: st.DataObject) -> None:
    """Over all arrangements it is SciPy's p-value over all 5,040 permutations, for unequal numbers of askings too."""
    labels = st.sampled_from(["pass", "pass", "fail", "unsure"])
    said = data.draw(st.lists(labels, min_size=21, max_size=21))
    effect = order_effect(DECK, replies_to(askings, said), seed="s")
    assert effect.as_telling is not None
    assert effect.exact
    assert pytest.approx(reference(askings, said, resamples=5_040)) == float(effect.as_telling.fraction)


SAID = (
    ["fail", "fail", "pass"] * 3 + ["pass", "fail", "pass"] * 2 + ["pass", "pass", "fail", "fail", "fail", "fail"] * 3
)
"""Eleven replies, whose order says something."""


def test_order_effect__at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """A random part of the arrangements gives what all of them give, and SciPy's random part, to 0.02."""
    askings = (4, 4, 3)
    exact = order_effect(DECK, replies_to(askings, SAID), seed="s")
    monkeypatch.setattr(attribution, "ENUMERATED", 0)
    effects = [order_effect(DECK, replies_to(askings, SAID), seed=seed) for seed in ("s", "s", "t")]
    shares = [effect.as_telling for effect in [exact, *effects] if effect.as_telling]
    values = [float(one.fraction) for one in shares]
    expected = [SHUFFLES[0] + 1] * 3
    assert ([True, False, False, False], expected) == (
        [effect.exact for effect in [exact, *effects]],
        [one.of for one in shares[1:]],
    )
    assert [pytest.approx(values[0], abs=0.02)] * 4 == [*values[1:], reference(askings, SAID, resamples=4_999)]
    assert effects[0] == effects[1]


def pairs_apart(judged: Sequence[Judged], *, same: bool) -> Share:
    """Count pair by pair for how many fixtures replies to one order differ, or replies to different orders."""
    said = [(reply.request.order, dict(reply.labels.by_alias)) for reply in judged]
    pairs = [
        (one, other) for (order, one), (next_order, other) in combinations(said, 2) if same == (order == next_order)
    ]
    apart = sum(one[alias] is None or one[alias] != other[alias] for one, other in pairs for alias in one)
    return share(apart, 3 * len(pairs))


@given(st.lists(st.integers(1, 3), min_size=2, max_size=6).filter(lambda askings: max(askings) > 1), st.data())
def test_order_effect__pairs(askings: list[int], data: st.DataObject) -> None:
    """However many replies came to each order, both figures are those of the pairs, counted one by one."""
    labels, number = st.sampled_from(["pass", "fail", "unsure"]), 3 * sum(askings)
    judged = replies_to(askings, data.draw(st.lists(labels, min_size=number, max_size=number)))
    effect = order_effect(DECK, judged, seed="s")
    assert (pairs_apart(judged, same=False), pairs_apart(judged, same=True)) == (effect.between, effect.within)


@pytest.mark.parametrize(
    ("judge", "k", "repeats", "expected"),
    [
        (judging.last_passes, 3, 2, share(27, 10_395)),
        (judging.last_passes, 4, 2, share(1, 5_000)),
        (judging.last_passes, 4, 30, share(1, 2_000)),
        (judging.last_passes, 4, 70, share(1, 1_000)),
        (judging.last_passes, 5, 40, share(1, 500)),
        (judging.last_passes, 5, 83, share(1, 200)),
        (judging.honest, 5, 83, share(200, 200)),
        (judging.merges, 5, 83, share(200, 200)),
    ],
)
def test_order_effect__large(judge: judging.Judge, k: int, repeats: int, expected: Share) -> None:
    """The more replies there are, the fewer arrangements are looked at, and a judge is still told from another."""
    deck = deck_of(*["pass", "fail", "fail", "pass", "fail"][:k])
    assert expected == order_effect(deck, ask(judge, deck, repeats=repeats), seed="s").as_telling


def test_order_effect__one_order_again() -> None:
    """Where one of many orders was asked again, any two of all replies may stand for its two."""
    orders = all_orders(deck := deck_of("pass", "fail", "fail", "pass"))
    judged = [*ask(judging.last_passes, deck, orders=orders[:1], repeats=2), *ask(judging.last_passes, deck)[1:]]
    # 25 replies; 7 have the fixture last that the first order has last, and 6 each of the three others.
    assert share(21 + 3 * 15, 300) == order_effect(deck, judged, seed="s").as_telling


def test_order_effect__too_many() -> None:
    """More replies to one order than can be counted are refused, and counted wrong by no means."""
    orders = all_orders(DECK)[:2]
    with pytest.raises(ValueError, match=r"^256 replies to one order: at most 255 are compared$"):
        order_effect(DECK, ask(judging.honest, DECK, orders=orders, repeats=256), seed="s")
    most = ask(judging.last_passes, DECK, orders=orders, repeats=255)
    assert share(1, 5_000) == order_effect(DECK, most, seed="s").as_telling


def test_order_effect__false_alarms() -> None:
    """A judge that answers at random is held to go by the order in one of twenty decks at most."""
    orders = all_orders(DECK)[:2]
    effects = [
        order_effect(DECK, ask(judging.at_random(0.4, seed), DECK, orders=orders, repeats=4), seed="s")
        for seed in range(300)
    ]
    alarms = sum(effect.as_telling is not None and effect.as_telling.fraction <= 0.05 for effect in effects)
    assert alarms <= 0.05 * len(effects) + 7  # two standard errors


def test_order_effect__seen_in_noise() -> None:
    """An order effect is found beside a judge's noise that is as large as the noise of one who shows none."""
    orders = all_orders(DECK)
    noisy = judging.at_random(0.3, 3)

    def judge(deck: Deck, order: judging.Order) -> str:
        return judging.last_passes(deck, order) if noisy(deck, order).count("pass") < 2 else noisy(deck, order)

    effect = order_effect(DECK, ask(judge, DECK, orders=orders, repeats=4), seed="s")
    assert effect.within is not None
    assert effect.as_telling is not None
    assert (True, True) == (effect.within.count > 0, effect.as_telling.fraction <= 0.01)
