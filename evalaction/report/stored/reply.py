"""What came of one request to a judge, read back from a stored report. Pure.

The labels are read once more from the reply that stands there, as they were when it came. Where a secret was taken
out of the reply that may come to something else; only there the labels that stand beside it are taken, as far as
what can still be read does not contradict them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalaction.judge.labels import VERDICTS
from evalaction.judge.reply import read_reply
from evalaction.records.draw import Draw
from evalaction.records.judge import Judged, JudgeRequest, Labels, Outcome, Unjudged
from evalaction.redact import REDACTED
from evalaction.report.decks.document import STRANGE
from evalaction.report.stored.pieces import Unfit, seconds, stored_failure, stored_reply, whole

MAX_TEXT = 4 * 1024 * 1024
"""Characters of a reply beyond which it cannot have come: a response has no more bytes."""

_REPLY = ("reply", "finish_reason", "refusal", "response_id", "created", "model", "system_fingerprint", "replayed")
"""What a reply may have, and a missing one has not."""
_SAID = ("tool_calls", "reasoning", "choice", "tokens")
"""What every reply has, and a missing one has not."""

_OTHER_STATE = "what came of a request to a judge is not what its state says"


def outcome(document: Any, request: JudgeRequest, *, here: Draw, labels: tuple[str, ...], said: Labels) -> Outcome:
    """Return what came of one request.

    Args:
        document: the run of a deck, or what a judge said of a draw.
        request: what was asked.
        here: the draw without what came of it.
        labels: what may be answered.
        said: the labels as they stand in the document.

    Raises:
        Unfit: no judge can have left this.
    """
    first = None if document["first_reply"] is None else _draw(document["first_reply"], here)
    draw = _draw(document, here)
    missing = document["state"] == "missing"
    stray = (said.unreadable, *said.strange, *_labels(said), *(cause for _, cause in said.causes))
    if (
        missing != (document["error"] is not None)
        or missing != (draw.reply is None)
        or (missing and (document["repaired"] or any(text is not None for text in stray)))
        or (not missing and document["repaired"] != (first is not None))
        or (first is not None and first.reply is None)
    ):
        raise Unfit(_OTHER_STATE)
    if first is not None and not _is_redacted(first, labels):
        _check_unreadable(read_reply(request, first, labels=labels), wanted=True)
    if missing:
        return Unjudged(request=request, draw=replace(draw, failure=stored_failure(document["error"])), first=first)
    judged = read_reply(request, draw, labels=labels, first=first)
    judged = replace(judged, labels=_agreed(judged.labels, said, redacted=_is_redacted(draw, labels), labels=labels))
    if first is None:
        # Whatever cannot be read is asked for again.
        _check_unreadable(judged, wanted=False)
    return judged


def names(aliases: Sequence[str]) -> tuple[str, ...]:
    """Return the names under which a judge saw what it judged.

    Raises:
        Unfit: no reply could be read by them.
    """
    if len(set(aliases)) != len(aliases) or any(name != name.strip() or name in {"", VERDICTS} for name in aliases):
        raise Unfit("a judge was asked under names that tell nothing apart")
    return tuple(aliases)


def _draw(document: Any, here: Draw) -> Draw:
    said = [document[name] is not None for name in _SAID]
    if any(said) != all(said) or (not any(said) and any(document[name] is not None for name in (*_REPLY, "replay_of"))):
        raise Unfit(_OTHER_STATE)
    if len(document["reply"] or "") > MAX_TEXT:
        raise Unfit("a reply is longer than any that is taken")
    return replace(
        here,
        seed=document["seed"],
        reply=stored_reply(document, text=document["reply"]) if all(said) else None,
        latency_s=None if document["latency_s"] is None else seconds(document["latency_s"]),
        tries=whole(document["tries"]),
        replay_of=document["replay_of"],
    )


def _is_redacted(draw: Draw, labels: Sequence[str]) -> bool:
    reply = draw.reply
    texts = () if reply is None else (reply.text, reply.finish_reason, reply.refusal)
    return any(REDACTED in text for text in (*texts, *labels) if text is not None)


def _check_unreadable(judged: Judged, *, wanted: bool) -> None:
    if (judged.labels.unreadable is not None) is not wanted:
        raise Unfit("a judge was asked once more for a reply that can be read, or was not for one that cannot")


def _agreed(read: Labels, said: Labels, *, redacted: bool, labels: Sequence[str]) -> Labels:
    """Return what a reply says: as it is read now, or as it was read before secrets were taken out of it."""
    if replace(read, strange=read.strange[:STRANGE]) == said:
        return read
    lost = {alias for alias, label in said.by_alias if label is None}
    fits = (
        redacted
        and all(label in labels for _, label in said.by_alias if label is not None)
        and all(None in {one, other} or one == other for one, other in zip(_labels(read), _labels(said), strict=True))
        and {alias for alias, _ in said.causes} == lost
        and (said.unreadable is None or len(lost) == len(said.by_alias))
    )
    if not fits:
        raise Unfit("a label is not what the judge's reply says")
    return said


def _labels(said: Labels) -> list[str | None]:
    return [label for _, label in said.by_alias]
