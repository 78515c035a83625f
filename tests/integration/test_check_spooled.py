"""Draws that are kept on the disk, as those of a large run are: the report is the one of draws kept in memory."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.judges import RIGHT, WRONG, fixtures, honest, items_of
from support.story import lines, run, two_commits

from evalaction.grading import Grading

FILES = {
    "sums.deck.yml": "rubric: rubric.md\nfixtures: sums.jsonl\nmax_orders: 4\n",
    "rubric.md": "A trace passes when its sum is right.\n",
    "sums.jsonl": fixtures("pass", "pass", "fail", "fail"),
    "golden.jsonl": lines(
        {"id": "holds", "prompt": "holds", "n": 4, "seed": 1},
        {"id": "flips", "prompt": "flips", "n": 5, "seed": 1, "expect_keys": ["a"], "max_completion_tokens": 11},
        {"id": "wrong", "prompt": "wrong", "n": 3, "seed": 1, "expect": {"a": 1}, "schema": {"required": ["b"]}},
        {"id": "gone", "prompt": "gone", "n": 3, "seed": 1},
        {"id": "judged", "prompt": "judged", "grader": "judge", "rubric": "rubric.md", "n": 3, "seed": 1},
    ),
}


def script(_: int, body: Any) -> Answer:
    """Answer each request by what it asks, whenever it comes."""
    if len(body["messages"]) > 1:
        return answer(completion(honest(items_of(body)), id=f"chatcmpl-{body['messages'][1]['content'][:8]}"))
    prompt, seed = body["messages"][0]["content"], int(body["seed"])
    if prompt == "gone" and seed == 2:
        return answer({"error": {"message": "too large"}}, 413)
    texts = {
        "flips": ['{"a": 1}', '{"a": 2}', "Sorry.", '{"a": 1}', '{"b": 1}'],
        "wrong": ['{"a": 2}', '{"a": 2, "b": 1}'],
        "judged": [RIGHT, WRONG],
    }.get(prompt, ["yes"])
    return answer(completion(texts[seed % len(texts)], id=f"chatcmpl-{prompt}-{seed}"))


OF_A_RUN = re.compile(r'"(?:latency_s|wall_s|response_id)": [^,\n}]+')


def test_check__spooled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files, log and exit code are the same, however many draws there are to keep."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, FILES)
    seen = []
    with ScriptedEndpoint(script) as endpoint:
        for spooled in (10_000, 0):
            monkeypatch.setattr("evalaction.grading.Grading", partial(Grading, spooled=spooled))
            ended = run(repo.path, "check", "--max-concurrency", "1", url=endpoint.base_url)
            files = {
                path.name: re.sub(r"[0-9.]+ s\b", "0 s", OF_A_RUN.sub("", path.read_text()))
                for path in (tmp_path / "report").iterdir()
            }
            seen.append((ended.code, re.sub(r"[0-9.]+ s\b", "0 s", ended.out), files))
    assert seen[0] == seen[1]
    assert 1 == ended.code
    assert {"holds": "pass", "flips": "fail", "wrong": "fail", "gone": "unmeasured", "judged": "fail"} == {
        case["id"]: case["verdict"] for case in ended.report["cases"]
    }
    assert json.loads((tmp_path / "report" / "report.json").read_text()) == ended.report
