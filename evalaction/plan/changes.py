"""What a reviewer must not miss: gates that ask for less, and edited expected values and gold labels. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from evalaction.records.case import Case, Contract, Grader
from evalaction.records.deck import Deck
from evalaction.records.plan import Change
from evalaction.values import JSON, Number, canonical

_WEAKER = {
    (Grader.EXACT, Grader.TEXT),
    (Grader.JSON, Grader.TEXT),
    (Grader.JSON, Grader.EXACT),
    (Grader.EXACT, Grader.JUDGE),
    (Grader.TEXT, Grader.JUDGE),
    (Grader.JSON, Grader.JUDGE),
}
"""(before, after): the second folds away what the first tells apart, or asks for no form."""


def loosened(before: Case, after: Case) -> Iterator[Change]:
    """Yield every gate of a case that asks for less than it did.

    A changed schema, or another grader of equal strength, is a changed contract and is not judged here.

    Args:
        before: the case at base.
        after: the case at head.
    """
    old, new = before.contract, after.contract

    def change(field: str, was: JSON, is_: JSON) -> Change:
        return Change(id=after.id, path=after.path, line=after.line, field=field, before=was, after=is_)

    if (old.grader, new.grader) in _WEAKER:
        yield change("grader", old.grader.value, new.grader.value)
    if not set(old.expect_keys) <= set(new.expect_keys):
        yield change("expect_keys", _names(old.expect_keys), _names(new.expect_keys))
    if _agrees_on_less(old, new):
        yield change("agree_on", _names(old.projection), _names(new.projection))
    if old.schema is not None and new.schema is None:
        yield change("schema", old.schema.path or old.schema.document, None)
    yield from (change(field, was, None) for field, was in _dropped(old.expect, new.expect))
    if new.expect is not None and old.expect is not None and new.expect_min < old.expect_min:
        yield change("expect_min", decimal(old.expect_min), decimal(new.expect_min))
    if after.n < before.n:
        yield change("n", before.n, after.n)
    if new.agreement_min < old.agreement_min:
        yield change("agreement_min", decimal(old.agreement_min), decimal(new.agreement_min))
    yield from (change("judge_repeats", *repeats) for repeats in _fewer_repeats(old, new))
    was, is_ = old.max_completion_tokens, new.max_completion_tokens
    if was is not None and (is_ is None or is_ > was):
        yield change("max_completion_tokens", was, is_)


def edited_expected(before: Case, after: Case) -> Iterator[Change]:
    """Yield every expected value of a case that is there on both sides, and differs."""
    old, new = before.contract.expect, after.contract.expect
    if old is None or new is None:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        values = [(f"expect.{key}", old[key], new[key]) for key in old if key in new]
    else:
        values = [("expect", old, new)]
    for field, was, is_ in values:
        if canonical(was) != canonical(is_):
            yield Change(id=after.id, path=after.path, line=after.line, field=field, before=was, after=is_)


def edited_gold(before: Deck, after: Deck) -> Iterator[Change]:
    """Yield every gold label of a deck that differs, of fixtures that are there on both sides."""
    old = {fixture.id: fixture.gold for fixture in before.fixtures}
    for fixture in after.fixtures:
        was = old.get(fixture.id)
        if was is not None and was != fixture.gold:
            yield Change(
                id=fixture.id, path=after.path, line=fixture.line, field="gold", before=was, after=fixture.gold
            )


def decimal(value: Fraction) -> JSON:
    """Return a threshold as the number that it was written as; all thresholds are decimals."""
    if value.denominator == 1:
        return value.numerator
    return Number(Decimal(value.numerator) / Decimal(value.denominator))


def _names(names: tuple[str, ...]) -> JSON:
    return list(names) or None


def _agrees_on_less(old: Contract, new: Contract) -> bool:
    """Tell whether `agree_on` leaves out something that draws had to agree on."""
    if old.agree_on is None and new.agree_on is None:
        return False  # The keys of `expect_keys` are their own change.
    before, after = set(old.projection), set(new.projection)
    return bool(after) and (not before or not before <= after)


def _fewer_repeats(old: Contract, new: Contract) -> list[tuple[int, int]]:
    if old.judge is None or new.judge is None or new.judge.repeats >= old.judge.repeats:
        return []
    return [(old.judge.repeats, new.judge.repeats)]


def _dropped(old: JSON, new: JSON) -> list[tuple[str, JSON]]:
    if old is None:
        return []
    if new is None:
        return [("expect", old)]
    if isinstance(old, dict) and isinstance(new, dict):
        return [(f"expect.{key}", value) for key, value in old.items() if key not in new]
    return []
