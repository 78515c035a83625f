"""What a deck's figures say of its judge: places, pairs, and whether it is the order or noise. Pure."""

from __future__ import annotations

from fractions import Fraction

from evalaction.records.exam import DeckResult
from evalaction.records.judge import OrderEffect
from evalaction.report import words
from evalaction.report.untrusted import Phrase, quoted

LIKELY = Fraction(1, 20)
"""Share of arrangements up to which an effect of the order is taken for one."""
POSITIONS = 12
"""Places of a request that are named one by one."""

_TWICE = 2


def by_position(result: DeckResult) -> Phrase:
    """Return ``Pass rate by position: 1st 2/6, 2nd 2/6, 3rd 4/6.``; of many places the lowest and the highest."""
    if result.score is None:
        return ()
    first = result.planned.deck.labels[0]
    what: Phrase = ("Pass rate",) if first == "pass" else ("Rate of ", quoted(first, words.NAME))
    places = result.score.by_position
    if len(places) <= POSITIONS:
        said = ", ".join(f"{ordinal(place.number)} {place.share}" for place in places)
        return (*what, f" by position: {said}.")
    low = min(places, key=lambda place: place.share.fraction)
    high = max(places, key=lambda place: place.share.fraction)
    ends = f"from {low.share} ({ordinal(low.number)}) to {high.share} ({ordinal(high.number)})"
    return (*what, f" by position: {ends}.")


def noise(result: DeckResult) -> str:
    """Return whether labels move with the order, or move anyhow; empty where nothing was scored.

    ``The same order asked twice: 0 of 3 flip, so this is order, not noise (permutation test: 27/10395).``
    """
    score, repeats = result.score, result.planned.deck.repeats
    if score is None or result.effect is None:
        return ""
    if score.retest_flip_rate is None:
        asked = "Each order was asked once" if repeats == 1 else "No order was answered twice"
        return f"{asked}: whether labels move in the same order too is not measured."
    retest = score.retest_flip_rate
    asked = "twice" if repeats == _TWICE else f"{repeats} times"
    so = _so(flips=score.judge_flip_rate.count > 0, retest=retest.count > 0, effect=result.effect)
    return f"The same order asked {asked}: {retest.count} of {retest.of} flip{so}."


def _so(*, flips: bool, retest: bool, effect: OrderEffect) -> str:
    """Return what follows from that, with the share that the permutation test tells."""
    told = effect.as_telling
    if not flips:
        return ", so labels move whatever the order: noise" if retest else ""
    if told is None:
        return "; too few replies came to tell order from noise"
    test = f" (permutation test: {told}{'' if effect.exact else ', of random arrangements'})"
    if told.fraction <= LIKELY:
        apart = ", and labels move more between orders than within one: order, beyond the noise"
        return f"{apart if retest else ', so this is order, not noise'}{test}"
    alike = " too, and labels move no more between orders than within one: noise, as far as can be told"
    return f"{alike if retest else ', which is too little to tell order from noise'}{test}"


def disagreement(result: DeckResult) -> str:
    """Return ``Pairs of labels that differ: between orders 24/180, within one order 0/18.``, or nothing."""
    effect = result.effect
    if effect is None:
        return ""
    within = words.NOT_MEASURED if effect.within is None else str(effect.within)
    return f"Pairs of labels that differ: between orders {effect.between}, within one order {within}."


def ordinal(number: int) -> str:
    """Return ``1st``, ``2nd``, ``3rd``, ``4th``, ``11th``, ``21st``."""
    teens = 10 <= number % 100 <= 20  # noqa: PLR2004 - as English has it
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
