"""The parts of a stored report that are about no case, as records again: the inverse of ``document.py``. Pure.

The document follows the published schema already.
"""

from __future__ import annotations

from typing import Any

from evalaction.records.case import Deck
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import Change, PlannedDeck, Reason, Removed
from evalaction.records.report import Calls, Manifest, Side, Tokens

MOST = 10**15
"""Beyond any number of things or seconds that a report counts; what a person wrote or a model said may be larger."""


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


def deck(document: Any) -> PlannedDeck:
    """Return an affected deck; a report holds neither its rubric nor its fixtures."""
    made = Deck(
        name=document["name"], path=document["file"], rubric_path="", rubric="", labels=(), show=(), fixtures=()
    )
    return PlannedDeck(deck=made, fingerprint=document["fingerprint"], reasons=reasons(document))


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
        notes=tuple(document["notes"]),
        calls=Calls(**{name: whole(number) for name, number in calls.items()}),
        tokens=Tokens(**{name: whole_or_none(number) for name, number in tokens.items()}),
        wall_s=seconds(document["wall_s"]),
        repeat_command=document["repeat_command"],
    )
