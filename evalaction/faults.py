"""Where in a text its fault is, for what the decoder of JSON tells only for a whole value. Pure."""

from __future__ import annotations

import json
import re

from evalaction import late
from evalaction.values import MAX_DEPTH, InvalidJSON, key_twice, parse

_SHORT = 100
_LEXEME = late.pattern(
    r'(?P<lexeme>"(?:[^"\\]++|\\.)*+"|[][{}]|-?(?:NaN|Infinity)|-?[0-9][-+.0-9eE]*+)(?P<colon>[ \t\r\n]*+:)?', re.DOTALL
)


def located(text: str, error: InvalidJSON) -> InvalidJSON:
    """Return ``error`` with the place of what is wrong, where it only has the start of the value that holds it.

    Where more than one thing is wrong, the first in the text is named. Linear time.
    """
    if error.exact:
        return error
    keys: list[set[str]] = []
    for match in _LEXEME.finditer(text, error.position):
        fault = _fault(match, keys)
        if fault is not None:
            return InvalidJSON(str(fault), match.start())
        if not keys:
            break
    return error


def _fault(match: re.Match[str], keys: list[set[str]]) -> InvalidJSON | None:
    """Return what is wrong with one lexeme; ``keys`` are those of the objects and arrays around it, innermost last."""
    lexeme = match["lexeme"]
    if lexeme in "{[":
        keys.append(set())
        return InvalidJSON("nested too deeply") if len(keys) > MAX_DEPTH else None
    if lexeme in "}]":
        keys.pop()
        return None
    plain = lexeme[0] == '"' and "\\" not in lexeme and lexeme.isprintable()
    if not plain and (not lexeme.isdecimal() or len(lexeme) > _SHORT):
        try:
            parse(lexeme)
        except InvalidJSON as error:
            return error
    if match["colon"] and keys:
        key = lexeme[1:-1] if plain else json.loads(lexeme)
        if key in keys[-1]:
            return key_twice(key)
        keys[-1].add(key)
    return None
