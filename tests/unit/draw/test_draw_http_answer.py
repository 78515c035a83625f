"""Answers in HTTP/1.1, read as they come; h11 is what they are held to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import h11
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalaction.draw.http_answer import MAX_HEAD, MAX_LINE, Answer
from evalaction.draw.http_head import Malformed

OK = b"HTTP/1.1 200 OK\r\n"
CUT = "peer closed connection without sending complete message body "
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


class Read(NamedTuple):
    """What was made of an answer."""

    status: int
    fields: tuple[tuple[bytes, bytes], ...]
    body: bytes
    complete: bool
    keeps: bool


def read(pieces: Sequence[bytes], *, closed: bool = False, tunnel: bool = False) -> Read:
    """Return what ``Answer`` makes of what comes.

    Args:
        pieces: what comes, piece by piece.
        closed: the other side closes the connection after them.
        tunnel: the request was CONNECT.
    """
    answer = Answer(tunnel=tunnel)
    body = b""
    for piece in pieces:
        answer.feed(piece)
        body += answer.take()
        assert answer.held == 0
    if closed:
        answer.end()
    assert answer.head is not None
    keeps = answer.complete and answer.keeps and not answer.excess and not closed
    return Read(answer.head.status, answer.head.fields, body, answer.complete, keeps)


def read_by_h11(pieces: Sequence[bytes], *, closed: bool = False) -> Read:
    """Return what h11 makes of the same.

    Raises:
        h11.RemoteProtocolError: it is no answer.
    """
    peer = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
    peer.send(h11.Request(method="POST", target="/", headers=[("Host", "a"), ("Content-Length", "0")]))
    peer.send(h11.EndOfMessage())
    status, body = 0, b""
    fields: tuple[tuple[bytes, bytes], ...] = ()
    for at, piece in enumerate([*pieces, *([b""] if closed else [])]):
        peer.receive_data(piece)
        while (event := peer.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            if isinstance(event, h11.Response):
                status, fields = event.status_code, tuple(event.headers.raw_items())
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                more = bool(peer.trailing_data[0] or pieces[at + 1 :] or closed)
                return Read(status, fields, body, complete=True, keeps=peer.their_state is h11.DONE and not more)
    assert status
    return Read(status, fields, body, complete=False, keeps=False)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (OK + b"Content-Length: 2\r\n\r\nhi", (b"hi", True, True)),
        (OK + b"Content-Length: 0\r\n\r\n", (b"", True, True)),
        (OK + b"Content-Length: 3\r\n\r\nhi", (b"hi", False, False)),
        (OK + b"Content-Length: 2\r\n\r\nhi!", (b"hi", True, False)),
        (OK + b"Content-Length: 2\r\nConnection: close\r\n\r\nhi", (b"hi", True, False)),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", (b"hi", True, False)),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi", (b"hi", True, False)),
        (OK + b"\r\nhi", (b"hi", False, False)),
        (b"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n", (b"", True, True)),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", (b"", True, True)),
        (INTERIM + OK + b"Content-Length: 0\r\n\r\n", (b"", True, True)),
        (CHUNKED + b"2\r\nhi\r\n0\r\n\r\n", (b"hi", True, True)),
        (CHUNKED + b"2\r\nhi\r\n0\r\n\r\nx", (b"hi", True, False)),
        (CHUNKED + b"2\r\nhi\r\n0\r\n", (b"hi", False, False)),
        (CHUNKED + b"01 ; a=b\r\nh\r\n000a\r\ni 3456789!\r\n00;x\r\nA: b\r\n\r\n", (b"hi 3456789!", True, True)),
        (OK + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", (b"hi", True, False)),
        (b"HTTP/1.1 200\nContent-Length: 2\n\nhi", (b"hi", True, True)),
    ],
)  # fmt: skip
def test_answer__forms(raw: bytes, expected: tuple[bytes, bool, bool]) -> None:
    """An answer's body, its end and what follows from it are the same in one piece and byte by byte."""
    for pieces in ([raw], [raw[at : at + 1] for at in range(len(raw))]):
        got = read(pieces)
        assert expected == (got.body, got.complete, got.keeps)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "what came is not HTTP/1"),
        (b"\x15\x03\x01\x00\x02\x02\x28", "what came is not HTTP/1"),
        (b"\r\n" + OK + b"\r\n", "what came is not HTTP/1"),
        (OK + b"A\r\n\r\n", "a line in the head that is no header"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "a switch to a protocol that was not asked for (101)"),
        (OK + b"A: " + b"b" * MAX_HEAD, "a head of more than 65,536 bytes"),
        (OK + b"A: " + b"b" * MAX_HEAD + b"\r\n\r\n", "a head of more than 65,536 bytes"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 2_622, "a head of more than 65,536 bytes"),
        (OK + b"Content-Length: 1, 2\r\n\r\n", "a Content-Length that is none, or several that differ"),
        (CHUNKED + b"\r\n", "a chunk without a length"),
        (CHUNKED + b"-1\r\n", "a chunk without a length"),
        (CHUNKED + b"0x1\r\n", "a chunk without a length"),
        (CHUNKED + b"f" * 17 + b"\r\n", "a chunk without a length"),
        (CHUNKED + b"1" * (MAX_LINE + 2), "a chunk whose length takes more than 4,096 bytes"),
        (CHUNKED + b"1\r\nhi\r\n", "a chunk that is longer than was said"),
        (CHUNKED + b"1\r\nh\rx", "a chunk that is longer than was said"),
        (CHUNKED + b"1\r\nh\n0\r\n", "a chunk that is longer than was said"),
        (CHUNKED + b"0\r\nA\r\n\r\n", "a line in the head that is no header"),
        (CHUNKED + b"0\r\nA: " + b"b" * MAX_HEAD, "more than 65,536 bytes after the last chunk"),
    ],
)  # fmt: skip
def test_answer__malformed(raw: bytes, words: str) -> None:
    """What is no answer is said, as soon as it shows, and nothing of it is repeated."""
    for pieces in ([raw], [raw[at : at + 1_000] for at in range(0, len(raw), 1_000)], list(zip(raw, strict=True))):
        with pytest.raises(Malformed) as caught:
            read([bytes(piece) for piece in pieces])
        assert words == str(caught.value)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "Server disconnected without sending a response."),
        (b"HT", "peer closed connection in the middle of the response's head"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", "peer closed connection in the middle of the response's head"),
        (
            OK + b"Content-Length: 10000\r\n\r\nhi",
            CUT + "(received 2 bytes, expected 10,000)",
        ),
        (CHUNKED + b"2\r\nhi\r\n", CUT + "(incomplete chunked read)"),
        (CHUNKED + b"0\r\n", CUT + "(incomplete chunked read)"),
    ],
)  # fmt: skip
def test_answer__cut(raw: bytes, words: str) -> None:
    """An answer that ends too early is no answer."""
    answer = Answer()
    if raw:
        answer.feed(raw)
    with pytest.raises(Malformed) as caught:
        answer.end()
    assert words == str(caught.value)
    assert not answer.complete


