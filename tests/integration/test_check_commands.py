"""Cases that a command grades, from a real repository to the report."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import ScriptedEndpoint
from support.gitrepo import Repo
from support.story import Ended, lines, run, two_commits

from evalaction.forks import COMMANDS_NEED_ROOT, COMMANDS_OF_FORK, COMMANDS_OF_NOBODY, NOT_ALLOWED

CHECK = """import json, sys
total = json.load(open("artifact.json"))["total"]
print("total", total)
sys.exit(0 if total == 7 else 1)
"""
CASE = {
    "id": "sum",
    "prompt": "Add.",
    "n": 3,
    "expect_keys": ["total"],
    "grader": "command",
    "command": ["python3", "check.py"],
    "command_files": ["check.py"],
}
PLAIN = {"id": "plain", "prompt": "Hi", "n": 2}
TOTALS = ('{"total": 7}', 'Of course: {"total": 7}', '{"total": 8}')


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a pull request that brings a case with a command, and one without."""
    return two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(CASE, PLAIN), "check.py": CHECK})


def answers(prompt: str, index: int) -> str:
    """Return what the endpoint answers to the draw of a prompt."""
    return TOTALS[index] if prompt == "Add." else "yes"


def check(repo: Repo, *args: str) -> tuple[Ended, int]:
    """Run ``check``; return how it ended, and how many requests it sent."""
    with ScriptedEndpoint.answering(answers) as endpoint:
        # One at a time, so that the answers come to the draws in their order.
        ended = run(repo.path, "check", "--max-concurrency", "1", *args, url=endpoint.base_url)
        return ended, len(endpoint.requests)


def case_of(report: Any, id_: str) -> Any:
    (found,) = (case for case in report["cases"] if case["id"] == id_)
    return found


def job(tmp_path: Path, event: Mapping[str, object], *, name: str, sha: str) -> dict[str, str]:
    """Return the variables of a job of GitHub's."""
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_SHA": sha,
        "GITHUB_REPOSITORY": "octo/own",
    }


@pytest.mark.root
def test_check__command(repo: Repo) -> None:
    """Where commands are allowed each draw's artifact is put to the command, and its exit code is the answer."""
    ended, calls = check(repo, "--allow-commands", "true", "--head", "HEAD")
    assert (1, 5) == (ended.code, calls), ended.err
    case = case_of(ended.report, "sum")
    assert [
        ("answered", "pass", True, {"ended": "exited", "exit_code": 0, "output": "total 7\n", "cut": False}),
        ("answered", "pass", True, {"ended": "exited", "exit_code": 0, "output": "total 7\n", "cut": False}),
        ("answered", "fail", False, {"ended": "exited", "exit_code": 1, "output": "total 8\n", "cut": False}),
    ] == [(draw["state"], draw["answer"], draw["passes"], draw["command"]) for draw in case["draws"]]
    assert ({"count": 2, "of": 3}, True) == (case["passes"], case["verdict_flip"])


@pytest.mark.parametrize("given", [(), ("--allow-commands", "false")], ids=["by default", "refused"])
def test_check__not_allowed(repo: Repo, given: tuple[str, ...]) -> None:
    """Where they are not, no draw of such a case is paid for, and the run is unmeasured; the rest is drawn."""
    ended, calls = check(repo, *given)
    assert (3, 2, "unmeasured") == (ended.code, calls, ended.report["verdict"]), ended.err
    draws = case_of(ended.report, "sum")["draws"]
    assert [("missing", "command", NOT_ALLOWED)] * 3 == [
        (draw["state"], draw["error"]["cause"], draw["error"]["message"]) for draw in draws
    ]
    assert "pass" == case_of(ended.report, "plain")["verdict"]


