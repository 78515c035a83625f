"""The step summary and the outputs, as GitHub's runner reads them."""

from __future__ import annotations

import os
import resource
import secrets
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.actions_runner import read_outputs
from support.decks import deck_result
from support.example_decks import fluent_last
from support.example_reports import mixed, nothing_measured
from support.judging import last_passes
from support.reports import case_result, report, with_id

from evalaction.errors import ExitCode
from evalaction.publish import actions
from evalaction.publish.actions import (
    SUMMARY_LIMIT,
    append_ending,
    append_summary,
    outputs_of,
    outputs_without_report,
    write_outputs,
)
from evalaction.publish.files import ReportPaths
from evalaction.records.case import Grader
from evalaction.records.gate import Verdict
from evalaction.records.report import Report
from evalaction.report.comment import render_comment
from evalaction.report.untrusted import line, output_entry, visible

SOURCE = "https://github.example.test/acme/evals/blob/0a1b"
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


def test_append_summary__source(tmp_path: Path) -> None:
    """Golden lines of the summary are links to the commit that was measured, where its page is known."""
    path = tmp_path / "summary"

    assert append_summary(mixed(), {"GITHUB_STEP_SUMMARY": str(path)}, source_url=SOURCE) == ()
    assert path.read_text(encoding="utf-8") == render_comment(mixed(), comment_id=None, source_url=SOURCE)


@pytest.mark.parametrize("value", VALUES)
def test_write_outputs__hostile_values(value: str, tmp_path: Path) -> None:
    """Whatever a value holds, the runner reads the names that were meant, each once, with the real verdict."""
    outputs = {**outputs_of(report(), None, comment_url=value), "report-json": value}
    path = tmp_path / "output"

    assert write_outputs(outputs, {"GITHUB_OUTPUT": str(path)}) == ()
    assert read_outputs(path.read_bytes().decode()) == [
        ("verdict", "pass"),
        ("exit-code", "0"),
        ("cases-total", "200"),
        ("cases-selected", "0"),
        ("cases-failed", "0"),
        ("flip-rate", ""),
        ("judge-flip-rate", ""),
        ("calls-made", "0"),
        ("report-json", visible(value)),
        ("report-md", ""),
        ("comment-url", line(value)),
        ("comment-posted", "false"),
    ]


def test_write_outputs__delimiters_of_two_runs(tmp_path: Path) -> None:
    """No delimiter of one run, or of one output, is that of another."""
    for name in ("one", "two"):
        write_outputs({"a": "x", "b": "y"}, {"GITHUB_OUTPUT": str(tmp_path / name)})
    lines = [row for name in ("one", "two") for row in (tmp_path / name).read_text(encoding="utf-8").splitlines()]

    assert len({row.partition("<<")[2] for row in lines if "<<" in row}) == 4


@given(st.text(st.one_of(st.sampled_from("\n\r=<"), st.characters())))
def test_output_entry__any_value(value: str) -> None:
    """Whatever the value, the runner reads one output, with the value in visible characters."""
    entry = output_entry("name", value, secrets.token_hex(16))

    assert read_outputs(entry.encode().decode()) == [("name", visible(value))]


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

    assert outputs_of(mixed(), paths, comment_url="https://x.test/1", comment_posted=True) == {
        "verdict": "fail",
        "exit-code": "1",
        "cases-total": "200",
        "cases-selected": "4",
        "cases-failed": "2",
        "flip-rate": "0.2",
        "judge-flip-rate": "",
        "calls-made": "18",
        "report-json": "out/report.json",
        "report-md": "out/report.md",
        "comment-url": "https://x.test/1",
        "comment-posted": "true",
    }


def test_outputs_of__largest_judge_flip_rate() -> None:
    """The judge flip rate is the largest, over decks whose requests were all answered; without one it is empty."""
    flips, half = deck_result(judge=fluent_last), deck_result(judge=last_passes, missing=(5,))
    runs = (report(decks=(flips, deck_result())), report(decks=(half,)), report(decks=(half, flips)))

    assert [outputs_of(run, None)["judge-flip-rate"] for run in runs] == ["0.3333", "", "0.3333"]


def test_outputs_without_report() -> None:
    """A run that ended before it had a report is unmeasured, and no comment tells of it."""
    assert outputs_without_report(ExitCode.BAD_INPUT) == {
        "verdict": "unmeasured",
        "exit-code": "2",
        "comment-url": "",
        "comment-posted": "false",
    }


def test_outputs_without_report__of_another_run() -> None:
    """Where another run's report was read the verdict is that report's; the exit code is this run's own."""
    outputs = outputs_without_report(ExitCode.PASS, verdict=Verdict.FAIL, comment_url="u", comment_posted=True)
    assert outputs == {"verdict": "fail", "exit-code": "0", "comment-url": "u", "comment-posted": "true"}


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


def long_report(letter: str, repeat: int, cases: int = 60) -> Report:
    """Return a report of failing cases with long answers."""
    result = case_result(
        "c", "A B", agreement_min=1, grader=Grader.TEXT, answers={"A": letter * repeat, "B": f"b{letter * repeat}"}
    )
    return report(*(with_id(result, f"case_{index}") for index in range(cases)), manifest={"items": cases})


