"""The comment: one Markdown text with verdict, cause and next step, under GitHub's limit. Pure.

Nothing needs a click to know the verdict, the cause and the next step; everything else is folded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from evalaction.records.report import CaseResult, Report, Verdict
from evalaction.report import comment_cases, comment_parts, findings, lead, words
from evalaction.report.blocks import Block, DoesNotFit, Form, fit
from evalaction.report.headline import PRODUCT
from evalaction.report.untrusted import Phrase, link, markdown

__all__ = ["LIMIT", "DoesNotFit", "marker", "render_comment"]

LIMIT = 65_536
"""GitHub's limit for a comment. Characters, UTF-16 units and UTF-8 bytes all stay under it."""

_RAW, _SHORT_RAW = 2_000, 300
"""Characters of a raw completion, and those left of it when space is short."""
_RAW_SHARE = 16
"""One completion takes at most this part of the limit: a sixteenth of a comment, much of a file."""
_PASSING = 20
"""Passing cases listed when space is short."""
_DETAIL, _ROW = 400, 100
"""Bytes that a folded block and a table row have at the least: what can never fit is not built."""

# The order in which things give way.
(
    _SHORTER_RAW,
    _FEWER_PASSING,
    _NO_PASSING,
    _NO_DETAILS,
    _NO_ROWS,
    _NO_FIRST_DETAILS,
    _NO_FIRST_ROWS,
    _SHORTER,
    _SHORTEST,
) = range(1, 10)
_FIRST = 20
"""Cases that are seen without a click; the others are folded together, and give way before these."""
_MOST_ROWS = 100
"""Cases that a comment names; whoever has more of them reads the report."""


def marker(comment_id: str, run_id: int | None = None) -> str:
    """Return the hidden line by which a comment of ours is found again.

    Args:
        comment_id: tells several comments on one pull request apart; whatever HTML could trip over is encoded.
        run_id: of the workflow run that the comment is about, by which an older run knows that it comes too late;
            None to leave it out.
    """
    run = "" if run_id is None else f" run={run_id}"
    return f"<!-- evalaction v1 id={quote(comment_id, safe='')}{run} -->"


