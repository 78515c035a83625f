"""Forks, from a real repository to the report: what is sent, how the run ends, what a reader sees."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import ScriptedEndpoint
from support.story import lines, two_commits

from evalaction.check import notes_of, prepare
from evalaction.forks import FAILS, NEVER_THERE, SKIPPED, TARGET_NOTE, event_notes, hold_for
from evalaction.publish.files import write_reports
from evalaction.publish.progress import PlainProgress
from evalaction.records.event import Event, PullRequest
from evalaction.records.report import Report
from evalaction.records.settings import Forks
from evalaction.report.plan_lines import plan_lines
from evalaction.runner import measure
from evalaction.settings import read_settings
from evalaction.trees.pair import find_pair
from evalaction.trees.repository import open_repository

BASE = {"golden.jsonl": lines({"id": "a", "prompt": "Hi", "n": 2}, {"id": "b", "prompt": "Ho", "n": 2})}
CHANGED = {"golden.jsonl": lines({"id": "a", "prompt": "Hi", "n": 2}, {"id": "b", "prompt": "Hey", "n": 3})}
DECK = {
    "evalaction.yml": "decks: [{name: d, rubric: r.md, fixtures: f.jsonl}]",
    "r.md": "Judge.",
    "f.jsonl": '{"id":1,"task":"t","trace":"x","gold":"pass"}\n{"id":2,"task":"t","trace":"y","gold":"fail"}\n',
}


@dataclass(frozen=True)
class Ended:
    """What a run came to."""

    report: Report
    plan: tuple[str, ...]
    markdown: str
    document: Any
    calls: int


def event(name: str = "pull_request", *, from_fork: bool = True) -> Event:
    """Return the event of a pull request; the ids play no part here."""
    pull = PullRequest(number=7, base_sha="1" * 40, base_ref="main", head_sha="2" * 40, from_fork=from_fork)
    return Event(name=name, pull=pull)


def run(
    tmp_path: Path, started: Event, head: Mapping[str, str] = CHANGED, base: Mapping[str, str] = BASE, **given: str
) -> Ended:
    """Run what the Action runs, with an endpoint only where ``base-url`` is not given as empty."""
    repo = two_commits(tmp_path / "repo", base, head)
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        inputs = {
            "model": "m",
            "base-url": endpoint.base_url,
            **{name.replace("_", "-"): text for name, text in given.items()},
        }
        settings = read_settings(inputs, environ={})
        settings = replace(settings, notes=(*settings.notes, *event_notes(started)))
        with open_repository(str(repo.path), environ={}) as repository:
            pair = find_pair(repository, base="main", head="HEAD")
            prepared = prepare(settings, pair=pair, hold=hold_for(started, settings.forks))
            targets = prepared.targets(in_container=True)
            plan = plan_lines(
                prepared.plan, pair=pair, stubs=prepared.stubs, notes=notes_of(prepared), hold=prepared.held
            )
            report = measure(prepared, targets=targets, watcher=PlainProgress(io.StringIO()))
        calls = len(endpoint.requests)
    paths = write_reports(report, tmp_path / "report", within=tmp_path)
    return Ended(
        report=report,
        plan=plan,
        markdown=paths.markdown.read_text(),
        document=json.loads(paths.json.read_text()),
        calls=calls,
    )


@pytest.mark.parametrize(
    ("started", "forks", "calls", "ended"),
    [
        (event(), Forks.FAIL, 0, ("unmeasured", 3, {"message": FAILS.message, "excused": False})),
        (event(), Forks.SKIP, 0, ("unmeasured", 0, {"message": SKIPPED.message, "excused": True})),
        (event(), Forks.DRAW, 3, ("pass", 0, None)),
        (event(from_fork=False), Forks.FAIL, 3, ("pass", 0, None)),
        (
            event("pull_request_target"),
            Forks.DRAW,
            0,
            ("unmeasured", 3, {"message": NEVER_THERE.message, "excused": False}),
        ),
        (event("pull_request_target", from_fork=False), Forks.FAIL, 3, ("pass", 0, None)),
    ],
    ids=["fail", "skip", "draw", "own", "target", "target-own"],
)
def test_check__forks(
    tmp_path: Path, started: Event, forks: Forks, calls: int, ended: tuple[str, int, dict[str, object] | None]
) -> None:
    """What is sent, and how the run ends, goes by the head's repository, the event, and what the workflow says."""
    done = run(tmp_path, started, forks=str(forks))

    assert (done.calls, (done.document["verdict"], done.document["exit_code"], done.document["held"])) == (calls, ended)
    assert done.document["manifest"]["notes"] == ([TARGET_NOTE] if started.name == "pull_request_target" else [])


