"""The second stage as a person's workflow runs it: the command, GitHub's event, a report, and the fake GitHub."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.actions_runner import read_log
from support.example_reports import all_pass, held
from support.fakehub import FakeGitHub, refused
from support.payloads import from_fork, payload, pushed, violations

from evalaction.cli import main
from evalaction.forks import FAILS, desk_commands
from evalaction.hub import open_hub
from evalaction.records.report import Report
from evalaction.report.comment import render_comment
from evalaction.report.document import report_document
from evalaction.report.writer import json_text

SERVER = "https://github.example.test"
SHA = "3" * 40
DESK = desk_commands(7, "main")
PAGE = "https://github.com/acme/evals/pull/7#issuecomment"


@dataclass(frozen=True)
class Ended:
    """How the command ended."""

    code: int
    out: list[str]
    err: list[str]


def origin(repository: str, *, event: str = "pull_request") -> dict[str, Any]:
    """Return the event of a finished run for branch ``patch-1`` of a repository."""
    whole = from_fork(payload("workflow_run.completed"), repository)
    whole["workflow_run"].update(id=41, event=event, head_branch="patch-1", head_sha=SHA)
    assert violations("workflow_run.completed", whole) == []
    return whole


def comment(
    folder: Path,
    github: FakeGitHub,
    started: dict[str, Any],
    *args: str,
    run: Report | bytes | None,
    name: str = "workflow_run",
) -> Ended:
    """Run ``evalaction comment`` on a report, in a job of ``acme/evals``."""
    if run is not None:
        data = run if isinstance(run, bytes) else json_text(report_document(run)).encode()
        (folder / "report.json").write_bytes(data)
    (folder / "event.json").write_text(json.dumps(started))
    environ = {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_REPOSITORY": "acme/evals",
        "GITHUB_API_URL": github.api_url,
        "GITHUB_SERVER_URL": SERVER,
        "GITHUB_RUN_ID": "99",
        "GITHUB_TOKEN": github.token,
    }
    result = CliRunner().invoke(main, ["comment", str(folder / "report.json"), *args], env=environ)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Ended(code=result.exit_code, out=result.stdout.splitlines(), err=result.stderr.splitlines())


def test_comment__fork(tmp_path: Path) -> None:
    """A fork's report ends on its pull request as the fork's own, once, and a second run of the fork edits it."""
    page = f"{SERVER}/acme/evals/actions/runs"
    with FakeGitHub() as github:
        repo = github.repository("acme/evals")
        repo.pull(7, head_repository="someone/evals", head_sha=SHA)
        repo.pull(8, head_repository="somebody/evals", head_sha=SHA)
        repo.pull(9, head_repository="someone/evals", head_sha=SHA, state="closed")
        started = origin("someone/evals")
        first = comment(tmp_path, github, started, run=held(FAILS))
        bodies = [stored.body for stored in repo.comments(7)]
        started["workflow_run"]["id"] = 42
        second = comment(tmp_path, github, started, run=all_pass())

        (stored,) = repo.comments(7)
        assert (first.code, second.code, first.err, second.err) == (0, 0, [], [])
        assert bodies == [
            render_comment(held(FAILS), report_location=f"{page}/41", run_id=41, relayed_from=f"{page}/41", desk=DESK)
        ]
        assert stored.body == render_comment(
            all_pass(), report_location=f"{page}/42", run_id=42, relayed_from=f"{page}/42", desk=DESK
        )
        assert (list(repo.comments(8)), list(repo.comments(9))) == ([], [])


def test_comment__options(tmp_path: Path) -> None:
    """The second stage's own mode, id and silence about completions hold."""
    with FakeGitHub() as github:
        repo = github.repository("acme/evals")
        repo.pull(7, head_sha=SHA)
        options = ("--comment-mode", "failures", "--comment-id", "x", "--show-completions", "false")
        passing = comment(tmp_path, github, origin("acme/evals"), *options, run=all_pass())
        assert (passing.code, list(repo.comments(7))) == (0, [])
        unmeasured = comment(tmp_path, github, origin("acme/evals"), *options, run=held(FAILS))
        (stored,) = repo.comments(7)

    assert (passing.out, unmeasured.code) == (["Pull request 7 has no comment, and none was written."], 0)
    assert stored.body == render_comment(
        held(FAILS),
        report_location=f"{SERVER}/acme/evals/actions/runs/41",
        comment_id="x",
        run_id=41,
        source_url=f"{SERVER}/acme/evals/blob/{held(FAILS).head.sha}",
    )


