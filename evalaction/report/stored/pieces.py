"""The parts of a stored report that cases and decks share, or that are about neither, as records again. Pure.

The document follows the published schema already.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evalaction import late
from evalaction.records.case import Sampling
from evalaction.records.draw import Cause, Failure, Reply, Usage
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.manifest import Calls, Manifest, Replays, Tokens
from evalaction.records.plan import Change, Reason, Removed
from evalaction.records.report import Side
from evalaction.values import JSON, canonical

MOST = 10**15
"""Beyond any number of things or seconds that a report counts; what a person wrote or a model said may be larger."""
MOST_SAMPLES = 100
"""Draws that one request asks for, at the most."""
_FRACTION = late.pattern(r"([0-9]{1,40})/([0-9]{1,40})")


class Unfit(ValueError):
    """A document that no run can have left. ``str()`` of it says why, in our own words."""


def whole(value: Any) -> int:
    """Return a number of things.

    Raises:
        Unfit: it is larger than anything that can be counted.
    """
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MOST:
        raise Unfit("a number is out of range")
    return value


def whole_or_none(value: Any) -> int | None:
    """Return a number of things, or None where none was given."""
    return None if value is None else whole(value)


def seconds(value: Any) -> float:
    """Return a time.

    Raises:
        Unfit: it is longer than any.
    """
    if abs(value) > MOST:
        raise Unfit("a number is out of range")
    return float(value)


def side(document: Any) -> Side:
    """Return one end of the comparison."""
    return Side(sha=document["sha"], ref=document["ref"], merge_of=document["merge_of"])


def gate(document: Any) -> Gate:
    """Return the outcome of one gate."""
    return Gate(
        name=GateName(document["name"]),
        verdict=Verdict(document["verdict"]),
        detail=document["detail"],
        warns=document["warns"],
    )


def change(document: Any) -> Change:
    """Return what differs between base and head."""
    return Change(
        id=document["id"],
        path=document["file"],
        line=whole(document["line"]),
        field=document["field"],
        before=document["before"],
        after=document["after"],
    )


def removed(document: Any) -> Removed:
    """Return what base has and head has not."""
    return Removed(kind=document["kind"], path=document["file"], id=document["id"])


def sampling(given: Mapping[str, Any]) -> Sampling:
    """Return what was asked of a sampler.

    Raises:
        Unfit: a parameter is of a kind that no request can have.
    """
    numbers: dict[str, Any] = {name: given.get(name) for name in ("temperature", "top_p")}
    counts: dict[str, Any] = {name: given.get(name) for name in ("seed", "max_tokens")}
    model, stop, several = given.get("model"), given.get("stop"), given.get("samples_per_request", 1)
    fits = (
        isinstance(model, str | None)
        and all(isinstance(value, int | Decimal | None) for value in numbers.values())
        and all(isinstance(value, int | None) for value in counts.values())
        and (stop is None or are_texts(stop))
        and isinstance(several, int)
        and not isinstance(several, bool)
        and 1 <= several <= MOST_SAMPLES
    )
    if not fits:
        raise Unfit("a sampling parameter is of another kind than it has to be")
    return Sampling(
        model=model,
        stop=None if stop is None else tuple(stop),
        response_format=given.get("response_format"),
        samples_per_request=several,
        **numbers,
        **counts,
    )


def are_texts(value: JSON) -> bool:
    """Return whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_encodable(value: JSON) -> bool:
    """Return whether a value holds no half of a surrogate pair: neither an answer nor a golden file does."""
    try:
        canonical(value)
    except UnicodeEncodeError:
        return False
    return True


def threshold(text: JSON) -> Fraction:
    """Return a threshold that is written ``4/5``.

    Raises:
        Unfit: it is no share from 0 to 1.
    """
    match = _FRACTION.fullmatch(text) if isinstance(text, str) else None
    if match is None or not int(match[2]) or int(match[1]) > int(match[2]):
        raise Unfit("a threshold is no share from 0 to 1")
    return Fraction(int(match[1]), int(match[2]))


def stored_failure(error: Any) -> Failure:
    """Return why nothing came."""
    return Failure(cause=Cause(error["cause"]), message=error["message"], status=whole_or_none(error["status"]))


def usage(tokens: Any) -> Usage:
    """Return the tokens of one reply."""
    return Usage(**{name: whole_or_none(number) for name, number in tokens.items()})


def reasons(document: Any) -> tuple[Reason, ...]:
    """Return why a case or a deck is affected."""
    return tuple(Reason(reason) for reason in document["reasons"])


def manifest(document: Any) -> Manifest:
    """Return what the run was made with."""
    calls, tokens = document["calls"], document["tokens"]
    return Manifest(
        model=document["model"],
        endpoint_host=document["endpoint_host"],
        sampling=tuple(document["sampling"]),
        items=whole(document["items"]),
        prompts_sha256=document["prompts_sha256"],
        sampling_sha256=document["sampling_sha256"],
        dataset_sha256=document["dataset_sha256"],
        config_sha256=document["config_sha256"],
        versions=tuple(document["versions"].items()),
        judge_model=document["judge_model"],
        judge_host=document["judge_host"],
        adapted=tuple(document["adapted"]),
        faults=tuple((item["kind"], whole(item["count"])) for item in document["faults"]),
        answered_by=tuple(
            (item["model"], item["system_fingerprint"], whole(item["draws"])) for item in document["answered_by"]
        ),
        replays=tuple(
            Replays(run=item["run"], began=item["began"], draws=whole(item["draws"]), replies=whole(item["replies"]))
            for item in document["replays"]
        ),
        notes=tuple(document["notes"]),
        calls=Calls(**{name: whole(number) for name, number in calls.items()}),
        tokens=Tokens(
            **{name: whole_or_none(number) for name, number in tokens.items() if name != "estimated"},
            estimated=tokens["estimated"],
        ),
        wall_s=seconds(document["wall_s"]),
        repeat_command=document["repeat_command"],
    )


def stored_reply(document: Any, *, text: Any) -> Reply:
    """Return what an endpoint answered.

    Args:
        document: a draw of a case, or a reply of a judge.
        text: its text, which the two have under different names.
    """
    return Reply(
        text=text,
        finish_reason=document["finish_reason"],
        refusal=document["refusal"],
        tool_calls=document["tool_calls"],
        reasoning=document["reasoning"],
        id=document["response_id"],
        choice=whole(document["choice"]),
        choices=whole(document.get("choices", 1)),
        created=whole_or_none(document["created"]),
        model=document["model"],
        fingerprint=document["system_fingerprint"],
        replayed=document["replayed"],
        usage=usage(document["tokens"]),
    )
