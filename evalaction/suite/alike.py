"""What a golden line has for itself, and what it has in common with others. Pure.

Large golden files repeat one line but for its id, its request and its expected value. Two lines with the
same in common differ in nothing else: where one of them is right, so is the other when its own values are.
"""

from __future__ import annotations

from collections.abc import Hashable

from evalaction import late
from evalaction.values import JSON, MAX_DEPTH, InvalidJSON, parse, parse_prefix

Parts = tuple[dict[str, JSON], Hashable]
"""(a line's own values by their fields, what it has in common with others)."""

_OWN = frozenset({"id", "prompt", "messages", "expect", "tags", "note"})
_STRING = r'"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+"'
_START = late.pattern(rf'\{{"id": ?({_STRING}|0|[1-9][0-9]{{0,14}}), ?"(?:prompt": ?({_STRING})|messages": ?)')
_EXPECT = '"expect":'


def parts_of_text(text: str) -> Parts | None:
    """Take a line apart without reading what it has in common with others.

    What stays is the text around the values that were taken out, each of which was read. JSON has no
    context, so a text that was right around other values is right around these.

    Args:
        text: the line, decoded from UTF-8; it need not be JSON.

    Returns:
        Its parts; None when it does not begin with its id and its request, in the usual writing.
    """
    match = _START.match(text)
    if match is None:
        return None
    name, prompt = match.groups()
    end = match.end()
    own: dict[str, JSON] = {}
    try:
        own["id"] = _scalar(name)
        if prompt is not None:
            own["prompt"] = _scalar(prompt)
        else:
            own["messages"], end = _nested(text, end)
        before, found, rest = text[end:].partition(_EXPECT)
        # Without a brace before it, this is the field of the line itself and not one of an object within.
        if not found or "{" in before:
            return own, (prompt is None, before, found, rest)
        own["expect"], end = _nested(rest, int(rest.startswith(" ")))
    except InvalidJSON:
        return None
    return own, (prompt is None, before, type(own["expect"]), rest[end:])


def parts_of_row(row: dict[str, JSON]) -> Parts | None:
    """Take a line's object apart; None when what it has in common with others nests."""
    own = {name: value for name, value in row.items() if name in _OWN}
    rest = [tuple(value) if type(value) is list else value for name, value in row.items() if name not in _OWN]
    # With the types, since true equals 1.
    common = (tuple(row), type(row.get("expect")), tuple(rest), tuple(map(type, rest)))
    try:
        hash(common)
    except TypeError:
        return None
    return own, common


def _scalar(token: str) -> JSON:
    return parse(token) if token[0] != '"' or "\\" in token else token[1:-1]


def _nested(text: str, start: int) -> tuple[JSON, int]:
    value, end = parse_prefix(text, start)
    # It stands in an object, whose depth counts too: what comes near the limit is left to be read in full.
    if text.count("[", start, end) + text.count("{", start, end) >= MAX_DEPTH:
        raise InvalidJSON("nested too deeply for a part", start)
    return value, end
