"""One connection, with one request on it at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx
import pytest
from support.drawing import run_virtual

from evalaction.draw.connection import HELD, STALE_S, Connection

T = TypeVar("T")

HI = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


class Socket(asyncio.Transport):
    """What a connection writes to; the other side is played by the test."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.unsent = 0
        self.aborted = False
        self.paused = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Keep what is written."""
        self.written.append(bytes(data))

    def get_write_buffer_size(self) -> int:
        """Say what is still to be sent."""
        return self.unsent

    def abort(self) -> None:
        """Note that it is closed."""
        self.aborted = True

    def pause_reading(self) -> None:
        """Note that nothing more is to come for now."""
        assert not self.paused
        self.paused = True

    def resume_reading(self) -> None:
        """Note that it is."""
        assert self.paused
        self.paused = False


class Line:
    """A connection, its socket, and the other side."""

    def __init__(self) -> None:
        self._buffer = memoryview(bytearray(1 << 20))
        self.connection = Connection(self._buffer)
        self.socket = Socket()
        self.connection.connection_made(self.socket)

    def says(self, data: bytes) -> None:
        """Let ``data`` come."""
        self.connection.get_buffer(-1)[: len(data)] = data
        self.connection.buffer_updated(len(data))

    def closes(self, error: Exception | None = None) -> None:
        """Let the connection end as the loop tells it: with an error, or properly."""
        if error is None:
            self.connection.eof_received()
        self.connection.connection_lost(error)

    async def answered(self, answer: bytes = HI) -> bytes:
        """Send a request that ``answer`` comes to, and return the body."""
        asked = asyncio.ensure_future(self.connection.ask(b"request"))
        await asyncio.sleep(0)
        self.says(answer)
        await asked
        return await self.body()

    async def body(self) -> bytes:
        """Return all of a body."""
        whole = b""
        while piece := await self.connection.read():
            whole += piece
        return whole


def play(scene: Callable[[Line], Awaitable[T]]) -> T:
    """Return what happens on a line, in virtual time."""

    async def go() -> T:
        return await scene(Line())

    return run_virtual(go())


def failed(happens: Callable[[Line], None], *, before: int = 0) -> tuple[httpx.TransportError, bool]:
    """Return what a request fails with when something happens in place of its answer, and whether it seems stale.

    Args:
        happens: what the other side does.
        before: requests that were answered on the same connection before.
    """

    async def scene(line: Line) -> tuple[httpx.TransportError, bool]:
        for _ in range(before):
            await line.answered()
            line.connection.rest()
        asked = asyncio.ensure_future(line.connection.ask(b"request"))
        await asyncio.sleep(0)
        happens(line)
        with pytest.raises(httpx.TransportError) as caught:
            await asked
        return caught.value, line.connection.was_stale

    return play(scene)


def test_ask__one_after_another() -> None:
    """Requests go out whole, each after the answer to the one before."""

    async def scene(line: Line) -> list[object]:
        said: list[object] = []
        for text in (b"a", b"bc"):
            said += [await line.answered(HI.replace(b"hi", text * 2).replace(b": 2", b": %d" % (2 * len(text))))]
            said += [line.connection.reusable]
            line.connection.rest()
        return [*said, line.socket.written, line.connection.lost]

    assert play(scene) == [b"aa", True, b"bcbc", True, [b"request", b"request"], False]


def test_read__as_it_comes() -> None:
    """A body is handed on as it comes, before its end; an early answer needs no end of the request."""

    async def scene(line: Line) -> tuple[bytes, bytes, bytes]:
        asked = asyncio.ensure_future(line.connection.ask(b"request"))
        await asyncio.sleep(0)
        line.says(HI[:-1])
        head = await asked
        assert (head.status, head.reason, head.version) == (200, b"OK", b"HTTP/1.1")
        first = await line.connection.read()
        coming = asyncio.ensure_future(line.connection.read())
        await asyncio.sleep(0)
        assert not coming.done()
        line.says(HI[-1:])
        return first, await coming, await line.connection.read()

    assert play(scene) == (b"h", b"i", b"")


@pytest.mark.parametrize(
    ("answer", "unsent"),
    [
        (HI[:-1], 0),
        (HI + b"!", 0),
        (HI.replace(b"1.1", b"1.0"), 0),
        (HI.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), 0),
        (HI, 1),
    ],
)
def test_reusable__not(answer: bytes, unsent: int) -> None:
    """No request follows an answer that is not complete or has more after it, or one that came before all was sent."""

    async def scene(line: Line) -> bool:
        line.socket.unsent = unsent
        asked = asyncio.ensure_future(line.connection.ask(b"request"))
        await asyncio.sleep(0)
        line.says(answer)
        await asked
        return line.connection.reusable

    assert play(scene) is False


def test_reusable__lost() -> None:
    """A connection that has ended is of no more use, though its answer is whole; nor is one that was never asked."""

    async def scene(line: Line) -> list[object]:
        before = line.connection.reusable
        body = await line.answered(HI)
        line.closes()
        return [before, body, line.connection.reusable, line.connection.lost]

    assert play(scene) == [False, b"hi", False, True]


def test_read__until_the_end() -> None:
    """A body of unknown length ends with its connection."""

    async def scene(line: Line) -> bytes:
        asked = asyncio.ensure_future(line.connection.ask(b"request"))
        await asyncio.sleep(0)
        line.says(b"HTTP/1.1 200 OK\r\n\r\nhi")
        await asked
        line.closes()
        return await line.body()

    assert play(scene) == b"hi"


@pytest.mark.parametrize(
    ("happens", "kind", "words"),
    [
        (lambda line: line.closes(), httpx.RemoteProtocolError, "Server disconnected without sending a response."),
        (lambda line: line.closes(ConnectionResetError(104, "Reset")), httpx.ReadError, "[Errno 104] Reset"),
        (lambda line: line.connection.abort() or line.closes(OSError(9, "Bad")), httpx.ReadError, "[Errno 9] Bad"),
        (lambda line: line.connection.connection_lost(None), httpx.ReadError, "the connection was closed"),
        (lambda line: line.says(b"SSH-2.0\r\n"), httpx.RemoteProtocolError, "what came is not HTTP/1"),
    ],
)
def test_ask__broken(happens: Callable[[Line], None], kind: type[httpx.TransportError], words: str) -> None:
    """What comes in place of an answer is an error that says what it was."""
    error, _ = failed(happens)
    assert (type(error), str(error)) == (kind, words)


def test_read__broken() -> None:
    """What came of a body before its connection broke is handed on; then it is an error, however often one asks."""

    async def scene(line: Line) -> None:
        asked = asyncio.ensure_future(line.connection.ask(b"request"))
        await asyncio.sleep(0)
        line.says(HI[:-1])
        await asked
        line.closes(ConnectionResetError(104, "Reset"))
        assert await line.connection.read() == b"h"
        for _ in range(2):
            with pytest.raises(httpx.ReadError, match=r"^\[Errno 104\] Reset$") as caught:
                await line.connection.read()
            assert isinstance(caught.value.__cause__, ConnectionResetError)

    play(scene)


@pytest.mark.parametrize(
    ("happens", "before", "stale"),
    [
        (lambda line: line.closes(), 1, True),
        (lambda line: line.closes(ConnectionResetError()), 3, True),
        (lambda line: line.closes(BrokenPipeError()), 1, True),
        (lambda line: line.closes(), 0, False),
        (lambda line: line.closes(ConnectionResetError()), 0, False),
        (lambda line: line.says(b"HT") or line.closes(), 1, False),
        (lambda line: line.says(b"HT") or line.closes(ConnectionResetError()), 1, False),
        (lambda line: line.says(b"SSH"), 1, False),
    ],
)
def test_was_stale__when(happens: Callable[[Line], None], before: int, stale: bool) -> None:
    """A connection was closed before its request came only where it had been used, and not a byte of an answer came."""
    assert failed(happens, before=before)[1] is stale


@pytest.mark.parametrize(("seconds", "stale"), [(0.0, True), (STALE_S - 0.1, True), (STALE_S, False), (60.0, False)])
def test_was_stale__at_work(seconds: float, stale: bool) -> None:
    """A connection that ends when the request has been on its way for long was not closed before: it was worked on."""

    async def scene(line: Line) -> bool:
        await line.answered()
        line.connection.rest()
        asked = asyncio.ensure_future(line.connection.ask(b"request"))
        await asyncio.sleep(seconds)
        line.closes()
        with pytest.raises(httpx.RemoteProtocolError):
            await asked
        return line.connection.was_stale

    assert play(scene) is stale


def test_ask__on_a_closed_one() -> None:
    """A request on a connection that has ended fails, and is not sent."""

    async def scene(line: Line) -> list[bytes]:
        line.closes()
        with pytest.raises(httpx.ReadError, match=r"^the connection is closed$"):
            await line.connection.ask(b"request")
        return line.socket.written

    assert play(scene) == []


@pytest.mark.parametrize("happens", [lambda line: line.says(HI), lambda line: line.closes()])
def test_rest__disturbed(happens: Callable[[Line], None]) -> None:
    """What comes while nothing was asked, bytes or the end, ends the connection, which is told once."""

    async def scene(line: Line) -> list[object]:
        told: list[Connection] = []
        line.connection.on_lost = told.append
        await line.answered()
        line.connection.rest()
        happens(line)
        happens(line)
        return [told == [line.connection], line.connection.lost, await line.connection.read()]

    assert play(scene) == [True, True, b""]


def test_read__slowly() -> None:
    """Who reads slowly makes the other side wait; no more is held than that."""

    async def scene(line: Line) -> list[object]:
        asked = asyncio.ensure_future(line.connection.ask(b"request"))
        await asyncio.sleep(0)
        line.says(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"x" * HELD)
        await asked
        states = [line.socket.paused]
        line.says(b"x")
        line.says(b"x")
        states.append(line.socket.paused)
        came = len(await line.connection.read())
        states.append(line.socket.paused)
        line.says(b"x" * (HELD + 1))
        line.connection.rest()
        return [*states, came, line.socket.paused]

    assert play(scene) == [False, True, False, HELD + 2, False]


def test_ask__cancelled() -> None:
    """A request that is given up leaves a connection that is not used again."""

    async def scene(line: Line) -> list[bool]:
        asked = asyncio.ensure_future(line.connection.ask(b"request"))
        await asyncio.sleep(0)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        reusable = line.connection.reusable
        line.connection.abort()
        line.says(HI)
        line.closes()
        await line.connection.gone()
        return [reusable, line.socket.aborted, line.connection.lost]

    assert play(scene) == [False, True, True]
