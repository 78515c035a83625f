"""A report document as JSON text: exact numbers, one small thing a line. Pure.

Python's own writer knows no ``Decimal`` and leaves halves of surrogate pairs, which no file can hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from evalaction.report.untrusted import json_string
from evalaction.values import Number

Document: TypeAlias = "bool | int | float | Decimal | str | list[Document] | dict[str, Document] | None"
"""What a report file holds; a float only where a measurement is one (seconds, intervals)."""

WIDTH = 100
"""Characters up to which a list or an object without others in it stays on one line."""

_STEP = "  "
_NAMES, _USUAL = 2048, 100
"""How many keys are kept as they are written, and how long they may be."""
_KNOWN: dict[str, str] = {}
"""These keys: those of our own documents, and of answers that are alike."""


class Written(str):
    """An object or a list that is not empty, as it is written in a list of the outermost object (see ``written``)."""

    __slots__ = ()


def json_text(document: Document) -> str:
    """Return ``document`` as indented JSON with a line feed at its end.

    Numbers keep every digit, keys their order, so that two reports can be compared line by line.

    Raises:
        ValueError: a number is not finite.
    """
    return _write(document, "") + "\n"


def written(document: Document) -> Written:
    """Return an item of a list in the outermost object as ``json_chunks`` writes it, to be handed to it later.

    Raises:
        ValueError: a number is not finite.
    """
    return Written(_write(document, 2 * _STEP))


def json_chunks(document: Mapping[str, Document | Iterator[Document | Written]]) -> Iterator[str]:
    """Yield what ``json_text`` returns, in pieces: of a document whose lists need never be there as a whole.

    Args:
        document: an object with one object or list in it at least, that is not empty. An iterator stands for a list
            of such, and is used up: each of its items is a piece.

    Raises:
        ValueError: a number is not finite.
    """
    before = "{\n"
    for key, value in document.items():
        yield f"{before}{_STEP}{_name(key)}"
        if isinstance(value, Iterator):
            yield from _listed(value, _STEP)
        else:
            yield _write(value, _STEP)
        before = ",\n"
    yield "\n}\n"


def _listed(items: Iterable[Document | Written], indent: str) -> Iterator[str]:
    deeper = indent + _STEP
    before = f"[\n{deeper}"
    for item in items:
        yield before + (item if isinstance(item, Written) else _write(item, deeper))
        before = f",\n{deeper}"
    yield "[]" if before.startswith("[") else f"\n{indent}]"


def _write(value: Document, indent: str) -> str:
    deeper = indent + _STEP
    parts, flat = [], True
    if isinstance(value, dict):
        for key, item in value.items():
            write = _SCALARS.get(type(item))
            if write is None:
                flat = flat and not _holds(item)
                parts.append((_KNOWN.get(key) or _name(key)) + _write(item, deeper))
            else:
                parts.append((_KNOWN.get(key) or _name(key)) + write(item))
        return _container("{}", parts, indent, flat=flat)
    if isinstance(value, list):
        for item in value:
            write = _SCALARS.get(type(item))
            flat = flat and (write is not None or not _holds(item))
            parts.append(_write(item, deeper) if write is None else write(item))
        return _container("[]", parts, indent, flat=flat)
    return _scalar(value)


def _holds(value: Document) -> bool:
    """Return whether this is a list or an object that is not empty."""
    return isinstance(value, dict | list) and bool(value)


def _container(brackets: str, parts: list[str], indent: str, *, flat: bool) -> str:
    if not parts:
        return brackets
    if flat:
        line = ", ".join(parts)
        if len(indent) + len(line) + len(brackets) <= WIDTH:
            return f"{brackets[0]}{line}{brackets[1]}"
    between = f",\n{indent}{_STEP}"
    return f"{brackets[0]}{between[1:]}{between.join(parts)}\n{indent}{brackets[1]}"


def _name(key: str) -> str:
    written = f"{json_string(key)}: "
    if len(key) <= _USUAL and len(_KNOWN) < _NAMES:
        _KNOWN[key] = written
    return written


def _scalar(value: Document) -> str:
    if isinstance(value, str):  # a name of an enumeration, say
        return json_string(value)
    write = _SCALARS.get(type(value))
    if write is None:
        raise TypeError(f"{type(value).__name__} is no part of a document")
    return write(value)


def _finite(value: float | Decimal) -> str:
    if isinstance(value, Decimal) and value.is_finite():
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is no JSON number")
    return repr(value)


_SCALARS: Mapping[type, Callable[[Any], str]] = {
    str: json_string,
    int: repr,
    float: _finite,
    Decimal: _finite,
    Number: _finite,
    bool: {False: "false", True: "true"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
}
"""Type → what writes its values, for all that holds no other thing."""
