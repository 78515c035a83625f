"""Untrusted text as the name of a file: one segment of a path, on every system, and no two texts share it.

Pure. A name is made of ``a-z 0-9 . _ -`` alone, so it is the same name where case or Unicode's normal forms are not
told apart, in an archive, and on a command line.
"""

from __future__ import annotations

import hashlib
import unicodedata

from evalaction import late

MAX_NAME = 120
"""Bytes of a name, its suffix included: below the 143 of encrypted folders and the 255 of most file systems."""

_DIGITS = 32
"""Hexadecimal digits of a SHA-256 that tell texts apart: 128 bits, so that nobody finds two that share them."""
_PLAIN = late.pattern(r"[a-z0-9]([a-z0-9._-]*[a-z0-9_])?")
_TOLD_APART = late.pattern(rf"(?:.*-)?[0-9a-f]{{{_DIGITS}}}")
_OTHERS = late.pattern(r"[^a-z0-9_]+")
_LONGEST_SUFFIX = 20
_SUFFIX = late.pattern(r"(\.[a-z0-9]+)*")
# Whatever follows a dot: https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_RESERVED = late.pattern(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


def file_name(text: str, suffix: str = "") -> str:
    """Return the name of a file for ``text``: the text itself where it can be one, else what can be read of it.

    A text that is no plain name (too long, reserved, with other characters than a name may have) is told apart by
    digits of its SHA-256 behind what can be read of it. A plain name that looks like such a one is no exception.

    Args:
        text: any text.
        suffix: ours, put behind it: ``.json``; 20 characters at most. Names are told apart within one suffix.

    Returns:
        1 to ``MAX_NAME`` bytes of ASCII, neither beginning nor ending with a dot or a hyphen.

    Raises:
        ValueError: the suffix is none.
    """
    if len(suffix) > _LONGEST_SUFFIX or not _SUFFIX.fullmatch(suffix):
        raise ValueError("the suffix is no suffix of a file's name")
    room = MAX_NAME - len(suffix)
    if len(text) <= room and _is_plain(text):
        return text + suffix
    digits = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    read = _readable(text, room - _DIGITS - 1)
    return f"{read}-{digits}{suffix}" if read else digits + suffix


def _is_plain(text: str) -> bool:
    return bool(_PLAIN.fullmatch(text)) and not _RESERVED.fullmatch(text) and not _TOLD_APART.fullmatch(text)


def _readable(text: str, limit: int) -> str:
    """Return what of ``text`` is letters and digits without their accents, ``limit`` characters at most."""
    # A beginning is enough: whatever a character is written out as, it is not fewer characters.
    letters = unicodedata.normalize("NFKD", text[: 4 * limit]).casefold()
    marks = "".join(character for character in letters if not unicodedata.combining(character))
    return _OTHERS.sub("-", marks).strip("-_")[:limit].rstrip("-_")
