"""Annotations: what GitHub shows beside the lines of a change and lists of a job, as workflow commands. Pure.

A runner keeps ten of each level of a step and drops the others without a word, so the tenth counts what is left.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from evalaction.errors import Problem
from evalaction.records.report import Report
from evalaction.report import words
from evalaction.report.headline import PRODUCT
from evalaction.report.remark import Level, Remark
from evalaction.report.remarks import remarks
from evalaction.report.untrusted import command, plain, quoted, shorten

LIMIT = 10
"""Annotations of one level that a runner keeps of a step."""
MESSAGE = 1_000
"""Characters of a message; a runner cuts at 4,096."""

_FILE = 4_096
"""Characters of a path, which is nobody's when it is cut."""


def annotation_lines(report: Report, *, paths: Collection[str] | None = None) -> list[str]:
    """Return a run's annotations: errors, then warnings, then notices, the worst of each first.

    Paths stay relative to the repository: by these GitHub finds a file, wherever in the workspace its checkout lies.

    Args:
        report: the run, secrets already taken out.
        paths: see ``remarks``.
    """
    return _lines(remarks(report, paths=paths), where="the step summary")


def problem_lines(problems: Sequence[Problem]) -> list[str]:
    """Return what is wrong with the input as errors, each on its line.

    The line is that of the file that is wrong: of a template once, rather than of every golden line that asks for
    it. A problem's path is taken for a file's when a line is given with it, or when it is relative and its last
    part has a dot: names of inputs and variables have none.

    Args:
        problems: secrets already taken out.
    """
    alike: dict[tuple[str | None, int | None, str], list[Problem]] = {}
    for problem in problems:
        # Each golden line says it in other words, with its own case's id.
        said = "" if problem.source_path is not None else str(problem)
        alike.setdefault((*_place(problem), said), []).append(problem)
    found = []
    for (path, line, _), same in alike.items():
        others = words.count(len(same) - 1, "more golden line")
        message = (quoted(str(same[0]), MESSAGE), *((f" {others} cannot be read for it.",) if len(same) > 1 else ()))
        found.append(
            Remark(
                level=Level.ERROR,
                kind="problem",
                title=PRODUCT,
                message=message,
                path=path,
                line=line,
                number=len(same),
            )
        )
    return _lines(found, where="the log")


def message_lines(texts: Iterable[str]) -> list[str]:
    """Return notices on the run as annotations without a file.

    Args:
        texts: one each, secrets already taken out. Untrusted text.
    """
    found = [
        Remark(level=Level.NOTICE, kind="notice", title=PRODUCT, message=(quoted(text, MESSAGE),)) for text in texts
    ]
    return _lines(found, where="the log")


def _lines(found: Sequence[Remark], *, where: str) -> list[str]:
    return [
        _command(remark)
        for level in Level
        for remark in _limited([each for each in found if each.level is level], where)
    ]


def _limited(found: list[Remark], where: str) -> list[Remark]:
    """Return what a runner keeps; the last counts what is left."""
    if len(found) <= LIMIT:
        return found
    kept, rest = found[: LIMIT - 1], found[LIMIT - 1 :]
    numbers: Counter[str] = Counter()
    for remark in rest:
        numbers[remark.kind] += remark.number
    more = ", ".join(words.count(number, f"more {kind}") for kind, number in numbers.items())
    return [
        *kept,
        Remark(level=rest[0].level, kind="more", title=f"{PRODUCT}: more", message=(f"And {more}: see {where}.",)),
    ]


def _command(remark: Remark) -> str:
    path = remark.path or ""
    place = {"file": path, "line": str(remark.line or "")} if 0 < len(path) <= _FILE else {}
    return command(remark.level, shorten(plain(remark.message).rstrip(), MESSAGE), {**place, "title": remark.title})


def _place(problem: Problem) -> tuple[str | None, int | None]:
    if problem.source_path is not None:
        return problem.source_path, problem.source_line
    path = problem.path or ""
    is_file = problem.line is not None or (not path.startswith("/") and "." in posixpath.basename(path))
    return (path, problem.line) if path and is_file else (None, None)
