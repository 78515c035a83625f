"""What reading a completion comes to: an answer, or the cause why there is none. Pure records."""

from __future__ import annotations

from enum import StrEnum

from evalaction.frozen import frozen
from evalaction.values import JSON


class Extraction(StrEnum):
    """Where in a completion its answer stood."""

    WHOLE = "whole"
    """The completion is one strict JSON value."""
    FENCE = "fence"
    """A fenced block holds it."""
    OBJECT = "object in prose"
    ARRAY = "array in prose"
    """Only where the contract's schema asks for an array."""
    TEXT = "text"
    """The text itself is the answer."""
    MARKED = "marked text"
    """The text within quotation marks, emphasis or a fence that stands around all of it."""
    MATCH = "match"
    """A pattern found it in the text."""
    NUMBER = "number in prose"
    """The one number of a text that says more."""
    LABEL = "label"
    """A judge gave the text a label, and that is the answer."""
    EXIT = "exit code"
    """A command that was run on the artifact passed or failed, and that is the answer."""


@frozen
class Reading:
    """An answer, and what it was read from."""

    value: JSON
    """The whole JSON value, or the whole text: what a schema and an expected value are held against."""
    answer: JSON
    """The part of it that draws have to agree on."""
    extraction: Extraction
    after_reasoning: bool = False
    """A block of reasoning was taken away first."""

    @property
    def how(self) -> str:
        """How the answer was read, in words: ``fence, after reasoning``."""
        return f"{self.extraction}, after reasoning" if self.after_reasoning else self.extraction.value


@frozen
class Unreadable:
    """A completion that is not an answer."""

    cause: str
    """Why, in words. Untrusted text."""


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
