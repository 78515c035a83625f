"""The comment's table of cases, and the folded block of each case that needs a look. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from evalaction.fingerprint import short
from evalaction.records.draw import Draw
from evalaction.records.report import CaseResult, DrawState, GateName, GradedDraw, Mode, Verdict
from evalaction.report import words
from evalaction.report.untrusted import Phrase, Quoted, cell, code, fence, html, markdown, quoted
from evalaction.values import JSON, dumps

HEADER = (
    "| verdict | case | draws | agreement | flip rate, 95 % interval | {why} | drawn because |\n"
    "|---|---|---|---|---|---|---|"
)  # fmt: skip
KEYS, MODES, LINES = 4, 8, 8
"""Most keys, modes and lines of one kind that a block shows; the report file has all."""
COMMAND = 400
"""Characters of a command beyond which it is not shown: a part of it would do something else."""

_QUOTING = {GateName.SCHEMA}
"""Gates whose detail may quote a draw."""
_FINISHES = {"length", "content_filter", "stop", "tool_calls"}


def header(why: str) -> str:
    """Return the table's first two lines; ``why`` heads the column of causes."""
    return HEADER.format(why=why)


def row(result: CaseResult) -> str:
    """Return a case's line of the table."""
    planned = result.planned
    name = f"{cell((words.case_id(result),))}<br><sub>{cell((words.path(planned.case.path, planned.case.line),))}</sub>"
    cells = (
        words.verdict(result.verdict),
        name,
        f"`{words.strip(result)}`",
        words.agreement(result),
        words.flip_rate(result),
        cell(words.why(result)),
        words.reasons(planned),
    )
    return f"| {' | '.join(cells)} |"


def table(results: Sequence[CaseResult], why: str) -> str:
    """Return a whole table with its legend."""
    legend = words.legend(results)
    lines = "\n".join([header(why), *map(row, results)])
    return f"{lines}\n\n<sub>{legend}</sub>" if legend else lines


def details(result: CaseResult, *, show: bool, raw: int, repeat: str | None) -> str:
    """Return the folded block of one case.

    Args:
        result: a case that failed or could not be measured.
        show: whether model text may be shown.
        raw: characters of a raw completion beyond which it is cut.
        repeat: the run's command on a desk; None when it cannot be narrowed to one case.
    """
    parts = [
        _modes(result, show=show),
        _lines(findings(result, show=show)),
        _counterexample(result, raw) if show else "",
        _origin(result, repeat),
    ]
    body = "\n\n".join(part for part in parts if part)
    return f"<details><summary>{html(summary(result, show=show))}</summary>\n\n{body}\n\n</details>"


def summary(result: CaseResult, *, show: bool) -> Phrase:
    """Return what a folded block is about: ``❌ fail refund_v1: A and B differ in status``."""
    about = difference(result, show=show)
    named = (words.verdict(result.verdict), " <b>", words.case_id(result), "</b>")
    return (*named, ": ", *about) if about else named


def difference(result: CaseResult, *, show: bool) -> Phrase:
    """Return in what the answers differ, from each other or from the expected value, or why there are none."""
    keys = _shown_keys(result, show=show)
    if len(result.modes) > 1 and keys:
        few = [mode.label for mode in result.modes] if len(result.modes) <= 3 else []  # noqa: PLR2004 - A, B and C
        who = f"{', '.join(few[:-1])} and {few[-1]}" if few else f"{len(result.modes)} answers"
        return (f"{who} differ in ", *words.listed([(_key(key),) for key in keys], KEYS))
    if len(result.modes) > 1:
        return (f"{len(result.modes)} different answers",)
    if result.modes and any(gate.name is GateName.EXPECTED for gate in words.failing(result)):
        wrong = [(_key(key),) for key in _wrong_keys(result)]
        return ("A is wrong in ", *words.listed(wrong, KEYS)) if wrong else ("A is not the expected value",)
    fails = ("fails on ",) if words.failing(result) else ()
    return (*fails, *words.why(result)) if words.why(result) else ()


def _wrong_keys(result: CaseResult) -> list[str]:
    expected, answer = result.planned.case.contract.expect, result.modes[0].answer
    if not isinstance(expected, dict) or not isinstance(answer, dict):
        return []
    return [key for key in expected if key not in answer or dumps(answer[key]) != dumps(expected[key])]


def _key(key: str) -> Quoted:
    return quoted(key, words.NAME)


def _shown_keys(result: CaseResult, *, show: bool) -> tuple[str, ...]:
    """Return the differing keys that may be shown: a key that the contract doesn't name is model text."""
    if show:
        return result.differing_keys
    return tuple(key for key in result.differing_keys if key in result.planned.case.contract.projection)


def _modes(result: CaseResult, *, show: bool) -> str:
    """Return the table of distinct answers, side by side in what they differ in."""
    if not result.modes:
        return ""
    n = result.planned.case.n
    keys = result.differing_keys[:KEYS] if show else ()
    expected = result.planned.case.contract.expect
    if show and isinstance(expected, dict):
        keys = tuple(dict.fromkeys([*keys, *expected]))[:KEYS]
    heads = [cell((_key(key),)) for key in keys] or (["answer"] if show else [])
    lines = [_cells("mode", "draws", *heads), "|---" * (len(heads) + 2) + "|"]
    for mode in result.modes[:MODES]:
        label = f"{mode.label}, tied" if mode.modal and sum(other.modal for other in result.modes) > 1 else mode.label
        lines.append(_cells(label, f"{mode.count} of {n}", *(_values(mode.answer, keys) if show else ())))
    if expected is not None and show:
        lines.append(_cells("expected", "", *_values(expected, keys)))
    more = len(result.modes) - MODES
    return "\n".join(lines) + (f"\n\nand {words.count(more, 'more answer')}." if more > 0 else "")


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _values(answer: JSON, keys: Sequence[str]) -> list[str]:
    if not keys:
        return [cell((words.value(answer),))]
    if not isinstance(answer, dict):
        return [cell((words.value(answer),)), *[""] * (len(keys) - 1)]
    return [cell((words.value(answer[key]),)) if key in answer else "*absent*" for key in keys]


