"""Why a request brought nothing: the message for people, and whether asking again can help. Pure.

Messages hold the start of what the endpoint said, which is untrusted text, and never a request's headers,
credentials or the values of a URL's query.
"""

from __future__ import annotations

import json
import re
from typing import Any

from evalaction import late
from evalaction.records.draw import Cause, Failure
from evalaction.redact import Redactor

EXCERPT = 500
"""Characters of an endpoint's own words that a message repeats."""

PASSING = frozenset({408, 409, 424, 425, 429, 498, 499})
"""Statuses below 500 that may be gone the next time: 424 is what text-generation-inference says of a failed batch, 499
what gateways say of a request that was given up further on, 498 what Groq says while its flexible capacity is used up.
"""
ONE_DRAW = frozenset({413})
"""Statuses that asking again does not cure, but that say nothing of other cases."""
TOO_BIG = "request too large"
"""The kind of a failure that says the same with another status."""
EVERYONE = frozenset({429, 503, 529})
"""Statuses that speak of the endpoint as a whole: no request should be sent for a while."""

PAGE = "a web page (HTML), as proxies and sign-in pages send it"
PAGE_KIND = "HTML"
UNTRUSTED = "certificate"
"""The kind of a failure to trust the other side: asking again does not make it another one."""

_ERRORS = range(400, 600)
_SERVER_ERRORS = range(500, 600)
_MARKUP = late.pattern(rb"<(?:!doctype html|html|head|body|title|script|center|h1|p)[\s>]", re.IGNORECASE)
_TITLE = late.pattern(r"<title[^>]{0,200}>([^<]{1,200})", re.IGNORECASE)
_HEAD = 2_048
_DIGITS = late.pattern(r"[0-9]{3}")
_SENTENCES = ("message", "detail", "msg", "error_msg", "error_description")
"""Fields in which bodies say what is wrong, beside an ``error``."""
_WORDS = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "resource_exhausted": 429,
    "too_many_requests": 429,
    "overloaded_error": 529,
    "overloaded": 503,
    "unavailable": 503,
    "service_unavailable": 503,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "unauthenticated": 401,
    "model_not_found": 404,
    "context_length_exceeded": 400,
}
"""Codes and types in place of a status, where they leave no doubt."""


def is_passing(failure: Failure) -> bool:
    """Say whether the same request may bring something the next time."""
    if failure.cause is Cause.STATUS:
        return failure.status not in ONE_DRAW and failure.kind != TOO_BIG
    return failure.kind != UNTRUSTED and failure.cause in {Cause.TRANSPORT, Cause.TIMEOUT, Cause.RUBBISH}


def concerns_all(failure: Failure) -> bool:
    """Say whether every request should wait, not only this one."""
    return failure.status in EVERYONE


def cause_of(status: int | None) -> Cause:
    """Return what an HTTP status, or the code of an error in a body, means for the run."""
    if status is None or status in PASSING | ONE_DRAW or status in _SERVER_ERRORS:
        return Cause.STATUS
    return Cause.REJECTED


def rubbish(what: str, content: bytes, secrets: tuple[str, ...], *, kind: str) -> Failure:
    """Return the failure of an answer that is not a chat completion.

    Args:
        what: what it is instead, with its article.
        content: the body.
        secrets: what the message must not repeat.
        kind: the kind for counting.
    """
    return Failure(cause=Cause.RUBBISH, message=f"The endpoint answered {what}.{said(content, secrets)}", kind=kind)


def page(content: bytes, secrets: tuple[str, ...]) -> Failure:
    """Return the failure of a web page in place of a chat completion."""
    message = f"The endpoint answered {PAGE}{_titled(content, secrets)}."
    return Failure(cause=Cause.RUBBISH, message=message, kind=PAGE_KIND)


def said_in_body(holder: dict[str, Any], content: bytes, secrets: tuple[str, ...]) -> Failure:
    """Return the failure of a 2xx answer whose body reports an error.

    Args:
        holder: the body, or its choice, with an ``error``; or itself an error.
        content: the whole body.
        secrets: what the message must not repeat.
    """
    status = _code(holder.get("error")) or _code(holder)
    named = f" {status}" if status else ""
    return Failure(
        cause=cause_of(status),
        message=f"The endpoint answered 200 with an error{named} in the body.{said(content, secrets)}",
        status=status,
        kind="error in a 200",
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
    """Return `` It said: …`` for the end of a message; empty for an empty body; of a web page, its title alone."""
    if is_page(content):
        return f" It sent {PAGE}{_titled(content, secrets)}."
    words = words_of(content, secrets)
    return f" It said: {words}" if words else ""


def is_page(content: bytes) -> bool:
    """Say whether a body is a web page."""
    head = content[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"<") and _MARKUP.search(head) is not None


def says_something(error: Any) -> bool:
    """Tell whether the ``error`` of a body says that there was one: some servers send it empty beside their reply."""
    return any(error.values()) if isinstance(error, dict) else bool(error)


def _titled(content: bytes, secrets: tuple[str, ...]) -> str:
    from html import unescape  # noqa: PLC0415 - for pages alone

    title = _TITLE.search(content[: 4 * _HEAD].decode("utf-8", "replace"))
    words = "" if title is None else " ".join(unescape(title[1]).split())
    return f", titled {excerpt(words, secrets)!r}" if words else ""


def _message(whole: Any) -> str | None:
    """Find the sentence in the shapes of error bodies: OpenAI's, a gateway's, FastAPI's, an error in a choice."""
    if isinstance(whole, list) and whole:
        whole = whole[0]  # Google's OpenAI-compatible endpoint lists its one error
    if not isinstance(whole, dict):
        return None
    holders = (whole.get("error"), _first(whole.get("choices")).get("error"), _first(whole.get("errors")))
    errors = [_sentence(holder) if isinstance(holder, dict) else holder for holder in holders]
    base = whole.get("base_resp")  # MiniMax
    base_words = base.get("status_msg") if isinstance(base, dict) else None
    candidates = (*errors, base_words, *(whole.get(name) for name in _SENTENCES))
    return next((text for text in candidates if isinstance(text, str) and text.strip()), None)


def _sentence(error: dict[str, Any]) -> Any:
    """Return an error's message; of one that a gateway passes on, with what the provider behind it had said."""
    message, metadata = error.get("message"), error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if not (isinstance(message, str) and isinstance(raw, str) and raw.strip()):
        return message
    try:
        inner = _message(json.loads(raw))
    except (ValueError, RecursionError):
        inner = None
    return f"{message}: {inner or raw}"


def _first(listed: Any) -> dict[str, Any]:
    """Return the first object of a list of objects; an empty one where there is none."""
    return listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}


def _code(error: Any) -> int | None:
    """Return the HTTP status that an error names, as a number, as digits or in a word; None without one."""
    if not isinstance(error, dict):
        return None
    values = [error.get(name) for name in ("code", "status", "status_code", "type")]
    numbers = [int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else value for value in values]
    words = [_WORDS.get(value.lower()) for value in values if isinstance(value, str)]
    return next((number for number in (*numbers, *words) if type(number) is int and number in _ERRORS), None)
