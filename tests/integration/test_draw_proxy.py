"""Drawing through proxies that the environment names, from endpoints whose names only the proxy knows."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from support.authority import Authority
from support.drawing import make_case, make_plan
from support.proxy import LoopbackProxy
from support.wire import Asked, Wire, drawn_from, reply, settled, texts

from evalaction.records.settings import Limits

KEY = "sk-test-AAAA1111BBBB2222"
FAR = "llm.example.test"
SECRET = "secret-p%40ssword"
PASSWORD = "secret-p@ssword"


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what this machine says about proxies and certificates."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def authority(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Authority:
    """An authority that is trusted."""
    authority = Authority()
    monkeypatch.setenv("SSL_CERT_FILE", authority.file(tmp_path))
    return authority


class Went(NamedTuple):
    """What came of drawing, and by which way."""

    texts: Sequence[str | None]
    """What was drawn."""
    by_proxy: Sequence[str]
    """Request lines that the proxy got."""
    at_endpoint: Sequence[str]
    """Request lines that the endpoint got."""
    connections: int
    """That the endpoint counted."""


async def script(asked: Asked) -> None:
    """Answer with what an endpoint sees of who asks."""
    seen = [asked.header(name) for name in ("Host", "Authorization", "Proxy-Authorization")]
    asked.write(reply(" ".join(str(each) for each in seen)))


def go(
    url: str,
    variables: dict[str, str],
    *,
    n: int = 1,
    key: str | None = None,
    tls: ssl.SSLContext | None = None,
    credentials: str | None = None,
    proxy_tls: ssl.SSLContext | None = None,
    answer: bytes = b"HTTP/1.0 200 Connection established\r\n\r\n",
) -> Went:
    """Draw from ``url``, with variables in which PROXY stands for the proxy's address and PORT for the endpoint's."""

    async def going() -> Went:
        async with (
            Wire(script, tls=tls) as server,
            LoopbackProxy(server.port, credentials=credentials, tls=proxy_tls, answer=answer) as proxy,
        ):
            with pytest.MonkeyPatch.context() as patch:
                for name, value in variables.items():
                    patch.setenv(name, value.replace("PROXY", proxy.address))
                limits = Limits(max_concurrency=1, tries=1)
                plan = make_plan(make_case("a", n=n))
                drawn = await drawn_from(url.replace("PORT", str(server.port)), plan, limits=limits, key=key)
            words = [str(text).replace(proxy.address, "PROXY") for text in texts(drawn)]
            return Went(words, proxy.lines, server.lines, server.connections)

    return asyncio.run(going())


PLAIN = f"POST http://{FAR}/v1/chat/completions HTTP/1.1"
ASKED = "POST /v1/chat/completions HTTP/1.1"


@pytest.mark.parametrize(
    "variables",
    [
        {"HTTPS_PROXY": "http://PROXY"},
        {"https_proxy": "PROXY"},
        {"ALL_PROXY": "http://PROXY/"},
        {"HTTPS_PROXY": "http://PROXY", "ALL_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"},
        {"HTTPS_PROXY": "http://PROXY", "NO_PROXY": "example.tes, other.example.test, .llm.example.test"},
    ],
)
def test_proxy__tunnel(variables: dict[str, str], authority: Authority) -> None:
    """An https endpoint is reached by a tunnel, which is opened once; nothing of a request shows on the way."""
    went = go(f"https://{FAR}/v1", variables, n=3, key=KEY, tls=authority.server(FAR))
    assert went == Went([f"{FAR} Bearer {KEY} None"] * 3, [f"CONNECT {FAR}:443 HTTP/1.1"], [ASKED] * 3, 1)


def test_proxy__tunnel_closed(authority: Authority) -> None:
    """A tunnel that ends while it is not used costs nothing: another is opened for the next request."""

    async def closing(asked: Asked) -> None:
        asked.write(reply(f"{asked.connection}"))
        await asked.close()

    async def going() -> None:
        async with Wire(closing, tls=authority.server(FAR)) as server, LoopbackProxy(server.port) as proxy:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("HTTPS_PROXY", proxy.address)
                limits = Limits(max_concurrency=1, tries=1)
                drawn = await drawn_from(f"https://{FAR}/v1", make_plan(make_case("a", n=3)), limits=limits)
            assert (texts(drawn), drawn.made, drawn.faults) == (["0", "1", "2"], 3, ())
            assert proxy.lines == [f"CONNECT {FAR}:443 HTTP/1.1"] * 3

    asyncio.run(going())


@pytest.mark.parametrize("variables", [{"HTTP_PROXY": "http://PROXY"}, {"http_proxy": "PROXY"}, {"ALL_PROXY": "PROXY"}])
def test_proxy__forward(variables: dict[str, str]) -> None:
    """For an http endpoint the proxy gets the whole URL, and sends the request on."""
    went = go(f"http://{FAR}/v1", variables, n=1)
    assert went == Went([f"{FAR} None None"], [PLAIN], [ASKED], 1)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy__credentials(scheme: str, authority: Authority) -> None:
    """Credentials in the proxy's URL are shown to the proxy, and to nobody else."""
    variables = {"ALL_PROXY": f"http://me:{SECRET}@PROXY"}
    tls = authority.server(FAR) if scheme == "https" else None
    went = go(f"{scheme}://{FAR}/v1", variables, tls=tls, credentials=f"me:{PASSWORD}", key=KEY)
    line = PLAIN if scheme == "http" else f"CONNECT {FAR}:443 HTTP/1.1"
    assert went == Went([f"{FAR} Bearer {KEY} None"], [line], [ASKED], 1)


