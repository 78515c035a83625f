"""Why a run ends before its time, in words: what happened, and what to do. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from evalaction.records.draw import Cause, Failure
from evalaction.records.settings import Limits

_NARROW = "or narrow the run with --case or --tag."
_SOONEST = "%Y-%m-%d %H:%M:%S UTC"


def interrupted() -> Failure:
    """Return why nothing more is sent after an interrupt."""
    return Failure(cause=Cause.INTERRUPTED, message="The run was interrupted.")


def late(limits: Limits) -> Failure:
    """Return why nothing more is sent after the deadline."""
    return Failure(
        cause=Cause.DEADLINE,
        message=f"The deadline of {limits.deadline_s:,g} s was reached. Raise deadline (--deadline), {_NARROW}",
    )


def calls_used_up(limits: Limits) -> Failure:
    """Return why nothing more is sent once all calls that are allowed were made."""
    return Failure(
        cause=Cause.BUDGET,
        message=f"All {limits.max_calls:,} calls allowed were made, retries included. Raise max-calls (--max-calls), "
        f"{_NARROW}",
    )


def tokens_used_up(allowed: int, used: int, *, estimated: bool) -> Failure:
    """Return why nothing more is sent once all tokens that are allowed were used.

    Args:
        allowed: how many may be used.
        used: how many were.
        estimated: whether the endpoint did not count some of them.
    """
    some = ", some of them estimated at 4 characters each since the endpoint did not count them" if estimated else ""
    return Failure(
        cause=Cause.BUDGET,
        message=f"{used:,} tokens were used, requests and replies together{some}, and max-total-tokens allows "
        f"{allowed:,}. Raise max-total-tokens (--max-total-tokens), {_NARROW}",
    )


def in_vain(failed: int, latest: Failure) -> Failure:
    """Return why nothing more is sent to an endpoint from which nothing came.

    Args:
        failed: draws that came to nothing, all tries included.
        latest: what the last of them failed with.
    """
    message = f"None of the first {failed} requests brought a reply, so the run was ended."
    return Failure(cause=latest.cause, message=message, status=latest.status, kind=latest.kind)


def exhausted(refusal: Failure, *, wall: datetime, seconds: float | None) -> Failure:
    """Return why nothing more is sent once a quota is used up that does not come back within a run.

    Args:
        refusal: what the request failed with.
        wall: the date.
        seconds: after which the endpoint says that it takes requests again; None when it does not say.
    """
    when = "" if seconds is None else f" Requests are taken again {_soonest(wall, seconds)}."
    return _ended(
        refusal,
        f"A quota of the endpoint is used up, and does not come back within a run: the run was ended.{when} Wait for "
        "it, or raise it with the provider, and run again.",
    )


def too_long(refusal: Failure, *, wall: datetime, seconds: float, beyond: str, remedy: str = "") -> Failure:
    """Return why nothing more is sent to an endpoint that wants to be left alone for longer than a run can wait.

    Args:
        refusal: what the request failed with.
        wall: the date.
        seconds: for which it wants to be left alone.
        beyond: what that is longer than, in words.
        remedy: what could be done beside waiting, as the end of a sentence.
    """
    return _ended(
        refusal,
        f"The endpoint takes requests again {_soonest(wall, seconds)}, and {beyond}: the run was ended. "
        f"Run again then{remedy}.",
    )


def down_too_long(refusal: Failure, *, seconds: float, cap: float) -> Failure:
    """Return why nothing more is sent to an endpoint that has not answered for longer than a run waits.

    Args:
        refusal: what the latest request failed with.
        seconds: from the first request that failed to the time at which the next could be sent.
        cap: how long a run waits.
    """
    return _ended(
        refusal,
        f"For {seconds:,.0f} s, the next pause included, no request brings a reply, and a run waits {cap:g} s at most: "
        "the run was ended. Run again when the endpoint is well.",
    )


def impatient(last: Failure, *, seconds: float, cap: float) -> Failure:
    """Return why one draw is not asked for again.

    Args:
        last: what the last try failed with.
        seconds: to wait until the next.
        cap: how long one draw waits in all.
    """
    return Failure(
        cause=Cause.STATUS,
        message=f"The endpoint wants to be left alone for {seconds:,.0f} s more, and a request waits {cap:g} s in all. "
        f"The last try: {last.message}",
        status=last.status,
        kind=last.kind,
    )


def _ended(refusal: Failure, message: str) -> Failure:
    return Failure(
        cause=refusal.cause,
        message=f"{message} The last answer: {refusal.message}",
        status=refusal.status,
        kind=refusal.kind,
    )


def _soonest(wall: datetime, seconds: float) -> str:
    """Return when it is so many seconds after ``wall``, in words."""
    try:
        date = f", at {wall + timedelta(seconds=seconds):{_SOONEST}}"
    except OverflowError:  # beyond the calendar
        date = ""
    return f"in {seconds:,.0f} s{date}"
