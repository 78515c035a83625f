"""A chat endpoint on loopback to be measured against: it answers as fast as it is told, and counts what it is asked.

It speaks as much HTTP/1.1 as clients of chat endpoints do (requests with a ``Content-Length``, over connections that
are kept), on a bare protocol of asyncio, so that it is not what is slow. ``python benchmarks/endpoint.py --port 0``
prints ``ready http://127.0.0.1:PORT/v1`` when it listens, and ends on SIGTERM or after its lifetime.

- ``POST …/chat/completions`` is answered with a JSON object whose ``answer`` is the word after ``EXPECT=`` in the
  prompt; see ``answers``.
- ``GET /stats`` gives the counters, ``POST /reset`` gives them and starts anew, ``POST /config`` changes the behaviour
  and gives the one in force. A connection over which these alone are asked for is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import selectors
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.answers import BROKEN, LIMITED, OK, RESET, Behaviour, Endpoint

BAD, UNKNOWN = 400, 404


class Connection(asyncio.Protocol):
    """One connection: takes its requests apart, and answers each after its time."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint, self.loop, self.rest = endpoint, asyncio.get_running_loop(), b""
        self.counted = self.called = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count it."""
        self.transport: asyncio.Transport = transport  # type: ignore[assignment] # TCP's is one
        self._count(1)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Count it off."""
        self.endpoint.open -= self.counted

    def _count(self, step: int) -> None:
        self.counted = step > 0
        self.endpoint.open += step
        self.endpoint.counts.connections += step

    def data_received(self, data: bytes) -> None:
        """Take whole requests off what has come."""
        self.endpoint.counts.bytes_in += len(data)
        self.rest += data
        while (end := self.rest.find(b"\r\n\r\n")) >= 0:
            head = self.rest[:end]
            stop = end + 4 + int(_field(head, b"content-length") or 0)
            if len(self.rest) < stop:
                return
            body, self.rest = self.rest[end + 4 : stop], self.rest[stop:]
            path = head.split(b" ", 2)[1]
            if path.endswith(b"/chat/completions"):
                self._call(head, body)
            else:
                self._control(path.decode("latin-1"), body)

    def _control(self, path: str, body: bytes) -> None:
        """Answer what asks for no completion."""
        if self.counted and not self.called:
            self._count(-1)
        known = path in {"/config", "/stats", "/reset"}
        said = self.endpoint.configure(json.loads(body or b"{}")) if path == "/config" else self.endpoint.stats()
        if path == "/reset":
            self.endpoint.reset()
        self._send(OK if known else UNKNOWN, json.dumps(said if known else {}))

    def _call(self, head: bytes, body: bytes) -> None:
        """Answer a request for a completion, or let it fail."""
        endpoint, counts, now = self.endpoint, self.endpoint.counts, time.monotonic()
        self.called = True
        counts.requests += 1
        agent = _field(head, b"user-agent").decode("latin-1")
        counts.user_agents[agent] = counts.user_agents.get(agent, 0) + 1
        counts.max_open = max(counts.max_open, endpoint.open)
        endpoint.first = endpoint.first or now
        try:
            request = json.loads(body)
            prompt = "\n".join([message["content"] for message in request["messages"]])
            seed = endpoint.seed_of(request, prompt)
        except (ValueError, KeyError, TypeError) as error:
            counts.bad_requests += 1
            self._send(BAD, json.dumps({"error": {"message": f"bad request: {error!r}"}}))
            return
        asked = endpoint.asked[prompt, seed]
        status = endpoint.fate(asked, prompt, seed, now)
        if status == RESET:
            counts.conn_resets += 1
            self.transport.abort()
            return
        if status == LIMITED:
            counts.s429 += 1
            endpoint.last = now
            self._send(status, '{"error": {"message": "rate limited"}}', retry_after=endpoint.behaviour.retry_after)
            return
        endpoint.in_flight += 1
        counts.max_in_flight = max(counts.max_in_flight, endpoint.in_flight)
        delay_s = endpoint.delay_s(prompt, seed, asked.tries)
        if delay_s > 0:
            self.loop.call_later(delay_s, self._answer, request, prompt, seed, status, now)
        else:
            self._answer(request, prompt, seed, status, now)

    def _answer(self, request: dict[str, Any], prompt: str, seed: int, status: int, began: float) -> None:
        endpoint, now = self.endpoint, time.monotonic()
        endpoint.in_flight -= 1
        endpoint.busy_s += now - began
        endpoint.last = now
        if status == BROKEN:
            endpoint.counts.s500 += 1
            self._send(status, '{"error": {"message": "internal error"}}')
            return
        endpoint.counts.ok += 1
        endpoint.asked[prompt, seed].answered += 1
        texts = [endpoint.completion(prompt, seed + place) for place in range(request.get("n") or 1)]
        asked, said = prompt.count(" ") + 1, sum([text.count(" ") + 1 for text in texts])
        choices = [
            f'{{"index": {place}, "message": {{"role": "assistant", "content": {json.dumps(text)}}}, '
            '"finish_reason": "stop"}'
            for place, text in enumerate(texts)
        ]
        self._send(
            status,
            f'{{"id": "chatcmpl-{endpoint.counts.ok}", "object": "chat.completion", "created": 1700000000, '
            f'"model": {json.dumps(request.get("model", "mock"))}, "system_fingerprint": "fp_mock", '
            f'"choices": [{", ".join(choices)}], "usage": {{"prompt_tokens": {asked}, '
            f'"completion_tokens": {said}, "total_tokens": {asked + said}}}}}',
        )

    def _send(self, status: int, text: str, *, retry_after: float | None = None) -> None:
        if self.transport.is_closing():
            return
        body = text.encode()
        wait = b"" if retry_after is None else b"Retry-After: %g\r\n" % retry_after
        answer = b"HTTP/1.1 %d -\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s"
        sent = answer % (status, len(body), wait, body)
        self.endpoint.counts.bytes_out += len(sent)
        self.transport.write(sent)


def _field(head: bytes, name: bytes) -> bytes:
    """Return the value of a header field, in lower case; nothing where there is none."""
    _, _, rest = head.lower().partition(b"\r\n" + name + b":")
    return rest.partition(b"\r\n")[0].strip()


async def serve(behaviour: Behaviour, *, port: int, lifetime_s: float) -> None:
    """Listen on loopback until a signal comes or the lifetime is over."""
    loop, stop, endpoint = asyncio.get_running_loop(), asyncio.Event(), Endpoint(behaviour)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    server = await loop.create_server(lambda: Connection(endpoint), "127.0.0.1", port, backlog=1024)
    print(f"ready http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    loop.call_later(lifetime_s, stop.set)
    await stop.wait()
    server.close()


def main() -> None:
    """Read the flags and serve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8101, help="0 for any that is free")
    parser.add_argument("--lifetime", type=float, default=3600.0, help="seconds")
    for name, default in asdict(Behaviour()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    given = vars(parser.parse_args())
    port, lifetime_s = given.pop("port"), given.pop("lifetime")
    with asyncio.Runner(loop_factory=_exact_loop) as runner:
        runner.run(serve(Behaviour(**given), port=port, lifetime_s=lifetime_s))


def _exact_loop() -> asyncio.AbstractEventLoop:
    # The usual one waits for whole milliseconds, rounded up: 50 of them would be 51.
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


if __name__ == "__main__":
    main()
