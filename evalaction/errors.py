"""What goes wrong for reasons that a person can mend, and the exit codes.

Pure: nothing here does I/O. The tree of exceptions::

    EvalactionError            a message for people: cause, place, remedy; shown without a traceback
    ├── BadInput               exit 2: files, settings or revisions that cannot be used as they stand
    └── CannotMeasure          exit 3: the input is fine, but nothing could be measured with it

A gate that fails is a verdict, not an exception. Anything else that is raised is a bug, and keeps
its traceback.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar

from evalaction.frozen import frozen


class ExitCode(IntEnum):
    """How a run ends: the one table, rendered in the docs."""

    PASS = 0
    """Every gate that can fail the run holds, or nothing was affected; or nothing was drawn for a fork, and the
    workflow says forks: skip.
    """
    GATE_FAILED = 1
    """At least one gate failed on what was measured."""
    BAD_INPUT = 2
    """Files, settings, revisions or usage that cannot be used as they stand; nothing was sent."""
    NOT_MEASURED = 3
    """Something that had to be measured was not."""
    INTERRUPTED = 130
    """The run was stopped from outside (Ctrl-C, a cancelled job)."""


@frozen
class Problem:
    """One thing that is wrong, where it is, and what to do about it."""

    message: str
    """What is wrong, in one sentence."""
    path: str | None = None
    """Path of the file within its tree, or the name of an input; None when it is nowhere in particular."""
    line: int | None = None
    """Physical line in that file, from 1; None when the whole file is meant."""
    remedy: str | None = None
    """What to do, in one sentence; None when the message says it."""
    source_path: str | None = None
    """Path of the file in the tree that is wrong, where ``path`` names another that asks for it: a template's."""
    source_line: int | None = None
    """Physical line in that file, from 1; None when nobody can say."""

    def __str__(self) -> str:
        """Render as ``path:line: message Remedy``."""
        place = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} {self.remedy}" if self.remedy else text


class EvalactionError(Exception):
    """A failure that a person can mend. ``str()`` of it is what they read."""

    exit_code: ClassVar[ExitCode]

    def __init__(self, *problems: Problem) -> None:
        """Keep the problems, in the order in which they are shown.

        Args:
            problems: one at least.
        """
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class BadInput(EvalactionError):
    """Files, settings or revisions that cannot be used as they stand. Nothing was sent."""

    exit_code = ExitCode.BAD_INPUT


class CannotMeasure(EvalactionError):
    """The input can be used, but nothing could be measured with it."""

    exit_code = ExitCode.NOT_MEASURED
