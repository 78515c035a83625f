"""The stub judges run before anything is sent, in every run: what they come to is told, and a broken one ends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.actionjob import BASE, POSTED, Project, new_project
from support.endpoint import ScriptedEndpoint
from support.gitrepo import Repo
from support.story import lines, run, two_commits

from evalaction.judge import stubs
from evalaction.judge.score import score_deck
from evalaction.report.comment import LIMIT
from evalaction.report.ending import render_ending

CASE = {"id": "a", "prompt": "Hi", "n": 2}
DECK = {
    "evalaction.yml": "decks: [{name: trace-judge, rubric: r.md, fixtures: f.jsonl}]\n",
    "r.md": "Judge.",
    "f.jsonl": lines(
        {"id": 1, "task": "t", "trace": "x", "gold": "pass"}, {"id": 2, "task": "t", "trace": "y", "gold": "fail"}
    ),
}
ALL, NONE = {"count": 3, "of": 3}, {"count": 0, "of": 3}
BUILT_IN = {
    "positional": ALL,
    "positional_first": ALL,
    "identity": NONE,
    "gold": {"count": 18, "of": 18},
    "stamp": {"count": 12, "of": 18},
    "forgetful": ALL,
}
OF_DECK = {
    "positional": {"count": 2, "of": 2},
    "positional_first": {"count": 2, "of": 2},
    "identity": {"count": 0, "of": 2},
    "gold": {"count": 4, "of": 4},
    "stamp": {"count": 2, "of": 4},
    "forgetful": {"count": 2, "of": 2},
}
SAID = "positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck"
SAID_OF_DECK = "positional 1.00 (2/2), identity 0.00 (0/2) on the deck trace-judge"
BROKEN = (
    "The instrument is broken: over the built-in deck, the stub that goes by the last place flips on 0/3 fixtures "
    "instead of all; the stub that goes by the first place flips on 0/3 fixtures instead of all; the stub that leaves "
    "out the last place is found out on 0/3 fixtures instead of all; nothing was sent. This is a fault of evalaction "
    "itself. Please report it with this line."
)


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint.answering(lambda *_: "yes") as started:
        yield started


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the scorer see no flip."""

    def score(*judged: Any) -> Any:
        whole = score_deck(*judged)
        fixtures = tuple(replace(each, flips=False) for each in whole.fixtures)
        return replace(whole, fixtures=fixtures, judge_flip_rate=replace(whole.judge_flip_rate, count=0))

    monkeypatch.setattr(stubs, "score_deck", score)


def repository(tmp_path: Path, **head: str) -> Repo:
    """Return a repository that adds a case, and what ``head`` says."""
    return two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(CASE), **head})


