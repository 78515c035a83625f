"""Whole stories as folders: ``base/``, ``head/`` and ``answers.json`` give the report.md that stands beside them.

With ``UPDATE_EXAMPLES=1`` the files are written anew, to be read and committed.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.story import run, two_commits

FOLDERS = sorted(path.parent for path in (Path(__file__).parents[1] / "examples").glob("*/answers.json"))


def files(folder: Path) -> dict[str, str | bytes]:
    """Return the files of a folder by their paths in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def endpoint_of(folder: Path) -> ScriptedEndpoint:
    """Return an endpoint that gives the k-th answer to the k-th request of a prompt, the last one from then on."""
    answers = json.loads((folder / "answers.json").read_text())
    seen: Counter[str] = Counter()
    lock = threading.Lock()

    def script(number: int, body: Any) -> Answer:
        prompt = body["messages"][-1]["content"]
        (mark,) = (mark for mark in answers if mark in prompt)
        with lock:
            index = seen[mark]
            seen[mark] += 1
        said = answers[mark][min(index, len(answers[mark]) - 1)]
        if isinstance(said, dict):
            return answer({"error": {"message": "overloaded"}}, status=said["error"], headers={"Retry-After": "0"})
        return answer(completion(said, id=f"cmpl-{number}"))

    return ScriptedEndpoint(script)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_example__report(folder: Path, tmp_path: Path) -> None:
    """The report of the story is the one that was read and found good."""
    repo = two_commits(tmp_path / "repo", files(folder / "base"), files(folder / "head"))
    with endpoint_of(folder) as endpoint:
        run(repo.path, "check", "--base", "main", "--head", "HEAD", "--max-concurrency", "1", url=endpoint.base_url)
    text = (tmp_path / "report" / "report.md").read_text()
    # What differs from machine to machine: the port, the time it took, versions.
    for pattern, instead in (
        (r"127\.0\.0\.1:[0-9]+", "127.0.0.1:PORT"),
        (r"· [0-9.]+ s ·", "· TIME ·"),
        (r"`(evalaction|python) [0-9.]+`", r"`\1 VERSION`"),
    ):
        text = re.sub(pattern, instead, text)
    place = folder / "report.md"
    if os.environ.get("UPDATE_EXAMPLES"):
        place.write_text(text)
    assert place.read_text() == text
