"""What GitHub's answers mean: done, wait, never, or nobody knows; and how their JSON is read. Pure.

Everything in an answer is untrusted: a value that is not what GitHub's documentation says is as if it were not there.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from evalaction import late
from evalaction.draw.wait import http_date, retry_after
from evalaction.frozen import frozen
from evalaction.records.hub import Comment, HubFailure, Refusal
from evalaction.redact import Redactor
from evalaction.report.untrusted import line

UNNAMED_LIMIT_S = 60
"""Shortest wait for a limit that names none, doubled with each try, as GitHub's documentation asks for."""

_SAID, _LOCATION = 300, "evalaction-location"
_OK, _SERVER = range(200, 300), 500
_MOVED = frozenset({301, 302, 307, 308})
"""Redirects after which the same request is sent again. GitHub knows no other ones."""
_FORBIDDEN, _UNPROCESSABLE, _TOO_MANY = 403, 422, 429
_SLOWER = ("rate limit", "abuse detection", "submitted too quickly", "wait a few minutes", "retry your request")
"""What GitHub's message holds where a refusal means "not so fast" rather than "you may not"."""
_NUMBER = late.pattern(r"[0-9]{1,12}(\.[0-9]{1,9})?")
_NEXT = late.pattern(r'<([^<>]+)>[^,<>]*;\s*rel="?next"?')


@frozen
class Answer:
    """An HTTP answer of GitHub, or that there was none."""

    status: int | None
    """None: nothing came, or nothing that can be read."""
    headers: Mapping[str, str]
    """By lower-case name."""
    data: Any
    """JSON value of the body; None without one."""
    said: str
    """GitHub's own words, or why there is no answer, in one printable line without keys; empty for none."""

    @property
    def message(self) -> str:
        """What happened, in one printable line without keys."""
        if self.status is None:
            return f"no answer ({self.said})"
        return f"HTTP {self.status}: {self.said}" if self.said else f"HTTP {self.status}"

    @property
    def refusal(self) -> Refusal | None:
        """Why it is no success; None when it is one."""
        if self.status is None or self.status >= _SERVER:
            return Refusal.UNSURE
        if self.status in _OK:
            return None
        return Refusal.LIMITED if self._is_limit() else Refusal.FORBIDDEN

    def _is_limit(self) -> bool:
        if self.status == _TOO_MANY:
            return True
        if self.status not in {_FORBIDDEN, _UNPROCESSABLE}:
            return False
        if any(sign in self.said.lower() for sign in _SLOWER):
            return True
        # The last request that a limit allows may be refused for good as well, and then the message says why.
        used_up = self.headers.get("x-ratelimit-remaining") == "0" and not self.said
        return self.status == _FORBIDDEN and ("retry-after" in self.headers or used_up)

    def pause(self, *, tries: int, now: float) -> float:
        """Return how many seconds to wait before asking again.

        Args:
            tries: requests so far, 1 or more.
            now: seconds since 1970; GitHub's own clock, by which its times are meant, comes first.
        """
        date = http_date(self.headers.get("date", "")) or datetime.fromtimestamp(now, UTC)
        asked = retry_after(self.headers, date)
        reset = self.headers.get("x-ratelimit-reset", "")
        if self.headers.get("x-ratelimit-remaining") == "0" and _NUMBER.fullmatch(reset):
            asked = max(asked or 0.0, float(reset) - date.timestamp() + 1)  # somewhere in that second
        least = UNNAMED_LIMIT_S if asked is None and self.refusal is Refusal.LIMITED else 1
        return max(asked or 0.0, least * 2.0 ** (tries - 1))

    def next_page(self, root: str) -> str | None:
        """Return the address of the next page; None after the last.

        Args:
            root: address of the API, with a slash at its end.

        Raises:
            HubFailure: it lies on another server, which must not get the token.
        """
        found = _NEXT.search(self.headers.get("link", ""))
        if found is None:
            return None
        address = _on_origin(found[1], root)
        if address is None:
            raise HubFailure(Refusal.FORBIDDEN, "GitHub's next page lies on another server", status=self.status)
        return address

    def moved_to(self, root: str) -> str | None:
        """Return the address that the request is to be sent to instead; None for none, or one on another server.

        Args:
            root: address of the API, with a slash at its end.
        """
        return _on_origin(self.headers.get(_LOCATION, ""), root) if self.status in _MOVED else None

    def folder(self) -> tuple[list[tuple[str, str, str]], bool]:
        """Return (path, mode, id) of what a git tree holds, and whether that is all.

        Raises:
            HubFailure: the answer does not hold it.
        """
        listed = list_at(self.data, "tree")
        items = [(text_at(item, "path"), text_at(item, "mode"), text_at(item, "sha")) for item in listed or []]
        if listed is None or not all(map(all, items)):
            raise self.failure()
        return items, value_at(self.data, "truncated") is not True

    def content(self) -> bytes:
        """Return what a git blob holds.

        Raises:
            HubFailure: the answer does not hold it.
        """
        if text_at(self.data, "encoding") != "base64":
            raise self.failure()
        try:
            return base64.b64decode(text_at(self.data, "content"))
        except ValueError:
            raise self.failure() from None

    def failure(self) -> HubFailure:
        """Return the exception for an answer that is no success, or a success without what was asked for."""
        refusal = self.refusal
        message = "the answer does not hold what was asked for" if refusal is None else self.message
        return HubFailure(refusal or Refusal.UNSURE, message, status=self.status)


