"""The image, built and started by a real engine, the way GitHub's runner starts a container action."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.runnerstep import NAME, Step, contents, new_step
from support.story import lines

CASES = lines(
    *(
        {"id": name, "prompt_file": f"prompts/{name}.txt", "expect_keys": ["status"], "max_completion_tokens": 20}
        for name in ("refund", "shipping")
    )
)
TRAP = "raise SystemExit('a file of the workspace was imported')\n"
"""In files of the checkout that Python would import if it looked there."""

pytestmark = [pytest.mark.engine, pytest.mark.timeout(600)]


@pytest.fixture
def step(tmp_path: Path) -> Step:
    """A pull request that changes one prompt of two, checked out by a user who is not the container's."""
    traps = {f"{name}.py": TRAP for name in ("sitecustomize", "usercustomize", "evalaction", "httpx", "json")}
    prompts = {"prompts/refund.txt": "Can order 7 be refunded?\n", "prompts/shipping.txt": "Where is order 7?\n"}
    return new_step(
        tmp_path,
        base={"golden.jsonl": CASES, **prompts, **traps},
        main={"README.md": "Something else happened on main.\n"},
        head={"prompts/refund.txt": "May order 7 be refunded?\n"},
    )


LAYOUTS = {
    "as the runner has it": (),
    "read-only root": ("--read-only",),
    "read-only root, /tmp in memory": ("--read-only", "--tmpfs", "/tmp"),  # noqa: S108 - the container's own
    # A step that adds to GITHUB_PATH makes the runner pass the path of its own machine.
    "the machine's PATH": (
        "-e",
        "PATH=/opt/hostedtoolcache/Python/3.12.1/x64/bin:/snap/bin:/usr/local/bin:/usr/bin:/bin",
    ),
    "git looked for in the workspace": ("-e", "PATH=:/github/workspace/bin:./bin:/usr/bin:/bin"),
    "Python told to look in the workspace": ("-e", "PYTHONPATH=/github/workspace", "-e", "PYTHONSTARTUP=json.py"),
}
"""What a job may be like → its options of ``docker run``."""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_container__flipping_case(image: str, step: Step, layout: str) -> None:
    """Wherever it runs, the affected case alone is drawn, and its flips fail the step; nothing else is changed.

    The checkout belongs to another user, which git refuses to work in: neither its configuration nor the user's
    is touched for that.
    """
    planted = step.work / NAME / NAME / "bin" / "git"
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\necho a git of the workspace was run\nexit 99\n")
    planted.chmod(0o755)
    before = contents(step.work, without=["_temp/_runner_file_commands"])
    with ScriptedEndpoint.answering(lambda _, index: json.dumps({"status": "yes" if index % 2 else "no"})) as endpoint:
        left = step.run(image, *LAYOUTS[layout], base_url=endpoint.base_url, model="m")
    assert left.code == 1, left.log
    assert [request.json["messages"] for request in endpoint.requests] == [
        [{"role": "user", "content": "May order 7 be refunded?"}]
    ] * 5
    assert left.outputs == {
        "verdict": "fail",
        "exit-code": "1",
        "cases-total": "2",
        "cases-selected": "1",
        "cases-failed": "1",
        "flip-rate": "0.4",
        "judge-flip-rate": "",
        "calls-made": "5",
        "comment-posted": "false",
        "comment-url": "",
        "report-json": "evalaction-report/report.json",
        "report-md": "evalaction-report/report.md",
    }
    assert left.summary.splitlines()[0] == "### ❌ evalaction: the affected case fails"
    assert left.report["unaffected"] == 1
    report = f"{NAME}/{NAME}/evalaction-report"
    assert contents(step.work, without=["_temp/_runner_file_commands", report]) == before
    assert sorted(path.name for path in (step.work / report).iterdir()) == ["report.json", "report.md"]


def test_container__refused_loopback(image: str, step: Step) -> None:
    """With nothing listening, the step could not measure; it says so, and that loopback is the container."""
    # As many calls as draws: the test need not wait for further tries.
    left = step.run(image, base_url="http://127.0.0.1:9/v1", model="m", max_calls="5")
    assert (left.code, left.outputs["verdict"]) == (3, "unmeasured"), left.log
    assert [draw["error"]["message"] for case in left.report["cases"] for draw in case["draws"]] == [
        "All 5 calls allowed were made, retries included. Raise max-calls (--max-calls), or narrow the run with --case "
        "or --tag. The last try: 127.0.0.1:9 refuses the connection: nothing listens there. In a container action "
        "127.0.0.1 is the container itself: run the model as a service container and use its name as the host (see "
        "docs/endpoints.md)."
    ] * 5


def test_container__bad_input(image: str, step: Step) -> None:
    """Bad inputs are all named at once, in words, with exit code 2."""
    left = step.run(image, base_url="http://127.0.0.1:9/v1", model="m", repeat="1", modle="x")
    assert left.code == 2
    assert left.log == (
        "error: modle: there is no such input. Did you mean model?\n"
        "error: repeat: must be a whole number from 2 to 100.\n"
        "::error title=evalaction::modle: there is no such input. Did you mean model?\n"
        "::error title=evalaction::repeat: must be a whole number from 2 to 100.\n"
    )
    nothing = {"verdict": "unmeasured", "exit-code": "2", "comment-url": "", "comment-posted": "false"}
    assert left.outputs == nothing


def stop(step: Step, _: subprocess.Popen[str]) -> None:
    """End the container by SIGTERM, and by SIGKILL after ten seconds."""
    subprocess.run(["docker", "stop", "--time", "10", step.name], capture_output=True, check=True)


def interrupt(_: Step, client: subprocess.Popen[str]) -> None:
    """Do what the runner does first when a job is cancelled; ``docker`` hands the signal on."""
    client.send_signal(signal.SIGINT)


@pytest.mark.parametrize("end", [stop, interrupt], ids=["docker stop", "a cancelled job"])
def test_container__ended_while_drawing(
    image: str, step: Step, end: Callable[[Step, subprocess.Popen[str]], None]
) -> None:
    """Process 1 hears a signal while a request hangs, writes down what was paid for, and ends with 130 by itself."""
    asked, ended = threading.Event(), threading.Event()

    def script(number: int, _: object) -> Answer:
        if number == 2:
            asked.set()
            ended.wait(60)
        return answer(completion('{"status": "yes"}', id=f"cmpl-{number}"))

    with ScriptedEndpoint(script) as endpoint:
        command, environ = step.command(image, base_url=endpoint.base_url, model="m", max_concurrency="1")
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=environ, stdout=pipe, stderr=subprocess.STDOUT, text=True) as client:
            try:
                assert asked.wait(60)
                end(step, client)
                log, _ = client.communicate(timeout=60)
            finally:
                subprocess.run(["docker", "kill", step.name], capture_output=True, check=False)
                ended.set()
    left = step.left(client.returncode, log)
    assert left.code == 130, log
    (case,) = left.report["cases"]
    assert [draw["state"] for draw in case["draws"]] == ["answered", "answered", "missing", "missing", "missing"]
    assert (left.report["verdict"], left.report["exit_code"]) == ("unmeasured", 130)
    assert (left.outputs["verdict"], left.outputs["exit-code"]) == ("unmeasured", "130")
    assert left.summary.startswith("### ⚪ evalaction: interrupted, ")
