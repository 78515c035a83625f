"""One request and its answer."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import ssl
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import replace

import httpx
import pytest
from support.drawing import FakeClock, make_call, make_case, run_virtual
from support.endpoint import completion

from evalaction.draw.client import make_client
from evalaction.draw.endpoint import make_target
from evalaction.draw.exchange import Try, Wire, exchange, transport_failure
from evalaction.records.case import Sampling
from evalaction.records.draw import Call, Cause, Failure, Reply, Usage
from evalaction.records.settings import Endpoint, Limits

KEY = "sk-test-AAAA1111BBBB2222"
REPLY = Reply(text="42", finish_reason="stop", id="cmpl-1", model="m", usage=Usage(prompt=40, completion=12))
BODY = json.dumps(completion("42")).encode()


class Drip(httpx.AsyncByteStream):
    """A body that comes a piece at a time, with seconds before each."""

    def __init__(self, *pieces: bytes, seconds: float = 0) -> None:
        self.pieces = pieces
        self.seconds = seconds
        self.given = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces."""
        for piece in self.pieces:
            await asyncio.sleep(self.seconds)
            self.given += 1
            yield piece


def send(
    answer: Callable[[httpx.Request], httpx.Response],
    *,
    key: str | None = None,
    base_url: str = "https://llm.example.test/v1",
    response_bytes: int = 1_000,
    call: Call | None = None,
    left_out: Collection[str] = (),
) -> Try:
    limits = Limits(response_bytes=response_bytes)

    async def go() -> Try:
        async with make_client(limits, transport=httpx.MockTransport(answer)) as client:
            target = make_target(Endpoint(base_url=base_url, api_key=key))
            wire = Wire(client=client, target=target, limits=limits, clock=FakeClock())
            return await exchange(call or make_call(make_case("a")), wire, left_out=left_out)

    return run_virtual(go())


@pytest.mark.parametrize(
    ("base_url", "key", "authorization"),
    [
        ("https://llm.example.test/v1", None, None),
        ("https://llm.example.test/v1", f" {KEY}\n", f"Bearer {KEY}"),
        ("https://u:p@llm.example.test/v1", None, "Basic dTpw"),
        ("https://u:p@llm.example.test/v1", KEY, f"Bearer {KEY}"),
    ],
)
def test_exchange__request(base_url: str, key: str | None, authorization: str | None) -> None:
    """The request goes to the chat URL as JSON, with the key where there is one and without it where not."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, content=BODY)

    assert Try(REPLY) == send(answer, key=key, base_url=base_url)
    expected = {
        "method": "POST",
        "url": "https://llm.example.test/v1/chat/completions",
        "type": "application/json",
        "authorization": authorization,
        "body": b'{"model":"m","messages":[{"role":"user","content":"a"}]}',
    }
    (request,) = seen
    assert expected == {
        "method": request.method,
        "url": str(request.url),
        "type": request.headers["Content-Type"],
        "authorization": request.headers.get("Authorization"),
        "body": request.content,
    }


@pytest.mark.parametrize(("value", "seconds"), [("7", 7.0), ("Fri, 02 Jan 2026 03:04:35 GMT", 30.0)])
def test_exchange__retry_after(value: str, seconds: float) -> None:
    """What the endpoint asks for is handed on: seconds, and a date by the clock's calendar."""
    failure = Failure(cause=Cause.STATUS, message="llm.example.test answered HTTP 429.", status=429)
    assert Try(failure, seconds) == send(lambda _: httpx.Response(429, headers={"Retry-After": value}))


def test_exchange__rejected_in_body() -> None:
    """A permanent error inside a 200 gets the same remedy as the HTTP status."""
    body = {"error": {"message": "bad temperature", "code": 404}}
    message = (
        "There is nothing to ask at https://llm.example.test/v1/chat/completions (HTTP 404), or it has no model 'm'. "
        "Check EVAL_BASE_URL (input base-url) and EVAL_MODEL. It said: bad temperature"
    )
    expected = Failure(cause=Cause.REJECTED, message=message, status=404)
    assert Try(expected) == send(lambda _: httpx.Response(200, json=body))


