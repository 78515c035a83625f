"""What a reviewer must not miss: gates that ask for less, and edited expected values and gold labels. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from evalaction import fingerprint
from evalaction.answer.equality import equal
from evalaction.letters import nfc
from evalaction.plan.options import is_weaker, looser
from evalaction.records.case import Case, Command, Compare, Contract, Grader
from evalaction.records.deck import Deck
from evalaction.records.plan import Change
from evalaction.values import JSON, Number, sha256


def loosened(before: Case, after: Case) -> Iterator[Change]:
    """Yield every gate of a case that asks for less than it did.

    A changed schema or pattern, or another grader of equal strength, is a changed contract and is not judged here.

    Args:
        before: the case at base.
        after: the case at head.
    """
    old, new = before.contract, after.contract

    def change(field: str, was: JSON, is_: JSON) -> Change:
        return Change(id=after.id, path=after.path, line=after.line, field=field, before=was, after=is_)

    if is_weaker(old.grader, new.grader):
        yield change("grader", old.grader.value, new.grader.value)
    if not set(old.expect_keys) <= set(new.expect_keys):
        yield change("expect_keys", _names(old.expect_keys), _names(new.expect_keys))
    if _agrees_on_less(old, new):
        yield change("agree_on", _names(old.projection), _names(new.projection))
    if old.schema is not None and new.schema is None:
        yield change("schema", old.schema.path or old.schema.document, None)
    yield from (change(field, was, None) for field, was in _dropped(old, new))
    if new.expect is not None and old.expect is not None and new.expect_min < old.expect_min:
        yield change("expect_min", decimal(old.expect_min), decimal(new.expect_min))
    if after.n < before.n:
        yield change("n", before.n, after.n)
    if new.agreement_min < old.agreement_min:
        yield change("agreement_min", decimal(old.agreement_min), decimal(new.agreement_min))
    yield from (change(*less) for less in looser(old, new))
    yield from (change("judge_repeats", *repeats) for repeats in _fewer_repeats(old, new))
    was, is_ = old.max_completion_tokens, new.max_completion_tokens
    if was is not None and (is_ is None or is_ > was):
        yield change("max_completion_tokens", was, is_)


def edited_expected(before: Case, after: Case) -> Iterator[Change]:
    """Yield every expected value of a case that is there on both sides, and differs.

    Values that count as equal on both sides are no edit. Being within a tolerance is: it moves what is allowed. What a
    command runs decides what is right, as an expected value does, so that an edit of it is shown beside them.
    """
    old, new = before.contract, after.contract
    if old.command is not None and new.command is not None:
        yield from (_edit(after, *edited) for edited in _edited_command(old.command, new.command))
    if old.expect is None or new.expect is None or Grader.COMMAND in {old.grader, new.grader}:
        return
    if isinstance(old.expect, dict) and isinstance(new.expect, dict):
        now = {nfc(key): (key, value) for key, value in new.expect.items()}
        for key, was in old.expect.items():
            named, is_ = now.get(nfc(key), (None, None))
            if named is not None and not _equal(was, is_, (old.compared(key), new.compared(named))):
                yield _edit(after, f"expect.{named}", was, is_)
    elif not _equal(old.expect, new.expect, (old.whole, new.whole)):
        field = "expect" if new.expect_path is None else "expect_file"
        yield _edit(after, field, _shown(old), _shown(new))


def _edited_command(old: Command, new: Command) -> Iterator[tuple[str, JSON, JSON]]:
    if old.argv != new.argv:
        yield "command", list(old.argv), list(new.argv)
    was, is_ = dict(old.digests), dict(new.digests)
    for name in sorted({*was, *is_}):
        if was.get(name) != is_.get(name):
            yield f"command_files.{name}", _short(was.get(name)), _short(is_.get(name))


def _short(digest: str | None) -> JSON:
    return None if digest is None else f"sha256 {fingerprint.short(digest)}"


def _equal(one: JSON, other: JSON, ways: tuple[Compare, ...]) -> bool:
    return all(equal(one, other, way) for way in ways)


def _edit(after: Case, field: str, was: JSON, is_: JSON) -> Change:
    return Change(id=after.id, path=after.path, line=after.line, field=field, before=was, after=is_)


def _shown(contract: Contract) -> JSON:
    """Return an expected value for people: of a file, which may be long, its path and the first of its SHA-256."""
    if contract.expect_path is None or not isinstance(contract.expect, str):
        return contract.expect
    return f"{contract.expect_path} (sha256 {fingerprint.short(sha256(contract.expect.encode()))})"


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


def _dropped(before: Contract, after: Contract) -> list[tuple[str, JSON]]:
    old, new = before.expect, after.expect
    if old is None or before.command is not None:
        return []  # That a command is gone is said of the command.
    if new is None:
        return [("expect", old) if before.expect_path is None else ("expect_file", before.expect_path)]
    if isinstance(old, dict) and isinstance(new, dict):
        kept = set(map(nfc, new))
        return [(f"expect.{key}", value) for key, value in old.items() if nfc(key) not in kept]
    return []
