"""How far draws are from a file that is known to be good. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from evalaction.records.case import Grader
from evalaction.records.report import CaseResult, GradedDraw, Mode
from evalaction.report.unified import Unified, unified
from evalaction.suite.words import count


def how_far(result: CaseResult, mode: Mode) -> str:
    """Return how an answer differs from the known-good file, in our own words: ``differs in 4 lines``."""
    graded = next(graded for graded in result.draws if graded.draw.index == mode.draws[0])
    found = diff_of(result, graded)
    if found is None:
        return "is the known-good file"
    number = _altered(found.lines)
    return f"differs in {count(number, 'line')}{' or more' if found.left_out else ''}"


def _altered(lines: Sequence[str]) -> int:
    """Return in how many lines two texts differ: one that is another one counts once, not as one gone and one come."""
    runs = ("".join(signs) for _, signs in groupby((line[0] for line in lines), key=lambda sign: sign in "+-"))
    return sum(max(run.count("+"), run.count("-")) for run in runs)


def diff_of(result: CaseResult, graded: GradedDraw) -> Unified | None:
    """Return how a draw differs from the known-good file; None where there is none, or nothing differs."""
    contract = result.planned.case.contract
    good, given = contract.expect, graded.answer
    if contract.grader is not Grader.DIFF or not isinstance(good, str) or not isinstance(given, str):
        return None
    found = unified(good, given)
    return found if found.lines else None
