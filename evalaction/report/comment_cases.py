"""The comment's table of cases, and the folded block of each case that needs a look. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TypeAlias

from evalaction.fingerprint import short
from evalaction.frozen import frozen
from evalaction.records.case import Grader
from evalaction.records.report import CaseResult
from evalaction.report import checks, findings, fresh, remedies, strips, words
from evalaction.report.apart import apart
from evalaction.report.comment_draw import ShownDraw
from evalaction.report.decks import graded as graded_words
from evalaction.report.known_good import how_far
from evalaction.report.misses import expected_value, is_compared
from evalaction.report.untrusted import Phrase, cell, code, html, markdown, quoted
from evalaction.values import JSON, dumps

_COLUMNS = ("verdict", "case", "draws", "agreement", "flip rate<br>95\u00a0% interval", "drawn because")
_HELD_COLUMNS = ("not drawn", "draws asked for", "affected because")
COMMAND = 400
"""Characters of a command beyond which it is not shown: a part of it would do something else."""

_HARD_SPACE = "\u00a0"
"""Keeps signs that belong together on one line of a narrow column."""
_ON_ONE_LINE = 10
"""Draws whose signs belong together, on a phone too: more of them would push other columns out of sight."""


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def row(result: CaseResult, source: str | None) -> str:
    """Return a case's line of the table.

    Args:
        result: of the case.
        source: address of all files at head, to link the golden line to; None for no link.
    """
    why = words.why(result)
    cells = (
        f"{words.SYMBOLS[result.verdict]}{_HARD_SPACE}{result.verdict}" + (f"<br>{cell(why)}" if why else ""),
        _name(result, source),
        f"`{_strip(result)}`",
        words.agreement(result).replace(", ", "<br>") + _judge(result) + _alone(result),
        words.flip_rate(result).replace(" (", "<br>(").replace(" %", f"{_HARD_SPACE}%"),
        words.reasons(result.planned),
    )
    return _cells(*cells)


def _judge(result: CaseResult) -> str:
    """Return, beside a score, whether the judge that gave it passed an exam."""
    mark = graded_words.mark(result)
    return "" if mark is None else f"<br>**{mark}**" if graded_words.is_untested(result) else f"<br>{mark}"


def _alone(result: CaseResult) -> str:
    return f"<br>{checks.AGREEMENT_ALONE}" if checks.is_agreement_alone(result) else ""


def _name(result: CaseResult, source: str | None) -> str:
    case = result.planned.case
    place = cell((words.path(case.path, case.line, source=source),))
    return f"{cell((words.case_id(result),))}<br><sub>{place}</sub>"


def _strip(result: CaseResult) -> str:
    strip = strips.strip(result)
    return strip.replace(" ", _HARD_SPACE) if len(result.draws) <= _ON_ONE_LINE else strip


def held_row(result: CaseResult, source: str | None) -> str:
    """Return the line of a case that was held back: what would be drawn, and why; ``source`` as in ``row``."""
    return _cells(_name(result, source), str(result.planned.case.n), cell(words.because(result.planned)))


def _head(columns: Sequence[str]) -> str:
    return f"{_cells(*columns)}\n{'|---' * len(columns)}|"


HEAD, HELD_HEAD = _head(_COLUMNS), _head(_HELD_COLUMNS)
"""What stands above the lines of the two tables."""


@frozen
class Details:
    """The folded block of one case, but for how much is shown of its completion."""

    title: str
    before: tuple[str, ...]
    shown: ShownDraw | None
    """The draw of which the text is shown; None for none."""
    result: CaseResult
    """Whose block it is."""

    @property
    def raw(self) -> int:
        """Characters of the longest text of that draw."""
        return 0 if self.shown is None else self.shown.raw

    def text(self, raw: int, *, repeat: str | None = None) -> str:
        """Return the block.

        Args:
            raw: characters to which texts are cut.
            repeat: the run's command on a desk; None when it cannot be narrowed to one case.
        """
        odd = "" if self.shown is None else self.shown.text(raw)
        return fold(self.title, [*self.before, odd, _next(self.result, repeat), _origin(self.result)])


def details(result: CaseResult, *, show: bool) -> Details:
    """Return the folded block of one case.

    Args:
        result: a case that failed or could not be measured, and for which something came.
        show: whether model text may be shown.
    """
    odd = findings.counterexample(result) if show else None
    return Details(
        title=html(summary(result, show=show)),
        before=(_modes(result) if show else "", _lines(findings.findings(result, show=show, besides=odd))),
        shown=None if odd is None else ShownDraw(result=result, graded=odd),
        result=result,
    )


def fold(title: str, parts: Sequence[str]) -> str:
    """Return a folded block; empty parts are left out."""
    body = "\n\n".join(part for part in parts if part)
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def summary(result: CaseResult, *, show: bool) -> Phrase:
    """Return what a folded block is about: ``❌ fail refund_v1: status: "unknown" in 4 of 5, "eligible" in 1``."""
    fails = () if words.failing(result) == () else ("fails on ",)
    differs = () if fresh.is_cause(result) else findings.difference(result, show=show)
    about = differs or (*fails, *words.why(result))
    return (f"{words.verdict(result.verdict)} <b>", words.case_id(result), "</b>: ", *about)


def _modes(result: CaseResult) -> str:
    """Return the table of distinct answers, side by side in what they differ in."""
    if not result.modes:
        return ""
    modes, expected = result.modes[: findings.MODES], expected_value(result.planned.case.contract)
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
    if result.planned.case.contract.grader is Grader.DIFF:
        # The diff below shows it line by line.
        rows = [_cells(*name, how_far(result, mode)) for name, mode in zip(names, modes, strict=False)]
        heads = ["against the known-good file"]
    lines = [_cells("mode", "draws", *heads), "|---" * (len(heads) + 2) + "|", *rows]
    more = len(result.modes) - len(modes)
    return "\n".join(lines) + (f"\n\nand {words.count(more, 'more answer')}." if more > 0 else "")


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


def _next(result: CaseResult, repeat: str | None) -> str:
    advice = remedies.for_case(result) if words.failing(result) or fresh.is_cause(result) else None
    choice = f"{result.planned.case.path}#{result.planned.case.id}"
    command = None if repeat is None else f"{repeat} --case {shlex.quote(choice)}"
    again = f"draw it again: {code(command, COMMAND)}" if command is not None and len(command) <= COMMAND else ""
    steps = [step for step in (markdown(remedies.with_names(advice or "")), again) if step]
    return f"Next: {', then '.join(steps)}" if steps else ""


def _origin(result: CaseResult) -> str:
    prints = result.planned.fingerprints
    because = f"drawn because: {markdown(words.because(result.planned))}"
    named = (("prompt", prints.prompt), ("contract", prints.contract), ("sampling", prints.sampling))
    return f"<sub>{because} · fingerprints: {', '.join(f'{name} `{short(print_)}`' for name, print_ in named)}</sub>"
