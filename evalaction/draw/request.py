"""The body of a request: what it asks, and nothing that was not set. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from evalaction.errors import BadInput, Problem
from evalaction.fingerprint import parameters
from evalaction.records.case import Sampling
from evalaction.records.draw import Call, Whose
from evalaction.values import JSON, plain

_SUBJECTS = {Whose.CASE: "case", Whose.DECK: "deck", Whose.JUDGE: "the judge of case"}


def named(call: Call) -> str:
    """Return what a request is made for, in words for people: untrusted text."""
    if call.whose is Whose.DECK:
        return f"the deck {call.id!r}"
    judge = "the judge of " if call.whose is Whose.JUDGE else ""
    return f"{judge}the case at {call.path}:{call.line}"


def seed_of(sampling: Sampling, index: int) -> int | None:
    """Return the seed of request ``index`` (from 1); None when there is none."""
    return None if sampling.seed is None else sampling.seed + index - 1


def sent(call: Call, *, left_out: Collection[str] = ()) -> dict[str, JSON]:
    """Return the parameters of a request, by name.

    Args:
        call: the request.
        left_out: names of parameters not to send; those that somebody wrote down are sent all the same.
    """
    fields = parameters(replace(call.sampling, seed=call.seed))
    return {name: value for name, value in fields.items() if not (name in left_out and name in call.unasked)}


def body(call: Call, *, left_out: Collection[str] = ()) -> dict[str, Any]:
    """Return a request: its messages and the parameters that are set.

    Args:
        call: the request.
        left_out: as for ``sent``.
    """
    fields = sent(call, left_out=left_out)
    model = {"model": fields.pop("model")} if "model" in fields else {}
    return {**model, "messages": [plain(dict(message)) for message in call.messages], **plain(fields)}


def encode(call: Call, *, left_out: Collection[str] = (), model_name: str = "EVAL_MODEL") -> bytes:
    """Return ``body`` as compact UTF-8 JSON: equal requests have equal bytes.

    Args:
        call: the request.
        left_out: as for ``sent``.
        model_name: what an error calls the variable that names the model.

    Raises:
        BadInput: the request has no model, or a value that JSON cannot carry.
    """
    subject = f"{_SUBJECTS[call.whose]} {call.id!r}"
    if call.sampling.model is None:
        raise BadInput(
            Problem(
                path=call.path,
                line=call.line,
                message=f"{subject} has no model.",
                remedy=f"Set {model_name}, or a model in evalaction.yml.",
            )
        )
    try:
        text = json.dumps(body(call, left_out=left_out), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except (ValueError, OverflowError):
        raise BadInput(
            Problem(
                path=call.path,
                line=call.line,
                message=f"{subject} holds a number or a character that a request cannot carry.",
                remedy="Numbers must be finite doubles, and text must be valid Unicode.",
            )
        ) from None
