"""A forward proxy on 127.0.0.1, in the event loop of the test: tunnels for ``CONNECT``, and plain requests sent on.

Names that it is asked for need not exist: all lead to one port of this machine.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
from types import TracebackType
from typing import Self


class LoopbackProxy:
    """The proxy. Read ``lines`` and ``hosts`` at any time."""

    def __init__(
        self,
        port: int,
        *,
        credentials: str | None = None,
        tls: ssl.SSLContext | None = None,
        answer: bytes = b"HTTP/1.0 200 Connection established\r\n\r\n",
    ) -> None:
        """Listen to nothing yet.

        Args:
            port: where everything leads to.
            credentials: ``user:password`` that are asked for; None: anybody may use it.
            tls: with which the proxy shows who it is.
            answer: to ``CONNECT``; other than a 200, and there is no tunnel.
        """
        self.lines: list[str] = []
        """The request lines that came."""
        self.connections = 0
        self.refused = 0
        """Requests without the right credentials."""
        self._port = port
        self._wanted = credentials and b"Basic " + base64.b64encode(credentials.encode())
        self._tls = tls
        self._answer = answer
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def address(self) -> str:
        """``127.0.0.1:PORT``."""
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every connection."""
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.gather(*self._tasks)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        self.connections += 1
        try:
            await self._answer_one(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        line, *fields = head.split(b"\r\n")
        self.lines.append(line.decode())
        given = next((each[21:] for each in fields if each.lower().startswith(b"proxy-authorization: ")), None)
        if self._wanted not in {None, given}:
            self.refused += 1
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 4\r\n\r\nWho?")
            await writer.drain()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers.add(back)
        if line.startswith(b"CONNECT "):
            writer.write(self._answer)
            if b" 200" not in self._answer:
                await writer.drain()
                back.transport.abort()
                return
        else:
            back.write(_passed_on(head))
        await asyncio.gather(_pump(reader, back), _pump(there, writer))


def _passed_on(head: bytes) -> bytes:
    """Return a request as the endpoint gets it: with its path alone, and without what was for the proxy."""
    line, *fields = head.split(b"\r\n")
    method, target, version = line.split(b" ")
    path = b"/" + target.split(b"/", 3)[3]
    kept = [each for each in fields if not each.lower().startswith(b"proxy-")]
    return b"\r\n".join([b" ".join([method, path, version]), *kept])


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.transport.abort()
