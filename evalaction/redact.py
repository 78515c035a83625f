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
from operator import attrgetter, is_
from typing import Any, TypeAlias, TypeVar, cast
from urllib.parse import quote, quote_plus

T = TypeVar("T")

REDACTED = "‹redacted›"
_SHORT, _MOST = 100, 10_000
"""Characters of a text that is remembered as one without secrets, and texts that are remembered."""
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
        forms = {form for secret in known for form in forms_of(secret)}
        self._pattern = _one_of(forms, re.escape)
        self._spelled = _one_of(known, _in_any_spelling)
        # A text of ASCII alone holds one of these in some case of letters, or it holds none of the forms: the pattern,
        # which knows that more letters are one (k and the sign for kelvin), takes several times as long to say so.
        self._needles = tuple({form.lower() for form in forms}) if all(map(str.isascii, forms)) else None
        self._clean: set[str] = set()

    def text(self, text: str) -> str:
        """Return ``text`` without the secrets."""
        if self._pattern is None or self._spelled is None:
            return text
        if not self._lacks(text):
            text = self._pattern.sub(REDACTED, text)
        # Only such a text can hold a character that does not stand for itself; the search for those is slower.
        return self._spelled.sub(REDACTED, text) if "\\" in text or "%" in text else text

    def value(self, value: T) -> T:
        """Return a record, container or text with every text in it redacted; what holds no secret is kept as it is."""
        return cast("T", value if self._pattern is None else self._any(value))

    def _lacks(self, text: str) -> bool:
        """Return whether it is plain to see that a text holds no form of a secret."""
        if self._needles is None or not text.isascii():
            return False
        lowered = text.lower()
        return not any(needle in lowered for needle in self._needles)

    def _any(self, value: Any) -> Any:
        kind = type(value)
        return (_WAYS.get(kind) or _way_of(kind))(self, value)

    def _text(self, text: str) -> str:
        if text in self._clean:
            return text
        redacted = self.text(text)
        if redacted != text:
            return redacted
        if len(text) <= _SHORT:  # such as models, paths and reasons to stop, which come again and again
            if len(self._clean) >= _MOST:
                self._clean.clear()
            self._clean.add(text)
        return text

    def _mapping(self, value: Mapping[Any, Any]) -> Any:
        after = [(self._any(key), self._any(item)) for key, item in value.items()]
        kept = all(key is old and item is was for (key, item), (old, was) in zip(after, value.items(), strict=True))
        return value if kept else dict(after)

    def _items(self, value: Any) -> Any:
        after = list(map(self._any, value))
        if all(map(is_, after, value)):
            return value
        return type(value)(*after) if hasattr(value, "_fields") else type(value)(after)


Way: TypeAlias = Callable[[Redactor, Any], Any]
"""How values of one type are gone through: what holds no secret comes out as the very same object."""


def _itself(_: Redactor, value: Any) -> Any:
    return value


def _record(kind: Any) -> Way:
    names = tuple(field.name for field in fields(kind) if not _is_number(field.type))
    if not names:
        return _itself
    # It returns a tuple for two names or more: the class is there so that it always does.
    parts = attrgetter(*names, "__class__")

    def way(redactor: Redactor, value: Any) -> Any:
        changed = {}
        for name, part in zip(names, parts(value), strict=False):
            known = _WAYS.get(type(part)) or _way_of(type(part))
            if known is not _itself and (after := known(redactor, part)) is not part:
                changed[name] = after
        return replace(value, **changed) if changed else value

    return way


def _is_number(annotation: Any) -> bool:
    """Return whether a field is declared to hold numbers alone: half of all fields do."""
    return isinstance(annotation, str) and set(annotation.split(" | ")) <= _NUMBERS


_NUMBERS = {"int", "float", "bool", "None", "Decimal", "Fraction"}
_WAYS: dict[type, Way] = {}
"""By type, once a value of it has been seen."""


def _way_of(kind: type) -> Way:
    """Return, and remember, how values of a type are gone through."""
    way: Way = _itself
    if issubclass(kind, str) and not issubclass(kind, Enum):
        way = Redactor._text  # noqa: SLF001 - of this module
    elif issubclass(kind, Mapping):
        way = Redactor._mapping  # noqa: SLF001 - of this module
    elif issubclass(kind, tuple | list | frozenset):
        way = Redactor._items  # noqa: SLF001 - of this module
    elif is_dataclass(kind):
        way = _record(kind)
    return _WAYS.setdefault(kind, way)


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
