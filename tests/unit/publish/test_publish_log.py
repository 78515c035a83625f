"""A run in a log: the comment's words, and no workflow command but our own groups."""

from __future__ import annotations

import io
import os
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.actions_runner import read_log
from support.example_reports import mixed
from support.reports import case_result, report, untrusted_everywhere, with_id

from evalaction.publish.annotations import annotation_lines
from evalaction.publish.log import log_lines, write_log
from evalaction.records.case import Grader
from evalaction.records.draw import Cause, Failure
from evalaction.records.plan import Reason
from evalaction.records.report import Report
from evalaction.report import strips

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_log_lines__in_groups() -> None:
    """A log is the very text of its example: what needs a look stands open, the rest in groups.

    ``UPDATE_EXAMPLES=1`` writes it anew.
    """
    path = EXAMPLES / "comment-mixed" / "log.txt"
    tokens = (f"word-{number}" for number in count(1))
    lines = log_lines(mixed(), groups=True, location="evalaction-report/report.json", token=lambda _: next(tokens))
    log = "\n".join([*lines, *annotation_lines(mixed())]) + "\n"
    if os.environ.get("UPDATE_EXAMPLES"):
        path.write_text(log, encoding="utf-8")

    assert log == path.read_text(encoding="utf-8")


def test_log_lines__elsewhere() -> None:
    """In a log that knows no groups the same lines stand indented."""
    expect = {"vendor": "Acme Tools"}
    run = report(case_result("a", "A A", expect=expect, path="a.jsonl", reasons=(Reason.NEW,)))

    assert list(log_lines(run, groups=False)) == [
        "✅ evalaction: the affected case passes",
        "No answer moved in 2 draws of 1 case. 199 cases are unaffected and were not drawn.",
        "1 passing case:",
        "  ✅ pass a (a.jsonl:1): draws A A; agreement 2/2, needs 2/2; flip rate 0/2 (0 – 98 %); drawn because new",
        "About this run:",
        f"  {strips.LEGEND}. {strips.LEGEND_OF_FIGURES}.",
        "  compared: main (1f0c2d900000) → HEAD (8a41b7700000)",
        "  model m-1, 1 of 200 cases, 2 calls, 0 retried, 14 s",
        "  stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck",
        "  again on a desk: evalaction check --base 1f0c2d9 --head 8a41b77",
    ]


TEXTS = st.text(st.one_of(st.sampled_from(":#[]%=\r\n\v\f\x85\u2028 \t"), st.characters()), max_size=20)
ATTACKS = (
    "::error::x",
    "\r::error::x",
    "\n  ::stop-commands::x",
    "\v::endgroup::",
    "\x85\u2028::add-mask::a",
    "##[error]x",
    "x ##[endgroup]",
    "::0::",
    "\ud83d::warning::",
)


@pytest.mark.parametrize("text", ATTACKS)
def test_log_lines__hostile_text_everywhere(text: str) -> None:
    """Known attacks, in every place at once: the runner obeys the commands of harmless text, and no other."""
    assert obeyed(untrusted_everywhere(text)) == obeyed(untrusted_everywhere("x"))


def obeyed(run: Report) -> list[str]:
    """Return the commands that the runner obeys in the log of a run, words to start again by ``…``."""
    tokens = (f"word{number}" for number in count())
    log = read_log("\n".join(log_lines(run, groups=True, token=lambda _: next(tokens))))
    words = {command.data for command in log.commands if command.name == "stop-commands"}
    return [
        command.name if command.name not in words else "…"
        for command in log.commands
        if command.name != "stop-commands" or command.data in words
    ]