def test_exchange__redirect() -> None:
    """A redirect is not followed, and its key goes nowhere."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(307, headers={"Location": "https://other.example.test/"})

    outcome = send(answer, key=KEY).outcome
    assert isinstance(outcome, Failure)
    assert (outcome.cause, outcome.status) == (Cause.REJECTED, 307)
    assert asked == ["llm.example.test"]


@pytest.mark.parametrize(("seconds", "came"), [(39, True), (41, False)])
def test_exchange__slow(seconds: float, came: bool) -> None:
    """The limit of 120 s is on the whole answer: a server that drips does not get around it."""
    stream = Drip(BODY[:20], BODY[20:40], BODY[40:], seconds=seconds)
    late = Failure(cause=Cause.TIMEOUT, message="No complete answer from llm.example.test within 120 s.")
    assert Try(REPLY if came else late) == send(lambda _: httpx.Response(200, stream=stream))


TOO_LARGE = Failure(
    cause=Cause.TOO_LARGE,
    message="llm.example.test answered with more than 1,000 bytes. A max_tokens would keep the model from running on.",
)


def test_exchange__size() -> None:
    """A body of the limit is read, and of a longer one no more than the piece that goes over it."""
    padded = BODY + b" " * (1_000 - len(BODY))
    assert Try(REPLY) == send(lambda _: httpx.Response(200, content=padded))
    stream = Drip(padded, b" ", b" ", b" ")
    assert Try(TOO_LARGE) == send(lambda _: httpx.Response(200, stream=stream))
    assert stream.given == 2


def test_exchange__size_of_an_error() -> None:
    """A long error body is a status with the start of the body, not a size."""
    stream = Drip(b"a" * 600, b"b" * 600)
    message = "llm.example.test answered HTTP 500. It said: " + "a" * 500 + "…"
    expected = Failure(cause=Cause.STATUS, message=message, status=500)
    assert Try(expected) == send(lambda _: httpx.Response(500, stream=stream))


@pytest.mark.parametrize(
    ("encoding", "content"),
    [("gzip", gzip.compress(BODY)), ("X-GZIP", gzip.compress(BODY)), ("deflate", zlib.compress(BODY)), ("", BODY)],
)
def test_exchange__compressed(encoding: str, content: bytes) -> None:
    """A gateway that compresses without being asked is understood, in pieces of any size."""
    headers = {"Content-Encoding": encoding}
    stream = Drip(*(content[i : i + 1] for i in range(len(content))))
    assert Try(REPLY) == send(lambda _: httpx.Response(200, stream=stream, headers=headers))


def test_exchange__bomb() -> None:
    """A few bytes that would grow beyond the limit are stopped at it."""
    stream = Drip(gzip.compress(b"0" * 20_000_000), b"more")
    headers = {"Content-Encoding": "gzip"}
    tracemalloc.start()
    outcome = send(lambda _: httpx.Response(200, stream=stream, headers=headers))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert Try(TOO_LARGE) == outcome
    assert stream.given == 1
    assert most < 10_000_000


@pytest.mark.parametrize(("encoding", "content"), [("gzip", b"not gzip"), ("br", b"x"), ("gzip, gzip", b"x")])
def test_exchange__unreadable_compression(encoding: str, content: bytes) -> None:
    """A body that cannot be decompressed is rubbish; with an error status the status counts."""
    headers = {"Content-Encoding": encoding}
    rubbish = Failure(cause=Cause.RUBBISH, message="The endpoint answered a body that cannot be decompressed.")
    assert Try(rubbish) == send(lambda _: httpx.Response(200, stream=Drip(content), headers=headers))
    status = Failure(cause=Cause.STATUS, message="llm.example.test answered HTTP 502.", status=502)
    assert Try(status) == send(lambda _: httpx.Response(502, stream=Drip(content), headers=headers))


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (
            httpx.ConnectTimeout("late"),
            Failure(cause=Cause.TIMEOUT, message="No connection to llm.example.test within 10 s."),
        ),
        (
            httpx.ReadTimeout("late"),
            Failure(cause=Cause.TIMEOUT, message="No complete answer from llm.example.test within 120 s."),
        ),
        (
            httpx.RemoteProtocolError("Server disconnected without sending a response."),
            Failure(
                cause=Cause.TRANSPORT,
                message="llm.example.test broke off (RemoteProtocolError): Server disconnected without sending a "
                "response.",
            ),
        ),
        (
            httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}\\n'"),
            Failure(cause=Cause.TRANSPORT, message="llm.example.test broke off (LocalProtocolError)"),
        ),
        (
            httpx.ProxyError(f"407 for {KEY}"),
            Failure(
                cause=Cause.TRANSPORT, message="llm.example.test could not be reached (ProxyError): 407 for ‹redacted›"
            ),
        ),
    ],
)
def test_exchange__transport(error: httpx.TransportError, failure: Failure) -> None:
    """A connection that fails is an outcome with a cause, and never shows the key."""

    def answer(_: httpx.Request) -> httpx.Response:
        raise error

    assert Try(failure) == send(answer, key=KEY)


def caused(error: BaseException, *causes: BaseException) -> httpx.ConnectError:
    """Return a ``ConnectError`` with ``error`` at the end of its causes."""
    top = httpx.ConnectError("All connection attempts failed")
    outer: BaseException = top
    for inner in (*causes, error):
        outer.__cause__ = inner
        outer = inner
    return top


@pytest.mark.parametrize(
    ("host", "in_container", "hint"),
    [
        ("127.0.0.1:8080", False, ""),
        ("llm.example.test", True, ""),
        (
            "localhost:8080",
            True,
            (
                " In a container action 127.0.0.1 is the container itself: run the model as a service container and "
                "use its name as the host (see docs/endpoints.md)."
            ),
        ),
    ],
)
def test_transport_failure__refused(host: str, in_container: bool, hint: str) -> None:
    """A refused connection says so, and in a container what loopback means there."""
    target = make_target(Endpoint(base_url=f"http://{host}/v1"), in_container=in_container)
    group = ExceptionGroup("several", [ConnectionRefusedError(111, "refused"), OSError("other")])
    for error in (caused(ConnectionRefusedError(111, "refused"), OSError("all")), caused(group)):
        message = f"{host} refuses the connection: nothing listens there.{hint}"
        assert Failure(cause=Cause.TRANSPORT, message=message) == transport_failure(error, target)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), "[Errno -2] Name or service not known"),
        (ssl.SSLCertVerificationError(1, "certificate verify failed"), "certificate verify failed"),
    ],
)
def test_transport_failure__unreachable(error: OSError, words: str) -> None:
    """The innermost cause is what people read."""
    target = make_target(Endpoint(base_url="https://llm.example.test"))
    failure = transport_failure(caused(error), target)
    expected = f"llm.example.test could not be reached (ConnectError): {error}"
    assert Failure(cause=Cause.TRANSPORT, message=expected) == failure
    assert words in str(error)


@pytest.mark.parametrize(
    ("status", "in_body", "unasked", "left_out", "refused"),
    [
        (400, False, {"temperature"}, set(), "temperature"),
        (400, True, {"temperature"}, set(), "temperature"),
        (501, False, {"temperature"}, set(), "temperature"),
        (501, True, {"temperature"}, set(), "temperature"),
        (400, False, set(), set(), None),
        (400, False, {"temperature"}, {"temperature"}, None),
        (400, False, {"seed"}, set(), None),
        (429, False, {"temperature"}, set(), None),
    ],
)
def test_exchange__refused(
    status: int, in_body: bool, unasked: set[str], left_out: set[str], refused: str | None
) -> None:
    """A refusal by name is told where the parameter was sent and nobody had written it down."""
    body = {"error": {"message": "not with this model", "param": "temperature", "code": status}}
    call = replace(make_call(make_case("a", sampling=Sampling(model="m", temperature=0))), unasked=frozenset(unasked))
    got = send(lambda _: httpx.Response(200 if in_body else status, json=body), call=call, left_out=left_out)
    assert refused == got.refused
    assert isinstance(got.outcome, Failure)
