"""How many requests at once, and when none."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from evalaction.draw.pace import DOWN, UNKNOWN, Pace


def make_pace(most: int = 8, *, seed: int = 0) -> Pace:
    """Return a pace at full speed."""
    return Pace(most=most, rng=random.Random(seed))  # noqa: S311 - jitter


def send(pace: Pace, count: int) -> list[int]:
    """Send so many requests."""
    return [pace.sent() for _ in range(count)]


def busy(pace: Pace, number: int, *, now: float = 0.0, retry_after: float | None = 30.0) -> bool:
    """Let a request be answered that the endpoint is too busy."""
    pace.landed()
    return pace.failed(number, now=now, everyone=True, retry_after=retry_after, case="a")


def broken(pace: Pace, number: int, *, now: float = 0.0, case: str | None = "a") -> bool:
    """Let a request fail in a way that says nothing of the endpoint."""
    pace.landed()
    return pace.failed(number, now=now, everyone=False, retry_after=None, case=case)


def well(pace: Pace, number: int, *, case: str = "a") -> bool:
    """Let a request bring a reply."""
    pace.landed()
    return pace.replied(number, case=case)


def test_pace__full_speed() -> None:
    """It begins with as many requests at once as are allowed, and no more."""
    pace = make_pace(3)
    send(pace, 2)
    assert pace.may_send(0.0)
    send(pace, 1)
    assert not pace.may_send(0.0)
    pace.landed()
    assert pace.may_send(0.0)


@pytest.mark.parametrize(("most", "halves"), [(1, [1, 1]), (2, [1, 1]), (3, [1, 1]), (8, [4, 2, 1, 1]), (9, [4, 2])])
def test_pace__halves(most: int, halves: Sequence[int]) -> None:
    """Each time that the endpoint is too busy, half as many are sent at once, and never none."""
    pace = make_pace(most)
    windows = []
    for _ in halves:
        busy(pace, *send(pace, 1))
        windows.append(pace.window)
    assert halves == windows


def test_pace__halves_once() -> None:
    """Answers to requests that were sent before the halving do not halve it again; they can make the pause longer."""
    pace = make_pace(8)
    numbers = send(pace, 8)
    waits = [10.0, 5.0, None, 40.0, 0.0, None, 1.0, 1.0]
    began = [busy(pace, number, now=1.0, retry_after=wait) for number, wait in zip(numbers, waits, strict=True)]
    assert [True] + [False] * 7 == began
    assert (pace.window, pace.not_before, pace.pauses) == (4, 41.0, 1)


def test_pace__grows() -> None:
    """With each round of replies to requests that were sent since, one more is sent at once, up to what is allowed."""
    pace = make_pace(4)
    first, *before = send(pace, 4)
    busy(pace, first)
    assert [False] * 3 == [well(pace, number) for number in before]
    grown = [well(pace, *send(pace, 1)) for _ in range(9)]
    assert [False, True, False, False, True, False, False, False, False] == grown
    assert pace.window == 4


def test_pace__pauses_grow() -> None:
    """Without a word of how long, pauses grow at random up to doubling bounds, and begin anew after a reply."""
    bounds: dict[int, list[float]] = {}
    for seed in range(200):
        pace = make_pace(seed=seed)
        well(pace, *send(pace, 1))
        for turn in range(7):
            now = 1_000.0 * turn
            busy(pace, *send(pace, 1), now=now, retry_after=None)
            bounds.setdefault(turn, []).append(pace.not_before - now)
        well(pace, *send(pace, 1))
        busy(pace, *send(pace, 1), now=9_000.0, retry_after=None)
        bounds.setdefault(7, []).append(pace.not_before - 9_000.0)
    limits = [2, 4, 8, 16, 32, 60, 60, 2]
    for limit, waits in zip(limits, bounds.values(), strict=True):
        assert 0 <= min(waits) < limit / 2 < max(waits) <= limit


def test_pace__hopeless() -> None:
    """Before anything has come at all, pauses stop growing early: it may never."""
    longest = 0.0
    for seed in range(50):
        pace = make_pace(seed=seed)
        for turn in range(9):
            busy(pace, *send(pace, 1), now=1_000.0 * turn, retry_after=None)
            longest = max(longest, pace.not_before - 1_000.0 * turn)
    assert 8 < longest <= 2**UNKNOWN


def test_pace__wrong_word() -> None:
    """Who is busy again when it said that it would not be is left alone for longer than it says; never for less."""
    pace = make_pace(seed=1)
    well(pace, *send(pace, 1))
    waits = []
    for turn in range(5):
        busy(pace, *send(pace, 1), now=1_000.0 * turn, retry_after=1.0)
        waits.append(pace.not_before - 1_000.0 * turn)
    assert waits[0] == 1.0
    assert min(waits) >= 1.0
    assert max(waits) > 8.0


def test_pace__zero_is_no_word() -> None:
    """A Retry-After of 0 does not let everybody ask again at once."""
    pace = make_pace(seed=1)
    busy(pace, *send(pace, 1), retry_after=0.0)
    assert pace.not_before > 0


@pytest.mark.parametrize(
    ("answered", "cases", "most", "down"),
    [
        (["a"], ["a"] * DOWN, 1, True),
        (["a"], ["a"] * (DOWN - 1), 1, False),
        (["a"], ["a"] * 7, 8, False),
        (["a"], ["a"] * 8, 8, True),
        (["a"], ["b"] * 9, 1, False),
        (["a"], ["b", "c", "c"], 1, True),
        (["a"], [None] * 9, 1, False),
        ([], ["a", "b", "c", "d"], 1, False),
    ],
)
def test_pace__down(answered: Sequence[str], cases: Sequence[str | None], most: int, down: bool) -> None:
    """An endpoint is down when enough draws fail one after the other, unless it may be the fault of a single case."""
    pace = make_pace(most)
    for case in answered:
        well(pace, *send(pace, 1), case=case)
    began = [broken(pace, number, case=case) for number, case in zip(send(pace, len(cases)), cases, strict=True)]
    assert down == any(began)
    assert (max(1, most // 2) if down else most) == pace.window


def test_pace__still_down() -> None:
    """Each further failure of an endpoint that is down makes a further pause, until a reply comes."""
    pace = make_pace(1)
    well(pace, *send(pace, 1))
    began = [broken(pace, *send(pace, 1), now=float(turn)) for turn in range(5)]
    assert [False, False, True, True, True] == began
    assert (pace.pauses, pace.troubled_since) == (3, 2.0)
    well(pace, *send(pace, 1))
    assert not broken(pace, *send(pace, 1))
    assert (pace.pauses, pace.troubled_since) == (0, None)


@given(most=st.integers(1, 64), steps=st.lists(st.sampled_from(["ok", "busy", "broken"]), max_size=200))
def test_pace__window_bounds(most: int, steps: Sequence[str]) -> None:
    """Whatever comes, at least one request may be in flight, and at most as many as are allowed."""
    pace = make_pace(most)
    for turn, step in enumerate(steps):
        (number,) = send(pace, 1)
        if step == "ok":
            well(pace, number)
        else:
            (busy if step == "busy" else broken)(pace, number, now=float(turn))
        assert 1 <= pace.window <= most


class Endpoint(RuleBasedStateMachine):
    """Requests and answers in any order and at any time, against what each rule says for itself."""

    @initialize(most=st.integers(1, 9))
    def begin(self, most: int) -> None:
        """Begin with nothing in flight."""
        self.pace = make_pace(most)
        self.now = 0.0
        self.flying: dict[int, int] = {}
        self.forbidden_until = 0.0
        self.halvings = 0

    @rule(seconds=st.floats(0, 50))
    def time_passes(self, seconds: float) -> None:
        """Wait."""
        self.now += seconds

    @rule()
    def fill(self) -> None:
        """Send all that may be sent."""
        while self.pace.may_send(self.now):
            assert self.now >= self.forbidden_until
            self.flying[self.pace.sent()] = self.halvings

    @precondition(lambda self: self.flying)
    @rule(data=st.data(), outcome=st.sampled_from(["ok", "busy", "broken"]), wait=st.none() | st.floats(0, 40))
    def answer(self, data: st.DataObject, outcome: str, wait: float | None) -> None:
        """Let any request that is in flight come to an end."""
        number = data.draw(st.sampled_from(sorted(self.flying)))
        sent_after = self.flying.pop(number)
        before = self.pace.window
        if outcome == "ok":
            assert well(self.pace, number) == (self.pace.window == before + 1)
        elif outcome == "busy":
            began = busy(self.pace, number, now=self.now, retry_after=wait)
            self.forbidden_until = max(self.forbidden_until, self.now + (wait or 0.0))
            assert began == (sent_after == self.halvings)
            assert self.pace.window == (max(1, before // 2) if began else before)
            self.halvings += began
        else:
            self.halvings += broken(self.pace, number, now=self.now)

    @invariant()
    def bounded(self) -> None:
        """Requests in flight are counted, and are never more than there were allowed when they were sent."""
        assert len(self.flying) == self.pace.in_flight <= self.pace.most
        assert self.pace.not_before >= self.forbidden_until or self.forbidden_until <= self.now


TestEndpoint = Endpoint.TestCase
