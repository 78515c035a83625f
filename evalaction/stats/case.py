"""The figures of a case that go beyond counting. Pure."""

from __future__ import annotations

from dataclasses import replace

from evalaction.records.report import CaseResult
from evalaction.stats.flips import disagreement
from evalaction.stats.interval import flip_interval


def with_figures(result: CaseResult) -> CaseResult:
    """Return ``result`` with its disagreement and its interval; both stay None while draws are missing."""
    n = result.planned.case.n
    if result.agreement is None or result.measured < n:
        return result
    return replace(
        result,
        disagreement=disagreement([mode.count for mode in result.modes], n),
        interval=flip_interval(result.agreement.count, n),
    )
