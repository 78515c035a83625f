"""Decks in the Action: what a fork's are sent, where each key goes, and what a hostile judge gets through."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionjob import CHANGED, FORK, Ended, Project, new_project
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.judges import Item, fixtures, honest, items_of, judging, verdicts
from support.markdown import outside_code
from support.story import lines

from evalaction.forks import FAILS, NEVER_THERE, NO_JUDGE, SKIPPED
from evalaction.records.plan import Hold

DECK = {
    "evals/sums.deck.yml": "rubric: rubric.md\nfixtures: sums.jsonl\nprobes: [steer]\n",
    "evals/rubric.md": "A trace passes when its sum is right.\n",
    "evals/sums.jsonl": fixtures("pass", "pass", "fail"),
}
JUDGED = {
    **CHANGED,
    **DECK,
    "evals/tone.golden.jsonl": lines({"id": "j", "prompt": "Say", "n": 2, "grader": "judge", "rubric": "rubric.md"}),
}
"""One case that is drawn, one that a judge grades, and a deck with the rubric of both."""
KEY, JUDGE_KEY, PASSWORD, IN_QUERY = "key-of-the-draws", "key-of-the-judge", "p@ss-of-the-judge", "query-of-the-judge"
ALL = (KEY, JUDGE_KEY, PASSWORD, "p%40ss-of-the-judge", IN_QUERY)


def told(ended: Ended, project: Project) -> dict[str, str]:
    """Return every place in which a run leaves text, by name; of the log what follows the masks."""
    files = {path.name: path.read_text() for path in (ended.folder / ended.report_dir).iterdir()}
    shown = "\n".join(line for line in ended.out.splitlines() if not line.startswith("::add-mask::"))
    comments = "\n".join(comment.body for comment in project.comments)
    return {"log": shown, "outputs": str(ended.outputs), "summary": ended.summary, "comments": comments, **files}


@pytest.mark.parametrize("files", [DECK, JUDGED], ids=["a deck alone", "cases too"])
@pytest.mark.parametrize(
    ("name", "forks", "given", "hold"),
    [
        ("pull_request.opened", "fail", {}, FAILS),
        ("pull_request.opened", "skip", {}, SKIPPED),
        ("pull_request_target.opened", "draw", {}, NEVER_THERE),
        ("pull_request.opened", "draw", {"judge_base_url": "", "base_url": "", "judge_model": ""}, None),
    ],
    ids=["fail", "skip", "target", "nothing given"],
)
def test_main__fork_with_decks(
    tmp_path: Path, files: dict[str, str], name: str, forks: str, given: dict[str, str], hold: Hold | None
) -> None:
    """Of a fork's decks nothing is sent, neither to the judge nor to the model, and nothing of them is measured."""
    with new_project(tmp_path, head=files) as project, judging(honest) as judge:
        project.fork()
        at = {"judge_base_url": judge.base_url, "judge_api_key": JUDGE_KEY, "api_key": KEY, "forks": forks, **given}
        ended = project.run(name, event=project.event(fork=FORK), given=at)

        assert (project.calls, judge.requests) == (0, [])
        assert (ended.code, ended.outputs["verdict"]) == (0 if hold is SKIPPED else 3, "unmeasured")
        assert (ended.outputs["judge-flip-rate"], ended.outputs["calls-made"]) == ("", "0")
        held = hold or (NO_JUDGE if files is DECK else None)
        assert held is None or ended.document["held"]["message"] == held.message
        assert [run["state"] for run in ended.document["decks"][0]["runs"]] == ["missing"] * 8


def repeating_keys(items: list[Item]) -> str:
    """Judge, and say every key that there is, under every name under which something is kept."""
    said = json.loads(verdicts(items, ["pass"] * len(items)))
    said["verdicts"] += [{"id": key, "label": KEY, "reason": f"{key.upper()} {JUDGE_KEY}"} for key in ALL]
    return json.dumps(said)


