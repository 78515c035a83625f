"""How fast an endpoint is asked: how many requests at once, and the time before which none leaves. Pure: time is given.

One pace holds for all workers. When the endpoint is too busy, or down, nobody sends for a while, and half as many
requests are in flight afterwards; with every round of replies one more is, up to what was asked for (additive
increase, multiplicative decrease: V. Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988).
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import field

from evalaction.draw.wait import backoff
from evalaction.frozen import mutable

DOWN = 3
"""Draws in a row that fail at their first try, and at least one for each request at once, after which an endpoint that
has answered before is taken to be down as a whole, whatever kinds of failure they are."""
UNKNOWN = 4
"""Pauses after which they grow no longer, as long as nothing has come at all: it may never."""


@mutable
class Pace:
    """Shared by all workers of a part of a run."""

    most: int
    """Requests at once when all is well, 1 or more."""
    rng: random.Random
    """Jitters the pauses."""
    window: int = field(init=False)
    """Requests that may be in flight now, 1 to ``most``."""
    in_flight: int = 0
    """Requests that are."""
    not_before: float = float("-inf")
    """Clock time before which none leaves."""
    pauses: int = 0
    """Pauses since the last reply."""
    troubled_since: float | None = None
    """Clock time of the first of those pauses; None while there is none."""
    _sent: int = 0
    """Requests sent: the number of the next."""
    _cut: int = 0
    """The first request that was sent since the latest pause."""
    _good: int = 0
    """Replies to such requests since ``window`` last changed."""
    _bad: int = 0
    """First tries that failed since the last reply or pause."""
    _of: set[Hashable] = field(default_factory=set)
    """The cases that they were made for."""
    _answered: set[Hashable] = field(default_factory=set)
    """Cases to which something has come."""
    _down: bool = False
    """The latest pause was made for an endpoint that is down."""

    def __post_init__(self) -> None:
        """Begin at full speed."""
        self.window = self.most

    def may_send(self, now: float) -> bool:
        """Say whether one more request may leave."""
        return self.in_flight < self.window and now >= self.not_before

    def sent(self) -> int:
        """Note that a request leaves, and return its number."""
        self.in_flight += 1
        self._sent += 1
        return self._sent - 1

    def landed(self) -> None:
        """Note that a request has come to an end, whatever it brought."""
        self.in_flight -= 1

    def replied(self, number: int, *, case: Hashable) -> bool:
        """Note that a request brought a reply.

        Args:
            number: of the request.
            case: that it was made for.

        Returns:
            Whether one more may be in flight from now on.
        """
        self.pauses = self._bad = 0
        self.troubled_since = None
        self._down = False
        self._of.clear()
        self._answered.add(case)
        if number < self._cut or self.window == self.most:
            return False
        self._good += 1
        if self._good < self.window:
            return False
        self._good = 0
        self.window += 1
        return True

    def failed(
        self, number: int, *, now: float, everyone: bool, retry_after: float | None, case: Hashable | None
    ) -> bool:
        """Note that a request failed in a way that may pass.

        Only the first of those that were in flight together makes a pause; the others tell the same, and can but
        make it longer, where they say for how long.

        Args:
            number: of the request.
            now: the clock time.
            everyone: the failure speaks of the endpoint as a whole.
            retry_after: seconds that the endpoint asked to be left alone; None when it did not say.
            case: that it was made for, if it was the first try; None for further ones, which tell nothing new.

        Returns:
            Whether a pause began.
        """
        if case is not None:
            self._bad += 1
            self._of.add(case)
        begins = number >= self._cut and (everyone or self._is_down())
        if everyone and retry_after is not None:
            self.not_before = max(self.not_before, now + retry_after)
        if begins:
            self._pause(now, asked=everyone and bool(retry_after))
            self._down = not everyone
        return begins

    def _is_down(self) -> bool:
        if self._down or not self._answered or self._bad < max(DOWN, self.window):
            return self._down
        # One case that has never been answered may be at fault itself.
        return len(self._of) > 1 or self._of <= self._answered

    def _pause(self, now: float, *, asked: bool) -> None:
        self._cut = self._sent
        self._good = self._bad = 0
        self._of.clear()
        self.window = max(1, self.window // 2)
        self.pauses += 1
        if self.troubled_since is None:
            self.troubled_since = now
        if not asked or self.pauses > 1:  # an endpoint that is busy again when it said it would not be
            rounds = self.pauses if self._answered else min(self.pauses, UNKNOWN)
            self.not_before = max(self.not_before, now + backoff(rounds, self.rng))
