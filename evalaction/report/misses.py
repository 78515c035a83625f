"""Draws that miss the expected value where their answer does not show it. Pure.

``expect`` may name keys that draws do not have to agree on. Then draws of one answer can still give different
values for them, so the completion of a draw that misses is read once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evalaction.answer.read import read_answer
from evalaction.answer.reading import Reading
from evalaction.records.case import Grader
from evalaction.records.report import CaseResult, DrawState, GradedDraw
from evalaction.values import JSON, dumps


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """Another value than expected, in a key that is no part of the answer."""

    key: str
    value: str | None
    """As JSON; None for a key that is absent. Untrusted text."""
    draws: tuple[int, ...]
    """Indices of the draws that give it, from 1."""


def missed(result: CaseResult) -> tuple[int, ...]:
    """Return the indices of the draws that came and miss the expected value, for whatever reason."""
    return tuple(graded.draw.index for graded in result.draws if graded.expected_met is False)


def misses(result: CaseResult) -> tuple[Miss, ...]:
    """Return where draws miss the expected value in a key that is no part of the answer, each value once."""
    found: dict[tuple[str, str | None], list[int]] = {}
    for graded in result.draws:
        if graded.expected_met is False and graded.state is DrawState.ANSWERED:
            for miss in _of(result, graded):
                found.setdefault(miss, []).append(graded.draw.index)
    return tuple(Miss(key=key, value=value, draws=tuple(indices)) for (key, value), indices in found.items())


def is_compared(result: CaseResult, key: str) -> bool:
    """Return whether ``key`` is part of the answer: other expected keys are looked up in the completion."""
    projection = result.planned.case.contract.projection
    return not projection or key in projection


def _of(result: CaseResult, graded: GradedDraw) -> Iterator[tuple[str, str | None]]:
    contract, reply = result.planned.case.contract, graded.draw.reply
    expected = contract.expect
    if contract.grader is not Grader.JSON or not isinstance(expected, dict) or reply is None:
        return
    elsewhere = [key for key in expected if not is_compared(result, key)]
    reading = read_answer(reply, contract) if elsewhere else None
    value: JSON = reading.value if isinstance(reading, Reading) else None
    if not isinstance(value, dict):
        return
    for key in elsewhere:
        given = dumps(value[key]) if key in value else None
        if given != dumps(expected[key]):
            yield key, given
