"""What carries requests: connections that are kept and used again, the latest first. I/O: the network.

A draw costs what its bytes cost. Nothing looks at all connections for each request, as a pool for requests of every
kind has to, and nothing goes through layers that a request to one endpoint has no use for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import lru_cache

from evalaction.draw.connection import Connection
from evalaction.draw.dialing import Dialer
from evalaction.draw.http_head import Fields, Head, request_head
from evalaction.draw.lean import httpx
from evalaction.draw.pool import Pool
from evalaction.draw.route import Proxies, Route

_FRAMING = frozenset({b"content-length", b"transfer-encoding"})
_BODILESS = frozenset({"GET"})


class Transport(httpx.AsyncBaseTransport):
    """Sends the requests of a client; those beyond ``connections`` at once wait for their turn."""

    def __init__(self, *, connections: int, dialer: Dialer, proxies: Proxies) -> None:
        """Open nothing yet.

        Args:
            connections: that may be open at once, at least 1.
            dialer: opens them.
            proxies: say which way a request goes.
        """
        self._dialer = dialer
        self._proxies = proxies
        self._turns = asyncio.Semaphore(connections)
        self._pool: Pool[Route, Connection] = Pool(connections)
        self._open: dict[Connection, Route] = {}
        self._routes: dict[tuple[str, str, int | None], Route] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its answer, whose body is still to be read. Cookies, redirects: none of it.

        A connection that was used before may have been closed by the other side, which shows only when something is
        sent over it; the request then goes at once over a new one. That is no further try: nobody had got it.

        Raises:
            httpx.TransportError: nothing came.
        """
        route = self._route(request.url)
        message = await _message(request, route)
        await self._turns.acquire()
        self._pool.in_use += 1
        try:
            connection, head = await self._ask(route, message)
        except BaseException:
            self._end_turn()
            raise
        extensions = {"http_version": head.version, "reason_phrase": head.reason}
        body = _Body(self, connection)
        return httpx.Response(head.status, headers=list(head.fields), stream=body, extensions=extensions)

    async def aclose(self) -> None:
        """Close every connection."""
        connections = list(self._open)
        for connection in connections:
            connection.abort()
        for connection in connections:
            await connection.gone()

    def release(self, connection: Connection) -> None:
        """Put a connection aside for the next request, or close it where that cannot be."""
        route = self._open.get(connection)
        if route is not None and connection.reusable:
            connection.rest()
            self._pool.put(route, connection, now=_now())
        else:
            connection.abort()
        self._end_turn()

    async def _ask(self, route: Route, message: bytes) -> tuple[Connection, Head]:
        kept = self._pool.take(route, now=_now())
        if kept is not None:
            try:
                return kept, await kept.ask(message)
            except httpx.TransportError:
                kept.abort()
                if not kept.was_stale:
                    raise
            except BaseException:
                kept.abort()
                raise
        self._pool.make_room()
        connection = await self._dialer.open(route)
        self._open[connection] = route
        connection.on_lost = self._forget
        try:
            return connection, await connection.ask(message)
        except BaseException:
            connection.abort()
            raise

    def _forget(self, connection: Connection) -> None:
        self._pool.drop(self._open.pop(connection), connection)

    def _end_turn(self) -> None:
        self._pool.in_use -= 1
        self._turns.release()

    def _route(self, url: httpx.URL) -> Route:
        key = (url.scheme, url.host, url.port)
        route = self._routes.get(key)
        if route is None:
            if url.scheme not in {"http", "https"}:
                raise httpx.UnsupportedProtocol("a URL that does not begin with http:// or https://")
            host = url.raw_host.decode("ascii")
            route = self._proxies.route(host=host, port=url.port, tls=url.scheme == "https")
            self._routes[key] = route
        return route


class _Body(httpx.AsyncByteStream):
    """The body of an answer. Closing it ends its request's turn."""

    def __init__(self, transport: Transport, connection: Connection) -> None:
        self._transport: Transport | None = transport
        self._connection = connection

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        piece = b"" if self._transport is None else await self._connection.read()
        if not piece:
            raise StopAsyncIteration
        return piece

    async def aclose(self) -> None:
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.release(self._connection)


async def _message(request: httpx.Request, route: Route) -> bytes:
    """Return a request as it is sent. Its length is said here, whatever its headers say of it.

    Raises:
        httpx.LocalProtocolError: a header cannot be sent.
    """
    url, stream = request.url, request.stream
    body = b"".join(stream) if isinstance(stream, httpx.SyncByteStream) else await request.aread()
    fields, target = tuple(request.headers.raw), url.raw_path
    if route.proxy is not None and route.forwarded:
        target = b"%b://%b%b" % (url.raw_scheme, url.netloc, target)
        fields += tuple(route.proxy.fields)
    try:
        head = _head(request.method.encode(), target, fields)
    except ValueError as error:
        raise httpx.LocalProtocolError(str(error)) from None
    framing = b"Content-Length: %d\r\n" % len(body) if body or request.method not in _BODILESS else b""
    return b"%b%b\r\n%b" % (head, framing, body)


@lru_cache(maxsize=16)
def _head(method: bytes, target: bytes, fields: Fields) -> bytes:
    """Return a head without its end, and without what it says of the body: one run's requests have the same."""
    return request_head(method, target, [field for field in fields if field[0].lower() not in _FRAMING])[:-2]


def _now() -> float:
    return asyncio.get_running_loop().time()
