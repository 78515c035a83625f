"""The demo, whole, on the real local model."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.model
@pytest.mark.timeout(660)
def test_demo__real_model(tmp_path: Path) -> None:
    """The demo draws the four affected cases from the real model, has it judge the deck, and ends with 0."""
    result = subprocess.run(
        [sys.executable, "-m", "evalaction", "demo"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
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
    calls = report["manifest"]["calls"]
    # The form of the reply leaves the judge nothing to say but a label for each trace: nothing is asked for again.
    assert calls == {
        "planned": 32,
        "judge": 12,
        "retried": 0,
        "made": 32,
        "repaired": 0,
        "draws": 20,
        "answered": 20,
    }
    assert [case["measured"] for case in report["cases"]] == [5, 5, 5, 5]
    ids = [draw["response_id"] for case in report["cases"] for draw in case["draws"]]
    assert len(set(ids)) == 20
    [deck] = report["decks"]
    assert (deck["reasons"], deck["orders"], deck["repeats"], deck["answered"]) == (["rubric"], 6, 2, 12)
    assert len({run["response_id"] for run in deck["runs"]} | set(ids)) == 32
    for row in rows_of(deck):
        assert row in result.stdout
    # So small a model gets thirty-six labels right on no processor.
    assert (deck["verdict"], report["verdict"], report["exit_code"]) == ("fail", "fail", 1)
    # What it answers depends on the processor; that it was asked, five times and with five seeds, does not.
    assert {tuple(draw["seed"] for draw in case["draws"]) for case in report["cases"]} == {(1, 2, 3, 4, 5)}
    assert re.search(rf"evalaction check ended with exit code {report['exit_code']} ", result.stdout)


def rows_of(deck: Any) -> list[str]:
    """Return how the comment's table has to begin for each fixture: id, gold label, a sign for each reply."""
    signs = {label: label[0].upper() for label in deck["labels"]} | {None: "∅"}
    replies = [dict(zip(run["order"], run["labels"], strict=True)) for run in deck["runs"]]
    by_order = [replies[start : start + deck["repeats"]] for start in range(0, len(replies), deck["repeats"])]
    rows = []
    for fixture in deck["fixtures"]:
        vector = "\xa0".join("".join(signs[labels[fixture["id"]]] for labels in asked) for asked in by_order)
        rows.append(f"| `{fixture['id']}`<br><sub>gold `{fixture['gold']}`</sub> | `{vector}` |")
    return rows
