"""Decimal numbers as JSON values hold them, and as canonical JSON text. Pure."""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow, Underflow
from typing import TypeGuard

MAX_NUMBER_LENGTH = 4_000
"""Characters of one number beyond which it is refused; the interpreter's own limit for integers is 4,300."""
MAX_INTEGRAL_EXPONENT = 40
"""Integral numbers written with a larger exponent keep it instead of becoming an ``int`` of so many digits."""

_MOST_WHOLE_DIGITS = 21
WHOLE = 10**_MOST_WHOLE_DIGITS
"""Integers below it are written in full."""
_MOST_DIGITS_OF_A_DOUBLE = 17
"""Of the shortest form that reads back as the same double."""
_MOST_LEADING_ZEROS = 6
"""Where ECMAScript (RFC 8785, 3.2.2.3) begins to write an exponent."""
CONTEXT = Context(
    prec=MAX_NUMBER_LENGTH, Emax=10**9, Emin=-(10**9), traps=[InvalidOperation, Overflow, Underflow, Inexact]
)


class Number(Decimal):
    """A number that is not integral. It shows itself as it would stand in JSON."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the number's canonical JSON text."""
        return number_text(self)


def is_number(value: object) -> TypeGuard[int | Decimal]:
    """Return whether a JSON value is a number; ``true`` and ``false`` are none, though Python has them be 1 and 0."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def as_number(value: Decimal) -> int | Number:
    """Return a finite decimal as ``parse`` holds its value.

    Raises:
        DecimalException: it has more digits than ``MAX_NUMBER_LENGTH``.
    """
    if not value:
        return 0
    if value.adjusted() <= MAX_INTEGRAL_EXPONENT and value == value.to_integral_value(context=CONTEXT):
        return int(value)
    return Number(value.normalize(CONTEXT))


def number_text(value: int | Decimal) -> str:
    """Return a number as a double's shortest form where that has its very value, with all its digits otherwise."""
    if isinstance(value, int) and -WHOLE < value < WHOLE:
        return str(value)
    exact = Decimal(value).normalize(CONTEXT)
    digits = str(exact).partition("E")[0].replace(".", "").lstrip("-0") or "0"
    if len(digits) <= _MOST_DIGITS_OF_A_DOUBLE:
        double = float(exact)
        if double not in (0.0, float("inf"), float("-inf")) and Decimal(repr(double)) == exact:
            return _double(double)
    return ("-" if exact.is_signed() else "") + _exact(digits, exact.adjusted() + 1)


def _exact(digits: str, point: int) -> str:
    """Write out a number whose decimal point stands after ``point`` digits, unless that takes a long run of zeros."""
    if -_MOST_LEADING_ZEROS < point <= 0:
        return "0." + "0" * -point + digits
    exponent = point - len(digits)
    if point > 0 and exponent <= MAX_INTEGRAL_EXPONENT and point <= MAX_NUMBER_LENGTH:
        fraction = digits[point:]
        return f"{digits[:point].ljust(point, '0')}.{fraction}" if fraction else digits.ljust(point, "0")
    return f"{digits}e{exponent}" if exponent else digits


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
