"""A completion as the graders that read plain text see it: without reasoning, and fit to be compared. Pure."""

from __future__ import annotations

from evalaction import late
from evalaction.answer.json_text import UNCLOSED
from evalaction.answer.reading import Unreadable
from evalaction.answer.reasoning import Visible, without_reasoning
from evalaction.letters import why_unusable
from evalaction.suite.fields import cut

_LOOKED_AT = 1_000
"""Characters of a text that a quotation is made from."""
_BLANK_LINES = late.pattern(r"(?:[^\S\n]*\n)+|[^\S\n]+")
"""What stands between reasoning and the text: blank lines, or blanks on the line that it ends on."""


def plain_text(text: str) -> Visible | Unreadable:
    """Return the text without its reasoning, and without the blank lines where that stood, or why there is none.

    Blanks at the start of the first line after it stay: they may be those of indented code.
    """
    visible = without_reasoning(text, in_json=False)
    if visible.unclosed:
        return Unreadable(cause=UNCLOSED)
    if cause := why_unusable(visible.text):
        return Unreadable(cause=cause)
    if not visible.removed:
        return visible
    rest = visible.text[visible.start :].rstrip()
    between = _BLANK_LINES.match(rest) if visible.start else None
    rest = rest[between.end() :] if between else rest
    return Visible(text=rest, removed=True) if rest else Unreadable(cause="nothing but reasoning")


def quoted(text: str) -> str:
    """Return the start of ``text`` as a cause shows it, in quotation marks and in one line."""
    return cut(text[:_LOOKED_AT])
