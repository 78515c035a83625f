"""A TCP connection to a host, by whichever of its addresses answers first. I/O: the network."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import chain, zip_longest
from typing import Any, TypeAlias, TypeVar, cast

from evalaction.draw.route import address

HEAD_START_S = 0.25
"""Seconds that an address of a host has before the next one is tried beside it (RFC 8305)."""

P = TypeVar("P", bound=asyncio.BaseProtocol)
Said: TypeAlias = "Sequence[tuple[Any, ...]]"
"""(family, type, protocol, canonical name, (address, port, …)) of each address."""
LookUp: TypeAlias = "Callable[[str, int], Awaitable[Said]]"
Connecting: TypeAlias = "asyncio.Task[tuple[asyncio.Transport, P]]"


async def reach(host: str, port: int, make: Callable[[], P], *, look_up: LookUp | None = None) -> P:
    """Return a connection to a host.

    Args:
        host: a name, or an address.
        port: from 1.
        make: makes the protocol for a connection; called for each address that answers.
        look_up: gives what ``socket.getaddrinfo`` does of a name; None to ask that.

    Raises:
        OSError: no address of the host answers, or its name is not known.
        ExceptionGroup: of ``OSError``, one for each address, where it has several.
    """
    loop = asyncio.get_running_loop()
    if address(host) is not None:
        return (await loop.create_connection(make, host, port))[1]
    said = await (look_up or _look_up)(host, port)
    addresses = interleaved([(family, cast("str", place[0])) for family, _, _, _, place in said])
    tasks: list[Connecting[P]] = []
    won: Connecting[P] | None = None
    try:
        for numbers in addresses:
            tasks.append(loop.create_task(loop.create_connection(make, numbers, port)))
            won = await _first(tasks, HEAD_START_S if len(tasks) < len(addresses) else None)
            if won is not None:
                return won.result()[1]
        raise _joined([error for task in tasks if (error := task.exception()) is not None])
    finally:
        await _give_up([task for task in tasks if task is not won])


async def _look_up(host: str, port: int) -> Said:
    """Return what ``socket.getaddrinfo`` says of a host.

    It is asked in a thread that nobody waits for: a loop waits for its own at its end, and a name server that says
    nothing would keep an interrupted run from ending.
    """
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Said] = loop.create_future()

    def tell(said: Said, error: OSError | None) -> None:
        if found.done():
            return
        if error is None:
            found.set_result(said)
        else:
            found.set_exception(error)

    def ask() -> None:
        said: Said = []
        error: OSError | None = None
        try:
            said = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError as wrong:  # a name that is none
            error = socket.gaierror(socket.EAI_NONAME, str(wrong))
        except OSError as failed:
            error = failed
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, said, error)

    threading.Thread(target=ask, daemon=True).start()
    return await found


def interleaved(found: Sequence[tuple[Any, str]]) -> list[str]:
    """Return the addresses of a host, each once, in their order, but those of its families by turns.

    Args:
        found: (family, address), the best first.
    """
    families: dict[Any, list[str]] = {}
    for family, numbers in found:
        families.setdefault(family, []).append(numbers)
    turns = chain.from_iterable(zip_longest(*families.values()))
    return list(dict.fromkeys(numbers for numbers in turns if numbers is not None))


async def _first(tasks: Sequence[Connecting[P]], seconds: float | None) -> Connecting[P] | None:
    """Return the first attempt that succeeds.

    Returns:
        None when ``seconds`` have passed, or when one has failed before that; without ``seconds``, when all have.
    """
    while running := [task for task in tasks if not task.done()]:
        await asyncio.wait(running, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        won = next((task for task in tasks if task.done() and task.exception() is None), None)
        if won is not None or seconds is not None:
            return won
    return None


async def _give_up(tasks: Sequence[Connecting[P]]) -> None:
    """End attempts, and close what came of them all the same."""
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if not isinstance(outcome, BaseException):
            outcome[0].abort()


def _joined(errors: Sequence[BaseException]) -> BaseException:
    """Return what is raised where every attempt failed: what is no fault of the network first, else all of them."""
    faults = [error for error in errors if isinstance(error, OSError)]
    if len(faults) < len(errors):
        return next(error for error in errors if not isinstance(error, OSError))
    return faults[0] if len(faults) == 1 else ExceptionGroup("no address of the host can be reached", faults)
