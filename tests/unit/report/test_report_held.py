"""What a run says of which nothing was drawn, since its pull request comes from a fork."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.example_reports import held
from support.markdown import render
from support.reports import STUBS, case_result, deck, removed, report, with_id
from support.suites import golden, suite_of
from support.trees import MemoryTree

from evalaction.forks import FAILS, SKIPPED
from evalaction.plan.make import make_plan
from evalaction.publish.log import log_lines
from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import Reason
from evalaction.records.report import Report
from evalaction.records.tree import Pair
from evalaction.report.comment import LIMIT, render_comment
from evalaction.report.plan_lines import plan_lines

ONE = case_result("a", "∅ ∅", failure=Failure(cause=Cause.HELD, message=FAILS.message))
FAILED = Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail="1 loosened")
UNMEASURED = Gate(name=GateName.CONTRACT, verdict=Verdict.UNMEASURED, detail="there is no base")
FORK = "this pull request comes from a fork"


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (report(ONE, held=FAILS), f"the affected case was not drawn: {FORK}"),
        (report(ONE, with_id(ONE, "b"), held=SKIPPED), f"2 affected cases were not drawn: {FORK}"),
        (
            report(replace(ONE, planned=replace(ONE.planned, reasons=(Reason.ALL,))), held=FAILS),
            f"the case was not drawn: {FORK}",
        ),
        (report(decks=(deck("d"),), held=FAILS), f"1 affected deck was not judged: {FORK}"),
        (
            report(ONE, decks=(deck("d"), deck("e")), held=FAILS),
            f"the affected case was not drawn and 2 affected decks were not judged: {FORK}",
        ),
        (
            report(ONE, gates=(FAILED,), held=SKIPPED),
            f"the gate contract fails, the affected case was not drawn: {FORK}",
        ),
        (
            report(ONE, gates=(UNMEASURED,), held=SKIPPED),
            f"the affected case was not drawn: {FORK}, the gate contract could not be measured",
        ),
        (
            report(ONE, removed=(removed("x"),), held=FAILS),
            f"the affected case was not drawn: {FORK}, and what is checked has changed",
        ),
    ],
)
def test_headline__held(run: Report, expected: str) -> None:
    """The headline says what was not drawn and why, besides what fails whatever is drawn."""
    assert run.headline == f"evalaction: {expected}"


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (report(ONE, held=FAILS), ("unmeasured", 3, "⚪")),
        (report(ONE, held=SKIPPED), ("unmeasured", 0, "⚪")),
        (report(decks=(deck("d"),), held=SKIPPED), ("unmeasured", 0, "⚪")),
        (report(ONE, gates=(FAILED,), held=SKIPPED), ("fail", 1, "❌")),
        (report(ONE, gates=(UNMEASURED,), held=SKIPPED), ("unmeasured", 3, "⚪")),
        (report(ONE, gates=(replace(UNMEASURED, warns=True),), held=SKIPPED), ("unmeasured", 0, "⚪")),
    ],
)
def test_report__held_never_green(run: Report, expected: tuple[str, int, str]) -> None:
    """What was held back is unmeasured; ``skip`` excuses that alone, and colours nothing."""
    symbol = render_comment(run).split()[1]
    assert expected == (run.verdict, run.exit_code, symbol)


def test_log_lines__held() -> None:
    """A log says in one line a case what would be drawn and why, and nothing of draws that were never to come."""
    assert list(log_lines(held(FAILS), groups=False))[:7] == [
        f"⚪ evalaction: 3 affected cases were not drawn: {FORK}, and what is checked has changed",
        f"{FAILS.message} Drawing would take 12 calls. 197 cases are unaffected.",
        f"next: {FAILS.remedy}",
        "warning: gate loosened: invoice_extract_v4 agreement_min 0.9 → 0.8 (golden/invoices.golden.jsonl:2)",
        "⚪ unmeasured refund_abstain_v1 (golden/refunds.golden.jsonl:3): not drawn; affected because prompt "
        "(prompts/refund.j2); n 5",
        "⚪ unmeasured invoice_extract_v4 (golden/invoices.golden.jsonl:2): not drawn; affected because prompt; n 5",
        "⚪ unmeasured long_thread_v1 (golden/invoices.golden.jsonl:9): not drawn; affected because new; n 2",
    ]


def test_render_comment__many_held() -> None:
    """Of many cases the first twenty are seen without a click, and the comment keeps its limit."""
    run = report(
        *(with_id(ONE, f"case_{index}_" + "x" * 60) for index in range(400)), manifest={"items": 500}, held=FAILS
    )
    comment = render_comment(run)

    html = render(comment)
    assert len(comment.encode()) <= LIMIT
    assert "<details><summary>80 more cases not drawn</summary>" in comment.splitlines()
    assert (html.count("<table>"), html.count("<details>"), html.count("</details>")) == (2, 1, 1)
    assert comment.splitlines()[2] == (
        "**Shortened to fit.** Left out or cut: 300 table rows. Everything is in the run's report files."
    )


DESK = ("git fetch origin pull/7/head main", "evalaction check --base origin/main --head FETCH_HEAD")


@pytest.mark.parametrize(
    ("run", "relayed", "shown"),
    [
        (held(FAILS), None, True),
        (held(FAILS), "https://github.example.test/acme/evals/actions/runs/41", True),
        (report(), "https://github.example.test/acme/evals/actions/runs/41", True),
        (report(), None, False),
    ],
    ids=["held", "held and relayed", "relayed", "drawn"],
)
def test_render_comment__on_a_desk(run: Report, relayed: str | None, shown: bool) -> None:
    """What was held back, and what a fork reports, comes with the commands to draw it; what was drawn does not."""
    said = (
        "To draw it on a desk: `git fetch origin pull/7/head main`, then `evalaction check --base origin/main --head "
        "FETCH_HEAD`."
    )

    lines = render_comment(run, desk=DESK, relayed_from=relayed).splitlines()
    assert (said in lines, any("FETCH_HEAD" in line for line in lines)) == (shown, shown)


def test_render_comment__long_command() -> None:
    """A command too long to be shown whole is not shown, nor the one before it."""
    assert render_comment(held(FAILS), desk=(DESK[0], "x" * 401)) == render_comment(held(FAILS))


def test_plan_lines__held() -> None:
    """The plan is printed as ever, with the calls that it would take; why none is made stands in the headline below."""
    suite = suite_of(golden('{"id":"a","prompt":"x","n":2}', '{"id":"b","prompt":"y","n":3}'))
    plan = make_plan(suite_of({}, before=None), suite, renames={}, workflow_changed=False)
    pair = Pair(base=MemoryTree({}, sha="1" * 40, ref="main"), head=MemoryTree({}, sha="2" * 40, ref="pr"), renames={})

    assert plan_lines(plan, pair=pair, stubs=STUBS, notes=(), hold=FAILS) == (
        "main (111111111111) → pr (222222222222)",
        "2 cases of 2 to be drawn, 0 unaffected.",
        "golden.jsonl:1 a: new, n 2",
        "golden.jsonl:2 b: new, n 3",
        "Stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck.",
        "5 calls would be made for draws, and none is.",
    )
