"""What comment, log and terminal call things: the same words everywhere. Pure.

A fraction stays a fraction (``4/5``), and no percentage rounds a flip away.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from evalaction.fingerprint import short
from evalaction.frozen import frozen
from evalaction.plan.narrow import NO_CASE
from evalaction.records.case import Grader
from evalaction.records.draw import Cause, Draw, Failure
from evalaction.records.gate import Gate, GateName, Share, Verdict
from evalaction.records.plan import PlannedCase
from evalaction.records.report import CaseResult
from evalaction.report import failures, fresh
from evalaction.report.misses import missed, misses
from evalaction.report.untrusted import Phrase, Quoted, file_page, quoted
from evalaction.suite.words import count as count  # noqa: PLC0414 - a word of every report too
from evalaction.values import JSON, dumps

SYMBOLS = {Verdict.PASS: "✅", Verdict.FAIL: "❌", Verdict.UNMEASURED: "⚪"}
NOT_MEASURED = "not measured"
NOT_ENOUGH = "not enough draws"
NO_INTERVAL = "no interval"

ID, PATH, NAME, VALUE, CAUSE = 80, 60, 60, 120, 300
"""Characters shown of a case id, a path, a key or model name, a JSON value, and a cause."""

BY_WEIGHT = (GateName.AGREEMENT, GateName.EXPECTED, GateName.SCHEMA, GateName.LENGTH)
"""The gates that fail a case, in the order in which a reader wants to hear of them."""

_MET = {Grader.DIFF: "known-good file", Grader.COMMAND: "exit code 0"}
"""What stands for the expected value where there is none in the golden line."""

_FILES = 3
"""Changed files of a case that are named."""


def listed(phrases: Sequence[Phrase], at_most: int) -> Phrase:
    """Join phrases with commas, and say how many more there are."""
    shown: list[str | Quoted] = []
    for position, phrase in enumerate(phrases[:at_most]):
        shown += [*([", "] if position else []), *phrase]
    more = len(phrases) - at_most
    return (*shown, f" and {more:,} more") if more > 0 else tuple(shown)


def joined(phrases: Sequence[Phrase]) -> Phrase:
    """Join phrases with semicolons."""
    parts: list[str | Quoted] = []
    for phrase in phrases:
        parts += [*(["; "] if parts else []), *phrase]
    return tuple(parts)


def case_id(result: CaseResult) -> Quoted:
    """Return a case's id as it is shown."""
    return quoted(result.planned.case.id, ID)


def path(text: str, line: int | None = None, *, source: str | None = None) -> Quoted:
    """Return a path as it is shown: its end matters most.

    Args:
        text: in the repository.
        line: physical line, from 1.
        source: address of all files at head, to link it to; None for no link.
    """
    page = None if source is None else file_page(source, text, line)
    return Quoted(text=text if line is None else f"{text}:{line}", limit=PATH, keep_end=True, page=page)


def value(content: JSON, limit: int = VALUE) -> Quoted:
    """Return a JSON value as it is shown."""
    return quoted(dumps(content), limit)


def verdict(outcome: Verdict) -> str:
    """Return symbol and word: no colour stands alone."""
    return f"{SYMBOLS[outcome]} {outcome}"


@lru_cache(maxsize=256)
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
    if fresh.gate_of(result) is not None:  # an interval is for draws that are independent
        return f"{result.flip_rate} ({NO_INTERVAL})"
    return f"{result.flip_rate} ({interval(result.interval)})" if result.interval else str(result.flip_rate)


@lru_cache(maxsize=256)
def interval(bounds: tuple[float, float]) -> str:
    """Return ``0.5 – 82 %``."""
    return f"{percent(bounds[0])} – {percent(bounds[1])} %"


def percent(share: float) -> str:
    """Return a share of 0 to 1 in per cent; what is not 0 never reads 0, and what is not 100 never reads 100."""
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


def unmeasured_gates(gates: Iterable[Gate]) -> list[Gate]:
    """Return the gates of a run that had to be measured and were not."""
    return [gate for gate in gates if gate.verdict is Verdict.UNMEASURED and not gate.warns]


def why(result: CaseResult) -> Phrase:
    """Return what a case fails on, with the figures that stand nowhere else, or why it could not be measured."""
    parts = [_seen(gate.name, result) for gate in failing(result)]
    parts += [
        f"{_seen(gate.name, result)} (warns)" for gate in result.gates if gate.verdict is Verdict.FAIL and gate.warns
    ]
    parts += [said] if (said := fresh.what(result)) else []
    if result.measured < len(result.draws):
        parts += [f"{len(group.draws)} missing: {group.cause}" for group in missing([result])[:3]]
    return (", ".join(parts),) if parts else ()


