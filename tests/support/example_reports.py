"""The runs whose whole comments stand in ``tests/examples/comment-*/comment.md``, by the folder's name."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from support.drawing import make_call, make_plan
from support.example_decks import deck_reports
from support.example_graders import grader_reports
from support.reports import (
    ANSWERS,
    FAIL_ON,
    case_result,
    change,
    planned_case,
    removed,
    report,
    schema,
    untrusted_everywhere,
)

from evalaction.draw.endpoint import make_target
from evalaction.draw.job import unsent
from evalaction.draw.refusal import status_failure
from evalaction.forks import FAILS, SKIPPED
from evalaction.records.case import Grader, Sampling
from evalaction.records.draw import Adaptation, Cause, Failure, Usage
from evalaction.records.gate import GateName
from evalaction.records.manifest import Tokens
from evalaction.records.plan import Hold, Reason
from evalaction.records.report import Report
from evalaction.records.settings import Endpoint
from evalaction.report.adapted import adapted

KEYS = ("vendor", "total_cents")
REFUNDS = {"A": {"status": "unknown"}, "B": {"status": "eligible"}}
RAW = {"B": '{"status": "eligible", "reason": "orders can be refunded within 30 days"}'}
SOURCE = "https://github.example.test/acme/evals/blob/8a41b77000000000000000000000000000000000"
"""Address of all files at the head of these runs."""


def example_reports() -> dict[str, Report]:
    """Return every example, by name."""
    return {
        "comment-mixed": mixed(),
        "comment-hidden-completions": mixed(show_completions=False),
        "comment-nothing-affected": report(),
        "comment-nothing-measured": nothing_measured(),
        "comment-all-pass": all_pass(),
        **deck_reports(),
        **grader_reports(),
        "comment-gates": gates(),
        "comment-expected-elsewhere": expected_elsewhere(),
        "comment-late-difference": late_difference(),
        "comment-endpoint": endpoint(),
        "comment-fork": held(FAILS),
        "comment-fork-skipped": held(SKIPPED),
        "comment-hostile": untrusted_everywhere(
            "`|</details> @octo-user #12 <!-- x --> [a](https://x.test)\u202e\n# h"
        ),
    }


def relayed_reports() -> dict[str, Report]:
    """Return every example of what a fork's own run reports, by name."""
    return {
        "comment-relayed": held(FAILS),
        "comment-relayed-pass": all_pass(),
        "comment-relayed-mixed": mixed(),
    }


def linked_reports() -> dict[str, Report]:
    """Return every example whose golden lines are links to ``SOURCE``, by name."""
    return {"comment-linked": mixed()}


def held(hold: Hold) -> Report:
    """Return a run for a pull request from a fork, of which nothing was drawn."""
    failure = Failure(cause=Cause.HELD, message=hold.message)
    return report(
        case_result(
            "refund_abstain_v1",
            "∅ ∅ ∅ ∅ ∅",
            failure=failure,
            path="golden/refunds.golden.jsonl",
            line=3,
            changed_files=("prompts/refund.j2",),
        ),
        case_result("invoice_extract_v4", "∅ ∅ ∅ ∅ ∅", failure=failure, expect={"total_cents": 1950}, line=2),
        case_result("long_thread_v1", "∅ ∅", failure=failure, reasons=(Reason.NEW,), line=9),
        loosened=(change("invoice_extract_v4", "agreement_min", Decimal("0.9"), Decimal("0.8"), line=2),),
        manifest={"endpoint_host": None},
        held=hold,
    )


def mixed(**said: object) -> Report:
    """Return a run with a flipping abstention, a stable wrong answer, a missing answer and a pass that flips."""
    return report(
        case_result(
            "refund_abstain_v1",
            "A A A A B",
            answers=REFUNDS,
            raw=RAW,
            agreement_min=1,
            expect_keys=("status",),
            path="golden/refunds.golden.jsonl",
            line=3,
            changed_files=("prompts/refund.j2",),
        ),
        case_result(
            "invoice_extract_v4",
            "C C C C C",
            expect={"total_cents": 1950},
            expect_keys=KEYS,
            reasons=(Reason.PROMPT, Reason.CONTRACT),
            line=2,
        ),
        case_result("invoice_extract_v3", "A A B A A", expect_keys=KEYS),
        case_result("long_thread_v1", "A A ∅ ∅ ?", reasons=(Reason.NEW,), line=9),
        loosened=(change("invoice_extract_v3", "agreement_min", Decimal("0.9"), Decimal("0.8")),),
        edited_gold=(change("invoice_extract_v4", "expect.total_cents", 1905, 1950, line=2),),
        manifest={"notes": ("golden/invoices.golden.jsonl:4: temperature 0 is a request, not determinism",)},
        **said,
    )


def nothing_measured() -> Report:
    """Return a run whose endpoint refused the key of the first request, after which nothing more was sent."""
    target, case = make_target(Endpoint(base_url="https://llm.example.test", api_key="x")), planned_case("x", 2).case
    said = b'{"error": {"message": "Incorrect API key provided."}}'
    call = make_call(case)
    refused = status_failure(401, said, target=target, call=call, sent=(), location=None)
    ended = unsent(refused)
    return report(
        case_result("invoice_extract_v3", "∅ ∅ ∅ ∅ ∅", failure=refused),
        case_result("invoice_extract_v4", "∅ ∅ ∅ ∅ ∅", failure=ended, line=2),
        manifest={"items": 2},
    )


