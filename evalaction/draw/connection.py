"""One connection to an endpoint or to a proxy, with one request on it at a time. I/O: an open socket."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import cast

from evalaction.draw.http_answer import Answer
from evalaction.draw.http_head import Head, Malformed
from evalaction.draw.lean import httpx

HELD = 256 * 1024
"""Bytes of a body that may wait to be read before the other side has to."""
STALE_S = 1.0
"""Seconds after a request within which it shows that the other side had closed the connection before: any round trip.
What takes longer to break had been at work on the request.
"""


class Connection(asyncio.BufferedProtocol):
    """An open connection: ``ask``, ``read`` until nothing comes, ``rest``, and so on while it is ``reusable``."""

    def __init__(self, buffer: memoryview) -> None:
        """Expect to be connected.

        Args:
            buffer: where to put what comes, for a moment; all connections of a loop can share it.
        """
        self.lost = False
        """It is of no more use."""
        self.on_lost: Callable[[Connection], None] | None = None
        """Told once that it is of no more use."""
        self._buffer = buffer
        self._loop = asyncio.get_running_loop()
        self._transport = cast("asyncio.Transport", None)
        self._gone = self._loop.create_future()
        self._waiter: asyncio.Future[None] | None = None
        self._answer: Answer | None = None
        self._fault: httpx.TransportError | None = None
        self._requests = 0
        self._asked_at = 0.0
        self._paused = False

    async def ask(self, message: bytes, *, tunnel: bool = False) -> Head:
        """Send a request and wait for the head of its answer, which may come before all of the request is sent.

        Args:
            message: all of it.
            tunnel: it is ``CONNECT``.

        Raises:
            httpx.TransportError: no answer came, or what came is none.
        """
        answer = self._answer = Answer(tunnel=tunnel)
        self._requests += not tunnel
        self._asked_at = self._loop.time()
        if self.lost:
            self._break(httpx.ReadError("the connection is closed"))
        else:
            self._transport.write(message)
        while answer.head is None:
            await self._news()
        return answer.head

    async def read(self) -> bytes:
        """Return what comes next of the answer's body; empty at its end.

        Raises:
            httpx.TransportError: the connection broke before the end.
        """
        answer = self._answer
        while answer is not None:
            piece = answer.take()
            if self._paused:
                self._paused = False
                self._transport.resume_reading()
            if piece or answer.complete:
                return piece
            await self._news()
        return b""

    async def secure(self, context: ssl.SSLContext, host: str) -> None:
        """Go on in TLS.

        Args:
            context: whom to trust.
            host: whom the other side has to be.

        Raises:
            OSError: it broke, or is not to be trusted (``ssl.SSLError``).
        """
        try:
            secured = await self._loop.start_tls(self._transport, self, context, server_hostname=host)
        except TypeError as error:  # where TLS runs in TLS, asyncio before 3.11.8 trips while it tells of a failure
            raise error.__context__ if isinstance(error.__context__, OSError) else error from None
        if secured is None:
            raise ConnectionResetError("the connection was closed during the TLS handshake")
        self._transport, self._answer = secured, None

    @property
    def reusable(self) -> bool:
        """Whether another request may follow: the answer is complete, nothing came after it, and all was sent."""
        answer = self._answer
        return (
            answer is not None
            and answer.complete
            and answer.keeps
            and not answer.excess
            and not self.lost
            and self._transport.get_write_buffer_size() == 0
        )

    @property
    def was_stale(self) -> bool:
        """Whether the other side seems to have closed it before it got the latest request, which was not its first."""
        unanswered = self._answer is not None and not self._answer.began
        return unanswered and self._requests > 1 and self._loop.time() - self._asked_at < STALE_S

    def rest(self) -> None:
        """Let nothing come until the next request."""
        self._answer = None
        if self._paused:
            self._paused = False
            self._transport.resume_reading()

    def abort(self) -> None:
        """Close it, whatever is on its way."""
        self._transport.abort()
        self._lose()

    async def gone(self) -> None:
        """Wait until a closed connection has given its socket back."""
        await asyncio.shield(self._gone)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what to write to. Called by the event loop, as all that follows."""
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - it is never smaller
        """Say where to put what comes. To let the loop make room for each piece takes five times as long."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Read on in the answer; what comes without a request ends the connection."""
        data, answer = bytes(self._buffer[:nbytes]), self._answer
        if answer is None:
            self.abort()
            return
        try:
            answer.feed(data)
        except Malformed as error:
            self._break(httpx.RemoteProtocolError(str(error)))
        else:
            if answer.held > HELD and not self._paused:
                self._paused = True
                self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        """Note that nothing more comes; the loop then closes the connection."""
        if self._answer is not None:
            try:
                self._answer.end()
            except Malformed as error:
                self._break(httpx.RemoteProtocolError(str(error)))
        self._lose()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that it is closed, and why."""
        if self._answer is not None and not self._answer.complete:
            fault = httpx.ReadError("the connection was closed" if exc is None else str(exc))
            fault.__cause__ = exc
            self._break(fault)
        self._lose()
        if not self._gone.done():
            self._gone.set_result(None)

    def _lose(self) -> None:
        self.lost = True
        on_lost, self.on_lost = self.on_lost, None
        if on_lost is not None:
            on_lost(self)
        self._wake()

    def _break(self, fault: httpx.TransportError) -> None:
        """Remember why it broke. The first reason stays."""
        self._fault = self._fault or fault

    async def _news(self) -> None:
        """Wait until something has happened; raise when it was a fault."""
        if self._fault is not None:
            raise self._fault
        self._waiter = self._loop.create_future()
        await self._waiter

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
