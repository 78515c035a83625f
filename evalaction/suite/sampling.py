"""A golden line and what is given to it → what its request asks of the sampler. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalaction.errors import BadInput, Problem
from evalaction.records.case import Sampling
from evalaction.suite.given import Given
from evalaction.suite.golden import SAMPLING
from evalaction.values import JSON


def sampling_of(row: Mapping[str, Any], given: Given, *, of_file: Mapping[str, JSON], file: str | None) -> Sampling:
    """Return what is asked of the sampler for a line.

    Args:
        row: the line, once ``check_line`` found nothing wrong with it.
        given: what holds where it says nothing, with what its prompt file says put over it.
        of_file: what its prompt file says of the sampling, by the fields of ``Given``; empty without one.
        file: the prompt file's path in the tree; None without one.

    Raises:
        BadInput: one request would ask for more draws than the case has, or for several with one seed.
    """
    stop, budget = row.get("stop", given.stop), row.get("max_completion_tokens")
    cap = row.get("max_tokens", given.max_tokens)
    said = {name: row.get(name, getattr(given, name)) for name in SAMPLING}
    choices = _choices(row, given)
    if choices > 1 and said["seed"] is not None:
        seeded = "" if "seed" in row else f" (of {file})" if "seed" in of_file else " (a default)"
        usual = "" if "samples_per_request" in row else " (a default)"
        raise BadInput(
            Problem(
                message=f"`samples_per_request` is {choices}{usual}, and `seed` is {said['seed']}{seeded}: all choices "
                "of one request would share one seed.",
                remedy="Set `samples_per_request` to 1 here, or no seed.",
            )
        )
    return Sampling(
        **{**said, "stop": (stop,) if isinstance(stop, str) else None if stop is None else tuple(stop)},
        model=given.model,
        max_tokens=2 * budget if cap is None and budget is not None else cap,
        samples_per_request=choices,
    )


def _choices(row: Mapping[str, Any], given: Given) -> int:
    """Return the draws that one request asks for; a default is no more than there are."""
    n: int = row.get("n", given.n)
    own: int | None = row.get("samples_per_request")
    if own is None:
        return min(given.samples_per_request, n)
    if own > n:
        usual = "" if "n" in row else ", by default"
        raise BadInput(
            Problem(
                message=f"`samples_per_request` is {own}, and the case has {n} draws{usual}: one request cannot ask "
                "for more.",
                remedy="Lower it, or raise `n`.",
            )
        )
    return own
