"""The HTTP client that draws are made with."""

from __future__ import annotations

import os
from urllib.request import getproxies

from evalaction import __version__
from evalaction.draw.dialing import Dialer
from evalaction.draw.lean import httpx
from evalaction.draw.route import Proxies
from evalaction.draw.transport import Transport
from evalaction.draw.trust import Trust
from evalaction.errors import BadInput, Problem
from evalaction.records.settings import Limits


class Client(httpx.AsyncClient):
    """A client that sends what it is given, and returns what comes.

    No redirect is followed, which would take the key along; no cookie is kept, since a draw must not depend on those
    before it; no credentials are looked up. To leave all that out halves what a request costs.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        """Send through ``transport``."""
        headers = {
            "User-Agent": f"evalaction/{__version__}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
        }
        super().__init__(transport=transport, headers=headers, timeout=None, trust_env=False)
        self._carrier = transport

    async def send(
        self,
        request: httpx.Request,
        *,
        stream: bool = False,
        auth: object = httpx.USE_CLIENT_DEFAULT,  # noqa: ARG002 - the parameters are those of the base class
        follow_redirects: object = httpx.USE_CLIENT_DEFAULT,  # noqa: ARG002 - the same
    ) -> httpx.Response:
        """Send a request as it is.

        Args:
            request: made by ``build_request`` or by hand.
            stream: leave the body to be read; whoever has the answer closes it.
            auth: of no account.
            follow_redirects: the same.

        Raises:
            httpx.TransportError: nothing came.
        """
        response = await self._carrier.handle_async_request(request)
        response.request = request
        if not stream:
            try:
                await response.aread()
            finally:
                await response.aclose()
        return response


def make_client(limits: Limits, *, transport: httpx.AsyncBaseTransport | None = None) -> Client:
    """Return a client for ``draw_calls``; whoever makes it closes it (``async with``).

    Connections are kept and used again, at most ``limits.max_concurrency`` of them. ``HTTPS_PROXY``, ``NO_PROXY``,
    ``SSL_CERT_FILE`` and their like are honoured; a ``.netrc`` is not read.

    Args:
        limits: concurrency and the time to connect.
        transport: what carries the requests in place of the network; proxies then do not count.

    Raises:
        BadInput: a proxy or certificate variable of the environment cannot be used.
    """
    if transport is not None:
        return Client(transport)
    try:
        proxies = Proxies(getproxies())
        dialer = Dialer(connect_s=limits.connect_s, trust=Trust(os.environ))
    except (ValueError, OSError):
        # Without its cause: a proxy's URL may hold a password.
        raise BadInput(
            Problem(
                message="A proxy or certificate variable of the environment cannot be used.",
                remedy="Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.",
            )
        ) from None
    return Client(Transport(connections=limits.max_concurrency, dialer=dialer, proxies=proxies))
