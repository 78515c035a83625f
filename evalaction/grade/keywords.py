"""JSON Schema keywords over exact values, for those of ``jsonschema`` that lose digits, name no key or can hang. Pure.

Imported by ``evalaction.grade.schema`` alone, once there is a schema, since ``jsonschema`` is heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from typing import Any

from jsonschema import Draft3Validator, TypeChecker
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from evalaction.answer.reading import a_kind
from evalaction.grade.effort import EFFORT
from evalaction.grade.properties import additional_properties, pattern_properties, unevaluated_properties
from evalaction.values import JSON, canonical, dumps

_Keyword = Callable[[Validator, Any, Any, Any], Any]

MAX_SHOWN = 50
"""Characters of a value in a message."""


@cache
def exact(draft: type[Validator]) -> Any:
    """Return ``draft``'s validator class with exact keywords in place of its own."""
    keywords = {name: check for name, check in _KEYWORDS.items() if name in draft.VALIDATORS}
    if draft is Draft3Validator:  # where these two mean something else
        keywords = {name: check for name, check in keywords.items() if name != "required"}
        keywords["type"] = _type_or(draft.VALIDATORS["type"])
    keywords = {name: _counted(check) for name, check in {**draft.VALIDATORS, **keywords}.items()}
    checker = draft.TYPE_CHECKER.redefine("integer", _is_integer)
    return extend(draft, keywords, type_checker=checker)  # type: ignore[no-untyped-call]


def _counted(check: _Keyword) -> _Keyword:
    """Return a keyword whose every use counts."""

    def counted(validator: Validator, wanted: Any, value: Any, schema: Any) -> Any:
        EFFORT.get().spend()
        return check(validator, wanted, value, schema)

    return counted


def show(value: JSON) -> str:
    """Return a value as a message shows it: a scalar as short JSON text, anything else by its kind."""
    if isinstance(value, dict | list):
        return a_kind(value)
    return shorten(dumps(value[: MAX_SHOWN + 1] if isinstance(value, str) else value))


def shorten(text: str) -> str:
    """Return ``text`` with what goes beyond ``MAX_SHOWN`` characters replaced by an ellipsis."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def is_multiple(value: int | Decimal, step: int | Decimal) -> bool:
    """Return whether ``value`` is a whole multiple of ``step``, exactly and without building huge numbers.

    Args:
        value: any number, whatever its exponent.
        step: more than 0; 0 has no multiple.
    """
    digits, exponent = _scaled(value)
    divisor, divisor_exponent = _scaled(step)
    shift = exponent - divisor_exponent
    if not divisor or not digits:
        return bool(divisor)
    if shift >= 0:
        return digits * pow(10, shift, divisor) % divisor == 0
    # divisor · 10^-shift exceeds digits as soon as it has more digits.
    return -shift <= len(str(digits)) and digits % (divisor * 10**-shift) == 0


def _scaled(value: int | Decimal) -> tuple[int, int]:
    """Return (digits, exponent) of a number, whose absolute value is digits · 10^exponent."""
    if isinstance(value, int):
        return abs(value), 0
    _, digits, exponent = value.as_tuple()
    return int("".join(map(str, digits))), int(exponent)


def _is_integer(_: TypeChecker, value: Any) -> bool:
    if isinstance(value, Decimal):  # without trailing zeros, so integral only when it is too long for an int
        return int(value.as_tuple().exponent) >= 0
    return isinstance(value, int) and not isinstance(value, bool)


def _type(validator: Validator, types: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    names = [types] if isinstance(types, str) else list(types)
    if not any(validator.is_type(value, name) for name in names):
        wanted = " or ".join(_ARTICLES.get(name, name) for name in names)
        yield ValidationError(f"{show(value)} is not {wanted}")


def _type_or(check: _Keyword) -> _Keyword:
    """Return the keyword of draft 3, where a schema may stand among the names of types."""

    def either(validator: Validator, types: Any, value: Any, schema: Any) -> Any:
        names = [types] if isinstance(types, str) else types
        by_name = all(isinstance(name, str) for name in names)
        return (_type if by_name else check)(validator, types, value, schema)

    return either


def _required(validator: Validator, keys: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        yield from (ValidationError("key absent", path=[key]) for key in keys if key not in value)


def _enum(_: Validator, allowed: Any, value: Any, __: Any) -> Iterator[ValidationError]:
    effort = EFFORT.get()
    if effort.canonical(value) not in effort.allowed(allowed):
        yield ValidationError(f"{show(value)} is not one of {shorten(dumps(list(allowed)))}")


def _const(_: Validator, wanted: Any, value: Any, __: Any) -> Iterator[ValidationError]:
    if EFFORT.get().canonical(value) != canonical(wanted):
        yield ValidationError(f"{show(value)} is not {shorten(dumps(wanted))}")


def _multiple_of(validator: Validator, step: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "number") and not is_multiple(value, step):
        yield ValidationError(f"{show(value)} is not a multiple of {show(step)}")


def _unique_items(validator: Validator, wanted: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    if wanted and validator.is_type(value, "array"):
        seen: set[bytes] = set()
        effort = EFFORT.get()
        effort.spend(len(value) // 10)
        for index, item in enumerate(value):
            form = effort.canonical(item)
            if form in seen:
                yield ValidationError("stands twice in an array of unique items", path=[index])
                return
            seen.add(form)


def _pattern(validator: Validator, pattern: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "string") and not EFFORT.get().is_in(pattern, value):
        yield ValidationError(f"{show(value)} does not match {shorten(dumps(pattern))}")


_ARTICLES = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_KEYWORDS: dict[str, _Keyword] = {
    "type": _type,
    "required": _required,
    "enum": _enum,
    "const": _const,
    "multipleOf": _multiple_of,
    "divisibleBy": _multiple_of,
    "uniqueItems": _unique_items,
    "pattern": _pattern,
    "patternProperties": pattern_properties,
    "additionalProperties": additional_properties,
    "unevaluatedProperties": unevaluated_properties,
}
