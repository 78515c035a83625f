"""Which connection is used next."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.draw.pool import IDLE_S, Pool


class Fake:
    """A connection that knows whether it is closed."""

    def __init__(self) -> None:
        self.lost = False

    def abort(self) -> None:
        """Close it, once."""
        assert not self.lost, "closed twice"
        self.lost = True


def test_take__latest_first() -> None:
    """The connection that was used last is used next; the others are left alone."""
    pool: Pool[str, Fake] = Pool(3)
    a, b, c = Fake(), Fake(), Fake()
    for number, each in enumerate((a, b, c)):
        pool.put("x", each, now=number)
    assert pool.take("x", now=3) is c
    pool.put("x", c, now=4)
    assert [c, b, a, None] == [pool.take("x", now=5) for _ in range(4)]
    assert [False, False, False] == [each.lost for each in (a, b, c)]


def test_take__by_route() -> None:
    """A connection serves nothing but requests that go its way."""
    pool: Pool[str, Fake] = Pool(3)
    a = Fake()
    pool.put("x", a, now=0)
    assert pool.take("y", now=0) is None
    assert pool.take("x", now=0) is a


@pytest.mark.parametrize(("idle", "trusted"), [(IDLE_S, True), (IDLE_S + 0.1, False)])
def test_take__too_old(idle: float, trusted: bool) -> None:
    """A connection that was idle for too long is closed and not used; so are those that were idle for longer."""
    pool: Pool[str, Fake] = Pool(3)
    a, b = Fake(), Fake()
    pool.put("x", a, now=0)
    pool.put("x", b, now=1)
    assert pool.take("x", now=1 + idle) is (b if trusted else None)
    assert (a.lost, b.lost) == ((False, False) if trusted else (True, True))


def test_drop__lost() -> None:
    """A connection that the other side closed is not handed out; to forget it again, or one never seen, is nothing."""
    pool: Pool[str, Fake] = Pool(3)
    a, b = Fake(), Fake()
    pool.put("x", a, now=0)
    pool.put("x", b, now=0)
    for _ in range(2):
        pool.drop("x", b)
    pool.drop("y", a)
    assert [a, None] == [pool.take("x", now=0) for _ in range(2)]


def test_make_room__longest_unused() -> None:
    """For one more connection, those that were unused the longest give way, whatever way they go; and no others."""
    pool: Pool[str, Fake] = Pool(3)
    a, b, c = Fake(), Fake(), Fake()
    pool.put("x", a, now=0)
    pool.put("y", b, now=1)
    pool.put("x", c, now=2)
    pool.in_use = 1
    pool.make_room()
    assert [True, False, False] == [each.lost for each in (a, b, c)]
    pool.make_room()
    assert [True, False, False] == [each.lost for each in (a, b, c)]
    pool.in_use = 3
    pool.make_room()
    assert [True, True, True] == [each.lost for each in (a, b, c)]


STEPS = st.lists(
    st.tuples(st.sampled_from(["use", "finish", "lose", "wait"]), st.sampled_from("xyz"), st.integers(0, 40)),
    max_size=60,
)


@given(steps=STEPS, most=st.integers(1, 4))
def test_pool__any_run(steps: list[tuple[str, str, int]], most: int) -> None:
    """Never more connections are open than allowed, no closed one is handed out, and the latest is taken first."""
    pool: Pool[str, Fake] = Pool(most)
    busy: list[tuple[str, Fake]] = []
    idle: dict[str, list[tuple[Fake, float]]] = defaultdict(list)
    now = 0.0
    for step, route, number in steps:
        if step == "wait":
            now += number
        elif step == "use" and len(busy) < most:
            pool.in_use += 1
            found = pool.take(route, now=now)
            expected = idle[route].pop() if idle[route] else None
            if expected is None or now - expected[1] > IDLE_S:
                assert found is None
                idle[route] = []
                pool.make_room()
                found = Fake()
            else:
                assert found is expected[0]
            busy.append((route, found))
        elif step == "finish" and busy:
            way, connection = busy.pop(number % len(busy))
            pool.put(way, connection, now=now)
            pool.in_use -= 1
            idle[way].append((connection, now))
        elif step == "lose" and idle[route]:
            connection, _ = idle[route].pop(number % len(idle[route]))
            connection.abort()
            pool.drop(route, connection)
        idle = defaultdict(list, {way: [each for each in some if not each[0].lost] for way, some in idle.items()})
        assert len(busy) + sum(map(len, idle.values())) <= most
        assert not any(connection.lost for _, connection in busy)
