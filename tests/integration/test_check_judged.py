"""Decks and judge-graded cases, from a repository to the report: what is sent, whose a flip is, how it ends."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.actionjob import FORK, TOKEN, Project
from support.actionjob import Ended as JobEnded
from support.endpoint import Answer, Received, ScriptedEndpoint, answer, completion
from support.fakehub import FakeGitHub
from support.judges import RIGHT, WRONG, Item, fixtures, honest, items_of, verdicts
from support.story import Ended, lines, run, two_commits

SCHEMA = json.loads((Path(__file__).parents[2] / "evalaction/schemas/report.schema.json").read_text(encoding="utf-8"))
CASE = {"id": "s", "prompt": "Write.", "grader": "judge", "rubric": "rubric.md", "n": 3}
DECK = {
    "evals/sums.deck.yml": "rubric: rubric.md\nfixtures: sums.jsonl\nmax_orders: 4\n",
    "evals/rubric.md": "A trace passes when its sum is right.\n",
    "evals/sums.jsonl": fixtures("pass", "pass", "fail", "fail"),
}
FILES = {**DECK, "evals/a.golden.jsonl": lines(CASE)}
"""A case of three draws, each judged twice, and a deck of four fixtures in four orders: 13 requests."""
OTHER_RUBRIC = {"evals/rubric.md": "Pass what adds up.\n"}
"""It affects the deck by its rubric, and the case by its contract."""
WORKFLOW = ".github/workflows/evals.yml"


Script = Callable[[int, Any], Answer]
"""(number of the request from 0, its body) → what the endpoint answers."""
Grader = Callable[[int, list[Item]], Answer | str]
"""(number of the request about a draw from 0, its one item) → the answer, or the text of the reply."""


def is_draw(body: Any) -> bool:
    """Tell a case's own request from one to a judge."""
    return len(body["messages"]) == 1


def fair(_: int, items: list[Item]) -> str:
    """Judge a draw honestly."""
    return honest(items)


def script_of(texts: Sequence[str] = (RIGHT,), judge: Grader = fair) -> Script:
    """Return an endpoint's script: these draws in turn, each judged by ``judge``; decks are judged honestly."""
    drawn, judged = count(), count()

    def script(number: int, body: Any) -> Answer:
        if is_draw(body):
            return answer(completion(texts[next(drawn) % len(texts)], id=f"draw-{number}"))
        items = items_of(body)
        said = honest(items) if len(items) > 1 else judge(next(judged), items)
        return said if isinstance(said, Answer) else answer(completion(said, id=f"judge-{number}"))

    return script


