"""Values that stand side by side, cut so that a reader sees where they differ. Pure."""

from __future__ import annotations

import os
from collections.abc import Sequence

from evalaction.report.untrusted import Quoted, quoted, shorten, shorten_start

_BEFORE = 4
"""One part in so many of what is shown stands before the first difference."""


def apart(texts: Sequence[str], limit: int) -> list[Quoted]:
    """Return the texts as they are shown: from their beginning, or else from just before where they first differ.

    Args:
        texts: any texts, equal ones among them or not.
        limit: characters shown of each, 8 or more.

    Returns:
        As many pieces, in the same order. Two of them look the same only where the texts are equal.
    """
    starts = dict.fromkeys(texts, 0)
    while same := _looking_the_same(starts, limit):
        for group in same:
            differ = len(os.path.commonprefix(group))
            starts.update(dict.fromkeys(group, differ - limit // _BEFORE))
    return [quoted(_from(text, starts[text]), limit) for text in texts]


def _looking_the_same(starts: dict[str, int], limit: int) -> list[list[str]]:
    """Return the groups of different texts of which the same is shown."""
    groups: dict[str, list[str]] = {}
    for text, start in starts.items():
        groups.setdefault(shorten(_from(text, start), limit), []).append(text)
    return [group for group in groups.values() if len(group) > 1]


def _from(text: str, start: int) -> str:
    return shorten_start(text, len(text) - start + 1) if start > 0 else text
