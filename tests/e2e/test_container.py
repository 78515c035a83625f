"""The image, built and started by a real engine, the way GitHub's runner starts a container action."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.endpoint import ScriptedEndpoint
from support.gitrepo import Repo, new_repo

ROOT = Path(__file__).parents[2]
IMAGE = "localhost/evalaction:test"
RUNNER_UID = 1001
CASES = "\n".join(
    json.dumps(
        {"id": name, "prompt_file": f"prompts/{name}.txt", "expect_keys": ["status"], "max_completion_tokens": 20}
    )
    for name in ("refund", "shipping")
)

pytestmark = [pytest.mark.engine, pytest.mark.timeout(600)]


@dataclass(frozen=True)
class Ran:
    """What a step of a job leaves behind."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str
    report: dict[str, object] | None


@pytest.fixture(scope="module")
def image() -> str:
    """The image, from the Dockerfile of this checkout."""
    command = ["docker", "build", "--quiet", "--network", "host", "--tag", IMAGE, str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return IMAGE


@pytest.fixture
def pull_request(tmp_path: Path) -> tuple[Repo, dict[str, object]]:
    """A checkout of depth 2 of a pull request's merge commit, which belongs to the runner's user."""
    origin = new_repo(tmp_path / "origin")
    origin.commit(
        {
            "golden.jsonl": CASES + "\n",
            "prompts/refund.txt": "Can order 7 be refunded?\n",
            "prompts/shipping.txt": "Where is order 7?\n",
        }
    )
    origin.git("switch", "--quiet", "--create", "change")
    head = origin.commit({"prompts/refund.txt": "May order 7 be refunded?\n"})
    origin.git("switch", "--quiet", "main")
    base = origin.commit({"README.md": "Something else happened on main.\n"})
    origin.git("merge", "--quiet", "--no-ff", "--message", "Merge", "change")
    origin.git("update-ref", "refs/pull/1/merge", "HEAD")
    origin.git("update-ref", "refs/heads/main", base)
    workspace = tmp_path / "job" / "workspace"
    checkout = new_repo(workspace)
    checkout.git("remote", "add", "origin", origin.url)
    checkout.git("fetch", "--quiet", "--depth=2", "origin", "+refs/pull/1/merge:refs/remotes/pull/1/merge")
    checkout.git("checkout", "--quiet", "refs/remotes/pull/1/merge")
    subprocess.run(["chown", "-R", f"{RUNNER_UID}:{RUNNER_UID}", str(workspace)], check=True)
    event: dict[str, object] = {
        "pull_request": {"base": {"ref": "main", "sha": base}, "head": {"ref": "change", "sha": head}}
    }
    return checkout, event


def start(image: str, checkout: Repo, event: dict[str, object], **inputs: str) -> Ran:
    """Start the action as the runner does, and read what it leaves."""
    job = checkout.path.parent
    for folder in ("home", "workflow", "file_commands"):
        (job / folder).mkdir()
    (job / "workflow" / "event.json").write_text(json.dumps(event))
    (job / "file_commands" / "output").touch()
    (job / "file_commands" / "summary").touch()
    environ = {
        **{f"INPUT_{name.upper().replace('_', '-')}": value for name, value in inputs.items()},
        "INPUT_API-KEY": inputs.get("api_key", ""),
        "HOME": "/github/home",
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": "/github/workspace",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": "/github/workflow/event.json",
        "GITHUB_OUTPUT": "/github/file_commands/output",
        "GITHUB_STEP_SUMMARY": "/github/file_commands/summary",
    }
    command = ["docker", "run", "--rm", "--network", "host", "--workdir", "/github/workspace"]
    for name, value in environ.items():
        command += ["-e", f"{name}={value}"]
    for folder in ("workspace", "home", "workflow", "file_commands"):
        command += ["-v", f"{job / folder}:/github/{folder}"]
    result = subprocess.run([*command, image], capture_output=True, text=True, check=False, timeout=120)
    report = checkout.path / "evalaction-report" / "report.json"
    return Ran(
        code=result.returncode,
        log=result.stdout + result.stderr,
        outputs=read_outputs((job / "file_commands" / "output").read_text()),
        summary=(job / "file_commands" / "summary").read_text(),
        report=json.loads(report.read_text()) if report.exists() else None,
    )


def read_outputs(text: str) -> dict[str, str]:
    """Read the outputs file by the runner's rules."""
    outputs: dict[str, str] = {}
    rows = iter(text.splitlines())
    for row in rows:
        name, delimiter = row.split("<<", 1)
        outputs[name] = "\n".join(iter(rows.__next__, delimiter))
    return outputs


def test_container__flipping_case(image: str, pull_request: tuple[Repo, dict[str, object]]) -> None:
    """On a foreign checkout of depth 2, only the affected case is drawn, and its flips fail the step."""
    checkout, event = pull_request
    with ScriptedEndpoint.answering(lambda _, index: json.dumps({"status": "yes" if index % 2 else "no"})) as endpoint:
        ran = start(image, checkout, event, base_url=endpoint.base_url, model="m")
    assert ran.code == 1, ran.log
    assert [request.json["messages"] for request in endpoint.requests] == [
        [{"role": "user", "content": "May order 7 be refunded?"}]
    ] * 5
    assert ran.outputs == {
        "verdict": "fail",
        "exit-code": "1",
        "cases-total": "2",
        "cases-selected": "1",
        "cases-failed": "1",
        "flip-rate": "0.4",
        "calls-made": "5",
        "report-json": "evalaction-report/report.json",
        "report-md": "evalaction-report/report.md",
    }
    assert ran.summary.splitlines()[0] == "### ❌ evalaction: the affected case fails"
    assert ran.report is not None
    assert ran.report["unaffected"] == 1
    assert not (checkout.path.parent / "home" / ".gitconfig").exists()


def test_container__refused_loopback(image: str, pull_request: tuple[Repo, dict[str, object]]) -> None:
    """With nothing listening, the step could not measure; it says so, and that loopback is the container."""
    checkout, event = pull_request
    ran = start(image, checkout, event, base_url="http://127.0.0.1:9/v1", model="m")
    assert ran.code == 3, ran.log
    assert ran.outputs["verdict"] == "unmeasured"
    (row,) = [row for row in ran.log.splitlines() if "refuses the connection" in row]
    assert row == (
        "refund got 0 of 5 draws: transport: 127.0.0.1:9 refuses the connection: nothing listens there. "
        "In a container action 127.0.0.1 is the container itself: run the model as a service container and use its "
        "name as the host (see docs/endpoints.md). 1 case is unaffected and was not drawn."
    )


def test_container__bad_input(image: str, pull_request: tuple[Repo, dict[str, object]]) -> None:
    """Bad inputs are all named at once, in words, with exit code 2."""
    checkout, event = pull_request
    ran = start(image, checkout, event, base_url="http://127.0.0.1:9/v1", model="m", repeat="1", modle="x")
    assert ran.code == 2
    assert ran.log == (
        "error: modle: there is no such input. Did you mean model?\n"
        "error: repeat: must be a whole number from 2 to 100.\n"
    )
    assert ran.outputs == {"verdict": "unmeasured", "exit-code": "2"}
