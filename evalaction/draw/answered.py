"""The answer to a request → what it brought. Loaded while the first answers are awaited (see ``runner``)."""

from __future__ import annotations

from dataclasses import replace

from evalaction.draw.content import CutOff, Garbled, TooLarge, read_content
from evalaction.draw.endpoint import Target
from evalaction.draw.failure import EVERYONE, rubbish
from evalaction.draw.lean import httpx
from evalaction.draw.parameter import RESPONSE_FORMAT, refused_parameter, refuses
from evalaction.draw.quota import is_used_up
from evalaction.draw.refusal import rejected, status_failure
from evalaction.draw.replay import header_mark
from evalaction.draw.reply import read_replies
from evalaction.draw.request import Adapted, changes, sent
from evalaction.draw.wait import asked_wait, http_date, retry_after
from evalaction.draw.wire import Try, Wire
from evalaction.draw.withheld import withheld
from evalaction.records.draw import Call, Cause, Failure
from evalaction.records.settings import Limits

_PART = 206


async def read_response(
    response: httpx.Response, stream: httpx.AsyncByteStream, call: Call, wire: Wire, adapted: Adapted
) -> Try:
    """Return what an answer brought.

    Args:
        response: its head.
        stream: its body, read to its end, or to the limit on its size.
        call: what was asked.
        wire: what it was sent with.
        adapted: as it was sent; see ``exchange``.

    Raises:
        httpx.TransportError: the connection broke before a successful answer was complete.
    """
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
    if outcome.cause is Cause.RUBBISH:
        return Try(outcome, _wait(response, wire))
    wait = _asked_wait(response, outcome.status, content, wire)
    if outcome.cause is Cause.REJECTED and outcome.status is not None:
        names = tuple(sent(call, adapted=adapted))
        outcome = rejected(outcome.status, content, target=target, call=call, sent=names, kind=outcome.kind)
    return _told(outcome, content, wait, call, adapted)


def _failed(response: httpx.Response, content: bytes, call: Call, wire: Wire, adapted: Adapted) -> Try:
    wait = _asked_wait(response, response.status_code, content, wire)
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
    """Return what an error comes to: a reply withheld, a parameter to change, a quota used up, or just the failure."""
    if replies := withheld(failure.status, content, choices=call.choices):
        return Try(replies)
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
    headers = response.headers
    # A date is meant by the clock of whoever set it.
    return retry_after(headers, http_date(headers.get("date", "")) or wire.clock.wall())


def _asked_wait(response: httpx.Response, status: int | None, content: bytes, wire: Wire) -> float | None:
    """Return the seconds for which an error asks to be left alone, in its headers or else in its body."""
    wait = _wait(response, wire)
    return asked_wait(content, wire.clock.wall(), sentences=status in EVERYONE) if wait is None else wait


def _too_large(target: Target, limits: Limits) -> Failure:
    return Failure(
        cause=Cause.TOO_LARGE,
        message=f"{target.host} answered with more than {limits.response_bytes:,} bytes. A max_tokens would keep "
        "the model from running on.",
    )
