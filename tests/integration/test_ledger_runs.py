"""A run that is killed, and the one that goes on with its ledger: nothing paid for is asked for again."""

from __future__ import annotations

import hashlib
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
from support.endpoint import Answer, Received, ScriptedEndpoint, answer, completion
from support.gitrepo import Repo
from support.judges import RIGHT, WRONG, fixtures, honest, is_repair, items_of
from support.story import Ended, lines, run, two_commits

AT_ONCE = 3
FILES = {
    "sums.deck.yml": "rubric: rubric.md\nfixtures: sums.jsonl\nmax_orders: 4\n",
    "rubric.md": "A trace passes when its sum is right.\n",
    "sums.jsonl": fixtures("pass", "pass", "fail", "fail"),
    "golden.jsonl": lines(
        {"id": "päper ∅", "prompt": "Yes or no?", "n": 4, "seed": 1},
        {"id": "s", "prompt": "Write.", "grader": "judge", "rubric": "rubric.md", "n": 3, "seed": 1},
    ),
}
"""Seven draws; then four orders of a deck and three draws, each judged twice: ten requests, three of them repaired."""
HARD = "half a pair \ud83d, and a NUL \0"


def digest(body: Any) -> int:
    return hashlib.sha256(json.dumps(body).encode()).digest()[0]


def text_for(body: Any) -> str:
    """Return what the model says: the same whenever it is asked the same."""
    if len(body["messages"]) == 1:
        seed = int(body["seed"])
        return [HARD, "yes"][seed % 2] if body["messages"][0]["content"] == "Yes or no?" else [RIGHT, WRONG][seed % 2]
    return "It is right." if digest(body) % 2 and not is_repair(body) else honest(items_of(body))


class Stalling:
    """An endpoint's script that answers so many requests, and keeps all others waiting until it is told to go on."""

    def __init__(self, answered: int) -> None:
        self.answered = answered
        self.stalled = threading.Event()
        self.go_on = threading.Event()
        self._lock = threading.Lock()
        self._waiting = 0

    def __call__(self, number: int, body: Any) -> Answer:
        """Answer, now or later."""
        if number >= self.answered and not self.go_on.is_set():
            with self._lock:
                self._waiting += 1
                if self._waiting == AT_ONCE:
                    self.stalled.set()
            self.go_on.wait(60)
        return answer(completion(text_for(body), id=f"chatcmpl-{number:024x}", created=number))


def command(*more: str) -> list[str]:
    return [sys.executable, "-m", "evalaction", "check", "--report-dir", "../killed", *more]


def killed(repo: Repo, endpoint: ScriptedEndpoint, script: Stalling, ledger: Path) -> None:
    """Start a run, and kill it when it waits for nothing but requests that are not answered."""
    environ = {**os.environ, "EVAL_BASE_URL": endpoint.base_url, "EVAL_MODEL": "m"}
    words = command("--max-concurrency", str(AT_ONCE), "--ledger", str(ledger))
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(words, cwd=repo.path, env=environ, stdout=nowhere, stderr=nowhere) as process:
        try:
            assert script.stalled.wait(60)
        finally:
            process.send_signal(signal.SIGKILL)
    script.go_on.set()
    assert -signal.SIGKILL == process.returncode


def resume(repo: Repo, endpoint: ScriptedEndpoint, ledger: Path, *more: str) -> Ended:
    """Go on with a run."""
    return run(repo.path, "check", "--ledger", str(ledger), "--resume", "true", *more, url=endpoint.base_url)


def bodies(requests: list[Received]) -> Counter[bytes]:
    return Counter(request.body for request in requests)


OF_A_RUN = {
    "latency_s", "tries", "replay_of", "response_id", "created", "wall_s", "calls", "tokens", "notes", "replays",
}  # fmt: skip
"""What two runs of the same draws may differ in."""


