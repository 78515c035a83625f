"""The Action and the one comment: from push to push, in every mode, and where GitHub says no."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from support.actionjob import (
    BASE,
    CHANGED,
    FAILED,
    FILES,
    NOT_POSTED,
    PASSED,
    POSTED,
    RED,
    RUN,
    Project,
    new_project,
)
from support.fakehub import CLOSED_AFTER, primary_limit, refused, secondary_limit

from evalaction import action
from evalaction.hub import open_hub

LIST, CREATE, EDIT = "GET issues/2/comments", "POST issues/2/comments", "PATCH issues/comments/1001"
WRITTEN = [LIST, CREATE, LIST]
"""Requests for a first comment: after writing it is looked whether another run wrote one too."""
EDITED = [LIST, "GET user", "POST graphql", EDIT]
MAY_NOT = (
    "The job needs the permission pull-requests: write. For a pull request from a fork or from Dependabot its token "
    "can only read, whatever the workflow says."
)
COMMENTS = r"/repos/.*/issues/2/comments"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with new_project(tmp_path) as made:
        yield made


# From push to push


def test_main__opened(project: Project) -> None:
    """A new pull request gets one comment: the report, with the page of the run and the run in its marker."""
    ended = project.run("pull_request.opened")

    (comment,) = project.comments
    assert (ended.code, project.calls, ended.outputs) == (0, 2, {**PASSED, **POSTED})
    assert (comment.author, comment.body) == ("github-actions[bot]", ended.as_comment(project.page, RUN))
    assert ended.summary == ended.as_summary
    assert (ended.headline, ended.annotations) == ("### ✅ evalaction: the affected case passes", [])
    assert project.asked == WRITTEN


def test_main__pushes(project: Project) -> None:
    """Every later push edits that comment: red, green when it is fixed, and "nothing affected" when it is undone."""
    seen = []
    for files in (RED, CHANGED, BASE):
        project.push(files)
        before = len(project.asked)
        ended = project.run("pull_request.synchronize")
        (comment,) = project.comments
        assert comment.body == ended.as_comment(project.page, project.run_id)
        seen.append((ended.code, ended.outputs, ended.headline, project.asked[before:]))
    assert seen == [
        (1, {**FAILED, **POSTED}, "### ❌ evalaction: the affected case fails", WRITTEN),
        (0, {**PASSED, **POSTED}, "### ✅ evalaction: the affected case passes", EDITED),
        (
            0,
            {**PASSED, **POSTED, "cases-selected": "0", "flip-rate": "", "calls-made": "0"},
            "### ✅ evalaction: nothing affected",
            EDITED,
        ),
    ]
    assert project.calls == 4


def test_main__log(project: Project) -> None:
    """The whole log of a run that draws nothing: the token's mask, what is compared, the verdict, the small print."""
    project.push(BASE)
    ended = project.run("pull_request.synchronize")

    base, head = (sha[:12] for sha in (project.pull.m1, project.pull.head))
    assert ended.out.splitlines() == [
        "::add-mask::ghs_0123456789abcdefABCDEF",
        f"main ({base}) → merge of {head}",
        "0 cases of 2 to be drawn, 2 unaffected.",
        "Stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck.",
        "✅ evalaction: nothing affected",
        "No request, contract or sampling of 2 cases changed: nothing was drawn.",
        "::group::About this run",
        f"compared: main ({base}) → merge of {head}",
        "0 of 2 cases, 0 calls, 0 retried, 0.0 s",
        "stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck",
        f"again on a desk: evalaction check --base {base} --head {head} --model m",
        "full report: evalaction-report/report.json",
        "::endgroup::",
    ]


@pytest.mark.parametrize("name", ["reopened", "labeled", "converted_to_draft"])
def test_main__other_actions(project: Project, name: str) -> None:
    """What the event's action is makes no difference, nor whether the pull request is a draft."""
    event = project.event(f"pull_request.{name}")
    event["pull_request"]["draft"] = True
    ended = project.run(f"pull_request.{name}", event=event)

    (comment,) = project.comments
    assert (ended.code, ended.outputs) == (0, {**PASSED, **POSTED})
    assert comment.body == ended.as_comment(project.page, RUN)