@pytest.mark.parametrize("variables", [{"HTTPS_PROXY": "http://PROXY"}, {"HTTPS_PROXY": f"http://me:{SECRET}@PROXY"}])
def test_proxy__wants_credentials(variables: dict[str, str], authority: Authority) -> None:
    """A proxy that wants other credentials is named, with where they stand and without those it was given."""
    went = go(f"https://{FAR}/v1", variables, tls=authority.server(FAR), credentials="me:other")
    words = (
        f"{FAR} could not be reached (ProxyError): the proxy PROXY: 407 Proxy Authentication Required. "
        "Credentials for it stand in its URL: http://USER:PASSWORD@HOST:PORT"
    )
    assert went == Went([words], [f"CONNECT {FAR}:443 HTTP/1.1"], [], 0)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", "502 Bad Gateway"),
        (b"HTTP/1.1 503\r\n\r\n", "503"),
        (b"HTTP/1.1 301 Moved\r\nLocation: http://sign.in/\r\n\r\n", "301 Moved"),
        (b"SSH-2.0\r\n", "what came is not HTTP/1"),
        (b"", "Server disconnected without sending a response."),
    ],
)
def test_proxy__no_tunnel(answer: bytes, words: str, authority: Authority) -> None:
    """What a proxy says in place of opening a tunnel is said to come from the proxy."""
    went = go(f"https://{FAR}/v1", {"HTTPS_PROXY": "http://PROXY"}, tls=authority.server(FAR), answer=answer)
    assert went.texts == [f"{FAR} could not be reached (ProxyError): the proxy PROXY: {words}"]
    assert went.at_endpoint == []


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy__not_there(scheme: str) -> None:
    """A proxy that refuses connections is told apart from an endpoint that does, and its password is not shown."""
    went = go(f"{scheme}://{FAR}/v1", {"ALL_PROXY": f"http://me:{SECRET}@127.0.0.1:9"})
    words = "the proxy 127.0.0.1:9: it refuses the connection"
    assert went == Went([f"{FAR} could not be reached (ProxyError): {words}"], [], [], 0)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy__in_tls(scheme: str, authority: Authority) -> None:
    """A proxy that is itself spoken to in TLS serves both kinds of endpoint."""
    tls = authority.server(FAR) if scheme == "https" else None
    variables = {"ALL_PROXY": f"https://me:{SECRET}@PROXY"}
    proxy_tls = authority.server("127.0.0.1")
    went = go(f"{scheme}://{FAR}/v1", variables, tls=tls, proxy_tls=proxy_tls, credentials=f"me:{PASSWORD}")
    line = PLAIN if scheme == "http" else f"CONNECT {FAR}:443 HTTP/1.1"
    assert went == Went([f"{FAR} None None"], [line], [ASKED], 1)


