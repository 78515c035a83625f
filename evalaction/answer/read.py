"""From a reply to the answer that its contract asks for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalaction.answer.json_text import read_json
from evalaction.answer.reading import Reading, Unreadable
from evalaction.answer.reply import why_no_answer
from evalaction.answer.text import read_exact, read_text
from evalaction.records.case import Contract, Grader
from evalaction.records.draw import Reply
from evalaction.values import JSON


def read_answer(reply: Reply, contract: Contract) -> Reading | Unreadable:
    """Read the answer that ``contract``'s grader finds in ``reply``, or why there is none."""
    cause = why_no_answer(reply)
    if cause is not None or reply.text is None:
        return Unreadable(cause=cause or "empty: no content")
    if contract.grader is Grader.EXACT:
        return read_exact(reply.text)
    if contract.grader is Grader.TEXT:
        return read_text(reply.text)
    reading = read_json(reply.text, arrays=asks_for_array(contract))
    if isinstance(reading, Unreadable) or not contract.projection:
        return reading
    if not isinstance(reading.value, dict):
        return Unreadable(cause=f"not an object: {a_kind(reading.value)} has none of the keys that are asked for")
    return replace(reading, answer=project(reading.value, contract.projection))


def project(value: dict[str, JSON], keys: Sequence[str]) -> dict[str, JSON]:
    """Return the part of an object under ``keys``; a key that it lacks stays absent, which is not ``null``."""
    return {key: value[key] for key in keys if key in value}


def asks_for_array(contract: Contract) -> bool:
    """Return whether the schema's own ``type`` admits an array."""
    document = None if contract.schema is None else contract.schema.document
    kind = document.get("type") if isinstance(document, dict) else None
    return kind == "array" or (isinstance(kind, list) and "array" in kind)


def a_kind(value: JSON) -> str:
    """Return what kind of JSON value ``value`` is, with its article: ``an array``, ``null``."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, str):
        return "a string"
    return "a boolean" if isinstance(value, bool) else "a number"