def test_check__not_root(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they are allowed and cannot be run, no draw of such a case is paid for either, and what to do is said."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    ended, calls = check(repo, "--allow-commands", "true", "--case", "sum")
    assert (3, 0) == (ended.code, calls), ended.err
    assert {COMMANDS_NEED_ROOT} == {draw["error"]["message"] for draw in case_of(ended.report, "sum")["draws"]}
    assert "next: Run evalaction in its container, or as root.\n" in ended.out


def test_check__not_allowed_without_endpoint(tmp_path: Path) -> None:
    """Where nothing but such cases is affected no endpoint is asked for, and the run is unmeasured."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(CASE), "check.py": CHECK})
    ended = run(repo.path, "check", url=None)
    assert (3, "unmeasured", "") == (ended.code, ended.report["verdict"], ended.err)


@pytest.mark.parametrize(
    ("name", "fork", "own", "why"),
    [
        ("pull_request", True, True, COMMANDS_OF_FORK),
        ("pull_request_target", True, True, COMMANDS_OF_FORK),
        ("pull_request_review", True, True, COMMANDS_OF_FORK),
        ("schedule", False, False, COMMANDS_OF_NOBODY),
        ("issue_comment", False, False, COMMANDS_OF_NOBODY),
    ],
)
def test_check__fork_in_a_job(
    repo: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    fork: bool,
    own: bool,
    why: str,
) -> None:
    """The command line lets no command of a fork run in a job of GitHub's either, whatever started it."""
    head, base = repo.git("rev-parse", "HEAD").strip(), repo.git("rev-parse", "main").strip()
    whose = {"full_name": "someone/fork" if fork else "octo/own", "fork": fork}
    pull = {
        "number": 7,
        "base": {"sha": base, "ref": "main", "repo": {"full_name": "octo/own"}},
        "head": {"sha": head, "ref": "change", "repo": whose},
    }
    event = {"pull_request": pull} if name.startswith("pull") else {"issue": {"pull_request": {}}}
    for variable, value in job(tmp_path, event, name=name, sha=head if own else "f" * 40).items():
        monkeypatch.setenv(variable, value)
    ended, calls = check(repo, "--allow-commands", "true", "--base", "main", "--head", head)
    assert (3, 2) == (ended.code, calls), ended.err
    assert [why] * 3 == [draw["error"]["message"] for draw in case_of(ended.report, "sum")["draws"]]


def test_plan__blocked(repo: Repo) -> None:
    """The plan says which cases are not drawn, and why; their draws are no calls."""
    ended = run(repo.path, "plan", "--json")
    document = json.loads(ended.out)
    assert [NOT_ALLOWED, None] == [case["blocked"] for case in document["cases"]]
    assert 2 == document["calls"]["draws"]
    allowed = json.loads(run(repo.path, "plan", "--json", "--allow-commands", "true").out)
    assert ([None, None], 5) == ([case["blocked"] for case in allowed["cases"]], allowed["calls"]["draws"])


@pytest.mark.root
def test_check__interrupted_command(tmp_path: Path) -> None:
    """A signal ends a command that is running at once: the run ends with 130, and the draw is missing, not failed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = f"import socket, time\nsocket.create_connection({server.getsockname()!r})\ntime.sleep(1000)\n"
        case = {**CASE, "n": 2, "command_timeout": 300}
        repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(case), "check.py": script})
        with ScriptedEndpoint.answering(lambda *_: TOTALS[0]) as endpoint:
            words = [sys.executable, "-m", "evalaction", "check", "--allow-commands", "true", "--repo", str(repo.path)]
            environ = {**os.environ, "EVAL_BASE_URL": endpoint.base_url, "EVAL_MODEL": "m"}
            pipe = subprocess.PIPE
            with subprocess.Popen(words, cwd=tmp_path, env=environ, stdout=pipe, stderr=pipe, text=True) as process:
                server.accept()[0].close()
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate()
    assert 130 == process.returncode, out + err
    report = json.loads((tmp_path / "evalaction-report" / "report.json").read_text())
    assert ("unmeasured", 130) == (report["verdict"], report["exit_code"])
    assert [("missing", "interrupted", "The run was interrupted.")] * 2 == [
        (draw["state"], draw["error"]["cause"], draw["error"]["message"]) for draw in report["cases"][0]["draws"]
    ]
    text = (tmp_path / "evalaction-report" / "report.md").read_text("utf-8")
    assert ("2 missing: interrupted" in text, "(judge)" in text) == (True, False)