@pytest.mark.parametrize("forks", Forks)
def test_check__forks_nothing_affected(tmp_path: Path, forks: Forks) -> None:
    """Where nothing is affected a fork plays no part: a pass that says so."""
    done = run(tmp_path, event(), head={"README.md": "x"}, forks=str(forks))

    assert (done.calls, done.report.exit_code, done.report.held) == (0, 0, None)
    assert done.report.headline == "evalaction: nothing affected"


def test_check__forks_without_endpoint(tmp_path: Path) -> None:
    """A fork's run has no secrets: neither endpoint nor model nor budget is needed for what is not sent."""
    done = run(tmp_path, event(), base_url="", model="", max_calls="1")

    assert (done.report.exit_code, done.document["manifest"]["notes"], done.document["manifest"]["model"]) == (
        3,
        [],
        None,
    )


def test_check__forks_deck(tmp_path: Path) -> None:
    """An affected deck is held back as a case is."""
    done = run(tmp_path, event(), base={**BASE, **DECK}, head={"r.md": "Judge well."}, forks="skip")

    assert (done.report.verdict, done.report.exit_code) == ("unmeasured", 0)
    assert done.report.headline == "evalaction: 1 affected deck was not judged: this pull request comes from a fork"


def test_check__forks_failing_gate(tmp_path: Path) -> None:
    """``skip`` excuses what was not measured, and no gate that fails without a draw."""
    done = run(tmp_path, event(), base=CHANGED, head=BASE, forks="skip", fail_on="contract")

    assert (done.calls, done.report.verdict, done.report.exit_code) == (0, "fail", 1)
    assert done.report.headline == (
        "evalaction: the gate contract fails, the affected case was not drawn: this pull request comes from a fork"
    )


def test_check__forks_report(tmp_path: Path) -> None:
    """Plan and comment of a fork's run, whole: what would be drawn and why, and what a maintainer can do."""
    done = run(tmp_path, event())

    base, head = (done.document[side]["sha"] for side in ("base", "head"))
    assert done.plan == (
        f"main ({base[:12]}) → HEAD ({head[:12]})",
        "1 case of 2 to be drawn, 1 unaffected.",
        "golden.jsonl:2 b: prompt, sampling, n 3",
        "Stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck.",
        "3 calls would be made for draws, and none is.",
    )
    footer = done.markdown.splitlines()[-3]
    assert re.sub(r"`[0-9a-f]{12}`|--(base|head) [0-9a-f]{12}|[0-9.]+`", "…", footer) == (
        "<sub>model `m` · `n 3, temperature provider default` · 1 of 2 cases · 0 calls (3 planned) · stubs: "
        "positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck · golden … · "
        "prompts … · sampling … · compared `main` (…) → `HEAD` (…) · `evalaction … · `python … · again on a desk: "
        "`evalaction check … … --model m` · full report: `report.json`</sub>"
    )
    assert done.markdown.replace(footer, "FOOTER") == (
        "### ⚪ evalaction: the affected case was not drawn: this pull request comes from a fork\n"
        "\n"
        "A fork's prompts are a stranger's: nothing was sent. Drawing would take 3 calls. 1 case is unaffected.\n"
        "\n"
        "**Next:** A maintainer who has read the change can draw it on a desk, or push the branch to this repository.\n"
        "\n"
        "| not drawn | draws asked for | affected because |\n"
        "|---|---|---|\n"
        "| `b`<br><sub>`golden.jsonl:2`</sub> | 3 | prompt, sampling |\n"
        "\n"
        "FOOTER\n"
        "\n"
        "<!-- evalaction v1 id=default -->\n"
    )
