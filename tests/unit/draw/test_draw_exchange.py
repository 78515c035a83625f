"""One request and its answer."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from support.drawing import FakeClock, make_call, make_case, run_virtual
from support.endpoint import completion

from evalaction.draw.client import make_client
from evalaction.draw.endpoint import make_target
from evalaction.draw.exchange import exchange
from evalaction.draw.request import NOTHING_ADAPTED, Adapted
from evalaction.draw.time_limit import TimeLimit
from evalaction.draw.wire import Try, Wire
from evalaction.records.case import Sampling
from evalaction.records.draw import Adaptation, Call, Cause, Failure, Reply, Usage
from evalaction.records.settings import Endpoint, Limits

KEY = "sk-test-AAAA1111BBBB2222"
REPLY = Reply(text="42", finish_reason="stop", id="cmpl-1", model="m", usage=Usage(prompt=40, completion=12))
BODY = json.dumps(completion("42")).encode()
RAW = zlib.compress(BODY, wbits=-15)
"""Deflated without the header that belongs there, as some servers do it."""


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
    adapted: Adapted = NOTHING_ADAPTED,
) -> Try:
    limits = Limits(response_bytes=response_bytes)

    async def go() -> Try:
        async with make_client(limits, transport=httpx.MockTransport(answer)) as client:
            target = make_target(Endpoint(base_url=base_url, api_key=key))
            wire = Wire(client=client, target=target, limits=limits, clock=FakeClock())
            limit = TimeLimit(wire.limits.answer_s)
            try:
                return await exchange(call or make_call(make_case("a")), wire, limit=limit, adapted=adapted)
            finally:
                limit.close()

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

    assert Try((REPLY,)) == send(answer, key=key, base_url=base_url)
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


UNFINISHED = (
    "Could not finish the message because max_tokens or model output limit was reached. Please try again with higher "
    "max_tokens."
)


@pytest.mark.parametrize(("value", "seconds"), [("7", 7.0), ("Fri, 02 Jan 2026 03:04:35 GMT", 30.0)])
def test_exchange__retry_after(value: str, seconds: float) -> None:
    """What the endpoint asks for is handed on: seconds, and a date by the clock's calendar."""
    failure = Failure(cause=Cause.STATUS, message="llm.example.test answered HTTP 429.", status=429)
    assert Try(failure, seconds) == send(lambda _: httpx.Response(429, headers={"Retry-After": value}))


def test_exchange__retry_after_other_clock() -> None:
    """A date is meant by the clock of the server that sent it, however wrong that is."""
    headers = {"Retry-After": "Fri, 02 Jan 2026 09:00:20 GMT", "Date": "Fri, 02 Jan 2026 09:00:00 GMT"}
    got = send(lambda _: httpx.Response(503, headers=headers))
    assert got.retry_after == 20.0


NOT_JSON = {"message": "Failed to generate JSON.", "code": "json_validate_failed"}


@pytest.mark.parametrize(
    ("status", "error", "finish_reason", "text"),
    [
        *(
            (status, error, "content_filter", None)
            for status, error in [
                (400, {"message": "x", "code": "content_filter", "param": "prompt"}),
                (400, {"message": "x", "code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}),
                (400, {"message": "Your prompt was flagged as potentially violating our usage policy"}),
                (400, {"message": "x", "code": "invalid_prompt"}),
                (400, {"message": "Content Exists Risk", "type": "invalid_request_error"}),
                (400, {"message": "Input data may contain inappropriate content."}),
                (400, {"message": "x", "code": "data_inspection_failed"}),
                (400, {"message": "系统检测到输入或生成内容可能包含不安全或敏感内容", "code": "1301"}),
                (400, {"message": "Output blocked by content filtering policy"}),
                (400, {"message": "litellm.BadRequestError: litellm.ContentPolicyViolationError: x"}),
                (400, {"message": "Failed", "metadata": {"raw": '{"error": {"code": "content_filter"}}'}}),
                (403, {"message": "m requires moderation. Your input was flagged", "code": 403}),
                (200, {"message": "m requires moderation. Your input was flagged", "code": 403}),
                (200, {"message": "x", "code": "content_filter"}),
            ]
        ),
        (400, {"message": UNFINISHED, "type": "invalid_request_error", "param": None}, "length", None),
        (400, NOT_JSON | {"failed_generation": "{a"}, "json_validate_failed", "{a"),
        (400, NOT_JSON | {"failed_generation": 5}, "json_validate_failed", None),
        (400, NOT_JSON, "json_validate_failed", None),
    ],
)
def test_exchange__withheld(status: int, error: dict[str, Any], finish_reason: str, text: str | None) -> None:
    """An error in place of a reply is a reply without an answer: nothing is asked again, and no parameter changed."""
    call = replace(make_call(make_case("a", sampling=Sampling(model="m", max_tokens=9))), choices=2)
    replies = tuple(Reply(text=text, finish_reason=finish_reason, choice=place, choices=2) for place in (0, 1))
    assert Try(replies) == send(lambda _: httpx.Response(status, json={"error": error}), call=call)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, {"message": "x", "code": "content_filter"}),
        (429, {"message": "Your input was flagged"}),
        (500, {"message": UNFINISHED}),
        (400, {"message": "content_filter is not supported with this model"}),
        (403, {"message": "Your account was flagged and is suspended"}),
    ],
)
def test_exchange__not_withheld(status: int, error: dict[str, Any]) -> None:
    """What only sounds like it is a failure as any other."""
    assert isinstance(send(lambda _: httpx.Response(status, json={"error": error})).outcome, Failure)


