"""How long to wait before asking again."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.draw.wait import backoff, retry_after

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0 "}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:04:35 GMT"}, 30.0),
        ({"retry-after": "Fri, 02 Jan 2026 04:04:35 +0100"}, 30.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:04:35 -0000"}, 30.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:04:00 GMT"}, 0.0),
        ({"retry-after": "Fri, 99 Jan 2026 03:04:00 GMT"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "later"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_retry_after__forms(headers: dict[str, str], expected: float | None) -> None:
    """Seconds, milliseconds and dates are read; anything else is as if it were not there."""
    assert expected == retry_after(headers, NOW)


@given(st.text())
def test_retry_after__anything(value: str) -> None:
    """No header value raises, and no wait is negative."""
    seconds = retry_after({"retry-after": value, "retry-after-ms": value}, NOW)
    assert seconds is None or seconds >= 0


@given(tries=st.integers(1, 50), seed=st.integers())
def test_backoff__bounds(tries: int, seed: int) -> None:
    """A wait lies between 0 and the doubling bound, at most a minute."""
    rng = random.Random(seed)  # noqa: S311 - jitter
    assert 0 <= backoff(tries, rng) <= min(60.0, 2.0**tries)


def test_backoff__repeatable() -> None:
    """The same source of chance gives the same waits, and different tries different ones."""
    sources = (random.Random(1), random.Random(1))  # noqa: S311 - jitter
    first, second = ([backoff(tries, rng) for tries in (1, 2, 3)] for rng in sources)
    assert first == second
    assert len(set(first)) == 3
