"""How long to wait before asking again. Pure: the date and the source of chance are arguments."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from evalaction import late

BASE_S = 2.0
"""Longest wait before the second try, in seconds; it doubles with each further try."""
BACKOFF_CAP_S = 60.0

_SECONDS = late.pattern(r"[0-9]{1,9}(\.[0-9]{1,9})?")


def backoff(tries: int, rng: random.Random) -> float:
    """Return seconds to wait after ``tries`` tries (from 1): exponential, with full jitter.

    Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 ("full jitter").
    """
    return rng.uniform(0, min(BACKOFF_CAP_S, BASE_S * 2 ** (tries - 1)))


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return how many seconds the endpoint asks to be left alone; None when it does not say.

    ``retry-after-ms`` is more exact and comes first; ``Retry-After`` is seconds or a date (RFC 9110,
    10.2.3). Anything else is as if it were not there.

    Args:
        headers: of the answer; looked up by lower-case name.
        now: the current date, with a time zone; by the clock that set the answer's dates, if that is known.
    """
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _SECONDS.fullmatch(milliseconds):
        return float(milliseconds) / 1_000
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    date = http_date(value)
    return None if date is None else max(0.0, (date - now).total_seconds())


def http_date(value: str) -> datetime | None:
    """Return the date that a header holds, with its time zone; None when it is none."""
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    # A zone of -0000 says "UTC, from who knows where".
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
