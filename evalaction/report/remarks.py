"""What a run says of single lines of a change: what fails, what could not be measured, what to look at. Pure.

Gates and figures in our own words, with ids, file names and values of the repository as untrusted text; nothing
that a model or an endpoint wrote stands in any of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import Removed
from evalaction.records.report import CaseResult, Report
from evalaction.report import changes, fresh, remedies, roots, strips, words
from evalaction.report.decks import graded as graded_words
from evalaction.report.decks import remarks as deck_remarks
from evalaction.report.headline import PRODUCT
from evalaction.report.lead import warned
from evalaction.report.remark import Level, Remark
from evalaction.report.roots import Root
from evalaction.report.untrusted import Phrase, quoted

_NAMES = 5
"""Ids of removed cases that are named."""


def remarks(report: Report, *, paths: Collection[str] | None = None) -> list[Remark]:
    """Return what a run says: errors, then warnings and notices, the worst first.

    An error is what makes the job red: a gate of the run, then cases that fail, then what could not be measured,
    once for each cause. Cases come before decks. Where the workflow excuses the latter, it is a notice.

    Args:
        report: the run.
        paths: every path at head, to know whether the file of a removed case is still there. None when nobody can
            say: then it is, unless it is itself listed as removed.
    """
    found = [
        *_gates(report),
        *_failing(report),
        *deck_remarks.failing(report),
        *_unmeasured(report),
        *_warnings(report, paths),
    ]
    if report.exit_code and not any(remark.level is Level.ERROR for remark in found):
        found.insert(0, Remark(level=Level.ERROR, kind="error", title=PRODUCT, message=(report.headline,)))
    return found


def _gates(report: Report) -> Iterator[Remark]:
    for gate in report.gates:
        if gate.verdict is Verdict.FAIL and not gate.warns:
            yield _gate(gate, "fails", level=Level.ERROR, kind="failing run gate")
        elif gate.verdict is Verdict.UNMEASURED and not gate.warns:
            yield _gate(gate, "could not be measured", level=_unmeasured_level(report), kind="unmeasured run gate")


def _gate(gate: Gate, said: str, *, level: Level, kind: str) -> Remark:
    message = (f"The gate {gate.name} {said}: ", quoted(gate.detail, words.CAUSE))
    return Remark(level=level, kind=kind, title=f"{PRODUCT}: the gate {gate.name}", message=message)


def _failing(report: Report) -> list[Remark]:
    failing = sorted((case for case in report.cases if case.verdict is Verdict.FAIL), key=_weight)
    return [
        Remark(
            level=Level.ERROR,
            kind="failing case",
            title=f"{PRODUCT}: fails on {', '.join(words.gate_name(gate.name) for gate in words.failing(case))}",
            message=(*_named(case), " fails on ", *words.why(case), ". ", *_figures(case), ". ", *_next(case)),
            path=case.planned.case.path,
            line=case.planned.case.line,
        )
        for case in failing
    ]


def _weight(case: CaseResult) -> tuple[int, Fraction]:
    names = {gate.name for gate in words.failing(case)}
    first = next((place for place, name in enumerate(words.BY_WEIGHT) if name in names), len(words.BY_WEIGHT))
    return (first, case.agreement.fraction if case.agreement is not None else Fraction(0))


def _unmeasured_level(report: Report) -> Level:
    return Level.ERROR if report.exit_code else Level.NOTICE


def _unmeasured(report: Report) -> Iterator[Remark]:
    level = _unmeasured_level(report)
    if report.held is not None:
        message = (f"{report.held.message} {report.held.remedy}",)
        yield Remark(level=level, kind="unmeasured run", title=report.headline, message=message)
        return
    for root, cases in _by_cause(report):
        first, more = cases[0], len(cases) - 1
        others = f" and {words.count(more, 'more case')}" if more else ""
        came = (
            ""
            if more or fresh.is_cause(first)
            else f", {first.measured} of {words.count(first.planned.case.n, 'draw')} came"
        )
        cause = ": draws that may not be fresh" if fresh.is_cause(first) else ": see the step summary"
        cause = cause if root is None else f": {root.cause}"
        step = (
            _next(first)
            if root is None
            else (remedies.sentence(remedies.for_missing(first, root.failure, judge=root.judge)),)
        )
        yield Remark(
            level=level,
            kind="unmeasured case",
            title=f"{PRODUCT}: not measured",
            message=(*_named(first), f"{others} could not be measured{came}{cause}. ", *step),
            path=first.planned.case.path,
            line=first.planned.case.line,
            number=len(cases),
        )
    yield from deck_remarks.unmeasured(report, level)


def _by_cause(report: Report) -> list[tuple[Root | None, list[CaseResult]]]:
    """Return the cases that could not be measured by what kept their draws from coming, in the report's order."""
    found: dict[object, tuple[Root | None, list[CaseResult]]] = {}
    for case in report.cases:
        if case.verdict is Verdict.UNMEASURED:
            root = roots.of_case(case, report)
            key = fresh.is_cause(case) if root is None else root.key
            found.setdefault(key, (root, []))[1].append(case)
    return list(found.values())


