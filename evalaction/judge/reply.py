"""From what came of a request to a judge to its labels, and how a reply that cannot be read is asked for again. Pure.

A reply that is no answer whatever its text says (cut off, refused, withheld, empty) is unreadable, as is one without
verdicts: then no fixture has a label.
"""

from __future__ import annotations

from collections.abc import Mapping

from evalaction.answer.reply import why_no_answer
from evalaction.judge.labels import no_labels, read_labels
from evalaction.judge.prompt import FORM, sendable
from evalaction.records.draw import Draw
from evalaction.records.judge import Judged, JudgeRequest
from evalaction.values import JSON

SHOWN_AGAIN = 4_000
"""Characters of an unreadable reply that the judge is shown again."""
NO_TEXT = "(no text)"
"""What stands for a reply without text: many chat templates refuse two messages of a user in a row."""
REPAIR = f"""\
Your reply could not be read as labels. {FORM}"""
"""What a judge is told whose reply cannot be read."""


def read_reply(request: JudgeRequest, draw: Draw, *, labels: tuple[str, ...], first: Draw | None = None) -> Judged:
    """Read what a judge replied.

    Args:
        request: what was asked.
        draw: what came, with a reply.
        labels: what may be answered.
        first: the unreadable reply that came before; None when this is the first.

    Raises:
        ValueError: the draw is missing, so that nothing was said.
    """
    if draw.reply is None:
        raise ValueError("a missing draw says nothing")
    cause = why_no_answer(draw.reply)
    if cause is None:
        said = read_labels(draw.reply.text or "", aliases=request.aliases, labels=labels)
    else:
        said = no_labels(request.aliases, cause)
    return Judged(request=request, labels=said, draws=(draw,) if first is None else (first, draw))


def repair_messages(request: JudgeRequest, draw: Draw) -> tuple[Mapping[str, JSON], ...]:
    """Return the chat that asks for a reply again: the request, the reply that cannot be read, and what is wanted.

    Args:
        request: what was asked.
        draw: the unreadable reply to it.
    """
    text = "" if draw.reply is None else sendable(draw.reply.text or "")[:SHOWN_AGAIN]
    said: Mapping[str, JSON] = {"role": "assistant", "content": text if text.strip() else NO_TEXT}
    return (*request.messages, said, {"role": "user", "content": REPAIR})
