"""Why a connection did not come about or broke, in words. Pure: it looks at exceptions, and raises none."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator

from evalaction import late
from evalaction.draw.endpoint import Target
from evalaction.draw.failure import UNTRUSTED, excerpt
from evalaction.draw.lean import httpx
from evalaction.records.draw import Cause, Failure

_CONTAINER = (
    " In a container action 127.0.0.1 is the container itself: run the model as a service container"
    " and use its name as the host (see docs/endpoints.md)."
)
_CUT = late.pattern(r"incomplete|without sending complete|in the middle", re.IGNORECASE)
_SILENT = late.pattern(r"without sending a response", re.IGNORECASE)
_CREDENTIALS = late.pattern(r"(?<![0-9])407(?![0-9])")
"""What a proxy says that wants other credentials."""
_PROXY_AUTHENTICATION = 407


def transport_failure(error: httpx.TransportError, target: Target) -> Failure:
    """Return the failure of a connection that did not come about or broke, in words.

    The words of a ``LocalProtocolError`` are left out: they may repeat a header.

    Args:
        error: what the HTTP library raised; its causes tell more.
        target: what was asked.
    """
    chain = list(_causes(error))
    kind = _kind(error, chain)
    message = _message(error, chain, kind, target)
    if kind == "proxy" and _CREDENTIALS.search(str(error)):  # it will say so again
        return Failure(cause=Cause.REJECTED, message=message, status=_PROXY_AUTHENTICATION, kind=kind)
    return Failure(cause=Cause.TRANSPORT, message=message, kind=kind)


def _message(error: httpx.TransportError, chain: list[BaseException], kind: str, target: Target) -> str:
    host = target.host
    words = "" if isinstance(error, httpx.LocalProtocolError) else excerpt(str(chain[-1]), target.secrets)
    detail = f": {words}" if words else ""
    if kind == "connection refused":
        inside = _CONTAINER if target.loopback and target.in_container else ""
        return f"{host} refuses the connection: nothing listens there.{inside}"
    if kind == "no such host":
        return f"{host} has no address that this machine can find{detail}. Check {target.url_setting}."
    what = "could not be reached" if isinstance(error, httpx.ConnectError | httpx.ProxyError) else "broke off"
    return f"{host} {what} ({type(error).__name__}){detail}"


def _kind(error: httpx.TransportError, chain: list[BaseException]) -> str:  # noqa: PLR0911 - one a kind
    if isinstance(error, httpx.ProxyError):
        return "proxy"
    if any(isinstance(cause, ConnectionRefusedError) for cause in chain):
        return "connection refused"
    if any(isinstance(cause, socket.gaierror) for cause in chain):
        return "no such host"
    if isinstance(error, httpx.ConnectError):
        words = str(error).lower()  # an error of TLS may be known by its words alone
        if "certificate" in words or any(isinstance(cause, ssl.SSLCertVerificationError) for cause in chain):
            return UNTRUSTED
        return "TLS" if "tls" in words or any(isinstance(cause, ssl.SSLError) for cause in chain) else "no connection"
    if isinstance(error, httpx.RemoteProtocolError):
        words = str(error)
        return "cut off" if _CUT.search(words) else "no answer" if _SILENT.search(words) else "not HTTP"
    return "connection reset" if isinstance(error, httpx.NetworkError) else ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield ``error``, what it was raised from or during, and so on; of several reasons at once, the first."""
    current: BaseException | None = error
    while current is not None:
        yield current
        if isinstance(current, BaseExceptionGroup):
            current = current.exceptions[0]
        else:  # the HTTP library raises "from None" what the socket's own error is the context of
            current = current.__cause__ or current.__context__