def _seen(name: GateName, result: CaseResult) -> str:
    contract = result.planned.case.contract
    if name is GateName.EXPECTED and result.expected is not None:
        so_far = " so far" if result.measured < result.expected.of else ""
        asked = [f"needs {needed(contract.expect_min, result.expected.of)}"] if contract.expect_min < 1 else []
        # Other draws that miss it have a sign of their own in the strip.
        asked += [f"not {draws(missed(result))}"] if misses(result) else []
        more = f" ({', '.join(asked)})" if asked else ""
        return f"{_MET.get(contract.grader, gate_name(name))} in {result.expected}{so_far}{more}"
    if name is GateName.SCHEMA and result.schema is not None:
        return f"{name} {result.schema}"
    if name is GateName.LENGTH and result.length is not None:
        estimated = " (estimated)" if result.length.estimated else ""
        return f"{name} {result.length.max:,}{estimated} of {result.length.budget:,} tokens"
    return gate_name(name)


def gate_name(name: GateName) -> str:
    """Return what a gate of a case looks at, as it stands in a list of gates: ``agreement``, ``expected value``."""
    return "expected value" if name is GateName.EXPECTED else str(name)


@frozen
class Group:
    """Draws that are missing for the same reason."""

    failure: Failure
    """Of the first of them."""
    draws: tuple[int, ...]
    """Their indices, from 1."""
    cases: int
    judge: bool = False
    """They came, and their judge could not be asked."""

    @property
    def cause(self) -> str:
        """Why, in our own words."""
        return f"{failures.cause(self.failure)}{' (judge)' if self.judge else ''}"


def missing(results: Iterable[CaseResult]) -> tuple[Group, ...]:
    """Return the missing draws by cause: what ended the run before what it kept from being sent, then the most."""
    groups: dict[tuple[Cause, int | None, bool], list[tuple[Failure, Draw]]] = {}
    for result in results:
        if result.measured == len(result.draws):
            continue
        for graded in result.draws:
            failure = graded.draw.failure
            if failure is not None:
                # A draw without a grade is one that a judge or a command was to grade, and could not.
                judge = graded.ungraded is not None and result.planned.case.contract.grader is Grader.JUDGE
                key = (failure.cause, failures.status(failure), judge)
                groups.setdefault(key, []).append((failure, graded.draw))
    ordered = sorted(groups.items(), key=lambda item: (item[1][0][0].cause is Cause.STOPPED, -len(item[1])))
    return tuple(
        Group(
            failure=group[0][0],
            draws=tuple(draw.index for _, draw in group),
            cases=len({(draw.path, draw.id) for _, draw in group}),
            judge=judge,
        )
        for (_, _, judge), group in ordered
    )


def draws(indices: Sequence[int]) -> str:
    """Return ``draw 3``, ``draws 1, 2, 5`` or ``draws 1, 2, 3, … (20)``."""
    if len(indices) == 1:
        return f"draw {indices[0]}"
    shown = ", ".join(map(str, indices[:6]))
    return f"draws {shown}" if len(indices) <= 6 else f"draws {shown}, … ({len(indices)})"  # noqa: PLR2004 - as above


def reasons(planned: PlannedCase) -> str:
    """Return why a case was drawn."""
    return ", ".join(planned.reasons)


def because(planned: PlannedCase) -> Phrase:
    """Return why a case was drawn, with the files whose change affects it: ``prompt (prompts/refund.j2)``."""
    files = listed([(path(name),) for name in planned.changed_files], _FILES)
    return (reasons(planned), *((" (", *files, ")") if files else ()))


def is_held(result: CaseResult) -> bool:
    """Return whether nothing of a case was drawn since it was held back."""
    failures = [] if result.measured else [graded.draw.failure for graded in result.draws]
    return bool(failures) and all(failure is not None and failure.cause is Cause.HELD for failure in failures)


def decks_alone(partial: str | None) -> bool:
    """Return whether a run was asked for its decks, and for no case."""
    return partial == NO_CASE.words


def side(sha: str | None, ref: str | None, *, without: str, merge_of: str | None = None) -> Phrase:
    """Return ``main (1f0c2d900000)``, ``merge of 8a41b7700000``, or ``without`` for a side that is no commit."""
    if sha is None:
        return (without,)
    if merge_of is not None:
        return ("merge of ", quoted(short(merge_of)))
    commit = quoted(short(sha))
    return (commit,) if ref is None or ref == sha else (quoted(ref, NAME), " (", commit, ")")
