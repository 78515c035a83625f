"""What goes over the wire between a client and the fake GitHub. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from typing import Any, NamedTuple

DOCUMENTATION = "https://docs.github.com/rest"


class Request(NamedTuple):
    """A request, as a test looks at it."""

    method: str
    path: str
    """Without query, ``/api/v3`` and host; ``/repositories/ID`` stands as ``/repos/OWNER/NAME``."""
    query: Mapping[str, str]
    json: Any
    """The body, parsed; None where there is none, or it is not JSON."""
    headers: Mapping[str, str]
    """By lower-case name."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request, with what only the fake needs of it."""

    request: Request
    root: str
    """What GitHub's own links begin with: scheme, host and, on a server of one's own, ``/api/v3``."""
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer. ``Content-Length`` is added unless ``headers`` has one (a larger one cuts the body)."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """JSON; text or bytes are sent as they are, as HTML; None: no body."""
    unchecked: bool = False
    """Do not hold this answer to GitHub's description."""
    carried_out: bool = False
    """When scripted: the request is carried out first, and then this is said instead."""

    @property
    def is_json(self) -> bool:
        """Whether the body is JSON."""
        return self.body is not None and not isinstance(self.body, str | bytes)

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        if self.body is None:
            return b""
        if isinstance(self.body, bytes):
            return self.body
        text = self.body if isinstance(self.body, str) else json.dumps(self.body, ensure_ascii=False)
        return text.encode()

    @property
    def content_type(self) -> str:
        """Of the body."""
        return "application/json; charset=utf-8" if self.is_json else "text/html; charset=utf-8"


class Special(Enum):
    """What a script may say besides an answer."""

    CLOSED_BEFORE = "the connection is closed, and nothing was done"
    CLOSED_AFTER = "the request is carried out, and the connection closed without an answer"
    AS_USUAL = "the request is answered as if there were no script"


CLOSED_BEFORE = Special.CLOSED_BEFORE
CLOSED_AFTER = Special.CLOSED_AFTER
AS_USUAL = Special.AS_USUAL


def refused(status: int, message: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> Answer:
    """Return an error as GitHub words it.

    Args:
        status: HTTP status, 400 or above.
        message: the sentence in it.
        headers: further ones.
        more: further fields of its body.
    """
    body = {"message": message, **more, "documentation_url": DOCUMENTATION, "status": str(status)}
    return Answer(status=status, headers=headers or {}, body=body)


def secondary_limit(*, retry_after: int | None = None) -> Answer:
    """Return what GitHub says to a client that asks too fast.

    Args:
        retry_after: seconds; None: GitHub does not say.
    """
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    return refused(HTTPStatus.FORBIDDEN, message, headers=headers)


def primary_limit(*, reset: int, status: int = HTTPStatus.FORBIDDEN) -> Answer:
    """Return what GitHub says to a client that has used up its requests of the hour.

    Args:
        reset: when the next hour begins, in seconds since 1970.
        status: 403 or 429; GitHub uses both.
    """
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}
    return refused(status, "API rate limit exceeded for installation ID 1.", headers=headers)


def bad_gateway() -> Answer:
    """Return what stands in front of GitHub says when GitHub does not answer in time: a page, not JSON."""
    page = "<html><head><title>502 Bad Gateway</title></head><body>Unicorn!</body></html>"
    return Answer(status=HTTPStatus.BAD_GATEWAY, body=page)
