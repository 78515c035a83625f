"""JSON Lines, read strictly: bytes → rows with their physical lines. Pure.

Lines end with a line feed and nothing else; a carriage return before it, a byte order mark at the start
and blank lines are accepted and change nothing.
"""

from __future__ import annotations

import re

from evalaction.errors import BadInput, Problem
from evalaction.suite.files import BOM, LFS, LFS_REMEDY
from evalaction.suite.words import kind
from evalaction.values import JSON, InvalidJSON, parse

Row = tuple[int, bytes]
"""(physical line from 1, its bytes without the line's end)."""

MAX_PROBLEMS = 50
"""Problems of one file that are told one by one."""

_CONFLICT = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
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
    if data.startswith(_UTF16):
        raise BadInput(Problem(message="The file is UTF-16.", path=path, line=1, remedy="Save it as UTF-8."))
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
    raws = data.removeprefix(BOM).split(b"\n")
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
    return Problem(
        message=f"The line is not JSON: {error} (character {error.position + 1}).",
        remedy="Write one whole JSON object a line.",
    )
