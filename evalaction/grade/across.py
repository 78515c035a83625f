"""Replies that draws of different cases share, found over a whole run as the draws come. No I/O.

Cases that send the same text may be given the same replies by a cache: each case looks sound by itself then, since its
own draws differ, and yet the later one was not drawn.
"""

from __future__ import annotations

from collections import Counter

from evalaction.grade.independence import is_unique
from evalaction.records.draw import Draw

Key = tuple[str, str]
"""(path, id) of a case."""

_PAIRS = 3
"""Pairs of cases that are named."""


class Across:
    """What response ids have come in a run, and from which case first."""

    def __init__(self) -> None:
        # Of an id its hash: there may be very many, and two of a million are alike by chance once in 10^7 runs.
        self._first: dict[int, Key] = {}
        self._shared: Counter[tuple[Key, Key]] = Counter()

    def draw(self, draw: Draw) -> None:
        """Take note of a draw; ids that may come twice by chance tell nothing here."""
        reply, case = draw.reply, (draw.path, draw.id)
        if reply is None or reply.id is None or not is_unique(reply.id):
            return
        first = self._first.setdefault(hash((reply.id, reply.choice)), case)
        if first != case:
            self._shared[case, first] += 1

    def notes(self) -> tuple[str, ...]:
        """Return what a reader must know, the cases with the most such draws first: one line a pair, a few at most."""
        pairs = sorted(self._shared.items(), key=lambda pair: (-pair[1], pair[0]))
        said = [_note(count, case, first) for (case, first), count in pairs[:_PAIRS]]
        more = sum(count for _, count in pairs[_PAIRS:])
        rest = f"{more:,} more {'draw has' if more == 1 else 'draws have'} response ids of draws of other cases."
        return (*said, rest) if more else tuple(said)


def _note(count: int, case: Key, first: Key) -> str:
    one, other = ("#".join(key) for key in (case, first))
    if count == 1:
        return f"1 draw of {one} has the response id of a draw of {other}: it may be a reply shown again."
    return f"{count:,} draws of {one} have the response ids of draws of {other}: they may be replies shown again."
