"""The comment: one Markdown text with verdict, cause and next step, under GitHub's limit. Pure.

Nothing needs a click to know the verdict, the cause and the next step; everything else is folded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from evalaction.forks import FORK
from evalaction.frozen import frozen
from evalaction.records.gate import Verdict
from evalaction.records.report import Report
from evalaction.report import comment_parts, lead, words
from evalaction.report.blocks import Block, DoesNotFit, Form, fit
from evalaction.report.case_words import WHEN_ASKED, CaseWords
from evalaction.report.comment_blocks import LIMIT, Shown, Step, deck_blocks, passing_blocks, urgent_blocks
from evalaction.report.comment_cases import COMMAND
from evalaction.report.decks import graded as graded_words
from evalaction.report.headline import PRODUCT
from evalaction.report.untrusted import Phrase, code, link, markdown

__all__ = ["LIMIT", "DoesNotFit", "marker", "render_comment"]

_SHORTER = ((2, Step.SHORTER), (0, Step.SHORTEST))
"""Things listed when space is short, and when that is taken."""


def marker(comment_id: str, run_id: int | None = None) -> str:
    """Return the hidden line by which a comment of ours is found again.

    Args:
        comment_id: tells several comments on one pull request apart; whatever HTML could trip over is encoded.
        run_id: of the workflow run that the comment is about, by which an older run knows that it comes too late;
            None to leave it out.
    """
    run = "" if run_id is None else f" run={run_id}"
    return f"<!-- evalaction v1 id={quote(comment_id, safe='')}{run} -->"


def render_comment(  # noqa: PLR0913 - each says one thing of where the text stands
    report: Report,
    *,
    limit: int = LIMIT,
    report_location: str | None = None,
    comment_id: str | None = "default",
    run_id: int | None = None,
    relayed_from: str | None = None,
    source_url: str | None = None,
    desk: Sequence[str] = (),
    said: CaseWords = WHEN_ASKED,
) -> str:
    """Render a run for the people who read it.

    Args:
        report: the run, secrets already taken out.
        limit: UTF-8 bytes of the whole text. 16,384 suffices for any report.
        report_location: path or address of the whole report; None when nobody can say.
        comment_id: see ``marker``; None for a text that is not looked for (a file, the step summary).
        run_id: see ``marker``.
        relayed_from: page of the fork's run that reports this, which nobody here has checked: the text then says so
            first, has no green headline, and has neither a command of the report's nor links to its lines. None for
            a run of our own.
        source_url: address of all files at the commit that was measured, ``https://github.com/acme/evals/blob/<sha>``,
            to link golden lines to; None for no links.
        desk: commands, ours, to draw what a fork proposes; shown for what was held back or is relayed.
        said: says what there is to say of a case.

    Raises:
        DoesNotFit: ``limit`` is too small for the shortest form.
    """
    relayed = relayed_from is not None
    if relayed:  # nobody is to copy a command out of a stranger's report
        report = replace(report, manifest=replace(report.manifest, repeat_command=""))
    source = None if relayed else source_url
    shown = Shown(report=report, limit=limit, source=source, relayed=relayed, said=said)
    blocks = _blocks(shown, relayed_from, desk if relayed or report.held is not None else (), report_location)
    if comment_id is not None:
        blocks.append(Block(text=marker(comment_id, run_id)))
    notice = partial(_notice, location=report_location)
    # One byte is left for the line feed at the end.
    return f"{fit(blocks, limit=limit - 1, left_out=shown.left_out, notice=notice)}\n"


def _blocks(shown: Shown, relayed_from: str | None, desk: Sequence[str], location: str | None) -> list[Block]:
    """Return what a comment consists of, but for its marker."""
    report = shown.report
    return [
        *_heading(report, relayed_from),
        Block(text=markdown(lead.lead(report))),
        *_next(report, desk),
        *_alerts(report, shown.source),
        *urgent_blocks(shown, _causes(report)),
        *deck_blocks(shown),
        *passing_blocks(shown),
        *_notes(report),
        *_truth(report),
        *_footer(report, location),
    ]


def _heading(report: Report, relayed_from: str | None) -> list[Block]:
    """Return the verdict in one line; for a fork's own report without a colour, and with where it comes from."""
    if relayed_from is None:
        return [Block(text=f"### {words.SYMBOLS[report.verdict]} {report.headline}")]
    said = report.headline.removeprefix(f"{PRODUCT}: ").replace(f": {FORK}", "")
    log = link("its log", relayed_from)
    known = "its figures fit together; whether its draws were made cannot be known here."
    source = f"That run ({log}) followed the fork's own workflow file: {known}"
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


@frozen
class _Steps:
    noun: str
    total: int
    most: int
    shorter: tuple[tuple[int, int], ...]


def _alerts(report: Report, source: str | None) -> list[Block]:
    changes = len(report.loosened) + len(report.edited_gold) + len(report.removed)
    others = (lead.warned, lead.not_independent, lead.not_looked_for, lead.failed_probes)
    warnings = changes + sum(len(found(report)) for found in others) + bool(graded_words.untested(report))
    decks, warn = len(report.decks), partial(comment_parts.warnings, source=source)
    return [
        *_listing(
            comment_parts.held_decks, report, _Steps(noun="deck name", total=decks, most=5, shorter=_SHORTER[1:])
        ),
        *_listing(warn, report, _Steps(noun="warning", total=warnings, most=10, shorter=_SHORTER)),
    ]


def _causes(report: Report) -> list[Block]:
    causes = len(lead.missing_draws(report))
    return _listing(comment_parts.missing, report, _Steps(noun="cause", total=causes, most=5, shorter=_SHORTER))


def _notes(report: Report) -> list[Block]:
    notes = len(lead.notes(report))
    return _listing(comment_parts.notes, report, _Steps(noun="note", total=notes, most=5, shorter=_SHORTER))


def _truth(report: Report) -> list[Block]:
    without = sum(not result.has_expected for result in report.cases)
    steps = _Steps(noun="case name", total=without, most=5, shorter=((0, Step.SHORTER),))
    return _listing(comment_parts.truth, report, steps)


def _next(report: Report, desk: Sequence[str]) -> list[Block]:
    step = lead.next_step(report)
    # A part of a command would do something else.
    shown = all(len(command) <= COMMAND for command in desk)
    commands = ", then ".join(code(command, COMMAND) for command in desk) if shown else ""
    return [
        *([Block(text=f"**Next:** {markdown(step)}")] if step else []),
        *([Block(text=f"To draw it on a desk: {commands}.")] if commands else []),
    ]


def _footer(report: Report, location: str | None) -> list[Block]:
    full, short = (comment_parts.footer(report, full=full, location=location) for full in (True, False))
    return _shrinking(full, Form(text=short, step=Step.SHORTEST, lost="part of the footer"))


def _notice(missing: Mapping[str, int], location: str | None) -> Block:
    what: Phrase = words.listed([(words.count(number, noun),) for noun, number in missing.items()], 10)
    where = "in the run's report files" if location is None else f"in the {link('full report', location)}"
    return Block(text=f"**Shortened to fit.** Left out or cut: {markdown(what)}. Everything is {where}.")
