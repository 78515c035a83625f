"""JSON Schema keywords about the keys of an object and the patterns of strings, none of which can hang. Pure.

They stand in place of those of ``jsonschema``, which search with Python's ``re``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from referencing.jsonschema import lookup_recursive_ref

from evalaction.grade.effort import EFFORT

NOT_ALLOWED = "key not allowed"


def pattern_properties(validator: Validator, patterns: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    """Check each key that a pattern matches by that pattern's schema."""
    if validator.is_type(value, "object"):
        for pattern, schema in patterns.items():
            for key, item in value.items():
                if EFFORT.get().is_in(pattern, key):
                    yield from _descend(validator, item, schema, path=key, schema_path=pattern)


def additional_properties(validator: Validator, allowed: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """Check each key that neither ``properties`` nor ``patternProperties`` names."""
    if validator.is_type(value, "object"):
        named = _named(value, schema)
        yield from _others(validator, allowed, {key: item for key, item in value.items() if key not in named})


def unevaluated_properties(validator: Validator, allowed: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """Check each key that no other keyword about this object has looked at (2020-12, core, section 11.3)."""
    if validator.is_type(value, "object"):
        others = {name: part for name, part in schema.items() if name != "unevaluatedProperties"}
        seen = _evaluated(validator, value, others)
        yield from _others(validator, allowed, {key: item for key, item in value.items() if key not in seen})


def _others(validator: Validator, allowed: Any, value: Mapping[str, Any]) -> Iterator[ValidationError]:
    for key, item in value.items():
        if allowed is False:
            yield ValidationError(NOT_ALLOWED, path=[key])
        else:
            yield from _descend(validator, item, allowed, path=key)


def _named(value: Any, schema: Any) -> set[str]:
    """Return the keys of ``value`` that ``properties`` and ``patternProperties`` of ``schema`` are about."""
    effort = EFFORT.get()
    effort.spend(len(value) // 10)
    patterns = schema.get("patternProperties", {})
    named: set[str] = value.keys() & schema.get("properties", {}).keys()
    return named | {key for key in value if any(effort.is_in(pattern, key) for pattern in patterns)}


def _evaluated(validator: Any, value: Any, schema: Any) -> set[str]:
    """Return the keys of ``value`` that ``schema`` looks at, where ``value`` meets it."""
    EFFORT.get().spend()
    if not isinstance(schema, dict):
        return set()
    seen = _named(value, schema)
    for name in ("additionalProperties", "unevaluatedProperties"):
        if name in schema:  # in a schema that is met, either holds for all keys that nothing else looked at
            return set(value)
    for inner, part in _in_place(validator, value, schema):
        seen |= _evaluated(inner, value, part)
    return seen


def _in_place(validator: Any, value: Any, schema: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (validator, schema) of each part of ``schema`` that is about the same object, and is met by it."""
    for name in ("$ref", "$dynamicRef", "$recursiveRef"):
        if name in schema and name in validator.VALIDATORS:
            yield _target(validator, name, schema[name])
    parts = [part for name in ("allOf", "anyOf", "oneOf") for part in schema.get(name, ())]
    parts += [part for key, part in schema.get("dependentSchemas", {}).items() if key in value]
    for part in parts:
        if _is_met(validator, value, part):
            yield validator, part
    if "if" in schema:
        holds = _is_met(validator, value, schema["if"])
        if holds:
            yield validator, schema["if"]
        branch = "then" if holds else "else"
        if branch in schema:
            yield validator, schema[branch]


def _target(validator: Any, name: str, reference: str) -> tuple[Any, Any]:
    # The library has no public way to follow a reference from where a keyword stands.
    resolver = validator._resolver  # noqa: SLF001 - see above
    found = lookup_recursive_ref(resolver) if name == "$recursiveRef" else resolver.lookup(reference)
    return validator.evolve(schema=found.contents, _resolver=found.resolver), found.contents


def _is_met(validator: Any, value: Any, schema: Any) -> bool:
    return next(validator.descend(value, schema), None) is None


def _descend(validator: Any, value: Any, schema: Any, **places: Any) -> Iterator[ValidationError]:
    errors: Iterator[ValidationError] = validator.descend(value, schema, **places)
    return errors
