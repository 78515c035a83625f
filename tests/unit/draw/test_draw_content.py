"""The bytes of an answer, and the text in them."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import zlib
from collections.abc import AsyncIterator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.draw.content import CutOff, Garbled, TooLarge, read_content, text_of

TEXT = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=3)


class Pieces(httpx.AsyncByteStream):
    """A body in pieces."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces."""
        for piece in self.pieces:
            yield piece


def read(*pieces: bytes, encoding: str | None = None, limit: int = 1_000) -> bytes:
    headers = [(b"Server", b"x")] + ([] if encoding is None else [(b"Content-Encoding", encoding.encode())])
    content = bytearray()
    asyncio.run(read_content(Pieces(*pieces), headers, limit, into=content))
    return bytes(content)


def in_pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@given(st.binary(max_size=300), st.integers(1, 40))
def test_read_content__any_bytes(data: bytes, size: int) -> None:
    """What was compressed comes out as it was, in whatever pieces it arrives and with whatever stands behind it."""
    assert data == read(*in_pieces(data, size))
    for encoding, packed in {
        "gzip": gzip.compress(data),
        "X-Gzip, identity": gzip.compress(data) + b"more",
        "deflate": zlib.compress(data),
        "Deflate": zlib.compress(data, wbits=-15),
        "identity": data,
        "": data,
    }.items():
        assert data == read(*in_pieces(packed, size), encoding=encoding)


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate"]), st.integers(1, 40))
def test_read_content__any_rubbish(data: bytes, encoding: str, size: int) -> None:
    """Bytes that were never compressed end in one of the ways that are provided for."""
    with contextlib.suppress(Garbled, CutOff, TooLarge):
        read(*in_pieces(data, size), encoding=encoding)


@pytest.mark.parametrize("encoding", [None, "gzip", "deflate"])
def test_read_content__limit(encoding: str | None) -> None:
    """A body of the limit is read, and one byte more is too much, compressed or not."""
    whole, more = (
        {None: data, "gzip": gzip.compress(data), "deflate": zlib.compress(data)}[encoding]
        for data in (b"a" * 1_000, b"a" * 1_001)
    )
    assert b"a" * 1_000 == read(*in_pieces(whole, 9), encoding=encoding)
    with pytest.raises(TooLarge):
        read(*in_pieces(more, 9), encoding=encoding)


def test_read_content__behind_the_end() -> None:
    """What comes without end behind compressed data is too much at the limit."""
    with pytest.raises(TooLarge):
        read(gzip.compress(b"a"), *[b"x" * 100] * 11, encoding="gzip")


def test_read_content__cut() -> None:
    """Compressed data without their end are cut off; no data at all are an empty body."""
    packed = gzip.compress(b"abc")
    for length in range(1, len(packed)):
        with pytest.raises(CutOff):
            read(packed[:length], encoding="gzip")
    assert b"" == read(encoding="gzip") == read(b"", encoding="deflate")


@given(
    TEXT,
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]),
)
def test_text_of__encodings(value: dict[str, object], encoding: str) -> None:
    """JSON is read in each encoding of Unicode, by its mark or by where its zeros stand."""
    text = json.dumps(value)
    assert text == text_of(text.encode(encoding))


@given(st.binary(max_size=20))
def test_text_of__any_bytes(content: bytes) -> None:
    """Any bytes are a text or none."""
    assert isinstance(text_of(content), str | None)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "mac-roman", "shift-jis", "gb18030", "euc-kr", "koi8-r"])
def test_text_of__others(encoding: str) -> None:
    """A text in any other encoding is none: what it would be taken for, nobody wrote."""
    text = {"shift-jis": "日本語", "gb18030": "编码", "euc-kr": "한국어", "koi8-r": "текст"}.get(encoding, "élève")
    assert None is text_of(json.dumps({"a": text}, ensure_ascii=False).encode(encoding))
