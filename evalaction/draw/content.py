"""The bytes of an answer: decompressed within a limit, and the text in them.

I/O: reads a response's stream. A text is read as what it is beyond doubt (UTF-8, or UTF-16 and UTF-32 by their marks
or their zero bytes) or not at all: a text in a wrong encoding would be an answer that nobody gave.
"""

from __future__ import annotations

import codecs
import zlib
from collections.abc import AsyncIterator, Iterable
from typing import Any

from evalaction.draw.lean import httpx

_ZIPPED = frozenset({"gzip", "x-gzip", "deflate"})
_PLAIN = frozenset({"", "identity", "none", "binary", "utf-8", "utf8", "8bit", "aws-chunked"})
"""Names by which servers call a body that is not compressed; most are no compressions at all."""
_GZIP = b"\x1f\x8b"
_DEFLATE = 8
_HEADER_NAME = b"content-encoding"
_HEADER = 2
"""Bytes that show how a body is compressed."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before that of UTF-16, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ZEROS = {
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}
"""Which of the first four bytes of JSON are zero in each encoding (RFC 4627, 3): its first two characters are ASCII."""


class TooLarge(Exception):
    """More bytes than the limit."""


class Garbled(Exception):
    """A body that cannot be decompressed; ``str()`` says what it is, with its article."""


class CutOff(Exception):
    """A compressed body that ends before its end."""


async def read_content(
    stream: httpx.AsyncByteStream, headers: Iterable[tuple[bytes, bytes]], limit: int, *, into: bytearray
) -> None:
    """Read a response's body, decompressed, never holding more than ``limit`` bytes of it.

    No compression was asked for, but some gateways compress all the same; and httpx's own decoders let a
    few kilobytes grow to any size before the length can be looked at.

    Args:
        stream: the body as it comes.
        headers: of the response.
        limit: bytes, decompressed.
        into: where the body is put; holds its start when this raises.

    Raises:
        TooLarge: there is more.
        Garbled: it is compressed in a way that was not asked for and cannot be undone.
        CutOff: the compressed data end too early.
    """
    encodings = [value for name, value in headers if len(name) == len(_HEADER_NAME) and name.lower() == _HEADER_NAME]
    name = _compression(b",".join(encodings).decode("latin-1")) if encodings else None
    async for chunk in aiter(stream) if name is None else _inflated(stream, name, limit):
        if len(into) + len(chunk) > limit:
            raise TooLarge
        into += chunk


def _compression(encoding: str) -> str | None:
    """Return how a body is compressed, going by its header; None when it is not."""
    named = [name for name in (part.strip().lower() for part in encoding.split(",")) if name not in _PLAIN]
    if not named:
        return None
    if len(named) > 1 or named[0] not in _ZIPPED:
        raise Garbled(f"a body compressed with {', '.join(named)[:40]!r}, which was not asked for")
    return named[0]


async def _inflated(stream: httpx.AsyncByteStream, name: str, limit: int) -> AsyncIterator[bytes]:
    inflate: Any = None
    held, beyond = b"", 0
    async for raw in stream:
        if inflate is None:
            held += raw
            if len(held) < _HEADER:
                continue
            inflate, raw = zlib.decompressobj(_window(held, name)), held  # noqa: PLW2901 - with what was held back
        if inflate.eof:  # what comes after the end is read, so that the connection can be used again, and no more
            beyond += len(raw)
            if beyond > limit:
                raise TooLarge
            continue
        try:
            yield inflate.decompress(raw, limit + 1)
        except zlib.error as error:
            raise Garbled("a body that cannot be decompressed") from error
    if held and (inflate is None or not inflate.eof):
        raise CutOff


def _window(begun: bytes, name: str) -> int:
    """Return how zlib is to be told what begins so. Some servers send deflate without its header (RFC 1950, 2.2)."""
    if name == "deflate" and begun[:2] != _GZIP and (begun[0] & 15 != _DEFLATE or int.from_bytes(begun[:2]) % 31):
        return -zlib.MAX_WBITS
    return zlib.MAX_WBITS | 32  # gzip or zlib, by its header


def text_of(content: bytes) -> str | None:
    """Return the text in a body, without a byte order mark; None when it is not Unicode beyond doubt."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decoded(content, encoding)
    if b"\0" in content[:4]:
        zeros = tuple(byte == 0 for byte in content[:4])
        return _decoded(content, _ZEROS.get(zeros, "utf-8")) if len(zeros) == 4 else None  # noqa: PLR2004 - see _ZEROS
    return _decoded(content, "utf-8-sig")


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None