# Modes and ids


@pytest.mark.parametrize(
    ("mode", "pushes", "expected"),
    [
        ("failures", (CHANGED, RED, BASE), [None, "the affected case fails", "nothing affected"]),
        ("changes", (BASE, CHANGED, BASE), [None, "the affected case passes", "nothing affected"]),
        ("off", (RED,), [None]),
    ],
)
def test_main__comment_mode(
    project: Project, mode: str, pushes: tuple[dict[str, str], ...], expected: list[str | None]
) -> None:
    """Mode by mode: when the first comment comes. One that is there is kept up to date; ``off`` asks nothing."""
    seen = []
    for files in pushes:
        project.push(files)
        ended = project.run("pull_request.synchronize", comment_mode=mode)
        said = [comment.body.partition("\n")[0].partition("evalaction: ")[2] for comment in project.comments]
        assert len(said) <= 1
        assert (ended.code, ended.outputs["comment-posted"]) == (int(files is RED), "true" if said else "false")
        seen.append(said[0] if said else None)
    assert seen == expected
    assert (mode == "off") == (project.asked == [])


def test_main__comment_id(project: Project) -> None:
    """Two workflows with an id each keep a comment each, whatever order they run in."""
    for comment_id in ("refunds", "invoices", "refunds"):
        ended = project.run("pull_request.synchronize", comment_id=comment_id)
        expected = ended.as_comment(project.page, project.run_id, comment_id=comment_id)
        assert [comment.body == expected for comment in project.comments].count(True) == 1
    assert [comment.id for comment in project.comments] == [1001, 1002]


def test_main__newer_run(project: Project) -> None:
    """A run that ends after a newer one leaves the newer one's comment alone, and says so."""
    project.run("pull_request.synchronize", GITHUB_RUN_ID="900")
    before = project.comments[0].body
    ended = project.run("pull_request.synchronize")

    assert [comment.body for comment in project.comments] == [before]
    assert (ended.code, ended.outputs) == (0, {**PASSED, **NOT_POSTED})
    assert ended.said == [
        (
            "notice",
            "A newer run has written its comment on the pull request; this run, which ended later, left it alone.",
        )
    ]


# Where GitHub says no

REFUSALS: dict[str, tuple[Callable[[Project], object], str, list[str]]] = {
    "create": (
        lambda project: setattr(project.github, "read_only", True),
        f"The comment could not be written (HTTP 403: Resource not accessible by integration). {MAY_NOT}",
        [LIST, CREATE],
    ),
    "list": (
        lambda project: project.github.script("GET", COMMENTS, refused(403, "Resource not accessible by integration")),
        f"The comment could not be written (HTTP 403: Resource not accessible by integration). {MAY_NOT}",
        [LIST],
    ),
    "not found": (
        lambda project: project.github.script("POST", COMMENTS, refused(404, "Not Found")),
        f"The comment could not be written (HTTP 404: Not Found). {MAY_NOT}",
        [LIST, CREATE],
    ),
    "locked": (
        lambda project: setattr(project.at_github, "locked", True),
        "The comment could not be written (HTTP 403: Unable to create comment because issue is locked.). "
        "The conversation is locked, and this token may not write to it all the same.",
        [LIST, CREATE],
    ),
    "token": (
        lambda project: setattr(project.github, "token", "another"),
        "The comment could not be written (HTTP 401: Bad credentials). "
        "The token is not valid, or not any more: check the input github-token.",
        [LIST],
    ),
}
"""What GitHub refuses → how it comes to that, what is said of it, and what was asked, each once."""


