"""What is shown of untrusted text, whatever the place: nothing that cannot be seen, and no more than there is room for.

Pure. What cannot be seen (control, bidirectional and zero-width characters, halves of surrogate pairs) is shown by its
number: ⟨U+202E⟩.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import TypeAlias

from evalaction import late
from evalaction.frozen import frozen

EMPTY = "⟨empty⟩"
"""Shown in place of no text at all, since a code span cannot be empty."""
INLINE = 200
"""Characters of one inline text beyond which it is cut, unless a place asks for less."""
_EMOJI = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
# The two exceptions are what emoji are made of: a variation selector behind a symbol, a joiner between two.
_UNSEEN = late.pattern(
    rf"(?<![{_EMOJI}])[\ufe0e\ufe0f]"
    rf"|(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])"
    r"|[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    r"\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\ud800-\udfff\ufdd0-\ufdef\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0").union(
    map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""What cannot be seen and is printable in Python's eyes."""
_ZERO_WIDTH_JOINER = "\u200d"
_DIFFERENT_MARKS = str.maketrans({"\n": "⏎", "\t": "⇥"})


@frozen
class Quoted:
    """A piece of untrusted text within a sentence of ours."""

    text: str
    limit: int = INLINE
    """Characters beyond which it is cut."""
    keep_end: bool = False
    """Cut the beginning rather than the end: for paths."""
    page: str | None = None
    """Address that a comment's Markdown links it to, of ``file_page``; None for none."""


Phrase: TypeAlias = "tuple[str | Quoted, ...]"
"""A sentence: our own plain words, with untrusted text between them."""


def quoted(text: str, limit: int = INLINE) -> Quoted:
    """Mark ``text`` as untrusted within a phrase."""
    return Quoted(text=text, limit=limit)


def cut(text: str, limit: int) -> str:
    """Return the beginning of ``text``, ``limit`` characters at most, without splitting what is one sign to a reader.

    Args:
        text: any text.
        limit: 1 or more.
    """
    if len(text) <= limit:
        return text
    end = limit
    while end and _continues(text, end):
        end -= 1
    return text[: end or limit]


def _continues(text: str, index: int) -> bool:
    """Return whether the character at ``index`` belongs to the sign before it."""
    before, here = text[index - 1], text[index]
    if _ZERO_WIDTH_JOINER in {before, here} or unicodedata.category(here)[0] == "M":
        return True
    if "\U0001f1e6" <= here <= "\U0001f1ff":  # flags are pairs of these, so an odd number before makes this a second
        start = index
        while start and "\U0001f1e6" <= text[start - 1] <= "\U0001f1ff":
            start -= 1
        return (index - start) % 2 == 1
    return (
        "\U0001f3fb" <= here <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= here <= "\U000e007f"  # the tags of a flag
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= here <= "\udfff")
        or (before == "\r" and here == "\n")
    )


def shorten(text: str, limit: int) -> str:
    """Return ``text`` with its end cut to ``limit`` characters, and ``…`` in place of what was cut."""
    return text if len(text) <= limit else cut(text, limit - 1) + "…"


def shorten_start(text: str, limit: int) -> str:
    """Return ``text`` with its beginning cut to ``limit`` characters, and ``…`` in place of what was cut."""
    if len(text) <= limit:
        return text
    first = start = len(text) - limit + 1
    while start < len(text) and _continues(text, start):
        start += 1
    return "…" + (text[start:] or text[first:])


def visible(text: str) -> str:
    """Return ``text`` with everything that cannot be seen shown by its number; line feeds and tabs stay."""
    return replace_unseen(text, numbered)


def numbered(character: str) -> str:
    """Return the number of a character, as it is shown in its place."""
    return f"⟨U+{ord(character):04X}⟩"


def replace_unseen(text: str, shown: Callable[[str], str]) -> str:
    """Return ``text`` with ``shown`` of it in place of every character that cannot be seen; see ``visible``."""
    if text.isprintable() and (text.isascii() or _BLANK.isdisjoint(text)):  # as most text is
        return text
    return _UNSEEN.sub(lambda match: shown(match[0]), text)


def one_line(text: str) -> str:
    """Return the whole of ``text`` as one visible line: marks in place of line feeds and tabs."""
    return visible(text.translate(_DIFFERENT_MARKS))


def line(text: str, limit: int = INLINE) -> str:
    """Return ``text`` as one visible line: for a terminal, a log, a one-line value."""
    return one_line(shorten(text, limit))


def plain(phrase: Phrase) -> str:
    """Render a phrase for a terminal or a log."""
    return "".join([part if isinstance(part, str) else phrase_line(part) or EMPTY for part in phrase])


def kept(part: Quoted) -> str:
    """Return the text of ``part``, its beginning cut if its end is to be kept."""
    return shorten_start(part.text, part.limit) if part.keep_end else part.text


def phrase_line(part: Quoted) -> str:
    """Return ``part`` as one visible line, no longer than it asks for."""
    return line(kept(part), part.limit)