def read_answer(status: int, headers: Mapping[str, str], text: str, *, redactor: Redactor) -> Answer:
    """Read an answer.

    Args:
        status: the HTTP status.
        headers: by lower-case name.
        text: the body.
        redactor: knows what must not be shown.
    """
    try:
        data = json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        if status in _OK:
            return Answer(status=None, headers=headers, data=None, said="it is not JSON")
        data = None
    location = headers.get(_LOCATION) if status in _MOVED else None
    words = f"it leads to {location}" if location else _words(data)
    said = "" if status in _OK else line(redactor.text(words), _SAID)
    return Answer(status=status, headers=headers, data=data, said=said)


def _words(data: Any) -> str:
    """Return the message in an error's body, with that of each of its errors."""
    errors = list_at(data, "errors") or []
    details = [text_at(error, "message") or text_at(error, "code") or error for error in errors]
    return "; ".join(text for text in (text_at(data, "message"), *details) if text and isinstance(text, str))


def hide_location(headers: MutableMapping[str, str]) -> None:
    """Keep from PyGithub where an answer leads: it would follow some redirects by itself, and not as they are meant.

    Args:
        headers: of an answer, names without regard to case; changed so that ``moved_to`` still knows.
    """
    if "location" in headers:
        headers[_LOCATION] = headers.pop("location")


def value_at(data: Any, *path: str) -> Any:
    """Return the value at a path of nested objects; None where there is none."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def text_at(data: Any, *path: str) -> str:
    """Return the text at a path of nested objects; empty where there is none."""
    value = value_at(data, *path)
    return value if isinstance(value, str) else ""


def list_at(data: Any, *path: str) -> list[Any] | None:
    """Return the list at a path of nested objects; None where there is none."""
    value = value_at(data, *path)
    return value if isinstance(value, list) else None


def comment_at(data: Any, *, body: str = "") -> Comment | None:
    """Return the comment that an object describes; None when it has no id.

    Args:
        data: a JSON value.
        body: the comment's text where the object holds none.
    """
    id_, stored = value_at(data, "id"), value_at(data, "body")
    if not isinstance(id_, int) or isinstance(id_, bool):
        return None
    return Comment(
        id=id_,
        author=text_at(data, "user", "login"),
        body=stored if isinstance(stored, str) else body,
        url=text_at(data, "html_url"),
    )


def origin(address: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of a web address; None when it is none."""
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    except (KeyError, ValueError):
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def _on_origin(reference: str, root: str) -> str | None:
    """Return the address that is meant, where the API's own server has it; None for none, or another's."""
    try:
        address = urljoin(root, reference)
    except ValueError:
        return None
    return address if reference and origin(address) == origin(root) else None
