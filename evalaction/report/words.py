"""What comment, log and terminal call things: the same words everywhere. Pure.

A fraction stays a fraction (``4/5``), and no percentage rounds a flip away.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from evalaction.records.draw import Failure
from evalaction.records.plan import Change, PlannedCase, Removed
from evalaction.records.report import CaseResult, DrawState, Gate, Share, Verdict
from evalaction.report.untrusted import Phrase, Quoted, quoted
from evalaction.values import JSON, dumps

SYMBOLS = {Verdict.PASS: "✅", Verdict.FAIL: "❌", Verdict.UNMEASURED: "⚪"}
MISSING, UNREADABLE = "∅", "?"
LEGENDS = {DrawState.MISSING: "∅ nothing came", DrawState.UNREADABLE: "? something came that is no answer"}
NOT_MEASURED = "not measured"
NOT_ENOUGH = "not enough draws"

ID, PATH, NAME, VALUE, CAUSE = 80, 60, 60, 120, 300
"""Characters shown of a case id, a path, a key or model name, a JSON value, and a cause."""

_SHORT_STRIP = 20


def count(number: int, noun: str) -> str:
    """Return ``1 case``, ``2 cases``, ``1,000 cases``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def listed(phrases: Sequence[Phrase], at_most: int) -> Phrase:
    """Join phrases with commas, and say how many more there are."""
    shown: list[str | Quoted] = []
    for position, phrase in enumerate(phrases[:at_most]):
        shown += [*([", "] if position else []), *phrase]
    more = len(phrases) - at_most
    return (*shown, f" and {more:,} more") if more > 0 else tuple(shown)


def case_id(result: CaseResult) -> Quoted:
    """Return a case's id as it is shown."""
    return quoted(result.planned.case.id, ID)


def path(text: str, line: int | None = None) -> Quoted:
    """Return a path as it is shown: its end matters most."""
    return Quoted(text=text if line is None else f"{text}:{line}", limit=PATH, keep_end=True)


def value(content: JSON) -> Quoted:
    """Return a JSON value as it is shown."""
    return quoted(dumps(content), VALUE)


def verdict(outcome: Verdict) -> str:
    """Return symbol and word: no colour stands alone."""
    return f"{SYMBOLS[outcome]} {outcome}"


def strip(result: CaseResult) -> str:
    """Return the draws in their order, one letter each by mode: ``A A B A ∅``; long ones by runs: ``A×18 B A×6``."""
    letters = {index: mode.label for mode in result.modes for index in mode.draws}
    other = {DrawState.MISSING: MISSING, DrawState.UNREADABLE: UNREADABLE}
    signs = [other.get(draw.state) or letters.get(draw.draw.index, UNREADABLE) for draw in result.draws]
    if len(signs) <= _SHORT_STRIP:
        return " ".join(signs)
    runs = [(sign, len(list(run))) for sign, run in groupby(signs)]
    if len(runs) > _SHORT_STRIP:
        # In no order any more: a hundred letters are read by nobody.
        runs = sorted(((sign, signs.count(sign)) for sign in set(signs)), key=lambda run: (-run[1], run[0]))
        hidden = len(runs) - _SHORT_STRIP
        shown = " ".join(_run(*run) for run in runs[:_SHORT_STRIP])
        return f"{shown} and {hidden} more" if hidden > 0 else shown
    return " ".join(_run(*run) for run in runs)


def _run(sign: str, length: int) -> str:
    return f"{sign}×{length}" if length > 1 else sign


def legend(results: Iterable[CaseResult]) -> str | None:
    """Return what the signs in the strips mean; None when there are letters only."""
    states = {draw.state for result in results for draw in result.draws}
    used = [words for state, words in LEGENDS.items() if state in states]
    return ", ".join(used) or None


def needed(share: Fraction, n: int) -> Share:
    """Return the draws that a threshold asks for."""
    return Share(count=math.ceil(share * n), of=n)