def test_exchange__rejected_in_body() -> None:
    """A permanent error inside a 200 gets the same remedy as the HTTP status."""
    body = {"error": {"message": "bad temperature", "code": 404}}
    message = (
        "There is nothing to ask at https://llm.example.test/v1/chat/completions (HTTP 404), or it has no model 'm'. "
        "Check EVAL_BASE_URL (input base-url) and EVAL_MODEL. It said: bad temperature"
    )
    expected = Failure(cause=Cause.REJECTED, message=message, status=404, kind="error in a 200")
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
    assert Try((REPLY,) if came else late) == send(lambda _: httpx.Response(200, stream=stream))


TOO_LARGE = Failure(
    cause=Cause.TOO_LARGE,
    message="llm.example.test answered with more than 1,000 bytes. A max_tokens would keep the model from running on.",
)


def test_exchange__size() -> None:
    """A body of the limit is read, and of a longer one no more than the piece that goes over it."""
    padded = BODY + b" " * (1_000 - len(BODY))
    assert Try((REPLY,)) == send(lambda _: httpx.Response(200, content=padded))
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
    [
        ("gzip", gzip.compress(BODY)),
        ("X-GZIP", gzip.compress(BODY)),
        ("deflate", zlib.compress(BODY)),
        ("deflate", RAW),
        ("", BODY),
    ],
)
def test_exchange__compressed(encoding: str, content: bytes) -> None:
    """A gateway that compresses without being asked is understood, in pieces of any size."""
    headers = {"Content-Encoding": encoding}
    stream = Drip(*(content[i : i + 1] for i in range(len(content))))
    assert Try((REPLY,)) == send(lambda _: httpx.Response(200, stream=stream, headers=headers))


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


@pytest.mark.parametrize(
    ("encoding", "content", "what"),
    [
        ("gzip", b"not gzip", "a body that cannot be decompressed"),
        ("deflate", b"neither", "a body that cannot be decompressed"),
        ("br", b"x", "a body compressed with 'br', which was not asked for"),
        ("identity, ZSTD", b"x", "a body compressed with 'zstd', which was not asked for"),
        ("gzip, gzip", b"x", "a body compressed with 'gzip, gzip', which was not asked for"),
    ],
)
def test_exchange__unreadable_compression(encoding: str, content: bytes, what: str) -> None:
    """A body that cannot be decompressed is rubbish; with an error status the status counts."""
    headers = {"Content-Encoding": encoding}
    rubbish = Failure(cause=Cause.RUBBISH, message=f"The endpoint answered {what}.", kind="compressed wrongly")
    assert Try(rubbish) == send(lambda _: httpx.Response(200, stream=Drip(content), headers=headers))
    status = Failure(cause=Cause.STATUS, message="llm.example.test answered HTTP 502.", status=502)
    assert Try(status) == send(lambda _: httpx.Response(502, stream=Drip(content), headers=headers))


