"""From a reply to the answer that its contract asks for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from evalaction.answer.artifact import read_artifact_text
from evalaction.answer.choice import read_choice
from evalaction.answer.equality import normal, projected
from evalaction.answer.fences import TooManyFences
from evalaction.answer.json_text import read_json
from evalaction.answer.match import read_match
from evalaction.answer.number import read_number
from evalaction.answer.reading import Reading, Unreadable, a_kind
from evalaction.answer.reply import why_no_answer
from evalaction.answer.text import read_exact, read_text
from evalaction.records.case import Contract, Grader
from evalaction.records.draw import Reply
from evalaction.values import JSON


def read_answer(reply: Reply, contract: Contract) -> Reading | Unreadable:
    """Read the answer that ``contract``'s grader finds in ``reply``, or why there is none.

    What a judge or a command makes of it is not known here: of theirs it returns what they are to be shown.
    """
    cause = why_no_answer(reply)
    if cause is not None or reply.text is None:
        return Unreadable(cause=cause or "empty: no content")
    try:
        return _READERS[contract.grader](reply.text, contract)
    except TooManyFences as error:
        return Unreadable(cause=str(error))


def _json(text: str, contract: Contract) -> Reading | Unreadable:
    reading = read_json(text, arrays=asks_for_array(contract))
    if isinstance(reading, Unreadable):
        return reading
    if isinstance(reading.value, dict):
        return replace(reading, answer=projected(reading.value, contract.projection, contract.compare))
    if contract.projection:
        return Unreadable(cause=f"not an object: {a_kind(reading.value)} has none of the keys that are asked for")
    return replace(reading, answer=normal(reading.value))


def _diff(text: str, contract: Contract) -> Reading | Unreadable:
    """Read the text that is held against a file; the line feeds at its very end say nothing."""
    reading = read_artifact_text(text, contract.fence)
    if isinstance(reading, Unreadable):
        return reading
    return replace(reading, value=_without_last_feeds(reading.value), answer=_without_last_feeds(reading.answer))


def _artifact(text: str, contract: Contract) -> Reading | Unreadable:
    """Read what a command is run on: a JSON value where the contract asks for a form, a text otherwise."""
    if contract.asks_for_form:
        return _json(text, contract)
    return read_artifact_text(text, contract.fence)


_READERS: Mapping[Grader, Callable[[str, Contract], Reading | Unreadable]] = {
    Grader.JSON: _json,
    Grader.TEXT: lambda text, _: read_text(text),
    Grader.EXACT: lambda text, _: read_exact(text),
    Grader.CHOICE: lambda text, contract: read_choice(text, contract.labels),
    Grader.REGEX: lambda text, contract: read_match(text, contract.regex or ""),
    Grader.NUMBER: lambda text, contract: read_number(text, contract.whole),
    Grader.DIFF: _diff,
    Grader.JUDGE: lambda text, _: read_exact(text),
    Grader.COMMAND: _artifact,
}
"""Which reader a grader has."""


def _without_last_feeds(value: JSON) -> JSON:
    return value.rstrip("\n") if isinstance(value, str) else value


def asks_for_array(contract: Contract) -> bool:
    """Return whether the schema's own ``type`` admits an array."""
    document = None if contract.schema is None else contract.schema.document
    kind = document.get("type") if isinstance(document, dict) else None
    return kind == "array" or (isinstance(kind, list) and "array" in kind)