def _warnings(report: Report, paths: Collection[str] | None) -> Iterator[Remark]:
    for note in warned(report):
        yield Remark(level=Level.WARNING, kind="warning", title=PRODUCT, message=note)
    for gate in report.gates:
        if gate.verdict is Verdict.UNMEASURED and gate.warns:
            yield _gate(gate, "could not be measured", level=Level.WARNING, kind="warning")
    yield from _not_independent(report)
    yield from deck_remarks.not_independent(report)
    yield from deck_remarks.warning(report)
    for kind, said, items in (
        ("loosened gate", "gate loosened", report.loosened),
        ("edited expected value", "expected value edited", report.edited_gold),
    ):
        for item in items:
            yield Remark(
                level=Level.WARNING,
                kind=kind,
                title=f"{PRODUCT}: {said}",
                message=(f"{said}: ", *changes.change(item)),
                path=item.path,
                line=item.line,
            )
    yield from _removed(report.removed, paths)
    for case in report.cases:
        names = _warning(case)
        if names:
            yield Remark(
                level=Level.WARNING,
                kind="warning",
                title=f"{PRODUCT}: warns on {', '.join(map(words.gate_name, names))}",
                message=(*_named(case), ": ", *words.why(case), ". ", *_figures(case), "."),
                path=case.planned.case.path,
                line=case.planned.case.line,
            )


def _not_independent(report: Report) -> Iterator[Remark]:
    cases = [case for case in report.cases if (gate := fresh.gate_of(case)) is not None and gate.warns]
    if cases:
        others = f" and of {words.count(len(cases) - 1, 'more case')}" if len(cases) > 1 else ""
        yield Remark(
            level=Level.WARNING,
            kind="warning",
            title=f"{PRODUCT}: draws not independent",
            message=("Draws of ", *_named(cases[0]), f"{others} may not be fresh."),
            path=cases[0].planned.case.path,
            line=cases[0].planned.case.line,
            number=len(cases),
        )


def _warning(case: CaseResult) -> list[GateName]:
    return [gate.name for gate in case.gates if gate.verdict is Verdict.FAIL and gate.warns]


def _removed(removed: Sequence[Removed], paths: Collection[str] | None) -> Iterator[Remark]:
    """Yield a remark for each file that is gone, then for each kind of thing that is gone from a file."""
    gone = {item.path for item in removed if item.kind == "file"}
    groups: dict[tuple[str, str], list[Removed]] = {}
    for item in removed:
        groups.setdefault((item.kind, item.path), []).append(item)
    for (kind, path), items in groups.items():
        if kind == "case" and path in gone:
            continue
        said: Phrase = (f"{kind} ", words.path(path))
        number = len(items)
        if kind == "file":
            cases = len(groups.get(("case", path), ()))
            said = (*said, f" with {words.count(cases, 'case')}") if cases else said
            number += cases
        else:
            names = words.listed([(quoted(item.id or "", words.ID),) for item in items], _NAMES)
            noun = kind if number == 1 else words.count(number, kind)
            said = (f"{noun} " if number == 1 else f"{noun}: ", *names, " (", words.path(path), ")")
        there = path not in gone and (paths is None or path in paths)
        yield Remark(
            level=Level.WARNING,
            kind="removal",
            title=f"{PRODUCT}: removed",
            message=("removed: ", *said),
            path=path if there else None,
            number=number,
        )


def _named(case: CaseResult) -> Phrase:
    return (words.case_id(case), " (", words.path(case.planned.case.path, case.planned.case.line), ")")


def _figures(case: CaseResult) -> Phrase:
    figures = f"Draws {strips.strip(case)}; agreement {words.agreement(case)}; flip rate {words.flip_rate(case)}"
    mark = graded_words.mark(case)
    graded = "" if mark is None else f"; {mark}"
    return (f"{figures}{graded}; drawn because ", *words.because(case.planned))


def _next(case: CaseResult) -> Phrase:
    said = remedies.for_case(case)
    return () if said is None else (remedies.sentence(said),)
