"""What connections that do not come about, or break, say of themselves."""

from __future__ import annotations

import socket
import ssl

import httpx
import pytest

from evalaction.draw.breakage import transport_failure
from evalaction.draw.endpoint import make_target
from evalaction.draw.failure import is_passing
from evalaction.records.draw import Cause, Failure
from evalaction.records.settings import Endpoint

KEY = "sk-test-AAAA1111BBBB2222"
TARGET = make_target(Endpoint(base_url="https://llm.example.test/v1", api_key=KEY))


def caused(
    error: BaseException, *causes: BaseException, top: httpx.TransportError | None = None
) -> httpx.TransportError:
    """Return an error of the HTTP library with ``error`` at the end of its causes."""
    top = top or httpx.ConnectError("All connection attempts failed")
    outer: BaseException = top
    for inner in (*causes, error):
        outer.__cause__ = inner
        outer = inner
    return top


CUT = "peer closed connection without sending complete message body (received 5 bytes, expected 9)"


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            httpx.RemoteProtocolError("Server disconnected without sending a response."),
            "no answer",
            "llm.example.test broke off (RemoteProtocolError): Server disconnected without sending a response.",
        ),
        (
            httpx.RemoteProtocolError(CUT),
            "cut off",
            f"llm.example.test broke off (RemoteProtocolError): {CUT}",
        ),
        (
            httpx.RemoteProtocolError("illegal status line: bytearray(b'SSH-2.0')"),
            "not HTTP",
            "llm.example.test broke off (RemoteProtocolError): illegal status line: bytearray(b'SSH-2.0')",
        ),
        (
            httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}\\n'"),
            "transport",
            "llm.example.test broke off (LocalProtocolError)",
        ),
        (
            caused(ConnectionResetError(104, "Connection reset by peer"), top=httpx.ReadError("")),
            "connection reset",
            "llm.example.test broke off (ReadError): [Errno 104] Connection reset by peer",
        ),
        (
            caused(BrokenPipeError(32, "Broken pipe"), top=httpx.WriteError("")),
            "connection reset",
            "llm.example.test broke off (WriteError): [Errno 32] Broken pipe",
        ),
        (
            caused(OSError(101, "Network is unreachable")),
            "no connection",
            "llm.example.test could not be reached (ConnectError): [Errno 101] Network is unreachable",
        ),
        (
            caused(socket.gaierror(-2, "Name or service not known")),
            "no such host",
            "llm.example.test has no address that this machine can find: [Errno -2] Name or service not known. Check "
            "EVAL_BASE_URL (input base-url).",
        ),
        (
            caused(ssl.SSLCertVerificationError(1, "certificate verify failed")),
            "certificate",
            "llm.example.test could not be reached (ConnectError): certificate verify failed",
        ),
        (
            httpx.ConnectError("its certificate is not trusted: self-signed"),
            "certificate",
            "llm.example.test could not be reached (ConnectError): its certificate is not trusted: self-signed",
        ),
        (
            caused(ssl.SSLError(1, "wrong version number")),
            "TLS",
            "llm.example.test could not be reached (ConnectError): wrong version number",
        ),
        (
            httpx.ConnectError("it does not speak TLS: an http:// URL may be meant"),
            "TLS",
            "llm.example.test could not be reached (ConnectError): it does not speak TLS: an http:// URL may be meant",
        ),
        (
            httpx.RemoteProtocolError("peer closed connection in the middle of the response's head"),
            "cut off",
            "llm.example.test broke off (RemoteProtocolError): peer closed connection in the middle of the response's "
            "head",
        ),
        (
            httpx.ProxyError(f"503 for {KEY}"),
            "proxy",
            "llm.example.test could not be reached (ProxyError): 503 for ‹redacted›",
        ),
    ],
)
def test_transport_failure__kinds(error: httpx.TransportError, kind: str, message: str) -> None:
    """Each way to fail is a kind of its own, the innermost cause is read, and no key; distrust is not tried again."""
    failure = transport_failure(error, TARGET)
    assert (Cause.TRANSPORT, kind, message) == (failure.cause, failure.counted_as, failure.message)
    assert is_passing(failure) == (failure.kind != "certificate")


def test_transport_failure__proxy_refuses() -> None:
    """A proxy that wants other credentials will want them again: the run ends."""
    words = "the proxy p.example.test:1: 407 Proxy Authentication Required"
    failure = transport_failure(httpx.ProxyError(words), TARGET)
    message = f"llm.example.test could not be reached (ProxyError): {words}"
    assert Failure(cause=Cause.REJECTED, message=message, status=407, kind="proxy") == failure


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
        expected = Failure(cause=Cause.TRANSPORT, message=message, kind="connection refused")
        assert expected == transport_failure(error, target)