@pytest.mark.parametrize(
    ("started", "line"),
    [
        (
            origin("someone/evals"),
            "No open pull request has patch-1 of someone/evals at 333333333333: it was closed, or has moved on since.",
        ),
        (origin("acme/evals", event="push"), "The run before was started by push, which is for no pull request."),
    ],
    ids=["closed", "push"],
)
def test_comment__nothing(tmp_path: Path, started: dict[str, Any], line: str) -> None:
    """Where there is no pull request any more, or was none, it says so and ends well."""
    with FakeGitHub() as github:
        github.repository("acme/evals").pull(7, head_repository="someone/evals", head_sha="4" * 40)
        ended = comment(tmp_path, github, started, run=held(FAILS))

    assert ended == Ended(code=0, out=[f"Nothing was posted. {line}"], err=[])


def test_comment__no_report(tmp_path: Path) -> None:
    """An artifact that is no report is refused in words, here and on the pull request."""
    with FakeGitHub() as github:
        github.repository("acme/evals").pull(7, head_repository="someone/evals", head_sha=SHA)
        ended = comment(tmp_path, github, origin("someone/evals"), run=b"<!-- evalaction v1 id=default -->")

    assert ended == Ended(
        code=2,
        out=[f"The comment on pull request 7 shows that none can be used: {PAGE}-1001."],
        err=[
            "error: report.json: The report cannot be used: it is not strict JSON, or too deep. Give the report.json "
            "of a run of this version, as it was written."
        ],
    )


def test_comment__missing(tmp_path: Path) -> None:
    """Where the run before left no report it says so, and ends well."""
    with FakeGitHub() as github:
        github.repository("acme/evals").pull(7, head_repository="someone/evals", head_sha=SHA)
        ended = comment(tmp_path, github, origin("someone/evals"), run=None)

    assert ended == Ended(
        code=0,
        out=[
            f"There is no {tmp_path / 'report.json'}: the run before left no report.",
            "Pull request 7 has no comment, and none was written.",
        ],
        err=[],
    )


def test_comment__waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That it waits is said in the log, and no word of GitHub's in it is taken for a workflow command."""
    slept: list[float] = []
    monkeypatch.setattr("evalaction.hub.open_hub", partial(open_hub, sleep=slept.append))
    limit = refused(403, "secondary rate limit ##[error]x ::error::y", headers={"Retry-After": "7"})
    with FakeGitHub() as github:
        github.repository("acme/evals").pull(7, head_repository="someone/evals", head_sha=SHA)
        github.script("GET", "/repos/acme/evals/pulls", limit)
        ended = comment(tmp_path, github, origin("someone/evals"), run=held(FAILS))

    log = read_log("\n".join(ended.out))
    assert (ended.code, slept, log.commands) == (0, [7], [])
    assert log.shown[0] == "waiting 7 s for GitHub (HTTP 403: secondary rate limit ## [error]x ::error::y)"


def test_comment__other_event(tmp_path: Path) -> None:
    """Outside ``workflow_run`` there is no run whose report it could be."""
    with FakeGitHub() as github:
        ended = comment(tmp_path, github, pushed("1" * 40, "2" * 40), run=held(FAILS), name="push")

    assert ended == Ended(
        code=2,
        out=[],
        err=[
            "error: GITHUB_EVENT_NAME: comment is for the second of two workflows, which runs on workflow_run; this is "
            "push. See docs/forks.md."
        ],
    )


def test_comment__read_only(tmp_path: Path) -> None:
    """A token that may not write is a notice, and no failure."""
    with FakeGitHub() as github:
        repo = github.repository("acme/evals")
        repo.pull(7, head_repository="someone/evals", head_sha=SHA)
        github.read_only = True
        ended = comment(tmp_path, github, origin("someone/evals"), run=held(FAILS))
        assert list(repo.comments(7)) == []

    assert ended == Ended(
        code=0,
        out=[
            "The comment on pull request 7 was left as it is.",
            "The comment could not be written (HTTP 403: Resource not accessible by integration). The job needs the "
            "permission pull-requests: write. For a pull request from a fork or from Dependabot its token can only "
            "read, whatever the workflow says.",
        ],
        err=[],
    )
