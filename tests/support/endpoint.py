"""A scripted OpenAI-compatible endpoint on 127.0.0.1, which keeps every request it gets.

Use it as a context manager; it listens on a free port of loopback until the block ends::

    with ScriptedEndpoint.answering(lambda prompt, index: "42") as endpoint:
        ...  # endpoint.base_url is what EVAL_BASE_URL would be
    assert [request.json["model"] for request in endpoint.requests] == ["m"] * 5

A script is called once a request, in a thread of that request, and may block (on a ``threading.Event``
or a ``Barrier``, say) to hold its request in flight. An exception in a script is answered with 500 and
raised again when the block ends.
"""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self


class Answer(NamedTuple):
    """What a script answers. ``Content-Length`` is added unless ``headers`` has one (a larger one cuts the body)."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Script = Callable[[int, Any], "Answer | tuple[int, Mapping[str, str], bytes]"]
"""(number of the request from 0 in order of arrival, its JSON body) → its answer."""


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request, as it came."""

    method: str
    path: str
    """With the query."""
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)


def completion(text: str | None, **changes: Any) -> dict[str, Any]:
    """Return a chat completion that says ``text``.

    Args:
        text: the message's content.
        changes: ``id``, ``model``, ``usage``, ``choices`` replace those of the completion; ``finish_reason``
            that of its choice; any other name is a further field of the message.
    """
    choice = {
        "index": 0,
        "finish_reason": changes.pop("finish_reason", "stop"),
        "message": {"role": "assistant", "content": text},
    }
    whole: dict[str, Any] = {
        "id": "cmpl-1",
        "object": "chat.completion",
        "model": "m",
        "choices": [choice],
        "usage": {"prompt_tokens": 40, "completion_tokens": 12, "total_tokens": 52},
    }
    for name in whole.keys() & changes.keys():
        whole[name] = changes.pop(name)
    choice["message"].update(changes)
    return whole


def answer(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Return ``body`` as a JSON answer."""
    return Answer(status, {"Content-Type": "application/json", **(headers or {})}, json.dumps(body).encode())


class ScriptedEndpoint:
    """The endpoint. Read ``requests``, ``connections`` and ``most_in_flight`` during the block or after it."""

    def __init__(self, script: Script) -> None:
        """Keep the script; nothing listens yet."""
        self.requests: list[Received] = []
        """In order of arrival."""
        self.connections = 0
        self.most_in_flight = 0
        """Requests that were in work at one time, at most."""
        self._script = script
        self._lock = threading.Lock()
        self._in_flight = 0
        self._faults: list[Exception] = []
        self._sockets: set[socket.socket] = set()

    @classmethod
    def answering(cls, answers: Callable[[str, int], str]) -> Self:
        """Return an endpoint whose completions say ``answers(prompt, index)``, with ids of their own.

        ``prompt`` is the content of the last message. ``index`` is the request's seed where it has one,
        and otherwise the number of earlier requests with the same prompt, from 0.
        """
        seen: Counter[str] = Counter()
        lock = threading.Lock()

        def script(number: int, body: Any) -> Answer:
            prompt = str(body["messages"][-1]["content"])
            with lock:
                index = body.get("seed", seen[prompt])
                seen[prompt] += 1
            return answer(completion(answers(prompt, index), id=f"cmpl-{number}", model=body["model"]))

        return cls(script)

    @property
    def base_url(self) -> str:
        """``http://127.0.0.1:PORT/v1``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        """Listen."""
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection, end every thread, and raise what a script raised."""
        self._server.shutdown()
        with self._lock:
            open_sockets = list(self._sockets)
        for connection in open_sockets:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # the other side was faster
        self._server.server_close()
        self._thread.join()
        if self._faults and error is None:
            raise self._faults[0]

    def receive(self, request: Received) -> Answer:
        """Record one request and return what the script answers to it."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            return Answer(*self._script(number, request.json if request.body else None))
        except Exception as fault:  # noqa: BLE001 - kept, and raised when the block ends
            self._faults.append(fault)
            return answer({"error": {"message": f"the script failed: {fault!r}"}}, 500)
        finally:
            with self._lock:
                self._in_flight -= 1

    def opened(self, connection: socket.socket) -> None:
        """Count a connection, and remember it until it is closed."""
        with self._lock:
            self.connections += 1
            self._sockets.add(connection)

    def closed(self, connection: socket.socket) -> None:
        """Forget a connection."""
        with self._lock:
            self._sockets.discard(connection)


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close() waits for them
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that hung up; what a script raises is kept elsewhere."""


def _handler(endpoint: ScriptedEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else a small answer in two writes waits 40 ms for the acknowledgement

        def setup(self) -> None:
            super().setup()
            endpoint.opened(self.connection)

        def finish(self) -> None:
            endpoint.closed(self.connection)
            super().finish()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            given = endpoint.receive(Received(method=self.command, path=self.path, headers=headers, body=body))
            length = next((value for name, value in given.headers.items() if name.lower() == "content-length"), None)
            self.close_connection = self.close_connection or length not in (None, str(len(given.body)))
            self.send_response(given.status)
            for name, value in given.headers.items():
                self.send_header(name, value)
            if length is None:
                self.send_header("Content-Length", str(len(given.body)))
            self.end_headers()
            self.wfile.write(given.body)

        do_GET = do_POST  # noqa: N815 - the name that http.server looks for

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
            """Say nothing."""

    return Handler
