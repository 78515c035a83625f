"""Connections to an endpoint over real sockets: how many are opened, which is used, and what becomes of broken ones."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable

import httpx
import pytest
from support.drawing import make_case, make_plan
from support.wire import Asked, Wire, chunked, drawn_from, http, reply, says, settled, texts, turns

from evalaction.draw.client import Client, make_client
from evalaction.records.settings import Limits


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what this machine says about proxies and certificates."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def ask(client: Client, server: Wire, body: bytes = b"{}") -> bytes:
    """Send one request, and return the answer's body."""
    return (await client.post(f"{server.base_url}/chat/completions", content=body)).content


def test_connections__no_more_than_allowed() -> None:
    """200 requests, 8 at a time, open 8 connections: never more at once, and none anew."""
    barrier = asyncio.Barrier(8)  # lets nobody go on unless 8 requests are in work together

    async def script(asked: Asked) -> None:
        if asked.number == 0:
            await barrier.wait()
        asked.write(reply("42"))

    async def go() -> None:
        async with Wire(script) as server:
            drawn = await drawn_from(
                server.base_url, make_plan(make_case("a", n=200)), limits=Limits(max_concurrency=8)
            )
            assert texts(drawn) == ["42"] * 200
            assert (server.connections, server.most_open, len(server.requests), drawn.made) == (8, 8, 200, 200)
            await settled(lambda: server.open == 0)

    asyncio.run(go())


def test_connections__latest_first() -> None:
    """The connection that was used last is used next: of eight, one serves requests that come one after the other."""
    go_on = asyncio.Event()

    async def script(asked: Asked) -> None:
        if asked.number == 0:
            await go_on.wait()
        asked.write(http(b"%d" % asked.connection))

    async def go() -> None:
        async with Wire(script) as server, make_client(Limits(max_concurrency=8)) as client:
            together = [asyncio.ensure_future(ask(client, server)) for _ in range(8)]
            await settled(lambda: server.connections == 8)
            go_on.set()
            done: list[bytes] = [b""]
            for task in together:
                task.add_done_callback(lambda task: done.append(task.result()))
            await asyncio.gather(*together)
            latest = done[-1]
            assert [latest] * 20 == [await ask(client, server) for _ in range(20)]
            assert Counter(connection for connection, _ in server.requests)[int(latest)] == 21
            assert server.connections == 8

    asyncio.run(go())


def test_connections__turns() -> None:
    """Requests beyond the limit wait for their turn; one that is given up makes room, and its connection ends."""
    held = asyncio.Event()

    async def script(asked: Asked) -> None:
        if asked.connection == 0:
            await held.wait()
        asked.write(reply("42"))

    async def go() -> None:
        async with Wire(script) as server, make_client(Limits(max_concurrency=1)) as client:
            first = asyncio.ensure_future(ask(client, server))
            await settled(lambda: len(server.requests) == 1)
            second = asyncio.ensure_future(ask(client, server))
            await turns(100)
            assert (server.connections, second.done()) == (1, False)
            first.cancel()
            assert await second == says("42")
            assert first.cancelled()
            assert server.requests == [(0, 0), (1, 0)]
            held.set()
            await settled(lambda: server.open == 1)

    asyncio.run(go())


def test_connections__two_places() -> None:
    """Connections to two endpoints are counted together: the one that is unused the longest gives way."""

    async def script(asked: Asked) -> None:
        asked.write(http(b""))

    async def go() -> None:
        async with Wire(script) as one, Wire(script) as other, make_client(Limits(max_concurrency=2)) as client:
            for server in (one, other, one, other, one):
                await ask(client, server)
            assert (one.connections, other.connections, one.open, other.open) == (1, 1, 1, 1)
            await asyncio.gather(ask(client, one), ask(client, one))
            await settled(lambda: other.open == 0)
            assert (one.connections, one.open) == (2, 2)

    asyncio.run(go())


@pytest.mark.parametrize("how", ["closed before", "closed", "reset"])
def test_keep_alive__closed_as_we_send(how: str) -> None:
    """A kept connection that ends as a request goes out costs nothing: the request goes at once over a new one.

    No connection answers more than once, so each draw but the first meets one that has ended.
    """

    async def script(asked: Asked) -> None:
        if asked.number == 0:
            asked.write(reply(f"{asked.connection}"))
        if how == "closed before" or (how == "closed" and asked.number):
            await asked.close()
        elif asked.number:
            await asked.reset()

    async def go() -> None:
        async with Wire(script) as server:
            plan = make_plan(make_case("a", n=4))
            drawn = await drawn_from(server.base_url, plan, limits=Limits(max_concurrency=1, tries=1))
            assert texts(drawn) == ["0", "1", "2", "3"]
            assert (drawn.made, drawn.retried, drawn.faults, server.connections) == (4, 0, (), 4)
            assert {draw.tries for draw in drawn.draws} == {1}

    asyncio.run(go())