@pytest.mark.parametrize(
    ("existing", "letter", "repeat", "cases"),
    [
        (0, "測", 30_000, 60),
        (0, "測", 400_000, 1),
        (0, "測", 100, 2_000),
        (900_000, "x", 300_000, 1),
        (900_000, "x", 30_000, 60),
        (900_000, "🔴", 30_000, 60),
        (1_030_000, "x", 30_000, 60),
    ],
)
def test_append_summary__under_the_runners_limit(
    existing: int, letter: str, repeat: int, cases: int, tmp_path: Path
) -> None:
    """With what was there before, the file stays under the limit in bytes and valid; verdict and count come first."""
    path = tmp_path / "summary"
    path.write_bytes(b"." * existing)
    notices = append_summary(long_report(letter, repeat, cases), {"GITHUB_STEP_SUMMARY": str(path)})
    written = path.read_bytes()

    assert notices == ()
    assert len(written) <= SUMMARY_LIMIT
    assert written[:existing] == b"." * existing
    verdict = "the affected case fails" if cases == 1 else f"all {cases:,} affected cases fail"
    assert written.decode()[existing:].lstrip("\n").splitlines()[0] == f"### ❌ evalaction: {verdict}"


@pytest.mark.parametrize("text", ["測", "\U000e0041", "`", "<!--", "\ud83d"])
@pytest.mark.parametrize("existing", [0, 1_040_000, SUMMARY_LIMIT - 250])
def test_append_ending__under_the_runners_limit(text: str, existing: int, tmp_path: Path) -> None:
    """However long it is said why a run ended, the file stays under the limit; where nothing fits there is a notice."""
    path = tmp_path / "summary"
    path.write_bytes(b"." * existing)
    notices = append_ending([text * 200_000], {"GITHUB_STEP_SUMMARY": str(path)})
    written = path.read_bytes().decode()

    assert len(written.encode()) <= SUMMARY_LIMIT
    full = existing + 250 == SUMMARY_LIMIT
    assert notices == (
        (f"No step summary: {existing:,} bytes are in it already, and a runner takes 1,048,576.",) if full else ()
    )
    said = written[existing:].lstrip("\n").splitlines()
    assert said[:1] == ([] if full else ["### ⚪ evalaction: nothing was measured"])


def test_append_summary__no_room(tmp_path: Path) -> None:
    """A file that is full already is left as it is, since the runner would drop all of it."""
    path = tmp_path / "summary"
    path.write_bytes(b"." * SUMMARY_LIMIT)

    assert append_summary(report(), {"GITHUB_STEP_SUMMARY": str(path)}) == (
        "No step summary: 1,048,576 bytes are in it already, and a runner takes 1,048,576.",
    )
    assert path.read_bytes() == b"." * SUMMARY_LIMIT


@pytest.mark.parametrize("before", ["", "before\n", "before"])
def test_append_summary__pipe(before: str) -> None:
    """What is no file is written to without a look at it, also where it takes a part of the text at a time."""
    read, write = os.pipe()
    os.write(write, before.encode())
    found: list[bytes] = []

    def read_all() -> None:
        with os.fdopen(read, "rb") as file:
            found.append(file.read())

    reader = threading.Thread(target=read_all)
    reader.start()
    long = long_report("x", 30_000)
    notices = append_summary(long, {"GITHUB_STEP_SUMMARY": f"/dev/fd/{write}"})
    os.close(write)
    reader.join()

    assert notices == ()
    assert found[0].decode() == before + render_comment(long, comment_id=None, limit=SUMMARY_LIMIT - 1)


def test_append_summary__pipe_without_reader(tmp_path: Path) -> None:
    """A pipe that nobody has opened for reading is given up at once."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    said = "cannot be written (No such device or address)."

    assert append_summary(report(), {"GITHUB_STEP_SUMMARY": str(path)}) == (
        f"No step summary: GITHUB_STEP_SUMMARY {said}",
    )
    assert write_outputs({"a": "b"}, {"GITHUB_OUTPUT": str(path)}) == (f"No outputs: GITHUB_OUTPUT {said}",)


def test_append_summary__pipe_that_stays_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that nobody empties is given up after a while."""
    monkeypatch.setattr(actions, "PATIENCE_S", 0)
    read, write = os.pipe()
    notices = append_summary(long_report("x", 30_000), {"GITHUB_STEP_SUMMARY": f"/dev/fd/{write}"})
    os.close(read)
    os.close(write)

    assert notices == ("No step summary: GITHUB_STEP_SUMMARY cannot be written (nobody reads it).",)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_append_summary__full() -> None:
    """A device without end is not read, and one that takes nothing is a notice."""
    assert append_summary(report(), {"GITHUB_STEP_SUMMARY": "/dev/full"}) == (
        "No step summary: GITHUB_STEP_SUMMARY cannot be written (No space left on device).",
    )


def test_write_outputs__no_half_entry(tmp_path: Path) -> None:
    """Where the disk takes no more, what was begun is taken back: half an entry would make the runner fail the step."""
    file = tmp_path / "output"
    file.write_text("before=1\n")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40, limits[1]))
    try:
        notices = write_outputs({"verdict": "pass" * 20}, {"GITHUB_OUTPUT": str(file)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert (notices, file.read_text()) == (
        ("No outputs: GITHUB_OUTPUT cannot be written (File too large).",),
        "before=1\n",
    )
