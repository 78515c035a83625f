"""The HTTP client that draws are made with."""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TypeAlias

import httpx

from evalaction import __version__
from evalaction.errors import BadInput, Problem
from evalaction.records.settings import Limits

Client: TypeAlias = httpx.AsyncClient
"""For callers that hand a client on and may not import httpx."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Hosts that a proxy from the environment is never asked for, as in Go and in browsers."""


def make_client(limits: Limits, *, transport: httpx.AsyncBaseTransport | None = None) -> Client:
    """Return a client for ``draw_calls``; whoever makes it closes it (``async with``).

    Connections are kept and used again. Redirects are not followed, since they would take the key along.
    Cookies are not kept: a draw must not depend on those before it. ``HTTPS_PROXY``, ``NO_PROXY``,
    ``SSL_CERT_FILE`` and their like are honoured; a ``.netrc`` is not read.

    Args:
        limits: concurrency and the time to connect.
        transport: what carries the requests in place of the network; proxies then do not count.

    Raises:
        BadInput: a proxy or certificate variable of the environment cannot be used.
    """
    connections = limits.max_concurrency
    try:
        return httpx.AsyncClient(
            transport=transport,
            mounts={f"all://{host}": None for host in LOOPBACK},
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
            # A whole answer has a limit of its own: a server that drips would meet any limit on a single read.
            timeout=httpx.Timeout(None, connect=limits.connect_s),
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={
                "User-Agent": f"evalaction/{__version__}",
                "Accept": "application/json",
                "Accept-Encoding": "identity",
            },
        )
    except (httpx.InvalidURL, ValueError, ImportError, OSError):
        # Without its cause: a proxy's URL may hold a password.
        raise BadInput(
            Problem(
                message="A proxy or certificate variable of the environment cannot be used.",
                remedy="Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.",
            )
        ) from None
