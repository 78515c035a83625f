"""Two texts that look alike and are not equal: where they differ, by the numbers of their characters. Pure.

Letters of other scripts, invisible characters, other spaces, dashes and quotes, letters put together in another way.
What looks alike follows Unicode's "confusable" detection (UTS #39, section 4: texts with one skeleton), with a small
table of our own for what model texts and golden files mix up.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from evalaction.frozen import frozen
from evalaction.values import JSON

_LENGTH = 2_000
"""Characters of a text beyond which nobody looks: Unicode's normal forms are quadratic over combining marks."""
_ROOM = 10_000
"""Values and characters of two answers, together, beyond which nobody looks."""
_KEYS = 50
"""Keys of an object that the other lacks, beyond which nobody looks for what they look like."""
_CLUSTER = 4
"""Characters that are shown of one sign with its combining marks."""

_LIKE = {
    '"': "201C 201D 201E 201F 2033 02BA",
    "'": "2018 2019 201A 201B 2032 02BC 02B9 0060 00B4 A78C",
    "*": "2217",
    "-": "2010 2011 2012 2013 2014 2015 2212 FE58 FE63 2043 02D7",
    "/": "2215 2044",
    ":": "2236 A789",
    "A": "0410 0391",
    "B": "0412 0392",
    "C": "0421",
    "E": "0415 0395",
    "H": "041D 0397",
    "I": "0406 0399",
    "J": "0408",
    "K": "041A 039A",
    "M": "041C 039C",
    "N": "039D",
    "O": "041E 039F",
    "P": "0420 03A1",
    "Q": "051A",
    "S": "0405",
    "T": "0422 03A4",
    "W": "051C",
    "X": "0425 03A7",
    "Y": "0423 04AE 03A5",
    "Z": "0396",
    "a": "0430 03B1 0251",
    "b": "0432 03B2",
    "c": "0441",
    "d": "0501",
    "e": "0435",
    "g": "0261",
    "h": "04BB 043D",
    "i": "0456 03B9 0131",
    "j": "0458",
    "k": "043A 03BA",
    "l": "04CF 04C0",
    "m": "043C",
    "o": "043E 03BF 0585",
    "p": "0440 03C1",
    "q": "051B",
    "r": "0433",
    "s": "0455",
    "t": "0442 03C4",
    "u": "03C5 057D",
    "v": "0475 03BD",
    "w": "051D",
    "x": "0445 03C7",
    "y": "0443 04AF 03B3",
    "~": "223C",
}
"""A plain character, and the numbers of others that look like it."""
_ALIKE = {chr(int(number, 16)): plain for plain, numbers in _LIKE.items() for number in numbers.split()}
_IGNORED = {
    *range(0x180B, 0x1810),
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
    *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0),
}
"""What is drawn as nothing, beside the categories of controls and format characters."""
_BLANK = 0x2800
_TAKEN_APART = ("<super>", "<sub>", "<fraction>", "<circle>")
"""Compatibility forms that look different."""


@frozen
class Difference:
    """Where two texts that look alike differ first."""

    one: str
    """Characters of the one text, in numbers; empty where it has none there."""
    other: str
    position: int
    """Of the first of them, from 1, in characters of the text."""
    line: int | None = None
    """From 1, where a text of several lines is compared; the position is then within it."""

    def __str__(self) -> str:
        """Render as ``U+0430 against U+0061 at character 3``; where one has nothing, that is said of the other."""
        where = f"at character {self.position:,}{'' if self.line is None else f' of line {self.line:,}'}"
        if self.one and self.other:
            return f"{self.one} against {self.other} {where}"
        return f"{self.one or 'nothing'} {where}, where the other has {self.other or 'nothing'}"


def difference(one: str, other: str) -> Difference | None:
    """Return where two texts differ first; None where they are equal, look different or are too long.

    Args:
        one: a text of up to 2,000 characters, as it is shown: as it came, or with its case folded.
        other: the text it stands beside.
    """
    if one == other or max(len(one), len(other)) > _LENGTH or not _look_alike(one, other):
        return None
    pairs = enumerate(zip(one, other, strict=False))
    at = next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))
    # A mark belongs to the letter before it.
    while at and any(_is_mark(text[at : at + 1]) for text in (one, other)):
        at -= 1
    left, right = _sign(one, at), _sign(other, at)
    if left and right and (_is_extra(left, right) or _is_extra(right, left)):
        left, right = (left, "") if _is_extra(left, right) else ("", right)
    return Difference(one=_numbers(left), other=_numbers(right), position=at + 1)


