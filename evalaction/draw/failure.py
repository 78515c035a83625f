"""Why a request brought nothing: the message for people, and whether asking again can help. Pure.

Messages hold the start of what the endpoint said, which is untrusted text, and never a request's headers,
credentials or the values of a URL's query.
"""

from __future__ import annotations

import json
import re
from typing import Any

from evalaction.records.draw import Cause, Failure
from evalaction.redact import Redactor

EXCERPT = 500
"""Characters of an endpoint's own words that a message repeats."""

PASSING = frozenset({408, 409, 425, 429})
"""Statuses below 500 that may be gone the next time."""
ONE_DRAW = frozenset({413})
"""Statuses that asking again does not cure, but that say nothing of other cases."""
EVERYONE = frozenset({429, 503, 529})
"""Statuses that speak of the endpoint as a whole: no request should be sent for a while."""

_ERRORS = range(400, 600)
_SERVER_ERRORS = range(500, 600)


def is_passing(failure: Failure) -> bool:
    """Say whether the same request may bring something the next time."""
    if failure.cause is Cause.STATUS:
        return failure.status not in ONE_DRAW
    return failure.cause in {Cause.TRANSPORT, Cause.TIMEOUT, Cause.RUBBISH}


def concerns_all(failure: Failure) -> bool:
    """Say whether every request should wait, not only this one."""
    return failure.status in EVERYONE


def cause_of(status: int | None) -> Cause:
    """Return what an HTTP status, or the code of an error in a body, means for the run."""
    if status is None or status in PASSING | ONE_DRAW or status in _SERVER_ERRORS:
        return Cause.STATUS
    return Cause.REJECTED


def rubbish(what: str, content: bytes, secrets: tuple[str, ...]) -> Failure:
    """Return the failure of an answer that is not a chat completion.

    Args:
        what: what it is instead, with its article.
        content: the body.
        secrets: what the message must not repeat.
    """
    return Failure(cause=Cause.RUBBISH, message=f"The endpoint answered {what}.{said(content, secrets)}")


def said_in_body(holder: dict[str, Any], content: bytes, secrets: tuple[str, ...]) -> Failure:
    """Return the failure of a 2xx answer whose body reports an error.

    Args:
        holder: the body, or its choice, with an ``error``.
        content: the whole body.
        secrets: what the message must not repeat.
    """
    status = _code(holder.get("error"))
    named = f" {status}" if status else ""
    return Failure(
        cause=cause_of(status),
        message=f"The endpoint answered 200 with an error{named} in the body.{said(content, secrets)}",
        status=status,
    )


def words_of(content: bytes, secrets: tuple[str, ...]) -> str:
    """Return what the endpoint says in an error body: its message if it has one, else the start of the body."""
    text = content.decode("utf-8", "replace")
    try:
        found = _message(json.loads(text))
    except (ValueError, RecursionError):
        found = None
    return excerpt(found or text, secrets)


def excerpt(text: str, secrets: tuple[str, ...]) -> str:
    """Return the start of ``text``, without secrets.

    They are taken out before the text is cut: half a key would get past whoever looks for the whole one.
    """
    text = Redactor(secrets).text(text).strip()
    return text if len(text) <= EXCERPT else text[:EXCERPT] + "…"


def said(content: bytes, secrets: tuple[str, ...]) -> str:
    """Return `` It said: …`` for the end of a message; empty for an empty body."""
    words = words_of(content, secrets)
    return f" It said: {words}" if words else ""


def _message(whole: Any) -> str | None:
    """Find the sentence in the shapes of error bodies: OpenAI's, a gateway's, FastAPI's, an error in a choice."""
    if not isinstance(whole, dict):
        return None
    choices = whole.get("choices")
    inner = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    errors = [
        error.get("message") if isinstance(error, dict) else error for error in (whole.get("error"), inner.get("error"))
    ]
    candidates = (*errors, whole.get("message"), whole.get("detail"))
    return next((text for text in candidates if isinstance(text, str) and text.strip()), None)


def _code(error: Any) -> int | None:
    """Return the HTTP status that an error object names, as a number or as digits; None without one."""
    if not isinstance(error, dict):
        return None
    for name in ("code", "status", "status_code"):
        value = error.get(name)
        number = int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{3}", value) else value
        if type(number) is int and number in _ERRORS:
            return number
    return None
