"""What is said of cases that a judge grades."""

from __future__ import annotations

import pytest
from support.decks import deck_result, judged_case
from support.example_decks import fluent_last
from support.reports import case_result, report

from evalaction.records.report import Report
from evalaction.report.decks.graded import untested
from evalaction.report.untrusted import plain

PASSES, FAILS = deck_result(), deck_result(judge=fluent_last)
ALONE = judged_case("pp pp", id="alone", rubric="Is it kind?")
BELOW = judged_case("pp pp", id="below", decks=(FAILS,))
NONE = "no deck has its rubric, labels and judge"


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (report(case_result("c", "A A")), ""),
        (report(judged_case("pp pp", decks=(PASSES,)), decks=(PASSES,)), ""),
        (report(judged_case("pp ff", rubric="Is it kind?", agreement_min=1)), ""),
        (report(ALONE), f"1 passing case (alone), {NONE}"),
        (
            report(*[ALONE] * 5, BELOW, decks=(FAILS,)),
            f"5 passing cases (alone, alone, alone and 2 more), {NONE}, 1 passing case (below), its deck trace-judge "
            "fails",
        ),
    ],
)
def test_untested__table(run: Report, expected: str) -> None:
    """Passing cases whose judge passed no exam are counted, by why; a failing one is seen as it is."""
    assert plain(untested(run)) == expected
