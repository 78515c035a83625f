"""Other programs that draw many times, on the same work: part of ``benchmarks/drawing.py --peers DIR``.

They are installed by hand, below one folder, and never by this project (some 2 GB):

    npm install --prefix DIR/npm promptfoo@0.121.20
    python3 -m venv DIR/inspect && DIR/inspect/bin/pip install inspect-ai==0.3.285 openai==3.57.0
    python3 -m venv DIR/mistrial && DIR/mistrial/bin/pip install mistrial==0.2.2

Each draws every case five times, with no cache, and checks one key of the JSON object that comes.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

QUIET = {
    "CI": "1",
    "DO_NOT_TRACK": "1",
    "NO_COLOR": "1",
    "PROMPTFOO_DISABLE_DEBUG_LOG": "1",
    "PROMPTFOO_DISABLE_ERROR_LOG": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
}
"""Nothing but the work is to be measured, and nothing is to leave the machine."""

INSPECT_TASK = """\
import json

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer
from inspect_ai.solver import generate


@scorer(metrics=[accuracy()])
def one_key():
    async def score(state, target):
        try:
            said = json.loads(state.output.completion).get("answer")
        except ValueError:
            said = None
        return Score(value=CORRECT if said == target.text else INCORRECT, answer=said)

    return score


@task
def drawing():
    return Task(dataset=json_dataset("inspect.jsonl"), solver=generate(), scorer=one_key())
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One case of the work, whoever draws it."""

    id: str
    prompt: str
    answer: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Peer:
    """A program beside which this one is measured."""

    name: str
    program: str
    """Below the folder in which all of them are."""
    version_of: Callable[[Path], str]
    """Folder of all → the version that is installed there."""
    arguments: Callable[[int, int], Sequence[str]]
    """(draws a case, calls at once) → the command behind the program."""
    write: Callable[[Path, Sequence[Case], str], None]
    """Writes its files: (folder, work, base URL)."""

    def environ(self, folder: Path, url: str) -> dict[str, str]:
        """Return what it is told by its environment: where to ask, and to leave nothing outside of ``folder``."""
        keys = {f"{name}_API_KEY": "none" for name in ("OPENAI", "BENCH", "MISTRIAL")}
        urls = {f"{name}_BASE_URL": url for name in ("BENCH", "MISTRIAL")}
        return {**QUIET, **keys, **urls, "PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo")}


def _lines(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _write_promptfoo(folder: Path, cases: Sequence[Case], url: str) -> None:
    _lines(folder / "promptfoo.jsonl", [{"vars": {"prompt": case.prompt, "answer": case.answer}} for case in cases])
    endpoint = {"apiBaseUrl": url, "apiKey": "none", "temperature": 1}
    check = {"type": "javascript", "value": "JSON.parse(output).answer === context.vars.answer"}
    config = {
        "prompts": ["{{prompt}}"],
        "providers": [{"id": "openai:chat:mock", "config": endpoint}],
        "defaultTest": {"assert": [check]},
        "tests": "file://promptfoo.jsonl",
    }
    (folder / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")


def _write_inspect(folder: Path, cases: Sequence[Case], _: str) -> None:
    _lines(folder / "inspect.jsonl", [{"id": case.id, "input": case.prompt, "target": case.answer} for case in cases])
    (folder / "inspect_task.py").write_text(INSPECT_TASK, encoding="utf-8")


def _write_mistrial(folder: Path, cases: Sequence[Case], _: str) -> None:
    rows = [
        {
            "id": case.id,
            "inputs": case.prompt,
            "outputs": f"answer {case.answer}",
            "reference_outputs": case.answer,
            "label": True,
        }
        for case in cases
    ]
    _lines(folder / "mistrial.jsonl", rows)


def _npm_version(package: str) -> Callable[[Path], str]:
    def version(folder: Path) -> str:
        about = (folder / "npm" / "node_modules" / package / "package.json").read_text(encoding="utf-8")
        return str(json.loads(about)["version"])

    return version


def _pip_version(package: str, venv: str) -> Callable[[Path], str]:
    def version(folder: Path) -> str:
        code = f"import importlib.metadata as about; print(about.version({package!r}))"
        command = [str(folder / venv / "bin" / "python"), "-c", code]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - installed by whoever measures

    return version


PEERS = (
    Peer(
        name="promptfoo",
        program="npm/node_modules/.bin/promptfoo",
        version_of=_npm_version("promptfoo"),
        arguments=lambda n, at_once: (
            *("eval", "-c", "promptfooconfig.json", "--repeat", str(n), "-j", str(at_once), "--no-cache"),
            *("--no-progress-bar", "--no-table", "--no-write", "-o", "promptfoo-report.json"),
        ),
        write=_write_promptfoo,
    ),
    Peer(
        name="inspect-ai",
        program="inspect/bin/inspect",
        version_of=_pip_version("inspect-ai", "inspect"),
        arguments=lambda n, at_once: (
            *("eval", "inspect_task.py", "--model", "openai-api/bench/mock", "--epochs", str(n)),
            *("--max-connections", str(at_once), "--max-samples", str(at_once), "--display", "none"),
            *("--no-log-samples", "--no-log-realtime", "--no-score-display", "--log-dir", "inspect-logs"),
        ),
        write=_write_inspect,
    ),
    Peer(
        name="mistrial",
        program="mistrial/bin/mistrial",
        version_of=_pip_version("mistrial", "mistrial"),
        arguments=lambda n, at_once: (
            *("run", "mistrial.jsonl", "-j", "custom:mock", "-n", str(n), "-c", str(at_once), "--fresh"),
            *("--out-dir", "mistrial-report", "--html", "none", "-q"),
        ),
        write=_write_mistrial,
    ),
)


def installed(folder: Path) -> list[Peer]:
    """Return those that are installed below ``folder``."""
    return [peer for peer in PEERS if (folder / peer.program).exists()]
