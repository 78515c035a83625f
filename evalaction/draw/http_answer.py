"""An answer in HTTP/1.1, read as its bytes come. Pure.

Whatever comes, no more is kept than a head of ``MAX_HEAD`` bytes and the pieces of the body that nobody has taken yet.

This is code of our own since it is most of what a call costs: a parser in Python that knows all of HTTP takes ten times
as long. Tests hold it to h11, which is such a parser.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from evalaction import late
from evalaction.draw.http_head import BLANK, BREAK, Head, Malformed, framing, read_fields, read_head

MAX_HEAD = 64 * 1024
"""Bytes of an answer before its body, interim answers included; and of what may follow a body's last chunk."""
MAX_LINE = 4 * 1024
"""Bytes of the line that says how long a chunk is."""

_BEGINNING = b"HTTP/1."
_CHUNK = late.pattern(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\x00\r\n]*)?")
_NO_BODY = frozenset({204, 304})


_Step: TypeAlias = "Callable[[Answer, bytes], bytes]"
"""Reads what came, in one part of an answer; returns what is to be read again with what comes next."""


class Answer:
    """One answer, as far as it has come. ``feed`` it what comes, and ``take`` what has come of its body."""

    def __init__(self, *, tunnel: bool = False) -> None:
        """Expect the answer to a request.

        Args:
            tunnel: the request was ``CONNECT``: what follows the head of a 2xx is not HTTP.
        """
        self.head: Head | None = None
        """None until all of it has come."""
        self.began = False
        """Something came."""
        self.complete = False
        """Nothing more can come."""
        self.excess = False
        """Something came all the same."""
        self.keeps = False
        """The connection may be used again, once the answer is complete."""
        self.held = 0
        """Bytes of the body that nobody has taken."""
        self.tunnel = tunnel
        self._buffer = b""
        self._pieces: list[bytes] = []
        self._read: _Step = Answer._read_head  # not bound: an answer that holds itself is left to the collector
        self._room = MAX_HEAD
        self._length: int | None = None
        self._left = 0

    def feed(self, data: bytes) -> None:
        """Read what came next.

        Raises:
            Malformed: it cannot be the next part of an answer.
        """
        self.began = True
        self._buffer = self._read(self, self._buffer + data if self._buffer else data)

    def end(self) -> None:
        """Note that the other side sends nothing more.

        Raises:
            Malformed: the answer is not complete.
        """
        if self.complete or self._read is Answer._read_rest:
            self.complete = True
            return
        if not self.began:
            raise Malformed("Server disconnected without sending a response.")
        if self.head is None:
            raise Malformed("peer closed connection in the middle of the response's head")
        if self._length is None:
            came = "incomplete chunked read"
        else:
            came = f"received {self._length - self._left:,} bytes, expected {self._length:,}"
        raise Malformed(f"peer closed connection without sending complete message body ({came})")

    def take(self) -> bytes:
        """Return what has come of the body since the last time; empty when nothing has."""
        pieces = self._pieces
        if not pieces:
            return b""
        self._pieces, self.held = [], 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _keep(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self.held += len(piece)

    def _finish(self, rest: bytes) -> bytes:
        self.complete = True
        self._read = Answer._read_nothing
        return self._read_nothing(rest)

    def _read_nothing(self, data: bytes) -> bytes:
        self.excess = self.excess or bool(data)
        return b""

    def _read_head(self, data: bytes) -> bytes:
        while data:
            blank = BLANK.search(data)
            if blank is None:
                if not _BEGINNING.startswith(data[: len(_BEGINNING)]):
                    raise Malformed("what came is not HTTP/1")
                if len(data) > self._room:
                    raise Malformed(f"a head of more than {MAX_HEAD:,} bytes")
                break
            self._room -= blank.end()
            if self._room < 0:
                raise Malformed(f"a head of more than {MAX_HEAD:,} bytes")
            head, data = read_head(data[: blank.start()]), data[blank.end() :]
            if head.status == 101:  # noqa: PLR2004
                raise Malformed("a switch to a protocol that was not asked for (101)")
            if head.status >= 200:  # noqa: PLR2004 - else it is an interim answer, and the real one follows
                self.head = head
                return self._begin_body(head, data)
        return data

    def _begin_body(self, head: Head, rest: bytes) -> bytes:
        named = framing(head.fields)
        self.keeps = head.version != b"HTTP/1.0" and not named.close
        if head.status in _NO_BODY or (self.tunnel and head.status < 300):  # noqa: PLR2004 - a tunnel is open
            return self._finish(rest)
        if named.chunked:
            self.keeps = self.keeps and named.length is None  # both: somebody on the way may have read it otherwise
            self._read = Answer._read_chunks
        elif named.length is None:
            self.keeps = False
            self._read = Answer._read_rest
        else:
            self._length = self._left = named.length
            self._read = Answer._read_length
        return self._read(self, rest)

    def _read_length(self, data: bytes) -> bytes:
        if len(data) > self._left:
            data, rest = data[: self._left], data[self._left :]
        else:
            rest = b""
        self._left -= len(data)
        if data:
            self._keep(data)
        return rest if self._left else self._finish(rest)

    def _read_rest(self, data: bytes) -> bytes:
        if data:
            self._keep(data)
        return b""

    def _read_chunks(self, data: bytes) -> bytes:
        at = 0
        while True:
            if self._left:
                at = self._read_chunk(data, at)
                if self._left:
                    return b""
            stop = data.find(BREAK, at)
            if stop < 0:
                if len(data) - at > MAX_LINE:
                    raise Malformed(f"a chunk whose length takes more than {MAX_LINE:,} bytes")
                return data[at:]
            said = _CHUNK.fullmatch(data, at, stop)
            if said is None:
                raise Malformed("a chunk without a length")
            at, size = stop + len(BREAK), int(said[1], 16)
            if not size:
                self._room = MAX_HEAD
                self._read = Answer._read_trailer
                return self._read_trailer(data[at:])
            self._left = size + len(BREAK)

    def _read_chunk(self, data: bytes, at: int) -> int:
        """Keep what has come of a chunk, and return where it ends; ``_left`` counts the line break after it."""
        part = data[at : at + self._left]
        piece = part[: max(0, self._left - len(BREAK))]
        mark = part[len(piece) :]
        if mark and mark != BREAK[-(self._left - len(piece)) :][: len(mark)]:
            raise Malformed("a chunk that is longer than was said")
        if piece:
            self._keep(piece)
        self._left -= len(part)
        return at + len(part)

    def _read_trailer(self, data: bytes) -> bytes:
        if data[:1] == b"\n" or data[:2] == BREAK:
            return self._finish(data[data.index(b"\n") + 1 :])
        blank = BLANK.search(data)
        if blank is None:
            if len(data) > self._room:
                raise Malformed(f"more than {MAX_HEAD:,} bytes after the last chunk")
            return data
        read_fields(data[: blank.start()])
        return self._finish(data[blank.end() :])
