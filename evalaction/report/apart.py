"""Values that stand side by side, cut so that a reader sees where they differ. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.report.untrusted import Quoted, cut, quoted, shorten, shorten_start

_HEAD, _BEFORE = 3, 8
"""One part in so many of what is shown is the beginning, and stands before the first difference."""


def apart(texts: Sequence[str], limit: int) -> list[Quoted]:
    """Return the texts as they are shown: cut at their end, or else in the middle, just before they first differ.

    Args:
        texts: any texts, equal ones among them or not.
        limit: characters shown of each, 8 or more.

    Returns:
        As many pieces, in the same order. Different texts look different, unless they differ in more places than
        one piece can show.
    """
    starts = dict.fromkeys(texts, 0)
    # Each round tells at least one text more from the others of its group.
    for _ in range(len(starts) - 1):
        for group in _looking_the_same(starts, limit):
            differ = _first_difference(group) - limit // _BEFORE
            starts.update({text: max(starts[text], differ) for text in group})
    return [quoted(_without_middle(text, starts[text], limit), limit) for text in texts]


def _looking_the_same(starts: dict[str, int], limit: int) -> list[list[str]]:
    """Return the groups of different texts of which the same is shown."""
    groups: dict[str, list[str]] = {}
    for text, start in starts.items():
        groups.setdefault(shorten(_without_middle(text, start, limit), limit), []).append(text)
    return [group for group in groups.values() if len(group) > 1]


def _first_difference(texts: Sequence[str]) -> int:
    # The first and the last of sorted texts have no more in common than all of them.
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    return next((index for index, (one, other) in pairs if one != other), len(first))


def _without_middle(text: str, start: int, limit: int) -> str:
    head = cut(text, limit // _HEAD)
    return head + shorten_start(text, len(text) - start + 1) if start > len(head) else text
