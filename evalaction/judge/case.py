"""What a judge is asked about one draw of a case: a request with a single item. Pure.

The item shows the case's own request and the completion, under an alias; nothing of the case's expected value,
thresholds, tags or id gets into it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalaction.judge.names import aliases_of, mark_of
from evalaction.judge.prompt import line_of, messages_of, sendable
from evalaction.judge.request import repeated, request_for
from evalaction.records.case import CaseJudge
from evalaction.records.judge import JudgeRequest
from evalaction.values import JSON, canonical, sha256


def case_requests(judge: CaseJudge, *, messages: Sequence[Mapping[str, JSON]], text: str) -> tuple[JudgeRequest, ...]:
    """Return what a judge is asked about one completion.

    Args:
        judge: of the case.
        messages: what the case asked.
        text: the completion, as it came. Any text at all.

    Returns:
        One request, as it is asked ``judge.repeats`` times. It is the same for equal texts of a case.
    """
    content: dict[str, JSON] = {"task": _task(messages), "trace": sendable(text)}
    item = line_of(content)
    given = "\n".join([judge.rubric, *judge.labels, item])
    aliases = aliases_of([item], rubric=judge.rubric, given=given)
    asked = messages_of(
        [line_of({"id": aliases[0], **content})],
        rubric=judge.rubric,
        labels=judge.labels,
        mark=mark_of(sha256(canonical([judge.rubric, [*judge.labels], [item]])), given=given),
    )
    return repeated(request_for(asked, order=(0,), aliases=aliases, labels=judge.labels), judge.repeats)


def _task(messages: Sequence[Mapping[str, JSON]]) -> JSON:
    """Return the text of a single user message, and all messages of any other chat."""
    if len(messages) == 1:
        message = messages[0]
        text = message.get("content")
        if message.keys() == {"role", "content"} and message["role"] == "user" and isinstance(text, str):
            return text
    return [dict(message) for message in messages]