def render_comment(
    report: Report,
    *,
    limit: int = LIMIT,
    report_location: str | None = None,
    comment_id: str | None = "default",
    run_id: int | None = None,
    relayed_from: str | None = None,
) -> str:
    """Render a run for the people who read it.

    Args:
        report: the run, secrets already taken out.
        limit: UTF-8 bytes of the whole text. 16,384 suffices for any report.
        report_location: path or address of the whole report; None when nobody can say.
        comment_id: see ``marker``; None for a text that is not looked for (a file, the step summary).
        run_id: see ``marker``.
        relayed_from: page of the fork's run that reports this, which nobody here has checked: the text then says so
            first, has no green headline, and shows no command of the report's. None for a run of our own.

    Raises:
        DoesNotFit: ``limit`` is too small for the shortest form.
    """
    relayed = relayed_from is not None
    if relayed:  # nobody is to copy a command out of a stranger's report
        report = replace(report, manifest=replace(report.manifest, repeat_command=""))
    urgent = [result for result in report.cases if result.verdict is not Verdict.PASS]
    small = limit <= LIMIT
    rows = urgent[: min(max(1, limit // _ROW), _MOST_ROWS if small else len(urgent))]
    measured = [result for result in urgent if result.measured]
    details = measured[: min(limit // _DETAIL, _FIRST if small else len(measured))]
    blocks = [
        *_heading(report, relayed_from),
        Block(text=markdown(lead.lead(report))),
        *_next(report),
        *_alerts(report),
        *_urgent(report, rows, details, limit),
        *_passing(report, relayed=relayed),
        *_notes(report),
        *_truth(report),
        *_footer(report, report_location),
    ]
    if comment_id is not None:
        blocks.append(Block(text=marker(comment_id, run_id)))
    left_out = {"table row": len(urgent) - len(rows), "folded case": len(measured) - len(details)}
    # One byte is left for the line feed at the end.
    return (
        fit(blocks, limit=limit - 1, left_out=left_out, notice=lambda missing: _notice(missing, report_location)) + "\n"
    )


def _heading(report: Report, relayed_from: str | None) -> list[Block]:
    """Return the verdict in one line; for a fork's own report without a colour, and with where it comes from."""
    if relayed_from is None:
        return [Block(text=f"### {words.SYMBOLS[report.verdict]} {report.headline}")]
    said = report.headline.removeprefix(f"{PRODUCT}: ")
    source = (
        f"**Reported by the fork's own run** ({link('its log', relayed_from)}). A fork runs its own workflow file: "
        "nothing of this was checked here."
    )
    colourless = words.SYMBOLS[Verdict.UNMEASURED]
    return [Block(text=f"### {colourless} {PRODUCT}, reported by the fork's own run: {said}"), Block(text=source)]


def _shrinking(text: str, *forms: Form) -> list[Block]:
    """Return a block that can shrink, or nothing when there is nothing to say."""
    return [Block(text=text, forms=tuple(form for form in forms if form.text != text))] if text else []


def _listing(text_for: Callable[[Report, int], str], report: Report, steps: _Steps) -> list[Block]:
    """Return a block that lists fewer things when space is short.

    Args:
        text_for: a function of ``comment_parts``.
        report: the run.
        steps: things listed at first, then (things listed, step) of each shorter form, and what they are.
    """
    forms = [
        Form(text=text_for(report, at_most), step=step, lost=steps.noun, number=max(1, steps.total - at_most))
        for at_most, step in steps.shorter
    ]
    return _shrinking(text_for(report, steps.most), *forms)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Steps:
    noun: str
    total: int
    most: int
    shorter: tuple[tuple[int, int], ...]


def _alerts(report: Report) -> list[Block]:
    changes = len(report.loosened) + len(report.edited_gold) + len(report.removed)
    warnings = changes + len(lead.not_independent(report)) + len(lead.not_looked_for(report))
    decks, shorter = len(report.decks), ((2, _SHORTER), (0, _SHORTEST))
    return [
        *_listing(comment_parts.decks, report, _Steps(noun="deck name", total=decks, most=5, shorter=shorter[1:])),
        *_listing(comment_parts.warnings, report, _Steps(noun="warning", total=warnings, most=10, shorter=shorter)),
    ]


def _notes(report: Report) -> list[Block]:
    notes, shorter = len(lead.notes(report)), ((2, _SHORTER), (0, _SHORTEST))
    return _listing(comment_parts.notes, report, _Steps(noun="note", total=notes, most=5, shorter=shorter))


def _truth(report: Report) -> list[Block]:
    without = sum(not result.has_expected for result in report.cases)
    steps = _Steps(noun="case name", total=without, most=5, shorter=((0, _SHORTER),))
    return _listing(comment_parts.truth, report, steps)


def _next(report: Report) -> list[Block]:
    step = lead.next_step(report)
    return [Block(text=f"**Next:** {markdown(step)}")] if step else []


def _urgent(report: Report, rows: Sequence[CaseResult], details: Sequence[CaseResult], limit: int) -> list[Block]:
    """Return table and folds of the cases that need a look, all but the first ones in one fold of their own."""
    if not rows:
        return []
    if report.held is not None:
        return _held(rows)
    causes, shorter = len(lead.missing_draws(report)), ((2, _SHORTER), (0, _SHORTEST))
    first = [
        *_rows(rows[:_FIRST], _NO_FIRST_ROWS, stays=True),
        Block(text=f"<sub>{words.legend(rows)}</sub>"),
        *_listing(comment_parts.missing, report, _Steps(noun="cause", total=causes, most=5, shorter=shorter)),
        *_details(report, details[:_FIRST], _NO_FIRST_DETAILS, limit),
    ]
    if len(rows) <= _FIRST:
        return first
    title = f"{words.count(len(rows) - _FIRST, 'more case')} that failed or could not be measured"
    return [
        *first,
        Block(text=f"<details><summary>{title}</summary>"),
        *_rows(rows[_FIRST:], _NO_ROWS, stays=False),
        *_details(report, details[_FIRST:], _NO_DETAILS, limit),
        Block(text="</details>"),
    ]


def _held(rows: Sequence[CaseResult]) -> list[Block]:
    """Return the table of what would be drawn, all but the first rows in a fold."""
    first = _rows(rows[:_FIRST], _NO_FIRST_ROWS, stays=True, held=True)
    if len(rows) <= _FIRST:
        return first
    title = f"{words.count(len(rows) - _FIRST, 'more case')} not drawn"
    more = _rows(rows[_FIRST:], _NO_ROWS, stays=False, held=True)
    return [*first, Block(text=f"<details><summary>{title}</summary>"), *more, Block(text="</details>")]


def _rows(results: Sequence[CaseResult], step: int, *, stays: bool, held: bool = False) -> list[Block]:
    """Return a table with a block a row; the first row holds the header, and stays where it is asked to."""
    table, row = (
        (comment_cases.held_table, comment_cases.held_row) if held else (comment_cases.table, comment_cases.row)
    )
    gone = (Form(text="", step=step, lost="table row"),)
    first = Block(text=table(results[:1]), forms=() if stays else gone)
    return [first, *(Block(text=row(result), glue="\n", forms=gone) for result in results[1:])]


def _details(report: Report, results: Sequence[CaseResult], step: int, limit: int) -> list[Block]:
    command = report.manifest.repeat_command or None if report.partial is None else None
    raw = max(_RAW, limit // _RAW_SHARE) if limit > LIMIT else _RAW
    blocks = []
    for result in results:
        full, short = (
            comment_cases.details(result, show=report.show_completions, raw=characters, repeat=command)
            for characters in (raw, _SHORT_RAW)
        )
        gone = Form(text="", step=step, lost="folded case")
        shorter = Form(text=short, step=_SHORTER_RAW, lost="raw completion")
        blocks.append(Block(text=full, forms=(shorter, gone) if short != full else (gone,)))
    return blocks


def _passing(report: Report, *, relayed: bool) -> list[Block]:
    passing = [result for result in report.cases if result.verdict is Verdict.PASS]
    if not passing:
        return []
    title = f"{words.count(len(passing), 'case')} {'passes' if len(passing) == 1 else 'pass'}"
    title = f"{title}, the fork's run reports" if relayed else f"{words.SYMBOLS[Verdict.PASS]} {title}"
    lost, number, show = "passing case", len(passing), report.show_completions
    none = Form(text=title, step=_NO_PASSING, lost=lost, number=number)
    legend = f"<sub>{words.legend(passing)}</sub>" if len(passing) == len(report.cases) else ""
    whole, fewer = (_fold(title, some, legend, show=show) for some in (passing, passing[:_PASSING]))
    some = Form(text=fewer, step=_FEWER_PASSING, lost=lost, number=number - _PASSING)
    forms = (some, none) if len(passing) > _PASSING else (none,)
    return [Block(text=whole, forms=forms)]


def _fold(title: str, passing: Sequence[CaseResult], legend: str, *, show: bool) -> str:
    parts = [comment_cases.table(passing), *([legend] if legend else [])]
    flipping = [result for result in passing if len(result.modes) > 1][:_PASSING]
    said = [(words.case_id(result), ": ", *findings.difference(result, show=show)) for result in flipping]
    parts += ["\n".join(f"- {markdown(phrase)}" for phrase in said)] if said else []
    body = "\n\n".join(parts)
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def _footer(report: Report, location: str | None) -> list[Block]:
    full, short = (comment_parts.footer(report, full=full, location=location) for full in (True, False))
    return _shrinking(full, Form(text=short, step=_SHORTEST, lost="part of the footer"))


def _notice(missing: Mapping[str, int], location: str | None) -> Block:
    what: Phrase = words.listed([(words.count(number, noun),) for noun, number in missing.items()], 10)
    where = "in the run's report files" if location is None else f"in the {link('full report', location)}"
    return Block(text=f"**Shortened to fit.** Left out or cut: {markdown(what)}. Everything is {where}.")
