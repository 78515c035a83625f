"""Draws that miss the expected value where their answer does not show it. Pure.

``expect`` may name keys that draws do not have to agree on, and what draws agree on may be rounded. Then draws of one
answer can still give different values, so the completion of a draw that misses is read once more.
"""

from __future__ import annotations

from dataclasses import replace

from evalaction.answer.equality import keyed, meets, normal
from evalaction.answer.reading import Reading
from evalaction.frozen import frozen
from evalaction.letters import nfc
from evalaction.records.case import EXACTLY, Compare, Contract, Grader
from evalaction.records.report import CaseResult, DrawState, GradedDraw
from evalaction.values import JSON, dumps


@frozen
class Miss:
    """Another value than expected, in a key whose value the answer does not show."""

    key: str
    value: str | None
    """As JSON; None for a key that is absent. Untrusted text."""
    draws: tuple[int, ...]
    """Indices of the draws that give it, from 1."""


def missed(result: CaseResult) -> tuple[int, ...]:
    """Return the indices of the draws that came and miss the expected value, for whatever reason."""
    return tuple(graded.draw.index for graded in result.draws if graded.expected_met is False)


def misses(result: CaseResult) -> tuple[Miss, ...]:
    """Return where draws miss the expected value and their answer does not show it, each value once."""
    contract = result.planned.case.contract
    expected = expected_value(contract)
    wrong = [graded for graded in result.draws if graded.expected_met is False and graded.state is DrawState.ANSWERED]
    if not wrong or contract.grader is not Grader.JSON or not isinstance(expected, dict):
        return ()
    hidden = [key for key in expected if not is_compared(result, key) or contract.compared(key) != EXACTLY]
    rounded = [key for key in hidden if is_compared(result, key)]
    read = [graded for graded in result.draws if graded.state is DrawState.ANSWERED] if rounded else wrong
    values = {graded.draw.index: value_of(graded, contract) for graded in read} if hidden else {}
    met_by: dict[tuple[int, str], bool] = {}

    def is_met(index: int, key: str) -> bool:
        if (index, key) not in met_by:
            met_by[index, key] = _is_met(values[index], expected, key, contract)
        return met_by[index, key]

    found: dict[tuple[str, str | None], list[int]] = {}
    for graded in wrong:
        index = graded.draw.index
        value, alike = values.get(index), next((mode.draws for mode in result.modes if index in mode.draws), ())
        for key in hidden if isinstance(value, dict) else ():
            # Where no draw of an answer meets it, the answer itself shows that.
            told = key in rounded and not any(is_met(other, key) for other in alike)
            if not told and not is_met(index, key):
                given = dumps(value[key]) if isinstance(value, dict) and key in value else None
                found.setdefault((key, given), []).append(index)
    return tuple(Miss(key=key, value=value, draws=tuple(indices)) for (key, value), indices in found.items())


def is_compared(result: CaseResult, key: str) -> bool:
    """Return whether ``key`` is part of the answer: other expected keys are looked up in the completion."""
    projection = result.planned.case.contract.projection
    return not projection or nfc(key) in {nfc(each) for each in projection}


def expected_value(contract: Contract) -> JSON:
    """Return the expected value as answers are written: an object's keys in Unicode NFC."""
    return keyed(contract.expect) if isinstance(contract.expect, dict) else contract.expect


def value_of(graded: GradedDraw, contract: Contract) -> JSON:
    """Return the value that a draw gave, before anything of it was set aside; None where none can be read."""
    from evalaction.answer.read import read_answer  # noqa: PLC0415 - loaded with the first answer, and not at the start

    # Of the answer nothing is needed here, and its normal form may take long.
    plain = replace(contract, expect_keys=(), agree_on=None, compare=()) if contract.grader is Grader.JSON else contract
    reading = None if graded.draw.reply is None else read_answer(graded.draw.reply, plain)
    if not isinstance(reading, Reading):
        return None
    return keyed(reading.value) if isinstance(reading.value, dict) else reading.value


def wrong_keys(result: CaseResult) -> list[str]:
    """Return the expected keys that no draw of the most frequent answer meets, of those that the answer shows."""
    contract, mode = result.planned.case.contract, result.modes[0]
    expected = expected_value(contract)
    if not isinstance(expected, dict) or not isinstance(mode.answer, dict):
        return []
    shown = [key for key in expected if is_compared(result, key)]
    # Only what is rounded differs from one draw of an answer to another.
    rounded = any(contract.compared(key) != EXACTLY for key in shown)
    members = [graded for graded in result.draws if graded.draw.index in mode.draws]
    values = [value_of(graded, contract) for graded in members] if rounded else [mode.answer]
    return [key for key in shown if not any(_is_met(value, expected, key, contract) for value in values)]


def _is_met(value: JSON, expected: dict[str, JSON], key: str, contract: Contract) -> bool:
    return isinstance(value, dict) and key in value and counts_as(value[key], expected[key], contract.compared(key))


def counts_as(given: JSON, expected: JSON, compare: Compare = EXACTLY) -> bool:
    """Return what ``meets`` does, of any texts: a report may hold what no answer does, half of a surrogate pair."""
    if dumps(normal(given, compare)) == dumps(normal(expected, compare)):
        return True
    return compare.tolerance is not None and meets(given, expected, Compare(tolerance=compare.tolerance))
