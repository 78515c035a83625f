"""Connections that are open, and which is used next: the one that was used last. Pure, but that it closes some."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar

IDLE_S = 30.0
"""Seconds after which a connection that nobody used is not trusted any more: what stands between may have dropped it
without a word, and a request would wait for an answer as long as it may.
"""


class Closable(Protocol):
    """What a pool has to know of a connection."""

    lost: bool
    """It is of no more use."""

    def abort(self) -> None:
        """Close it."""


Route = TypeVar("Route", bound=Hashable)
Connection = TypeVar("Connection", bound=Closable)


class Pool(Generic[Route, Connection]):
    """Connections by where they go. Those in use and those put aside are ``most`` together, or fewer.

    Taking and putting aside cost the same however many there are. Since the latest is taken first, those that a
    run has no more use for stay untouched, and end.
    """

    def __init__(self, most: int) -> None:
        """Hold nothing.

        Args:
            most: connections that may be open at once, at least 1. Whoever takes or opens one has seen to it that
                no more are in use.
        """
        self.in_use = 0
        """Connections that are in use or about to be opened, as those who need them count themselves."""
        self._most = most
        self._idle: dict[Route, dict[Connection, float]] = {}
        self._count = 0

    def take(self, route: Route, *, now: float) -> Connection | None:
        """Return the connection to ``route`` that was put aside last; None when there is none that can be trusted."""
        idle = self._idle.get(route)
        if not idle:
            return None
        connection, since = idle.popitem()
        self._count -= 1
        if now - since <= IDLE_S:
            return connection
        for each in [connection, *idle]:  # the others have been idle for longer
            each.abort()
        self._count -= len(idle)
        idle.clear()
        return None

    def put(self, route: Route, connection: Connection, *, now: float) -> None:
        """Keep a connection to ``route`` for its next request."""
        self._idle.setdefault(route, {})[connection] = now
        self._count += 1

    def drop(self, route: Route, connection: Connection) -> None:
        """Forget a connection that was put aside, or that was not."""
        if self._idle.get(route, {}).pop(connection, None) is not None:
            self._count -= 1

    def make_room(self) -> None:
        """Close connections to other places, the longest unused first, until one more may be opened."""
        while self._count and self.in_use + self._count > self._most:
            route = min((route for route, idle in self._idle.items() if idle), key=self._since)
            connection = next(iter(self._idle[route]))
            self.drop(route, connection)
            connection.abort()

    def _since(self, route: Route) -> float:
        return next(iter(self._idle[route].values()))
