"""A text as an answer: whole, or in the normal form in which case and white space do not count. Pure."""

from __future__ import annotations

from evalaction.answer.plaintext import plain_text
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.letters import fold, half_of_a_pair


def read_text(text: str) -> Reading | Unreadable:
    """Read a text as the grader ``text`` does: without reasoning, in normal form."""
    visible = plain_text(text)
    if isinstance(visible, Unreadable):
        return visible
    answer = normal_form(visible.text)
    return Reading(value=answer, answer=answer, extraction=Extraction.TEXT, after_reasoning=visible.removed)


def read_exact(text: str) -> Reading | Unreadable:
    """Read a text as the grader ``exact`` does: every character of it, reasoning and white space included."""
    if half_of_a_pair(text):
        return Unreadable(cause="half of a surrogate pair in the text")
    return Reading(value=text, answer=text, extraction=Extraction.TEXT)


def normal_form(text: str) -> str:
    """Return ``text`` in Unicode NFC, with case and white space folded and none at its ends.

    Source: the Unicode Standard 16.0, section 3.13, D145 (canonical caseless matching), with NFC in place
    of NFD at the end.
    """
    return " ".join(fold(text).split())
