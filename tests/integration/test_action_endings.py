"""Runs of the Action that end without a measurement: bad input, a fault of ours, an interrupt, and what they say where.

Lest the comment of an earlier push speaks for a run that measured nothing, it is replaced; a later push takes it back.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.actionjob import CASE, CHANGED, NOT_POSTED, OTHER, PASSED, POSTED, RUN, Ended, Project, new_project
from support.actions_runner import Command
from support.story import lines

from evalaction import action
from evalaction.report.comment import marker

NOTHING = {"verdict": "unmeasured", "exit-code": "2"}
BROKEN = (
    "golden.jsonl:1: The line is not JSON: Expecting ',' delimiter (character 11). Write one whole JSON object a line."
)
UNRENDERED = (
    "golden.jsonl:1: In the case 'a': The template t.md:2 cannot be rendered: 'y' is undefined. Give y in `vars`."
)
NO_ENDPOINT = (
    "No endpoint is given, and 1 case has to be drawn. Set EVAL_BASE_URL (the input base-url), such as "
    "http://127.0.0.1:8080/v1."
)
GREEN = f"### ✅ evalaction: both cases pass\n\n{marker('default', RUN - 1)}\n"
"""The comment of an earlier run."""
FAULT = "This is a fault of evalaction itself. Please report it with the lines above."


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with new_project(tmp_path) as made:
        yield made


def told(*said: str, page: str | None = None, tail: str = "") -> str:
    """Return what is shown of a run without a report."""
    log = "" if page is None else f" ([log]({page}))"
    spans = [f"``error: {line}``" if "`" in line else f"`error: {line}`" for line in said]
    listed = "\n".join(f"- {span}" for span in spans)
    return f"### ⚪ evalaction: nothing was measured\n\nThe run ended without a report{log}:\n\n{listed}\n{tail}"


def check(
    project: Project, ended: Ended, said: str, *, at: tuple[str, str] | None = None, plan: Sequence[str] = ()
) -> None:
    """Check that one error is said in the log, the summary, an annotation, the outputs, and in place of the comment."""
    (comment,) = project.comments
    place = {} if at is None else dict(zip(("file", "line"), at, strict=True))
    assert (ended.code, ended.outputs) == (2, {**NOTHING, **POSTED})
    assert ended.log.shown == [*plan, f"error: {said}", ""]
    assert ended.annotations == [Command("error", said, {**place, "title": "evalaction"})]
    assert ended.summary == told(said)
    tail = f"\n{marker('default', project.run_id)}\n"
    assert comment.body == told(said, page=project.page, tail=tail)
    assert ended.document is None


def test_main__bad_pushes(project: Project) -> None:
    """Files that cannot be read replace the comment of the push before; the next good push edits the same one."""
    first = project.run()
    assert first.outputs == {**PASSED, **POSTED}

    project.push({"golden.jsonl": '{"id": "a"'})
    check(project, project.run("pull_request.synchronize"), BROKEN, at=("golden.jsonl", "1"))
    project.push({"golden.jsonl": lines({"id": "a", "prompt_file": "t.md"}), "t.md": "x\n{{ y }}"})
    check(project, project.run("pull_request.synchronize"), UNRENDERED, at=("t.md", "2"))

    project.push(CHANGED)
    good = project.run("pull_request.synchronize")
    (comment,) = project.comments
    assert (good.code, good.outputs) == (0, {**PASSED, **POSTED})
    assert comment.body == good.as_comment(project.page, project.run_id)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"base_url": ""}, NO_ENDPOINT),
        ({"repeat": "many"}, "repeat: must be a whole number from 2 to 100."),
        ({"report_dir": "../x"}, "report-dir: ../x is not inside the workspace."),
        ({"working_directory": "nowhere"}, "{workspace}/nowhere: There is no such folder."),
    ],
    ids=["endpoint", "input", "report-dir", "working-directory"],
)
def test_main__bad_workflow(project: Project, given: dict[str, str], said: str) -> None:
    """So does a workflow that says what cannot be used, whichever input it is."""
    project.hosted.add_comment(2, author="github-actions[bot]", body=GREEN, id=1001)
    ended = project.run(given=given)

    base, head = (sha[:12] for sha in (project.pull.m1, project.pull.head))
    plan = (
        f"main ({base}) → merge of {head}",
        "1 case of 2 to be drawn, 1 unaffected.",
        "golden.jsonl:1 a: prompt, n 2",
        "Stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck.",
        "2 calls planned for draws; a call that fails is tried again.",
        "A sound case, whose every draw gives its usual answer with probability 0.95, misses 2/2 in 9.8 % of runs.",
    )
    # What would be drawn is said first, also where it then turns out that it cannot be.
    check(project, ended, said.format(workspace=ended.folder), plan=plan if said == NO_ENDPOINT else ())


def test_main__bad_comment_input(project: Project) -> None:
    """Where it is not known which comment it would be, none is touched."""
    ended = project.run(comment_mode="sometimes", base_url="")

    said = "comment-mode: must be one of always, failures, changes, off."
    assert (ended.code, ended.outputs, ended.said) == (2, {**NOTHING, **NOT_POSTED}, [("error", said)])
    assert ended.summary == told(said)
    assert project.asked == []


def test_main__bad_push_with_comments_off(project: Project) -> None:
    """``off`` holds for a run without a report too, also when another input is what cannot be used."""
    for given in ({"base_url": ""}, {"repeat": "many"}):
        ended = project.run(comment_mode="off", given=given)
        assert (ended.code, ended.outputs) == (2, {**NOTHING, **NOT_POSTED})
    assert project.asked == []


def test_main__bad_push_read_only(project: Project) -> None:
    """A token that may not write is a notice then too; the exit code stays that of bad input."""
    project.github.read_only = True
    ended = project.run(base_url="")

    assert (ended.code, ended.outputs) == (2, {**NOTHING, **NOT_POSTED})
    assert [name for name, _ in ended.said] == ["error", "notice"]
    assert ended.summary == told(NO_ENDPOINT)


def test_main__short_key(project: Project) -> None:
    """A key that is too short to be kept secret blanks out no words of a message."""
    ended = project.run(base_url="", api_key="case")

    assert ended.said == [("error", NO_ENDPOINT)]


def test_main__fault(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours is told with its traceback in the log, without the key, and never reads as a measurement."""
    key = "sk-0123456789"

    def measure(*_: object, **__: object) -> None:
        raise ValueError(f"Bearer {key}\n::error::x")

    project.hosted.add_comment(2, author="github-actions[bot]", body=GREEN, id=1001)
    monkeypatch.setattr(action, "measure", measure)
    ended = project.run(api_key=key)

    (comment,) = project.comments
    assert (ended.code, ended.outputs) == (3, {**NOTHING, **POSTED, "exit-code": "3"})
    assert ended.said == [("error", FAULT)]
    assert comment.body == told(FAULT, page=project.page, tail=f"\n{marker('default', RUN)}\n")
    assert [line for line in ended.log.shown if line.startswith(("Trace", "ValueError", "error:"))] == [
        "Traceback (most recent call last):",
        "ValueError: Bearer ‹redacted›",
        f"error: {FAULT}",
    ]
    assert [command.name for command in ended.log.commands] == ["add-mask", "add-mask", "error"]


def test_main__interrupted(tmp_path: Path) -> None:
    """A cancelled job leaves the comment alone: the run that took its place writes it."""

    def answers(prompt: str, _: int) -> str:
        drawn.append(prompt)
        if len(drawn) > 2:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        return prompt

    drawn: list[str] = []
    with new_project(tmp_path, answers=answers) as project:
        project.run()
        before = project.comments[0].body
        asked = len(project.asked)
        project.push({"golden.jsonl": lines({**CASE, "n": 9}, OTHER)})
        ended = project.run("pull_request.synchronize", max_concurrency="1")

        assert (ended.code, ended.outputs["verdict"], ended.outputs["exit-code"]) == (130, "unmeasured", "130")
        assert (ended.outputs["comment-url"], ended.outputs["comment-posted"]) == ("", "false")
        assert ("notice", "The run was interrupted: the comment was left alone.") in ended.said
        assert ([comment.body for comment in project.comments], len(project.asked)) == ([before], asked)
