"""JSON values as evalaction holds them: read strictly, compared exactly, written canonically.

Pure. A number is an ``int`` when its value is integral (``100``, ``1e2`` and ``100.0`` are one value) and
a ``Number`` (a ``Decimal``) otherwise, so that no digit is lost and Python's ``1 == True`` cannot reach
a comparison: values are compared by their canonical bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from decimal import Decimal, DecimalException
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

from evalaction import late
from evalaction.decimals import CONTEXT, MAX_NUMBER_LENGTH, WHOLE, Number, as_number, number_text

__all__ = [
    "JSON", "MAX_DEPTH", "MAX_NUMBER_LENGTH", "InvalidJSON", "Number", "canonical", "dumps", "key_twice", "parse",
    "parse_prefix", "plain", "sha256",
]  # fmt: skip

JSON: TypeAlias = "bool | int | Decimal | str | list[JSON] | dict[str, JSON] | None"
"""What ``parse`` returns; treated as immutable from then on."""

MAX_DEPTH = 200
"""Nesting beyond which a value is refused; far above any answer, far below the interpreter's stack."""
_SHOWN = 100
_SPACE = late.pattern(r"[ \t\r\n]*+")
_NEAR = 4_096
_LONGEST_TOKEN = 16
"""Characters that a name or an escape has at most: a fault so near to the end of a part may be the part's own."""


class InvalidJSON(ValueError):
    """Text that is not one strict JSON value. ``str()`` of it says why; ``position`` says where."""

    def __init__(self, message: str, position: int = 0, *, exact: bool = True) -> None:
        """Keep the cause and the place.

        Args:
            message: what is wrong, without the place.
            position: index of the offending character in the text, from 0.
            exact: False where ``position`` is only the start of the value that holds it (see ``faults.located``).
        """
        super().__init__(message)
        self.position = position
        self.exact = exact


def _integer(text: str) -> int:
    if len(text) > MAX_NUMBER_LENGTH:
        raise InvalidJSON(f"a number of {len(text):,} characters")
    return int(text)


@lru_cache(maxsize=1024)
def _decimal(text: str) -> int | Number:
    if len(text) > MAX_NUMBER_LENGTH:
        raise InvalidJSON(f"a number of {len(text):,} characters")
    try:
        value = CONTEXT.create_decimal(text)
    except DecimalException as error:
        raise InvalidJSON(f"a number out of range: {text[:40]}") from error
    return as_number(value)


def _constant(text: str) -> NoReturn:
    raise InvalidJSON(f"{text} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise key_twice(twice)
    return value


def key_twice(key: str) -> InvalidJSON:
    """Return that a key stands twice in one object."""
    return InvalidJSON(f"the key {json.dumps(key[:_SHOWN])} stands twice in one object")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_decimal, parse_int=_integer, parse_constant=_constant, strict=True
)
_QUICK = json.JSONDecoder(object_pairs_hook=_object, parse_float=_decimal, parse_constant=_constant, strict=True)
"""For a text without a long run of digits."""
_LONG = late.pattern(rf"(?<![0-9])[0-9]{{{MAX_NUMBER_LENGTH}}}")


def parse(text: str, *, halves: bool = False, depth: int = MAX_DEPTH) -> JSON:
    """Read the one strict JSON value that ``text`` consists of.

    Python's extensions (NaN, Infinity, duplicate keys, lone surrogates, a byte order mark) are refused.

    Args:
        text: one JSON value, white space around it or not.
        halves: take escaped halves of surrogate pairs, as a report has them where a text had; ``canonical`` takes
            no value that holds one.
        depth: nesting beyond which the value is refused.

    Raises:
        InvalidJSON: the text is not one JSON value, or one beyond the limits of this module.
    """
    start = _end_of_space(text, 0)
    decoder = _DECODER if len(text) <= _NEAR or _LONG.search(text) else _QUICK
    value, end = _read(text, start, decoder, halves=halves, most=depth)
    rest = _end_of_space(text, end)
    if rest != len(text):
        raise InvalidJSON("there is more after the JSON value", rest)
    return value


def parse_prefix(text: str, start: int, *, halves: bool = False) -> tuple[JSON, int]:
    """Read the JSON value that begins at ``start``; return it with the index after it. ``halves``: see ``parse``.

    Raises:
        InvalidJSON: no JSON value begins there, or one beyond the limits of this module.
    """
    return _read(text, start, _DECODER, halves=halves, most=MAX_DEPTH)


def _end_of_space(text: str, index: int) -> int:
    match = _SPACE.match(text, index)
    return match.end() if match else index


