"""Replies that draws of different cases share, found over a whole run as the draws come. No I/O.

Cases that send the same text may be given the same replies by a cache: each looks sound by itself then, since its own
draws differ, and yet the later one was not drawn.
"""

from __future__ import annotations

from dataclasses import replace

from evalaction.grade.independence import is_unique
from evalaction.records.draw import Draw


class Across:
    """What response ids have come in a run, and from which case first."""

    def __init__(self) -> None:
        # Of an id its hash: there may be very many, and two of a million are alike by chance once in 10^7 runs.
        self._first: dict[int, tuple[str, str]] = {}

    def marked(self, draw: Draw) -> Draw:
        """Return a draw, marked as replayed where another case has had its reply before, and nothing else marks it.

        Ids that may come twice by chance tell nothing here.
        """
        reply, case = draw.reply, (draw.path, draw.id)
        if reply is None or reply.id is None or not is_unique(reply.id):
            return draw
        # One id under other words was not shown again: some servers share it among the requests that they have at once.
        first = self._first.setdefault(hash((reply.id, reply.choice, reply.text)), case)
        if first == case or reply.replayed:
            return draw
        return replace(draw, reply=replace(reply, replayed=f"response id of {'#'.join(first)}"))
