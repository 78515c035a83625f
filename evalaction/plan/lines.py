"""A plan in plain words, for a terminal or a log. Pure.

Ids, paths and values come from files of a pull request: what cannot be printed is shown by its number, so
no line holds a control character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evalaction.records.plan import Change, Plan, PlannedCase, PlannedDeck, Removed
from evalaction.values import JSON, dumps

SHOWN = 20
"""Entries of a list that are shown; the rest is counted, and stands in ``plan --json``."""
_LONGEST = 200


def plan_lines(plan: Plan) -> tuple[str, ...]:
    """Return what would be drawn and why, what a reviewer must not miss, and how many calls it takes."""
    found = [_headline(plan)]
    found += _listed("", [_case(planned) for planned in plan.cases])
    found += _listed("Affected deck, which this version cannot judge: ", [_deck(planned) for planned in plan.decks])
    found += _listed("Gate loosened: ", [_change(item) for item in plan.loosened])
    found += _listed("Expected value edited: ", [_change(item) for item in plan.edited_gold])
    found += _listed("Removed: ", [_removed(item) for item in plan.removed])
    found += [f"Note: {note}" for note in plan.notes]
    found.append(f"{_count(plan.draws, 'call')} planned for draws; a call that fails is tried again.")
    return tuple(_visible(line) for line in found)


def _headline(plan: Plan) -> str:
    parts = [f"{_count(len(plan.cases), 'case')} of {plan.total:,} to be drawn", f"{plan.unaffected:,} unaffected"]
    if plan.chosen is not None:
        parts.append(f"{plan.not_chosen:,} affected but not chosen (chosen: {plan.chosen})")
    return ", ".join(parts) + "."


def _case(planned: PlannedCase) -> str:
    case = planned.case
    reasons = ", ".join(planned.reasons)
    files = f" ({', '.join(planned.changed_files)})" if planned.changed_files else ""
    return f"{case.path}:{case.line} {case.id}: {reasons}{files}, n {case.n}"


def _deck(planned: PlannedDeck) -> str:
    return f"{planned.deck.name} ({planned.deck.path}): {', '.join(planned.reasons)}"


def _change(item: Change) -> str:
    return f"{item.path}:{item.line} {item.id}: {item.field} {_value(item.before)} → {_value(item.after)}"


def _removed(item: Removed) -> str:
    return f"{item.kind} {item.path}" if item.id is None else f"{item.kind} {item.id} ({item.path})"


def _value(value: JSON) -> str:
    if value is None:
        return "not set"
    text = dumps(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _listed(title: str, items: Sequence[str]) -> Iterator[str]:
    yield from (f"{title}{item}" for item in items[:SHOWN])
    if len(items) > SHOWN:
        yield f"{title}and {len(items) - SHOWN:,} more"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _visible(text: str) -> str:
    return "".join(_characters(text))


def _characters(text: Iterable[str]) -> Iterator[str]:
    return (character if character.isprintable() else f"⟨U+{ord(character):04X}⟩" for character in text)
