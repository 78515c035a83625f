"""A run in a log: the comment's words, and no workflow command but our own groups."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.example_reports import mixed
from support.reports import case_result, report, untrusted_everywhere, with_id

from evalaction.publish.log import log_lines, write_lines, write_log
from evalaction.records.plan import Reason
from evalaction.report import words

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_log_lines__in_groups() -> None:
    """A log is the very text of its example: what needs a look stands open, the rest in groups.

    ``UPDATE_EXAMPLES=1`` writes it anew.
    """
    path = EXAMPLES / "comment-mixed" / "log.txt"
    log = "\n".join(log_lines(mixed(), groups=True, location="evalaction-report/report.json")) + "\n"
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
        f"  {words.LEGEND}. {words.LEGEND_OF_FIGURES}.",
        "  compared: main (1f0c2d900000) → HEAD (8a41b7700000)",
        "  model m-1, 1 of 200 cases, 2 calls, 0 retried, 14 s",
        "  again on a desk: evalaction check --base 1f0c2d9 --head 8a41b77",
    ]


@given(st.text(st.one_of(st.sampled_from(":#[]\r\n "), st.characters()), max_size=20))
def test_log_lines__no_workflow_command(text: str) -> None:
    """Whatever the text, the only workflow commands are the groups, and no line becomes two."""
    lines = list(log_lines(untrusted_everywhere(text), groups=True))

    assert [line for line in lines if line.lstrip().startswith("::")] == [
        "::group::1 passing case",
        "::endgroup::",
        "::group::About this run",
        "::endgroup::",
    ]
    assert [line for line in lines if "##[" in line or "\n" in line or "\r" in line] == []


def test_log_lines__many_cases() -> None:
    """A log is bounded, and says how much of each kind it leaves out."""
    result = case_result("c", "A B", agreement_min=1)
    lines = list(log_lines(report(*(with_id(result, str(index)) for index in range(60))), groups=True))

    assert [line for line in lines if line.startswith("and ")] == ["and 10 more cases"]
    assert len(lines) == 3 + 50 * 4 + 1 + 7


@pytest.mark.parametrize(("encoding", "expected"), [("utf-8", "✅"), ("ascii", "\\u2705")])
def test_write_log__any_encoding(encoding: str, expected: str) -> None:
    """A log that cannot show a sign shows its number instead of ending the run."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    write_log(report(), stream, groups=False)
    stream.seek(0)

    assert stream.readline() == f"{expected} evalaction: nothing affected\n"


def test_write_lines__no_workflow_command() -> None:
    """Lines of other stages are made safe one by one."""
    stream = io.StringIO()
    write_lines(["a ∅", "::error::x", "b\n::error::x ##[group]"], stream)

    assert stream.getvalue() == "a ∅\n: :error::x\nb⏎::error::x ## [group]\n"


def test_log_lines__no_model_text() -> None:
    """Without completions, nothing that the model wrote is in the log."""
    words = "\ue001words of the model\ue001"
    answers = {"A": {"status": words, words: 1}, "B": {"status": "b"}}
    run = report(
        case_result("a", "A B ?", answers=answers, raw={"?": words}, agreement_min=1, expect_keys=("status",)),
        show_completions=False,
    )

    assert words not in "\n".join(log_lines(run, groups=True))
