"""Texts whose spellings Unicode holds to be one: normalised, folded, and refused where that takes too long. Pure.

Source: the Unicode Standard 16.0, section 3.11 (normal forms) and section 3.13, D145 (caseless matching).
"""

from __future__ import annotations

import sys
import unicodedata
from functools import lru_cache

MAX_MARKS = 100
"""Combining marks in a row beyond which a text is refused: Unicode's normal forms take quadratic time over them."""


def nfc(text: str) -> str:
    """Return ``text`` in Unicode NFC; as it is where ``why_unusable`` has something to say of it."""
    return text if text.isascii() or has_too_many_marks(text) else unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """Return ``text`` in NFC with the case of letters folded; as it is where it has too many marks in a row."""
    if text.isascii():
        return text.lower()
    if has_too_many_marks(text):
        return text
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def why_unusable(text: str) -> str | None:
    """Return why no normal form of ``text`` is made, or None."""
    if half_of_a_pair(text):
        return "half of a surrogate pair in the text"
    return f"more than {MAX_MARKS} combining marks in a row" if has_too_many_marks(text) else None


def has_too_many_marks(text: str) -> bool:
    """Return whether more than ``MAX_MARKS`` characters in a row are combining marks."""
    if text.isascii() or len(text) <= MAX_MARKS:
        return False
    # So many in a row cannot stand between two of the characters that are looked at.
    step, marks = MAX_MARKS + 1, _marks()
    looked_at = enumerate(text[MAX_MARKS::step])
    return any(_run(text, MAX_MARKS + index * step, marks) for index, character in looked_at if character in marks)


def _run(text: str, index: int, marks: frozenset[str]) -> bool:
    """Return whether the mark at ``index`` is one of too many in a row."""
    before = next((n for n in range(MAX_MARKS + 1) if index < n + 1 or text[index - n - 1] not in marks), MAX_MARKS)
    after = next((n for n in range(MAX_MARKS + 1) if text[index + n + 1 : index + n + 2] not in marks), MAX_MARKS)
    return before + 1 + after > MAX_MARKS


def half_of_a_pair(text: str) -> bool:
    """Return whether a half of a surrogate pair stands in ``text`` alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


@lru_cache(maxsize=1)
def _marks() -> frozenset[str]:
    """Return the characters that the normal forms put into order.

    Some stand for two marks without being one themselves (U+0F73), so the decomposition is looked at.
    """
    return frozenset(
        character
        for character in map(chr, range(0x80, sys.maxunicode + 1))
        if unicodedata.combining(unicodedata.normalize("NFD", character)[0])
    )