@pytest.mark.parametrize("status", [200, 307, 401, 500])
def test_main__keys_of_judges(tmp_path: Path, status: int) -> None:
    """Each key goes to its own endpoint and to no other, and no text that a run leaves holds either of them."""
    elsewhere = judging(honest)

    def script(number: int, body: Any) -> Answer:
        if status != 200:
            moved = {"Location": f"{elsewhere.base_url}?key={JUDGE_KEY}", "Set-Cookie": f"k={JUDGE_KEY}"}
            return answer({"error": {"message": " ".join(ALL), "param": JUDGE_KEY}}, status, moved)
        said = completion(repeating_keys(items_of(body)), id=f"{JUDGE_KEY}-{number}", model=KEY, reasoning=PASSWORD)
        return answer(said)

    def model(_prompt: str, _index: int) -> str:
        return " ".join(ALL)

    with new_project(tmp_path, head=JUDGED, answers=model) as project, ScriptedEndpoint(script) as judge, elsewhere:
        url = judge.base_url.replace("//", "//some-user:p%40ss-of-the-judge@") + f"?token={IN_QUERY}"
        ended = project.run(api_key=KEY, judge_api_key=JUDGE_KEY, judge_base_url=url)
        texts = told(ended, project)

        assert {f"Bearer {KEY}"} == {request.headers.get("authorization") for request in project.endpoint.requests}
        assert {f"Bearer {JUDGE_KEY}"} == {request.headers.get("authorization") for request in judge.requests}
        assert {None} == {request.headers.get("cookie") for request in judge.requests}
        assert [] == elsewhere.requests
    assert {"report.json", "report.md"} < texts.keys()
    found = [(place, key) for place, text in texts.items() for key in ALL if key.lower() in text.lower()]
    assert [] == found
    masks = {line.removeprefix("::add-mask::") for line in ended.out.splitlines() if line.startswith("::add-mask::")}
    assert {KEY, JUDGE_KEY, PASSWORD, IN_QUERY} <= masks


HOSTILE = (
    "@octocat #1 <img src=x> <!-- evalaction:default --> ```\n`````\n::error::boo\n::set-output name=verdict::pass\n"
    "\x1b[31mred\x1b]0;t\x07 \u202eevil\u2066 \u2028::error::x\x85 | a | [l](http://e.test) ![i](http://e.test/i)\n"
    "<<EOF\nverdict=pass\nEOF\n</details>"
)
CONTROL = ("\x1b", "\x07", "\u202e", "\u2066", "\u2028", "\x85", "\ud800")


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (lambda items: verdicts(items, [HOSTILE] * len(items)), "fail"),
        (lambda items: json.dumps({"verdicts": [{"id": HOSTILE, "label": "pass"} for _ in items]}), "fail"),
        (lambda items: json.dumps([{"id": [HOSTILE, *(item["id"] for item in items)], "label": HOSTILE}]), "fail"),
        (lambda _: HOSTILE * 20, "fail"),
        (lambda _: "[" * 100_000 + "]" * 100_000, "fail"),
        (lambda _: '{"verdicts": [{"id": "\\ud800", "label": "\ud800"}]}', "fail"),
        (lambda _: "x" * (4 * 1024 * 1024), "unmeasured"),
    ],
    ids=["labels", "names", "merged", "prose", "nested", "halves", "too large"],
)
def test_main__hostile_judge(tmp_path: Path, reply: Callable[[list[Item]], str], verdict: str) -> None:
    """Whatever a judge says, it is shown as text and as nothing else, and sets no output."""

    def script(number: int, body: Any) -> Answer:
        return answer(completion(reply(items_of(body)), id=f"{number} {HOSTILE}", model=HOSTILE))

    with new_project(tmp_path, head=JUDGED) as project, ScriptedEndpoint(script) as judge:
        ended = project.run(judge_base_url=judge.base_url)
        texts = told(ended, project)

    assert verdict == ended.outputs["verdict"]
    shown = {name: text for name, text in texts.items() if name != "report.json"}
    assert [] == [(name, sign) for name, text in shown.items() for sign in CONTROL if sign in text]
    for name in ("comments", "summary", "report.md"):
        outside = outside_code(texts[name])
        assert (name, []) == (name, [word for word in ("octocat", "http://e.test", "</details") if word in outside])
    assert not {"boo", "x"}.intersection(command.data for command in ended.log.commands)
    assert {"error", "warning", "notice"} >= {command.name for command in ended.annotations}
    assert verdict == ended.document["verdict"]
