"""The demo, whole, on the real local model."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.model
def test_demo__real_model(tmp_path: Path) -> None:
    """The demo draws the four affected cases from the real model, shows the comment and ends with 0."""
    result = subprocess.run(
        [sys.executable, "-m", "evalaction", "demo"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    (path,) = tmp_path.glob("evalaction-demo-*/report/report.json")
    report = json.loads(path.read_text())
    assert sorted(case["id"] for case in report["cases"]) == [
        "invoice-acme",
        "invoice-initech",
        "invoice-northwind",
        "refund-no-delivery-date",
    ]
    assert report["unaffected"] == 1
    assert report["manifest"]["calls"] == {"planned": 20, "made": 20, "retried": 0}
    assert [case["measured"] for case in report["cases"]] == [5, 5, 5, 5]
    ids = [draw["response_id"] for case in report["cases"] for draw in case["draws"]]
    assert len(set(ids)) == 20
    # What it answers depends on the processor; that it was asked, five times and with five seeds, does not.
    assert {tuple(draw["seed"] for draw in case["draws"]) for case in report["cases"]} == {(1, 2, 3, 4, 5)}
    assert re.search(rf"evalaction check ended with exit code {report['exit_code']} ", result.stdout)
