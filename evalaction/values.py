"""JSON values as evalaction holds them: read strictly, compared exactly, written canonically.

Pure. A number is an ``int`` when its value is integral (``100``, ``1e2`` and ``100.0`` are one value) and
a ``Number`` (a ``Decimal``) otherwise, so that no digit is lost and Python's ``1 == True`` cannot reach
a comparison: values are compared by their canonical bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation, Overflow, Underflow
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

JSON: TypeAlias = "bool | int | Decimal | str | list[JSON] | dict[str, JSON] | None"
"""What ``parse`` returns; treated as immutable from then on."""

MAX_DEPTH = 200
"""Nesting beyond which a value is refused; far above any answer, far below the interpreter's stack."""
MAX_NUMBER_LENGTH = 4_000
"""Characters of one number beyond which it is refused; the interpreter's own limit for integers is 4,300."""
MAX_INTEGRAL_EXPONENT = 400
"""Integral numbers with more digits than this keep their exponent instead of becoming an ``int``."""

_MOST_WHOLE_DIGITS = 21
_MOST_LEADING_ZEROS = 6
"""Where ECMAScript (RFC 8785, 3.2.2.3) begins to write an exponent."""
_CONTEXT = Context(
    prec=MAX_NUMBER_LENGTH, Emax=10**9, Emin=-(10**9), traps=[InvalidOperation, Overflow, Underflow, Inexact]
)


class InvalidJSON(ValueError):
    """Text that is not one strict JSON value. ``str()`` of it says why; ``position`` says where."""

    def __init__(self, message: str, position: int = 0) -> None:
        """Keep the cause and the place.

        Args:
            message: what is wrong, without the place.
            position: index of the offending character in the text, from 0.
        """
        super().__init__(message)
        self.position = position


class Number(Decimal):
    """A number that is not integral. It shows itself as it would stand in JSON."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the number's canonical JSON text."""
        return _number(self)


def _integer(text: str) -> int:
    if len(text) > MAX_NUMBER_LENGTH:
        raise InvalidJSON(f"a number of {len(text):,} characters")
    return int(text)


@lru_cache(maxsize=1024)
def _decimal(text: str) -> int | Number:
    if len(text) > MAX_NUMBER_LENGTH:
        raise InvalidJSON(f"a number of {len(text):,} characters")
    try:
        value = _CONTEXT.create_decimal(text)
    except DecimalException as error:
        raise InvalidJSON(f"a number out of range: {text[:40]}") from error
    if not value:
        return 0
    if value.adjusted() <= MAX_INTEGRAL_EXPONENT and value == value.to_integral_value(context=_CONTEXT):
        return int(value)
    return Number(value.normalize(_CONTEXT))


def _constant(text: str) -> NoReturn:
    raise InvalidJSON(f"{text} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InvalidJSON(f"the key {json.dumps(twice)} stands twice in one object")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_decimal, parse_int=_integer, parse_constant=_constant, strict=True
)


def parse(text: str, *, halves: bool = False) -> JSON:
    """Read the one strict JSON value that ``text`` consists of.

    Python's extensions (NaN, Infinity, duplicate keys, lone surrogates, a byte order mark) are refused.

    Args:
        text: one JSON value, white space around it or not.
        halves: take escaped halves of surrogate pairs, as a report has them where a text had; ``canonical`` takes
            no value that holds one.

    Raises:
        InvalidJSON: the text is not one JSON value, or one beyond the limits of this module.
    """
    value, end = parse_prefix(text, _skip_space(text, 0), halves=halves)
    rest = _skip_space(text, end)
    if rest != len(text):
        raise InvalidJSON("there is more after the JSON value", rest)
    return value


