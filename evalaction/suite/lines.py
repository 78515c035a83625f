"""JSON Lines, read strictly: bytes → rows with their physical lines. Pure.

Lines end with a line feed and nothing else; a carriage return before it, a byte order mark at the start
and blank lines are accepted and change nothing.
"""

from __future__ import annotations

import re

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.faults import located
from evalaction.suite.files import BOM, LFS, LFS_REMEDY
from evalaction.suite.words import kind
from evalaction.values import JSON, InvalidJSON, parse

Row = tuple[int, bytes]
"""(physical line from 1, its bytes without the line's end)."""

MAX_PROBLEMS = 50
"""Problems of one file that are told one by one."""

_CONFLICT = late.pattern(rb"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
_WIDE = {
    "UTF-32": late.pattern(rb"\xff\xfe\0\0|\0\0\xfe\xff|\0\0\0\{|\{\0\0\0"),
    "UTF-16": late.pattern(rb"\xff\xfe|\xfe\xff|\0\{\0[^\0]|\{\0[^\0]\0"),
}
"""How a file begins whose characters take four or two bytes: with a byte order mark, or with its first brace."""
_BOM = BOM.decode()
_COMMENTS = ("//", "#", "/*", "--")


def split(path: str, data: bytes) -> list[Row]:
    """Return the rows of a file that are not blank.

    Args:
        path: the file's path, for the message.
        data: its bytes.

    Raises:
        BadInput: the file as a whole cannot be read: a Git LFS pointer, UTF-16, an unresolved merge conflict.
    """
    if data.removeprefix(BOM).startswith(LFS):
        raise BadInput(
            Problem(message="This is a Git LFS pointer, not the file itself.", path=path, line=1, remedy=LFS_REMEDY)
        )
    wide = next((name for name, start in _WIDE.items() if start.match(data)), None)
    if wide is not None:
        raise BadInput(Problem(message=f"The file is {wide}.", path=path, line=1, remedy="Save it as UTF-8."))
    data = data.removeprefix(BOM)
    conflict = _CONFLICT.search(data) if any(marker in data for marker in _MARKERS) else None
    if conflict is not None:
        raise BadInput(
            Problem(
                message=f"The merge-conflict marker {conflict.group().decode()} stands here.",
                path=path,
                line=data.count(b"\n", 0, conflict.start()) + 1,
                remedy="Resolve the conflict.",
            )
        )
    raws = data.split(b"\n")
    if b"\r" in data:
        raws = [raw.removesuffix(b"\r") for raw in raws]
    return [(line, raw) for line, raw in enumerate(raws, start=1) if raw and not raw.isspace()]


def bounded(problems: list[Problem], path: str) -> list[Problem]:
    """Return the first ``MAX_PROBLEMS`` problems of a file, and how many more there are."""
    more = len(problems) - MAX_PROBLEMS
    if more <= 0:
        return problems
    return [*problems[:MAX_PROBLEMS], Problem(message=f"There are {more} more problems in this file.", path=path)]


def decode(raw: bytes) -> str:
    """Return the text of a row.

    Raises:
        BadInput: it is not UTF-8, or holds a NUL byte; the problem has no place.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        message = f"Byte {error.start + 1} of the line is not UTF-8."
        raise BadInput(Problem(message=message, remedy="Save the file as UTF-8.")) from error
    if "\0" in text:
        raise BadInput(
            Problem(message="The line holds a NUL byte.", remedy="Save the file as UTF-8, and write \\u0000 in a text.")
        )
    return text


def read(text: str) -> dict[str, JSON]:
    """Return the object that a row's text holds.

    Raises:
        BadInput: it holds no single strict JSON object; the problem has no place.
    """
    try:
        value = parse(text)
    except InvalidJSON as error:
        raise BadInput(_invalid(text, error)) from error
    if not isinstance(value, dict):
        raise BadInput(
            Problem(message=f"The line holds {kind(value)}, not an object.", remedy="Write one JSON object a line.")
        )
    return value


def _invalid(text: str, error: InvalidJSON) -> Problem:
    if text.lstrip().startswith(_COMMENTS):
        return Problem(
            message="The line is a comment, and JSON has none.", remedy="Use the field `note`, or remove it."
        )
    if text.startswith(_BOM):
        return Problem(
            message="A byte order mark stands at the start of the line, and only a file may begin with one.",
            remedy="Remove it: two files were put together.",
        )
    if "\r" in text[: error.position].lstrip():
        return Problem(
            message="The line holds a carriage return between its values, and only a line feed ends a line.",
            remedy="Save the file with line feeds, or with carriage returns before them.",
        )
    error = located(text, error)
    return Problem(
        message=f"The line is not JSON: {error} (character {error.position + 1}).",
        remedy="Write one whole JSON object a line.",
    )