def all_pass() -> Report:
    """Return a green run in which something was removed."""
    return report(
        case_result("invoice_extract_v3", "A A A A A", expect={"total_cents": 1950}),
        case_result("invoice_extract_v4", "A A A A A", expect={"total_cents": 1950}, line=2),
        removed=(removed("invoice_extract_v1"), removed(None, kind="file")),
    )


def expected_elsewhere() -> Report:
    """Return a run whose draws agree, while some give another value than expected in a key outside the answer."""
    first = {"vendor": "Acme"}
    answers = {"A": {**first, "total_cents": 1950}, "B": {**first, "total_cents": Decimal("19.5")}, "C": first}
    said = {"answers": answers, "expect_keys": ("vendor",), "expect": {"total_cents": 1950}}
    return report(
        case_result("one_draw", "A A A A B", **said),
        case_result("two_values", "A B A C ∅", line=2, **said),
        manifest={"items": 2},
    )


def late_difference() -> Report:
    """Return a run of long answers that differ late, one of a reply that is shown again, and one of many draws."""
    start = "Refunds are possible within thirty days, if the goods are unused, and in the box that they came in. " * 2
    letters = {"A": f"{start}Yes, do it.", "B": f"{start}Yes, do it!", "C": f"{start}No."}
    many = " ".join(["A A A A B"] * 9 + ["A ? ∅"])
    return report(
        case_result("prose", "A A B C A", answers=letters, grader=Grader.TEXT, agreement_min=1),
        case_result("again", "A A A A A", reply_id="cmpl-0", line=2),
        case_result("many", many, line=3),
        manifest={"items": 3},
    )


def endpoint() -> Report:
    """Return a run that was resumed, behind a cache, on an endpoint that changes and does not take all it is asked."""
    several = Sampling(model="m-1", temperature=Decimal("0.7"), samples_per_request=5)
    alone = Sampling(model="m-1", temperature=Decimal("0.7"))
    asked = [planned_case(id_, 5, sampling=sampling) for id_, sampling in (("a", several), ("b", alone), ("c", alone))]
    found = (Adaptation(name="max_tokens", instead="max_completion_tokens"), Adaptation(name="temperature"))
    every, told = adapted(replace(make_plan(), cases=tuple(asked)), draws=found, judges=(), shared=True)
    named = {"model": "m-1-2026-01-01", "fingerprint": "fp_44709d6fcb"}
    other, marked = {**named, "fingerprint": "fp_9b0abffe81"}, {**named, "replayed": "x-cache: HIT"}
    run = "3f2a9c41b7d0e586"
    made = report(
        case_result(
            "refund_abstain_v1",
            "A A A A A",
            answers=REFUNDS,
            expect_keys=("status",),
            path="golden/refunds.golden.jsonl",
            line=3,
            sampling=alone,
            replies={**dict.fromkeys((1, 4), named), **dict.fromkeys((2, 3, 5), marked)},
            tries={1: 4, 4: 2},
            fail_on=FAIL_ON | {GateName.INDEPENDENCE},
        ),
        case_result(
            "invoice_extract_v3",
            "A A A A A",
            expect={"total_cents": 1950},
            sampling=several,
            replies={
                index: {**named, "id": "chatcmpl-9fTqZ3kWm1Yb7LxP", "choice": index - 1, "choices": 5}
                for index in range(1, 6)
            },
            usage=Usage(),
        ),
        case_result(
            "invoice_extract_v4",
            "A A A A B",
            expect_keys=KEYS,
            line=2,
            sampling=alone,
            replies={**dict.fromkeys((1, 2, 3), named), **dict.fromkeys((4, 5), other)},
            replay_of=dict.fromkeys((1, 2, 3), run),
            tries={4: 2},
        ),
        manifest={
            "items": 3,
            "begun": {run: "2026-11-30T12:00:00+00:00"},
            "adapted": every,
            "faults": (("HTTP 429", 3), ("timeout", 1), ("HTTP 400", 1)),
            "tokens": Tokens(prompt=320, completion=156, reasoning=96, cached=64, total=476),
        },
    )
    return replace(made, manifest=replace(made.manifest, notes=(*made.manifest.notes, *told)))


def gates() -> Report:
    """Return a run that fails every gate there is, with ties and a long strip."""
    return report(
        case_result("tie", "A A B B ?", expect_keys=KEYS, agreement_min=1),
        case_result(
            "form",
            "A A B A A",
            schema=schema({"properties": {"total_cents": {"type": "integer"}}}),
            agreement_min="0.8",
            line=2,
        ),
        case_result(
            "length", "A A", usage=Usage(completion=213), max_completion_tokens=128, expect=dict(ANSWERS["A"]), line=3
        ),
        case_result("long", " ".join(["A"] * 18 + ["B"] + ["A"] * 6), agreement_min=1, line=4),
        manifest={"items": 4},
    )
