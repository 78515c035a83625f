"""A run in plain lines, for a log and for a terminal: the comment's words without its Markdown. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.records.case import Grader
from evalaction.records.gate import Verdict
from evalaction.records.report import CaseResult, Report
from evalaction.report import changes, checks, comment_parts, findings, spent, strips, words
from evalaction.report.apart import apart
from evalaction.report.comment_cases import COMMAND
from evalaction.report.decks import graded as graded_words
from evalaction.report.decks.instrument import stubs_phrase
from evalaction.report.known_good import diff_of
from evalaction.report.lead import (
    failed_probes,
    lead,
    missing_draws,
    next_step,
    not_independent,
    not_looked_for,
    notes,
)
from evalaction.report.misses import expected_value, misses
from evalaction.report.untrusted import Phrase, Quoted, quoted
from evalaction.values import dumps

MOST = 20
"""Lines of one kind; the report file has all."""


def opening(report: Report) -> list[Phrase]:
    """Return the headline, what to look at first, and what a reviewer must not miss."""
    warnings: list[Phrase] = [
        *(("not measured: ", *gate) for gate in not_looked_for(report)),
        *(("probe failed: ", *deck) for deck in failed_probes(report)),
        *(("draws not independent: ", *case) for case in not_independent(report)),
        *((("graded by an untested judge: ", *said),) if (said := graded_words.untested(report)) else ()),
        *(("gate loosened: ", *changes.change(item)) for item in report.loosened),
        *(("expected value edited: ", *changes.change(item)) for item in report.edited_gold),
        *(("removed: ", *changes.removed(item)) for item in report.removed),
    ]
    return [
        (f"{words.SYMBOLS[report.verdict]} {report.headline}",),
        lead(report),
        *((("next: ", *step),) if (step := next_step(report)) else ()),
        *_some([("warning: ", *warning) for warning in warnings]),
        *_some(missing_draws(report)),
        *_some([("note: ", quoted(note, words.CAUSE)) for note in notes(report)]),
    ]


def urgent(report: Report) -> list[CaseResult]:
    """Return the cases that failed or could not be measured."""
    return [result for result in report.cases if result.verdict is not Verdict.PASS]


def passing(report: Report) -> list[CaseResult]:
    """Return the cases that passed."""
    return [result for result in report.cases if result.verdict is Verdict.PASS]


def case_name(result: CaseResult) -> Phrase:
    """Return ``❌ fail refund_v1 (golden/refunds.golden.jsonl:3)``."""
    case = result.planned.case
    return (f"{words.verdict(result.verdict)} ", words.case_id(result), " (", words.path(case.path, case.line), ")")


def case_line(result: CaseResult) -> Phrase:
    """Return a case's figures in one line; of one that was held back, what would be drawn."""
    if words.is_held(result):
        case = result.planned.case
        return (*case_name(result), ": not drawn; affected because ", *words.because(result.planned), f"; n {case.n}")
    why, mark = words.why(result), graded_words.mark(result)
    fails = "fails on " if result.verdict is Verdict.FAIL else ""
    return (
        *case_name(result),
        f": draws {strips.strip(result)}; agreement {words.agreement(result)}; flip rate {words.flip_rate(result)}; ",
        *((fails, *why, "; ") if why else ()),
        *(() if mark is None else (f"{mark}; ",)),
        *(part for aside in checks.asides(result) for part in (*aside, "; ")),
        f"drawn because {words.reasons(result.planned)}",
    )


def case_details(result: CaseResult, *, show: bool) -> list[Phrase]:
    """Return what the answers of a case differ in, each answer, and why there are none.

    Every line begins with words of ours, whatever a model wrote.
    """
    if words.is_held(result):
        return []
    said = findings.findings(result, show=show)[: findings.LINES]
    several, elsewhere = len(result.modes) > 1, bool(misses(result))
    # That draws miss it elsewhere is said by the findings; that answers differ is seen where they stand below.
    named = (not elsewhere and (bool(result.differing_keys) or not several)) if show else (several or not elsewhere)
    # The answers of a diff are whole files, and do not stand below.
    named = named or result.planned.case.contract.grader is Grader.DIFF
    differs = findings.difference(result, show=show) if named else ()
    if differs and isinstance(differs[0], Quoted):
        differs = ("what differs: ", *differs)
    shown = _draw(result) if show else []
    return [*([differs] if differs else []), *(_answers(result) if show else []), *said, *shown]


