"""The text that a completion hands over: all of it, or what one of its fences holds. Pure."""

from __future__ import annotations

from evalaction.answer.fences import Fence, find_fences
from evalaction.answer.plaintext import plain_text
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.letters import nfc


def read_artifact_text(text: str, fence: str | None) -> Reading | Unreadable:
    r"""Read a text as the graders ``diff`` and ``command`` do, without reasoning, its line ends ``\n``.

    Args:
        text: the completion.
        fence: language of the fence that holds the artifact, in lower case; empty for any; None: the whole text is
            the artifact, without the fence that stands around all of it, if one does.

    Returns:
        The text, or why there is none: no such fence, one that is never closed, two that differ.
    """
    visible = plain_text(text)
    if isinstance(visible, Unreadable):
        return visible
    whole = visible.text.replace("\r\n", "\n")
    fences = find_fences(whole)
    artifact, how = whole, Extraction.TEXT
    if fence is not None:
        found = _in_fence(whole, [each for each in fences if fence in ("", each.language)], fence)
        if isinstance(found, Unreadable):
            return found
        artifact, how = found, Extraction.FENCE
    elif fences and _is_closed(fences[0]) and not _beside(whole, fences[0]).strip():
        artifact, how = _content(whole, fences[0]), Extraction.FENCE
    return Reading(value=artifact, answer=nfc(artifact), extraction=how, after_reasoning=visible.removed)


def _in_fence(text: str, fences: list[Fence], language: str) -> str | Unreadable:
    kind = f"fence that says {language}" if language else "fence"
    if not fences:
        return Unreadable(cause=f"no {kind} in the text")
    if not all(_is_closed(each) for each in fences):
        return Unreadable(cause=f"a {kind} is never closed")
    first, *others = {_content(text, each): None for each in fences}
    return Unreadable(cause=f"ambiguous: more than one {kind}, and they differ") if others else first


def _is_closed(fence: Fence) -> bool:
    return fence.inner[1] < fence.outer[1]


def _beside(text: str, fence: Fence) -> str:
    start, end = fence.outer
    return text[:start] + text[end:]


def _content(text: str, fence: Fence) -> str:
    """Return what a fence holds, without the blanks by which the fence itself is indented (CommonMark 0.31.2, 4.5)."""
    start, end = fence.inner
    opening = text[fence.outer[0] : start]
    indent = len(opening) - len(opening.lstrip(" "))
    lines = text[start:end].removeprefix("\n").split("\n")
    return "\n".join(line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in lines)
