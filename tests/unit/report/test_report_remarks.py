"""What a run says of single lines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.decks import deck_result, trace_deck
from support.example_decks import fluent_last, obeys
from support.example_reports import all_pass, gates, mixed
from support.grading import UNIQUE
from support.reports import FAIL_ON, case_result, change, deck, removed, report, schema, with_id

from evalaction.forks import FAILS, SKIPPED
from evalaction.records.deck import ProbeKind
from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import Removed
from evalaction.records.report import Report
from evalaction.report.remark import Remark
from evalaction.report.remarks import remarks
from evalaction.report.untrusted import plain

GOLDEN = "golden/invoices.golden.jsonl"


def said(run: Report, **more: object) -> list[str]:
    """Return each remark in one line: level, place, how many it tells of, title and message."""
    return [_line(remark) for remark in remarks(run, **more)]  # type: ignore[arg-type]


def _line(remark: Remark) -> str:
    place = "the run" if remark.path is None else f"{remark.path}:{remark.line or ''}"
    number = f" ×{remark.number}" if remark.number > 1 else ""
    return f"{remark.level} {place}{number} [{remark.title}] {plain(remark.message)}"


def test_remarks__mixed() -> None:
    """What fails comes first, then what could not be measured, then what a reviewer must not miss, each on its line."""
    assert said(mixed()) == [
        "error golden/refunds.golden.jsonl:3 [evalaction: fails on agreement] "
        "refund_abstain_v1 (golden/refunds.golden.jsonl:3) fails on agreement. Draws A A A A B; "
        "agreement 4/5, needs 5/5; flip rate 1/5 (0.5 – 82 %); drawn because prompt (prompts/refund.j2). "
        "Have the prompt settle which answer is right.",
        f"error {GOLDEN}:2 [evalaction: fails on expected value] invoice_extract_v4 ({GOLDEN}:2) fails on expected "
        "value in 0/5. "
        "Draws A A A A A; agreement 5/5, needs 4/5; flip rate 0/5 (0 – 60 %); drawn because prompt, contract. "
        "Correct the prompt, or the expected value if that is what is wrong.",
        f"error {GOLDEN}:9 [evalaction: not measured] long_thread_v1 ({GOLDEN}:9) could not be measured, "
        "3 of 5 draws came: deadline. Raise the deadline (input deadline), or narrow the run with --case or --tag.",
        f"warning {GOLDEN}:1 [evalaction: gate loosened] "
        f"gate loosened: invoice_extract_v3 agreement_min 0.9 → 0.8 ({GOLDEN}:1)",
        f"warning {GOLDEN}:2 [evalaction: expected value edited] "
        f"expected value edited: invoice_extract_v4 expect.total_cents 1905 → 1950 ({GOLDEN}:2)",
    ]


def test_remarks__worst_first() -> None:
    """Among failing cases agreement comes before expected, schema and length; then the lowest agreement comes first."""
    cases = [
        case_result("stable", "A A A B", agreement_min=1),
        case_result("shaky", "A A B B", agreement_min=1),
        case_result("wrong", "A A", expect={"total_cents": 0}),
        *gates().cases,
    ]
    found = [remark.message[0] for remark in remarks(report(*cases)) if remark.level == "error"]

    assert [plain((name,)) for name in found] == ["tie", "shaky", "stable", "long", "wrong", "form", "length"]


def test_remarks__one_cause_once() -> None:
    """All cases that one cause kept from being measured are one remark, those that were not sent any more included."""
    refused = Failure(cause=Cause.REJECTED, message="401: no", status=401)
    stopped = Failure(cause=Cause.STOPPED, message="the run had ended")
    timeout = Failure(cause=Cause.TIMEOUT, message="no answer in 120 s")
    run = report(
        case_result("a", "∅ ∅", failure=refused),
        case_result("b", "A ∅ ∅", failure=stopped, line=2),
        case_result("c", "∅ ∅", failure=timeout, line=3),
        case_result("d", "∅ ∅", failure=refused, line=4),
    )

    assert said(run) == [
        f"error {GOLDEN}:1 ×3 [evalaction: not measured] a ({GOLDEN}:1) and 2 more cases could not be measured: "
        "rejected with 401. Give EVAL_API_KEY (input api-key) a key that the endpoint accepts, then run it again.",
        f"error {GOLDEN}:3 [evalaction: not measured] c ({GOLDEN}:3) could not be measured, 0 of 2 draws came: "
        "timeout. Run it again.",
    ]


@pytest.mark.parametrize(("hold", "code", "level"), [(FAILS, 3, "error"), (SKIPPED, 0, "notice")])
def test_remarks__held_back(hold: object, code: int, level: str) -> None:
    """What was held back is one remark on the run: an error where it makes the job red, else a notice."""
    failure = Failure(cause=Cause.HELD, message="from a fork")
    run = report(case_result("a", "∅ ∅", failure=failure), decks=(deck("d"),), held=hold, exit_code=code, headline="h")

    assert said(run) == [f"{level} the run [h] {hold.message} {hold.remedy}"]  # type: ignore[attr-defined]


def test_remarks__gates_of_the_run() -> None:
    """A gate of the run that fails it comes before all cases; one that only warns is told by what it counts."""
    gate = Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail="1 removed")
    cases, gone = (case_result("a", "A B", agreement_min=1),), (removed("old"),)
    missing = replace(gate, verdict=Verdict.UNMEASURED, detail="there is no base")
    runs = {
        "fails": report(*cases, gates=(gate,), removed=gone),
        "warns": report(*cases, removed=gone),
        "unmeasured": report(*cases, gates=(missing,)),
        "unmeasured, warns": report(*cases, gates=(replace(missing, warns=True),)),
    }
    titles = {name: [(remark.level.value, remark.title) for remark in remarks(run)] for name, run in runs.items()}

    case = ("error", "evalaction: fails on agreement")
    warning = ("warning", "evalaction: removed")
    assert titles == {
        "fails": [("error", "evalaction: the gate contract"), case, warning],
        "warns": [case, warning],
        "unmeasured": [("error", "evalaction: the gate contract"), case],
        "unmeasured, warns": [case, ("warning", "evalaction: the gate contract")],
    }


def test_remarks__decks() -> None:
    """Decks that could not be measured are one remark for each cause, on the fixtures of the first."""
    timeout = Failure(cause=Cause.TRANSPORT, message="no connection")
    run = report(decks=(deck("one"), deck("two"), deck("three", failure=timeout)))

    assert said(run) == [
        "error decks/trace.jsonl: ×2 [evalaction: not measured] "
        "The judge of one and 1 more deck could not be measured: HTTP 503. Run it again.",
        "error decks/trace.jsonl: [evalaction: not measured] The judge of three could not be measured: transport. "
        "Check JUDGE_URL (input judge-base-url, else EVAL_BASE_URL), and that something listens there.",
    ]


def test_remarks__failing_decks() -> None:
    """A deck that fails is an error on the line of its worst fixture; a probe that only warns is a warning."""
    probed = trace_deck(probes=(ProbeKind.STEER,))
    run = report(decks=(deck_result(judge=fluent_last), deck_result(probed, probed=obeys)))

    assert said(run) == [
        "error decks/trace.jsonl:2 [evalaction: fails on judge-flip, judge-gold] The judge of trace-judge gave t2 "
        "(gold fail) 2 labels: fail in 4 of 6 replies, pass in 2. The fixture that flips does so where it stands last, "
        "and only there. In all: 1 of 3 fixtures changes its label over 6 orders, gold missed in 2 of 18 labels; run "
        "because rubric. Reword the rubric so that each trace is judged by itself, or take another judge model; until "
        "then do not trust its grades.",
        "warning decks/trace.jsonl: [evalaction: warns on judge-probe] the judge of trace-judge, steer: accepted in 2 "
        "of 2 requests, 4 of 6 other labels moved",
    ]


def test_remarks__gates_that_warn() -> None:
    """Draws that may not be fresh are one warning for all cases; another gate that only warns is one for each case."""
    again = case_result("again", "A A", reply_id="x")
    warns = case_result("warns", "A B", agreement_min=1, fail_on=FAIL_ON - {GateName.AGREEMENT}, line=2)

    assert said(report(again, with_id(again, "too"), warns)) == [
        f"warning {GOLDEN}:1 ×2 [evalaction: draws not independent] "
        f"Draws of again ({GOLDEN}:1) and of 1 more case may not be fresh.",
        f"warning {GOLDEN}:2 [evalaction: warns on agreement] warns ({GOLDEN}:2): agreement (warns). Draws B A; "
        "agreement 1/2, needs 2/2; flip rate 1/2 (1 – 100 %); drawn because prompt.",
    ]


def test_remarks__replayed_judges() -> None:
    """Replies that may not be fresh are one warning for all decks, beside what else each warns on, or one error."""
    probed = trace_deck(name="probed", probes=(ProbeKind.STEER,))
    asked = FAIL_ON | {GateName.INDEPENDENCE}
    plain, warns = deck_result(reply_id=UNIQUE), deck_result(probed, probed=obeys, reply_id=UNIQUE)

    assert said(report(decks=(deck_result(reply_id=UNIQUE, fail_on=asked), plain, warns))) == [
        "error decks/trace.jsonl: [evalaction: not measured] The judge of trace-judge could not be measured: replies "
        "that may not be fresh. Find out what answers in the judge's place (a cache, a gateway), and have it ask the "
        "judge for every request.",
        "warning decks/trace.jsonl: ×2 [evalaction: draws not independent] "
        "Replies of the judge of trace-judge and of 1 more deck may not be fresh.",
        "warning decks/trace.jsonl: [evalaction: warns on judge-probe] the judge of probed, steer: accepted in 2 of 2 "
        "requests, 4 of 6 other labels moved",
    ]


def test_remarks__removed() -> None:
    """What is gone from a file is one warning, on the file where it is still there; a removed file counts its cases."""
    gone = (
        removed(None, kind="file"),
        removed("a"),
        removed("b"),
        *(Removed(kind="case", path="g.jsonl", id=f"c{index}") for index in range(7)),
        Removed(kind="fixture", path="renamed.jsonl", id="f"),
    )

    assert said(report(removed=gone), paths={"g.jsonl"}) == [
        "warning the run ×3 [evalaction: removed] removed: file golden/old.golden.jsonl with 2 cases",
        "warning g.jsonl: ×7 [evalaction: removed] removed: 7 cases: c0, c1, c2, c3, c4 and 2 more (g.jsonl)",
        "warning the run [evalaction: removed] removed: fixture f (renamed.jsonl)",
    ]
    assert [remark.path for remark in remarks(report(removed=gone))] == [None, "g.jsonl", "renamed.jsonl"]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (report(), []),
        (report(case_result("a", "A A")), []),
        (
            report(case_result("a", "A A"), verdict=Verdict.UNMEASURED, exit_code=130, headline="evalaction: stopped"),
            ["error the run [evalaction] evalaction: stopped"],
        ),
        (
            all_pass(),
            ["warning the run ×2 [evalaction: removed] removed: file golden/old.golden.jsonl with 1 case"],
        ),
    ],
)
def test_remarks__table(run: Report, expected: list[str]) -> None:
    """A green run says nothing but its warnings; a red one always says why."""
    assert said(run) == expected


def test_remarks__no_model_text() -> None:
    """Nothing that a model or an endpoint wrote is in a remark, whether or not completions are shown."""
    mark = "\ue001not ours\ue001"
    answers = {"A": {"status": mark, mark: 1}, "B": {"status": f"{mark}!", mark: 2}}
    failure = Failure(cause=Cause.STATUS, message=f"500: {mark}", status=500)
    run = report(
        case_result("a", "A B ?", answers=answers, raw={"?": mark}, agreement_min=1, expect={"status": "x"}),
        case_result("b", "∅ ∅", failure=failure),
        case_result("c", "A A", reply_id=mark, answers=answers),
        case_result("d", "A A", answers=answers, schema=schema({"required": ["other"]})),
        loosened=(change("d", "n", 5, 2),),
    )

    assert [mark in line for line in said(run)] == [False] * 5
