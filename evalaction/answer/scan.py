"""JSON objects that stand in prose: found in one pass, whole or not at all. Pure.

What stands inside other brackets is part of something else, and is never taken out of it: an inner object
of a broken one would be a value that the model did not give.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from evalaction.values import JSON, InvalidJSON, canonical, parse_prefix

EFFORT = 10
"""Times the text's length that may be read for brackets that turn out to be prose: keeps the time linear."""

_TOKEN = re.compile(r"[{}\[]")
_OBJECT = re.compile(r'\{[ \t\r\n]*["}]')
_ARRAY = re.compile(r'\[[ \t\r\n]*(?:["{\[\]0-9-]|true\b|false\b|null\b)')
_DEFINITE_ARRAY = re.compile(r'\[[ \t\r\n\[]{0,200}+(?:"|\{[ \t\r\n]*["}])')
"""An array that begins with a string or an object: no citation mark, no range, no link."""


@dataclass(kw_only=True, slots=True)
class Found:
    """What a text holds of JSON values; filled while it is searched."""

    distinct: dict[bytes, JSON] = field(default_factory=dict)
    """Canonical bytes → value; two at most: the second decides that there is no answer."""
    fault: InvalidJSON | None = None
    """Something that begins as JSON and is not."""
    enclosed: bool = False
    """An object stands inside other brackets."""

    def add(self, value: JSON) -> None:
        """Keep ``value``, unless an equal one is kept already."""
        self.distinct.setdefault(canonical(value), value)

    def merge(self, other: Found) -> None:
        """Keep what ``other`` found, after what was found before."""
        self.distinct = {**self.distinct, **other.distinct}
        self.fault = self.fault or other.fault
        self.enclosed = self.enclosed or other.enclosed

    @property
    def values(self) -> list[JSON]:
        """The values that differ."""
        return list(self.distinct.values())

    @property
    def decided(self) -> bool:
        """Whether nothing that follows can lead to an answer."""
        return self.fault is not None or len(self.distinct) > 1


def scan(text: str, *, arrays: bool) -> Found:
    """Look for JSON objects in ``text``.

    ``{`` before a quotation mark or ``}`` begins an object; one that then does not parse is a fault, and
    so are braces that do not match beside an object. Any other ``{`` is prose (``{name}``, a set, code).

    Args:
        text: prose, perhaps with JSON in it.
        arrays: an array counts too; otherwise one is skipped with all that it holds.
    """
    found = Found()
    depth = spent = position = 0
    while not found.decided and (match := _TOKEN.search(text, position)):
        start, position = match.start(), match.end()
        if match.group() == "}":
            depth -= 1
            if depth < 0 and found.distinct:
                found.fault = InvalidJSON("a closing brace without its opening one", start)
            depth = max(depth, 0)
            continue
        if not (_OBJECT if match.group() == "{" else _ARRAY).match(text, start):
            depth += match.group() == "{"
            continue
        try:
            value, position = parse_prefix(text, start)
        except InvalidJSON as error:
            # Where the value is beyond a limit, its error stands at its start: all of the rest may have been read.
            spent += error.position - start or len(text) - start
            holds_object = "{" in text[start : error.position]
            if match.group() == "{" or holds_object or _DEFINITE_ARRAY.match(text, start) or spent > EFFORT * len(text):
                found.fault = error
            continue
        _keep(found, value, outermost=depth == 0, arrays=arrays)
    if depth and found.distinct and not found.fault:
        found.fault = InvalidJSON("an opening brace without its closing one", len(text))
    return found


def _keep(found: Found, value: JSON, *, outermost: bool, arrays: bool) -> None:
    if outermost and (arrays or isinstance(value, dict)):
        found.add(value)
    elif isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value)):
        found.enclosed = True
