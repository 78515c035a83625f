"""How long to wait before asking again."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.draw.wait import asked_wait, backoff, retry_after

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0 "}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "1"}, 1.0),
        ({"retry-after-ms": "1500", "retry-after": "1"}, 1.5),
        ({"retry-after-ms": "0", "retry-after": "Fri, 02 Jan 2026 03:04:35 GMT"}, 30.0),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:04:35 GMT"}, 30.0),
        ({"retry-after": "Fri, 02 Jan 2026 04:04:35 +0100"}, 30.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:04:35 -0000"}, 30.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:04:00 GMT"}, 0.0),
        ({"retry-after": "20, 20"}, 20.0),
        ({"retry-after": "1, 20"}, 20.0),
        ({"retry-after": "20s"}, 20.0),
        ({"retry-after": "+20"}, 20.0),
        ({"retry-after": "1m30s"}, 90.0),
        ({"retry-after": "1h0m0.5s"}, 3_600.5),
        ({"retry-after": "500ms"}, 0.5),
        ({"retry-after": "s"}, None),
        ({"retry-after": "20 s"}, None),
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
    """Seconds, milliseconds, durations and dates are read, and the longest counts; all else is as if it were absent."""
    assert expected == retry_after(headers, NOW)


@given(st.text())
def test_retry_after__anything(value: str) -> None:
    """No header value raises, and no wait is negative."""
    seconds = retry_after({"retry-after": value, "retry-after-ms": value}, NOW)
    assert seconds is None or seconds >= 0


RESET = 1_000 * int(NOW.timestamp())


@pytest.mark.parametrize(
    ("body", "sentences", "seconds"),
    [
        ({"error": {"details": [{"retryDelay": "59s"}]}}, False, 59.0),
        ({"error": {"details": [{"retryDelay": "0.5s"}]}}, True, 0.5),
        ({"error": {"metadata": {"raw": json.dumps({"retryDelay": "42s"})}}}, False, 42.0),
        ({"retryDelay": 5}, True, None),
        ({"retryDelay": "soon"}, True, None),
        ({}, True, None),
        ({"error": {"message": "Please retry after 60 seconds."}}, False, None),
        ({"error": {"message": "Please retry after 60 seconds."}}, True, 60.0),
        ({"error": {"message": "Please try again in 20.5s. Visit us"}}, True, 20.5),
        ({"error": {"message": "Please try again in 9m38.016s. Need more tokens?"}}, True, 578.016),
        ({"error": {"message": "Please try again in 500ms."}}, True, 0.5),
        ({"error": {"message": "Please retry in 45.2s."}}, True, 45.2),
        ({"error": {"message": "Try again in 2 minutes"}}, True, 120.0),
        ({"error": {"message": "Please wait 52220 seconds before retrying."}}, True, 52_220.0),
        ({"error": {"message": "try again in 5 milliseconds"}}, True, 0.005),
        ({"error": {"message": "Please try again in 1 hour"}}, True, 3_600.0),
        ({"error": {"message": "Gave up. Please retry after 3 attempts, or retry 2 of 5"}}, True, None),
        ({"error": {"message": "Please try again later"}}, True, None),
        ({"error": "Model m is currently loading", "estimated_time": 20.0}, True, 20.0),
        ({"error": "Model m is currently loading", "estimated_time": 20.0}, False, None),
        ({"error": {"metadata": {"headers": {"X-RateLimit-Reset": str(RESET + 1_500)}}}}, True, 1.5),
        ({"error": {"metadata": {"headers": {"X-RateLimit-Reset": RESET - 1_500}}}}, True, 0.0),
    ],
)
def test_asked_wait__forms(body: Any, sentences: bool, seconds: float | None) -> None:
    """A wait is read where the body gives it; a sentence counts only where the error is of those that speak of one."""
    assert seconds == asked_wait(json.dumps(body).encode(), NOW, sentences=sentences)


@given(st.binary(), st.booleans())
def test_asked_wait__anything(content: bytes, sentences: bool) -> None:
    """No body raises, and no wait is negative."""
    seconds = asked_wait(content, NOW, sentences=sentences)
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
