"""A run in plain lines."""

from __future__ import annotations

import pytest
from support.decks import deck_result, judged_case
from support.example_reports import expected_elsewhere, late_difference
from support.reports import case_result, report

from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.report import CaseResult, Side
from evalaction.report.lines import case_details, case_line, closing, opening
from evalaction.report.untrusted import plain

SPENT = "The plan needs 10 calls, and max-calls allows 1."


def test_opening__what_a_reviewer_must_not_miss() -> None:
    """Replies shown again, and gates that could not be measured, stand at the top."""
    gate = Gate(name=GateName.CONTRACT, verdict=Verdict.UNMEASURED, detail="there is no base")
    run = report(
        case_result("fails", "A B", agreement_min=1),
        case_result("again", "A A", reply_id="x"),
        gates=(gate,),
        unaffected=0,
    )

    assert [plain(line) for line in opening(run)] == [
        "❌ evalaction: 1 of 2 affected cases fails, the gate contract could not be measured",
        "fails gave 2 answers in 2 draws: 1 of 2 agree, 2 are needed.",
        "next: Have the prompt settle which answer is right.",
        "warning: not measured: the gate contract: there is no base",
        "warning: draws not independent: again: 2 of 2 draws share a response id: they may be one reply shown again",
    ]


def test_opening__untested_judges() -> None:
    """That passing cases were graded by an untested judge stands at the top, where nobody has to open anything."""
    run = report(judged_case("pp pp"), unaffected=0)

    assert [plain(line) for line in opening(run)] == [
        "✅ evalaction: the affected case passes",
        "No answer moved in 2 draws of 1 case.",
        "warning: graded by an untested judge: 1 passing case (tone_v1), no deck has its rubric, labels and judge",
    ]


def test_opening__one_failure_once() -> None:
    """What ended a run before it began is said once, and nothing is said of draws that did not come."""
    failure = Failure(cause=Cause.BUDGET, message=SPENT)
    cases = [
        case_result(name, "∅ ∅", failure=failure, expect_keys=("x",), max_completion_tokens=9, expect={"x": 1})
        for name in ("a", "b")
    ]
    run = report(*cases, manifest={"notes": (SPENT,)}, unaffected=0)

    assert [plain(line) for line in opening(run)] == [
        "⚪ evalaction: could not be measured: 2 of 2 affected cases",
        f"a got 0 of 2 draws: budget: {SPENT}",
        "next: Raise max-calls (or max-total-tokens), or narrow the run with --case or --tag.",
    ]
    assert [case_details(case, show=True) for case in cases] == [[], []]


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (
            expected_elsewhere().cases[0],
            [
                'A, 5 of 5: {"vendor":"Acme"}',
                'expected: {"total_cents":1950}',
                "4 of 5 draws pass their checks, not draw 5 (pass^2 6/10, pass^5 0)",
                "not as expected, draw 5: total_cents 19.5",
            ],
        ),
        (
            late_difference().cases[0],
            [
                'A, 3 of 5: "refunds are possible within thirty days… they came in. yes, do it."',
                'B, 1 of 5: "refunds are possible within thirty days… they came in. no."',
                'C, 1 of 5: "refunds are possible within thirty days… they came in. yes, do it!"',
            ],
        ),
    ],
)
def test_case_details__table(result: CaseResult, shown: list[str]) -> None:
    """Every answer differs from the others as it is shown, and what is wrong outside of them is told beside."""
    assert [plain(line) for line in case_details(result, show=True)] == shown


@pytest.mark.parametrize(
    ("result", "shown", "hidden"),
    [
        (
            case_result("a", "A A B", agreement_min=1, expect_keys=("total_cents",)),
            [
                "what differs: total_cents: 1950 in 2 of 3, 19.5 in 1",
                'A, 2 of 3: {"total_cents":1950}',
                'B, 1 of 3: {"total_cents":19.5}',
            ],
            ["A and B differ in total_cents"],
        ),
        (
            case_result("a", "A A", expect={"total_cents": 1}),
            [
                "what differs: total_cents: 1950, expected 1",
                'A, 2 of 2: {"total_cents":1950,"vendor":"Acme Tools"}',
                'expected: {"total_cents":1}',
            ],
            ["A is wrong in total_cents"],
        ),
        (
            expected_elsewhere().cases[0],
            [
                'A, 5 of 5: {"vendor":"Acme"}',
                'expected: {"total_cents":1950}',
                "4 of 5 draws pass their checks, not draw 5 (pass^2 6/10, pass^5 0)",
                "not as expected, draw 5: total_cents 19.5",
            ],
            [
                "4 of 5 draws pass their checks, not draw 5 (pass^2 6/10, pass^5 0)",
                "not as expected, draw 5: total_cents",
            ],
        ),
        (
            case_result("a", "? A"),
            ['A, 1 of 2: {"total_cents":1950,"vendor":"Acme Tools"}', "unreadable, draw 1: no JSON object in the text"],
            [],
        ),
    ],
)
def test_case_details__with_and_without_completions(result: CaseResult, shown: list[str], hidden: list[str]) -> None:
    """Every line begins with words of ours; without completions what moved is named by the contract's keys."""
    assert [plain(line) for line in case_details(result, show=True)] == shown
    assert [plain(line) for line in case_details(result, show=False)] == hidden


def test_case_line__many_draws() -> None:
    """Many draws stand in their order."""
    result = case_result("c", " ".join("AAAAB" * 5), path="a.jsonl", expect_keys=("total_cents",))

    assert plain(case_line(result)) == (
        "✅ pass c (a.jsonl:1): draws AAAABAAAAB AAAABAAAAB AAAAB; agreement 20/25, needs 20/25;"
        " flip rate 5/25 (7 – 43 %); drawn because prompt"
    )


def test_closing__what_was_compared() -> None:
    """The small print names both sides; a side that is no commit is called what it is."""
    sides = (Side(sha=None, ref=None), Side(sha="0123456789abcdef", ref="main"), Side(sha=None, ref="WORKTREE"))
    merge = Side(sha="9" * 40, ref="HEAD", merge_of="8a41b77" + "0" * 33)
    runs = [
        report(base=base, head=head) for base, head in ((sides[0], sides[1]), (sides[1], sides[2]), (sides[1], merge))
    ]

    assert [[plain(line) for line in closing(run, location="out/report.json")] for run in runs] == [
        [
            f"compared: {compared}",
            "model m-1, 0 of 200 cases, 0 calls, 0 retried, 0.0 s",
            "stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck",
            "again on a desk: evalaction check --base 1f0c2d9 --head 8a41b77",
            "full report: out/report.json",
        ]
        for compared in (
            "no base → main (0123456789ab)",
            "main (0123456789ab) → work tree",
            "main (0123456789ab) → merge of 8a41b7700000",
        )
    ]


def test_closing__suite_of_decks() -> None:
    """A suite that has decks alone says nothing of cases."""
    run = report(decks=(deck_result(),), manifest={"items": 0, "model": None}, unaffected=0)

    assert [plain(line) for line in closing(run, location=None)][1] == (
        "judge j-1, 1 deck, 6 calls, 6 to judges, 0 retried, 14 s"
    )
