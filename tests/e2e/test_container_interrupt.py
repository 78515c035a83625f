"""A job that is cancelled while the container waits for an endpoint that wants to be left alone."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.runnerstep import Step, new_step
from support.story import lines

pytestmark = [pytest.mark.engine, pytest.mark.timeout(600)]

CASES = lines(*({"id": f"c{number}", "prompt": f"p{number}", "n": 5} for number in range(400)))


@pytest.fixture
def step(tmp_path: Path) -> Step:
    """A pull request with as many draws as may be asked for."""
    return new_step(tmp_path, base={"README.md": "x"}, main={"README.md": "y"}, head={"golden.jsonl": CASES})


def stop(step: Step, _: subprocess.Popen[str]) -> None:
    """End the container by SIGTERM, and by SIGKILL after ten seconds, which is an exit code of 137."""
    subprocess.run(["docker", "stop", "--time", "10", step.name], capture_output=True, check=True)


def cancel(_: Step, client: subprocess.Popen[str]) -> None:
    """Do what the runner does first when a job is cancelled; ``docker`` hands the signal on."""
    client.send_signal(signal.SIGINT)


@pytest.mark.parametrize("end", [stop, cancel], ids=["docker stop", "a cancelled job"])
def test_container__ended_in_a_pause(
    image: str, step: Step, end: Callable[[Step, subprocess.Popen[str]], None]
) -> None:
    """Process 1 hears a signal in a long pause, writes down what was paid for, and ends in ten seconds with 130."""
    busy = threading.Event()

    def script(number: int, _: object) -> Answer:
        if number < 50:
            return answer(completion("yes", id=f"cmpl-{number}"))
        busy.set()
        return answer({"error": {"message": "busy"}}, 429, {"Retry-After": "250"})

    with ScriptedEndpoint(script) as endpoint:
        command, environ = step.command(image, base_url=endpoint.base_url, model="m", max_concurrency="4")
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=environ, stdout=pipe, stderr=subprocess.STDOUT, text=True) as client:
            try:
                assert busy.wait(60)
                end(step, client)
                log, _ = client.communicate(timeout=60)
            finally:
                subprocess.run(["docker", "kill", step.name], capture_output=True, check=False)
    left = step.left(client.returncode, log)
    assert left.code == 130, log
    draws = [draw for case in left.report["cases"] for draw in case["draws"]]
    assert Counter(draw["state"] for draw in draws) == {"answered": 50, "missing": 1_950}
    assert {draw["error"]["message"].partition(" The last try: ")[0] for draw in draws if draw["error"]} == {
        "The run was interrupted."
    }
    assert (left.outputs["verdict"], left.outputs["exit-code"]) == ("unmeasured", "130")
    assert left.summary.startswith("### ⚪ evalaction: interrupted, ")
