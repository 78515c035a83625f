"""Which JSON values can be compared: their strings have normal forms, and keys of one object differ in them. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection

from evalaction.letters import MAX_MARKS, has_too_many_marks, nfc
from evalaction.values import JSON

_SHOWN = 60
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, default=lambda _: 0)


def is_ascii(value: JSON) -> bool:
    """Return whether all strings and keys of ``value`` are ASCII, which is their own normal form; fast."""
    if isinstance(value, dict | list):
        return _ENCODER.encode(value).isascii()
    return not isinstance(value, str) or value.isascii()


def why_incomparable(value: JSON) -> str | None:
    """Return why ``value`` has no normal form, or None."""
    if is_ascii(value):
        return None
    stack = [[value]]
    while stack:
        items = stack.pop()
        for item in [each for each in items if isinstance(each, str | list | dict)]:
            if isinstance(item, list):
                stack.append(item)
                continue
            texts = [item] if isinstance(item, str) else list(item)
            if any(not text.isascii() and has_too_many_marks(text) for text in texts):
                return f"more than {MAX_MARKS} combining marks in a row in a string"
            if isinstance(item, str):
                continue
            if (twice := same_key(item)) is not None:
                return f"two keys of one object are the same in Unicode NFC: {_shown(twice)}"
            stack.append(list(item.values()))
    return None


def _shown(key: str) -> str:
    return json.dumps(key if len(key) <= _SHOWN else key[:_SHOWN] + "…", ensure_ascii=False)


def same_key(names: Collection[str]) -> str | None:
    """Return the first of different names that is another one in Unicode NFC, in that form; None where none is."""
    if all(map(str.isascii, names)):
        return None
    seen: set[str] = set()
    for key in map(nfc, names):
        if key in seen:
            return key
        seen.add(key)
    return None
