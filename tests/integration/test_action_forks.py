"""Pull requests from forks in the Action: what is sent, how the run ends, and what is needed for that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.actionjob import BASE, CHANGED, FAILED, FORK, NOT_POSTED, PASSED, POSTED, RED, Project, new_project

from evalaction.forks import FAILS, NO_ENDPOINT, NO_MODEL, SKIPPED
from evalaction.records.plan import Hold

HELD = "### ⚪ evalaction: the affected case was not drawn: this pull request comes from a fork"
UNMEASURED = {**PASSED, "verdict": "unmeasured", "exit-code": "3", "flip-rate": "", "calls-made": "0"}
EXCUSED = {**UNMEASURED, "exit-code": "0"}
MAY_NOT = (
    "The comment could not be written (HTTP 403: Resource not accessible by integration). The job needs the permission "
    "pull-requests: write. For a pull request from a fork or from Dependabot its token can only read, whatever the "
    "workflow says."
)
BARE = {"base_url": "", "model": "", "api_key": ""}
"""GitHub gives the run of a fork neither secrets nor variables."""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A pull request from a fork, whose run has a token that only reads."""
    with new_project(tmp_path) as made:
        made.fork()
        made.github.read_only = True
        yield made


@pytest.mark.parametrize(
    ("forks", "code", "outputs", "remark"),
    [
        ("fail", 3, UNMEASURED, ("error", f"{FAILS.message} {FAILS.remedy}")),
        ("", 3, UNMEASURED, ("error", f"{FAILS.message} {FAILS.remedy}")),
        ("skip", 0, EXCUSED, ("notice", f"{SKIPPED.message} {SKIPPED.remedy}")),
    ],
)
def test_main__fork_held(
    project: Project, forks: str, code: int, outputs: dict[str, str], remark: tuple[str, str]
) -> None:
    """Nothing is sent, nor is anything needed for it; the plan is there, and the read-only token is only a notice."""
    ended = project.run(event=project.event(fork=FORK), forks=forks, given=BARE)

    base, head = (sha[:12] for sha in (project.pull.m1, project.pull.head))
    assert (ended.code, project.calls, ended.outputs) == (code, 0, {**outputs, **NOT_POSTED})
    assert ended.said == [remark, ("notice", MAY_NOT)]
    assert (ended.headline, ended.summary) == (HELD, ended.as_summary)
    assert (
        "To draw it on a desk: `git fetch origin pull/2/head main`, then `evalaction check --base origin/main --head "
        "FETCH_HEAD`."
    ) in ended.summary.splitlines()
    assert ended.log.shown[:5] == [
        f"main ({base}) → merge of {head}",
        "1 case of 2 to be drawn, 1 unaffected.",
        "golden.jsonl:1 a: prompt, n 2",
        "Stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck.",
        "2 calls would be made for draws, and none is.",
    ]
    assert project.asked == ["GET issues/2/comments", "POST issues/2/comments"]


@pytest.mark.parametrize(("files", "code", "outputs"), [(CHANGED, 0, PASSED), (RED, 1, FAILED)])
def test_main__fork_drawn(project: Project, files: dict[str, str], code: int, outputs: dict[str, str]) -> None:
    """With ``draw`` a fork is like any other pull request, but for its token."""
    project.push(files)
    ended = project.run(event=project.event(fork=FORK), forks="draw")

    assert (ended.code, project.calls, ended.outputs) == (code, 2, {**outputs, **NOT_POSTED})
    assert ended.said == [("notice", MAY_NOT)]


@pytest.mark.parametrize(
    ("given", "hold"),
    [(BARE, NO_ENDPOINT), ({**BARE, "model": "m"}, NO_ENDPOINT), ({"model": ""}, NO_MODEL)],
    ids=["nothing", "no endpoint", "no model"],
)
def test_main__fork_drawn_with_nothing_given(project: Project, given: dict[str, str], hold: Hold) -> None:
    """Where GitHub gave the fork's run no variables nothing can be drawn: that is said in words, not as bad input."""
    ended = project.run(event=project.event(fork=FORK), forks="draw", given=given)

    assert (ended.code, project.calls, ended.outputs) == (3, 0, {**UNMEASURED, **NOT_POSTED})
    assert ended.said == [("error", f"{hold.message} {hold.remedy}"), ("notice", MAY_NOT)]
    assert (ended.headline, ended.document["held"]) == (HELD, {"message": hold.message, "excused": False})
    assert ended.log.shown.count(hold.message) == 0
    assert [line for line in ended.log.shown if line.startswith(hold.message)] == [
        f"{hold.message} Drawing would take 2 calls. 1 case is unaffected."
    ]


