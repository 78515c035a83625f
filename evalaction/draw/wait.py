"""How long to wait before asking again. Pure: the date and the source of chance are arguments."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

BASE_S = 2.0
"""Longest wait before the second try, in seconds; it doubles with each further try."""
BACKOFF_CAP_S = 60.0

_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


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
        now: the current date, with a time zone.
    """
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _SECONDS.fullmatch(milliseconds):
        return float(milliseconds) / 1_000
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    if date.tzinfo is None:  # a date with the zone -0000, which says "UTC, from who knows where"
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())
