"""A report document as JSON text: exact numbers, one small thing a line. Pure.

Python's own writer knows no ``Decimal`` and leaves halves of surrogate pairs, which no file can hold.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TypeAlias

from evalaction.report.untrusted import json_string

Document: TypeAlias = "bool | int | float | Decimal | str | list[Document] | dict[str, Document] | None"
"""What a report file holds; a float only where a measurement is one (seconds, intervals)."""

WIDTH = 100
"""Characters up to which a list or an object without others in it stays on one line."""


def json_text(document: Document) -> str:
    """Return ``document`` as indented JSON with a line feed at its end.

    Numbers keep every digit, keys their order, so that two reports can be compared line by line.

    Raises:
        ValueError: a number is not finite.
    """
    return _write(document, "") + "\n"


def _write(value: Document, indent: str) -> str:
    if isinstance(value, dict):
        items = [(f"{json_string(key)}: ", item) for key, item in value.items()]
        return _container("{}", items, indent)
    if isinstance(value, list):
        return _container("[]", [("", item) for item in value], indent)
    return _scalar(value)


def _container(brackets: str, items: list[tuple[str, Document]], indent: str) -> str:
    if not items:
        return brackets
    if not any(isinstance(item, dict | list) and item for _, item in items):
        flat = brackets[0] + ", ".join([prefix + _write(item, "") for prefix, item in items]) + brackets[1]
        if len(indent) + len(flat) <= WIDTH:
            return flat
    deeper = indent + "  "
    lines = ",\n".join([deeper + prefix + _write(item, deeper) for prefix, item in items])
    return f"{brackets[0]}\n{lines}\n{indent}{brackets[1]}"


def _scalar(value: float | Decimal | str | None) -> str:
    if isinstance(value, str):
        return json_string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not (value.is_finite() if isinstance(value, Decimal) else isinstance(value, int) or math.isfinite(value)):
        raise ValueError(f"{value} is no JSON number")
    return str(value) if isinstance(value, Decimal) else repr(value)
