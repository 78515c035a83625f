"""A second reader of JSON and of reasoning, slow and plain, which shares no code with the package.

Written from RFC 8259 and docs/answers.md, one character at a time, so that a fault in the reader under test
is not a fault of the reader that watches it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

SPACE = " \t\r\n"
MAX_DEPTH = 200
"""Nesting that is read: the reader under test refuses more than that."""
Plain: TypeAlias = "tuple[Any, ...]"
"""A value in a form in which equal values, and no others, are equal for Python: ("number", sign, digits, exponent)."""

_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_NAMES = "think|thinking|thought|thoughts|reasoning|scratchpad"
_ATTRIBUTE = r"""\s+[\w:-]{1,40}=(?:"[^"<>]{0,200}"|'[^'<>]{0,200}'|[\w.-]{1,40})"""
_OPEN = re.compile(
    rf"<\s*(?:[a-z]{{1,20}}:)?(?:{_NAMES})(?:{_ATTRIBUTE}){{0,5}}\s*>|<\|(?:(?:start|begin)_(?:of_)?)?(?:{_NAMES})\|>"
    r"|\[THINK\]|◁think▷|<\|channel\|>analysis<\|message\|>|<\|channel>thought\b|<unused94>",
    re.IGNORECASE,
)
_CLOSE = re.compile(
    rf"<\s*/\s*(?:[a-z]{{1,20}}:)?(?:{_NAMES})\s*>|<\|(?:/|end_(?:of_)?)(?:{_NAMES})\|>"
    r"|\[/THINK\]|◁/think▷|<\|channel\|>final<\|message\|>|<channel\|>|<unused95>",
    re.IGNORECASE,
)


class NotJSONError(Exception):
    """No strict JSON value stands here."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A strict JSON value in a text: where it stands, and what it is."""

    start: int
    end: int
    value: Plain


def number(sign: str, whole: str, fraction: str, exponent: str) -> Plain:
    """Return a number by its sign, its digits without zeros at either end, and the power of ten behind them."""
    digits = (whole + fraction).lstrip("0")
    power = int(exponent or "0") - len(fraction)
    shorter = digits.rstrip("0")
    if not shorter:
        return ("number", "", "0", 0)
    return ("number", sign, shorter, power + len(digits) - len(shorter))


def plain(value: Any) -> Plain:
    """Return a value of the reader under test in the form of this one."""
    if value is None or isinstance(value, bool):
        return ("word", value)
    if isinstance(value, str):
        return ("string", value)
    if isinstance(value, int | Decimal):
        sign, digits, exponent = Decimal(value).as_tuple()
        return number("-" if sign else "", "".join(map(str, digits)), "", str(exponent))
    if isinstance(value, list):
        return ("array", *map(plain, value))
    assert isinstance(value, dict), f"no JSON value: {type(value)}"
    return ("object", frozenset((key, plain(item)) for key, item in value.items()))


def whole(text: str) -> Plain:
    """Return the one value that a text consists of.

    Raises:
        NotJSONError: it is not one strict JSON value.
    """
    value, end = at(text, _space(text, 0))
    if _space(text, end) != len(text):
        raise NotJSONError
    return value


def at(text: str, start: int, depth: int = 0) -> tuple[Plain, int]:
    """Return the value that begins at ``start``, and the index after it.

    Raises:
        NotJSONError: none begins there.
    """
    first = text[start : start + 1]
    if depth > MAX_DEPTH or not first:
        raise NotJSONError
    if first == "{":
        return _object(text, start + 1, depth)
    if first == "[":
        return _array(text, start + 1, depth)
    if first == '"':
        string, end = _string(text, start + 1)
        return ("string", string), end
    for word, value in (("true", True), ("false", False), ("null", None)):
        if text.startswith(word, start):
            return ("word", value), start + len(word)
    match = _NUMBER.match(text, start)
    if match is None:
        raise NotJSONError
    return number(match[1], match[2], match[3] or "", match[4] or ""), match.end()


def _space(text: str, index: int) -> int:
    while index < len(text) and text[index] in SPACE:
        index += 1
    return index


def _object(text: str, index: int, depth: int) -> tuple[Plain, int]:
    members: dict[str, Plain] = {}
    index = _space(text, index)
    if text.startswith("}", index):
        return ("object", frozenset()), index + 1
    while True:
        if not text.startswith('"', index):
            raise NotJSONError
        key, index = _string(text, index + 1)
        index = _space(text, index)
        if key in members or not text.startswith(":", index):
            raise NotJSONError
        members[key], index = at(text, _space(text, index + 1), depth + 1)
        index = _space(text, index)
        if text.startswith("}", index):
            return ("object", frozenset(members.items())), index + 1
        if not text.startswith(",", index):
            raise NotJSONError
        index = _space(text, index + 1)


def _array(text: str, index: int, depth: int) -> tuple[Plain, int]:
    items: list[Plain] = []
    index = _space(text, index)
    if text.startswith("]", index):
        return ("array",), index + 1
    while True:
        value, index = at(text, _space(text, index), depth + 1)
        items.append(value)
        index = _space(text, index)
        if text.startswith("]", index):
            return ("array", *items), index + 1
        if not text.startswith(",", index):
            raise NotJSONError
        index += 1


def _string(text: str, index: int) -> tuple[str, int]:
    units: list[str] = []
    while True:
        letter = text[index : index + 1]
        if not letter or letter < " ":
            raise NotJSONError
        index += 1
        if letter == '"':
            return _joined(units), index
        if letter != "\\":
            units.append(letter)
            continue
        escaped = text[index : index + 1]
        index += 1
        if escaped == "u":
            code = _HEX.match(text, index)
            if code is None:
                raise NotJSONError
            units.append(chr(int(code[0], 16)))
            index += 4
        elif escaped in _ESCAPES:
            units.append(_ESCAPES[escaped])
        else:
            raise NotJSONError


def _joined(units: list[str]) -> str:
    """Join halves of surrogate pairs; one without its partner is not JSON here."""
    text = "".join(units)
    if not any("\ud800" <= unit <= "\udfff" for unit in units):
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        raise NotJSONError from error


def reasoning(text: str, *, in_json: bool) -> list[tuple[int, int]] | None:
    """Return the spans of reasoning; None where it is never closed.

    Args:
        text: a completion.
        in_json: a tag inside a strict JSON object is part of a string.
    """
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(text):
        opened, closed = _OPEN.match(text, index), _CLOSE.match(text, index)
        if opened is not None:
            end = _CLOSE.search(text, opened.end())
            if end is None:
                return None
            spans.append((index, end.end()))
            index = end.end()
        elif closed is not None:
            spans = [(0, closed.end())]
            index = closed.end()
        elif in_json and text[index] == "{":
            try:
                _, index = at(text, index)
            except NotJSONError:
                index += 1
        else:
            index += 1
    return spans


def spots(text: str) -> Iterator[Spot]:
    """Yield every strict JSON value in a text, also those inside others: the slow way, from every index."""
    for start, letter in enumerate(text):
        if letter in '{["-0123456789tfn':
            try:
                value, end = at(text, start)
            except NotJSONError:
                continue
            yield Spot(start, end, value)


def strings(value: Plain) -> Iterator[str]:
    """Yield every string of a value, keys included."""
    if value[0] == "string":
        yield value[1]
    elif value[0] == "array":
        for item in value[1:]:
            yield from strings(item)
    elif value[0] == "object":
        for key, item in value[1]:
            yield key
            yield from strings(item)
