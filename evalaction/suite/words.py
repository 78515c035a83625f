"""Words for people: near matches, lists, what a JSON value is called, JSON with one entry a line. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from itertools import islice

from evalaction.values import JSON, dumps

_MANY = 2_000
"""Names beyond which no near match is looked for: it would take longer than the mistake is worth."""


def near(word: str, known: Iterable[str]) -> str | None:
    """Return ``Did you mean …?`` with the nearest of ``known``, or None when none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - for mistakes alone

    found = get_close_matches(word, list(islice(known, _MANY)), n=1, cutoff=0.7)
    return f"Did you mean {found[0]}?" if found else None


def listed(words: Iterable[str]) -> str:
    """Return the words with commas between them."""
    return ", ".join(words)


def kind(value: JSON) -> str:
    """Return what ``value`` is, with its article: ``a text``, ``a list``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def indented(value: JSON, *, step: str, line: str = "\n") -> str:
    """Return ``value`` as JSON text, keys sorted, with one entry a line and ``step`` before it for each level."""
    inner = line + step
    if isinstance(value, dict) and value:
        entries = [f"{inner}{dumps(key)}: {indented(value[key], step=step, line=inner)}" for key in sorted(value)]
        return f"{{{','.join(entries)}{line}}}"
    if isinstance(value, list) and value:
        entries = [f"{inner}{indented(item, step=step, line=inner)}" for item in value]
        return f"[{','.join(entries)}{line}]"
    return dumps(value)


def count(number: int, noun: str) -> str:
    """Return ``1 case``, ``2 cases``, ``1,000 cases``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"
