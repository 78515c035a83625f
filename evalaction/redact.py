"""Secrets taken out of texts and records before any sink sees them. Pure.

A secret is found in its plain form, and where any of its characters are percent-encoded (as an URL holds them) or
escaped as JSON may escape them, in either case of letters, and replaced by ``‹redacted›``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast
from urllib.parse import quote, quote_plus

T = TypeVar("T")

REDACTED = "‹redacted›"
MIN_SECRET = 8
"""A key shorter than this many characters is warned about and not redacted: it would blank out words."""


class Redactor:
    """Takes a run's secrets out of texts and records."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Prepare the forms to look for.

        Args:
            secrets: texts that must not be shown; empty ones are ignored.
        """
        known = {text for secret in secrets for text in (secret, secret.strip()) if text}
        self._pattern = _one_of({form for secret in known for form in forms_of(secret)}, re.escape)
        self._spelled = _one_of(known, _in_any_spelling)

    def text(self, text: str) -> str:
        """Return ``text`` without the secrets."""
        if self._pattern is None or self._spelled is None:
            return text
        text = self._pattern.sub(REDACTED, text)
        # Only such a text can hold a character that does not stand for itself; the search for those is slower.
        return self._spelled.sub(REDACTED, text) if "\\" in text or "%" in text else text

    def value(self, value: T) -> T:
        """Return a record, container or text with every text in it redacted; what holds no secret is kept as it is."""
        return cast("T", value if self._pattern is None else self._any(value))

    def _any(self, value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, Enum):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self._any(key): self._any(item) for key, item in value.items()}
        if isinstance(value, tuple | list | frozenset):
            items = [self._any(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if is_dataclass(value) and not isinstance(value, type):
            before = {field.name: getattr(value, field.name) for field in fields(value)}
            after = {name: self._any(item) for name, item in before.items()}
            return value if after == before else replace(value, **after)
        return value


def _one_of(texts: Iterable[str], form: Callable[[str], str]) -> re.Pattern[str] | None:
    # The longest first, so that no part of a longer secret is left behind.
    ordered = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile("|".join(map(form, ordered)), re.IGNORECASE) if ordered else None


def _in_any_spelling(secret: str) -> str:
    """Return a pattern for ``secret`` with each of its characters as itself, percent-encoded or escaped for JSON."""
    return "".join(f"(?:{'|'.join(_spellings(character))})" for character in secret)


def _spellings(character: str) -> Iterator[str]:
    plain = re.escape(character)
    encoded = character.encode("utf-8", "surrogatepass")
    units = character.encode("utf-16-be", "surrogatepass")
    yield plain
    yield "".join(f"%{byte:02x}" for byte in encoded)
    # A text that was escaped again has more backslashes; without an end to them, a text of nothing else takes for ever.
    yield "".join(rf"\\{{1,8}}u{units[start : start + 2].hex()}" for start in range(0, len(units), 2))
    if character in '"\\/':
        yield rf"\\{{1,8}}{plain}"
    if character == " ":
        yield r"\+"


def redact(value: T, secrets: Iterable[str]) -> T:
    """Return ``value`` (a record, container or text) without the secrets."""
    return Redactor(secrets).value(value)


def forms_of(secret: str) -> tuple[str, ...]:
    """Return the forms in which ``secret`` is looked for, itself first; forms that are alike stand there twice."""
    encodable = secret.encode(errors="replace").decode()
    return (
        secret,
        quote(encodable),
        quote(encodable, safe=""),
        quote_plus(encodable),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
    )