def _read(text: str, start: int, decoder: json.JSONDecoder, *, halves: bool, most: int) -> tuple[JSON, int]:
    try:
        value, end = _decoded(text, start, decoder)
    except json.JSONDecodeError as error:
        raise _invalid(text, start, error) from error
    except RecursionError as error:
        raise InvalidJSON("nested too deeply", start, exact=False) from error
    except InvalidJSON as error:
        error.position, error.exact = start, False  # the hooks of the decoder do not know where they are
        raise
    _check(value, text, start, end, halves=halves, most=most)
    return value, end


def _decoded(text: str, start: int, decoder: json.JSONDecoder) -> tuple[Any, int]:
    """Return what the decoder makes of the value at ``start``, and the index after it.

    What ``_NEAR`` characters settle is read from those alone: the decoder counts all lines before a fault, so that
    many faults in a long text would take quadratic time.
    """
    if len(text) > _NEAR:
        part = text[start : start + _NEAR]
        try:
            value, end = _DECODER.raw_decode(part)
        except json.JSONDecodeError as error:
            if error.pos < len(part) - _LONGEST_TOKEN and not error.msg.startswith("Unterminated"):
                error.pos += start
                raise
        except (InvalidJSON, RecursionError):
            pass
        else:
            if end < len(part):
                return value, start + end
    return decoder.raw_decode(text, start)


def _invalid(text: str, start: int, error: json.JSONDecodeError) -> InvalidJSON:
    """Return the decoder's complaint, the same for every version of Python."""
    if error.msg.startswith("Illegal trailing comma"):
        return InvalidJSON("a comma before the closing bracket", error.pos)
    if text[error.pos : error.pos + 1] in {"}", "]"}:
        before = text[start : error.pos].rstrip(" \t\r\n")
        if before.endswith(","):
            return InvalidJSON("a comma before the closing bracket", start + len(before) - 1)
    return InvalidJSON(error.msg.removesuffix(" at").removesuffix(" starting at"), error.pos)


def _check(value: JSON, text: str, start: int, end: int, *, halves: bool, most: int) -> None:
    """Refuse what the decoder lets through: deep nesting, and a surrogate without its partner."""
    # Bounded to the value itself, so that many small values in one long text stay cheap.
    if text.count("[", start, end) + text.count("{", start, end) > most and _depth(value, most) > most:
        raise InvalidJSON("nested too deeply", start, exact=False)
    if halves:
        return
    try:
        if not text.isascii():
            text[start:end].encode()
        if text.find("\\ud", start, end) >= 0 or text.find("\\uD", start, end) >= 0:
            for item in _strings(value):
                item.encode()
    except UnicodeEncodeError as error:
        raise InvalidJSON("half of a surrogate pair in a string", start, exact=False) from error


def _children(value: JSON) -> Iterable[JSON]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _depth(value: JSON, most: int) -> int:
    """Return how deep arrays and objects stand in each other, ``most`` + 1 for all beyond it; that of a scalar is 0."""
    depth, level = 0, [value] if isinstance(value, dict | list) else []
    while level and depth <= most:
        level = [inner for outer in level for inner in _children(outer) if type(inner) is dict or type(inner) is list]
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
    holds keeps all its digits, and has an exponent only where more than 40 zeros would end it, or 5 begin it.
    """
    return dumps(value).encode()


class _NotQuick(Exception):
    """A value holds what the library's encoder does not write as it is to be written."""


def _not_quick(_: object) -> NoReturn:
    raise _NotQuick


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":"), default=_not_quick
)
_NOT_AS_IS = late.pattern(rf"[0-9]{{{len(str(WHOLE)) - 1}}}|[\U00010000-\U0010ffff]")
"""Perhaps an integer that is not written in full, or a key that UTF-16 sorts in another way than code points do."""


def dumps(value: JSON) -> str:
    """Return ``value`` as canonical JSON text (see ``canonical``)."""
    if isinstance(value, dict | list):
        try:
            text = _ENCODER.encode(value)
        except _NotQuick:
            return _dumps(value)
        return text if _NOT_AS_IS.search(text) is None else _dumps(value)
    return _dumps(value)


def _dumps(value: JSON) -> str:
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | Decimal):
        return number_text(value)
    if isinstance(value, dict):
        # RFC 8785, 3.2.3: keys sorted by their UTF-16 code units.
        keys = sorted(value, key=_utf16) if not all(map(str.isascii, value)) else sorted(value)
        return "{" + ",".join([f"{_string(key)}:{_dumps(value[key])}" for key in keys]) + "}"
    return (
        "["
        + ",".join([str(item) if type(item) is int and -WHOLE < item < WHOLE else _dumps(item) for item in value])
        + "]"
    )


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


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