def test_main__fork_drawn_with_models_in_the_files(tmp_path: Path) -> None:
    """A model that the repository's own files name is given, and nothing is held back for want of the input."""
    config = {"evalaction.yml": "model: m\n"}
    with new_project(tmp_path, base={**BASE, **config}) as project:
        project.fork()
        ended = project.run(event=project.event(fork=FORK), forks="draw", model="")

        assert (ended.code, project.calls) == (0, 2)


@pytest.mark.parametrize("given", [BARE, {**BARE, "model": "m"}])
def test_main__own_branch_with_nothing_given(project: Project, given: dict[str, str]) -> None:
    """For the repository's own branches, whose runs get both, it is bad input as ever."""
    project.fork("Codertocat/Hello-World")
    ended = project.run(forks="draw", given=given)

    assert (ended.code, ended.outputs["verdict"]) == (2, "unmeasured")


@pytest.mark.parametrize("forks", ["fail", "skip", "draw"])
def test_main__fork_unaffected(project: Project, forks: str) -> None:
    """Where nothing is affected a fork plays no part, and a fork's run needs nothing to say so."""
    project.push(BASE)
    ended = project.run(event=project.event(fork=FORK), forks=forks, given=BARE)

    assert (ended.code, ended.outputs["verdict"], ended.headline) == (0, "pass", "### ✅ evalaction: nothing affected")
    assert ended.said == [("notice", MAY_NOT)]


@pytest.mark.parametrize("given", [{"base": "main"}, {"head": "HEAD"}, {"base": "main", "head": "HEAD"}])
@pytest.mark.parametrize("name", ["pull_request.synchronize", "pull_request_review_comment.created"])
def test_main__fork_named(project: Project, name: str, given: dict[str, str]) -> None:
    """To name what is compared does not switch it off, nor does an event that is otherwise unknown."""
    event = project.event("pull_request.synchronize", fork=FORK)
    ended = project.run(name, event=event, checkout=project.checkout(depth=0), given=given)

    assert (ended.code, project.calls, ended.headline) == (3, 0, HELD)


def test_main__fork_comment(project: Project) -> None:
    """A comment on a pull request does not say whose it is: whatever is checked out and named, nothing is drawn."""
    event = {"action": "created", "issue": {"number": 2, "pull_request": {"url": "https://api.github.com/x"}}}
    ended = project.run("issue_comment.created", event=event, checkout=project.checkout(depth=0), base="main")

    said = (
        "GITHUB_EVENT_NAME: issue_comment does not say whether the pull request comes from a fork, so nothing is drawn "
        "for it. Run on pull_request, with a label or an approval where a person is to decide."
    )
    assert (ended.code, project.calls, ended.said) == (2, 0, [("error", said)])


def test_main__fork_gone(project: Project) -> None:
    """A head whose repository is gone is a fork's."""
    project.fork(None)
    ended = project.run(event=project.event(fork=None), given=BARE)

    assert (ended.code, project.calls, ended.headline) == (3, 0, HELD)


def test_main__fork_that_may_write(project: Project) -> None:
    """Where a token may write (``pull_request_target``), the comment says that nothing was drawn."""
    project.github.read_only = False
    ended = project.run(event=project.event(fork=FORK), forks="skip", given=BARE)

    (comment,) = project.comments
    assert (ended.code, ended.outputs) == (0, {**EXCUSED, **POSTED})
    assert comment.body == ended.as_comment(project.page, project.run_id)


def test_main__own_branch(project: Project) -> None:
    """A head in this very repository is no fork's, however its name is spelt."""
    project.fork("codertocat/hello-world")
    ended = project.run(event=project.event(fork="codertocat/hello-world"))

    assert (ended.code, project.calls) == (0, 2)
