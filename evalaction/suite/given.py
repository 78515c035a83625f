"""Sampling and thresholds that hold where a golden line says nothing. Pure.

The nearer voice wins: golden line, then ``.prompt.yml``, then ``evalaction.yml``, then what the workflow,
the environment or the built-in table says.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from evalaction.frozen import frozen
from evalaction.records.settings import Defaults
from evalaction.values import JSON


@frozen
class Given:
    """What is given to a case from outside its line. None: not set, so not sent."""

    model: str | None = None
    judge_model: str | None = None
    """Model of a judge whose deck names none, and of one without a deck; None: ``model``."""
    n: int = 5
    samples_per_request: int = 1
    temperature: int | Decimal | None = None
    top_p: int | Decimal | None = None
    seed: int | None = None
    stop: tuple[str, ...] | None = None
    response_format: JSON = None
    max_tokens: int | None = None
    """The request's cap, in completion tokens; a prompt file can set it."""
    agreement_min: Fraction = Fraction(4, 5)
    expect_min: Fraction = Fraction(1)


def given_by(defaults: Defaults) -> Given:
    """Return what the workflow, the environment and the built-in table say."""
    return Given(
        model=defaults.model,
        judge_model=defaults.judge_model,
        n=defaults.n,
        samples_per_request=defaults.samples_per_request,
        temperature=defaults.temperature,
        agreement_min=defaults.agreement_min,
        expect_min=defaults.expect_min,
    )