def check(tmp_path: Path, script: Script, *args: str, head: Mapping[str, str] = FILES) -> tuple[Ended, list[Received]]:
    """Check a pull request that adds these files; return how that ended, its report being sound, and what was sent."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {**head})
    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", "--max-concurrency", "1", *args, url=endpoint.base_url)
    Draft202012Validator(SCHEMA).validate(ended.report)
    return ended, endpoint.requests


def labels(*said: str) -> Callable[[int, list[Item]], str]:
    """Return a judge of draws that gives these labels in turn."""
    return lambda number, items: verdicts(items, [said[number % len(said)]])


DOWN = Answer(500, {}, b"down")
FLIPS: dict[str, tuple[Sequence[str], Grader, str, tuple[int, int, int], str]] = {
    "steady": ((RIGHT,), fair, "pass pass pass", (0, 0, 0), "pass"),
    "other words": ((f"{RIGHT} 1", f"{RIGHT} 2", RIGHT), fair, "pass pass pass", (0, 0, 0), "pass"),
    "the model's": ((RIGHT, WRONG, RIGHT), fair, "pass fail pass", (1, 0, 0), "fail"),
    "the judge's": (
        (RIGHT, f"{RIGHT} 2", f"{RIGHT} 3"),
        labels("fail", "pass", "pass", "pass", "pass", "pass"),
        "unreadable pass pass",
        (0, 1, 0),
        "fail",
    ),
    "the judge's, over draws of one text": (
        (RIGHT, RIGHT, f"{RIGHT} 3"),
        labels("pass", "pass", "fail", "fail", "pass", "pass"),
        "pass fail pass",
        (0, 1, 0),
        "fail",
    ),
    "no label": ((RIGHT, WRONG, ""), labels("maybe"), "unreadable unreadable unreadable", (1, 2, 0), "fail"),
    "prose": ((RIGHT,), lambda *_: "It is right.", "unreadable unreadable unreadable", (0, 3, 0), "fail"),
    "transport": (
        (RIGHT,),
        lambda number, items: honest(items) if number < 4 else DOWN,
        "pass pass missing",
        (0, 0, 1),
        "unmeasured",
    ),
}


@pytest.mark.parametrize(("texts", "judge", "draws", "whose", "verdict"), FLIPS.values(), ids=FLIPS.keys())
def test_check__whose_flips(
    tmp_path: Path, texts: Sequence[str], judge: Grader, draws: str, whose: tuple[int, int, int], verdict: str
) -> None:
    """A flip is the model's, the judge's or the transport's; the judge's deck ran beside it, and passed."""
    ended, _ = check(tmp_path, script_of(texts, judge))
    [case], [deck] = ended.report["cases"], ended.report["decks"]
    assert " ".join(draw["answer"] or draw["state"] for draw in case["draws"]) == draws
    assert case["judge"] == {
        "decks": ["sums"],
        "untested": None,
        "flips": dict(zip(("model", "judge", "transport"), whose, strict=True)),
    }
    assert (case["verdict"], deck["verdict"], deck["answered"]) == (verdict, "pass", 4)
    assert ended.code == {"pass": 0, "fail": 1, "unmeasured": 3}[verdict]


@pytest.mark.parametrize(("expect", "met"), [("pass", 3), ("fail", 0)])
def test_check__expected_label(tmp_path: Path, expect: str, met: int) -> None:
    """A case may expect a label: a stable wrong one is caught by that."""
    files = {"evals/a.golden.jsonl": lines({**CASE, "expect": expect}), "evals/rubric.md": "Judge.\n"}
    ended, _ = check(tmp_path, script_of(), head=files)
    gates = {gate["name"]: gate["verdict"] for gate in ended.report["cases"][0]["gates"]}
    assert gates == {"agreement": "pass", "expected": "pass" if met else "fail"}
    assert ended.report["cases"][0]["expected"] == {"count": met, "of": 3}


EDITED = fixtures("pass", "pass", "fail", "fail").replace('"gold": "fail"', '"gold": "pass"', 1)
UNTESTED: dict[str, tuple[Mapping[str, str], tuple[str, ...], list[str], str | None]] = {
    "tested": ({}, (), ["sums"], None),
    "no deck": ({"evals/sums.deck.yml": ""}, (), [], "no deck has its rubric, labels and judge"),
    "another rubric": (
        {"evals/a.golden.jsonl": lines({**CASE, "rubric": "r2.md"}), "evals/r2.md": "Judge.\n"},
        (),
        [],
        "no deck has its rubric, labels and judge",
    ),
    "a failing deck": ({"evals/sums.jsonl": EDITED}, (), ["sums"], "its deck sums fails"),
    "a deck that fails and only warns": (
        {"evals/sums.jsonl": EDITED},
        ("--warn-on", "judge-gold"),
        ["sums"],
        "its deck sums fails",
    ),
    "the case chosen": ({}, ("--case", "s"), ["sums"], None),
}


@pytest.mark.parametrize(("files", "args", "decks", "untested"), UNTESTED.values(), ids=UNTESTED.keys())
def test_check__untested_judge(
    tmp_path: Path, files: Mapping[str, str], args: tuple[str, ...], decks: list[str], untested: str | None
) -> None:
    """A case whose judge has no deck, or one that it does not pass, says so; its draws are graded all the same."""
    head = {path: text for path, text in {**FILES, **files}.items() if text}
    ended, _ = check(tmp_path, script_of(), *args, head=head)
    [case] = ended.report["cases"]
    assert (case["judge"]["decks"], case["judge"]["untested"], case["verdict"]) == (decks, untested, "pass")


def test_check__cached_judge(tmp_path: Path) -> None:
    """Behind an endpoint that shows a judge's reply again, nothing flips in one order, and the judge is not tested."""
    script, kept = script_of(), dict[str, Answer]()

    def cached(number: int, body: Any) -> Answer:
        return script(number, body) if is_draw(body) else kept.setdefault(json.dumps(body), script(number, body))

    head = {**FILES, "evals/sums.deck.yml": f"{DECK['evals/sums.deck.yml']}repeats: 2\n"}
    ended, _ = check(tmp_path, cached, head=head)
    [case], [deck] = ended.report["cases"], ended.report["decks"]
    assert deck["retest_flip_rate"] == {"count": 0, "of": 4}
    assert case["judge"]["untested"] == "its deck sums has replies that may not be fresh"
    assert [(each["gates"][-1]["detail"], each["gates"][-1]["warns"], each["verdict"]) for each in (deck, case)] == [
        (f"{number} share a response id: they may be one reply shown again", True, "pass")
        for number in ("8 of 8 replies of the judge", "6 of 6 replies of the judge")
    ]
    assert "draws not independent: sums: 8 of 8 replies share a response id" in ended.out
    asked, _ = check(tmp_path / "asked", cached, "--fail-on", "independence", head=head)
    assert (asked.code, asked.report["decks"][0]["verdict"], asked.report["cases"][0]["verdict"]) == (
        3,
        "unmeasured",
        "unmeasured",
    )