@pytest.mark.parametrize("how", ["close", "reset"])
def test_keep_alive__fresh_connection_ends(how: str) -> None:
    """A fresh connection that ends without an answer is a failure: the endpoint has seen the request, perhaps."""

    async def script(asked: Asked) -> None:
        await (asked.close() if how == "close" else asked.reset())

    async def go() -> None:
        async with Wire(script) as server:
            limits = Limits(max_concurrency=1, tries=3)
            drawn = await drawn_from(server.base_url, make_plan(make_case("a", n=1)), limits=limits)
            assert (drawn.made, server.connections, len(server.requests)) == (3, 3, 3)
            [draw] = drawn.draws
            assert draw.failure is not None
            host = server.base_url.split("/")[2]
            assert (
                draw.failure.message
                == {
                    "close": f"{host} broke off (RemoteProtocolError): Server disconnected without sending a response.",
                    "reset": f"{host} broke off (ReadError): [Errno 104] Connection reset by peer",
                }[how]
            )

    asyncio.run(go())


@pytest.mark.parametrize("begun", [b"HTTP/1.1 2", reply("42")[:-3], chunked(says("42"))[:-4]])
def test_keep_alive__answer_begun(begun: bytes) -> None:
    """Where anything of an answer came, a kept connection that breaks off is a failed try like any other."""

    async def script(asked: Asked) -> None:
        if asked.number == 0:
            asked.write(reply("42"))
        else:
            asked.write(begun)
            await asked.close()

    async def go() -> None:
        async with Wire(script) as server:
            plan = make_plan(make_case("a", n=2))
            drawn = await drawn_from(server.base_url, plan, limits=Limits(max_concurrency=1))
            assert texts(drawn) == ["42", "42"]
            assert (drawn.made, drawn.retried) == (3, 1)
            assert server.requests == [(0, 0), (0, 1), (1, 0)]

    asyncio.run(go())


ENDS: dict[str, Callable[[bytes], bytes]] = {
    "close": lambda body: http(body, "Connection: close"),
    "HTTP/1.0": lambda body: http(body, version="1.0"),
    "more bytes": lambda body: http(body) + b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "no length": lambda body: b"HTTP/1.1 200 OK\r\n\r\n" + body,
}
KEEPS: dict[str, Callable[[bytes], bytes]] = {
    "length": http,
    "chunked": chunked,
    "interim": lambda body: b"HTTP/1.1 100 Continue\r\n\r\n" + http(body),
    "early hints": lambda body: b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + chunked(body),
}


@pytest.mark.parametrize("form", [*ENDS, *KEEPS])
def test_keep_alive__forms(form: str) -> None:
    """An answer in any form is read whole; its connection is used again only where nothing speaks against it."""

    async def script(asked: Asked) -> None:
        asked.write((ENDS | KEEPS)[form](says(f"{asked.connection}/{asked.number}")))
        if form == "no length":
            await asked.close()

    async def go() -> None:
        async with Wire(script) as server:
            plan = make_plan(make_case("a", n=3))
            drawn = await drawn_from(server.base_url, plan, limits=Limits(max_concurrency=1))
            assert texts(drawn) == (["0/0", "1/0", "2/0"] if form in ENDS else ["0/0", "0/1", "0/2"])
            assert drawn.made == 3

    asyncio.run(go())


