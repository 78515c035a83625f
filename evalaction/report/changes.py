"""What is checked differently than at base: in the same words everywhere. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.records.plan import Change, Removed
from evalaction.report import words
from evalaction.report.untrusted import Phrase, quoted


def change(item: Change) -> Phrase:
    """Return ``id field 0.9 → 0.8 (path:line)``."""
    return changes([item])


def changes(items: Sequence[Change], *, source: str | None = None) -> Phrase:
    """Return ``id field 0.9 → 0.8, other 5 → 3 (path:line)``.

    Args:
        items: one at least, all of one line.
        source: see ``words.path``.
    """
    first = items[0]
    sides = [
        [("not set",) if side is None else (words.value(side),) for side in (item.before, item.after)] for item in items
    ]
    parts = [
        (quoted(item.field, words.NAME), " ", *before, " → ", *after)
        for item, (before, after) in zip(items, sides, strict=True)
    ]
    place = words.path(first.path, first.line, source=source)
    return (quoted(first.id, words.ID), " ", *words.listed(parts, len(parts)), " (", place, ")")


def removed(item: Removed) -> Phrase:
    """Return ``case refund_v1 (golden/old.golden.jsonl)``."""
    if item.id is None:
        return (f"{item.kind} ", words.path(item.path))
    return (f"{item.kind} ", quoted(item.id, words.ID), " (", words.path(item.path), ")")