def findings(result: CaseResult, *, show: bool) -> list[Phrase]:
    """Return which gates do not hold, why draws are missing or unreadable, and what is wrong with their form."""
    return [*_gates(result, show=show), *_causes(result, show=show)]


def _gates(result: CaseResult, *, show: bool) -> list[Phrase]:
    lines: list[Phrase] = []
    for gate in result.gates:
        if gate.verdict is Verdict.PASS:
            continue
        outcome = "warns" if gate.warns and gate.verdict is Verdict.FAIL else _outcome(gate.verdict)
        said = (": ", quoted(gate.detail, words.CAUSE)) if gate.detail and (show or gate.name not in _QUOTING) else ()
        lines.append((f"{gate.name} {outcome}", *said))
    return lines


def _outcome(verdict: Verdict) -> str:
    return "fails" if verdict is Verdict.FAIL else "could not be measured"


def _causes(result: CaseResult, *, show: bool) -> list[Phrase]:
    lines: list[Phrase] = []
    for group in words.missing(result):
        message = (": ", quoted(group.failure.message, words.CAUSE)) if show and group.failure.message else ()
        lines.append((f"missing, {words.draws(group.draws)}: {words.cause(group.failure)}", *message))
    for cause, indices in _unreadable(result, show=show):
        lines.append((f"unreadable, {words.draws(indices)}", *cause))
    if show:
        # The first one stands in the gate's own line.
        for graded in [graded for graded in result.draws if graded.schema_errors][1:]:
            errors = words.listed([(quoted(error, words.CAUSE),) for error in graded.schema_errors], 2)
            lines.append((f"form, draw {graded.draw.index}: ", *errors))
    return lines


def _unreadable(result: CaseResult, *, show: bool) -> Iterable[tuple[Phrase, list[int]]]:
    """Group the unreadable draws by cause; without model text, by the reason why the model stopped."""
    groups: dict[Phrase, list[int]] = {}
    for graded in result.draws:
        if graded.state is DrawState.UNREADABLE:
            groups.setdefault(_cause(graded, show=show), []).append(graded.draw.index)
    return groups.items()


def _cause(graded: GradedDraw, *, show: bool) -> Phrase:
    if show:
        return (": ", quoted(graded.cause or "", words.CAUSE))
    finish = graded.draw.reply.finish_reason if graded.draw.reply else None
    return (f": finish_reason {finish}",) if finish in _FINISHES else ()


def _lines(phrases: Sequence[Phrase]) -> str:
    lines = [f"- {markdown(phrase)}" for phrase in phrases[:LINES]]
    more = len(phrases) - LINES
    return "\n".join([*lines, f"- and {more} more"] if more > 0 else lines)


def counterexample(result: CaseResult) -> GradedDraw | None:
    """Return the draw to look at: one that is not the modal answer, or else one that misses its contract."""
    modal = result.modes[0] if result.modes else None
    came = [graded for graded in result.draws if graded.state is not DrawState.MISSING]
    odd = [graded for graded in came if modal is None or graded.draw.index not in modal.draws]
    budget = result.planned.case.contract.max_completion_tokens
    wrong = [
        graded for graded in came if graded.schema_met is False or graded.expected_met is False or _over(graded, budget)
    ]
    return next(iter([*odd, *wrong]), None)


def _over(graded: GradedDraw, budget: int | None) -> bool:
    return budget is not None and graded.length is not None and graded.length > budget


def _counterexample(result: CaseResult, raw: int) -> str:
    graded = counterexample(result)
    if graded is None or graded.draw.reply is None:
        return ""
    text = graded.draw.reply.text or graded.draw.reply.refusal
    label = _label(result.modes, graded.draw)
    if not text:
        return f"Draw {graded.draw.index}{label} came without text."
    refused = "" if graded.draw.reply.text else ", a refusal"
    return f"Draw {graded.draw.index}{label}{refused}, as it came:\n\n{fence(text, raw)}"


def _label(modes: Sequence[Mode], draw: Draw) -> str:
    return next((f" ({mode.label})" for mode in modes if draw.index in mode.draws), "")


def _origin(result: CaseResult, repeat: str | None) -> str:
    planned = result.planned
    files = words.listed([(words.path(path),) for path in planned.changed_files], 3)
    because = f"Drawn because: {words.reasons(planned)}{markdown((' (', *files, ')')) if files else ''}."
    prints = " · ".join(
        f"{name} `{short(print_)}`"
        for name, print_ in (
            ("prompt", planned.fingerprints.prompt),
            ("contract", planned.fingerprints.contract),
            ("sampling", planned.fingerprints.sampling),
        )
    )
    lines = [f"{because} Fingerprints: {prints}."]
    command = None if repeat is None else f"{repeat} --case {shlex.quote(_choice(result))}"
    if command is not None and len(command) <= COMMAND:
        lines.append(f"Again on a desk: {code(command, COMMAND)}")
    return "\n".join(lines)


def _choice(result: CaseResult) -> str:
    return f"{result.planned.case.path}#{result.planned.case.id}"