def test_answer__until_the_end() -> None:
    """A body whose length nobody says ends with its connection, which then cannot be used again."""
    assert read([OK + b"\r\nh", b"i"], closed=True) == Read(200, (), b"hi", complete=True, keeps=False)


def test_answer__after_the_end() -> None:
    """What comes after an answer, at once or later, is no part of it."""
    answer = Answer()
    answer.feed(OK + b"Content-Length: 2\r\n\r\nhi")
    assert (answer.complete, answer.excess) == (True, False)
    answer.feed(b"!")
    answer.end()
    assert (answer.take(), answer.complete, answer.excess) == (b"hi", True, True)


def test_answer__tunnel() -> None:
    """A tunnel that is open has no body, whatever its head says; one that was refused has."""
    opened = read([OK + b"Content-Length: 5\r\n\r\n"], tunnel=True)
    refused = read([b"HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nhi"], tunnel=True)
    assert [(b"", True), (b"hi", True)] == [(each.body, each.complete) for each in (opened, refused)]


def test_answer__freed() -> None:
    """An answer holds no reference to itself: it is freed as soon as nobody needs it."""
    answer = Answer()
    answer.feed(CHUNKED)
    assert not any(getattr(value, "__self__", None) is answer for value in vars(answer).values())


TOKENS = st.text("abcXYZ019-_!~", min_size=1, max_size=8).map(str.encode)
VALUES = st.binary(max_size=12).map(lambda raw: bytes(byte for byte in raw if byte > 0x20 and byte != 0x7F))
OTHERS = st.lists(st.tuples(TOKENS.filter(lambda name: name.lower() != b"connection"), VALUES), max_size=4)
CLOSING = st.sampled_from([[], [(b"Connection", b"close")], [(b"CONNECTION", b"Keep-Alive")]])