def agreement(result: CaseResult) -> str:
    """Return ``4/5, needs 5/5``; ``so far`` while draws are missing."""
    if result.agreement is None:
        return NOT_MEASURED
    case = result.planned.case
    so_far = " so far" if result.measured < case.n else ""
    return f"{result.agreement}{so_far}, needs {needed(case.contract.agreement_min, case.n)}"


def flip_rate(result: CaseResult) -> str:
    """Return ``1/5 (0.5 – 82 %)``, the flip rate with its interval."""
    if result.flip_rate is None:
        return NOT_MEASURED
    if result.measured < result.planned.case.n:
        return NOT_ENOUGH
    return f"{result.flip_rate} ({interval(result.interval)})" if result.interval else str(result.flip_rate)


def interval(bounds: tuple[float, float]) -> str:
    """Return ``0.5 – 82 %``; what is not 0 never reads 0, and what is not 100 never reads 100."""
    return f"{_percent(bounds[0])} – {_percent(bounds[1])} %"


def _percent(share: float) -> str:
    percent = share * 100
    if percent <= 0 or percent >= 100:  # noqa: PLR2004 - per cent
        return "0" if percent <= 0 else "100"
    digits = next((digits for digits in (0, 1) if float(f"{percent:.{digits}f}") not in (0.0, 100.0)), None)
    if digits is None:
        return "<0.1" if percent < 1 else ">99.9"
    return f"{percent:.1f}" if percent < 1 else f"{percent:.{digits}f}"


def failing(result: CaseResult) -> tuple[Gate, ...]:
    """Return the gates that fail a case."""
    return tuple(gate for gate in result.gates if gate.verdict is Verdict.FAIL and not gate.warns)


def why(result: CaseResult) -> Phrase:
    """Return what a case fails on, or why it could not be measured."""
    parts: list[str] = [gate.name for gate in failing(result)]
    parts += [f"{gate.name} (warns)" for gate in result.gates if gate.verdict is Verdict.FAIL and gate.warns]
    if result.verdict is Verdict.UNMEASURED:
        causes = Counter(cause(graded.draw.failure) for graded in result.draws if graded.draw.failure is not None)
        parts += [f"{number} missing: {name}" for name, number in causes.most_common(2)]
    return (", ".join(parts),) if parts else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Draws that are missing for the same reason."""

    failure: Failure
    draws: tuple[int, ...]
    """Their indices, from 1."""


def missing(result: CaseResult) -> tuple[Group, ...]:
    """Return the missing draws by cause, the most frequent first."""
    groups: dict[Failure, list[int]] = {}
    for graded in result.draws:
        if graded.draw.failure is not None:
            groups.setdefault(graded.draw.failure, []).append(graded.draw.index)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[1]))
    return tuple(Group(failure=failure, draws=tuple(draws)) for failure, draws in ordered)


def cause(failure: Failure) -> str:
    """Return a failure's kind in our own words: ``rejected with 401``, ``deadline``."""
    return f"{failure.cause} with {failure.status}" if failure.status is not None else str(failure.cause)


def draws(indices: Sequence[int]) -> str:
    """Return ``draw 3``, ``draws 1, 2, 5`` or ``draws 1, 2, 3, … (20)``."""
    if len(indices) == 1:
        return f"draw {indices[0]}"
    shown = ", ".join(map(str, indices[:6]))
    return f"draws {shown}" if len(indices) <= 6 else f"draws {shown}, … ({len(indices)})"  # noqa: PLR2004 - as above


def reasons(planned: PlannedCase) -> str:
    """Return why a case was drawn."""
    return ", ".join(planned.reasons)


def change(item: Change) -> Phrase:
    """Return ``id field 0.9 → 0.8 (path:line)``."""
    before, after = (("not set",) if side is None else (value(side),) for side in (item.before, item.after))
    names = (quoted(item.id, ID), " ", quoted(item.field, NAME), " ")
    return (*names, *before, " → ", *after, " (", path(item.path, item.line), ")")


def removed(item: Removed) -> Phrase:
    """Return ``case refund_v1 (golden/old.golden.jsonl)``."""
    if item.id is None:
        return (f"{item.kind} ", path(item.path))
    return (f"{item.kind} ", quoted(item.id, ID), " (", path(item.path), ")")
