"""The heads of HTTP/1.1 messages as bytes: a request's written, an answer's read. Pure.

What an answer may look like is RFC 9112, with the leniency that servers in the wild need: line feeds alone, a status
line without words, folded lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from evalaction import late

Fields: TypeAlias = tuple[tuple[bytes, bytes], ...]
"""(name, value) of each header, in their order."""

BREAK = b"\r\n"
BLANK = late.pattern(rb"\n\r?\n")
"""The end of a head: of its last line, and the empty line after it."""

_STATUS = late.pattern(rb"HTTP/1\.([0-9]) ([1-9][0-9]{2})(?: ([^\x00\r\n]*))?")
_FIELD = late.pattern(rb"([-!#$%&'*+.^_`|~0-9A-Za-z]+):[ \t]*([^\x00\r\n]*?)[ \t]*")
_LENGTH = late.pattern(rb"[0-9]{1,18}")
_SPACE = frozenset({b" ", b"\t"})


class Malformed(Exception):
    """What came is no HTTP/1 answer, or only a part of one."""


class Head(NamedTuple):
    """An answer without its body."""

    status: int
    """From 100 to 999."""
    reason: bytes
    """The words after the status; empty without any."""
    version: bytes
    """``HTTP/1.1``, or another ``HTTP/1``."""
    fields: Fields
    """As they came."""


class Framing(NamedTuple):
    """What the headers of an answer say about its end."""

    length: int | None
    """Bytes of the body; None where it is not said."""
    chunked: bool
    """The body comes in chunks."""
    close: bool
    """Nothing follows."""


def request_head(method: bytes, target: bytes, fields: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a request without its body.

    Args:
        method: such as ``POST``.
        target: a path with its query, a whole URL for a proxy, ``host:port`` for a tunnel.
        fields: headers, ``Host`` and ``Content-Length`` among them.

    Raises:
        ValueError: something holds a line break or a NUL; what it is is not said, as it may be a secret.
    """
    lines = [b"%b %b HTTP/1.1" % (method, target), *(b"%b: %b" % field for field in fields), b"", b""]
    head = BREAK.join(lines)
    breaks = len(lines) - 1
    if head.count(b"\n") != breaks or head.count(b"\r") != breaks or b"\0" in head:
        raise ValueError("a line break or a NUL in a header")
    return head


def read_head(text: bytes) -> Head:
    """Return the head of an answer.

    Args:
        text: up to the end of its last line, without the line feed.

    Raises:
        Malformed: it is none.
    """
    lines = _lines(text)
    status = _STATUS.fullmatch(lines[0])
    if status is None:
        raise Malformed("what came is not HTTP/1")
    return Head(int(status[2]), status[3] or b"", b"HTTP/1." + status[1], _fields(lines[1:]))


def read_fields(text: bytes) -> Fields:
    """Return headers, as they may also stand after a body in chunks.

    Args:
        text: as for ``read_head``.

    Raises:
        Malformed: a line is no header.
    """
    return _fields(_lines(text))


def framing(fields: Fields) -> Framing:
    """Return what headers say about the end of their answer.

    Raises:
        Malformed: they contradict each other, or ask for what nobody asked them for.
    """
    length: bytes | None = None
    chunked = close = False
    for name, value in fields:
        known = name.lower()
        if known == b"content-length":
            for each in value.split(b","):
                said = each.strip()
                if not _LENGTH.fullmatch(said) or length not in {None, said}:
                    raise Malformed("a Content-Length that is none, or several that differ")
                length = said
        elif known == b"transfer-encoding":
            if chunked or value.lower() != b"chunked":
                raise Malformed("a Transfer-Encoding other than chunked")
            chunked = True
        elif known == b"connection":
            close = close or b"close" in {each.strip() for each in value.lower().split(b",")}
    return Framing(None if length is None else int(length), chunked, close)


def _lines(text: bytes) -> list[bytes]:
    return [line.removesuffix(b"\r") for line in text.split(b"\n")]


def _fields(lines: list[bytes]) -> Fields:
    if any(line[:1] in _SPACE for line in lines):
        lines = _unfolded(lines)
    found = [_FIELD.fullmatch(line) for line in lines]
    if None in found:
        raise Malformed("a line in the head that is no header")
    return tuple((field[1], field[2]) for field in found if field is not None)


def _unfolded(lines: list[bytes]) -> list[bytes]:
    """Join lines that begin with white space to those before them (RFC 9112, section 5.2)."""
    whole: list[bytes] = []
    for line in lines:
        if whole and line[:1] in _SPACE:
            whole[-1] += b" " + line.lstrip(b" \t")
        else:
            whole.append(line)
    return whole
