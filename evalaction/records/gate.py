"""What can be asked of a case, a deck or a run, and what it comes to."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from evalaction.frozen import frozen


@frozen
class Share:
    """``count`` of ``of``; never a rounded number."""

    count: int
    """0 to ``of``."""
    of: int
    """More than 0."""

    @property
    def fraction(self) -> Fraction:
        """The share as an exact fraction."""
        return Fraction(self.count, self.of)

    def __str__(self) -> str:
        """Render as ``4/5``."""
        return f"{self.count}/{self.of}"


class Verdict(StrEnum):
    """What a gate, a case or a run comes to."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    UNMEASURED = "unmeasured"
    """Neither shown to hold nor shown to fail. Never green."""


class GateName(StrEnum):
    """What can be asked of a case or a run."""

    AGREEMENT = "agreement"
    """The modal answer reaches ``agreement_min`` of the n draws."""
    SCHEMA = "schema"
    """Every measured draw has the asked keys and satisfies the JSON Schema."""
    LENGTH = "length"
    """Every measured draw keeps to the length budget."""
    EXPECTED = "expected"
    """``expect_min`` of the n draws meet the expected value."""
    CONTRACT = "contract"
    """Loosened gates, edited expected values, removed cases: things to look at."""
    INDEPENDENCE = "independence"
    """Each draw is a fresh reply. It is unmeasured where there is reason to doubt that, and there is none where not."""
    JUDGE_FLIP = "judge-flip"
    """At most ``judge_flip_max`` of a deck's fixtures change their label with the order."""
    JUDGE_GOLD = "judge-gold"
    """``gold_min`` of a deck's fixtures have their gold label, in every single request."""
    JUDGE_PROBE = "judge-probe"
    """The judge accepts no planted failure, gives twins one label, and no planted trace moves another's label."""


@frozen
class Gate:
    """One gate's outcome."""

    name: GateName
    """What was asked."""
    verdict: Verdict
    """What it comes to, whether or not it only warns."""
    detail: str
    """What was seen against what was asked, in words. Untrusted text."""
    warns: bool = False
    """What this gate comes to is shown, and neither fails the case or the run nor leaves it unmeasured."""
