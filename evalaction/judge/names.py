"""Names by hash: the aliases under which a judge sees items, and the line that keeps data apart. Pure.

Both are made from what is shown and from nothing else, and stand in nothing that is given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import count

from evalaction.values import canonical, sha256

_LETTERS = "bcdfghjkmnpqrstvwxz"
"""What aliases are made of: no vowel, so no word; no digit, so no number that a reply could give without quotes."""
_ALIAS_LENGTH = 6
_MARK_LENGTH = 16


def aliases_of(texts: Sequence[str], *, rubric: str, given: str, taken: Collection[str] = ()) -> tuple[str, ...]:
    """Return the alias of each item: a hash of what is shown of it, and of the rubric.

    An alias that another item has, or that stands in anything given, is passed over for the next one. Items take
    their turns by what they show, so that the place in the file decides nothing; between two that show the same it
    decides which of two aliases is whose, and no request differs.

    Args:
        texts: what is shown of each item.
        rubric: the rubric that they are judged by.
        given: everything that a request may hold beside aliases.
        taken: aliases that other items have already.
    """
    aliases: dict[int, str] = {}
    for index in sorted(range(len(texts)), key=lambda index: sha256(texts[index].encode())):
        others = {*taken, *aliases.values()}
        names = (_letters(digest) for digest in _hashes(canonical([rubric, texts[index]]).decode()))
        aliases[index] = next(name for name in names if name not in others and name not in given)
    return tuple(aliases[index] for index in range(len(texts)))


def mark_of(seed: str, *, given: str) -> str:
    """Return the line that stands before and after the data, and nowhere in what is given."""
    return next(f"=== {code} ===" for code in (digest[:_MARK_LENGTH] for digest in _hashes(seed)) if code not in given)


def _hashes(text: str) -> Iterator[str]:
    """Yield SHA-256 in hex of the text with 0, 1, … behind it."""
    return (sha256(f"{text}\n{number}".encode()) for number in count())


def _letters(digest: str) -> str:
    number = int(digest, 16)
    letters = []
    for _ in range(_ALIAS_LENGTH):
        number, letter = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(letters)
