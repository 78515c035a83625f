"""Failures of draws and of requests to judges in our own words. Pure."""

from __future__ import annotations

from evalaction import late
from evalaction.forks import COMMANDS_NEVER
from evalaction.records.draw import Cause, Failure

_ENDED = late.pattern(r"The run had ended \((?P<cause>[a-z ]+)(?:, HTTP (?P<status>[1-5][0-9]{2}))?\)\.")
"""How the message of what was not sent any more begins."""


def is_ours(failure: Failure) -> bool:
    """Return whether the message is a sentence of ours, which no model and no endpoint had a part in."""
    return failure.cause is Cause.COMMAND and failure.message in COMMANDS_NEVER


def status(failure: Failure) -> int | None:
    """Return the HTTP status that a draw is missing for; with other causes it is that of a try before."""
    return failure.status if failure.cause in {Cause.STATUS, Cause.REJECTED} else None


def ended_by(failure: Failure) -> str | None:
    """Return what ended the run before a draw was sent, as ``cause`` says it; None where its message is not our own."""
    found = _ENDED.match(failure.message)
    named = {str(member): member for member in Cause}
    if failure.cause is not Cause.STOPPED or found is None or found["cause"] not in named:
        return None
    code = None if found["status"] is None else int(found["status"])
    return cause(Failure(cause=named[found["cause"]], message="", status=code))


def cause(failure: Failure) -> str:
    """Return a failure's kind in our own words: ``HTTP 500``, ``rejected with 401``, ``deadline``."""
    code = status(failure)
    if failure.cause is Cause.STOPPED:
        by = ended_by(failure)
        return "the run had ended" if by is None else f"the run had ended ({by})"
    if failure.cause is Cause.COMMAND:
        return "command not run"
    if code is None:
        return str(failure.cause)
    return f"HTTP {code}" if failure.cause is Cause.STATUS else f"{failure.cause} with {code}"
