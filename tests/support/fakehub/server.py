"""The wire of the fake GitHub: HTTP/1.1 with connections that are kept open, on a free port of loopback."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

from support.fakehub.exchange import Answer, Call, Request, Special

ENTERPRISE = "/api/v3"
"""What paths begin with on a GitHub of one's own; GraphQL stands at ``/api/graphql`` there."""

Reply = Callable[[Call], Answer | Special]


class Wire:
    """A server that answers each request with what a function makes of it. The function must not raise."""

    def __init__(self, reply: Reply) -> None:
        """Listen."""
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self, reply))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Close every connection, and end every thread."""
        self._server.shutdown()
        with self._lock:
            open_sockets = list(self._sockets)
        for connection in open_sockets:
            hang_up(connection)
        self._server.server_close()
        self._thread.join()

    def opened(self, connection: socket.socket) -> None:
        """Remember a connection until it is closed."""
        with self._lock:
            self._sockets.add(connection)

    def closed(self, connection: socket.socket) -> None:
        """Forget a connection."""
        with self._lock:
            self._sockets.discard(connection)


def hang_up(connection: socket.socket) -> None:
    """End a connection, unless the other side was faster."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


def call_of(method: str, target: str, headers: dict[str, str], body: bytes) -> Call:
    """Return a request as the rest of the fake sees it.

    Args:
        method: of HTTP.
        target: path and query as they came.
        headers: by lower-case name.
        body: as it came.
    """
    path, _, query = target.partition("?")
    enterprise = path.startswith(f"{ENTERPRISE}/")
    path = path.removeprefix(ENTERPRISE) if enterprise else path
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    pairs = dict(parse_qsl(query, keep_blank_values=True))
    return Call(
        request=Request(method, "/graphql" if path == "/api/graphql" else path, pairs, parsed, headers),
        root=f"http://{headers.get('host', '127.0.0.1')}{ENTERPRISE if enterprise else ''}",
        body=body,
    )


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close() waits for them
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that hung up."""


def _handler(wire: Wire, reply: Reply) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else a small answer in two writes waits 40 ms for the acknowledgement

        def setup(self) -> None:
            super().setup()
            wire.opened(self.connection)

        def finish(self) -> None:
            wire.closed(self.connection)
            super().finish()

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            given = reply(call_of(self.command, self.path, headers, body))
            if isinstance(given, Special):
                self.close_connection = True
                hang_up(self.connection)
            else:
                self.send(given)

        do_POST = do_PATCH = do_PUT = do_DELETE = do_GET  # noqa: N815 - the names that http.server looks for

        def send(self, given: Answer) -> None:
            content, names = given.content, {name.lower() for name in given.headers}
            length = {name.lower(): value for name, value in given.headers.items()}.get("content-length")
            self.close_connection = self.close_connection or length not in {None, str(len(content))}
            self.send_response_only(given.status)  # the Date of this machine is none of the fake's own time
            for name, value in given.headers.items():
                self.send_header(name, value)
            if content and "content-type" not in names:
                self.send_header("Content-Type", given.content_type)
            if length is None and given.status != 204:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
            """Say nothing."""

    return Handler
