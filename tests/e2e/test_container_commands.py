"""Commands in the image, started as GitHub's runner starts it: what one can reach there, and what it leaves."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import pytest
from support.endpoint import ScriptedEndpoint
from support.runnerstep import Step, contents, new_step
from support.story import lines

pytestmark = [pytest.mark.engine, pytest.mark.timeout(600)]

SECRET = "sk-0123456789abcdef"
REACHING = """
import glob, os, sys
found = []
def reached(what, attempt):
    try:
        found.append((what, str(attempt())[:80]))
    except OSError:
        pass
for path in ("/github/workspace", "/github/workspace/.git/config", "/github/workspace/golden.jsonl",
             "/github/workspace/evalaction-report", "/github/file_commands", "/github/workflow/event.json",
             "/github/home", "/proc/1/environ", "/proc/1/cwd", "/proc/1/fd", "/proc/1/mem", "/var/run/docker.sock"):
    reached(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(10))
    reached(path, lambda: open(path + "/planted", "w"))
    reached(path, lambda: open(path, "a"))
    reached(path, lambda: os.chmod(path, 0o777))
import socket
s = socket.socket(socket.AF_UNIX)
reached("engine", lambda: s.connect("/var/run/docker.sock"))
reached("kill", lambda: os.kill(1, 9))
for pid in filter(str.isdecimal, os.listdir("/proc")):
    if int(pid) != os.getpid():
        reached(pid, lambda: open(f"/proc/{pid}/environ").read())
reached("setuid", lambda: os.setuid(0))
if "SECRET" in str(os.environ) or set(os.environ) - {"PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE"}:
    found.append(("environ", str(dict(os.environ))))
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(1); os.close(2)
            while True:
                os.read(os.pipe()[0], 1)
        os._exit(0)
print(found)
sys.exit(bool(found))
"""
CASE = {
    "id": "reach",
    "prompt": "Say ok.",
    "n": 3,
    "grader": "command",
    "command": ["python3", "reach.py"],
    "command_files": ["reach.py"],
}


@pytest.fixture
def step(tmp_path: Path) -> Step:
    """A pull request that brings a case whose command looks for everything that it should not reach."""
    made = new_step(
        tmp_path,
        base={"README.md": "x"},
        main={"other.md": "x"},
        head={"golden.jsonl": lines(CASE), "reach.py": REACHING},
    )
    with (made.checkout.path / ".git" / "config").open("a") as config:
        config.write(f"[http]\n\textraheader = AUTHORIZATION: basic {SECRET}\n")
    for path in (made.checkout.path, made.work, *made.work.rglob("*")):
        path.chmod(path.stat().st_mode | (0o777 if path.is_dir() else 0o666))
    return made


def modes(step: Step) -> dict[str, int]:
    """Return the permissions of everything in the runner's work folder, but for the report."""
    found = [path for path in step.work.rglob("*") if "evalaction-report" not in path.parts and not path.is_symlink()]
    return {str(path.relative_to(step.work)): path.stat().st_mode for path in found}


def test_container__command(image: str, step: Step) -> None:
    """Neither key, event, file commands, checkout, home, report nor engine is within reach of a command, however open
    they are to everybody; permissions are what they were afterwards, and nothing that it started runs on.
    """  # noqa: D205 - one sentence
    before, files = modes(step), contents(step.work, without=["_temp/_runner_file_commands"])
    with ScriptedEndpoint.answering(lambda *_: "ok") as endpoint:
        inputs = {"base_url": endpoint.base_url, "model": "m", "api_key": SECRET, "allow_commands": "true"}
        left = step.run(image, **inputs)
    (case,) = left.report["cases"]
    ran = {"ended": "exited", "exit_code": 0, "output": "[]\n", "cut": False}
    assert [ran] * 3 == [draw["command"] for draw in case["draws"]], left.log
    assert (0, "pass") == (left.code, left.outputs["verdict"]), left.log
    assert before == modes(step)
    report = step.checkout.path.relative_to(step.work) / "evalaction-report"
    assert files == contents(step.work, without=["_temp/_runner_file_commands", str(report)])


def test_container__command_not_allowed(image: str, step: Step) -> None:
    """Without the input nothing is drawn or run."""
    with ScriptedEndpoint.answering(lambda *_: "ok") as endpoint:
        left = step.run(image, base_url=endpoint.base_url, model="m")
        assert [] == endpoint.requests
    assert (3, "unmeasured") == (left.code, left.outputs["verdict"]), left.log


def test_container__command_without_root(image: str, step: Step) -> None:
    """Where the container is given another user, or may not change it, commands are not run, and it is said why."""
    with ScriptedEndpoint.answering(lambda *_: "ok") as endpoint:
        inputs = {"base_url": endpoint.base_url, "model": "m", "allow_commands": "true"}
        left = step.run(image, "--cap-drop", "SETUID", **inputs)
    (case,) = left.report["cases"]
    messages = {draw["error"]["message"] for draw in case["draws"]}
    assert {"The command could not be run: python3: Operation not permitted."} == messages, json.dumps(case)
    assert 3 == left.code


def test_container__stopped_while_commands_run(image: str, tmp_path: Path) -> None:
    """Process 1 hears a signal while commands run, ends them, opens what it closed, and ends with 130 by itself."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = f"import socket, time\nsocket.create_connection({server.getsockname()!r})\ntime.sleep(1000)\n"
        files = {"golden.jsonl": lines({**CASE, "command_timeout": 300}), "reach.py": script}
        step = new_step(tmp_path, base={"README.md": "x"}, main={"other.md": "x"}, head=files)
        before = modes(step)
        with ScriptedEndpoint.answering(lambda *_: "ok") as endpoint:
            inputs = {"base_url": endpoint.base_url, "model": "m", "allow_commands": "true"}
            command, environ = step.command(image, **inputs)
            pipe = subprocess.PIPE
            with subprocess.Popen(command, env=environ, stdout=pipe, stderr=subprocess.STDOUT, text=True) as client:
                try:
                    server.settimeout(120)
                    server.accept()[0].close()
                    subprocess.run(["docker", "stop", "--time", "30", step.name], capture_output=True, check=True)
                    log, _ = client.communicate(timeout=60)
                finally:
                    subprocess.run(["docker", "kill", step.name], capture_output=True, check=False)
    left = step.left(client.returncode, log)
    assert (130, "unmeasured") == (left.code, left.report["verdict"]), log
    assert ["interrupted"] * 3 == [draw["error"]["cause"] for draw in left.report["cases"][0]["draws"]]
    assert before == modes(step)
