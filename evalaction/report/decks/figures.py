"""What a deck's figures say of its judge: places, pairs, and whether it is the order or noise. Pure."""

from __future__ import annotations

from fractions import Fraction

from evalaction.records.deck_result import DeckResult
from evalaction.records.judge import Judged, OrderEffect
from evalaction.report import words
from evalaction.report.untrusted import Phrase, quoted

LIKELY = Fraction(1, 20)
"""Share of arrangements up to which an effect of the order is taken for one."""
POSITIONS = 12
"""Places of a request that are named one by one."""

_TWICE = 2


def by_position(result: DeckResult) -> Phrase:
    """Return ``Pass rate by position: 1st 2/6, 2nd 2/6, 3rd 4/6.``; of many places the lowest and the highest.

    Where the place alone decides, or turns a label, that is said, too.
    """
    if result.score is None:
        return ()
    first = result.planned.deck.labels[0]
    what: Phrase = ("Pass rate",) if first == "pass" else ("Rate of ", quoted(first, words.NAME))
    places = result.score.by_position
    if len(places) <= POSITIONS:
        said = ", ".join(f"{ordinal(place.number)} {place.share}" for place in places)
    else:
        low = min(places, key=lambda place: place.share.fraction)
        high = max(places, key=lambda place: place.share.fraction)
        said = f"from {low.share} ({ordinal(low.number)}) to {high.share} ({ordinal(high.number)})"
    return (*what, f" by position: {said}.", *_so_placed(result))


def _so_placed(result: DeckResult) -> Phrase:
    """Return what follows from where the fixtures stood, where something does."""
    alone, turning = favoured(result), turning_place(result)
    if alone:
        return (" ", quoted(result.planned.deck.labels[0], words.NAME), f" goes to {alone}, and to nothing else.")
    return () if turning is None else (f" {turned(result, turning)}",)


def turned(result: DeckResult, place: str) -> str:
    """Return a sentence on a place at which all fixtures that flip do so."""
    score = result.score
    flips = 0 if score is None else score.judge_flip_rate.count
    which = (
        "The fixture that flips does so where it stands"
        if flips == 1
        else f"All {flips:,} fixtures that flip do so where they stand"
    )
    return f"{which} {place}, and only there."


def favoured(result: DeckResult) -> str:
    """Return what a judge accepts that goes by the place alone: ``whatever stands last``; empty for any other.

    That is one whose every reply gives the deck's first label at the same places, and at no other place, while each
    fixture stood at both.
    """
    score, first = result.score, result.planned.deck.labels[0]
    if score is None or any(None in fixture.labels for fixture in score.fixtures):
        return ""
    if any(fixture.labels.count(first) in {0, len(fixture.labels)} for fixture in score.fixtures):
        return ""
    places = score.by_position
    inside = [place.number for place in places if place.share.count == place.share.of]
    outside = [place.number for place in places if not place.share.count]
    if not inside or not outside or len(inside) + len(outside) < len(places):
        return ""
    few, but = (inside, "whatever stands") if len(inside) <= len(outside) else (outside, "all but what stands")
    if len(few) == 1:
        return f"{but} {place_words(few[0], len(places))}"
    return f"{but} {', '.join(map(ordinal, few[:-1]))} or {ordinal(few[-1])}"


def turning_place(result: DeckResult) -> str | None:
    """Return the place at which every fixture that flips has one label, and another one everywhere else.

    None where there is no such place, a label is missing, or a fixture stood there in one order alone, which any single
    odd reply would do.
    """
    if result.score is None:
        return None
    flipping = [index for index, fixture in enumerate(result.score.fixtures) if fixture.flips]
    if not flipping or any(None in result.score.fixtures[index].labels for index in flipping):
        return None
    places = range(len(result.planned.deck.fixtures))
    told = [place for place in places if all(_turns(result, index, place) for index in flipping)]
    return place_words(told[0] + 1, len(places)) if len(told) == 1 else None


def _turns(result: DeckResult, index: int, place: int) -> bool:
    """Return whether a fixture has one label where it stands at ``place``, from 0, and another one elsewhere."""
    there: set[str | None] = set()
    elsewhere: set[str | None] = set()
    orders: set[tuple[int, ...]] = set()
    for outcome in result.outcomes:
        if isinstance(outcome, Judged):
            at = outcome.request.order.index(index)
            (there if at == place else elsewhere).add(outcome.labels.by_alias[at][1])
            if at == place:
                orders.add(outcome.request.order)
    return len(there) == len(elsewhere) == 1 and there != elsewhere and len(orders) > 1


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
    alike = " too, and labels are not shown to move more between orders than within one: noise, as far as can be told"
    return f"{alike if retest else ', which is too little to tell order from noise'}{test}"


def disagreement(result: DeckResult) -> str:
    """Return ``Pairs of labels that differ: between orders 24/180, within one order 0/18.``, or nothing."""
    effect = result.effect
    if effect is None:
        return ""
    within = words.NOT_MEASURED if effect.within is None else str(effect.within)
    return f"Pairs of labels that differ: between orders {effect.between}, within one order {within}."


def place_words(number: int, of: int) -> str:
    """Return ``first``, ``last``, ``3rd``: a place of a request, from 1."""
    return {1: "first", of: "last"}.get(number, ordinal(number))


def ordinal(number: int) -> str:
    """Return ``1st``, ``2nd``, ``3rd``, ``4th``, ``11th``, ``21st``."""
    teens = 10 <= number % 100 <= 20  # noqa: PLR2004 - as English has it
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
