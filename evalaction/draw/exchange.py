"""One request and its answer, within the limits on time and size."""

from __future__ import annotations

from dataclasses import field, replace
from typing import NamedTuple, cast

from evalaction.draw.breakage import transport_failure
from evalaction.draw.clock import Clock
from evalaction.draw.content import CutOff, Garbled, TooLarge, read_content
from evalaction.draw.endpoint import Target
from evalaction.draw.failure import rubbish
from evalaction.draw.lean import httpx
from evalaction.draw.parameter import RESPONSE_FORMAT, refused_parameter, refuses
from evalaction.draw.quota import asked_wait, is_used_up
from evalaction.draw.refusal import rejected, status_failure
from evalaction.draw.replay import header_mark
from evalaction.draw.reply import read_replies
from evalaction.draw.request import NOTHING_ADAPTED, Adapted, changes, encode, sent
from evalaction.draw.time_limit import TimeLimit
from evalaction.draw.wait import retry_after
from evalaction.frozen import frozen
from evalaction.records.draw import Adaptation, Call, Cause, Failure, Reply
from evalaction.records.settings import Limits

_PART = 206


class Try(NamedTuple):
    """What one request brought."""

    outcome: tuple[Reply, ...] | Failure
    """What came, one reply a choice in their order, at least one; or why nothing did."""
    retry_after: float | None = None
    """Seconds that the endpoint asked to be left alone; None when it did not say."""
    refused: Adaptation | None = None
    """What is to be changed for the rest of the run, since the endpoint refused it by name: the request can then be
    sent again at once. None: there is nothing to change.
    """
    exhausted: bool = False
    """A quota is used up that does not come back within a run."""


@frozen
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
    blank: httpx.Request = field(init=False, repr=False, compare=False)
    """A request with everything but its body. The client makes it once: to merge headers and URLs takes it as long as
    everything else about a request.
    """

    def __post_init__(self) -> None:
        """Make the blank request."""
        headers = {"Content-Type": "application/json"}
        if self.target.authorization is not None:
            headers["Authorization"] = self.target.authorization
        blank = self.client.build_request("POST", self.target.url, headers=headers)
        blank.headers.pop("Content-Length", None)
        object.__setattr__(self, "blank", blank)

    def request(self, content: bytes) -> httpx.Request:
        """Return a request with ``content`` for its body; how long that is, whoever sends it says."""
        blank, stream = self.blank, httpx.ByteStream(content)
        return httpx.Request("POST", blank.url, headers=blank.headers, stream=stream, extensions=blank.extensions)


async def exchange(call: Call, wire: Wire, *, limit: TimeLimit, adapted: Adapted = NOTHING_ADAPTED) -> Try:
    """Send a request once, and read the answer. Whatever comes, it is an outcome and no exception.

    Args:
        call: what to send.
        wire: what to send it with.
        limit: of ``limits.answer_s``, of the task that this runs in.
        adapted: by parameter, the name that it is now sent by; None: it is left out. Not changed until this returns.
    """
    target, limits = wire.target, wire.limits
    request = wire.request(encode(call, adapted=adapted))
    try:
        with limit:
            response = await wire.client.send(request, stream=True, follow_redirects=False)
            stream = cast("httpx.AsyncByteStream", response.stream)
            try:
                return await _read(response, stream, call, wire, adapted)
            finally:
                await stream.aclose()
    except (httpx.ConnectTimeout, httpx.PoolTimeout):
        return Try(_timed_out(f"No connection to {target.host} within {limits.connect_s:g} s.", kind="connect timeout"))
    except (TimeoutError, httpx.TimeoutException):
        return Try(_timed_out(f"No complete answer from {target.host} within {limits.answer_s:g} s."))
    except httpx.TransportError as error:
        return Try(transport_failure(error, target))


async def _read(
    response: httpx.Response, stream: httpx.AsyncByteStream, call: Call, wire: Wire, adapted: Adapted
) -> Try:
    target, limits = wire.target, wire.limits
    headers = response.headers.raw
    content = bytearray()
    trouble: Failure | None = None
    try:
        await read_content(stream, headers, limits.response_bytes, into=content)
    except TooLarge:
        trouble = _too_large(target, limits)
    except Garbled as error:
        content.clear()
        trouble = rubbish(str(error), b"", (), kind="compressed wrongly")
    except CutOff:
        trouble = rubbish("a compressed body that breaks off", b"", (), kind="cut off")
    except httpx.TransportError:
        if response.is_success:
            raise
        # Its status says enough: what a broken connection says in its place would be asked again.
    if not response.is_success:
        return _failed(response, bytes(content), call, wire, adapted)
    if trouble is None and response.status_code == _PART:
        trouble = rubbish("a part of a body (HTTP 206)", b"", (), kind="cut off")
    if trouble is not None:
        return Try(trouble, _wait(response, wire))
    return _succeeded(response, bytes(content), call, wire, adapted)


def _succeeded(response: httpx.Response, content: bytes, call: Call, wire: Wire, adapted: Adapted) -> Try:
    target, headers = wire.target, response.headers.raw
    outcome = read_replies(
        content,
        asked=call.choices,
        replayed=header_mark(headers),
        charset=lambda: response.charset_encoding,
        secrets=target.secrets,
    )
    if isinstance(outcome, tuple):
        return Try(outcome)
    wait = _wait(response, wire)
    if outcome.cause is Cause.RUBBISH:
        return Try(outcome, wait)
    if outcome.cause is Cause.REJECTED and outcome.status is not None:
        names = tuple(sent(call, adapted=adapted))
        outcome = rejected(outcome.status, content, target=target, call=call, sent=names, kind=outcome.kind)
    return _told(outcome, content, wait, call, adapted)


def _failed(response: httpx.Response, content: bytes, call: Call, wire: Wire, adapted: Adapted) -> Try:
    wait = _wait(response, wire)
    if wait is None:
        wait = asked_wait(content)
    failure = status_failure(
        response.status_code,
        content,
        target=wire.target,
        call=call,
        sent=tuple(sent(call, adapted=adapted)),
        location=response.headers.get("location"),
    )
    return _told(failure, content, wait, call, adapted)


def _told(failure: Failure, content: bytes, wait: float | None, call: Call, adapted: Adapted) -> Try:
    """Return what an error comes to: a parameter to change, a quota that is used up, or just the failure."""
    may = changes(call, adapted=adapted)
    if not refuses(failure.status, content):  # a failure of the server's own: nothing that was asked for is given up
        may = {name: change for name, change in may.items() if name in call.unasked or name == RESPONSE_FORMAT}
    refused = may.get(refused_parameter(failure.status, content, may) or "")
    if refused is not None:
        return Try(_counted(failure, "parameter refused"), wait, refused)
    if is_used_up(failure.status, content):
        return Try(replace(failure, cause=Cause.QUOTA, kind=str(Cause.QUOTA)), wait, exhausted=True)
    return Try(failure, wait)


def _counted(failure: Failure, kind: str) -> Failure:
    return Failure(cause=failure.cause, message=failure.message, status=failure.status, kind=kind)


def _wait(response: httpx.Response, wire: Wire) -> float | None:
    return retry_after(response.headers, wire.clock.wall())


def _timed_out(message: str, *, kind: str = "") -> Failure:
    return Failure(cause=Cause.TIMEOUT, message=message, kind=kind)


def _too_large(target: Target, limits: Limits) -> Failure:
    return Failure(
        cause=Cause.TOO_LARGE,
        message=f"{target.host} answered with more than {limits.response_bytes:,} bytes. A max_tokens would keep "
        "the model from running on.",
    )
