"""A ledger in the Action: within the workspace, no file of a pull request, and nothing of a fork that is held back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.actionjob import CHANGED, FORK, new_project

LEDGER = {"ledger": "kept/draws.jsonl", "comment_mode": "off"}


def test_main__resumed(tmp_path: Path) -> None:
    """The ledger lies in the workspace, wherever the step starts; a second run takes its draws and sends nothing."""
    with new_project(tmp_path) as project:
        repo = project.checkout()
        first = project.run(checkout=repo, cwd=tmp_path, given=LEDGER)
        kept = [json.loads(line) for line in (repo.path / "kept" / "draws.jsonl").read_text().splitlines()]
        again = project.run(checkout=repo, given={**LEDGER, "resume": "true"})
        assert 2 == len(project.endpoint.requests)
    assert (0, 0) == (first.code, again.code)
    assert [("case", 1), ("case", 2)] == sorted((line["whose"], line["index"]) for line in kept[1:])
    assert {"calls-made": "0", "verdict": "pass"} == {name: again.outputs[name] for name in ("calls-made", "verdict")}
    assert "2 of 2 draws were read from the ledger of run" in again.summary


@pytest.mark.parametrize("ledger", ["../draws.jsonl", "/elsewhere/draws.jsonl"])
def test_main__outside(tmp_path: Path, ledger: str) -> None:
    """Other steps see nothing of a container but the workspace: a path elsewhere is an error, and nothing is sent."""
    with new_project(tmp_path) as project:
        ended = project.run(ledger=ledger)
        assert [] == project.endpoint.requests
    assert 2 == ended.code
    assert f"ledger: {ledger} is not inside the workspace." in ended.out


@pytest.mark.parametrize("place", ["draws.jsonl", "kept/draws.jsonl"])
def test_main__of_the_pull_request(tmp_path: Path, place: str) -> None:
    """A pull request cannot bring the answers along: a ledger that is a file of its own is refused."""
    with new_project(tmp_path, head={**CHANGED, place: ""}) as project:
        ended = project.run(ledger=place, resume="true")
        assert [] == project.endpoint.requests
    assert 2 == ended.code
    assert (
        "the ledger belongs to the repository: whoever writes a pull request could write replies into it." in ended.out
    )


@pytest.mark.parametrize("forks", ["fail", "skip"])
def test_main__fork_held_back(tmp_path: Path, forks: str) -> None:
    """What is held back for a fork neither reads a ledger nor makes one."""
    with new_project(tmp_path) as project:
        repo = project.checkout()
        ended = project.run(event=project.event(fork=FORK), checkout=repo, forks=forks, given=LEDGER)
        assert [] == project.endpoint.requests
    assert {"fail": 3, "skip": 0}[forks] == ended.code
    assert not (repo.path / "kept").exists()


def test_main__fork_drawn(tmp_path: Path) -> None:
    """With ``forks: draw`` a fork's run is like any other, and so is its ledger."""
    with new_project(tmp_path) as project:
        repo = project.checkout()
        ended = project.run(event=project.event(fork=FORK), checkout=repo, forks="draw", given=LEDGER)
        assert 2 == len(project.endpoint.requests)
    assert 0 == ended.code
    assert 3 == len((repo.path / "kept" / "draws.jsonl").read_text().splitlines())


def test_main__no_ledger(tmp_path: Path) -> None:
    """Where none is asked for, none is kept."""
    with new_project(tmp_path) as project:
        repo = project.checkout()
        before = set(repo.path.iterdir())
        project.run(checkout=repo)
        assert {repo.path / "evalaction-report"} == set(repo.path.iterdir()) - before
