"""Signals while a run waits: it ends by itself, with a report of what there is, whatever it waits for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.story import lines, two_commits

CASES = [{"id": f"c{number}", "prompt": f"p{number}", "n": 5} for number in range(100)]


class Waiting:
    """Answers some requests, and then says that it is busy for minutes, or nothing at all."""

    def __init__(self, *, answered: int, busy: bool) -> None:
        self.answered = answered
        self.busy = busy
        self.reached = threading.Event()
        """Set when a request has come that is not answered well."""
        self.over = threading.Event()

    def __call__(self, number: int, _: Any) -> Answer:
        """Answer one request."""
        if number < self.answered:
            return answer(completion('{"a": 1}', id=f"cmpl-{number}"))
        if self.busy:
            self.reached.set()
            return answer({"error": {"message": "busy"}}, 503, {"Retry-After": "250"})
        self.reached.set()
        self.over.wait(60)
        return answer(completion("late"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("busy", [True, False], ids=["left alone", "no answer"])
def test_check__interrupted_while_it_waits(tmp_path: Path, number: signal.Signals, busy: bool) -> None:
    """The report holds what came and names what did not, with its cause; exit code 130, and nothing more is sent."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(*CASES)})
    answered = 30
    script = Waiting(answered=answered, busy=busy)
    words = [sys.executable, "-m", "evalaction", "check", "--report-dir", str(tmp_path / "report")]
    words += ["--max-concurrency", "4"]
    with ScriptedEndpoint(script) as endpoint:
        environ = {**os.environ, "EVAL_BASE_URL": endpoint.base_url, "EVAL_MODEL": "m"}
        pipe = subprocess.PIPE
        with subprocess.Popen(words, cwd=repo.path, env=environ, stdout=pipe, stderr=pipe, text=True) as process:
            try:
                assert script.reached.wait(60)
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
            finally:
                process.kill()
                script.over.set()
        asked = len(endpoint.requests)
    assert process.returncode == 130, out + err
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert (report["verdict"], report["exit_code"]) == ("unmeasured", 130)
    draws = [draw for case in report["cases"] for draw in case["draws"]]
    states = Counter(draw["state"] for draw in draws)
    assert states == Counter({"missing": 500 - answered, "answered": answered})
    causes = {draw["error"]["message"].partition(" The last try: ")[0] for draw in draws if draw["state"] == "missing"}
    assert causes == {"The run was interrupted."}
    # A request that was on its way when the signal came may never have been read.
    assert asked <= report["manifest"]["calls"]["made"] <= answered + 4