def test_exchange__compression_cut_off() -> None:
    """Compressed data without their end are a body that breaks off, also where all of the text is there."""
    headers = {"Content-Encoding": "gzip"}
    expected = Failure(
        cause=Cause.RUBBISH, message="The endpoint answered a compressed body that breaks off.", kind="cut off"
    )
    for missing in (1, 8, 30):
        stream = Drip(gzip.compress(BODY)[:-missing])
        assert Try(expected) == send(lambda _, s=stream: httpx.Response(200, stream=s, headers=headers))  # type: ignore[misc]


def test_exchange__part() -> None:
    """A part of a body was not asked for, however whole it looks."""
    expected = Failure(
        cause=Cause.RUBBISH, message="The endpoint answered a part of a body (HTTP 206).", kind="cut off"
    )
    assert Try(expected) == send(lambda _: httpx.Response(206, content=BODY))


@pytest.mark.parametrize("encoding", ["UTF-8", "utf8", "none", "binary", "8bit", "aws-chunked", "identity", ""])
def test_exchange__not_compressed(encoding: str) -> None:
    """What some servers call the encoding of a body, and is no compression, does not keep it from being read."""
    got = send(lambda _: httpx.Response(200, stream=Drip(BODY), headers={"Content-Encoding": encoding}))
    assert Try((REPLY,)) == got


@pytest.mark.parametrize("status", [200, 201, 203])
def test_exchange__success(status: int) -> None:
    """A whole completion is one, whichever success its status names."""
    assert Try((REPLY,)) == send(lambda _: httpx.Response(status, content=BODY))


@pytest.mark.parametrize("status", [200, 202, 204, 205])
def test_exchange__empty(status: int) -> None:
    """A success without a body is an empty body."""
    expected = Failure(cause=Cause.RUBBISH, message="The endpoint answered an empty body.", kind="empty body")
    assert Try(expected) == send(lambda _: httpx.Response(status))


