"""How a request gets to its endpoint: directly, or by a proxy that the environment names. Pure."""

from __future__ import annotations

import base64
import ipaddress
from collections.abc import Mapping
from dataclasses import field
from urllib.parse import unquote, urlsplit

from evalaction.frozen import frozen

_PORTS = {"http": 80, "https": 443}


@frozen
class Proxy:
    """A proxy for HTTP."""

    host: str
    """Name or address; of an IPv6 address without its brackets."""
    port: int
    """From 1."""
    tls: bool = False
    """It is spoken to in TLS."""
    authorization: str | None = field(default=None, repr=False)
    """Value of ``Proxy-Authorization``; None: none is sent."""

    @property
    def fields(self) -> tuple[tuple[bytes, bytes], ...]:
        """The headers that it wants to see."""
        return () if self.authorization is None else ((b"Proxy-Authorization", self.authorization.encode()),)

    @property
    def shown(self) -> str:
        """Host and port, for people."""
        return f"{bracketed(self.host)}:{self.port}"


@frozen
class Route:
    """Where connections that serve the same requests go."""

    host: str
    """The endpoint's name or address, in ASCII; of an IPv6 address without its brackets."""
    port: int
    """The endpoint's."""
    tls: bool
    """The endpoint is spoken to in TLS: ``https``."""
    proxy: Proxy | None = None
    """What is asked in its place; None: nothing is."""

    @property
    def forwarded(self) -> bool:
        """Whether a proxy reads the request and sends it on, in place of letting through what it can't read."""
        return self.proxy is not None and not self.tls


class Proxies:
    """The proxies of an environment, and for whom each is."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Read what the environment says.

        Args:
            variables: as ``urllib.request.getproxies`` returns them: the URL of the proxy for ``http``, ``https`` and
                ``all``, and under ``no`` the list of ``NO_PROXY``.

        Raises:
            ValueError: a URL is not that of an HTTP proxy. It is not repeated: it may hold a password.
        """
        self._proxies = {
            scheme: read_proxy(variables[scheme]) for scheme in ("http", "https", "all") if variables.get(scheme)
        }
        self._direct = tuple(entry for each in variables.get("no", "").split(",") if (entry := each.strip().lower()))

    def route(self, *, host: str, port: int | None, tls: bool) -> Route:
        """Return the way to an endpoint. No proxy is ever asked for this machine itself.

        Args:
            host: in ASCII; of an IPv6 address without its brackets.
            port: None for the usual one.
            tls: whether its URL begins with ``https``.
        """
        scheme = "https" if tls else "http"
        port = port or _PORTS[scheme]
        proxy = self._proxies.get(scheme) or self._proxies.get("all")
        if proxy is not None and (is_loopback(host) or any(_covers(entry, host, port) for entry in self._direct)):
            proxy = None
        return Route(host=host, port=port, tls=tls, proxy=proxy)


def read_proxy(url: str) -> Proxy:
    """Return the proxy that ``url`` names; without a scheme, ``http`` is meant.

    Raises:
        ValueError: it is not the URL of an HTTP proxy. It is not repeated: it may hold a password.
    """
    try:
        parts = urlsplit(url.strip() if "://" in url else f"http://{url.strip()}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in _PORTS or port == 0 or not host.isascii():
        raise ValueError("not the URL of an HTTP proxy") from None
    authorization = None
    if parts.username or parts.password:
        pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        authorization = "Basic " + base64.b64encode(pair.encode()).decode()
    return Proxy(host=host, port=port or _PORTS[parts.scheme], tls=parts.scheme == "https", authorization=authorization)


def bracketed(host: str) -> str:
    """Return a host as it stands before a port."""
    return f"[{host}]" if ":" in host else host


def address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that ``host`` is; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Say whether ``host`` is this machine."""
    known = address(host)
    return host == "localhost" or host.endswith(".localhost") if known is None else known.is_loopback


def _covers(entry: str, host: str, port: int) -> bool:
    """Say whether an entry of ``NO_PROXY`` is about an endpoint.

    ``*`` is about all; a name about itself and those below it, one with a dot before it about those below it alone;
    an address about itself; a network in the notation of CIDR about its addresses; any of them with a port about that
    port alone.
    """
    if entry == "*":
        return True
    entry = entry.rpartition("://")[2]
    known = address(host)
    name, _, last = entry.rpartition(":")
    if name and last.isdecimal() and (name.count(":") == 0 or name.endswith("]")):
        if int(last) != port:
            return False
        entry = name
    entry = entry.strip("[]")
    if known is not None:
        try:
            return known in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
    host = host.lower().rstrip(".")
    entry = entry.removeprefix("*").rstrip(".")
    return host.endswith(entry) if entry.startswith(".") else bool(entry) and f".{host}".endswith(f".{entry}")
