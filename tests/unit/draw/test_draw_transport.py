"""What carries requests, over connections that are played by the test, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.drawing import run_virtual

from evalaction.draw.connection import Connection
from evalaction.draw.dialing import Dialer
from evalaction.draw.route import Proxies, Route
from evalaction.draw.transport import Transport

URL = "http://llm.example.test/v1/chat/completions?a=b"


class Played(asyncio.Transport):
    """The socket of a connection; what is written to it is answered after some time, or breaks it."""

    def __init__(self, network: Network, connection: Connection, number: int) -> None:
        super().__init__()
        self.network, self.connection, self.number = network, connection, number
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take a request whose body says after how many seconds it is answered; "x" breaks the connection."""
        message = bytes(data)
        self.network.written.append((self.number, message))
        said = message.rpartition(b"\r\n\r\n")[2]
        loop = asyncio.get_running_loop()
        if said == b"x" or self.number in self.network.broken:
            loop.call_soon(self.connection.connection_lost, ConnectionResetError(104, "Reset"))
        else:
            loop.call_later(float(said or 0), self.answer, said)

    def answer(self, said: bytes) -> None:
        """Let an answer come that repeats the body of its request."""
        if not self.closed:
            answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(said), said)
            self.connection.get_buffer(-1)[: len(answer)] = answer
            self.connection.buffer_updated(len(answer))

    def get_write_buffer_size(self) -> int:
        """Say that all was sent."""
        return 0

    def abort(self) -> None:
        """Close."""
        if not self.closed:
            self.closed = True
            asyncio.get_running_loop().call_soon(self.connection.connection_lost, None)


class Network:
    """Where connections come from."""

    def __init__(self) -> None:
        self.sockets: list[Played] = []
        """Of all connections, in the order in which they were opened."""
        self.written: list[tuple[int, bytes]] = []
        """(number of the connection, request), in order."""
        self.routes: list[Route] = []
        """Of all connections."""
        self.broken: set[int] = set()
        """Numbers of connections that break at their next request."""
        self.most_open = 0

    async def open(self, route: Route) -> Connection:
        """Open a connection; that takes a second."""
        number = len(self.routes)
        self.routes.append(route)
        self.most_open = max(self.most_open, 1 + sum(not each.closed for each in self.sockets))
        await asyncio.sleep(1)
        connection = Connection(memoryview(bytearray(1 << 12)))
        self.sockets.append(Played(self, connection, number))
        connection.connection_made(self.sockets[-1])
        return connection

    @property
    def used(self) -> list[int]:
        """Numbers of the connections that requests went over, in order."""
        return [number for number, _ in self.written]


def play(
    scene: Callable[[Network, Transport], Coroutine[Any, Any, None]],
    *,
    connections: int = 2,
    variables: dict[str, str] | None = None,
) -> Network:
    """Return the network after a scene on it, with its transport closed."""
    network = Network()

    async def go() -> None:
        transport = Transport(connections=connections, dialer=cast("Dialer", network), proxies=Proxies(variables or {}))
        async with transport:
            await scene(network, transport)
        assert all(each.closed for each in network.sockets)

    run_virtual(go())
    return network


async def ask(transport: Transport, body: str = "0", url: str = URL, **headers: str) -> str:
    """Send a request and return the body of its answer."""
    request = httpx.Request("POST", url, content=body.encode(), headers=headers)
    response = await transport.handle_async_request(request)
    text = (await response.aread()).decode()
    await response.aclose()
    return text


def test_handle__whole_request() -> None:
    """A request goes out whole, as it was made; its answer says what came."""

    async def scene(_: Network, transport: Transport) -> None:
        request = httpx.Request("POST", URL, content=b"0", headers={"X-A": "b"})
        response = await transport.handle_async_request(request)
        assert (response.status_code, response.reason_phrase, response.http_version) == (200, "OK", "HTTP/1.1")
        assert dict(response.headers) == {"content-length": "1"}
        assert [piece async for piece in response.aiter_raw()] == [b"0"]
        await response.aclose()

    network = play(scene)
    head = b"POST /v1/chat/completions?a=b HTTP/1.1\r\nHost: llm.example.test\r\nX-A: b\r\nContent-Length: 1\r\n\r\n0"
    assert network.written == [(0, head)]
    assert network.routes == [Route(host="llm.example.test", port=80, tls=False)]


def test_handle__by_proxy() -> None:
    """A proxy for http gets the whole URL and its credentials; in a tunnel, the endpoint gets neither."""

    async def scene(_: Network, transport: Transport) -> None:
        await ask(transport)
        await ask(transport, url=URL.replace("http:", "https:").replace(".test", ".test:8443"))

    network = play(scene, variables={"all": "http://me:pw@proxy.test:3128"})
    plain, tunnelled = (message.split(b"\r\n") for _, message in network.written)
    assert plain[0] == b"POST http://llm.example.test/v1/chat/completions?a=b HTTP/1.1"
    assert plain[1] == b"Host: llm.example.test"
    assert b"Proxy-Authorization: Basic bWU6cHc=" in plain
    assert tunnelled[:2] == [b"POST /v1/chat/completions?a=b HTTP/1.1", b"Host: llm.example.test:8443"]
    assert not any(b"Proxy" in line for line in tunnelled)
    assert [(80, False, 3128), (8443, True, 3128)] == [
        (each.port, each.tls, each.proxy.port if each.proxy else None) for each in network.routes
    ]


