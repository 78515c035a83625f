"""How long to wait before asking again. Pure: the date and the source of chance are arguments."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from evalaction import late

BASE_S = 2.0
"""Longest wait before the second try, in seconds; it doubles with each further try."""
BACKOFF_CAP_S = 60.0

_DURATION = late.pattern(
    r"\+?(?:(?P<h>[0-9]{1,5})h)?(?:(?P<m>[0-9]{1,7})m(?!s))?(?:(?P<s>[0-9]{1,9}(?:\.[0-9]{1,9})?)(?:s|\Z))?"
    r"(?:(?P<ms>[0-9]{1,12}(?:\.[0-9]{1,9})?)ms)?"
)
_UNITS_S = {"h": 3_600, "m": 60, "s": 1, "ms": 0.001}
_LENGTH = 16_000
_DELAY = late.pattern(r"""\\*"retryDelay\\*"\s*:\s*\\*"([0-9]{1,9}(?:\.[0-9]{1,9})?s)""")
_LOADING = late.pattern(r'"estimated_time"\s*:\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)')
_RESET = late.pattern(r'"X-RateLimit-Reset"\s*:\s*"?([0-9]{13})"?', re.IGNORECASE)
_SENTENCE = late.pattern(
    r"\b(?:try again|retry|wait)(?: (?:after|in|for))? "
    r"(?:(?P<short>(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ms|[hms])){1,4})\b"
    r"|(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?P<unit>milliseconds|seconds?|secs?|minutes?|mins?|hours?)\b)",
    re.IGNORECASE,
)


def backoff(tries: int, rng: random.Random) -> float:
    """Return seconds to wait after ``tries`` tries (from 1): exponential, with full jitter.

    Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 ("full jitter").
    """
    return rng.uniform(0, min(BACKOFF_CAP_S, BASE_S * 2 ** (tries - 1)))


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return how many seconds the endpoint asks to be left alone; None when it does not say.

    ``Retry-After`` is seconds or a date (RFC 9110, 10.2.3); some send a duration (``1m30s``), or the header twice, and
    some ``retry-after-ms`` beside it. The longest wait counts. Anything else is as if it were not there.

    Args:
        headers: of the answer; looked up by lower-case name.
        now: the current date, with a time zone; by the clock that set the answer's dates, if that is known.
    """
    value = headers.get("retry-after", "")
    named = [f"{headers.get('retry-after-ms', '').strip()}ms", *(part.strip() for part in value.split(","))]
    waits = [seconds for text in named if (seconds := duration(text)) is not None]
    if (date := http_date(value.strip())) is not None:
        waits.append(max(0.0, (date - now).total_seconds()))
    return max(waits, default=None)


def duration(text: str) -> float | None:
    """Return the seconds of ``7``, ``7.5s``, ``+7``, ``1h2m3s`` or ``350ms``; None for any other text."""
    match = _DURATION.fullmatch(text)
    if match is None or not any(match.groups()):
        return None
    return sum(float(number) * _UNITS_S[unit] for unit, number in match.groupdict().items() if number)


def asked_wait(content: bytes, now: datetime, *, sentences: bool) -> float | None:
    """Return the seconds for which an error asks to be left alone in its body; None without them.

    Google's ``retryDelay`` is one, and where sentences are read: ``Please try again in 6m0s`` (OpenAI, Groq), ``retry
    after 60 seconds`` (Azure), Hugging Face's ``estimated_time``, OpenRouter's ``X-RateLimit-Reset`` in milliseconds
    since 1970.

    Args:
        content: the body, or its start.
        now: the current date, with a time zone.
        sentences: whether the error is of those that speak of a wait: what others say may be about something else.
    """
    text = content[:_LENGTH].decode("utf-8", "replace")
    delay = _DELAY.search(text)
    if delay is not None or not sentences:
        return None if delay is None else duration(delay[1])
    if (loading := _LOADING.search(text)) is not None:
        return float(loading[1])
    if (reset := _RESET.search(text)) is not None:
        return max(0.0, float(reset[1]) / 1_000 - now.timestamp())
    said = _SENTENCE.search(text)
    if said is None or said["short"]:
        return None if said is None else duration(said["short"].lower())
    unit = "ms" if said["unit"].lower().startswith("milli") else said["unit"][0].lower()
    return float(said["number"]) * _UNITS_S[unit]


def http_date(value: str) -> datetime | None:
    """Return the date that a header holds, with its time zone; None when it is none."""
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    # A zone of -0000 says "UTC, from who knows where".
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