def said(value: Any) -> Any:
    """Return a report without what differs between two runs of the same draws."""
    if isinstance(value, dict):
        return {name: said(item) for name, item in value.items() if name not in OF_A_RUN}
    return [said(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("answered", [0, 1, 4, 9, 14, 17])
def test_check__killed(tmp_path: Path, answered: int) -> None:
    """After kill -9 the next run asks for what is missing, and for that alone; it reports what an undisturbed one does.

    The draws are of a case and of a judge-graded one, a deck is judged, and some replies are asked for once more.
    """
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, FILES)
    ledger = tmp_path / "draws.jsonl"
    script = Stalling(answered)
    with ScriptedEndpoint(script) as endpoint:
        killed(repo, endpoint, script, ledger)
        kept = [json.loads(line) for line in ledger.read_bytes().splitlines()]
        before = list(endpoint.requests)
        ended = resume(repo, endpoint, ledger)
        after = endpoint.requests[len(before) :]
        whole = run(repo.path, "check", "--ledger", str(tmp_path / "whole.jsonl"), url=endpoint.base_url)
        undisturbed = endpoint.requests[len(before) + len(after) :]
    assert answered == len(kept[1:])
    assert bodies(undisturbed) == bodies(before[:answered]) + bodies(after)
    assert (said(whole.report), whole.code) == (said(ended.report), ended.code)
    assert ended.report["manifest"]["calls"]["made"] == len(after)
    draws = sum(line["whose"] == "case" for line in kept[1:])
    replays = [
        {"run": kept[0]["run"], "began": kept[0]["began"], "draws": draws, "replies": answered - draws}
        for _ in range(answered > 0)
    ]
    assert replays == ended.report["manifest"]["replays"]


def test_check__resumed_again(tmp_path: Path) -> None:
    """A run that was whole is a replay when it is resumed: nothing is sent, and every draw says whose it is."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, FILES)
    ledger = tmp_path / "draws.jsonl"
    script = Stalling(1_000)
    with ScriptedEndpoint(script) as endpoint:
        first = run(repo.path, "check", "--ledger", str(ledger), url=endpoint.base_url)
        before = (len(endpoint.requests), ledger.read_bytes())
        again = resume(repo, endpoint, ledger)
        assert before == (len(endpoint.requests), ledger.read_bytes())
    assert said(first.report) == said(again.report)
    calls = again.report["manifest"]["calls"]
    assert [0, 0, 0, 0] == [calls[name] for name in ("made", "retried", "judge", "repaired")]
    run_id = json.loads(before[1].splitlines()[0])["run"]
    assert {run_id} == {draw["replay_of"] for case in again.report["cases"] for draw in case["draws"]}


def origins(ended: Ended) -> list[str | None]:
    """Return the run that each draw that came is a replay of; None for one of this run."""
    draws = [draw for case in ended.report["cases"] for draw in case["draws"]]
    return [draw["replay_of"] for draw in draws if draw["state"] != "missing"]


def test_check__resumed_under_max_calls(tmp_path: Path) -> None:
    """Draws that are there cost no calls: a run that goes on is not refused for a plan that is larger than its rest."""
    files = {"golden.jsonl": lines({"id": "a", "prompt": "Yes or no?", "n": 6, "seed": 1, "max_flip": 1})}
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, files)
    ledger = tmp_path / "draws.jsonl"
    with ScriptedEndpoint(Stalling(100)) as endpoint:
        first = run(
            repo.path, "check", "--ledger", str(ledger), "--max-calls", "6", "--max-total-tokens", "150",
            "--max-concurrency", "1", url=endpoint.base_url,
        )  # fmt: skip
        made = len(endpoint.requests)
        assert origins(first) == [None] * made
        assert 0 < made < 6
        second = resume(repo, endpoint, ledger, "--max-calls", str(6 - made))
    assert len(endpoint.requests) == 6
    assert second.code == 0
    assert [origin is None for origin in origins(second)] == [False] * made + [True] * (6 - made)
    with ScriptedEndpoint(Stalling(100)) as endpoint:
        fresh = run(
            repo.path, "check", "--ledger", str(tmp_path / "new"), "--resume", "true", "--max-calls", "5",
            url=endpoint.base_url,
        )  # fmt: skip
    assert (fresh.code, len(endpoint.requests)) == (3, 0)


@pytest.mark.parametrize("change", ["model", "prompt", "temperature", "endpoint"])
def test_check__another_question(tmp_path: Path, change: str) -> None:
    """No draw of another model, prompt, sampling or endpoint is taken for one of this run."""
    case = {"id": "a", "prompt": "Yes or no?", "n": 2, "seed": 1}
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(case)})
    ledger, script = tmp_path / "draws.jsonl", Stalling(1_000)
    with ScriptedEndpoint(script) as endpoint, ScriptedEndpoint(script) as other:
        run(repo.path, "check", "--ledger", str(ledger), url=endpoint.base_url)
        changes: dict[str, dict[str, Any]] = {"prompt": {"prompt": "Yes or no? "}, "temperature": {"temperature": 1}}
        repo.commit({"golden.jsonl": lines({**case, **changes.get(change, {})})})
        more = ("--model", "another") if change == "model" else ()
        ended = resume(repo, other if change == "endpoint" else endpoint, ledger, *more)
        assert (2, 2) == ((len(endpoint.requests) - 2, len(other.requests))[change == "endpoint"], 2)
    assert [] == ended.report["manifest"]["replays"]


def test_check__in_use(tmp_path: Path) -> None:
    """A second run does not share the ledger of one that goes on, and sends nothing."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, FILES)
    ledger, script = tmp_path / "draws.jsonl", Stalling(2)
    with ScriptedEndpoint(script) as endpoint:
        environ = {**os.environ, "EVAL_BASE_URL": endpoint.base_url, "EVAL_MODEL": "m"}
        words = command("--max-concurrency", str(AT_ONCE), "--ledger", str(ledger))
        nowhere = subprocess.DEVNULL
        with subprocess.Popen(words, cwd=repo.path, env=environ, stdout=nowhere, stderr=nowhere) as process:
            try:
                assert script.stalled.wait(60)
                second = resume(repo, endpoint, ledger)
                assert 2 + AT_ONCE == len(endpoint.requests)
            finally:
                script.go_on.set()
    assert (
        2,
        f"error: {ledger}: the ledger is in use by another run. Name another file with ledger (--ledger).\n",
    ) == (
        second.code,
        second.err,
    )
    assert process.returncode in {0, 1}


@pytest.mark.parametrize(
    ("prepare", "args", "message"),
    [
        (lambda path: path.write_text("x\n"), (), "holds draws of an earlier run. Name another file, or give --resume"),
        (lambda path: path.write_text("x\n"), ("--resume", "true"), "draws.jsonl:1: this line was changed or damaged"),
        (lambda path: path.symlink_to("elsewhere"), (), "is reached through the symbolic link"),
        (lambda path: path.mkdir(), (), "the ledger is no file."),
    ],
    ids=["not resumed", "no ledger", "link", "folder"],
)
def test_check__unusable(tmp_path: Path, prepare: Any, args: tuple[str, ...], message: str) -> None:
    """A ledger that cannot be used ends the run with 2 before anything is sent, and stays as it is."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, FILES)
    ledger = tmp_path / "draws.jsonl"
    prepare(ledger)
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        ended = run(repo.path, "check", "--ledger", str(ledger), *args, url=endpoint.base_url)
        assert [] == endpoint.requests
    assert 2 == ended.code
    assert message in ended.err
    assert not (tmp_path / "elsewhere").exists()
    assert ledger.is_dir() or ledger.is_symlink() or "x\n" == ledger.read_text()


def test_check__of_the_repository(tmp_path: Path) -> None:
    """A ledger that a commit holds is refused: a pull request could say what the model answered."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {**FILES, "draws.jsonl": ""})
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        ended = resume(repo, endpoint, repo.path / "draws.jsonl", "--head", "HEAD")
        assert [] == endpoint.requests
    assert 2 == ended.code
    assert "the ledger belongs to the repository" in ended.err


def test_check__key_in_a_reply(tmp_path: Path) -> None:
    """A reply that repeats the key is not in the ledger: no file holds the key, and the draw is made again."""
    key = "sk-test-AAAA1111BBBB2222"
    case = {"id": "a", "prompt": "Say it.", "n": 2, "seed": 1}
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(case)})
    ledger = tmp_path / "draws.jsonl"
    with ScriptedEndpoint.answering(lambda _, seed: f"It is {key}." if seed == 1 else "No.") as endpoint:
        words = ("check", "--ledger", str(ledger))
        first = run(repo.path, *words, url=endpoint.base_url, key=key)
        again = run(repo.path, *words, "--resume", "true", url=endpoint.base_url, key=key)
        assert [1, 1, 2] == sorted(request.json["seed"] for request in endpoint.requests)
    assert key.encode() not in ledger.read_bytes()
    assert said(first.report) == said(again.report)


def test_check__nothing_to_draw(tmp_path: Path) -> None:
    """A run that has nothing to draw neither opens nor makes a ledger."""
    repo = two_commits(tmp_path / "repo", FILES, {"README.md": "x"})
    ended = run(repo.path, "check", "--ledger", str(tmp_path / "draws.jsonl"))
    assert 0 == ended.code, ended.out
    assert not (tmp_path / "draws.jsonl").exists()