@st.composite
def chunks(draw: st.DrawFn, body: bytes) -> bytes:
    """A body in chunks."""
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=4)))
    ends = [0, *cuts, len(body)]
    parts = [body[start:end] for start, end in pairwise(ends) if start < end]
    extension = draw(st.sampled_from([b"", b";a=b", b"  "]))
    trailer = draw(st.sampled_from([b"", b"A: b\r\n", b"A: b\r\nC:\r\n"]))
    return b"".join(b"%x%b\r\n%b\r\n" % (len(part), extension, part) for part in parts) + b"0\r\n" + trailer + b"\r\n"


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """Whole answers, as servers may send them."""
    body = draw(st.binary(max_size=40))
    framed, content = draw(
        st.sampled_from(
            [
                ([(b"Content-Length", b"%d" % len(body))], body),
                ([(b"Transfer-Encoding", b"chunked")], draw(chunks(body))),
                ([], body),
            ]
        )
    )
    status = draw(st.integers(200, 599).filter(lambda number: number not in {204, 304}))
    line = b"HTTP/1.%d %d%b" % (draw(st.integers(0, 1)), status, draw(st.sampled_from([b"", b" ", b" OK", b" Not OK"])))
    fields = draw(st.permutations([*draw(OTHERS), *framed, *draw(CLOSING)]))
    feed = draw(st.sampled_from([b"\r\n", b"\n"]))
    head = feed.join(
        [line, *(b"%b:%b%b" % (name, draw(st.sampled_from([b"", b" "])), value) for name, value in fields)]
    )
    interim = draw(st.sampled_from([b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n"]))
    return interim + head + feed * 2 + content + draw(st.sampled_from([b"", b"", b"more"]))


@st.composite
def pieces_of(draw: st.DrawFn, raw: st.SearchStrategy[bytes]) -> list[bytes]:
    """What comes, cut anywhere."""
    whole = draw(raw)
    ends = [0, *sorted(draw(st.lists(st.integers(0, len(whole)), max_size=6))), len(whole)]
    return [whole[start:end] for start, end in pairwise(ends) if start < end]


@given(pieces=pieces_of(answers()), closed=st.booleans())
def test_answer__as_h11(pieces: list[bytes], closed: bool) -> None:
    """A sound answer is read as h11 reads it, however it is cut into pieces."""
    assert read_by_h11(pieces, closed=closed) == read(pieces, closed=closed)


@st.composite
def spoilt(draw: st.DrawFn) -> bytes:
    """Answers in which some bytes are others, are missing or are there twice."""
    raw = bytearray(draw(answers()))
    changes = st.tuples(st.integers(0, 400), st.sampled_from(["put", "drop", "swap"]), st.integers(0, 255))
    for at, kind, byte in draw(st.lists(changes, max_size=3)):
        where = at % (len(raw) + 1)
        raw[where : where + (kind != "put")] = bytes([byte]) if kind != "drop" else b""
    return bytes(raw) or b"\0"


def outcomes(pieces: list[bytes], *, closed: bool) -> Iterator[Read | None]:
    """Yield what h11 and then what ``Answer`` makes of it; None: it is no answer, or its head is not all there."""
    try:
        yield read_by_h11(pieces, closed=closed)
    except (h11.RemoteProtocolError, AssertionError):
        yield None
    try:
        yield read(pieces, closed=closed)
    except (Malformed, AssertionError):
        yield None


@given(pieces=pieces_of(spoilt()), closed=st.booleans())
@example(pieces=[b"HTTP/1.1 200\nContent-Length: 2\n\nhi"], closed=False)
def test_answer__never_otherwise_than_h11(pieces: list[bytes], closed: bool) -> None:
    """Of what is not quite an answer, nothing is read that h11 reads otherwise; one of them may refuse it."""
    theirs, ours = outcomes(pieces, closed=closed)
    assert theirs is None or ours is None or theirs == ours
