"""The command as a process: signals, readers that go, terminals that know little."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.gitrepo import Repo
from support.story import lines, two_commits

COMMAND = [sys.executable, "-m", "evalaction", "check", "--report-dir", "../report"]


def repository(tmp_path: Path, n: int = 3) -> Repo:
    case = {"id": "päper ∅", "prompt": "Hi", "n": n}
    return two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(case)})


def environ(url: str, **more: str) -> dict[str, str]:
    return {**os.environ, "EVAL_BASE_URL": url, "EVAL_MODEL": "m", **more}


@pytest.mark.parametrize("shell", ["| head -n 1", ">&-", "2>&-", ">/dev/full"])
def test_check__nobody_reads(tmp_path: Path, shell: str) -> None:
    """A reader that goes, and output that cannot be written, change neither the run nor its exit code."""
    repo = repository(tmp_path)
    script = f'set -o pipefail; "$@" {shell} > /dev/null' if shell.startswith("|") else f'"$@" {shell}'
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        command = ["bash", "-c", script, "bash", *COMMAND]
        done = subprocess.run(
            command, cwd=repo.path, env=environ(endpoint.base_url), capture_output=True, text=True, check=False
        )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert json.loads((tmp_path / "report" / "report.json").read_text())["verdict"] == "pass"


def test_check__ascii_terminal(tmp_path: Path) -> None:
    """What the terminal's encoding lacks is shown by its number."""
    repo = repository(tmp_path)
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        done = subprocess.run(
            COMMAND,
            cwd=repo.path,
            env=environ(endpoint.base_url, PYTHONIOENCODING="ascii"),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[2] == "golden.jsonl:1 p\\xe4per \\u2205: new, n 3"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_check__signal_while_drawing(tmp_path: Path, number: signal.Signals) -> None:
    """A signal ends the drawing with exit code 130; the draws already paid for are in the report."""
    repo = repository(tmp_path, n=5)
    asked, ended = threading.Event(), threading.Event()

    def script(index: int, _: object) -> Answer:
        if index == 2:
            asked.set()
            ended.wait(60)
        return answer(completion("yes", id=f"cmpl-{index}"))

    with ScriptedEndpoint(script) as endpoint:
        started = subprocess.Popen(
            [*COMMAND, "--max-concurrency", "1"],
            cwd=repo.path,
            env=environ(endpoint.base_url),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with started as process:  # its pipes are closed whatever fails, or a later test would be blamed for them
            try:
                assert asked.wait(60)
                process.send_signal(number)
                out, _ = process.communicate(timeout=60)
            finally:
                process.kill()
                ended.set()
    assert process.returncode == 130, out
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert (report["verdict"], report["exit_code"]) == ("unmeasured", 130)
    (case,) = report["cases"]
    assert [draw["state"] for draw in case["draws"]] == ["answered", "answered", "missing", "missing", "missing"]
    assert {draw["error"]["cause"] for draw in case["draws"] if draw["error"]} == {"interrupted"}


def test_check__stale_report(tmp_path: Path) -> None:
    """A run that bad input ends leaves no report of an earlier run behind."""
    repo = repository(tmp_path)
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        first = subprocess.run(COMMAND, cwd=repo.path, env=environ(endpoint.base_url), capture_output=True, check=False)
        (repo.path / "golden.jsonl").write_text("{}\n")
        second = subprocess.run(
            COMMAND, cwd=repo.path, env=environ(endpoint.base_url), capture_output=True, check=False
        )
    assert (first.returncode, second.returncode) == (0, 2)
    assert list((tmp_path / "report").iterdir()) == []
