"""Heads of HTTP messages."""

from __future__ import annotations

import pytest

from evalaction.draw.http_head import Framing, Head, Malformed, framing, read_fields, read_head, request_head

HOST = (b"Host", b"llm.example.test")


def test_request_head__lines() -> None:
    """A request is its line, its headers in their order, and an empty line."""
    head = request_head(b"POST", b"/v1/chat?a=b", [HOST, (b"Content-Length", b"2")])
    assert head == b"POST /v1/chat?a=b HTTP/1.1\r\nHost: llm.example.test\r\nContent-Length: 2\r\n\r\n"


def test_request_head__bare() -> None:
    """A request without headers is a line and an empty one."""
    assert request_head(b"GET", b"/", []) == b"GET / HTTP/1.1\r\n\r\n"


@pytest.mark.parametrize("bad", [b"x\r\nX-Other: y", b"x\ny", b"x\ry", b"x\0y"])
def test_request_head__smuggled(bad: bytes) -> None:
    """Nothing that is put in can end a line; what it was is not repeated."""
    for arguments in ((b"POST", b"/", [(b"A", bad)]), (b"POST", b"/", [(bad, b"A")]), (b"POST", bad, [HOST])):
        with pytest.raises(ValueError, match=r"^a line break or a NUL in a header$"):
            request_head(*arguments)


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (b"HTTP/1.1 200 OK\r", Head(200, b"OK", b"HTTP/1.1", ())),
        (b"HTTP/1.0 404 Not  Found ", Head(404, b"Not  Found ", b"HTTP/1.0", ())),
        (b"HTTP/1.1 200", Head(200, b"", b"HTTP/1.1", ())),
        (b"HTTP/1.1 200 ", Head(200, b"", b"HTTP/1.1", ())),
        (b"HTTP/1.1 999 \xc3\x84", Head(999, b"\xc3\x84", b"HTTP/1.1", ())),
        (b"HTTP/1.1 200 OK\r\nA: b\r\nc:d\r", Head(200, b"OK", b"HTTP/1.1", ((b"A", b"b"), (b"c", b"d")))),
        (b"HTTP/1.1 200 OK\nA: b\nc:d", Head(200, b"OK", b"HTTP/1.1", ((b"A", b"b"), (b"c", b"d")))),
        (b"HTTP/1.1 200 OK\r\nA:\t b  c \t\r", Head(200, b"OK", b"HTTP/1.1", ((b"A", b"b  c"),))),
        (b"HTTP/1.1 200 OK\r\nA:\r\nA: \xff\r", Head(200, b"OK", b"HTTP/1.1", ((b"A", b""), (b"A", b"\xff")))),
        (b"HTTP/1.1 200 OK\r\nA: b\r\n\t c\r\n d\r", Head(200, b"OK", b"HTTP/1.1", ((b"A", b"b c d"),))),
    ],
)
def test_read_head__forms(text: bytes, head: Head) -> None:
    """Heads of answers are read in every form that is allowed or known from the wild."""
    assert read_head(text) == head


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2",
        b"HTTP/2 200",
        b"HTTP/2.0 200 OK",
        b"http/1.1 200 OK",
        b"HTTP/1.1  200 OK",
        b"HTTP/1.1 20 OK",
        b"HTTP/1.1 2000 OK",
        b"HTTP/1.1 099 OK",
        b"HTTP/1.1 200OK",
        b"HTTP/1.1 200 O\0K",
        b"HTTP/1.1 200 O\rK",
        b" HTTP/1.1 200 OK",
    ],
)
def test_read_head__no_status_line(text: bytes) -> None:
    """What does not begin with the status line of HTTP/1 is no answer."""
    with pytest.raises(Malformed, match=r"^what came is not HTTP/1$"):
        read_head(text)


@pytest.mark.parametrize(
    "line", [b"A", b": b", b"A : b", b"A b: c", b"A: \0", b"A: b\rc", b"\xc3\x84: b", b" A: b", b""]
)
def test_read_fields__no_header(line: bytes) -> None:
    """A line that is no header spoils the whole."""
    with pytest.raises(Malformed, match=r"^a line in the head that is no header$"):
        read_fields(line + b"\r\nB: c\r")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ((), Framing(None, chunked=False, close=False)),
        (((b"Content-Length", b"12"),), Framing(12, chunked=False, close=False)),
        (((b"content-length", b"12, 12"), (b"CONTENT-LENGTH", b"12")), Framing(12, chunked=False, close=False)),
        (((b"Transfer-Encoding", b"Chunked"),), Framing(None, chunked=True, close=False)),
        (((b"Connection", b"keep-alive, Close"),), Framing(None, chunked=False, close=True)),
        (((b"Connection", b"keep-alive"), (b"connection", b"close")), Framing(None, chunked=False, close=True)),
        (((b"Connection", b"enclosed"),), Framing(None, chunked=False, close=False)),
    ],
)
def test_framing__said(fields: tuple[tuple[bytes, bytes], ...], expected: Framing) -> None:
    """Headers say how long a body is, and whether the connection ends with it."""
    assert framing(fields) == expected


@pytest.mark.parametrize("said", [b"", b"-1", b"+1", b"1.0", b"0x10", b"1, 2", b"1 2", b"1" * 19, b"\xb2"])
def test_framing__no_length(said: bytes) -> None:
    """A length that is none is an error: whatever was guessed, the next answer might begin in this one's body."""
    with pytest.raises(Malformed, match=r"^a Content-Length that is none, or several that differ$"):
        framing(((b"Content-Length", said),))


@pytest.mark.parametrize("said", [(b"gzip",), (b"gzip, chunked",), (b"identity",), (b"chunked", b"chunked"), (b"",)])
def test_framing__encoded(said: tuple[bytes, ...]) -> None:
    """A transfer encoding that was not asked for is an error."""
    with pytest.raises(Malformed, match=r"^a Transfer-Encoding other than chunked$"):
        framing(tuple((b"Transfer-Encoding", each) for each in said))
