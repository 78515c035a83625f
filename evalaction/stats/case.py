"""The figures of a case that go beyond counting. Pure."""

from __future__ import annotations

from dataclasses import replace

from evalaction.records.report import CaseResult
from evalaction.stats.flips import disagreement
from evalaction.stats.interval import flip_interval
from evalaction.stats.passes import pass_hat


def with_figures(result: CaseResult) -> CaseResult:
    """Return ``result`` with its disagreement, its interval and its pass^k; all stay None while draws are missing."""
    n = result.planned.case.n
    if result.agreement is None or result.measured < n:
        return result
    return replace(
        result,
        disagreement=disagreement([mode.count for mode in result.modes], n),
        interval=flip_interval(result.agreement.count, n),
        pass_hat=None if result.passes is None else pass_hat(result.passes.count, n),
    )