class Broken(httpx.AsyncByteStream):
    """A body that breaks off with an error after its first piece."""

    def __init__(self, piece: bytes, error: httpx.TransportError) -> None:
        self.piece = piece
        self.error = error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the piece, and break."""
        yield self.piece
        raise self.error


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (
            httpx.RemoteProtocolError(
                "peer closed connection without sending complete message body (incomplete chunked"
            ),
            "cut off",
            "broke off (RemoteProtocolError): peer closed connection without sending complete message body (incomplete "
            "chunked",
        ),
        (httpx.ReadError("reset"), "connection reset", "broke off (ReadError): reset"),
    ],
)
def test_exchange__body_breaks_off(error: httpx.TransportError, kind: str, words: str) -> None:
    """A body that breaks off is no reply; an error status still says what it says, as far as its body came."""
    content = json.dumps({"error": {"message": "no key"}}).encode()
    broken = Failure(cause=Cause.TRANSPORT, message=f"llm.example.test {words}", kind=kind)
    assert Try(broken) == send(lambda _: httpx.Response(200, stream=Broken(BODY, error)))
    message = "llm.example.test wants a key (HTTP 401), and none was given. Set EVAL_API_KEY (input api-key). It said: "
    refused = Failure(cause=Cause.REJECTED, message=f"{message}no key", status=401)
    assert Try(refused) == send(lambda _: httpx.Response(401, stream=Broken(content, error)))


def test_exchange__late() -> None:
    """To have no connection in time is another kind of failure than to have no answer in time."""
    times = {
        "connect timeout": (httpx.ConnectTimeout("late"), "No connection to llm.example.test within 10 s."),
        "timeout": (httpx.ReadTimeout("late"), "No complete answer from llm.example.test within 120 s."),
    }
    for kind, (error, message) in times.items():

        def answer(_: httpx.Request, error: Exception = error) -> httpx.Response:
            raise error

        outcome = send(answer).outcome
        assert isinstance(outcome, Failure)
        assert (Cause.TIMEOUT, message, kind) == (outcome.cause, outcome.message, outcome.counted_as)


PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in &amp; go</title></head><body>temperature</body></html>"
IS_PAGE = "a web page (HTML), as proxies and sign-in pages send it, titled 'Sign in & go'."


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (200, f"The endpoint answered {IS_PAGE}", "HTML"),
        (502, f"llm.example.test answered HTTP 502. It sent {IS_PAGE}", "HTTP 502"),
        (511, f"llm.example.test answered HTTP 511. It sent {IS_PAGE}", "HTTP 511"),
        (
            400,
            "llm.example.test refuses the request with the model 'm' (HTTP 400). Check the model, the messages and the "
            f"parameters for the case at x.golden.jsonl:1. It sent {IS_PAGE}",
            "HTTP 400",
        ),
        (
            407,
            "The proxy on the way to llm.example.test wants other credentials (HTTP 407). Check HTTPS_PROXY, "
            f"HTTP_PROXY and NO_PROXY. It sent {IS_PAGE}",
            "HTTP 407",
        ),
    ],
)
def test_exchange__page(status: int, message: str, kind: str) -> None:
    """A web page is called one, whatever its status; what stands in it refuses no parameter."""
    call = make_call(make_case("a", sampling=Sampling(model="m", temperature=1)))
    got = send(lambda _: httpx.Response(status, content=PAGE, headers={"Content-Type": "text/html"}), call=call)
    assert isinstance(got.outcome, Failure)
    assert (message, kind, None) == (got.outcome.message, got.outcome.counted_as, got.refused)


@pytest.mark.parametrize(
    ("charset", "encoding", "came"),
    [
        ("utf-8", "utf-8", True),
        ("iso-8859-1", "utf-8", True),  # a wrong header over JSON as it has to be
        ("utf-8", "utf-8-sig", True),
        ("utf-8", "utf-16", True),
        ("utf-16", "utf-16-le", True),
        ("utf-16", "utf-16-be", True),
        ("", "utf-32", True),
        ("", "utf-32-be", True),
        ("iso-8859-1", "iso-8859-1", False),
        ("utf-8", "cp1252", False),
        ("x", "gb18030", False),
    ],
)
def test_exchange__charset(charset: str, encoding: str, came: bool) -> None:
    """A text is read in the encoding that it is in beyond doubt, or not at all: never in a wrong one."""
    text = "naïve élève" if encoding != "gb18030" else "编码"
    content = json.dumps(completion(text), ensure_ascii=False).encode(encoding)
    headers = {"Content-Type": f"application/json; charset={charset}" if charset else "application/json"}
    got = send(lambda _: httpx.Response(200, content=content, headers=headers), response_bytes=10_000)
    if came:
        assert Try((replace(REPLY, text=text),)) == got
    else:
        assert isinstance(got.outcome, Failure)
        assert (got.outcome.cause, got.outcome.kind) == (Cause.RUBBISH, "not UTF-8")
        said = f"The endpoint answered a body that is not UTF-8 (its header says {charset!r}). It said: "
        assert got.outcome.message.startswith(said)


def test_exchange__choices() -> None:
    """Each choice is a reply with its place; the tokens of all stand with the first; no more is read than was asked."""
    choices = [
        {"index": 7, "finish_reason": "stop", "message": {"role": "assistant", "content": text}} for text in "abc"
    ]
    body = completion("", choices=choices)
    sent: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return httpx.Response(200, json=body, headers={"X-Cache": "HIT"})

    call = replace(make_call(make_case("a")), choices=2)
    replies = (
        replace(REPLY, text="a", choices=2, replayed="x-cache: HIT"),
        replace(REPLY, text="b", choices=2, choice=1, replayed="x-cache: HIT", usage=Usage()),
    )
    assert Try(replies) == send(answer, call=call, adapted={"n": None, "seed": None})
    assert Try(replies) == send(answer, call=call)
    assert [None, 2] == [request.get("n") for request in sent]


DAY = "Rate limit reached for model `m` on tokens per day (TPD): Limit 100000, Used 97050. Please try again in 9m38s."


@pytest.mark.parametrize(
    ("status", "error", "exhausted"),
    [
        (429, {"message": DAY, "type": "tokens", "code": "rate_limit_exceeded"}, True),
        (429, {"message": DAY.replace("day (TPD)", "minute (TPM)")}, False),
        (200, {"message": DAY, "code": 429}, True),
        (200, {"message": "no credits", "code": "insufficient_quota"}, True),
        (402, {"message": "Insufficient Balance"}, True),
        (500, {"message": DAY}, False),
    ],
)
def test_exchange__quota(status: int, error: dict[str, Any], exhausted: bool) -> None:
    """A quota that does not come back within a run is told from a limit of a minute, and counted apart."""
    got = send(lambda _: httpx.Response(status, json={"error": error}))
    assert isinstance(got.outcome, Failure)
    assert exhausted == got.exhausted == (got.outcome.kind == "quota used up")


def test_exchange__wait_in_the_body() -> None:
    """What Google asks for in the body is handed on, where no header says another thing."""
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36.5s"}
    body = [{"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED", "details": [info]}}]
    failure = Failure(cause=Cause.STATUS, message="llm.example.test answered HTTP 429. It said: slow down", status=429)
    assert Try(failure, 36.5) == send(lambda _: httpx.Response(429, json=body))
    assert Try(failure, 2.0) == send(lambda _: httpx.Response(429, json=body, headers={"Retry-After": "2"}))
    within = {"error": {"code": 429, "message": "slow down", "details": [info]}}
    assert send(lambda _: httpx.Response(200, json=within)).retry_after == 36.5


TEMPERATURE = Adaptation(name="temperature")


@pytest.mark.parametrize(
    ("status", "in_body", "unasked", "adapted", "refused"),
    [
        (400, False, {"temperature"}, {}, TEMPERATURE),
        (400, True, {"temperature"}, {}, TEMPERATURE),
        (501, False, {"temperature"}, {}, TEMPERATURE),
        (501, True, {"temperature"}, {}, TEMPERATURE),
        (400, False, set(), {}, TEMPERATURE),
        (501, False, set(), {}, None),
        (400, False, {"temperature"}, {"temperature": None}, None),
        (400, False, {"seed"}, {}, TEMPERATURE),
        (429, False, {"temperature"}, {}, None),
    ],
)
def test_exchange__refused(
    status: int, in_body: bool, unasked: set[str], adapted: dict[str, str | None], refused: Adaptation | None
) -> None:
    """A refusal by name is told where the parameter was sent and a run can go without it.

    A server's own failure that happens to name a parameter is none, where somebody had written it down.
    """
    body = {"error": {"message": "not with this model", "param": "temperature", "code": status}}
    call = replace(make_call(make_case("a", sampling=Sampling(model="m", temperature=0))), unasked=frozenset(unasked))
    got = send(lambda _: httpx.Response(200 if in_body else status, json=body), call=call, adapted=adapted)
    assert refused == got.refused
    assert isinstance(got.outcome, Failure)
    assert (refused is not None) == (got.outcome.kind == "parameter refused")


INSTEAD = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
RENAMED = {"max_tokens": "max_completion_tokens"}


@pytest.mark.parametrize(
    ("cap_of_budget", "adapted", "name", "refused"),
    [
        (False, {}, "max_tokens", Adaptation(name="max_tokens", instead="max_completion_tokens")),
        (True, {}, "max_tokens", Adaptation(name="max_tokens", instead="max_completion_tokens")),
        (True, RENAMED, "max_completion_tokens", Adaptation(name="max_tokens")),
        (False, RENAMED, "max_completion_tokens", None),
        (False, {"max_tokens": None}, "max_completion_tokens", None),
    ],
)
def test_exchange__cap_refused(
    cap_of_budget: bool, adapted: dict[str, str | None], name: str, refused: Adaptation | None
) -> None:
    """A cap goes by its newer name where that is asked for; without any it goes only where it came from a budget."""
    held: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        held.append(json.loads(request.content))
        message = INSTEAD if name == "max_tokens" else f"Unrecognized request argument supplied: {name}"
        return httpx.Response(400, json={"error": {"message": message, "param": None}})

    call = replace(make_call(make_case("a", sampling=Sampling(model="m", max_tokens=9))), cap_of_budget=cap_of_budget)
    got = send(answer, call=call, adapted=adapted)
    assert [{"model": "m", "messages": [{"role": "user", "content": "a"}], name: 9}] == held
    assert refused == got.refused
    if refused is None:
        message = (
            "llm.example.test refuses the parameter 'max_completion_tokens' with the model 'm' (HTTP 400). It was sent "
            "in place of max_tokens, which was refused before: do not set max_tokens for the case at x.golden.jsonl:1. "
            "It said: Unrecognized request argument supplied: max_completion_tokens"
        )
        assert Failure(cause=Cause.REJECTED, message=message, status=400) == got.outcome
