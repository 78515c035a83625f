"""What is said of a case that a judge grades: whose its flips are, and whether the judge passed an exam. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.records.gate import Verdict
from evalaction.records.report import CaseResult, Report
from evalaction.report import words
from evalaction.report.untrusted import Phrase, quoted

UNTESTED, TESTED = "graded by an untested judge", "graded by a tested judge"


def is_untested(result: CaseResult) -> bool:
    """Return whether a judge grades a case, and passed no exam in this run."""
    return result.judgement is not None and result.judgement.untested is not None


def mark(result: CaseResult) -> str | None:
    """Return what stands beside the score of a case that a judge grades; None for any other."""
    if result.judgement is None:
        return None
    return UNTESTED if is_untested(result) else TESTED


def attribution(result: CaseResult) -> list[Phrase]:
    """Return whose the flips of a case are, and what its judge is worth; nothing for a case that no judge grades.

    ``flips: 2 the model's, 1 the judge's``
    """
    said = result.judgement
    if said is None:
        return []
    lines: list[Phrase] = []
    if said.model or said.judge:
        lines.append((f"flips: {said.model:,} the model's, {said.judge:,} the judge's",))
    if said.transport:
        lines.append((f"lost on the way: {words.count(said.transport, 'draw')}",))
    if said.untested is not None:
        return [*lines, (f"{UNTESTED}: ", quoted(said.untested, words.CAUSE))]
    names = words.listed([(quoted(name, words.ID),) for name in said.decks], 3)
    return [*lines, (f"{TESTED}: passed ", *names)]


def untested(report: Report) -> Phrase:
    """Return how many passing cases a judge graded that passed no exam, and why; empty where none is."""
    why: dict[str, list[CaseResult]] = {}
    for case in report.cases:
        if case.verdict is Verdict.PASS and case.judgement is not None and case.judgement.untested is not None:
            why.setdefault(case.judgement.untested, []).append(case)
    groups: list[Phrase] = [
        (
            f"{words.count(len(cases), 'passing case')} (",
            *words.listed(_names(cases), 3),
            "), ",
            quoted(said, words.CAUSE),
        )
        for said, cases in why.items()
    ]
    return words.listed(groups, 3)


def _names(cases: Sequence[CaseResult]) -> list[Phrase]:
    return [(words.case_id(case),) for case in cases]
