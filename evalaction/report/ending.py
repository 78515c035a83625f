"""What is shown of a run that ended before it had a report. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.records.report import Verdict
from evalaction.report.blocks import DoesNotFit
from evalaction.report.comment import marker
from evalaction.report.headline import PRODUCT
from evalaction.report.untrusted import fence, link
from evalaction.report.words import SYMBOLS

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
    what = "The run ended before it could draw anything"
    said = f"{what}: see {link('its log', run_url)}." if run_url is not None else f"{what}."
    tail = "" if comment_id is None else f"\n\n{marker(comment_id, run_id)}"
    fits = (limit - len(f"{head}\n\n{said}\n\n{tail}\n".encode()) - _FENCE) // _WIDEST
    if fits < 1:
        raise DoesNotFit
    return f"{head}\n\n{said}\n\n{fence(chr(10).join(lines), fits)}{tail}\n"
