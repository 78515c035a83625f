"""What a run cost, and what it did not draw itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.decks import deck_result, judged_case
from support.reports import DEADLINE, case_result, report

from evalaction.records.case import Sampling
from evalaction.records.draw import Cause, Failure
from evalaction.records.judge import Unjudged
from evalaction.records.manifest import Replays, Tokens
from evalaction.records.report import CaseResult, Report
from evalaction.report import untrusted
from evalaction.report.spent import (
    calls_words,
    faults_words,
    replay_note,
    tokens_words,
)

SEVERAL = Sampling(model="m-1", samples_per_request=5)
TIMEOUT = Failure(cause=Cause.TIMEOUT, message="no answer")
BUSY = (("HTTP 429", 30), ("timeout", 7))


def choices(number: int) -> dict[int, dict[str, Any]]:
    """Return the replies of one request for ``number`` draws."""
    return {index: {"id": "cmpl-1", "choice": index - 1, "choices": number} for index in range(1, number + 1)}


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ({}, "tokens not counted by the endpoint"),
        ({"total": 1_200, "estimated": True}, "about 1,200 tokens, estimated"),
        ({"prompt": 1_720, "completion": 216}, "1,720 prompt + 216 completion tokens"),
        ({"prompt": 7, "total": 7}, "7 prompt tokens"),
        (
            {"prompt": 720, "completion": 216, "reasoning": 180, "cached": 64},
            "720 prompt + 216 completion tokens (180 for reasoning), 64 from the prompt cache",
        ),
        (
            {"prompt": 720, "completion": 216, "total": 1_000, "estimated": True},
            "720 prompt + 216 completion tokens; about 1,000 in all, estimated where the endpoint does not count",
        ),
    ],
)
def test_tokens_words(tokens: dict[str, Any], said: str) -> None:
    """What was counted is told by kind, and an estimate is called one."""
    assert tokens_words(Tokens(**{"prompt": None, "completion": None, "cached": None, **tokens})) == said


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (report(), ["0 calls"]),
        (report(case_result("a", "∅ ∅")), ["0 calls (2 planned)"]),
        (report(case_result("a", "A A")), ["2 calls (2 planned, 0 retried)"]),
        (
            report(judged_case("pp pp"), decks=(deck_result(unreadable=(0,)),), manifest={"items": 1}),
            ["13 calls (12 planned, 11 to judges, 0 retried, 1 repaired)"],
        ),
        (
            report(case_result("a", "A A A A A", sampling=SEVERAL, replies=choices(5))),
            ["1 call (1 planned, 0 retried)", "5 draws in 1 request"],
        ),
        (
            report(
                case_result("a", "A A A A A A", sampling=SEVERAL, replies=choices(5)), case_result("b", "A A", line=2)
            ),
            ["4 calls (4 planned, 0 retried)", "8 draws in 4 requests"],
        ),
        (report(case_result("a", "∅ ∅", sampling=SEVERAL)), ["0 calls (1 planned)"]),
    ],
)
def test_calls_words(run: Report, said: list[str]) -> None:
    """Requests are counted as requests; where one asks for several draws, these are told beside them."""
    assert calls_words(run) == said


def failed(case: CaseResult, *, tries: int) -> CaseResult:
    """Return a case whose missing draws took so many requests."""
    draws = tuple(
        graded if graded.draw.reply else replace(graded, draw=replace(graded.draw, tries=tries))
        for graded in case.draws
    )
    return replace(case, draws=draws)


@pytest.mark.parametrize(
    ("cases", "faults", "said"),
    [
        ([case_result("a", "A A")], (), ""),
        (
            [case_result("a", "A A")],
            BUSY,
            "37 requests failed and were made good: HTTP 429 × 30, timeout × 7",
        ),
        ([case_result("a", "A A")], (("HTML", 1),), "1 request failed and was made good: HTML × 1"),
        # What was never sent did not fail.
        (
            [case_result("a", "A ∅")],
            BUSY,
            "37 requests failed and were made good: HTTP 429 × 30, timeout × 7",
        ),
        (
            [failed(case_result("a", "A ∅", failure=TIMEOUT), tries=4)],
            BUSY,
            "37 requests failed: HTTP 429 × 30, timeout × 7",
        ),
        (
            [case_result("a", "A A")],
            tuple((f"HTTP {500 + place}", 1_000) for place in range(6)),
            "6,000 requests failed and were made good: HTTP 500 × 1,000, HTTP 501 × 1,000, HTTP 502 × 1,000, "
            "HTTP 503 × 1,000 and 2 more",
        ),
    ],
)
def test_faults_words(cases: list[CaseResult], faults: tuple[tuple[str, int], ...], said: str) -> None:
    """Failures are told by kind; that all were made good is said where no draw is missing for one."""
    assert untrusted.plain(faults_words(report(*cases, manifest={"faults": faults}))) == said


def test_faults_words__judges() -> None:
    """A judge that could not be asked was not made good."""
    gone = deck_result(missing=(0,))
    first, *others = gone.outcomes
    assert isinstance(first, Unjudged)
    asked = replace(gone, outcomes=(replace(first, draw=replace(first.draw, tries=4)), *others))
    said = [
        untrusted.plain(faults_words(report(decks=(each,), manifest={"faults": (("HTTP 503", 4),)})))
        for each in (gone, asked)
    ]
    assert said == [
        "4 requests failed and were made good: HTTP 503 × 4",
        "4 requests failed: HTTP 503 × 4",
    ]


RUN, OTHER = "3f2a9c41b7d0e586", "77ab20ce1f045be1"
BEGUN = {RUN: "2026-11-30T12:00:00+00:00"}


@pytest.mark.parametrize(
    ("replays", "said"),
    [
        ([], None),
        (
            [Replays(run=RUN, began=BEGUN[RUN], draws=3, replies=0)],
            "3 of 4 draws were read from the ledger of run 3f2a9c41b7d0, begun 2026-11-30T12:00:00+00:00: they were "
            "not drawn again",
        ),
        (
            [Replays(run=RUN, began=None, draws=1, replies=0)],
            "1 of 4 draws was read from the ledger of run 3f2a9c41b7d0: it was not drawn again",
        ),
        (
            [Replays(run=RUN, began=None, draws=0, replies=6)],
            "6 of 6 judges' replies were read from the ledger of run 3f2a9c41b7d0: they were not drawn again",
        ),
        (
            [
                Replays(run=RUN, began=BEGUN[RUN], draws=3, replies=1),
                *(Replays(run=f"{place}{OTHER}", began=None, draws=0, replies=1) for place in range(4)),
            ],
            "3 of 4 draws and 5 of 6 judges' replies were read from the ledger of runs 3f2a9c41b7d0 "
            "(begun 2026-11-30T12:00:00+00:00), 077ab20ce1f0, 177ab20ce1f0 and of 2 more runs: they were not drawn "
            "again",
        ),
    ],
)
def test_replay_note(replays: list[Replays], said: str | None) -> None:
    """How many of all draws and replies were read from which run, and when it began, where the ledger says it."""
    cases, decks = [case_result("a", "A A A ∅", failure=DEADLINE)], [deck_result()]
    assert replay_note(cases, decks, replays) == said
