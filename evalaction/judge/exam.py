"""Everything that a judge is asked about a deck: the exam in its orders, other wordings, planted traces. Pure."""

from __future__ import annotations

from evalaction.judge.probes import probes_of
from evalaction.judge.request import exam_requests, frame_of
from evalaction.judge.wordings import wordings_of
from evalaction.records.deck import Deck
from evalaction.records.exam import Exam


def exam_of(deck: Deck) -> Exam:
    """Return everything that a judge is asked about a deck.

    No byte of any request depends on gold labels, ids, notes, tags or the order of the file.

    Args:
        deck: see ``requests_of``.

    Raises:
        ValueError: fewer than two fixtures, or fewer than one repeat.
    """
    frame = frame_of(deck)
    return Exam(requests=exam_requests(frame), wordings=wordings_of(frame), probes=probes_of(frame))