def parse_prefix(text: str, start: int, *, halves: bool = False) -> tuple[JSON, int]:
    """Read the JSON value that begins at ``start``; return it with the index after it. ``halves``: see ``parse``.

    Raises:
        InvalidJSON: no JSON value begins there, or one beyond the limits of this module.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise _invalid(text, error) from error
    except RecursionError as error:
        raise InvalidJSON("nested too deeply", start) from error
    except InvalidJSON as error:
        error.position = start  # the hooks of the decoder do not know where they are
        raise
    _check(value, text, start, end, halves=halves)
    return value, end


def _invalid(text: str, error: json.JSONDecodeError) -> InvalidJSON:
    """Return the decoder's complaint, the same for every version of Python."""
    before = text[: error.pos].rstrip(" \t\r\n")
    if error.msg.startswith("Illegal trailing comma"):
        return InvalidJSON("a comma before the closing bracket", error.pos)
    if before.endswith(",") and text[error.pos : error.pos + 1] in {"}", "]"}:
        return InvalidJSON("a comma before the closing bracket", len(before) - 1)
    return InvalidJSON(error.msg.removesuffix(" at").removesuffix(" starting at"), error.pos)


def _skip_space(text: str, index: int) -> int:
    while index < len(text) and text[index] in " \t\r\n":
        index += 1
    return index


def _check(value: JSON, text: str, start: int, end: int, *, halves: bool) -> None:
    """Refuse what the decoder lets through: deep nesting, and a surrogate without its partner."""
    # Bounded to the value itself, so that many small values in one long text stay cheap.
    if text.count("[", start, end) + text.count("{", start, end) > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise InvalidJSON("nested too deeply", start)
    if halves:
        return
    try:
        if not text.isascii():
            text[start:end].encode()
        if text.find("\\ud", start, end) >= 0 or text.find("\\uD", start, end) >= 0:
            for item in _strings(value):
                item.encode()
    except UnicodeEncodeError as error:
        raise InvalidJSON("half of a surrogate pair in a string", start) from error


def _children(value: JSON) -> Iterable[JSON]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _depth(value: JSON) -> int:
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        level = [inner for outer in level for inner in _children(outer)]
        depth += 1
    return depth


def _strings(value: JSON) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item
        stack.extend(_children(item))


def canonical(value: JSON) -> bytes:
    """Return the canonical bytes of ``value``: equal exactly when two values are equal.

    They are RFC 8785's wherever that is defined (every number is a double). A number that no double
    holds keeps all its digits: integers in full, others as digits and exponent.
    """
    return dumps(value).encode()


def dumps(value: JSON) -> str:
    """Return ``value`` as canonical JSON text (see ``canonical``)."""
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | Decimal):
        return _number(value)
    if isinstance(value, dict):
        # RFC 8785, 3.2.3: keys sorted by their UTF-16 code units.
        keys = sorted(value, key=_utf16) if not all(map(str.isascii, value)) else sorted(value)
        return "{" + ",".join([f"{_string(key)}:{dumps(value[key])}" for key in keys]) + "}"
    return "[" + ",".join([dumps(item) for item in value]) + "]"


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _number(value: int | Decimal) -> str:
    """Return a number as a double's shortest form where that has its very value, with all its digits otherwise."""
    if isinstance(value, int) and abs(value) < 10**_MOST_WHOLE_DIGITS:
        return str(value)
    exact = Decimal(value)
    double = float(exact)
    if double not in (0.0, float("inf"), float("-inf")) and Decimal(repr(double)) == exact:
        return _double(double)
    sign, digits, exponent = exact.normalize(_CONTEXT).as_tuple()
    return f"{'-' if sign else ''}{''.join(map(str, digits))}{f'e{exponent}' if exponent else ''}"


def _double(number: float) -> str:
    """Return a double as ECMAScript's ``Number::toString`` writes it (RFC 8785, 3.2.2.3)."""
    sign, digit_tuple, exponent = Decimal(repr(number)).normalize().as_tuple()
    digits = "".join(map(str, digit_tuple))
    point = len(digits) + int(exponent)  # the decimal point stands after this many digits
    if 0 < point <= _MOST_WHOLE_DIGITS:
        whole, fraction = digits[:point].ljust(point, "0"), digits[point:]
        text = f"{whole}.{fraction}" if fraction else whole
    elif -_MOST_LEADING_ZEROS < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
        text = f"{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return ("-" if sign else "") + text


def plain(value: JSON) -> Any:
    """Return ``value`` for a library that knows no ``Decimal``: non-integral numbers become floats."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def sha256(data: bytes) -> str:
    """Return the SHA-256 of ``data`` in hex, 64 characters."""
    return hashlib.sha256(data).hexdigest()