def test_handle__unsendable() -> None:
    """A header that ends its line, and a URL that is none of HTTP, are errors, and nothing is sent or repeated."""

    async def scene(_: Network, transport: Transport) -> None:
        with pytest.raises(httpx.LocalProtocolError) as caught:
            await ask(transport, Authorization="Bearer secret\nX: y")
        assert str(caught.value) == "a line break or a NUL in a header"
        with pytest.raises(httpx.UnsupportedProtocol):
            await ask(transport, url="ftp://llm.example.test/")
        assert await ask(transport) == "0"

    assert len(play(scene, connections=1).written) == 1


def test_handle__latest_first() -> None:
    """Of two connections the one that was used last is used next."""

    async def scene(network: Network, transport: Transport) -> None:
        await asyncio.gather(ask(transport, "2"), ask(transport, "1"))
        assert len(network.routes) == 2
        assert [await ask(transport) for _ in range(3)] == ["0"] * 3

    assert play(scene).used == [0, 1, 0, 0, 0]


def test_handle__sent_again() -> None:
    """Where a kept connection breaks, the request goes over a new one, once; the other kept one is not tried."""

    async def scene(network: Network, transport: Transport) -> None:
        await asyncio.gather(ask(transport, "2"), ask(transport, "1"))
        network.broken = {0, 1}
        assert await ask(transport, "3") == "3"
        with pytest.raises(httpx.ReadError, match="Reset"):
            await ask(transport, "x")

    network = play(scene)
    assert network.used == [0, 1, 0, 2, 2, 3]
    assert network.most_open == 2


def test_handle__not_sent_again() -> None:
    """A first request over a connection that breaks is a failure."""

    async def scene(network: Network, transport: Transport) -> None:
        network.broken = {0}
        with pytest.raises(httpx.ReadError, match="Reset"):
            await ask(transport)
        assert await ask(transport) == "0"

    assert play(scene).used == [0, 1]


def test_handle__given_up() -> None:
    """A request that is given up, at whatever moment, lets the next one have its turn, over another connection."""

    async def scene(network: Network, transport: Transport) -> None:
        for seconds in (0.5, 2.5, 1.5):  # while it connects, is asked, and waits for its turn
            holder = asyncio.ensure_future(ask(transport, "9")) if seconds == 1.5 else None
            await asyncio.sleep(0)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(seconds):
                    await ask(transport, "5")
            if holder is not None:
                await holder
        assert await ask(transport) == "0"
        assert [True, False] == [each.closed for each in network.sockets]

    assert play(scene, connections=1).used == [1, 2, 2]


def test_handle__given_up_on_a_kept_one() -> None:
    """A request that is given up on a kept connection ends it, and is not sent again."""

    async def scene(network: Network, transport: Transport) -> None:
        assert await ask(transport) == "0"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await ask(transport, "5")
        assert [True] == [each.closed for each in network.sockets]
        assert await ask(transport) == "0"

    assert play(scene).used == [0, 0, 1]


def test_release__once() -> None:
    """An answer that is closed twice gives up its turn once; closed unread, it ends its connection where more comes."""

    async def scene(network: Network, transport: Transport) -> None:
        first = await transport.handle_async_request(httpx.Request("POST", URL, content=b"0"))
        for _ in range(2):
            await first.aclose()
        assert list(await asyncio.gather(ask(transport, "1"), ask(transport, "1"))) == ["1", "1"]
        assert network.most_open == 1

    assert play(scene, connections=1).used == [0, 0, 0]


REQUESTS = st.lists(st.integers(0, 9), max_size=30)


@given(seconds=REQUESTS, connections=st.integers(1, 5), workers=st.integers(1, 8))
def test_handle__any_run(seconds: list[int], connections: int, workers: int) -> None:
    """Whatever answers take, each gets its own; no more connections are opened than allowed, nor than needed."""

    async def scene(network: Network, transport: Transport) -> None:
        queue = iter(seconds)

        async def work() -> None:
            for each in queue:
                assert await ask(transport, str(each)) == str(each)

        await asyncio.gather(*(work() for _ in range(workers)))
        assert not any(each.closed for each in network.sockets)

    network = play(scene, connections=connections)
    assert len(network.written) == len(seconds)
    assert len(network.routes) <= min(connections, workers, len(seconds))


@given(
    seconds=st.lists(st.sampled_from(["0", "1", "4", "x"]), max_size=20),
    broken=st.sets(st.integers(0, 9)),
    connections=st.integers(1, 3),
)
def test_handle__any_faults(seconds: list[str], broken: set[int], connections: int) -> None:
    """Whatever breaks, every request ends, none is sent more than twice, and no more is open than allowed."""

    async def scene(network: Network, transport: Transport) -> None:
        async def one(said: str) -> None:
            try:
                assert await ask(transport, said) == said
            except httpx.ReadError:
                assert said == "x" or network.broken

        for number, said in enumerate(seconds):
            if number == len(seconds) // 2:
                network.broken = broken
            await asyncio.gather(one(said), one("0"))

    network = play(scene, connections=connections)
    assert 2 * len(seconds) <= len(network.written) <= 4 * len(seconds)
    assert network.most_open <= connections
