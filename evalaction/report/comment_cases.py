"""The comment's table of cases, and the folded block of each case that needs a look. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from evalaction.fingerprint import short
from evalaction.records.report import CaseResult, DrawState, GradedDraw
from evalaction.report import findings, words
from evalaction.report.untrusted import Phrase, cell, code, fence, html, markdown, quoted
from evalaction.values import JSON

_COLUMNS = ("verdict", "case", "draws", "agreement", "flip rate<br>95\u00a0% interval", "drawn because")
COMMAND = 400
"""Characters of a command beyond which it is not shown: a part of it would do something else."""

_HARD_SPACE = "\u00a0"
"""Keeps signs that belong together on one line of a narrow column."""


def row(result: CaseResult) -> str:
    """Return a case's line of the table."""
    planned = result.planned
    place = cell((words.path(planned.case.path, planned.case.line),))
    why = words.why(result)
    cells = (
        f"{words.SYMBOLS[result.verdict]}{_HARD_SPACE}{result.verdict}" + (f"<br>{cell(why)}" if why else ""),
        f"{cell((words.case_id(result),))}<br><sub>{place}</sub>",
        f"`{words.strip(result)}`",
        words.agreement(result).replace(", ", "<br>"),
        words.flip_rate(result).replace(" (", "<br>(").replace(" %", f"{_HARD_SPACE}%"),
        words.reasons(planned),
    )
    return _cells(*cells)


def table(results: Sequence[CaseResult]) -> str:
    """Return a whole table."""
    return "\n".join([_cells(*_COLUMNS), "|---" * len(_COLUMNS) + "|", *map(row, results)])


def details(result: CaseResult, *, show: bool, raw: int, repeat: str | None) -> str:
    """Return the folded block of one case.

    Args:
        result: a case that failed or could not be measured, and for which something came.
        show: whether model text may be shown.
        raw: characters of a raw completion beyond which it is cut.
        repeat: the run's command on a desk; None when it cannot be narrowed to one case.
    """
    odd = findings.counterexample(result) if show else None
    parts = [
        _modes(result) if show else "",
        _lines(findings.findings(result, show=show, besides=odd)),
        _counterexample(result, odd, raw) if odd else "",
        _next(result, repeat, show=show),
        _origin(result),
    ]
    body = "\n\n".join(part for part in parts if part)
    return f"<details><summary>{html(summary(result, show=show))}</summary>\n\n{body}\n\n</details>"


def summary(result: CaseResult, *, show: bool) -> Phrase:
    """Return what a folded block is about: ``❌ fail refund_v1: status: "unknown" in 4 of 5, "eligible" in 1``."""
    fails = () if words.failing(result) == () else ("fails on ",)
    about = findings.difference(result, show=show) or (*fails, *words.why(result))
    return (f"{words.verdict(result.verdict)} <b>", words.case_id(result), "</b>: ", *about)


def _modes(result: CaseResult) -> str:
    """Return the table of distinct answers, side by side in what they differ in."""
    if not result.modes:
        return ""
    expected = result.planned.case.contract.expect
    asked = tuple(expected) if isinstance(expected, dict) else ()
    keys = tuple(dict.fromkeys([*result.differing_keys[: findings.KEYS], *asked]))[: findings.KEYS]
    heads = [cell((quoted(key, words.NAME),)) for key in keys] or ["answer"]
    lines = [_cells("mode", "draws", *heads), "|---" * (len(heads) + 2) + "|"]
    tied = sum(mode.modal for mode in result.modes) > 1
    for mode in result.modes[: findings.MODES]:
        label = f"{mode.label}, tied" if mode.modal and tied else mode.label
        values = _values(mode.answer, keys, [findings.is_compared(result, key) for key in keys])
        lines.append(_cells(label, f"{mode.count} of {result.planned.case.n}", *values))
    if expected is not None:
        lines.append(_cells("expected", "", *_expected(expected, keys)))
    more = len(result.modes) - findings.MODES
    return "\n".join(lines) + (f"\n\nand {words.count(more, 'more answer')}." if more > 0 else "")


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _values(answer: JSON, keys: Sequence[str], compared: Sequence[bool]) -> list[str]:
    """Return a cell a key; what is not part of the answer stands in the completion alone."""
    if not keys or not isinstance(answer, dict):
        return [cell((words.value(answer),)), *[""] * (len(keys) - 1)]
    return [
        cell((words.value(answer[key]),)) if key in answer else "*absent*" if counts else "*see below*"
        for key, counts in zip(keys, compared, strict=True)
    ]


def _expected(expected: JSON, keys: Sequence[str]) -> list[str]:
    if not isinstance(expected, dict):
        return _values(expected, keys, [])
    return [cell((words.value(expected[key]),)) if key in expected else "" for key in keys]


def _lines(phrases: Sequence[Phrase]) -> str:
    lines = [f"- {markdown(phrase)}" for phrase in phrases[: findings.LINES]]
    more = len(phrases) - findings.LINES
    return "\n".join([*lines, f"- and {more} more"] if more > 0 else lines)


def _counterexample(result: CaseResult, graded: GradedDraw, raw: int) -> str:
    reply = graded.draw.reply
    if reply is None:
        return ""
    unreadable = graded.state is DrawState.UNREADABLE
    why = markdown((", unreadable", *findings.cause(graded, show=True))) if unreadable else ""
    title = f"Draw {graded.draw.index} ({findings.label(result.modes, graded)})"
    text = reply.text or reply.refusal
    if not text:
        return f"{title}{why}: it came without text."
    refused = "" if reply.text else ", a refusal"
    return f"{title}{why}{refused}, as it came:\n\n{fence(text, raw)}"


def _next(result: CaseResult, repeat: str | None, *, show: bool) -> str:
    advice = findings.advice(result, show=show) if words.failing(result) else None
    choice = f"{result.planned.case.path}#{result.planned.case.id}"
    command = None if repeat is None else f"{repeat} --case {shlex.quote(choice)}"
    again = f"draw it again: {code(command, COMMAND)}" if command is not None and len(command) <= COMMAND else ""
    steps = [step for step in (advice, again) if step]
    return f"Next: {', then '.join(steps)}" if steps else ""


def _origin(result: CaseResult) -> str:
    planned, prints = result.planned, result.planned.fingerprints
    files = words.listed([(words.path(path),) for path in planned.changed_files], 3)
    because = f"drawn because: {words.reasons(planned)}{markdown((' (', *files, ')')) if files else ''}"
    named = (("prompt", prints.prompt), ("contract", prints.contract), ("sampling", prints.sampling))
    return f"<sub>{because} · fingerprints: {', '.join(f'{name} `{short(print_)}`' for name, print_ in named)}</sub>"