def _draw(result: CaseResult) -> list[Phrase]:
    """Return the diff of the draw to look at, or the start of what its command wrote; nothing of another grader's."""
    graded = findings.counterexample(result)
    if graded is None:
        return []
    which, found = f"draw {graded.draw.index}", diff_of(result, graded)
    if graded.command is not None and graded.command.output:
        return [(f"the command wrote for {which}: ", quoted(graded.command.output, words.CAUSE))]
    if found is None:
        return []
    path = words.path(result.planned.case.contract.expect_path or "")
    more = len(found.lines) - MOST
    return [
        (f"{which} against ", path, ":"),
        *(("| ", quoted(line)) for line in found.lines[:MOST]),
        *([(f"and {words.count(more, 'more line')} of the diff",)] if more > 0 else []),
        *([(f"and {found.left_out}",)] if found.left_out else []),
        *([(f"they look alike, and are not: {found.alike}",)] if found.alike else []),
    ]


def _answers(result: CaseResult) -> list[Phrase]:
    """Return a line for each answer, and one for the expected value; none where a diff shows more."""
    if result.planned.case.contract.grader is Grader.DIFF:
        return []
    n, modes, expected = (
        result.planned.case.n,
        result.modes[: findings.MODES],
        expected_value(result.planned.case.contract),
    )
    names = [f"{mode.label}, {mode.count} of {n}: " for mode in modes]
    values = [mode.answer for mode in modes]
    if modes and expected is not None:
        names.append("expected: ")
        values.append(expected)
    return list(zip(names, apart([dumps(value) for value in values], words.VALUE), strict=True))


def closing(report: Report, *, location: str | None) -> list[Phrase]:
    """Return what is small print in the comment."""
    lines: list[Phrase] = [(strips.legend(report.cases),)] if report.cases and report.held is None else []
    truth = comment_parts.truth_phrase(report, 5)
    lines += [truth] if truth else []
    lines += [
        ("compared: ", *comment_parts.compared(report)),
        _made(report),
    ]
    lines.append(("stubs: ", *stubs_phrase(report.stubs)))
    lines.append(("again on a desk: ", quoted(report.manifest.repeat_command, COMMAND)))
    if location is not None:
        lines.append(("full report: ", quoted(location, COMMAND)))
    return lines


def _made(report: Report) -> Phrase:
    manifest = report.manifest
    calls = manifest.calls
    model: Phrase = ("model ", quoted(manifest.model, words.NAME), ", ") if manifest.model is not None else ()
    judge: Phrase = ()
    if manifest.judge_model is not None and manifest.judge_model != manifest.model:
        judge = ("judge ", quoted(manifest.judge_model, words.NAME), ", ")
    to_judges = f"{calls.judge:,} to judges, " if calls.judge else ""
    made = f"{words.count(calls.made, 'call')}, {to_judges}{calls.retried:,} retried"
    repaired = f", {calls.repaired:,} repaired" if calls.repaired else ""
    judged = f"{words.count(len(report.decks), 'deck')}, " if report.decks else ""
    drawn = f"{len(report.cases):,} of {words.count(manifest.items, 'case')}, " if manifest.items else ""
    several = f", {said}" if (said := spent.draws_words(report)) else ""
    failed = spent.faults_words(report)
    faults: Phrase = (", ", *failed) if failed else ()
    took = f", {spent.seconds(manifest.wall_s)}"
    return (*model, *judge, f"{drawn}{judged}{made}{repaired}{several}", *faults, took)


def _some(lines: Sequence[Phrase]) -> list[Phrase]:
    more = len(lines) - MOST
    return [*lines[:MOST], (f"and {more:,} more",)] if more > 0 else list(lines)
