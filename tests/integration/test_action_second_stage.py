"""The Action on ``workflow_run``: the report of a fork's run, an artifact that a stranger wrote, becomes a comment."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.actionjob import DESK, FORK, NOT_POSTED, POSTED, RED, RUN, Ended, Project, new_project
from support.gitrepo import Repo
from support.payloads import NUMBER, REPOSITORY, from_fork, payload, violations

from evalaction.report.comment import marker, render_comment
from evalaction.report.stored.read import MAX_BYTES, read_report

DONE = {"verdict": "unmeasured", "exit-code": "0"}
PASSES = {"verdict": "pass", "exit-code": "0"}
BAD = {"verdict": "unmeasured", "exit-code": "2"}
GIVE = "Give the report.json of a run of this version, as it was written."
DOWNLOAD = "Download the artifact of the run before, and name the report.json in it."


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A pull request from a fork."""
    with new_project(tmp_path) as made:
        made.fork()
        yield made


def first_stage(project: Project, forks: str = "fail") -> Ended:
    """Run the fork's own job, which may not comment."""
    project.github.read_only = True
    ended = project.run(event=project.event(fork=FORK), forks=forks)
    project.github.read_only = False
    return ended


def finished(project: Project, *, repository: str = FORK) -> dict[str, Any]:
    """Return the event of the last run's end."""
    whole = from_fork(payload("workflow_run.completed"), repository)
    whole["workflow_run"].update(
        id=project.run_id, event="pull_request", head_branch="changes", head_sha=project.pull.head
    )
    assert violations("workflow_run.completed", whole) == []
    return whole


def workspace(project: Project, artifact: Path | None) -> Path:
    """Make the workspace of a second stage: nothing is checked out, and the artifact was downloaded."""
    folder = project.folder / f"second-{project.runs}"
    folder.mkdir()
    if artifact is not None:
        shutil.copytree(artifact, folder / "evalaction-report")
    return folder


def second_stage(project: Project, event: dict[str, Any], folder: Path, **given: str) -> Ended:
    """Run the job that follows."""
    return project.run("workflow_run.completed", event=event, checkout=Repo(folder), base_url="", model="", given=given)


def told(*said: str, url: str | None = None) -> str:
    """Return the step summary of a second stage."""
    where = [] if url is None else [f"See [the comment]({url}).", ""]
    lines = [f"- `{line.replace(f': {url}.', '.')}`" for line in said]
    return "\n".join(["### evalaction: the report of another run", "", *where, *lines, ""])


@pytest.mark.parametrize(("forks", "outputs"), [("fail", DONE), ("draw", PASSES)])
def test_main__second_stage(project: Project, forks: str, outputs: dict[str, str]) -> None:
    """The fork's report stands on the fork's pull request, as the fork's own, and the artifact stays as it was."""
    first = first_stage(project, forks)
    event, page = finished(project), project.page
    folder = workspace(project, first.folder / "evalaction-report")
    before = {path.name: path.read_bytes() for path in (folder / "evalaction-report").iterdir()}
    asked = len(project.asked)
    ended = second_stage(project, event, folder)

    (comment,) = project.comments
    report = read_report(before["report.json"], name="report.json")
    assert comment.body == render_comment(report, report_location=page, run_id=RUN, relayed_from=page, desk=DESK)
    assert comment.body.startswith("### ⚪ evalaction, reported by the fork's own run: ")
    said = f"The comment on pull request {NUMBER} shows the report: {POSTED['comment-url']}."
    assert (ended.code, ended.outputs) == (0, {**outputs, **POSTED})
    assert (ended.log.shown, ended.annotations) == ([said, ""], [])
    assert ended.summary == told(said, url=POSTED["comment-url"])
    assert {path.name: path.read_bytes() for path in (folder / "evalaction-report").iterdir()} == before
    assert project.asked[asked:] == [
        "GET pulls",
        "GET issues/2/comments",
        "POST issues/2/comments",
        "GET issues/2/comments",
    ]


def test_main__second_stage_again(project: Project) -> None:
    """The next run of the fork edits that comment, in the id and the silence that the second stage asks for."""
    for _ in range(2):
        first = first_stage(project, "draw")
        event = finished(project)
        folder = workspace(project, first.folder / "evalaction-report")
        ended = second_stage(project, event, folder, comment_id="x", show_completions="false")
        assert ended.outputs == {**PASSES, **POSTED}
    (comment,) = project.comments
    assert comment.body.endswith(f"\n{marker('x', event['workflow_run']['id'])}\n")
    assert "yes" not in comment.body