def test_proxy__not_trusted() -> None:
    """A proxy in TLS whose certificate nobody vouches for is not used."""
    went = go(f"https://{FAR}/v1", {"ALL_PROXY": "https://PROXY"}, proxy_tls=Authority().server("127.0.0.1"))
    words = (
        "the proxy PROXY: its certificate is not trusted: unable to get local issuer certificate. "
        "SSL_CERT_FILE names a file with the certificates of a private authority"
    )
    assert went == Went([f"{FAR} could not be reached (ProxyError): {words}"], [], [], 0)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy__silent(scheme: str) -> None:
    """A proxy that says nothing, in TLS or to a request for a tunnel, is given up in the time to connect."""

    async def going() -> None:
        async with Wire(script, waits_for_body=False) as silent:
            address = silent.base_url.split("/")[2]
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("ALL_PROXY", f"{scheme}://{address}")
                limits = Limits(max_concurrency=1, tries=1, connect_s=0.05)
                drawn = await drawn_from(f"https://{FAR}/v1", make_plan(make_case("a", n=1)), limits=limits)
            assert texts(drawn) == [f"No connection to {FAR} within 0.05 s."]
            await settled(lambda: silent.open == 0)

    async def script(asked: Asked) -> None:
        await asked.reader.read()

    asyncio.run(going())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy__endpoint_not_trusted(scheme: str, authority: Authority) -> None:
    """Through a tunnel, too, the endpoint has to be who it says it is."""
    proxy_tls = authority.server("127.0.0.1") if scheme == "https" else None
    variables = {"ALL_PROXY": f"{scheme}://PROXY"}
    went = go(f"https://{FAR}/v1", variables, tls=authority.server("other.example.test"), proxy_tls=proxy_tls)
    words = f"its certificate is not trusted: Hostname mismatch, certificate is not valid for '{FAR}'"
    assert went.texts == [f"{FAR} could not be reached (ConnectError): {words}"]
    assert went.at_endpoint == []


@pytest.mark.parametrize(
    ("host", "variables"),
    [
        ("127.0.0.1", {"ALL_PROXY": "http://127.0.0.1:9"}),
        ("localhost", {"HTTP_PROXY": "http://127.0.0.1:9"}),
        ("far.example.test", {"ALL_PROXY": "http://127.0.0.1:9", "NO_PROXY": "other.test, example.test"}),
        ("far.example.test", {"HTTP_PROXY": "http://127.0.0.1:9", "no_proxy": "far.example.test:PORT"}),
        ("far.example.test", {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "*"}),
        ("far.example.test", {"HTTPS_PROXY": "http://127.0.0.1:9"}),
    ],
)
def test_proxy__direct(host: str, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy is asked for this machine, for what ``NO_PROXY`` names, and for a scheme that has none."""
    asked: list[str] = []

    def found(name: str, port: int, **__: object) -> list[object]:
        asked.append(name)
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr("socket.getaddrinfo", found)

    async def going() -> tuple[Sequence[str | None], int]:
        async with Wire(script) as server:
            for name, value in variables.items():
                monkeypatch.setenv(name, value.replace("PORT", str(server.port)))
            plan = make_plan(make_case("a", n=1))
            drawn = await drawn_from(f"http://{host}:{server.port}/v1", plan, limits=Limits(tries=1))
            return texts(drawn), server.port

    got, port = asyncio.run(going())
    assert got == [f"{host}:{port} None None"]
    assert asked == ([] if host == "127.0.0.1" else [host])