def test_log_lines__model_text_between_stops() -> None:
    """Model and endpoint text stands between commands that stop commands and start them again, inside of a group."""
    tokens = (f"word{number}" for number in count())
    run = report(
        case_result("a", "A B", answers={"A": {"s": "x"}, "B": {"s": "y"}}, agreement_min=1, expect_keys=("s",)),
        case_result("b", "∅ ∅", failure=Failure(cause=Cause.STATUS, message="500: oops", status=500), line=2),
        manifest={"items": 2},
    )
    lines = list(log_lines(run, groups=True, token=lambda _: next(tokens)))

    assert lines[: lines.index("::group::About this run")] == [
        "❌ evalaction: 1 of 2 affected cases fails, 1 could not be measured",
        "a gave 2 answers in 2 draws: 1 of 2 agree, 2 are needed.",
        "next: Have the prompt settle which answer is right.",
        "::stop-commands::word0",
        "2 draws of 1 case missing, HTTP 500: 500: oops.",
        "::word0::",
        "❌ fail a (golden/invoices.golden.jsonl:1): draws A B; agreement 1/2, needs 2/2; flip rate 1/2 (1 – 100 %); "
        "fails on agreement; drawn because prompt",
        "    A and B differ in s",
        "::group::Its answers",
        "::stop-commands::word1",
        '    what differs: s: "x" in 1 of 2, "y" in 1',
        '    A, 1 of 2: {"s":"x"}',
        '    B, 1 of 2: {"s":"y"}',
        "::word1::",
        "::endgroup::",
        "⚪ unmeasured b (golden/invoices.golden.jsonl:2): draws ∅ ∅; agreement not measured; "
        "flip rate not measured; 2 missing: HTTP 500; drawn because prompt",
    ]


def test_log_lines__token_in_the_text() -> None:
    """The word that starts commands again does not stand in what it ends, and is drawn anew where it would."""
    tokens = iter(["beef", "cafe"])
    answers = {"A": "::beef::", "B": "no"}
    run = report(case_result("a", "A B", grader=Grader.TEXT, answers=answers, agreement_min=1))
    lines = list(log_lines(run, groups=True, token=lambda _: next(tokens)))

    assert [line for line in lines if "beef" in line or "cafe" in line] == [
        "::stop-commands::cafe",
        '    A, 1 of 2: "::beef::"',
        "::cafe::",
    ]


@given(TEXTS.filter(lambda text: text.strip(" ")))
def test_log_lines__begin_with_words_of_ours(text: str) -> None:
    """No line begins with what a model wrote."""
    mark = f"\ue001{text}"
    answers = {"A": {mark: mark}, "B": {mark: 1}}
    run = report(
        case_result("a", "A B ?", answers=answers, raw={"?": mark}, agreement_min=1),
        case_result("b", "A B", grader=Grader.TEXT, answers={"A": mark, "B": f"{mark}x"}, agreement_min=1),
        case_result("c", "A A", answers=answers, expect={"x": 1}),
        case_result(
            "d", "A B", answers={"A": {"k": 1, "x": 1}, "B": {"k": 1, "x": mark}}, agree_on=("k",), expect={"x": 1}
        ),
    )
    log = read_log("\n".join(log_lines(run, groups=True)))

    assert [line for line in log.shown if line.lstrip().lstrip('"').startswith("\ue001")] == []


def test_log_lines__many_cases() -> None:
    """A log is bounded, and says how much of each kind it leaves out."""
    result = case_result("c", "A B", agreement_min=1)
    lines = list(log_lines(report(*(with_id(result, str(index)) for index in range(60))), groups=True))

    assert [line for line in lines if line.startswith("and ")] == ["and 10 more cases"]
    assert len(lines) == 3 + 50 * 9 + 1 + 8


@pytest.mark.parametrize(("encoding", "expected"), [("utf-8", "✅"), ("ascii", "\\u2705")])
def test_write_log__any_encoding(encoding: str, expected: str) -> None:
    """A log that cannot show a sign shows its number instead of ending the run."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    write_log(report(), stream, groups=False)
    stream.seek(0)

    assert stream.readline() == f"{expected} evalaction: nothing affected\n"


def test_log_lines__no_model_text() -> None:
    """Without completions, nothing that the model wrote is in the log, and commands need not be stopped."""
    words = "\ue001words of the model\ue001"
    answers = {"A": {"status": words, words: 1}, "B": {"status": "b"}}
    run = report(
        case_result("a", "A B ?", answers=answers, raw={"?": words}, agreement_min=1, expect_keys=("status",)),
        show_completions=False,
    )

    log = "\n".join(log_lines(run, groups=True))
    assert words not in log
    assert [command.name for command in read_log(log).commands] == ["group", "endgroup"]
