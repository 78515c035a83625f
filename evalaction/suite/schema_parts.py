"""What is wrong with a schema although it is a JSON Schema: it ends never, asserts nothing, or has a bad pattern. Pure.

Seen from a part of a schema, some keywords are about the same value again (``$ref``, ``allOf``, ``not``): a circle of
these alone never comes to an end. All others go into the value, which has an end itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evalaction.errors import BadInput, Problem
from evalaction.pattern import PatternError, compile_pattern

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_PATTERNS = 500
"""Different patterns of one schema: each takes time to compile, and all are kept while draws are held to them."""

_LISTS = ("allOf", "anyOf", "oneOf", "extends", "disallow", "type")
_SINGLE = ("not", "if", "then", "else", "extends")
_BY_KEY = ("dependentSchemas", "dependencies")
"""Keywords whose schemas, in a list, by themselves or by key, are about the same value."""
_INTO_LISTS = ("items", "prefixItems")
_INTO = (
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
)
_INTO_BY_KEY = ("properties", "patternProperties")
"""The same for what is about a part of the value."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_WHERE_NOT_EMPTY = ("required", "dependentRequired", "uniqueItems", "minLength", "minItems", "minProperties")
"""Keywords that assert nothing where they hold false, 0 or nothing."""
_NOTHING = ("format", "$recursiveAnchor", "minContains", "maxContains")
"""Keywords of a validator that assert nothing by themselves; ``format`` is an annotation here."""


_BEYOND = object()
"""Stands for a schema that is not looked into."""