def test_main__second_stage_of_our_own(project: Project) -> None:
    """The report of this repository's own run is posted as the run itself would have posted it."""
    project.fork(REPOSITORY)
    project.github.read_only = True
    first = project.run()
    project.github.read_only = False
    event, page = finished(project, repository=REPOSITORY), project.page
    ended = second_stage(project, event, workspace(project, first.folder / "evalaction-report"))

    (comment,) = project.comments
    assert (ended.code, ended.outputs) == (0, {**PASSES, **POSTED})
    assert comment.body == first.as_comment(page, RUN)


# Nothing to post on


def closed(project: Project) -> None:
    project.at_github.state = "closed"


def moved_on(project: Project) -> None:
    project.at_github.head_sha = "4" * 40


def read_only(project: Project) -> None:
    project.github.read_only = True


@pytest.mark.parametrize(
    ("arrange", "said"),
    [
        (closed, ["Nothing was posted. No open pull request has {head}: it was closed, or has moved on since."]),
        (moved_on, ["Nothing was posted. No open pull request has {head}: it was closed, or has moved on since."]),
        (
            read_only,
            [
                "The comment on pull request 2 was left as it is.",
                "The comment could not be written (HTTP 403: Resource not accessible by integration). The job needs "
                "the permission pull-requests: write. For a pull request from a fork or from Dependabot its token can "
                "only read, whatever the workflow says.",
            ],
        ),
    ],
)
def test_main__second_stage_nothing(project: Project, arrange: Callable[[Project], None], said: list[str]) -> None:
    """Where no pull request is left, or the token may not write, there are notices and no failure."""
    first = first_stage(project)
    event = finished(project)
    arrange(project)
    ended = second_stage(project, event, workspace(project, first.folder / "evalaction-report"))

    head = f"changes of {FORK} at {project.pull.head[:12]}"
    assert (ended.code, ended.outputs, project.comments) == (0, {**DONE, **NOT_POSTED}, [])
    lines = [line.format(head=head) for line in said]
    assert ended.said == [("notice", line) for line in lines]
    assert ended.summary == told(*lines)


def test_main__second_stage_no_token(project: Project) -> None:
    """Without a token nothing can be posted, and the job was set up wrong."""
    event = finished(project)
    ended = second_stage(project, event, workspace(project, None), github_token="")

    said = (
        "github-token: Without a token and a repository nothing can be posted. Leave the input out for the job's own."
    )
    assert (ended.code, ended.outputs, ended.said) == (2, {**BAD, **NOT_POSTED}, [("error", said)])


@pytest.mark.parametrize("given", [{"base": "main"}, {"head": "HEAD"}])
def test_main__second_stage_compares_nothing(project: Project, given: dict[str, str]) -> None:
    """It cannot be made to measure what a stranger wrote: a base or a head is refused there."""
    ended = second_stage(project, finished(project), workspace(project, None), **given)

    said = (
        "base: After another workflow's run its report is posted, and nothing is compared. "
        "Leave the inputs base and head empty."
    )
    assert (ended.code, ended.said, project.calls) == (2, [("error", said)], 0)


# What a stranger puts into the artifact


def other_pull(path: Path) -> None:
    document = json.loads(path.read_text())
    document["pull_request"] = 3
    path.write_text(json.dumps(document))


def wrong_figure(path: Path) -> None:
    document = json.loads(path.read_text())
    document.update(verdict="pass", exit_code=0)
    path.write_text(json.dumps(document))


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def text(path: Path) -> None:
    path.write_text("::error::x")


def deep(path: Path) -> None:
    path.write_text("[" * 100_000)


def huge(path: Path) -> None:
    os.truncate(path, 65 * 1024 * 1024)


def many_reasons(path: Path) -> None:
    document = json.loads(path.read_text())
    document["cases"][0]["reasons"] *= 20_000
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (link, "The report is a symbolic link (Too many levels of symbolic links). "),
        (pipe, "The report is no regular file. "),
        (huge, f"The report has more than {MAX_BYTES:,} bytes. "),
        (text, "The report cannot be used: it is not strict JSON, or too deep. "),
        (deep, "The report cannot be used: it is not strict JSON, or too deep. "),
        (other_pull, "The report cannot be used: "),
        (wrong_figure, "The report cannot be used: "),
        (many_reasons, "The report cannot be used: it has not the published form at $.cases[0].reasons. "),
    ],
    ids=["link", "pipe", "huge", "text", "deep", "schema", "contradiction", "reasons"],
)
@pytest.mark.parametrize("earlier", [True, False], ids=["later", "first"])
def test_main__hostile_artifact(project: Project, change: Callable[[Path], object], said: str, earlier: bool) -> None:
    """An artifact that is no report of ours is refused in words, and no comment of an earlier push speaks for it.

    The comment is in our own words alone, and says whose run that was.
    """
    if earlier:
        posted(project)
    first = first_stage(project)
    event, page = finished(project), project.page
    folder = workspace(project, first.folder / "evalaction-report")
    change(folder / "evalaction-report" / "report.json")
    ended = second_stage(project, event, folder)

    ((level, message),) = [(each.name, each.data) for each in ended.annotations]
    (comment,) = project.comments
    remedy = GIVE if "cannot be used" in said else DOWNLOAD
    assert (ended.code, ended.outputs, level) == (2, {**BAD, **POSTED}, "error")
    assert message.partition(": ")[2].startswith(said)
    assert message.endswith(remedy)
    assert comment.body == (
        "### ⚪ evalaction: the fork's own run left no report that can be used\n\n"
        f"That run ([its log]({page})) followed the fork's own workflow file. "
        f"[The run that read it]({project.page}) says what is wrong with it.\n\n"
        f"{marker('default', event['workflow_run']['id'])}\n"
    )
    assert ended.log.shown[0] == (
        f"The comment on pull request {NUMBER} shows that none can be used: {POSTED['comment-url']}."
    )