MODELS: list[tuple[str, str | None, str | None, dict[str, str]]] = [
    ("", None, None, {"draw": "m", "deck": "m", "graded": "m"}),
    ("", None, "j", {"draw": "m", "deck": "j", "graded": "j"}),
    ("", "c", None, {"draw": "c", "deck": "c", "graded": "c"}),
    ("", "c", "j", {"draw": "c", "deck": "j", "graded": "j"}),
    ("judge_model: d\ntemperature: 1\n", "c", "j", {"draw": "c", "deck": "d", "graded": "d"}),
    ("labels: [fail, pass]\njudge_model: d\n", None, "j", {"draw": "m", "deck": "d", "graded": "j"}),
]


@pytest.mark.parametrize(("deck", "config", "judge_model", "expected"), MODELS)
def test_check__which_judge(
    tmp_path: Path, deck: str, config: str | None, judge_model: str | None, expected: dict[str, str]
) -> None:
    """A deck's own judge comes first, and grades the cases with its rubric and labels, with its own sampling."""
    head = {**FILES, "evals/sums.deck.yml": DECK["evals/sums.deck.yml"] + deck}
    head |= {"evalaction.yml": f"model: {config}\n"} if config else {}
    args = ("--judge-model", judge_model) if judge_model else ()
    _, requests = check(tmp_path, script_of(), *args, head=head)
    asked = {
        "draw" if is_draw(body) else "deck" if len(items_of(body)) > 1 else "graded": (
            body["model"],
            body.get("temperature"),
        )
        for body in (request.json for request in requests)
    }
    heat = 1 if "temperature: 1" in deck else 0
    assert asked == {kind: (model, None if kind == "draw" else heat) for kind, model in expected.items()}


def ended_early(tmp_path: Path, script: Script, *args: str) -> tuple[Any, ...]:
    """Return exit code, requests, measured draws, answered requests of the deck, and causes of what is missing."""
    ended, requests = check(tmp_path, script, *args)
    [case], [deck] = ended.report["cases"], ended.report["decks"]
    causes = {draw["error"]["cause"] for draw in case["draws"] if draw["error"]}
    causes |= {reply["error"]["cause"] for reply in deck["runs"] if reply["error"]}
    return ended.code, len(requests), case["measured"], deck["answered"], deck["verdict"], causes


def failing_from(number: int, what: Callable[[], Answer]) -> Script:
    """Return a script that is in order up to a request, and does something else from there on."""
    sound = script_of()
    return lambda at, body: sound(at, body) if at < number else what()


def test_check__over_budget(tmp_path: Path) -> None:
    """A plan of one request more than ``max-calls`` sends nothing at all; one of just as many is carried out."""
    over = ended_early(tmp_path / "over", script_of(), "--max-calls", "12")
    assert over == (3, 0, 0, 0, "unmeasured", {"budget"})
    assert ended_early(tmp_path / "just", script_of(), "--max-calls", "13") == (0, 13, 3, 4, "pass", set())


def test_check__judge_gone(tmp_path: Path) -> None:
    """An endpoint that goes down among the judges leaves what there is, unmeasured and not failed."""
    code, sent, *rest, causes = ended_early(tmp_path, failing_from(9, lambda: DOWN))
    assert (code, *rest) == (3, 1, 3, "unmeasured")
    # Pauses grow at random: the four requests that are left use up their tries, or the run has waited long enough.
    assert {"status"} <= causes <= {"status", "stopped"} or causes == {"stopped"}
    assert 9 < sent <= 9 + 4 * 4


