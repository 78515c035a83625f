"""What several parts of ``report.json`` are made of: shares, numbers, gates, replies' tokens. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import cast

from evalaction.records.draw import Failure, Usage
from evalaction.records.gate import Gate, Share
from evalaction.report.writer import Document
from evalaction.values import JSON

_DIGITS = 12
"""Decimal digits of a figure that no fraction of draws gives."""


def share(given: Share | None) -> Document:
    """Return ``{count, of}``, or null where nothing was measured."""
    return None if given is None else {"count": given.count, "of": given.of}


def number(fraction: Fraction | None) -> Document:
    """Return a fraction as a number of twelve digits, or null where nothing was measured."""
    if fraction is None:
        return None
    if fraction.denominator == 1:
        return fraction.numerator
    exact = Decimal(fraction.numerator) / Decimal(fraction.denominator)
    return round(exact, _DIGITS).normalize()


def rounded(given: float) -> float:
    """Return a figure that was made with floats, without the digits that say nothing."""
    return round(given, _DIGITS)


def exact(fraction: Fraction) -> str:
    """Return a threshold as ``4/5``."""
    return f"{fraction.numerator}/{fraction.denominator}"


def gates(given: Sequence[Gate]) -> Document:
    """Return the outcomes of gates."""
    return [
        {"name": str(gate.name), "verdict": str(gate.verdict), "detail": gate.detail, "warns": gate.warns}
        for gate in given
    ]


def token_counts(usage: Usage) -> Document:
    """Return the tokens of one reply."""
    return {
        "prompt": usage.prompt,
        "completion": usage.completion,
        "reasoning": usage.reasoning,
        "cached": usage.cached,
    }


def failure(given: Failure) -> Document:
    """Return why nothing came."""
    return {"cause": str(given.cause), "status": given.status, "message": given.message}


def json_value(value: JSON) -> Document:
    """Return a JSON value as the document that it is."""
    # Only the type checker cannot see that a list of the one is a list of the other.
    return cast("Document", value)
