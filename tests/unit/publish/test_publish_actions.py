"""The step summary and the outputs, as GitHub's runner reads them."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.example_reports import mixed, nothing_measured
from support.reports import case_result, report, with_id

from evalaction.publish.actions import SUMMARY_LIMIT, append_summary, outputs_of, write_outputs
from evalaction.publish.files import ReportPaths
from evalaction.records.case import Grader
from evalaction.records.report import Report
from evalaction.report.comment import render_comment
from evalaction.report.untrusted import output_entry, visible

VALUES = (
    "pass\nEOF\nresult=pass\nEOF",
    "line1\nresult=pass",
    "ghadelimiter_x\nresult=pass",
    "a\r\nresult=pass\r\n",
    "x<<y\nz\ny",
    "=",
    "",
    "\u2028result=pass",
    "ends with newline\n",
)


def runner_reads(text: str) -> list[tuple[str, str]]:
    """Return the outputs by the runner's rules: lines at LF; name=value, or name<<delimiter up to that line."""
    lines, pairs = iter(text.split("\n")), []
    for line in lines:
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if heredoc >= 0 and (equals < 0 or heredoc < equals):
            name, delimiter = line.split("<<", 1)
            value: list[str] = []
            for inner in lines:
                if inner == delimiter:
                    break
                value.append(inner)
            else:
                raise AssertionError("the delimiter never comes")
            pairs.append((name, "\n".join(value)))
        else:
            name, content = line.split("=", 1)
            pairs.append((name, content))
    return pairs


@pytest.mark.parametrize("value", VALUES)
def test_write_outputs__hostile_values(value: str, tmp_path: Path) -> None:
    """Whatever a value holds, the runner reads the names that were meant, each once, with the real verdict."""
    outputs = {**outputs_of(report(), None), "report-json": value}
    path = tmp_path / "output"

    assert write_outputs(outputs, {"GITHUB_OUTPUT": str(path)}) == ()
    assert runner_reads(path.read_bytes().decode()) == list({**outputs, "report-json": visible(value)}.items())


@given(st.text(st.one_of(st.sampled_from("\n\r=<"), st.characters())))
def test_output_entry__any_value(value: str) -> None:
    """Whatever the value, the runner reads one output, with the value in visible characters."""
    entry = output_entry("name", value, secrets.token_hex(16))

    assert runner_reads(entry.encode().decode()) == [("name", visible(value))]


def test_write_outputs__delimiters(tmp_path: Path) -> None:
    """A delimiter is random, another for each output, and drawn anew when it stands in the value."""
    tokens = iter(["aa", "bb", "cc"])
    path = tmp_path / "output"
    path.write_text("before=1\n", encoding="utf-8")
    write_outputs({"one": "x evalaction_aa", "two": "y"}, {"GITHUB_OUTPUT": str(path)}, token=lambda _: next(tokens))

    assert path.read_text(encoding="utf-8") == (
        "before=1\none<<evalaction_bb\nx evalaction_aa\nevalaction_bb\ntwo<<evalaction_cc\ny\nevalaction_cc\n"
    )


def test_outputs_of__a_run() -> None:
    """Each output is one line; the flip rate is the largest, over cases whose draws all came."""
    paths = ReportPaths(json=Path("out/report.json"), markdown=Path("out/report.md"))

    assert outputs_of(mixed(), paths) == {
        "verdict": "fail",
        "exit-code": "1",
        "cases-total": "200",
        "cases-selected": "4",
        "cases-failed": "2",
        "flip-rate": "0.2",
        "calls-made": "18",
        "report-json": "out/report.json",
        "report-md": "out/report.md",
    }


@pytest.mark.parametrize(
    ("strip", "expected"),
    [("A A", "0"), ("A A B", "0.3333"), ("A ∅", ""), (" ".join("A" * 99 + "B"), "0.01"), ("? ?", "1")],
)
def test_outputs_of__flip_rate(strip: str, expected: str) -> None:
    """What is not measured is empty, never 0; no flip is rounded away."""
    assert outputs_of(report(case_result("a", strip)), None)["flip-rate"] == expected


def test_outputs_of__nothing_measured() -> None:
    """A run without a measurement says so in its verdict and its code."""
    outputs = outputs_of(nothing_measured(), None)

    assert (outputs["verdict"], outputs["exit-code"], outputs["flip-rate"]) == ("unmeasured", "3", "")


@pytest.mark.parametrize(
    ("environ", "summary", "outputs"),
    [
        ({}, "GITHUB_STEP_SUMMARY is not set.", "GITHUB_OUTPUT is not set."),
        (
            {"GITHUB_STEP_SUMMARY": "/nonexistent/dir/summary", "GITHUB_OUTPUT": "/nonexistent/dir/output"},
            "GITHUB_STEP_SUMMARY cannot be written (No such file or directory).",
            "GITHUB_OUTPUT cannot be written (No such file or directory).",
        ),
    ],
)
def test_append_summary__nowhere_to_write(environ: dict[str, str], summary: str, outputs: str) -> None:
    """Without a file to write to there is a notice, and nothing is raised."""
    assert append_summary(report(), environ) == (f"No step summary: {summary}",)
    assert write_outputs({"a": "b"}, environ) == (f"No outputs: {outputs}",)


def test_append_summary__after_what_is_there(tmp_path: Path) -> None:
    """What the step wrote before stays, with a blank line after it; the text is the comment's, without its marker."""
    path = tmp_path / "summary"
    path.write_text("before", encoding="utf-8")

    assert append_summary(mixed(), {"GITHUB_STEP_SUMMARY": str(path)}) == ()
    assert path.read_text(encoding="utf-8") == f"before\n\n{render_comment(mixed(), comment_id=None)}"


def long_report(letter: str, repeat: int) -> Report:
    """Return a report of 60 failing cases with long answers."""
    result = case_result(
        "c", "A B", agreement_min=1, grader=Grader.TEXT, answers={"A": letter * repeat, "B": f"b{letter * repeat}"}
    )
    return report(*(with_id(result, f"case_{index}") for index in range(60)))


@pytest.mark.parametrize(("existing", "letter"), [(0, "測"), (900_000, "x"), (900_000, "🔴"), (1_030_000, "x")])
def test_append_summary__under_the_runners_limit(existing: int, letter: str, tmp_path: Path) -> None:
    """With what was there before, the file stays under the limit in bytes and valid, the verdict first."""
    path = tmp_path / "summary"
    path.write_bytes(b"." * existing)
    notices = append_summary(long_report(letter, 30_000), {"GITHUB_STEP_SUMMARY": str(path)})
    written = path.read_bytes()

    assert notices == ()
    assert len(written) <= SUMMARY_LIMIT
    assert written.decode()[existing:].lstrip("\n").splitlines()[0] == "### ❌ evalaction: all 60 affected cases fail"


def test_append_summary__no_room(tmp_path: Path) -> None:
    """A file that is full already is left as it is, since the runner would drop all of it."""
    path = tmp_path / "summary"
    path.write_bytes(b"." * SUMMARY_LIMIT)

    assert append_summary(report(), {"GITHUB_STEP_SUMMARY": str(path)}) == (
        "No step summary: 1,048,576 bytes are in it already, and a runner takes 1,048,576.",
    )
    assert path.read_bytes() == b"." * SUMMARY_LIMIT
