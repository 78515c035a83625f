"""Failures in our own words."""

from __future__ import annotations

import pytest

from evalaction.records.draw import Cause, Failure
from evalaction.report.failures import cause, ended_by


def ended(message: str, *, status: int | None = None) -> Failure:
    """Return why something was not sent any more."""
    return Failure(cause=Cause.STOPPED, message=message, status=status)


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (Failure(cause=Cause.REJECTED, status=401, message="<b>"), "rejected with 401"),
        (Failure(cause=Cause.STATUS, status=503, message="<b>"), "HTTP 503"),
        (Failure(cause=Cause.DEADLINE, status=503, message="<b>"), "deadline"),
        (ended("The run had ended (rejected, HTTP 401)."), "the run had ended (rejected with 401)"),
        (ended("The run had ended (transport). The last try: x", status=503), "the run had ended (transport)"),
        (ended("The run had ended (look here)."), "the run had ended"),
        (ended("The run had ended (rejected, HTTP 9999)."), "the run had ended"),
        (ended("<b>"), "the run had ended"),
    ],
)
def test_cause__table(failure: Failure, expected: str) -> None:
    """A failure's kind is told without the endpoint's text, and what ended a run where the message is our own."""
    assert cause(failure) == expected


def test_ended_by__only_what_was_not_sent() -> None:
    """Only a request that was not sent any more tells what ended the run."""
    said = "The run had ended (rejected, HTTP 401)."

    assert [ended_by(ended(said)), ended_by(Failure(cause=Cause.BUDGET, message=said))] == ["rejected with 401", None]
