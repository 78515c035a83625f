"""The gates of a case: exact comparisons of counts, and what a case comes to. Pure; no float in any of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from evalaction.frozen import frozen
from evalaction.records.gate import Gate, GateName, Share, Verdict
from evalaction.records.report import GradedDraw


@frozen
class Asked:
    """A share of the draws that has to be reached, and the field that asks for it."""

    field: str
    share: Fraction
    """0 to 1."""


def reached(count: int, *, n: int, measured: int, share: Fraction) -> Verdict:
    """Return whether ``count`` of ``n`` draws reach ``share``, missing draws being able to go either way.

    It fails when even all missing draws could not make up for it, and passes when it is reached without them.
    Without any measured draw it is unmeasured, even where nothing is asked.
    """
    if not measured:
        return Verdict.UNMEASURED
    if count >= share * n:
        return Verdict.PASS
    return Verdict.FAIL if count + n - measured < share * n else Verdict.UNMEASURED


def share_gate(name: GateName, count: Share, *, measured: int, asked: Asked, what: str) -> Gate:
    """Return the gate for a share of all draws: agreement, expected.

    Args:
        name: of the gate.
        count: draws that do, of all n.
        measured: draws for which something came.
        asked: the share that they have to reach.
        what: what the draws do, in words (``agree``).
    """
    n = count.of
    missing = f", {n - measured} missing" if measured < n else ""
    needed = f"needs {math.ceil(asked.share * n)} of {n} ({asked.field} {decimal_text(asked.share)})"
    return Gate(
        name=name,
        verdict=reached(count.count, n=n, measured=measured, share=asked.share),
        detail=f"{count.count} of {n} draws {what}{missing}; {needed}",
    )


def schema_gate(draws: Sequence[GradedDraw]) -> Gate:
    """Return the gate for the asked form, which every measured draw must have."""
    held = [draw for draw in draws if draw.schema_met is not None]
    bad = [draw for draw in held if not draw.schema_met]
    detail = f"{len(held) - len(bad)} of {len(held)} measured draws have the form that is asked for"
    if bad:
        detail += f"; draw {bad[0].draw.index}: {(*bad[0].schema_errors, bad[0].cause or 'not in that form')[0]}"
    return Gate(name=GateName.SCHEMA, verdict=_every(held=len(held), bad=len(bad)), detail=detail)


def length_gate(draws: Sequence[GradedDraw], *, budget: int) -> Gate:
    """Return the gate for the length budget, in completion tokens, which every measured draw must keep."""
    held = [(draw.length, draw) for draw in draws if draw.length is not None]
    bad = [(length, draw) for length, draw in held if length > budget]
    detail = f"{len(held) - len(bad)} of {len(held)} measured draws keep the budget of {budget} completion tokens"
    if bad:
        length, draw = max(bad, key=lambda item: item[0])
        estimated = " (estimated)" if draw.length_estimated else ""
        detail += f"; the longest, draw {draw.draw.index}, has {length}{estimated}"
    return Gate(name=GateName.LENGTH, verdict=_every(held=len(held), bad=len(bad)), detail=detail)


def case_verdict(gates: Sequence[Gate], *, measured: int) -> Verdict:
    """Return what a case comes to: fail before unmeasured before pass.

    Gates that only warn count neither way; without a measured draw nothing passes.
    """
    verdicts = {gate.verdict for gate in gates if not gate.warns}
    if Verdict.FAIL in verdicts:
        return Verdict.FAIL
    return Verdict.UNMEASURED if Verdict.UNMEASURED in verdicts or not measured else Verdict.PASS


@lru_cache(maxsize=1_024)
def decimal_text(value: Fraction) -> str:
    """Return a fraction as the decimal that a person wrote (``0.81``), or as ``2/3`` where it has no end."""
    digits, rest = 0, value.denominator
    while rest > 1 and math.gcd(rest, 10) > 1:
        rest //= math.gcd(rest, 10)
        digits += 1
    if rest > 1:
        return f"{value.numerator}/{value.denominator}"
    if not digits:
        return str(value.numerator)
    text = str(abs(value.numerator) * 10**digits // value.denominator).rjust(digits + 1, "0")
    return f"{'-' if value < 0 else ''}{text[:-digits]}.{text[-digits:]}"


def _every(*, held: int, bad: int) -> Verdict:
    if bad:
        return Verdict.FAIL
    return Verdict.PASS if held else Verdict.UNMEASURED