class Parts:
    """The parts of a schema and all that they refer to."""

    def __init__(self, kind: type[Validator], specification: Any) -> None:
        """Keep the draft.

        Args:
            kind: its validator.
            specification: the same of ``referencing``, which knows where a part changes the base of references.
        """
        self._keywords = frozenset(kind.VALIDATORS)
        self._specification = specification

    def check(self, schema: Any, resolver: Any, place: str) -> None:
        """Check all that ``schema`` reaches.

        Args:
            schema: contents of a resource.
            resolver: ``referencing``'s, at its address.
            place: the file that holds it.

        Raises:
            BadInput: a circle of references about one value, a pattern that is none, too many patterns, or
                nothing is asserted.
        """
        seen: set[int] = set()
        patterns: set[str] = set()
        queue = [(schema, resolver)]
        while queue:
            part, base = queue.pop()
            if id(part) in seen or not isinstance(part, dict):
                continue
            seen.add(id(part))
            self._check_patterns(part, place, patterns)
            queue += self._same(part, base)
            queue += [self._at(inner, base) for inner in _into(part)]
        self._check_circles(schema, resolver, place)
        if not self._asserts(schema, resolver, set()):
            raise BadInput(
                Problem(
                    message=f"The schema in {place} asserts nothing, so every value meets it.",
                    remedy="Say what a value has to be, such as its `type`; `format` and `title` ask for nothing.",
                )
            )

    def _at(self, part: Any, base: Any) -> tuple[Any, Any]:
        if not isinstance(part, dict):
            return part, base
        return part, base.in_subresource(self._specification.create_resource(part))

    def _same(self, part: dict[str, Any], base: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the schemas that are about the same value as ``part``."""
        found = [self._target(part, name, base) for name in _REFERENCES if name in part and name in self._keywords]
        yield from found
        if found and "$dynamicRef" not in self._keywords and "$recursiveRef" not in self._keywords:
            return  # up to draft 7 nothing counts beside a reference
        for inner in _in_place(part):
            yield self._at(inner, base)

    def _target(self, part: dict[str, Any], name: str, base: Any) -> tuple[Any, Any]:
        from referencing.exceptions import Unresolvable  # noqa: PLC0415 - slow to import

        try:
            found = base.lookup(part[name])
        except Unresolvable:  # a draft's own schema, since all others have been found
            return _BEYOND, base
        return found.contents, found.resolver

    def _check_patterns(self, part: dict[str, Any], place: str, seen: set[str]) -> None:
        """Check the patterns of one part; ``seen`` are those of the whole schema, and grows."""
        for pattern in [part.get("pattern"), *part.get("patternProperties", {})]:
            if isinstance(pattern, str) and pattern not in seen:
                seen.add(pattern)
                if len(seen) > MAX_PATTERNS:
                    raise BadInput(Problem(message=f"The schema in {place} holds more than {MAX_PATTERNS} patterns."))
                try:
                    compile_pattern(pattern)
                except PatternError as error:
                    message = f"The schema in {place} holds {pattern[:100]!r}, which is no regular expression: {error}."
                    raise BadInput(Problem(message=message)) from error

    def _check_circles(self, schema: Any, resolver: Any, place: str) -> None:
        """Look, depth first and without recursion, for a part that leads back to itself about one value."""
        done: set[int] = set()
        starts = [(schema, resolver)]
        while starts:
            start, base = starts.pop()
            if id(start) in done or not isinstance(start, dict):
                continue
            open_, path = {id(start)}, [(start, self._same(start, base), base)]
            while path:
                part, following, at = path[-1]
                inner, inner_base = next(following, (None, at))
                if isinstance(inner, dict):
                    if id(inner) in open_:
                        raise BadInput(_circle(inner, place))
                    if id(inner) not in done:
                        open_.add(id(inner))
                        path.append((inner, self._same(inner, inner_base), inner_base))
                elif inner is None:
                    path.pop()
                    open_.discard(id(part))
                    done.add(id(part))
                    starts += [self._at(each, at) for each in _into(part)]

    def _asserts(self, part: Any, base: Any, seen: set[int]) -> bool:
        """Return whether some value does not meet ``part``; True where that cannot be told."""
        if not isinstance(part, dict):
            return part is False or part is _BEYOND
        if id(part) in seen:
            return False
        seen.add(id(part))
        return any(self._keyword_asserts(part, name, base, seen) for name in part if name in self._keywords)

    def _keyword_asserts(self, part: dict[str, Any], name: str, base: Any, seen: set[int]) -> bool:
        value = part[name]
        if name in _NOTHING:
            return False
        if name in _REFERENCES:
            return self._asserts(*self._target(part, name, base), seen)
        if name in _WHERE_NOT_EMPTY:
            return bool(value)
        if name == "if":
            inner = [part[branch] for branch in ("then", "else") if branch in part]
        elif name in {"allOf", "items", "prefixItems"} or (name in _INTO and name != "contains"):
            inner = value if isinstance(value, list) else [value]
        elif name in {*_INTO_BY_KEY, "dependentSchemas"}:
            inner = list(value.values())
        elif name == "anyOf":
            return all(self._asserts(*self._at(each, base), set(seen)) for each in value)
        else:
            return True
        return any(self._asserts(*self._at(each, base), seen) for each in inner)


def _in_place(part: dict[str, Any]) -> Iterator[Any]:
    return _schemas(part, _LISTS, _SINGLE, _BY_KEY)


def _into(part: dict[str, Any]) -> Iterator[Any]:
    return _schemas(part, _INTO_LISTS, _INTO, _INTO_BY_KEY)


def _schemas(part: dict[str, Any], lists: Iterable[str], single: Iterable[str], by_key: Iterable[str]) -> Iterator[Any]:
    """Yield the schemas that stand under keywords of ``part``: in a list, by themselves, or by key."""
    listed = [value for name in lists if isinstance(value := part.get(name), list)]
    named = [value.values() for name in by_key if isinstance(value := part.get(name), dict)]
    for values in (*listed, [part.get(name) for name in single], *named):
        yield from (each for each in values if isinstance(each, dict))


def _circle(part: dict[str, Any], place: str) -> Problem:
    named = next((repr(part[name]) for name in _REFERENCES if isinstance(part.get(name), str)), "a reference")
    return Problem(
        message=f"The schema in {place} never comes to an end: {named} leads back to itself with the same value.",
        remedy="Refer to it from within `properties` or `items`.",
    )
