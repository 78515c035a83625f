"""One request and its answer, within the limits on time and size."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

import httpx

from evalaction.draw.clock import Clock
from evalaction.draw.endpoint import Target
from evalaction.draw.failure import excerpt, rubbish
from evalaction.draw.parameter import refused_parameter
from evalaction.draw.refusal import rejected, status_failure
from evalaction.draw.reply import read_reply
from evalaction.draw.request import encode, sent
from evalaction.draw.wait import retry_after
from evalaction.records.draw import Call, Cause, Failure, Reply
from evalaction.records.settings import Limits


class Try(NamedTuple):
    """What one request brought."""

    outcome: Reply | Failure
    """What came, or why nothing did."""
    retry_after: float | None = None
    """Seconds that the endpoint asked to be left alone; None when it did not say."""
    refused: str | None = None
    """The parameter that was refused by name, where it was sent and nobody had written it down; None otherwise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wire:
    """What every request of a run is sent with."""

    client: httpx.AsyncClient
    """Keeps the connections."""
    target: Target
    """Where requests go, and what must not be shown of it."""
    limits: Limits
    """On time and size."""
    clock: Clock
    """Says what time it is, for a ``Retry-After`` that is a date."""


class _TooLarge(Exception):
    """More bytes than the limit."""


async def exchange(call: Call, wire: Wire, *, left_out: Collection[str] = ()) -> Try:
    """Send a request once, and read the answer. Whatever comes, it is an outcome and no exception.

    Args:
        call: what to send.
        wire: what to send it with.
        left_out: parameters not to send, where nobody wrote them down.
    """
    target, limits = wire.target, wire.limits
    headers = {"Content-Type": "application/json"}
    if target.authorization is not None:
        headers["Authorization"] = target.authorization
    content = encode(call, left_out=left_out)
    try:
        async with (
            asyncio.timeout(limits.answer_s),
            wire.client.stream(
                "POST", target.url, content=content, headers=headers, follow_redirects=False
            ) as response,
        ):
            return await _read(response, call, wire, free=call.unasked.intersection(sent(call, left_out=left_out)))
    except httpx.ConnectTimeout:
        return Try(_timed_out(f"No connection to {target.host} within {limits.connect_s:g} s."))
    except (TimeoutError, httpx.TimeoutException):
        return Try(_timed_out(f"No complete answer from {target.host} within {limits.answer_s:g} s."))
    except httpx.TransportError as error:
        return Try(transport_failure(error, target))


def transport_failure(error: httpx.TransportError, target: Target) -> Failure:
    """Return the failure of a connection that did not come about or broke, in words.

    The words of a ``LocalProtocolError`` are left out: they may repeat a header.
    """
    chain = list(_causes(error))
    if any(isinstance(cause, ConnectionRefusedError) for cause in chain):
        message = f"{target.host} refuses the connection: nothing listens there."
        if target.loopback and target.in_container:
            message += (
                " In a container action 127.0.0.1 is the container itself: run the model as a service container"
                " and use its name as the host (see docs/endpoints.md)."
            )
        return Failure(cause=Cause.TRANSPORT, message=message)
    what = "could not be reached" if isinstance(error, httpx.ConnectError | httpx.ProxyError) else "broke off"
    words = "" if isinstance(error, httpx.LocalProtocolError) else excerpt(str(chain[-1]), target.secrets)
    detail = f": {words}" if words else ""
    return Failure(cause=Cause.TRANSPORT, message=f"{target.host} {what} ({type(error).__name__}){detail}")


async def _read(response: httpx.Response, call: Call, wire: Wire, *, free: Collection[str]) -> Try:
    """Read an answer; ``free`` are the parameters that were sent and that nobody wrote down."""
    target, limits = wire.target, wire.limits
    status = response.status_code
    wait = retry_after(response.headers, wire.clock.wall())
    content = bytearray()
    try:
        async for chunk in _decoded(response, limits.response_bytes):
            content += chunk
    except _TooLarge:
        if response.is_success:
            return Try(_too_large(target, limits))
    except zlib.error:
        if response.is_success:
            return Try(rubbish("a body that cannot be decompressed", b"", ()), wait)
    body = bytes(content)
    if not response.is_success:
        location = response.headers.get("location")
        failure = status_failure(status, body, target=target, call=call, location=location)
        return Try(failure, wait, refused_parameter(status, body, free))
    outcome = read_reply(body, secrets=target.secrets)
    if isinstance(outcome, Reply) or outcome.cause is Cause.RUBBISH:
        return Try(outcome, wait)
    refused = refused_parameter(outcome.status, body, free)
    if outcome.cause is Cause.REJECTED and outcome.status is not None:
        outcome = rejected(outcome.status, body, target=target, call=call)
    return Try(outcome, wait, refused)


async def _decoded(response: httpx.Response, limit: int) -> AsyncIterator[bytes]:
    """Yield the body, decompressed, never holding more than ``limit`` bytes of it at once.

    No compression was asked for, but some gateways compress all the same; and httpx's own decoders let a
    few kilobytes grow to any size before the length can be looked at.
    """
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"identity", "", "gzip", "x-gzip", "deflate"}:
        raise zlib.error(f"unknown encoding {encoding}")
    inflate = None if encoding in {"identity", ""} else zlib.decompressobj(zlib.MAX_WBITS | 32)  # gzip or zlib
    left = limit
    async for raw in cast("httpx.AsyncByteStream", response.stream):
        chunk = raw if inflate is None else inflate.decompress(raw, left + 1)
        if len(chunk) > left:
            raise _TooLarge
        left -= len(chunk)
        yield chunk


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield ``error``, what it was raised from or during, and so on; of several reasons at once, the first."""
    current: BaseException | None = error
    while current is not None:
        yield current
        if isinstance(current, BaseExceptionGroup):
            current = current.exceptions[0]
        else:  # the HTTP library raises "from None" what the socket's own error is the context of
            current = current.__cause__ or current.__context__


def _timed_out(message: str) -> Failure:
    return Failure(cause=Cause.TIMEOUT, message=message)


def _too_large(target: Target, limits: Limits) -> Failure:
    return Failure(
        cause=Cause.TOO_LARGE,
        message=f"{target.host} answered with more than {limits.response_bytes:,} bytes. A max_tokens would keep "
        "the model from running on.",
    )
