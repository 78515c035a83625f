"""Drawing over TLS from an endpoint on loopback whose certificate a private authority has issued."""

from __future__ import annotations

import asyncio
import re
import ssl
from pathlib import Path

import pytest
from support.authority import Authority
from support.drawing import make_case, make_plan
from support.wire import Asked, Wire, drawn_from, http, reply, says, settled, texts

from evalaction.draw.client import make_client
from evalaction.records.draw import Drawn
from evalaction.records.settings import Limits

ONCE = Limits(max_concurrency=1, tries=1)
HINT = "SSL_CERT_FILE names a file with the certificates of a private authority"


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what this machine says about proxies and certificates."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def script(asked: Asked) -> None:
    """Say on which connection, and as which of its requests, one came."""
    asked.write(reply(f"{asked.connection}/{asked.number}"))


def drawn(*, tls: ssl.SSLContext | None, n: int = 1, scheme: str = "https") -> tuple[Drawn, str]:
    """Return what is drawn from an endpoint, and its host."""

    async def go() -> tuple[Drawn, str]:
        async with Wire(script, tls=tls) as server:
            host = server.base_url.split("/")[2]
            return await drawn_from(f"{scheme}://{host}/v1", make_plan(make_case("a", n=n)), limits=ONCE), host

    return asyncio.run(go())


def failure(tls: ssl.SSLContext | None, scheme: str = "https") -> str:
    """Return why nothing can be drawn from an endpoint; it is called HOST."""
    got, host = drawn(tls=tls, scheme=scheme)
    [text] = texts(got)
    return str(text).replace(host, "HOST")


def test_certificates__private_authority(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An endpoint whose authority ``SSL_CERT_FILE`` names is drawn from, over one connection."""
    authority = Authority()
    monkeypatch.setenv("SSL_CERT_FILE", authority.file(tmp_path))
    got, _ = drawn(tls=authority.server("127.0.0.1"), n=3)
    assert texts(got) == ["0/0", "0/1", "0/2"]
    assert got.faults == ()


def test_certificates__folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """So is one whose authority stands in the folder that ``SSL_CERT_DIR`` names, as OpenSSL wants it there."""
    authority = Authority()
    monkeypatch.setenv("SSL_CERT_DIR", authority.folder(tmp_path))
    got, _ = drawn(tls=authority.server("127.0.0.1"))
    assert texts(got) == ["0/0"]


def test_certificates__not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A certificate of an unknown authority is said to be one, with what to do; no request was sent."""
    unknown = Authority().server("127.0.0.1")
    words = (
        "HOST could not be reached (ConnectError): its certificate is not trusted: "
        f"unable to get local issuer certificate. {HINT}"
    )
    assert words == failure(unknown)
    monkeypatch.setenv("SSL_CERT_FILE", Authority().file(tmp_path))
    assert words == failure(unknown)


def test_certificates__another_host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A certificate that is somebody else's is said to be one."""
    authority = Authority()
    monkeypatch.setenv("SSL_CERT_FILE", authority.file(tmp_path))
    assert failure(authority.server("llm.example.test")) == (
        "HOST could not be reached (ConnectError): its certificate is not trusted: "
        "IP address mismatch, certificate is not valid for '127.0.0.1'"
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "it does not speak TLS: http:// may be meant, not https://"),
        (b"\x15\x03\x03\x00\x02\x02\x28", "TLS failed: [SSL: SSLV3_ALERT_HANDSHAKE_FAILURE]"),
        (b"", "the connection was closed"),
    ],
)
def test_certificates__no_handshake(said: bytes, words: str) -> None:
    """What an endpoint does in place of a handshake is said: it speaks plainly, it refuses, it hangs up."""

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(said)
        writer.close()

    async def go() -> str:
        async with await asyncio.start_server(say, "127.0.0.1", 0) as server:
            host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
            got = await drawn_from(f"https://{host}/v1", make_plan(make_case("a", n=1)), limits=ONCE)
        return str(texts(got)[0]).replace(host, "HOST")

    theirs = r" [\w ]+ \(_ssl\.c:\d+\)$"  # OpenSSL's own words for an alert, and a place in Python's
    assert f"HOST could not be reached (ConnectError): {words}" == re.sub(theirs, "", asyncio.run(go()))


def test_certificates__plain_request() -> None:
    """A plain request to an endpoint that speaks nothing but TLS is a failure."""
    assert failure(Authority().server("127.0.0.1"), "http").startswith("HOST broke off (")


@pytest.mark.parametrize("form", ["length", "until the end"])
def test_certificates__ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str) -> None:
    """Over TLS, too, a kept connection that is closed costs nothing, and a body may end with its connection."""
    authority = Authority()
    monkeypatch.setenv("SSL_CERT_FILE", authority.file(tmp_path))

    async def closing(asked: Asked) -> None:
        if asked.number == 0:
            body = says(f"{asked.connection}")
            asked.write(http(body) if form == "length" else b"HTTP/1.1 200 OK\r\n\r\n" + body)
        if asked.number or form == "until the end":
            await asked.close()

    async def go() -> None:
        async with Wire(closing, tls=authority.server("127.0.0.1")) as server:
            got = await drawn_from(server.base_url, make_plan(make_case("a", n=3)), limits=ONCE)
            assert texts(got) == ["0", "1", "2"]
            assert (got.made, got.faults) == (3, ())

    asyncio.run(go())


def test_certificates__given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A request over TLS that is given up leaves no connection, nor does a handshake that takes too long."""
    authority = Authority()
    monkeypatch.setenv("SSL_CERT_FILE", authority.file(tmp_path))

    async def silent(asked: Asked) -> None:
        await asked.reader.read()

    async def go() -> None:
        async with Wire(silent, tls=authority.server("127.0.0.1")) as server, make_client(Limits()) as client:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await client.post(server.base_url)
            await settled(lambda: server.open == 0)
        async with Wire(silent) as server:
            host = server.base_url.split("/")[2]
            limits = Limits(max_concurrency=1, tries=1, connect_s=0.05)
            got = await drawn_from(f"https://{host}/v1", make_plan(make_case("a", n=1)), limits=limits)
            assert texts(got) == [f"No connection to {host} within 0.05 s."]
            await settled(lambda: server.open == 0)

    asyncio.run(go())