def test_check__built_in_deck(tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    """Without a deck the stubs run on the built-in one; plan, log and report files say how they did."""
    done = run(repository(tmp_path).path, "check", url=endpoint.base_url)
    markdown = (tmp_path / "report" / "report.md").read_text()

    assert (done.code, done.report["instrument"]) == (0, [{"deck": None, "stubs": BUILT_IN}])
    assert [line.strip() for line in done.out.splitlines() if "tubs" in line] == [f"Stubs: {SAID}.", f"stubs: {SAID}"]
    assert markdown.count(f" · stubs: {SAID} · ") == 1


def test_check__affected_deck(tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    """An affected deck has its stubs beside it, whatever its judge comes to: this one answers no JSON."""
    done = run(repository(tmp_path, **DECK).path, "check", url=endpoint.base_url)

    assert done.code == 1
    assert done.report["instrument"] == [{"deck": "trace-judge", "stubs": OF_DECK}]
    assert [deck["stubs"] for deck in done.report["decks"]] == [OF_DECK]


def test_check__unaffected_deck(tmp_path: Path) -> None:
    """Where nothing is affected the stubs run all the same, over the decks that there are."""
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": lines(CASE), **DECK}, {"README.md": "x"})
    done = run(repo.path, "check")

    assert (done.code, done.report["decks"]) == (0, [])
    assert done.report["instrument"] == [{"deck": "trace-judge", "stubs": OF_DECK}]
    assert f"stubs: {SAID_OF_DECK}" in [line.strip() for line in done.out.splitlines()]


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("command", [("check",), ("plan",), ("plan", "--json"), ("judge", "--stubs-only")])
def test_commands__broken_instrument(tmp_path: Path, endpoint: ScriptedEndpoint, command: tuple[str, ...]) -> None:
    """A broken instrument ends every command as not measured, before anything is sent or shown."""
    done = run(repository(tmp_path).path, *command, url=endpoint.base_url)

    assert (done.code, done.out, done.err, done.report) == (3, "", f"error: {BROKEN}\n", None)
    assert endpoint.requests == []


def test_judge__stubs_only(tmp_path: Path) -> None:
    """The stubs alone need no endpoint, no model and no case."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, DECK)
    done = run(repo.path, "judge", "--stubs-only", model=None)

    assert (done.code, done.err, done.out.splitlines()) == (
        0,
        "",
        [
            "Stubs on the deck trace-judge: flips of positional 1.00 (2/2), positional-first 1.00 (2/2), forgetful "
            "1.00 (2/2), identity 0.00 (0/2); gold met by gold 1.00 (4/4), stamp 2/4."
        ],
    )


def test_judge__no_endpoint(tmp_path: Path) -> None:
    """Without an endpoint no deck can be judged: the plan is shown, and what to set is said."""
    done = run(repository(tmp_path, **DECK).path, "judge")

    said = (
        "error: No endpoint is given, and 1 deck has to be judged. Set JUDGE_URL (the input judge-base-url) or "
        "EVAL_BASE_URL, such as http://127.0.0.1:8080/v1.\n"
    )
    assert (done.code, done.err) == (2, said)


def test_judge__no_deck(tmp_path: Path) -> None:
    """A repository without a deck has nothing to judge, which is no pass."""
    done = run(repository(tmp_path).path, "judge")

    said = (
        "There is no deck to judge. Describe one (see docs/judge.md), or give --stubs-only for the stub judges alone."
    )
    assert (done.code, done.out, done.err) == (2, "", f"error: {said}\n")


def test_judge__no_model(tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    """A judge without a model is named with its deck, and nothing is sent."""
    done = run(repository(tmp_path, **DECK).path, "judge", url=endpoint.base_url, model=None)

    said = "No model is named for the judge of the deck 'trace-judge'."
    remedy = "Set JUDGE_MODEL (the input judge-model) or EVAL_MODEL, or judge_model of the deck."
    assert (done.code, done.err) == (2, f"error: evalaction.yml:1: {said} {remedy}\n")
    assert endpoint.requests == []


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with new_project(tmp_path) as made:
        yield made


@pytest.mark.usefixtures("broken")
def test_main__broken_instrument(project: Project) -> None:
    """In a job log, annotation, summary, outputs and comment say that the instrument is broken; nothing is sent."""
    ended = project.run()

    (comment,) = project.comments
    said = [f"error: {BROKEN}"]
    assert (ended.code, ended.outputs) == (3, {"verdict": "unmeasured", "exit-code": "3", **POSTED})
    assert (ended.log.shown, ended.said) == ([*said, ""], [("error", BROKEN)])
    assert ended.summary == render_ending(said, limit=LIMIT)
    assert comment.body == render_ending(
        said, limit=LIMIT, run_url=project.page, comment_id="default", run_id=project.run_id
    )
    assert project.calls == 0


@pytest.mark.parametrize("fork", [False, True])
def test_main__nothing_sent(project: Project, fork: bool) -> None:
    """For a fork, and where nothing is affected, the stubs run too: log, summary and report say so."""
    if fork:
        project.fork()
        ended = project.run(event=project.event(fork="someone/Hello-World"))
    else:
        project.push(BASE)
        ended = project.run("pull_request.synchronize")

    assert (project.calls, ended.document["instrument"]) == (0, [{"deck": None, "stubs": BUILT_IN}])
    assert [line for line in ended.log.shown if "tubs: " in line] == [f"Stubs: {SAID}.", f"stubs: {SAID}"]
    assert ended.summary.count(f" · stubs: {SAID} · ") == 1