def room() -> list[int]:
    """Return how much is looked at of two answers, for ``differences`` to take from."""
    return [_ROOM]


def differences(one: JSON, other: JSON, left: list[int] | None = None) -> Iterator[tuple[str | None, Difference]]:
    """Yield where the texts of two JSON values differ that look alike as a whole, keys of objects included.

    Args:
        one: a value.
        other: the value that it stands beside.
        left: ``room()``, where several parts of two answers share it.

    Yields:
        (the key of the outermost object that it stands under, None outside of any; the difference). Nothing where
        anything in the two values looks different.
    """
    found = []
    for pair in _walk(one, other, None, room() if left is None else left):
        if pair is None:
            return
        found.append(pair)
    yield from found


def _walk(one: JSON, other: JSON, key: str | None, left: list[int]) -> Iterator[tuple[str | None, Difference] | None]:
    """Yield each pair of texts that differ and look alike, and None for each pair of values that looks different."""
    left[0] -= 1 + sum(len(value) for value in (one, other) if isinstance(value, str) and one != other)
    if left[0] < 0:
        yield None
    elif isinstance(one, str) and isinstance(other, str):
        if one != other:
            seen = difference(one, other)
            yield None if seen is None else (key, seen)
    elif isinstance(one, dict) and isinstance(other, dict):
        yield from _objects(one, other, key, left)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for ours, theirs in zip(one, other, strict=True):
            yield from _walk(ours, theirs, key, left)
    elif type(one) is not type(other) or isinstance(one, list) or one != other:
        yield None


def _objects(
    one: dict[str, JSON], other: dict[str, JSON], key: str | None, left: list[int]
) -> Iterator[tuple[str | None, Difference] | None]:
    alone, others = [name for name in one if name not in other], [name for name in other if name not in one]
    if len(alone) != len(others) or len(alone) > _KEYS:
        yield None
        return
    shared = [(name, name) for name in one if name in other]
    for name, theirs in [*shared, *zip(sorted(alone, key=_skeleton), sorted(others, key=_skeleton), strict=True)]:
        outermost = name if key is None else key
        yield from _walk(name, theirs, outermost, left)
        yield from _walk(one[name], other[theirs], outermost, left)


def _look_alike(one: str, other: str) -> bool:
    if _skeleton(one) == _skeleton(other):
        return True
    # Where case is folded, capitals that look alike have become small letters that may not.
    folded = one == one.casefold() and other == other.casefold()
    return folded and _skeleton(one.upper()) == _skeleton(other.upper())


@lru_cache(maxsize=512)
def _skeleton(text: str) -> str:
    """Return what a text looks like: one text for all that look alike."""
    taken_apart = "".join([_plain(character) for character in unicodedata.normalize("NFD", text[:_LENGTH])])
    return " ".join(unicodedata.normalize("NFD", taken_apart).split())


def _plain(character: str) -> str:
    if character.isspace() or ord(character) == _BLANK:
        return " "
    if unicodedata.category(character) in {"Cc", "Cf"} or ord(character) in _IGNORED:
        return ""
    if character in _ALIKE:
        return _ALIKE[character]
    compatible = unicodedata.decomposition(character)
    if compatible.startswith("<") and not compatible.startswith(_TAKEN_APART):
        return unicodedata.normalize("NFKD", character)
    return character


def _is_mark(character: str) -> bool:
    return bool(character) and unicodedata.combining(character) > 0


def _sign(text: str, at: int) -> str:
    """Return the character at a place with its combining marks; empty behind the end."""
    end = at + 1
    while end < len(text) and end - at < _CLUSTER and _is_mark(text[end]):
        end += 1
    return text[at:end]


def _is_extra(left: str, right: str) -> bool:
    """Return whether ``left`` is drawn as nothing or as a space, where the other text has already what follows it."""
    if not _plain(left[0]):
        return bool(_plain(right[0]))
    return not _skeleton(left) and bool(_skeleton(right))


def _numbers(text: str) -> str:
    return " ".join([f"U+{ord(character):04X}" for character in text])
