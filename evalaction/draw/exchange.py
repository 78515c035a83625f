"""One request and its answer, within the limits on time and size."""

from __future__ import annotations

from typing import cast

from evalaction.draw.lean import httpx
from evalaction.draw.request import NOTHING_ADAPTED, Adapted, encode
from evalaction.draw.time_limit import TimeLimit
from evalaction.draw.wire import Try, Wire
from evalaction.records.draw import Call, Cause, Failure


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
                from evalaction.draw.answered import read_response  # noqa: PLC0415 - loaded while answers are awaited

                return await read_response(response, stream, call, wire, adapted)
            finally:
                await stream.aclose()
    except (httpx.ConnectTimeout, httpx.PoolTimeout):
        return Try(_timed_out(f"No connection to {target.host} within {limits.connect_s:g} s.", kind="connect timeout"))
    except (TimeoutError, httpx.TimeoutException):
        return Try(_timed_out(f"No complete answer from {target.host} within {limits.answer_s:g} s."))
    except httpx.TransportError as error:
        from evalaction.draw.breakage import transport_failure  # noqa: PLC0415 - where something breaks alone

        return Try(transport_failure(error, target))


def _timed_out(message: str, *, kind: str = "") -> Failure:
    return Failure(cause=Cause.TIMEOUT, message=message, kind=kind)
