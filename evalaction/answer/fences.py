"""Fenced blocks of a Markdown text, found as CommonMark finds them. Pure.

Two departures: a fence may be indented by any number of blanks (models fence inside lists), and JSON that begins
on the opening line is part of what the block holds (models write it there). No line of a JSON value can begin
with a fence, since a string holds no line break.

Source: CommonMark 0.31.2, section 4.5, https://spec.commonmark.org/0.31.2/#fenced-code-blocks
"""

from __future__ import annotations

import re

from evalaction import late
from evalaction.frozen import frozen

MAX_FENCES = 10_000
"""Fenced blocks beyond which a text is refused: keeps time and memory small."""

_BEGINS = r'(?:\{(?=[ \t\r]*(?:["}]|$))|\[(?=[ \t\r]*(?:["{\[]|$)))'
_JSON = late.pattern(_BEGINS)
"""JSON that begins in an info string; ``{1,3}``, ``{.python}`` and ``title="x"`` are none."""
_OPENING = late.pattern(
    rf"^[ \t]*(?:(`{{3,}}+)([^`\n]*|[^`{{\[\n]*{_BEGINS}[^\n]*[^`\s][ \t\r]*)|(~{{3,}}+)([^\n]*))$", re.MULTILINE
)
"""Backticks may stand in JSON on the line; where they end it, all of the line is prose."""


class TooManyFences(ValueError):
    """A text of more than ``MAX_FENCES`` fenced blocks. ``str()`` of it says so."""


@frozen
class Fence:
    """One fenced block. Indices are into the text, from 0."""

    language: str
    """First word of the info string, in lower case; empty without one."""
    outer: tuple[int, int]
    """From the start of the opening line to the end of the closing one."""
    inner: tuple[int, int]
    """What the block holds."""


def find_fences(text: str) -> list[Fence]:
    """Return the fenced blocks of ``text`` in their order; one without an end reaches to the end of the text.

    Raises:
        TooManyFences: there are more than ``MAX_FENCES``.
    """
    fences: list[Fence] = []
    position = 0
    while opening := _OPENING.search(text, position):
        if len(fences) == MAX_FENCES:
            raise TooManyFences(f"more than {MAX_FENCES:,} fenced blocks in the text")
        marker = opening[1] or opening[3]
        closing = _closing(marker[0], len(marker)).search(text, opening.end())
        inner_end, position = (closing.start(), closing.end()) if closing else (len(text), len(text))
        info = opening[2] or opening[4] or ""
        json = _JSON.search(info)
        words = info[: json.start() if json else None].split()
        language = words[0].lower() if words else ""
        inner = (opening.end() - (len(info) - json.start() if json else 0), inner_end)
        fences.append(Fence(language=language, outer=(opening.start(), position), inner=inner))
        if closing is None:
            break
    return fences


def _closing(character: str, length: int) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*{character}{{{length},}}+[^\S\n]*$", re.MULTILINE)
