"""The Action's door, with the environment and the files of GitHub's runner, in this process."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.actions_runner import REGISTERED, read_log, read_outputs
from support.endpoint import ScriptedEndpoint
from support.gitrepo import Repo
from support.payloads import of_pull
from support.story import lines, two_commits

from evalaction.action import main

CASE = {"id": "a", "prompt": "Hi", "n": 2}
FORM = "Run the Action in a workflow of GitHub's own, or with an event file of the same form."


@dataclass(frozen=True)
class Step:
    """What a step leaves behind."""

    code: int
    log: list[str]
    outputs: str
    summary: str


def run(repo: Repo, capsys: pytest.CaptureFixture[str], event: Any, **environ: str) -> Step:
    """Run the Action in a checkout."""
    folder = repo.path.parent
    (folder / "event.json").write_text(event if isinstance(event, str) else json.dumps(event))
    whole: Mapping[str, str] = {
        "PATH": os.environ["PATH"],
        "GITHUB_WORKSPACE": str(repo.path),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "INPUT_MODEL": "m",
        **environ,
    }
    code = main(whole)
    texts = [path.read_text() if path.exists() else "" for path in (folder / "output", folder / "summary")]
    return Step(code=code, log=capsys.readouterr().out.splitlines(), outputs=texts[0], summary=texts[1])


def pull_request(repo: Repo) -> dict[str, Any]:
    """Return the event of a pull request from the branch ``change``."""
    base, head = (repo.git("rev-parse", ref) for ref in ("main", "change"))
    return of_pull("pull_request.opened", base_sha=base, head_sha=head, branch="change")


def test_main__head_checked_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pull request whose head is checked out is compared with the merge base."""
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": lines(CASE)}, {"golden.jsonl": lines({**CASE, "n": 3})})
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        step = run(repo, capsys, pull_request(repo), **{"INPUT_BASE-URL": endpoint.base_url})
    assert (step.code, len(endpoint.requests)) == (0, 3)
    assert step.summary.splitlines()[0] == "### ✅ evalaction: the affected case passes"


def test_main__changed_workflow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """When the workflow that started the run differs, every case is affected: the model may stand in it."""
    files = {"golden.jsonl": lines(CASE), ".github/workflows/evals.yml": "a: 1"}
    repo = two_commits(tmp_path / "repo", files, {".github/workflows/evals.yml": "a: 2"})
    ref = "acme/evals/.github/workflows/evals.yml@refs/pull/1/merge"
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        environ = {"INPUT_BASE-URL": endpoint.base_url, "GITHUB_WORKFLOW_REF": ref}
        step = run(repo, capsys, pull_request(repo), **environ)
    assert (step.code, len(endpoint.requests)) == (0, 2)
    report = json.loads((repo.path / "evalaction-report" / "report.json").read_text())
    assert [case["reasons"] for case in report["cases"]] == [["sampling"]]


