"""The figures of a case that go beyond counting."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from support.grading import FAIL_ON, draws_of, planned_case

from evalaction.grade.case import grade_case
from evalaction.stats.case import with_figures
from evalaction.stats.interval import flip_interval
from evalaction.stats.passes import pass_hat


@pytest.mark.parametrize(
    ("strip", "modal", "disagreement", "passing"),
    [
        ("A A A A A", 5, Fraction(0), 5),
        ("A A A A B", 4, Fraction(2, 5), 5),
        ("A A A A x", 4, Fraction(2, 5), 4),
        ("A A B B x", 2, Fraction(4, 5), 4),
        ("x x x x x", 0, Fraction(1), 0),
    ],
)
def test_with_figures__complete(strip: str, modal: int, disagreement: Fraction, passing: int) -> None:
    """With every draw measured all figures are given, each unreadable draw being a class of its own that fails."""
    result = grade_case(planned_case(), draws_of(strip), fail_on=FAIL_ON)
    expected = replace(
        result, disagreement=disagreement, interval=flip_interval(modal, 5), pass_hat=pass_hat(passing, 5)
    )
    assert expected == with_figures(result)


@pytest.mark.parametrize("strip", ["A A A A -", "- - - - -", "x - - - -"])
def test_with_figures__missing(strip: str) -> None:
    """While draws are missing none is given."""
    result = grade_case(planned_case(), draws_of(strip), fail_on=FAIL_ON)
    figures = (result.disagreement, result.interval, result.pass_hat)
    assert (result, (None, None, None)) == (with_figures(result), figures)
