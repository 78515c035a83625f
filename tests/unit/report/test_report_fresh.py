"""What is said of draws and judges' replies that may not be fresh."""

from __future__ import annotations

from typing import Any

import pytest
from support.decks import deck_result, judged_case
from support.grading import UNIQUE
from support.reports import FAIL_ON, case_result, report

from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import GateName, Verdict
from evalaction.records.report import CaseResult
from evalaction.report import fresh, roots, strips, untrusted, words
from evalaction.report.findings import findings, of_passing
from evalaction.report.headline import headline
from evalaction.report.lead import lead, missing_draws, next_step, not_independent
from evalaction.report.remarks import remarks

ASKED = FAIL_ON | {GateName.INDEPENDENCE}
MARKED: dict[int, dict[str, Any]] = {2: {"replayed": "x-cache: HIT"}, 4: {"replayed": "age: 7"}}
BROKEN = Failure(cause=Cause.STATUS, message="HTTP 503: overloaded", status=503)
ASK_MODEL = "Find out what answers in the model's place (a cache, a gateway), and have it ask the model for every draw."
ASK_JUDGE = (
    "Find out what answers in the judge's place (a cache, a gateway), and have it ask the judge for every request."
)


def marked(strip: str = "A A A A A", **said: Any) -> CaseResult:
    return case_result("a", strip, replies=MARKED, **said)


def test_seen__marks() -> None:
    """Marks are an endpoint's words: they stand as untrusted text, and are left out with the completions."""
    phrase = fresh.seen(marked(), show=True)

    assert untrusted.markdown(phrase) == "2 of 5 draws are marked as replayed (`age: 7`, `x-cache: HIT`)"
    assert untrusted.plain(fresh.seen(marked(), show=False)) == "2 of 5 draws are marked as replayed"


def test_seen__several_doubts() -> None:
    """Draws and the judge's replies about them are told one after the other; a mark that is one of many is counted."""
    many = {index: {"replayed": f"age: {index}", "id": UNIQUE} for index in range(1, 6)}
    case = case_result("a", "A A A A A", replies=many)

    assert untrusted.plain(fresh.seen(case, show=True)) == (
        "5 of 5 draws are marked as replayed (age: 1, age: 2 and 3 more); 5 of 5 draws share a response id: they may "
        "be one reply shown again"
    )


@pytest.mark.parametrize(
    ("subject", "what", "cause"),
    [
        (case_result("a", "A A"), "", False),
        (marked(), "draws not independent (warns)", False),
        (marked(fail_on=ASKED), "draws not independent", True),
        (judged_case("pp pp", reply_id=UNIQUE), "judge's replies not independent (warns)", False),
        (judged_case("pp pp", reply_id=UNIQUE, fail_on=ASKED), "judge's replies not independent", True),
        (deck_result(reply_id=UNIQUE), "replies not independent (warns)", False),
        (deck_result(reply_id=UNIQUE, fail_on=ASKED), "replies not independent", True),
        # What fails, or is not measured anyhow, is so for another reason.
        (marked("A A A A B", agreement_min=1, fail_on=ASKED), "draws not independent", False),
        (marked("A A A A ∅", agreement_min=1, fail_on=ASKED), "draws not independent", False),
        (marked("A A A A ∅", fail_on=ASKED), "draws not independent", True),
    ],
)
def test_what__and_is_cause(subject: fresh.Subject, what: str, *, cause: bool) -> None:
    """It is the cause where a case or deck could be measured but for that, missing draws or not."""
    assert (fresh.what(subject), fresh.is_cause(subject)) == (what, cause)


@pytest.mark.parametrize(
    ("case", "why", "rate"),
    [
        (marked(), "draws not independent (warns)", "0/5 (no interval)"),
        (
            marked("A A A A ∅", failure=BROKEN, fail_on=ASKED),
            "draws not independent, 1 missing: HTTP 503",
            "not enough draws",
        ),
        (
            marked("A A A A B", agreement_min=1, fail_on=ASKED),
            "agreement, draws not independent",
            "1/5 (no interval)",
        ),
        (case_result("a", "A A A A A"), "", "0/5 (0 – 60 %)"),
    ],
)
def test_words__figures(case: CaseResult, why: str, rate: str) -> None:
    """An interval is for independent draws: there is none beside a doubt, which stands before what is missing."""
    assert (untrusted.plain(words.why(case)), words.flip_rate(case)) == (why, rate)