def test_check__judge_refused(tmp_path: Path) -> None:
    """A judge that refuses for good is asked nothing more."""
    refused = Answer(401, {}, b'{"error": {"message": "no"}}')
    found = ended_early(tmp_path, failing_from(9, lambda: refused))
    assert found == (3, 10, 1, 3, "unmeasured", {"rejected", "stopped"})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_check__interrupted_among_judges(tmp_path: Path, number: signal.Signals) -> None:
    """An interrupt while judges are asked ends the run with 130 and a report of what there is."""

    def interrupt() -> Answer:
        os.kill(os.getpid(), number)
        return DOWN

    code, _, measured, answered, verdict, causes = ended_early(tmp_path, failing_from(8, interrupt))
    assert (code, measured, answered, verdict, causes) == (130, 1, 3, "unmeasured", {"interrupted"})


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job of the Action, and how it ended."""

    ended: JobEnded
    calls: int
    comments: list[str]

    @property
    def ran(self) -> tuple[Any, ...]:
        """Exit code, requests, then each case and deck with its verdict and why it ran."""
        document = self.ended.document
        found = [(case["id"], case["verdict"], case["reasons"]) for case in document["cases"]]
        found += [(deck["name"], deck["verdict"], deck["reasons"]) for deck in document["decks"]]
        return self.ended.code, self.calls, *found


def job(folder: Path, head: Mapping[str, str], *, fork: bool = False, given: Mapping[str, str] | None = None) -> Job:
    """Run the Action for a pull request that changes a repository with a judged case and its deck."""
    base = {WORKFLOW: "name: evals\n", **FILES}
    with FakeGitHub(token=TOKEN) as github, ScriptedEndpoint(script_of()) as endpoint:
        project = Project(folder=folder, github=github, endpoint=endpoint, base=base, head=head)
        if fork:
            project.fork()
        ended = project.run(event=project.event(fork=FORK if fork else ""), given=given)
        return Job(ended=ended, calls=project.calls, comments=[comment.body for comment in project.comments])


JOBS: dict[str, tuple[Mapping[str, str], Mapping[str, Any], tuple[Any, ...]]] = {
    "nothing of it": ({"other.txt": "x"}, {}, (0, 0)),
    "all asked for": (
        {"other.txt": "x"},
        {"given": {"force_run": "true"}},
        (0, 13, ("s", "pass", ["all"]), ("sums", "pass", ["all"])),
    ),
    "the case": (
        {"evals/a.golden.jsonl": lines({**CASE, "prompt": "Write it."})},
        {},
        (0, 13, ("s", "pass", ["prompt"]), ("sums", "pass", ["case"])),
    ),
    "the rubric": (OTHER_RUBRIC, {}, (0, 13, ("s", "pass", ["contract"]), ("sums", "pass", ["rubric"]))),
    "gold": ({"evals/sums.jsonl": EDITED}, {}, (1, 4, ("sums", "fail", ["fixtures"]))),
    "the workflow": (
        {WORKFLOW: "name: evals\non: push\n"},
        {},
        (0, 13, ("s", "pass", ["sampling"]), ("sums", "pass", ["sampling"])),
    ),
    "a fork": (
        OTHER_RUBRIC,
        {"fork": True},
        (3, 0, ("s", "unmeasured", ["contract"]), ("sums", "unmeasured", ["rubric"])),
    ),
    "a fork that is skipped": (
        OTHER_RUBRIC,
        {"fork": True, "given": {"forks": "skip"}},
        (0, 0, ("s", "unmeasured", ["contract"]), ("sums", "unmeasured", ["rubric"])),
    ),
    "a fork that is drawn": (
        OTHER_RUBRIC,
        {"fork": True, "given": {"forks": "draw"}},
        (0, 13, ("s", "pass", ["contract"]), ("sums", "pass", ["rubric"])),
    ),
}


@pytest.mark.parametrize(("head", "more", "expected"), JOBS.values(), ids=JOBS.keys())
def test_main__decks(
    tmp_path: Path, head: Mapping[str, str], more: Mapping[str, Any], expected: tuple[Any, ...]
) -> None:
    """In a job the event decides what runs and is sent; report and comment are there whatever was."""
    done = job(tmp_path, head, **more)
    assert done.ran == expected
    assert (done.ended.headline, len(done.comments)) == (done.comments[0].partition("\n")[0], 1)
    assert done.ended.outputs["judge-flip-rate"] == ("0" if done.calls else "")


def test_main__edited_gold(tmp_path: Path) -> None:
    """A gold label that was edited is annotated at its line, beside the judge that misses it."""
    done = job(tmp_path, {"evals/sums.jsonl": EDITED})
    assert [(each.name, each.properties["file"], each.properties["line"]) for each in done.ended.annotations] == [
        ("error", "evals/sums.jsonl", "3"),
        ("warning", "evals/sums.jsonl", "3"),
    ]