@pytest.mark.parametrize(
    ("refusal", "files", "code", "outputs"),
    [*((name, CHANGED, 0, PASSED) for name in REFUSALS), ("create", RED, 1, FAILED), ("list", RED, 1, FAILED)],
)
def test_main__refused(
    project: Project, refusal: str, files: dict[str, str], code: int, outputs: dict[str, str]
) -> None:
    """A comment that GitHub refuses is a notice and a file: the exit code is that of the gates, the summary is there.

    What is refused is not asked again.
    """
    arrange, notice, asked = REFUSALS[refusal]
    project.push(files)
    arrange(project)
    ended = project.run("pull_request.synchronize")

    assert (ended.code, ended.outputs) == (code, {**outputs, **NOT_POSTED})
    assert ended.said == [("notice", notice)]
    assert [(each.name, each.properties["file"]) for each in ended.annotations if "file" in each.properties] == [
        ("error", "golden.jsonl")
    ] * code
    assert ended.summary == ended.as_summary
    assert (project.asked, project.comments) == (asked, [])


@pytest.mark.parametrize(
    ("given", "notice"),
    [
        ({"github_token": ""}, "There is no comment: github-token is empty."),
        ({"GITHUB_REPOSITORY": ""}, "There is no comment: GITHUB_REPOSITORY is not set."),
    ],
    ids=["token", "repository"],
)
def test_main__nobody_to_ask(project: Project, given: dict[str, str], notice: str) -> None:
    """Without a token or a repository GitHub is not asked, and all else is as ever."""
    ended = project.run(given=given)

    assert (ended.code, ended.outputs, ended.said) == (0, {**PASSED, **NOT_POSTED}, [("notice", notice)])
    assert ended.summary == ended.as_summary
    assert project.asked == []


def test_main__nobody_to_ask_and_off(project: Project) -> None:
    """Where no comment is wanted it is not said that there is none."""
    ended = project.run(github_token="", comment_mode="off")

    assert (ended.code, ended.outputs, ended.annotations) == (0, {**PASSED, **NOT_POSTED}, [])


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits for GitHub, which take no time."""
    waits: list[float] = []
    monkeypatch.setattr(action, "open_hub", partial(open_hub, sleep=waits.append))
    return waits


def test_main__secondary_limit(project: Project, slept: list[float]) -> None:
    """A limit that GitHub lifts soon is waited out as long as it says, and the log says so."""
    project.github.script("POST", COMMENTS, secondary_limit(retry_after=7))
    ended = project.run()

    assert (ended.code, ended.outputs, ended.annotations) == (0, {**PASSED, **POSTED}, [])
    assert (slept, project.asked) == ([7], [LIST, CREATE, CREATE, LIST])
    assert [line for line in ended.log.shown if line.startswith("waiting")] == [
        "waiting 7 s for GitHub (HTTP 403: You have exceeded a secondary rate limit. Please wait a few minutes before "
        "you try again.)"
    ]


def test_main__primary_limit(project: Project, slept: list[float]) -> None:
    """A limit that lasts longer than a run waits is given up at once; the exit code is that of the gates."""
    project.github.script("POST", COMMENTS, primary_limit(reset=int(time.time()) + 40 * 60))
    project.push(RED)
    ended = project.run("pull_request.synchronize")

    assert (ended.code, ended.outputs) == (1, {**FAILED, **NOT_POSTED})
    assert ended.said == [
        (
            "notice",
            "The comment could not be written (HTTP 403: API rate limit exceeded for installation ID 1.). That lasts "
            "longer than a run waits for GitHub; the next run will write it.",
        )
    ]
    assert (slept, project.asked) == ([], [LIST, CREATE])


def test_main__answer_lost(project: Project, slept: list[float]) -> None:
    """A comment of which the answer was lost is looked for, and not written twice."""
    project.github.script("POST", COMMENTS, CLOSED_AFTER)
    ended = project.run()

    (comment,) = project.comments
    assert (ended.outputs, ended.annotations) == ({**PASSED, **POSTED}, [])
    assert (comment.body, slept) == (ended.as_comment(project.page, RUN), [])


def test_main__files_of_a_refused_comment(project: Project) -> None:
    """The text that could not be posted lies in the folder that the outputs name."""
    project.github.read_only = True
    ended = project.run(report_dir="out/of the way")

    paths = {name: f"out/of the way/{path.rpartition('/')[2]}" for name, path in FILES.items()}
    assert ended.outputs == {**PASSED, **paths, **NOT_POSTED}
    assert ended.markdown.startswith("### ✅ evalaction: the affected case passes\n")
