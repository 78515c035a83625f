"""What came of running a case's command on the artifact of one draw."""

from __future__ import annotations

from enum import StrEnum

from evalaction.frozen import frozen

PASS, FAIL = "pass", "fail"
"""The answers of draws that a command grades."""


class Ended(StrEnum):
    """How a command came to its end."""

    EXITED = "exited"
    """By itself, or by a signal that was not ours."""
    TIME = "time limit"
    """It was ended, since it took too long."""
    OUTPUT = "output limit"
    """It was ended, since it wrote too much."""


@frozen
class CommandRun:
    """One run of a command."""

    ended: Ended
    """How it came to its end; only a command that exited with 0 passes."""
    exit_code: int | None
    """0 to 255, or the negative number of a signal; None when it was ended by us."""
    output: str
    """The beginning of what it wrote, both streams together. Untrusted text."""
    cut: bool = False
    """It wrote more than ``output``."""

    @property
    def passed(self) -> bool:
        """Whether it exited with 0."""
        return self.ended is Ended.EXITED and self.exit_code == 0

    @property
    def answer(self) -> str:
        """The answer of the draw that it was run on."""
        return PASS if self.passed else FAIL