def test_main__no_base(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A checkout of depth 1 whose base cannot be fetched draws all cases, and says what to set."""
    origin = two_commits(tmp_path / "origin", {"golden.jsonl": lines(CASE)}, {"README.md": "x"})
    event = pull_request(origin)
    origin.git("clone", "--quiet", "--depth=1", "--branch=change", origin.url, str(tmp_path / "job" / "repo"))
    repo = Repo(tmp_path / "job" / "repo")
    repo.git("remote", "set-url", "origin", str(tmp_path / "gone"))
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        step = run(repo, capsys, event, **{"INPUT_BASE-URL": endpoint.base_url})
    assert (step.code, len(endpoint.requests)) == (0, 2)
    report = json.loads((repo.path / "evalaction-report" / "report.json").read_text())
    assert [case["reasons"] for case in report["cases"]] == [["all"]]
    assert report["base"] == {"sha": None, "ref": None, "merge_of": None}
    (note,) = [note for note in report["manifest"]["notes"] if "fetch-depth: 0" in note]
    start = (
        "There is no base to compare with, so everything counts as affected. "
        "Check out with fetch-depth: 0 (on a desk: git fetch --unshallow). The cause: "
    )
    assert (note[: len(start)], f"- `{start}" in step.summary) == (start, True)


@pytest.mark.parametrize(
    ("event", "environ", "message"),
    [
        (
            {},
            {"GITHUB_EVENT_NAME": "release"},
            "error: GITHUB_EVENT_NAME: It is not known what to compare for the event release. Run on pull_request, "
            "pull_request_target, pull_request_review, push, merge_group, or on schedule, workflow_dispatch, "
            "repository_dispatch for all cases; or say what to compare with the inputs base and head.",
        ),
        (
            {"pull_request": {"number": 1, "base": {}, "head": {"sha": "x; rm -rf /"}}},
            {},
            f"error: GITHUB_EVENT_PATH: The event's payload is not as GitHub sends it: pull_request.base.sha is "
            f"missing. {FORM}",
        ),
        ("not JSON", {}, "error: GITHUB_EVENT_PATH: The event file {event} cannot be read."),
        (
            {},
            {"GITHUB_EVENT_NAME": "schedule", "INPUT_REPORT-DIR": "../x"},
            "error: report-dir: ../x is not inside the workspace.",
        ),
        ({}, {"INPUT_REPEAT": "many"}, "error: repeat: must be a whole number from 2 to 100."),
    ],
)
def test_main__bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], event: Any, environ: dict[str, str], message: str
) -> None:
    """Whatever is wrong is one line of the log, one annotation and exit code 2; the verdict is unmeasured."""
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": lines(CASE)}, {"README.md": "x"})
    step = run(repo, capsys, event, **environ)
    said = message.format(event=tmp_path / "event.json")
    assert (step.code, step.log) == (2, [said, f"::error title=evalaction::{said.removeprefix('error: ')}"])
    nothing = {"verdict": "unmeasured", "exit-code": "2", "comment-url": "", "comment-posted": "false"}
    assert dict(read_outputs(step.outputs)) == nothing


def test_main__base_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the inputs base and head any event will do."""
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": lines(CASE)}, {"README.md": "x"})
    step = run(repo, capsys, {}, GITHUB_EVENT_NAME="workflow_dispatch", INPUT_BASE="main")
    assert step.code == 0
    assert step.summary.splitlines()[0] == "### ✅ evalaction: nothing affected"


def test_main__hostile_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No line of the log is a workflow command but those that fold groups, and stop commands around model text."""
    case = {"id": "::error::x", "prompt": "Hi", "n": 2, "tags": ["##[error]"]}
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(case)})
    texts = iter(["::set-output name=verdict::pass\n::add-mask::a", "\r\n##[error]x ::stop-commands::y"])
    with ScriptedEndpoint.answering(lambda *_: next(texts)) as endpoint:
        step = run(repo, capsys, pull_request(repo), **{"INPUT_BASE-URL": endpoint.base_url})
    assert step.code == 1
    commands = [command.name for command in read_log("\n".join(step.log)).commands]
    answers = ["group", "stop-commands", "the word that ends it", "endgroup"]
    assert [name if name in REGISTERED else answers[2] for name in commands] == [
        *answers,
        "group",
        "endgroup",
        "error",
        "notice",
    ]


@pytest.mark.parametrize(("where", "drawn"), [("repo", ["Hi", "Ho"]), ("repo/evals", ["Ho"])])
def test_main__working_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str, drawn: list[str]
) -> None:
    """A checkout below the workspace is found by its folder, and a folder of it narrows what is looked at."""
    files = {"golden.jsonl": lines(CASE), "evals/golden.jsonl": lines({**CASE, "id": "b", "prompt": "Ho"})}
    repo = two_commits(tmp_path / "workspace" / "repo", {"README.md": "x"}, dict(files))
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        environ = {"INPUT_BASE-URL": endpoint.base_url, "INPUT_WORKING-DIRECTORY": where}
        step = run(repo, capsys, pull_request(repo), GITHUB_WORKSPACE=str(tmp_path / "workspace"), **environ)
    assert step.code == 0, step.log
    asked = sorted({request.json["messages"][0]["content"] for request in endpoint.requests})
    assert asked == drawn
    assert (tmp_path / "workspace" / "evalaction-report" / "report.json").exists()
