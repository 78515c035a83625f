"""A text as an answer: whole, or in the normal form in which case and white space do not count. Pure."""

from __future__ import annotations

import re
import unicodedata

from evalaction.answer.json_text import UNCLOSED
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.answer.reasoning import without_reasoning

MAX_MARKS = 100
"""Combining marks in a row beyond which a text is refused: Unicode's normal forms take quadratic time over them."""

_NOT_ASCII = re.compile(rf"[^\x00-\x7f]{{{MAX_MARKS + 1},}}")


def read_text(text: str) -> Reading | Unreadable:
    """Read a text as the grader ``text`` does: without reasoning, in normal form."""
    visible = without_reasoning(text, in_json=False)
    if visible.unclosed:
        return Unreadable(cause=UNCLOSED)
    if visible.removed and not visible.text.strip():
        return Unreadable(cause="nothing but reasoning")
    if cause := why_unusable(visible.text):
        return Unreadable(cause=cause)
    answer = normal_form(visible.text)
    return Reading(value=answer, answer=answer, extraction=Extraction.TEXT, after_reasoning=visible.removed)


def read_exact(text: str) -> Reading | Unreadable:
    """Read a text as the grader ``exact`` does: every character of it, reasoning and white space included."""
    if _half_of_a_pair(text):
        return Unreadable(cause="half of a surrogate pair in the text")
    return Reading(value=text, answer=text, extraction=Extraction.TEXT)


def normal_form(text: str) -> str:
    """Return ``text`` in Unicode NFC, with case and white space folded and none at its ends.

    Source: the Unicode Standard 16.0, section 3.13, D145 (canonical caseless matching), with NFC in place
    of NFD at the end.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())
    return " ".join(folded.split())


def why_unusable(text: str) -> str | None:
    """Return why no normal form of ``text`` is made, or None."""
    if _half_of_a_pair(text):
        return "half of a surrogate pair in the text"
    for match in _NOT_ASCII.finditer(text):
        run = 0
        for character in match.group():
            run = run + 1 if unicodedata.combining(character) else 0
            if run > MAX_MARKS:
                return f"more than {MAX_MARKS} combining marks in a row"
    return None


def _half_of_a_pair(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