def posted(project: Project) -> str:
    """Post the report of a fork's run, and return the comment."""
    first = first_stage(project, "draw")
    ended = second_stage(project, finished(project), workspace(project, first.folder / "evalaction-report"))
    assert ended.outputs == {**PASSES, **POSTED}
    return project.comments[0].body


@pytest.mark.parametrize("folder_there", [True, False])
def test_main__no_artifact(project: Project, folder_there: bool) -> None:
    """Where the run left no report, the comment of an earlier push says so, and a notice; the job is not red for it."""
    before = posted(project)
    project.push(RED)
    first_stage(project)
    event, page = finished(project), project.page
    folder = workspace(project, None)
    if folder_there:
        (folder / "evalaction-report").mkdir()
    ended = second_stage(project, event, folder)

    (comment,) = project.comments
    lines = [
        "There is no evalaction-report/report.json: the run before left no report.",
        f"The comment on pull request {NUMBER} shows that there is none: {POSTED['comment-url']}.",
    ]
    assert (ended.code, ended.outputs) == (0, {**DONE, **POSTED})
    assert (ended.said, ended.summary) == (
        [("notice", line) for line in lines],
        told(*lines, url=POSTED["comment-url"]),
    )
    assert comment.body != before
    assert comment.body == (
        "### ⚪ evalaction: the fork's own run left no report\n\n"
        f"That run ([its log]({page})) followed the fork's own workflow file.\n\n"
        "**Next:** Look into its log, and whether it uploads `evalaction-report`.\n\n"
        f"{marker('default', event['workflow_run']['id'])}\n"
    )


def test_main__no_artifact_at_first(project: Project) -> None:
    """Where there is no comment yet, none is written to say that there is no report: that is a notice."""
    first_stage(project)
    event, folder = finished(project), workspace(project, None)
    ended = second_stage(project, event, folder)

    lines = [
        "There is no evalaction-report/report.json: the run before left no report.",
        f"Pull request {NUMBER} has no comment, and none was written.",
    ]
    assert (ended.code, ended.outputs, project.comments) == (0, {**DONE, **NOT_POSTED}, [])
    assert (ended.said, ended.summary) == ([("notice", line) for line in lines], told(*lines))


def test_main__hostile_artifact_of_a_newer_push(project: Project) -> None:
    """A run that the pull request has moved on from is refused as ever, and writes nowhere."""
    before = posted(project)
    first = first_stage(project)
    event = finished(project)
    project.push(RED)
    folder = workspace(project, first.folder / "evalaction-report")
    text(folder / "evalaction-report" / "report.json")
    ended = second_stage(project, event, folder)

    assert (ended.code, ended.outputs) == (2, {**BAD, **NOT_POSTED})
    assert [level for level, _ in ended.said] == ["notice"]
    assert [comment.body for comment in project.comments] == [before]


def test_main__artifact_of_another_pull(project: Project) -> None:
    """Whatever revisions a report names, it is posted where GitHub's event leads, and shown as text."""
    project.hosted.pull(3, head_ref="main", head_sha="5" * 40)
    first = first_stage(project)
    event = finished(project)
    folder = workspace(project, first.folder / "evalaction-report")
    path = folder / "evalaction-report" / "report.json"
    document = json.loads(path.read_text())
    document["head"] = {"sha": "5" * 40, "ref": "refs/pull/3/merge @octo-user", "merge_of": None}
    path.write_text(json.dumps(document))
    ended = second_stage(project, event, folder)

    assert (ended.code, ended.outputs) == (0, {**DONE, **POSTED})
    assert (len(project.comments), project.hosted.comments(3)) == (1, [])
    assert "`refs/pull/3/merge @octo-user`" in project.comments[0].body
