"""The comment's table of cases, and the folded block of each case that needs a look. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TypeAlias

from evalaction.fingerprint import short
from evalaction.records.report import CaseResult, DrawState, GradedDraw
from evalaction.report import findings, words
from evalaction.report.apart import apart
from evalaction.report.misses import is_compared
from evalaction.report.untrusted import Phrase, cell, code, fence, html, markdown, quoted
from evalaction.values import JSON, dumps

_COLUMNS = ("verdict", "case", "draws", "agreement", "flip rate<br>95\u00a0% interval", "drawn because")
_HELD_COLUMNS = ("not drawn", "draws asked for", "affected because")
COMMAND = 400
"""Characters of a command beyond which it is not shown: a part of it would do something else."""

_HARD_SPACE = "\u00a0"
"""Keeps signs that belong together on one line of a narrow column."""
_ON_ONE_LINE = 10
"""Draws whose signs belong together, on a phone too: more of them would push other columns out of sight."""


def row(result: CaseResult) -> str:
    """Return a case's line of the table."""
    planned = result.planned
    place = cell((words.path(planned.case.path, planned.case.line),))
    why = words.why(result)
    cells = (
        f"{words.SYMBOLS[result.verdict]}{_HARD_SPACE}{result.verdict}" + (f"<br>{cell(why)}" if why else ""),
        f"{cell((words.case_id(result),))}<br><sub>{place}</sub>",
        f"`{_strip(result)}`",
        words.agreement(result).replace(", ", "<br>"),
        words.flip_rate(result).replace(" (", "<br>(").replace(" %", f"{_HARD_SPACE}%"),
        words.reasons(planned),
    )
    return _cells(*cells)


def _strip(result: CaseResult) -> str:
    strip = words.strip(result)
    return strip.replace(" ", _HARD_SPACE) if len(result.draws) <= _ON_ONE_LINE else strip


def table(results: Sequence[CaseResult]) -> str:
    """Return a whole table."""
    return "\n".join([_cells(*_COLUMNS), "|---" * len(_COLUMNS) + "|", *map(row, results)])


def held_row(result: CaseResult) -> str:
    """Return the line of a case that was held back: what would be drawn, and why."""
    case = result.planned.case
    place = cell((words.path(case.path, case.line),))
    name = f"{cell((words.case_id(result),))}<br><sub>{place}</sub>"
    return _cells(name, str(case.n), cell(words.because(result.planned)))


def held_table(results: Sequence[CaseResult]) -> str:
    """Return a whole table of cases that were held back."""
    return "\n".join([_cells(*_HELD_COLUMNS), "|---" * len(_HELD_COLUMNS) + "|", *map(held_row, results)])


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
    modes, expected = result.modes[: findings.MODES], result.planned.case.contract.expect
    asked = tuple(expected) if isinstance(expected, dict) else ()
    keys = tuple(dict.fromkeys([*result.differing_keys[: findings.KEYS], *asked]))[: findings.KEYS]
    tied = sum(mode.modal for mode in result.modes) > 1
    names = [
        (f"{mode.label}, tied" if mode.modal and tied else mode.label, f"{mode.count} of {result.planned.case.n}")
        for mode in modes
    ]
    blanks = ["*absent*" if is_compared(result, key) else "*see below*" for key in keys]
    values = [_values(mode.answer, keys, blanks) for mode in modes]
    if expected is not None:
        names.append(("expected", ""))
        values.append(_values(expected, keys, [""] * len(keys)))
    heads = [cell((quoted(key, words.NAME),)) for key in keys] or ["answer"]
    columns = [_column(column) for column in zip(*values, strict=True)]
    rows = [_cells(*name, *cells) for name, *cells in zip(names, *columns, strict=True)]
    lines = [_cells("mode", "draws", *heads), "|---" * (len(heads) + 2) + "|", *rows]
    more = len(result.modes) - len(modes)
    return "\n".join(lines) + (f"\n\nand {words.count(more, 'more answer')}." if more > 0 else "")


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


_Value: TypeAlias = tuple[str | None, str]
"""A value as JSON, and what stands in its place when it is None."""


def _values(answer: JSON, keys: Sequence[str], blanks: Sequence[str]) -> list[_Value]:
    """Return what an answer has under each key, or the whole of it in the first place."""
    if not keys or not isinstance(answer, dict):
        return [(dumps(answer), ""), *[(None, "")] * (len(keys) - 1)]
    return [(dumps(answer[key]) if key in answer else None, blank) for key, blank in zip(keys, blanks, strict=True)]


def _column(values: Sequence[_Value]) -> list[str]:
    pieces = iter(apart([text for text, _ in values if text is not None], words.VALUE))
    return [blank if text is None else cell((next(pieces),)) for text, blank in values]


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
    prints = result.planned.fingerprints
    because = f"drawn because: {markdown(words.because(result.planned))}"
    named = (("prompt", prints.prompt), ("contract", prints.contract), ("sampling", prints.sampling))
    return f"<sub>{because} · fingerprints: {', '.join(f'{name} `{short(print_)}`' for name, print_ in named)}</sub>"
