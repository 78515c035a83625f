"""The way to an endpoint, as the environment says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.draw.route import Proxies, Proxy, Route, bracketed, is_loopback, read_proxy

PROXY = Proxy(host="proxy.test", port=3128)


def direct(host: str, *, no: str = "", port: int | None = None, tls: bool = True) -> bool:
    """Say whether no proxy is asked for a host, where there is one for everything."""
    proxies = Proxies({"all": "http://proxy.test:3128", "no": no})
    return proxies.route(host=host, port=port, tls=tls).proxy is None


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://proxy.test:3128", PROXY),
        (" http://proxy.test:3128/ ", PROXY),
        ("proxy.test:3128", PROXY),
        ("http://PROXY.test:3128", PROXY),
        ("http://proxy.test", Proxy(host="proxy.test", port=80)),
        ("https://proxy.test", Proxy(host="proxy.test", port=443, tls=True)),
        ("http://[::1]:8080", Proxy(host="::1", port=8080)),
        ("http://me:pw@proxy.test:3128", Proxy(host="proxy.test", port=3128, authorization="Basic bWU6cHc=")),
        ("http://me:p%40w@proxy.test:3128", Proxy(host="proxy.test", port=3128, authorization="Basic bWU6cEB3")),
        ("http://me@proxy.test:3128", Proxy(host="proxy.test", port=3128, authorization="Basic bWU6")),
        ("me:pw@proxy.test:3128", Proxy(host="proxy.test", port=3128, authorization="Basic bWU6cHc=")),
    ],
)
def test_read_proxy__forms(url: str, proxy: Proxy) -> None:
    """A proxy is named with or without a scheme, port and credentials."""
    assert read_proxy(url) == proxy


@pytest.mark.parametrize(
    "url",
    [
        "gopher://proxy.test",
        "socks5://me:pw@proxy.test:1080",
        "http://",
        "http://:3128",
        "http://me:pw@",
        "http://me:pw@proxy.test:port",
        "http://proxy.test:0",
        "http://proxy.test:65536",
        "http://[::1",
        "http://pröxy.test",
    ],
)
def test_read_proxy__none(url: str) -> None:
    """What is no URL of an HTTP proxy is refused, and not repeated."""
    with pytest.raises(ValueError, match=r"^not the URL of an HTTP proxy$") as caught:
        read_proxy(url)
    assert caught.value.__suppress_context__


def test_proxy__shown() -> None:
    """A proxy is shown without its credentials."""
    proxy = read_proxy("http://me:secret-password@[::1]:3128")
    assert (proxy.shown, "Basic" in repr(proxy)) == ("[::1]:3128", False)
    assert proxy.fields == ((b"Proxy-Authorization", b"Basic bWU6c2VjcmV0LXBhc3N3b3Jk"),)
    assert PROXY.fields == ()


@pytest.mark.parametrize(
    ("variables", "tls", "expected"),
    [
        ({}, True, None),
        ({"https": "proxy.test:3128"}, True, PROXY),
        ({"https": "proxy.test:3128"}, False, None),
        ({"http": "proxy.test:3128"}, False, PROXY),
        ({"http": "proxy.test:3128"}, True, None),
        ({"all": "proxy.test:3128"}, True, PROXY),
        ({"all": "proxy.test:3128"}, False, PROXY),
        ({"https": "proxy.test:3128", "all": "other.test"}, True, PROXY),
        ({"https": "", "all": "proxy.test:3128"}, True, PROXY),
        ({"travis_apt": "nowhere:1"}, True, None),
    ],
)
def test_proxies__by_scheme(variables: dict[str, str], tls: bool, expected: Proxy | None) -> None:
    """The proxy for the scheme of the endpoint's URL is asked, else that for all."""
    route = Proxies(variables).route(host="llm.test", port=None, tls=tls)
    assert Route(host="llm.test", port=443 if tls else 80, tls=tls, proxy=expected) == route
    assert route.forwarded is (expected is not None and not tls)


def test_proxies__unusable() -> None:
    """A proxy that cannot be used is found at once, for whatever scheme it is."""
    for scheme in ("http", "https", "all"):
        with pytest.raises(ValueError, match="not the URL"):
            Proxies({scheme: "gopher://proxy.test"})


@pytest.mark.parametrize(
    ("no", "host", "expected"),
    [
        ("", "llm.test", False),
        (" , ,", "llm.test", False),
        ("*", "llm.test", True),
        ("other.test, *", "llm.test", True),
        ("llm.test", "llm.test", True),
        ("LLM.Test", "llm.test", True),
        ("llm.test.", "llm.test", True),
        ("llm.test", "llm.test.", True),
        ("llm.test", "a.llm.test", True),
        ("llm.test", "allm.test", False),
        ("llm.test", "llm.test.example", False),
        (".llm.test", "a.llm.test", True),
        (".llm.test", "llm.test", False),
        ("*.llm.test", "a.b.llm.test", True),
        ("*.llm.test", "llm.test", False),
        ("test", "llm.test", True),
        ("a.test,llm.test", "llm.test", True),
        ("https://llm.test", "llm.test", True),
        ("llm.test:443", "llm.test", True),
        ("llm.test:80", "llm.test", False),
        ("10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.10", False),
        ("10.0.0.1:443", "10.0.0.1", True),
        ("10.0.0.1:444", "10.0.0.1", False),
        ("0.0.1", "10.0.0.1", False),
        ("10.0.0.0/8", "10.2.3.4", True),
        ("10.0.0.0/8", "11.2.3.4", False),
        ("10.0.0.1/8", "10.2.3.4", True),
        ("10.0.0.0/8", "llm.test", False),
        ("fd00::/8", "fd00::1", True),
        ("fd00::1", "fd00::1", True),
        ("[fd00::1]", "fd00::1", True),
        ("[fd00::1]:443", "fd00::1", True),
        ("[fd00::1]:444", "fd00::1", False),
        ("fd00::2", "fd00::1", False),
    ],
)
def test_proxies__no_proxy(no: str, host: str, expected: bool) -> None:
    """NO_PROXY names hosts and what is below them, addresses and networks, each with a port or without."""
    assert direct(host, no=no) is expected


@pytest.mark.parametrize("host", ["127.0.0.1", "127.5.6.7", "::1", "localhost", "a.localhost"])
def test_proxies__loopback(host: str) -> None:
    """No proxy is asked for this machine itself."""
    assert is_loopback(host)
    assert direct(host)


@pytest.mark.parametrize("host", ["10.0.0.1", "localhost.test", "notlocalhost", "fd00::1", "128.0.0.1"])
def test_proxies__elsewhere(host: str) -> None:
    """What only looks like this machine is another."""
    assert not is_loopback(host)
    assert not direct(host)


@given(no=st.text(max_size=30), host=st.sampled_from(["llm.test", "10.0.0.1", "fd00::1"]))
def test_proxies__any_no_proxy(no: str, host: str) -> None:
    """Whatever stands in NO_PROXY, it is an answer and no error."""
    assert direct(host, no=no) in {True, False}


def test_bracketed__forms() -> None:
    """An IPv6 address stands in brackets before a port."""
    assert ["[::1]", "127.0.0.1", "llm.test"] == [bracketed(host) for host in ("::1", "127.0.0.1", "llm.test")]
