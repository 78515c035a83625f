"""Secrets taken out of texts and records before any sink sees them. Pure.

A secret is found in its plain form, percent-encoded (as an URL holds it) and escaped for JSON, in either
case of letters, and replaced by ``‹redacted›``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
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
        forms = {form for secret in secrets for text in (secret, secret.strip()) for form in forms_of(text) if form}
        # The longest first, so that no part of a longer secret is left behind.
        ordered = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, ordered)), re.IGNORECASE) if ordered else None

    def text(self, text: str) -> str:
        """Return ``text`` without the secrets."""
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)

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
