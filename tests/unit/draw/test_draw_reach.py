"""Which of a host's addresses is connected to, in virtual time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.drawing import run_virtual

from evalaction.draw.reach import HEAD_START_S, interleaved, reach

V4, V6 = socket.AF_INET, socket.AF_INET6


class Opened(asyncio.Transport):
    """A connection to an address."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = False

    def abort(self) -> None:
        """Close it."""
        self.closed = True


class Hosts:
    """A network in which each address takes its time, and then connects or does not."""

    def __init__(self, addresses: Mapping[str, tuple[float, Exception | None]]) -> None:
        self.addresses = addresses
        self.tried: list[tuple[str, float]] = []
        """(address, when), in order."""
        self.opened: dict[str, Opened] = {}

    async def look_up(self, _: str, port: int, **__: object) -> list[Any]:
        """Return all addresses."""
        return [(V6 if ":" in each else V4, 1, 6, "", (each, port)) for each in self.addresses]

    async def connect(self, make: Any, numbers: str, _: int) -> tuple[Opened, asyncio.BaseProtocol]:
        """Connect to an address, or fail, in its time."""
        loop = asyncio.get_running_loop()
        self.tried.append((numbers, loop.time()))
        seconds, error = self.addresses[numbers]
        await asyncio.sleep(seconds)
        if error is not None:
            raise error
        self.opened[numbers] = Opened()
        return self.opened[numbers], make()

    def reach(self, host: str = "llm.example.test") -> float:
        """Connect to a host, and return how long that took."""

        async def go() -> float:
            loop: Any = asyncio.get_running_loop()
            loop.create_connection = self.connect
            try:
                await reach(host, 443, asyncio.Protocol, look_up=self.look_up)
            finally:
                assert asyncio.all_tasks() == {asyncio.current_task()}
            return float(loop.time())

        return run_virtual(go())


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], []),
        ([(V4, "a")], ["a"]),
        ([(V6, "a"), (V6, "b"), (V6, "c"), (V4, "d")], ["a", "d", "b", "c"]),
        ([(V4, "a"), (V6, "b"), (V4, "c"), (V6, "d")], ["a", "b", "c", "d"]),
        ([(V4, "a"), (V4, "a")], ["a"]),
    ],
)
def test_interleaved__families(found: list[tuple[int, str]], expected: list[str]) -> None:
    """The families take turns, the best address first, and each is there once."""
    assert interleaved(found) == expected


def test_reach__address() -> None:
    """An address is not looked up."""
    hosts = Hosts({"::1": (1, None)})
    assert hosts.reach("::1") == 1
    assert hosts.tried == [("::1", 0)]


def test_reach__first_answers() -> None:
    """Where the first address answers in time, no other is tried."""
    hosts = Hosts({"a": (HEAD_START_S / 2, None), "b": (0, None)})
    assert hosts.reach() == HEAD_START_S / 2
    assert hosts.tried == [("a", 0)]


def test_reach__slow() -> None:
    """Beside an address that takes its time the next one is tried; the first to answer is taken, the other closed."""
    hosts = Hosts({"a": (60, None), "b": (1, None), "c": (0.7, None)})
    assert hosts.reach() == 2 * HEAD_START_S + 0.7
    assert hosts.tried == [("a", 0), ("b", HEAD_START_S), ("c", 2 * HEAD_START_S)]
    assert list(hosts.opened) == ["c"]


def test_reach__both() -> None:
    """Of two addresses that answer at the same moment the better one is taken, and the other closed."""
    hosts = Hosts({"a": (2 * HEAD_START_S, None), "b": (HEAD_START_S, None)})
    assert hosts.reach() == 2 * HEAD_START_S
    assert {"a": False, "b": True} == {numbers: each.closed for numbers, each in hosts.opened.items()}


def test_reach__refused() -> None:
    """After an address that refuses the next one is tried at once."""
    hosts = Hosts({"a": (0.1, ConnectionRefusedError()), "b": (0.1, None)})
    assert hosts.reach() == 0.2
    assert hosts.tried == [("a", 0), ("b", 0.1)]


def test_reach__all_refuse() -> None:
    """Where every address fails, what is raised is the one reason, or all of them in order."""
    one, other = ConnectionRefusedError("a"), OSError("b")
    with pytest.raises(ConnectionRefusedError, match=r"^a$"):
        Hosts({"a": (0, one)}).reach()
    with pytest.raises(ExceptionGroup) as caught:
        Hosts({"a": (60, one), "b": (0, other)}).reach()
    assert caught.value.exceptions == (one, other)


def test_reach__bug() -> None:
    """What is no fault of the network is raised as it is."""
    with pytest.raises(AssertionError, match=r"^bug$"):
        Hosts({"a": (0, OSError("a")), "b": (0, AssertionError("bug"))}).reach()


ADDRESSES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.4, 1.0, 60.0]), st.booleans()), min_size=1, max_size=5
)


@given(addresses=ADDRESSES)
def test_reach__any_network(addresses: list[tuple[float, bool]]) -> None:
    """A host is reached whenever an address answers; nothing else stays open, and nothing goes on being tried."""
    hosts = Hosts({f"a{at}": (wait, None if works else OSError("no")) for at, (wait, works) in enumerate(addresses)})
    if any(works for _, works in addresses):
        hosts.reach()
        assert [False] == [each.closed for each in hosts.opened.values() if not each.closed]
    else:
        with pytest.raises((OSError, ExceptionGroup)):
            hosts.reach()
        assert len(hosts.tried) == len(addresses)
