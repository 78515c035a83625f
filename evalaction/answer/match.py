"""What a pattern finds in a text, as an answer. Pure."""

from __future__ import annotations

from evalaction.answer.plaintext import plain_text, quoted
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.letters import nfc
from evalaction.pattern import PatternError, TooSlow, compile_pattern


def read_match(text: str, pattern: str) -> Reading | Unreadable:
    """Read a text as the grader ``regex`` does: what the first group of each match holds, without reasoning.

    A carriage return before a line feed is no part of the text.

    Args:
        text: the completion.
        pattern: its first group is the answer, or the whole match where it has no group.

    Returns:
        The answer, or why there is none: no match, a group that holds nothing, matches that differ, a search that
        would take too long.
    """
    visible = plain_text(text)
    if isinstance(visible, Unreadable):
        return visible
    found: str | None = None
    try:
        for group in compile_pattern(pattern).groups_in(visible.text.replace("\r\n", "\n")):
            if not group:
                return Unreadable(cause="the pattern matches, and what it is to find there is empty")
            if found is not None and nfc(group) != nfc(found):
                return Unreadable(cause=f"ambiguous: the pattern finds {quoted(found)} and {quoted(group)}")
            found = group
    except (PatternError, TooSlow) as error:
        return Unreadable(cause=str(error))
    if found is None:
        return Unreadable(cause="the pattern matches nowhere in the text")
    return Reading(value=found, answer=nfc(found), extraction=Extraction.MATCH, after_reasoning=visible.removed)
