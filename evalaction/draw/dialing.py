"""Opening connections: TLS, and the way through a proxy. I/O: the network."""

from __future__ import annotations

import asyncio
import ssl
from functools import partial

from evalaction.draw.connection import Connection
from evalaction.draw.http_head import request_head
from evalaction.draw.lean import httpx
from evalaction.draw.reach import reach
from evalaction.draw.route import Proxy, Route, bracketed
from evalaction.draw.trust import Trust

PIECE = 64 * 1024
"""Bytes that are read at once."""

_UNKNOWN_AUTHORITY = frozenset({18, 19, 20, 21})
"""OpenSSL's codes for a certificate that leads to no known authority: self-signed, or issued by another."""
_PROXY_AUTHENTICATION = 407


class Dialer:
    """Opens connections."""

    def __init__(self, *, connect_s: float, trust: Trust) -> None:
        """Open nothing yet.

        Args:
            connect_s: seconds for a connection with all that belongs to it.
            trust: whom to trust, for connections in TLS.
        """
        self._connect_s = connect_s
        self._trust = trust
        self._make = partial(Connection, memoryview(bytearray(PIECE)))

    async def open(self, route: Route) -> Connection:
        """Return a connection over which ``route``'s requests can be sent.

        Raises:
            httpx.TransportError: ``ConnectError``, ``ConnectTimeout`` or ``ProxyError``; its words hold no secret.
        """
        try:
            async with asyncio.timeout(self._connect_s) as limit:
                return await self._open(route)
        except (OSError, ExceptionGroup) as error:
            if limit.expired():
                raise httpx.ConnectTimeout(f"no connection within {self._connect_s:g} s") from error
            first = error.exceptions[0] if isinstance(error, ExceptionGroup) else error
            fault = httpx.ConnectError(_words(first))
            if str(fault) == str(first):
                raise fault from error
        raise fault  # not from the error, whose own words say less

    async def _open(self, route: Route) -> Connection:
        if route.proxy is None:
            connection = await reach(route.host, route.port, self._make)
        else:
            connection = await self._reach_proxy(route.proxy)
        try:
            if route.tls:
                if route.proxy is not None:
                    await _tunnel(connection, route, route.proxy)
                await connection.secure(self._trust.context(), route.host)
        except BaseException:
            connection.abort()
            raise
        return connection

    async def _reach_proxy(self, proxy: Proxy) -> Connection:
        connection: Connection | None = None
        try:
            connection = await reach(proxy.host, proxy.port, self._make)
            if proxy.tls:
                await connection.secure(self._trust.context(), proxy.host)
        except BaseException as error:
            if connection is not None:
                connection.abort()
            first = error.exceptions[0] if isinstance(error, ExceptionGroup) else error
            if not isinstance(first, OSError):
                raise
            words = "it refuses the connection" if isinstance(first, ConnectionRefusedError) else _words(first)
        else:
            return connection
        raise _failed(proxy, words)  # not from the error: it would be taken for one of the endpoint


async def _tunnel(connection: Connection, route: Route, proxy: Proxy) -> None:
    """Have a proxy let through what it can't read.

    Raises:
        httpx.ProxyError: it does not.
    """
    target = f"{bracketed(route.host)}:{route.port}".encode()
    try:
        head = await connection.ask(request_head(b"CONNECT", target, [(b"Host", target), *proxy.fields]), tunnel=True)
    except httpx.TransportError as error:
        words = str(error)
    else:
        if head.status < 300:  # noqa: PLR2004 - it does
            return
        words = f"{head.status} {head.reason.decode('latin-1')}".rstrip()
        if head.status == _PROXY_AUTHENTICATION:
            words += ". Credentials for it stand in its URL: http://USER:PASSWORD@HOST:PORT"
    raise _failed(proxy, words)


def _failed(proxy: Proxy, words: str) -> httpx.ProxyError:
    return httpx.ProxyError(f"the proxy {proxy.shown}: {words}")


def _words(error: BaseException) -> str:
    """Return what went wrong with a connection or its certificate, and what to do about it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        words = f"its certificate is not trusted: {error.verify_message.rstrip('.')}"
        if error.verify_code in _UNKNOWN_AUTHORITY:
            words += ". SSL_CERT_FILE names a file with the certificates of a private authority"
        return words
    if isinstance(error, ssl.SSLError):
        if error.reason == "WRONG_VERSION_NUMBER":
            return "it does not speak TLS: http:// may be meant, not https://"
        return f"TLS failed: {error}"
    return str(error) or "the connection was closed"