def test_legend__no_interval() -> None:
    """What an interval means is told where one is to be seen."""
    assert [
        strips.LEGEND_OF_FIGURES in strips.legend(cases) for cases in ([marked()], [marked(), case_result("b", "A A")])
    ] == [
        False,
        True,
    ]


def test_findings__which_draws() -> None:
    """Which draws are in doubt is told, where it is not all of them."""
    shared = case_result("b", "A A A", replies={1: {"id": UNIQUE}, 3: {"id": UNIQUE}})
    every = case_result("c", "A A A", reply_id=UNIQUE)

    assert [[untrusted.plain(said) for said in of_passing(case, show=True)] for case in (marked(), shared, every)] == [
        ["marked as replayed: draws 2, 4"],
        ["response id shared: draws 1, 3"],
        [],
    ]
    assert [untrusted.plain(said) for said in findings(marked(), show=False)] == ["marked as replayed: draws 2, 4"]


@pytest.mark.parametrize(
    ("case", "said", "step"),
    [
        (
            marked(fail_on=ASKED),
            "a could not be measured: 2 of 5 draws are marked as replayed (age: 7, x-cache: HIT).",
            ASK_MODEL,
        ),
        # A draw that is missing besides is not why.
        (
            marked("A A A A ∅", failure=BROKEN, fail_on=ASKED),
            "a could not be measured: 2 of 5 draws are marked as replayed (age: 7, x-cache: HIT).",
            ASK_MODEL,
        ),
        (
            judged_case("pp pp", reply_id=UNIQUE, fail_on=ASKED),
            "tone_v1 could not be measured: 4 of 4 replies of the judge share a response id: they may be one reply "
            "shown again.",
            ASK_JUDGE,
        ),
    ],
)
def test_lead__unmeasured(case: CaseResult, said: str, step: str) -> None:
    """A case that is unmeasured for that is told of with what was seen and what to do, and not once more above."""
    run = report(case, unaffected=0)

    assert (untrusted.plain(lead(run)), untrusted.plain(next_step(run))) == (said, step)
    assert (run.verdict, run.exit_code, not_independent(run)) == (Verdict.UNMEASURED, 3, [])
    assert run.headline == "evalaction: could not be measured: 1 of 1 affected case"
    assert roots.of_case(case, run) is None


def test_missing_draws__beside_it() -> None:
    """Draws that are missing besides are told of with their cause."""
    run = report(marked("A A A A ∅", failure=BROKEN, fail_on=ASKED))
    assert [untrusted.plain(said) for said in missing_draws(run)] == [
        "1 draw of 1 case missing, HTTP 503: HTTP 503: overloaded."
    ]


def test_headline__pass_that_warns() -> None:
    """Where it only warns a run passes, and its headline is that of one."""
    assert headline(verdict=Verdict.PASS, cases=[marked()]) == "evalaction: the affected case passes"


def test_remarks__one_for_all() -> None:
    """Cases that are unmeasured for that are one error, and those that lack draws another."""
    run = report(
        marked(fail_on=ASKED),
        case_result("b", "A A", reply_id=UNIQUE, fail_on=ASKED, line=2),
        case_result("c", "A ∅", failure=BROKEN, agreement_min=1, line=3),
    )
    said = [f"{remark.level} ×{remark.number} {untrusted.plain(remark.message)}" for remark in remarks(run)]

    assert said == [
        "error ×2 a (golden/invoices.golden.jsonl:1) and 1 more case could not be measured: draws that may not be "
        f"fresh. {ASK_MODEL}",
        "error ×1 c (golden/invoices.golden.jsonl:3) could not be measured, 1 of 2 draws came: HTTP 503. Run it again.",
    ]