def test_keep_alive__unasked_bytes() -> None:
    """What comes on a connection that waits for its next request is no answer to it: the connection is given up."""
    answered = asyncio.Event()

    async def script(asked: Asked) -> None:
        asked.write(http(b"%d" % asked.connection))
        if asked.connection == 0:
            await answered.wait()
            asked.write(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")

    async def go() -> None:
        async with Wire(script) as server, make_client(Limits()) as client:
            assert await ask(client, server) == b"0"
            answered.set()
            await settled(lambda: server.open == 0)
            assert await ask(client, server) == b"1"

    asyncio.run(go())


def test_answer__before_the_request_is_sent() -> None:
    """An answer that comes before all of a large request is sent counts, and its connection is not used again."""
    answered = asyncio.Event()

    async def script(asked: Asked) -> None:
        if asked.connection:
            asked.write(http(b"small"))
            return
        asked.write(http(b"too large", status="413 Content Too Large"))
        await asked.writer.drain()
        await answered.wait()
        await asked.close()

    async def go() -> None:
        async with Wire(script, waits_for_body=False) as server, make_client(Limits()) as client:
            assert await ask(client, server, b"x" * 50_000_000) == b"too large"
            answered.set()
            assert await ask(client, server, b"") == b"small"
            assert server.requests == [(0, 0), (1, 0)]

    asyncio.run(go())


def test_answer__larger_than_read() -> None:
    """Of an answer that nobody reads to its end no more comes than is waited for, and its connection ends."""
    sent = 0

    async def script(asked: Asked) -> None:
        nonlocal sent
        asked.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while not asked.writer.is_closing():
            asked.write(b"x" * 65_536)
            await asked.writer.drain()
            sent += 65_536

    async def go() -> None:
        async with Wire(script) as server, make_client(Limits()) as client:
            request = client.build_request("POST", server.base_url)
            response = await client.send(request, stream=True)
            before = -1
            while before < sent < 50_000_000:  # as long as it goes on
                before = sent
                await turns(1_000)
            assert sent < 50_000_000
            await response.aclose()
            await settled(lambda: server.open == 0)
            assert [piece async for piece in response.stream] == []  # type: ignore[union-attr]

    asyncio.run(go())


def test_answer__cancelled_in_its_middle() -> None:
    """A request that is given up while its answer comes leaves no connection behind; the next one gets a new one."""

    async def script(asked: Asked) -> None:
        if asked.connection == 0:
            asked.write(reply("42")[:-3])
            await asked.reader.read()
        else:
            asked.write(reply("42"))

    async def go() -> None:
        async with Wire(script) as server, make_client(Limits(max_concurrency=1)) as client:
            given_up = asyncio.ensure_future(ask(client, server))
            await settled(lambda: len(server.requests) == 1)
            given_up.cancel()
            await settled(lambda: server.open == 0)
            assert given_up.cancelled()
            assert await ask(client, server) == says("42")
            assert server.requests == [(0, 0), (1, 0)]

    asyncio.run(go())


def test_client__closed() -> None:
    """A client that is closed has no connection left, and its sockets are given back before it says so."""

    async def script(asked: Asked) -> None:
        asked.write(reply("42"))

    async def go() -> None:
        async with Wire(script) as server:
            async with make_client(Limits(max_concurrency=3)) as client:
                await asyncio.gather(*(ask(client, server) for _ in range(3)))
                assert server.open == 3
            await settled(lambda: server.open == 0)

    asyncio.run(go())


def test_client__many_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host with several addresses is reached by one that answers, though others refuse."""

    async def script(asked: Asked) -> None:
        asked.write(http(asked.header("Host").encode()))  # type: ignore[union-attr]

    async def go() -> None:
        async with Wire(script) as server, make_client(Limits()) as client:

            def found(*_: object, **__: object) -> list[object]:
                return [(2, 1, 6, "", (numbers, server.port)) for numbers in ("127.0.0.9", "127.0.0.1")]

            monkeypatch.setattr("socket.getaddrinfo", found)
            host = f"llm.example.test:{server.port}"
            response = await client.get(f"http://{host}/")
            assert response.content == host.encode()

    asyncio.run(go())


def test_client__no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every address of a host refuses, that is said; so is a name that nobody knows."""

    async def go() -> None:
        async with Wire(None) as server, make_client(Limits()) as client:  # type: ignore[arg-type]

            def found(*_: object, **__: object) -> list[object]:
                return [(2, 1, 6, "", (numbers, server.port)) for numbers in ("127.0.0.9", "127.0.0.8")]

            monkeypatch.setattr("socket.getaddrinfo", found)
            with pytest.raises(httpx.ConnectError, match="Connect call failed") as caught:
                await client.get(f"http://llm.example.test:{server.port}/")
            assert isinstance(caught.value.__cause__, ExceptionGroup)
            assert [ConnectionRefusedError] * 2 == [type(each) for each in caught.value.__cause__.exceptions]
            monkeypatch.undo()
            with pytest.raises(httpx.ConnectError):
                await client.get("http://nobody.invalid/")

    asyncio.run(go())


def test_client__silent_name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server that says nothing keeps neither a request from being given up, nor its loop from ending."""
    silent = threading.Event()

    async def go() -> None:
        loop, asked = asyncio.get_running_loop(), asyncio.Event()

        def nothing(*_: object, **__: object) -> list[object]:
            loop.call_soon_threadsafe(asked.set)
            silent.wait()
            return []

        monkeypatch.setattr("socket.getaddrinfo", nothing)
        async with make_client(Limits()) as client:
            request = asyncio.ensure_future(client.get("http://llm.example.test/"))
            await asked.wait()
            request.cancel()
            with pytest.raises(asyncio.CancelledError):
                await request

    try:
        asyncio.run(go())
    finally:
        silent.set()


def test_client__nobody_answers() -> None:
    """A connection that does not come about in time is said so."""

    async def go() -> None:
        async with make_client(Limits(connect_s=0.05)) as client:
            with pytest.raises(httpx.ConnectTimeout, match=r"^no connection within 0\.05 s$"):
                await client.get("http://127.0.0.1:9/")

    async def never(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.SelectorEventLoop, "create_connection", never)
        asyncio.run(go())
