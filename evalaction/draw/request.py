"""The body of a request: what a case asks, and nothing that it does not set. Pure."""

from __future__ import annotations

import json
from typing import Any

from evalaction.errors import BadInput, Problem
from evalaction.fingerprint import parameters
from evalaction.records.case import Case
from evalaction.values import JSON, plain


def seed_of(case: Case, index: int) -> int | None:
    """Return the seed that draw ``index`` (from 1) sends; None when the case has none."""
    return None if case.sampling.seed is None else case.sampling.seed + index - 1


def body(case: Case, index: int) -> dict[str, Any]:
    """Return the request of draw ``index`` (from 1) of ``case``: its messages and the parameters that are set."""
    fields: dict[str, JSON] = parameters(case.sampling)
    if (seed := seed_of(case, index)) is not None:
        fields["seed"] = seed
    model = {"model": fields.pop("model")} if "model" in fields else {}
    return {**model, "messages": [plain(dict(message)) for message in case.messages], **plain(fields)}


def encode(case: Case, index: int) -> bytes:
    """Return ``body`` as compact UTF-8 JSON: equal requests have equal bytes.

    Raises:
        BadInput: the case has no model, or a value that JSON cannot carry.
    """
    if case.sampling.model is None:
        raise BadInput(
            Problem(
                path=case.path,
                line=case.line,
                message=f"case {case.id!r} has no model.",
                remedy="Set EVAL_MODEL, or a model in evalaction.yml.",
            )
        )
    try:
        text = json.dumps(body(case, index), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except (ValueError, OverflowError):
        raise BadInput(
            Problem(
                path=case.path,
                line=case.line,
                message=f"case {case.id!r} holds a number or a character that a request cannot carry.",
                remedy="Numbers must be finite doubles, and text must be valid Unicode.",
            )
        ) from None
