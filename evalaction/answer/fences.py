"""Fenced blocks of a Markdown text, found as CommonMark finds them. Pure.

Two departures: a fence may be indented by any number of blanks (models fence inside lists), and a line
whose info string holds a quotation mark is no fence (models write JSON on the opening line). No line of
a JSON value can begin with a fence, since a string holds no line break.

Source: CommonMark 0.31.2, section 4.5, https://spec.commonmark.org/0.31.2/#fenced-code-blocks
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fence:
    """One fenced block. Indices are into the text, from 0."""

    language: str
    """First word of the info string, in lower case; empty without one."""
    outer: tuple[int, int]
    """From the start of the opening line to the end of the closing one."""
    inner: tuple[int, int]
    """What the block holds."""


def find_fences(text: str) -> list[Fence]:
    """Return the fenced blocks of ``text`` in their order; one without an end reaches to the end of the text."""
    fences: list[Fence] = []
    opening: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        marker, info = line.group(1), line.group(2).strip()
        if opening is None:
            if not ('"' in info or (marker[0] == "`" and "`" in info)):
                opening = line
        elif marker.startswith(opening.group(1)) and not info:
            fences.append(_fence(opening, inner_end=line.start(), outer_end=line.end()))
            opening = None
    if opening is not None:
        fences.append(_fence(opening, inner_end=len(text), outer_end=len(text)))
    return fences


def _fence(opening: re.Match[str], *, inner_end: int, outer_end: int) -> Fence:
    info = opening.group(2).split()
    return Fence(
        language=info[0].lower() if info else "",
        outer=(opening.start(), outer_end),
        inner=(opening.end(), inner_end),
    )
