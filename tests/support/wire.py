"""A server on 127.0.0.1 whose every byte is scripted, in the event loop of the test.

A script is called for each request, and writes what comes::

    async def script(asked: Asked) -> None:
        asked.write(reply("42"))  # and the connection is kept

    async with Wire(script) as server:
        ...  # server.base_url is what EVAL_BASE_URL would be
    assert server.connections == 1
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from support.drawing import ImpatientClock
from support.endpoint import completion

from evalaction.draw.client import make_client
from evalaction.draw.endpoint import make_target
from evalaction.draw.run import draw_calls
from evalaction.draw.schedule import case_calls
from evalaction.records.draw import Drawn
from evalaction.records.plan import Plan
from evalaction.records.settings import Endpoint, Limits

_RESET = struct.pack("ii", 1, 0)


def http(body: bytes, *headers: str, status: str = "200 OK", version: str = "1.1") -> bytes:
    """Return an answer of known length."""
    lines = [f"HTTP/{version} {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def chunked(body: bytes, *, size: int = 7) -> bytes:
    """Return an answer in chunks."""
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def says(text: str) -> bytes:
    """Return the body of a chat completion."""
    return json.dumps(completion(text, id=None)).encode()


def reply(text: str, *headers: str) -> bytes:
    """Return a chat completion, as most servers send it."""
    return http(says(text), *headers)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request, and the connection that it came on."""

    connection: int
    """Number of the connection, from 0 in the order in which they were opened."""
    number: int
    """Number of the request on its connection, from 0."""
    head: bytes
    """Request line and headers."""
    body: bytes
    """All of it; empty where ``Wire`` was told not to wait for it."""
    reader: asyncio.StreamReader
    """What else comes on the connection."""
    writer: asyncio.StreamWriter
    """Where the answer goes."""

    @property
    def line(self) -> str:
        """The request line."""
        return self.head.split(b"\r\n")[0].decode()

    def header(self, name: str) -> str | None:
        """Return the value of a header; None without it."""
        for line in self.head.split(b"\r\n")[1:]:
            found, _, value = line.partition(b": ")
            if found.decode().lower() == name.lower():
                return value.decode()
        return None

    def write(self, data: bytes) -> None:
        """Send."""
        self.writer.write(data)

    async def close(self) -> None:
        """Close the connection properly, once everything is sent."""
        self.writer.close()
        await self.writer.wait_closed()

    async def reset(self) -> None:
        """Break the connection off."""
        await self.writer.drain()
        connection: socket.socket = self.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.writer.transport.abort()


class Wire:
    """The server. Read its counters at any time."""

    def __init__(
        self,
        script: Callable[[Asked], Awaitable[None]],
        *,
        tls: ssl.SSLContext | None = None,
        waits_for_body: bool = True,
        host: str = "127.0.0.1",
    ) -> None:
        """Keep the script; nothing listens yet.

        Args:
            script: called once a request, the next one on the same connection when it has returned.
            tls: with which the server shows who it is; None: it speaks plainly.
            waits_for_body: the script is called when all of a request has come, and not with its head.
            host: the address that is listened on.
        """
        self.connections = 0
        """That were opened."""
        self.most_open = 0
        """At one time."""
        self.requests: list[tuple[int, int]] = []
        """(connection, number) of each request, in order of arrival."""
        self.lines: list[str] = []
        """Their request lines."""
        self._script = script
        self._tls = tls
        self._waits = waits_for_body
        self._host = host
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def base_url(self) -> str:
        """``http://127.0.0.1:PORT/v1``."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}/v1"

    @property
    def open(self) -> int:
        """Connections that are open."""
        return len(self._open)

    async def __aenter__(self) -> Self:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, self._host, 0, ssl=self._tls, backlog=256)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every connection, and raise what a script raised."""
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        faults = [fault for fault in await asyncio.gather(*self._tasks, return_exceptions=True) if fault is not None]
        await self._server.wait_closed()
        if faults and error is None:
            raise faults[0]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection, self.connections = self.connections, self.connections + 1
        self._open.add(writer)
        self.most_open = max(self.most_open, self.open)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._answer_all(connection, reader, writer)
        finally:
            self._open.discard(writer)
            writer.transport.abort()

    async def _answer_all(self, connection: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = 0
        while not writer.is_closing():
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
                )
                body = await reader.readexactly(length if self._waits else 0)
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            asked = Asked(connection=connection, number=number, head=head, body=body, reader=reader, writer=writer)
            self.requests.append((connection, number))
            self.lines.append(asked.line)
            number += 1
            try:
                await self._script(asked)
                if not writer.is_closing():
                    await writer.drain()
            except ConnectionError:
                return


async def drawn_from(url: str, plan: Plan, *, limits: Limits | None = None, key: str | None = None) -> Drawn:
    """Draw ``plan`` from a server in this event loop, without waiting between tries."""
    limits = limits or Limits()
    async with make_client(limits) as client:
        return await draw_calls(
            case_calls(plan),
            client=client,
            target=make_target(Endpoint(base_url=url, api_key=key)),
            limits=limits,
            clock=ImpatientClock(),
            rng=random.Random(0),  # noqa: S311 - jitter
            on_draw=lambda _: None,
        )


async def turns(number: int) -> None:
    """Give the event loop so many turns."""
    for _ in range(number):
        await asyncio.sleep(0)


async def settled(condition: Callable[[], bool]) -> None:
    """Give the event loop turns until ``condition`` holds.

    Raises:
        AssertionError: it does not come to hold.
    """
    for _ in range(1_000):
        if condition():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("what was waited for has not happened")


def texts(drawn: Drawn) -> Sequence[str | None]:
    """Return the texts that came; of missing draws, why nothing did."""
    return [
        draw.reply.text if draw.reply is not None else draw.failure.message if draw.failure is not None else None
        for draw in drawn.draws
    ]
