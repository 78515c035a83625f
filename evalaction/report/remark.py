"""One thing that is said of a line of a change, a file or the run. Pure."""

from __future__ import annotations

from enum import StrEnum

from evalaction.frozen import frozen
from evalaction.report.untrusted import Phrase


class Level(StrEnum):
    """How much a remark weighs, as GitHub calls it."""

    ERROR = "error"
    """It makes the job red."""
    WARNING = "warning"
    """A reviewer must not miss it."""
    NOTICE = "notice"
    """It is said, and changes nothing."""


@frozen
class Remark:
    """One thing that is said of a line, a file or the run."""

    level: Level
    kind: str
    """What it tells of, as a noun in the singular: ``failing case``."""
    title: str
    """In our own words."""
    message: Phrase
    path: str | None = None
    """File at head; None when it is about the run."""
    line: int | None = None
    """Physical line in that file, from 1; None for the whole file."""
    number: int = 1
    """Cases, or whatever its kind is, that it tells of."""
