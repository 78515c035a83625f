"""Draws that miss the expected value where their answer does not show it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.reports import case_result

from evalaction.records.case import Grader
from evalaction.records.report import CaseResult
from evalaction.report.misses import Miss, missed, misses

EXPECT = {"vendor": "Acme Tools", "total_cents": 1950}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (case_result("c", "A B A B", expect=EXPECT, expect_keys=("vendor",)), [("total_cents", "19.5", (2, 4))]),
        (
            case_result("c", "A B ? ∅", expect=EXPECT, agree_on=("x",), raw={"A": '{"x": 1}'}),
            [("vendor", None, (1,)), ("total_cents", None, (1,)), ("total_cents", "19.5", (2,))],
        ),
        (case_result("c", "A B", expect=EXPECT), []),
        (case_result("c", "A B", expect_keys=("vendor",)), []),
        (case_result("c", "A", expect="x", grader=Grader.TEXT, expect_keys=("vendor",)), []),
    ],
)
def test_misses__table(result: CaseResult, expected: list[tuple[str, str | None, tuple[int, ...]]]) -> None:
    """Each other value than expected is named once, with its draws; what the answer itself holds is not."""
    assert misses(result) == tuple(Miss(key=key, value=value, draws=draws) for key, value, draws in expected)


def test_misses__a_text_that_cannot_be_read_again() -> None:
    """A completion that a secret was taken out of may be no JSON any more: then its draw is known, and no value."""
    result = case_result("c", "A B", expect=EXPECT, expect_keys=("vendor",))
    odd = result.draws[1]
    reply = odd.draw.reply and replace(odd.draw.reply, text="***")
    result = replace(result, draws=(result.draws[0], replace(odd, draw=replace(odd.draw, reply=reply))))

    assert (missed(result), misses(result)) == ((2,), ())
