"""An endpoint on 127.0.0.1 on its bad day: it fails in every way that may pass, as often as it is told to.

It runs in the event loop of the test::

    async with Chaos(lambda prompt, index: "42", rate=0.2, seed=1) as endpoint:
        ...  # endpoint.base_url is what EVAL_BASE_URL would be
    assert endpoint.requests == endpoint.answered + sum(endpoint.faults.values())

Which request fails depends on its prompt, its seed and how often it came before, and on nothing else: a run is the
same each time, in whatever order its requests arrive. Good answers come in all forms that HTTP and JSON allow.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import socket
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from types import TracebackType
from typing import Any, NamedTuple, Self

from support.endpoint import completion

_RESET = struct.pack("ii", 1, 0)
_PAGE = b"<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>temperature, seed</body></html>"
_DRIP_S = 0.05
_COMES_S = 0.01
"""Seconds in which what was sent comes, before a reset that might overtake it."""


class End(Enum):
    """What becomes of the connection after an answer."""

    KEPT = auto()
    CLOSED = auto()
    RESET = auto()
    HUNG = auto()
    """Nothing more comes, for as long as the other side waits."""
    DRIPPING = auto()
    """A byte comes every now and then, without an end."""


class Answer(NamedTuple):
    """The bytes of an answer, and what comes after them."""

    raw: bytes
    end: End = End.KEPT


class Fault(NamedTuple):
    """One way to fail."""

    kind: str
    """What it is counted as."""
    make: Callable[[bytes], Answer]
    """The body of a good answer → what comes in its place."""
    weight: float = 10


def http(status: int, body: bytes, headers: Mapping[str, str] | None = None, *, length: int | None = None) -> bytes:
    """Return an HTTP answer; ``length`` is what it says of its length, where that is not the truth."""
    fields = {"Content-Type": "application/json", "Content-Length": str(len(body) if length is None else length)}
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in {**fields, **(headers or {})}.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def chunked(body: bytes, size: int, *, end: bytes = b"0\r\n\r\n", headers: str = "") -> bytes:
    """Return a good answer in chunks."""
    head = f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n{headers}\r\n".encode()
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return head + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + end


def _says(status: int, body: Any, headers: Mapping[str, str] | None = None) -> Callable[[bytes], Answer]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda _: Answer(http(status, content, headers))


def _error(code: Any, **more: Any) -> dict[str, Any]:
    return {"error": {"message": "Upstream failed", "code": code, **more}}


_BUSY = {"error": {"message": "busy"}}
_IN_CHOICE = completion("", choices=[{"index": 0, "finish_reason": "error", "error": {"code": 503, "message": "gone"}}])

FAULTS = (
    *(Fault(f"HTTP {status}", _says(status, _BUSY), 4) for status in (408, 409, 424, 425, 499, 500, 504, 524)),
    Fault("HTTP 429", _says(429, _BUSY, {"Retry-After": "1"}), 3),
    Fault("HTTP 429", _says(429, _BUSY, {"retry-after-ms": "20"}), 3),
    Fault("HTTP 502", _says(502, _PAGE, {"Content-Type": "text/html"}), 4),
    Fault("HTTP 503", _says(503, _BUSY), 3),
    Fault("HTTP 520", _says(520, b"error code: 520"), 4),
    Fault("HTTP 529", _says(529, _BUSY), 3),
    Fault("error in a 200", _says(200, _error(502)), 4),
    Fault("error in a 200", _says(200, _error("500")), 4),
    Fault("error in a 200", _says(200, _error(None, type="overloaded_error")), 2),
    Fault("error in a 200", _says(200, _IN_CHOICE), 4),
    Fault("error in a 200", _says(200, {"error": "model is loading"}), 4),
    Fault("error in a 200", _says(200, {"object": "error", "message": "no", "code": 500}), 4),
    Fault("no choices", _says(200, {"id": "x", "choices": []}), 5),
    Fault("no choices", _says(200, {"id": "x", "choices": None}), 5),
    Fault("no message", _says(200, {"choices": [{"finish_reason": "stop"}]})),
    Fault("empty body", _says(200, b""), 5),
    Fault("empty body", lambda _: Answer(b"HTTP/1.1 204 No Content\r\n\r\n"), 5),
    Fault("HTML", _says(200, _PAGE)),
    Fault("event stream", lambda body: Answer(http(200, b"data: " + body + b"\n\ndata: [DONE]\n\n"))),
    Fault("not JSON", _says(200, b"upstream connect error or disconnect/reset before headers")),
    Fault("not an object", _says(200, [])),
    Fault("not UTF-8", lambda body: Answer(http(200, body.replace(b"\\u00e9", b"\xe9")))),
    Fault("cut off", lambda body: Answer(http(200, body, length=len(body) + 9), End.CLOSED), 3),
    Fault("cut off", lambda body: Answer(http(200, body[:-9])), 3),
    Fault("cut off", lambda body: Answer(chunked(body, 50, end=b""), End.CLOSED), 3),
    Fault("cut off", lambda body: Answer(http(200, gzip.compress(body)[:-9], {"Content-Encoding": "gzip"})), 3),
    Fault("cut off", lambda body: Answer(http(206, body)), 3),
    Fault("cut off", lambda body: Answer(http(200, body)[:25], End.CLOSED), 3),
    Fault("compressed wrongly", _says(200, b"\x0b\x02", {"Content-Encoding": "br"}), 5),
    Fault("compressed wrongly", lambda body: Answer(http(200, body, {"Content-Encoding": "gzip"})), 5),
    Fault("connection reset", lambda body: Answer(http(200, body)[:-20], End.RESET), 5),
    Fault("connection reset", lambda body: Answer(http(200, body)[:25], End.RESET), 5),
    Fault("not HTTP", lambda _: Answer(b"SSH-2.0-OpenSSH_9.2\r\n", End.CLOSED)),
    Fault("no answer", lambda _: Answer(b"", End.CLOSED)),
    Fault("timeout", lambda body: Answer(http(200, body)[:-20], End.HUNG), 0.25),
    Fault("timeout", lambda body: Answer(http(200, body, length=10_000), End.DRIPPING), 0.25),
)
"""Every way to fail that another request may not meet."""

_WEIGHTS = [each.weight for each in FAULTS]

FORMS: tuple[Callable[[bytes], bytes], ...] = (
    lambda body: http(200, body),
    lambda body: http(200, b"\n \n" + body + b"\n", {"Content-Type": "text/plain; charset=iso-8859-1"}),
    lambda body: http(200, b"\xef\xbb\xbf" + body),
    lambda body: http(200, body.decode().encode("utf-16")),
    lambda body: http(200, json.dumps(json.loads(body), ensure_ascii=False, indent=1).encode()),
    lambda body: http(201, gzip.compress(body), {"Content-Encoding": "gzip"}),
    lambda body: http(200, zlib.compress(body), {"Content-Encoding": "deflate"}),
    lambda body: http(200, zlib.compress(body, wbits=-15), {"Content-Encoding": "deflate"}),
    lambda body: chunked(body, 7),
    lambda body: chunked(gzip.compress(body), 20, headers="Content-Encoding: gzip\r\n"),
    lambda body: b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + http(200, body),
    lambda body: http(200, body, {"Connection": "close"}),
)
"""Forms in which one and the same body comes."""


class Chaos:
    """The endpoint. Read its counters at any time."""

    def __init__(
        self,
        answers: Callable[[str, int], str],
        *,
        rate: float = 0.0,
        seed: int = 0,
        most_in_a_row: int | None = 3,
        first: Sequence[Fault] = (),
    ) -> None:
        """Keep what to answer; nothing listens yet.

        Args:
            answers: (content of the last message, seed of the request, or how often it was answered before) → text.
            rate: share of the requests that fail, 0 to 1.
            seed: of the chance.
            most_in_a_row: after so many failures the same request is answered; None for no end.
            first: what the first requests fail with, in order of arrival.
        """
        self.requests = 0
        """That have come."""
        self.answered = 0
        """That got a good answer."""
        self.faults: Counter[str] = Counter()
        """Those that did not, by kind."""
        self.most_in_flight = 0
        self._answers, self._rate, self._seed, self._first = answers, rate, seed, list(first)
        self._most_in_a_row = most_in_a_row
        self._in_flight = 0
        self._came: Counter[tuple[str, Any]] = Counter()
        self._in_a_row: Counter[tuple[str, Any]] = Counter()
        self._good: Counter[str] = Counter()
        self._connections: set[asyncio.Task[None]] = set()
        self.bodies: list[dict[str, Any]] = []
        """Of the requests, in order of arrival."""

    @property
    def base_url(self) -> str:
        """``http://127.0.0.1:PORT/v1``."""
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/v1"

    async def __aenter__(self) -> Self:
        """Listen."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close everything, and raise what went wrong in here."""
        self._server.close()
        for task in self._connections:
            task.cancel()
        outcomes = await asyncio.gather(*self._connections, return_exceptions=True)
        faults = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        if faults and error is None:
            raise faults[0]

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the other side has gone, as it may, or this one is to go
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = True
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode("latin-1").lower().split("\r\n")[1:-2])
            body = json.loads(await reader.readexactly(int(fields["content-length"])))
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            try:
                await self._answer(reader, writer, self._choose(body, first=first))
            finally:
                self._in_flight -= 1
            first = False

    def _choose(self, body: dict[str, Any], *, first: bool) -> Answer:
        """Return the answer to a request; ``first``: of its connection."""
        prompt = str(body["messages"][-1]["content"])
        key = (prompt, body.get("seed"))
        chance = random.Random(f"{self._seed}/{key}/{self._came[key]}")  # noqa: S311 - chance for a test
        self.requests += 1
        self.bodies.append(body)
        self._came[key] += 1
        may_fail = self._most_in_a_row is None or self._in_a_row[key] < self._most_in_a_row
        if self._first or (may_fail and chance.random() < self._rate):
            fault = self._first.pop(0) if self._first else chance.choices(FAULTS, _WEIGHTS)[0]
            if fault.kind == "no answer" and not first:
                # A connection that was used before may have been closed for another reason: who meets that sends the
                # request again at once, and rightly does not count it.
                fault = next(each for each in FAULTS if each.kind == "connection reset")
            self.faults[fault.kind] += 1
            self._in_a_row[key] += 1
            return fault.make(self._body(body, prompt))
        self._in_a_row[key] = 0
        self.answered += 1
        content = self._body(body, prompt)
        self._good[prompt] += body.get("n", 1)
        return Answer(chance.choice(FORMS)(content))

    def _body(self, body: dict[str, Any], prompt: str) -> bytes:
        index = body["seed"] if "seed" in body else self._good[prompt]
        choices = [
            {
                "index": turn,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": self._answers(prompt, index + turn), "refusal": None},
            }
            for turn in range(body.get("n", 1))
        ]
        whole = completion("", id=f"cmpl-{self.requests}", model=body["model"], choices=choices)
        return json.dumps({**whole, "system_fingerprint": "é"}).encode()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer) -> None:
        writer.write(answer.raw)
        match answer.end:
            case End.KEPT:
                await writer.drain()
                return
            case End.RESET:
                await asyncio.sleep(_COMES_S)
                made = writer.get_extra_info("socket")
                made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            case End.HUNG:
                await reader.read()  # until the other side has gone
            case End.DRIPPING:
                while True:
                    await asyncio.sleep(_DRIP_S)
                    writer.write(b" ")
                    await writer.drain()
            case End.CLOSED:
                pass
        writer.close()
        raise ConnectionResetError
