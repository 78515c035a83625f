"""What is shown where a run ended before it had a report, or left none to the run that posts it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.records.gate import Verdict
from evalaction.report.blocks import GAP, DoesNotFit, size
from evalaction.report.comment import marker
from evalaction.report.headline import PRODUCT
from evalaction.report.untrusted import code, fence, link
from evalaction.report.words import SYMBOLS

_LINES, _LINE = 10, 500
"""Lines that stand in a list, and characters of one of them."""
_WIDEST, _FENCE = 13, 200
"""Bytes of one character at the most, as it is shown (⟨U+E0041⟩), and those of a fence and what stands below it."""


def render_ending(
    lines: Sequence[str],
    *,
    limit: int,
    run_url: str | None = None,
    comment_id: str | None = None,
    run_id: int | None = None,
) -> str:
    """Render why a run ended without a report.

    Args:
        lines: what the log says, secrets already taken out. Untrusted text, shown as text.
        limit: UTF-8 bytes of the whole text.
        run_url: page of the run; None when nobody can say.
        comment_id: see ``marker``; None for a text that is not looked for.
        run_id: see ``marker``.

    Raises:
        DoesNotFit: ``limit`` is too small for a single character of it.
    """
    head = f"### {SYMBOLS[Verdict.UNMEASURED]} {PRODUCT}: nothing was measured"
    log = "" if run_url is None else f" ({link('log', run_url)})"
    said = f"The run ended without a report{log}:"
    tail = "" if comment_id is None else f"\n\n{marker(comment_id, run_id)}"
    return _with_lines(lines, above=f"{head}\n\n{said}", below=tail, limit=limit)


def render_posting(lines: Sequence[str], *, limit: int, url: str | None = None) -> str:
    """Render what became of another run's report, for the step summary of the run that was to post it.

    Args:
        lines: what the log says. Untrusted text, shown as text.
        limit: UTF-8 bytes of the whole text.
        url: page of the comment that was written; None without one.

    Raises:
        DoesNotFit: ``limit`` is too small for a single character of it.
    """
    head = f"### {PRODUCT}: the report of another run"
    above = head if url is None else f"{head}\n\nSee {link('the comment', url)}."
    lines = [line if url is None else line.replace(f": {url}.", ".") for line in lines]
    return _with_lines(lines, above=above, below="", limit=limit)


def _with_lines(lines: Sequence[str], *, above: str, below: str, limit: int) -> str:
    """Return the lines as a list, which wraps on a narrow screen; those that are too many or too long in a fence."""
    text, rest = above, []
    for place, line in enumerate(lines):
        item = f"{GAP if text == above else chr(10)}- {code(line, _LINE)}"
        if place < _LINES and size(text + item + below) + _FENCE <= limit // 2:
            text += item
            rest += [line] if len(line) > _LINE else []
        else:
            rest.append(line)
    fits = (limit - size(f"{text}\n\n{below}\n") - _FENCE) // _WIDEST
    if fits < 1:
        raise DoesNotFit
    return f"{text}{GAP + fence(chr(10).join(rest), fits) if rest else ''}{below}\n"


def render_no_report(
    *, run_url: str, fork: bool, missing: bool, why_url: str | None, comment_id: str, run_id: int
) -> str:
    """Render that another run left nothing that can be posted, in our own words alone: its file may be a stranger's.

    Args:
        run_url: page of that run.
        fork: whether it was a fork's own, which followed the fork's workflow file.
        missing: whether it left none at all.
        why_url: page that says why what it left cannot be used; None when nobody can say.
        comment_id: see ``marker``.
        run_id: of that run; see ``marker``.
    """
    whose, which = "the fork's own run" if fork else "the run", "" if missing else " that can be used"
    head = f"### {SYMBOLS[Verdict.UNMEASURED]} {PRODUCT}: {whose} left no report{which}"
    log = f"That run ({link('its log', run_url)})"
    said = f"{log} followed the fork's own workflow file." if fork else f"{log} may say why."
    why = "" if missing or why_url is None else f" {link('The run that read it', why_url)} says what is wrong with it."
    step = "\n\n**Next:** Look into its log, and whether it uploads `evalaction-report`." if missing else ""
    return f"{head}\n\n{said}{why}{step}\n\n{marker(comment_id, run_id)}\n"
