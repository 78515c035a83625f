"""The HTTP client that draws are made with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from support.drawing import run_virtual

from evalaction import __version__
from evalaction.draw.client import make_client
from evalaction.errors import BadInput
from evalaction.records.settings import Limits


def sent_headers(*, answers: int = 1) -> list[dict[str, str]]:
    """Return the headers of requests that are made one after the other."""
    seen: list[dict[str, str]] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(dict(request.headers))
        return httpx.Response(200, headers={"Set-Cookie": "session=1; Path=/"})

    async def go() -> None:
        async with make_client(Limits(), transport=httpx.MockTransport(handle)) as client:
            for _ in range(answers):
                await client.post("https://llm.example.test/v1", content=b"{}")

    run_virtual(go())
    return seen


HEADERS = {
    "host": "llm.example.test",
    "accept": "application/json",
    "accept-encoding": "identity",
    "connection": "keep-alive",
    "user-agent": f"evalaction/{__version__}",
    "content-length": "2",
}


def test_make_client__headers() -> None:
    """A request says who asks and what may come; no cookie of an earlier answer goes with a later one."""
    assert sent_headers(answers=2) == [HEADERS, HEADERS]


def test_make_client__netrc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A .netrc adds no credentials."""
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine llm.example.test login user password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    assert sent_headers() == [HEADERS]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTPS_PROXY", "gopher://user:secret-password@proxy.example.test"),
        ("HTTPS_PROXY", "http://user:secret-password@proxy:port"),
        ("ALL_PROXY", "socks5://user:secret-password@proxy.example.test"),
        ("SSL_CERT_FILE", "/nowhere/at/all.pem"),
        ("SSL_CERT_FILE", __file__),
        ("SSL_CERT_DIR", "/nowhere/at/all"),
    ],
)
def test_make_client__environment(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """A proxy or certificate variable that cannot be used is named, and its value is not."""
    for other in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(other, raising=False)
        monkeypatch.delenv(other.lower(), raising=False)
    monkeypatch.setenv(name, value)
    with pytest.raises(BadInput) as caught:
        make_client(Limits())
    expected = (
        "A proxy or certificate variable of the environment cannot be used. "
        "Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR."
    )
    assert expected == str(caught.value)
    assert caught.value.__suppress_context__


def test_make_client__redirect() -> None:
    """A redirect is an answer like any other: it is not followed, whoever asks for it, and the key stays here."""
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(307, headers={"Location": "https://other.example.test/"}, content=b"elsewhere")

    async def go() -> httpx.Response:
        async with make_client(Limits(), transport=httpx.MockTransport(handle)) as client:
            return await client.post("https://llm.example.test/v1", content=b"{}", follow_redirects=True)

    response = run_virtual(go())
    assert (response.status_code, response.content, response.is_closed) == (307, b"elsewhere", True)
    assert asked == ["https://llm.example.test/v1"] == [str(response.request.url)]


def test_make_client__light() -> None:
    """A client loads no second HTTP library, and reads no certificates before it needs them."""
    code = (
        "import sys, ssl\n"
        "from evalaction.draw.client import make_client\n"
        "from evalaction.records.settings import Limits\n"
        "ssl.SSLContext.__new__ = None\n"
        "make_client(Limits())\n"
        "print(*sorted({'anyio', 'h11', 'httpcore', 'sniffio'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
