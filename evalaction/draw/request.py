"""The body of a request: what it asks, and nothing that was not set. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evalaction.errors import BadInput, Problem
from evalaction.fingerprint import parameters
from evalaction.records.case import Sampling
from evalaction.records.draw import Adaptation, Call, Whose
from evalaction.values import JSON, plain

Adapted = Mapping[str, str | None]
"""By parameter, the name that it is now sent by in place of its own; None: it is left out."""
NOTHING_ADAPTED: Adapted = MappingProxyType({})
"""Every parameter is sent, by its own name."""

MAX_TOKENS, MAX_COMPLETION_TOKENS = "max_tokens", "max_completion_tokens"
DISPENSABLE = frozenset({"temperature", "top_p", "seed", "n"})
"""Parameters that a run goes without where an endpoint refuses them, also where somebody wrote them down."""

_SUBJECTS = {Whose.CASE: "case", Whose.DECK: "deck", Whose.JUDGE: "the judge of case"}
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"))


def named(call: Call) -> str:
    """Return what a request is made for, in words for people: untrusted text."""
    if call.whose is Whose.DECK:
        return f"the deck {call.id!r}"
    judge = "the judge of " if call.whose is Whose.JUDGE else ""
    return f"{judge}the case at {call.path}:{call.line}"


def seed_of(sampling: Sampling, index: int) -> int | None:
    """Return the seed of request ``index`` (from 1); None when there is none."""
    return None if sampling.seed is None else sampling.seed + index - 1


def sent(call: Call, *, adapted: Adapted = NOTHING_ADAPTED) -> dict[str, JSON]:
    """Return the parameters of a request, by the names that it gives them.

    Args:
        call: the request.
        adapted: what has become of parameters. One that a run does not go without, since somebody wrote it down, is
            sent even where it was left out of others.
    """
    fields = _own(call)
    if not adapted:
        return fields
    return {name: value for own, value in fields.items() if (name := _sent_as(own, call, adapted)) is not None}


def changes(call: Call, *, adapted: Adapted = NOTHING_ADAPTED) -> dict[str, Adaptation]:
    """Return what may become of a request's parameters, should the endpoint refuse them, by the name each is sent by.

    ``max_tokens`` gets the name that newer models take; ``DISPENSABLE`` ones are left out, and so is what nobody wrote
    down. A parameter that is not named here cannot be helped.

    Args:
        call: the request.
        adapted: as for ``sent``.
    """
    found: dict[str, Adaptation] = {}
    for own in _own(call):
        name = _sent_as(own, call, adapted)
        if name == MAX_TOKENS:
            found[name] = Adaptation(name=own, instead=MAX_COMPLETION_TOKENS)
        elif name is not None and _may_go(own, call):
            found[name] = Adaptation(name=own)
    return found


def body(call: Call, *, adapted: Adapted = NOTHING_ADAPTED) -> dict[str, Any]:
    """Return a request: its messages and the parameters that are set.

    Args:
        call: the request.
        adapted: as for ``sent``.
    """
    fields = sent(call, adapted=adapted)
    model = {"model": fields.pop("model")} if "model" in fields else {}
    return {**model, "messages": [plain(dict(message)) for message in call.messages], **plain(fields)}


def encode(call: Call, *, adapted: Adapted = NOTHING_ADAPTED, model_name: str = "EVAL_MODEL") -> bytes:
    """Return ``body`` as compact UTF-8 JSON: equal requests have equal bytes.

    Args:
        call: the request.
        adapted: as for ``sent``.
        model_name: what an error calls the variable that names the model.

    Raises:
        BadInput: the request has no model, or a value that JSON cannot carry.
    """
    if call.sampling.model is None:
        raise _unfit(call, "has no model.", f"Set {model_name}, or a model in evalaction.yml.")
    try:
        return _ENCODER.encode(body(call, adapted=adapted)).encode()
    except (ValueError, OverflowError):
        raise _unfit(
            call,
            "holds a number or a character that a request cannot carry.",
            "Numbers must be finite doubles, and text must be valid Unicode.",
        ) from None


def _unfit(call: Call, message: str, remedy: str) -> BadInput:
    subject = f"{_SUBJECTS[call.whose]} {call.id!r}"
    return BadInput(Problem(path=call.path, line=call.line, message=f"{subject} {message}", remedy=remedy))


def _own(call: Call) -> dict[str, JSON]:
    """Return the parameters that a request is asked to have, by their own names."""
    fields = parameters(call.sampling)
    if call.seed is None:
        fields.pop("seed", None)
    else:
        fields["seed"] = call.seed
    if call.choices > 1:
        fields["n"] = call.choices
    return fields


def _sent_as(own: str, call: Call, adapted: Adapted) -> str | None:
    """Return the name by which the parameter ``own`` is sent; None when it is not."""
    instead = adapted.get(own, own)
    if instead is None and not _may_go(own, call):
        return MAX_COMPLETION_TOKENS if own == MAX_TOKENS else own
    return instead


def _may_go(own: str, call: Call) -> bool:
    """Say whether a request may go without the parameter ``own``."""
    return own in DISPENSABLE or own in call.unasked or (own == MAX_TOKENS and call.cap_of_budget)
