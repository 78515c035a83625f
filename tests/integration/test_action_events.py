"""Which event compares what with what in the Action, from checkouts as workflows make them, and what has a comment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.actionjob import (
    BASE,
    CASE,
    CHANGED,
    FORK,
    NOT_POSTED,
    OTHER,
    PASSED,
    POSTED,
    Ended,
    Project,
    new_project,
)
from support.fakehub import Answer, bad_gateway, refused
from support.payloads import NUMBER, REPOSITORY, payload, pushed, scheduled, violations
from support.story import lines

from evalaction.forks import NEVER_THERE, TARGET_NOTE

ALL = [("a", ["all"]), ("b", ["all"])]
ONE = [("a", ["prompt"])]
BOTH = {**PASSED, "cases-selected": "2", "calls-made": "4"}
NO_BASE = (
    "There is no base to compare with, so everything counts as affected. Check out with fetch-depth: 0 (on a desk: git "
    "fetch --unshallow). The cause: "
)
NO_REMOTE = (
    "fatal: 'origin' does not appear to be a git repository fatal: Could not read from remote repository. Please make "
    "sure you have the correct access rights and the repository exists."
)
ITSELF = (
    "base: Head {head} is base, or in it already: nothing would be compared. "
    "Name an older commit, or draw all cases with force-run: true."
)
HEAD, MAIN, MERGE = "refs/heads/changes", "refs/heads/main", f"refs/pull/{NUMBER}/merge"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with new_project(tmp_path) as made:
        yield made


def run(
    project: Project, name: str, event: Any, *, ref: str, depth: int = 1, gone: bool = False, **given: str
) -> Ended:
    """Run a job on a checkout of a ref, without its remote when that is gone."""
    repo = project.checkout(ref=ref, depth=depth)
    if gone:
        repo.git("remote", "remove", "origin")
    return project.run(name, event=event, checkout=repo, given=given)


def no_comment(project: Project, ended: Ended, outputs: dict[str, str]) -> None:
    """Check that there is no comment, nothing is said of that, and GitHub was not asked for any."""
    assert (ended.outputs, ended.annotations) == ({**outputs, **NOT_POSTED}, [])
    assert ended.summary == ended.as_summary
    assert [request for request in project.asked if "comments" in request] == []


# A push


def replaced(project: Project) -> tuple[str, str]:
    """Push to the branch with force; return what was there before, which no branch leads to now, and what is now."""
    before = project.pull.head
    project.origin.git("switch", "--quiet", "changes")
    project.origin.git("reset", "--quiet", "--hard", project.pull.m0)
    after = project.origin.commit({"golden.jsonl": lines(CASE, {**OTHER, "prompt": "Hello"})})
    for ref in ("head", "merge"):
        project.origin.git("update-ref", "-d", f"refs/pull/{NUMBER}/{ref}")
    return before, after


def test_main__push(project: Project) -> None:
    """A push is held against what was before it, which a checkout of depth 1 lacks; it has no comment."""
    event = pushed(project.pull.m0, project.pull.head)
    assert violations("push", event) == []
    ended = run(project, "push", event, ref=HEAD)

    no_comment(project, ended, PASSED)
    assert (ended.code, ended.drawn, ended.notes) == (0, ONE, [])
    assert ended.document["base"] == {"sha": project.pull.m0, "ref": "master", "merge_of": None}
    assert ended.document["head"] == {"sha": project.pull.head, "ref": "HEAD", "merge_of": None}


def test_main__push_new_branch(project: Project) -> None:
    """A branch that is new has nothing before it: all cases, and it is said why."""
    event = pushed("0" * 40, project.pull.head)
    ended = run(project, "push", event, ref=HEAD)

    no_comment(project, ended, BOTH)
    assert (ended.drawn, ended.notes) == (
        ALL,
        [
            "The branch or tag is new: there is nothing before the push to compare with, so everything counts as "
            "affected. The input base names something to compare with."
        ],
    )


def test_main__push_forced(project: Project) -> None:
    """What a forced push replaced is fetched by its id: both that is new and that is gone counts."""
    before, after = replaced(project)
    project.origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    ended = run(project, "push", pushed(before, after), ref=HEAD)

    no_comment(project, ended, BOTH)
    assert ended.drawn == [("a", ["prompt"]), ("b", ["prompt"])]
    assert (ended.document["base"]["sha"], ended.notes) == (before, [])


def test_main__push_through_the_api(project: Project) -> None:
    """Where the remote is gone, GitHub's API serves the base: its paths, and the one file that differs."""
    project.hosted.serve_git(project.origin.path)
    event = pushed(project.pull.m0, project.pull.head)
    ended = run(project, "push", event, ref=HEAD, gone=True)

    no_comment(project, ended, PASSED)
    blob = project.origin.git("rev-parse", f"{project.pull.m0}:golden.jsonl")
    assert project.asked == [f"GET git/trees/{project.pull.m0}", f"GET git/blobs/{blob}"]
    assert (ended.drawn, ended.notes) == (
        ONE,
        [
            f"The base {project.pull.m0[:12]} was read through GitHub's API. This clone lacks it; of renamed files "
            "only those without an edit are known."
        ],
    )


LACKS = "commit {base} is not in this clone, nor did a fetch bring it (" + NO_REMOTE + ")"
FAILING: dict[str, tuple[Answer, str]] = {
    "empty": (
        refused(409, "Git Repository is empty."),
        LACKS + "; GitHub's API did not help (HTTP 409: Git Repository is empty.).",
    ),
    "blob": (refused(404, "Not Found"), "GitHub's API stopped serving it (HTTP 404: Not Found)."),
    "trouble": (bad_gateway(), "GitHub's API stopped serving it (HTTP 502)."),
}
"""What GitHub answers → the cause that is told."""


@pytest.mark.parametrize("failing", FAILING)
def test_main__push_no_base(project: Project, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    """A base that GitHub does not serve, or stops serving when a file is read, is none: all cases, and that is said."""
    monkeypatch.setattr("evalaction.hub.TRIES", 1)
    answer, cause = FAILING[failing]
    where = "trees" if failing == "empty" else "blobs"
    project.hosted.serve_git(project.origin.path)
    project.github.script("GET", rf"/repos/{REPOSITORY}/git/{where}/.*", answer)
    event = pushed(project.pull.m0, project.pull.head)
    ended = run(project, "push", event, ref=HEAD, gone=True)

    no_comment(project, ended, BOTH)
    assert (ended.code, ended.drawn) == (0, ALL)
    assert ended.notes == [f"{NO_BASE}{cause.format(base=project.pull.m0[:12])}"]
    assert ended.document["base"] == {"sha": None, "ref": None, "merge_of": None}


def test_main__pull_request_through_the_api(project: Project) -> None:
    """A merge commit alone, of depth 1 and without a remote: its first parent is served, and one case is drawn."""
    project.hosted.serve_git(project.origin.path)
    ended = run(project, "pull_request.opened", project.event(), ref=MERGE, gone=True)

    (comment,) = project.comments
    assert (ended.code, ended.outputs, ended.drawn) == (0, {**PASSED, **POSTED}, ONE)
    assert comment.body == ended.as_comment(project.page, project.run_id)
    assert ended.document["base"]["sha"] == project.pull.m1


# Events without a pull request


def test_main__merge_group(project: Project) -> None:
    """A merge group is held against what it is put upon."""
    event = payload("merge_group.checks_requested")
    event["merge_group"].update(base_sha=project.pull.m1, head_sha=project.pull.merge)
    assert violations("merge_group.checks_requested", event) == []
    ended = run(project, "merge_group.checks_requested", event, ref=MERGE)

    no_comment(project, ended, PASSED)
    assert (ended.code, ended.drawn, ended.document["base"]["sha"]) == (0, ONE, project.pull.m1)


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("schedule", scheduled("17 4 * * 1")),
        ("workflow_dispatch", payload("workflow_dispatch")),
        ("repository_dispatch", payload("repository_dispatch")),
    ],
)
def test_main__uncompared(project: Project, name: str, event: dict[str, Any]) -> None:
    """On the default branch, with nothing to compare with, all cases are drawn: never none."""
    ended = run(project, name, event, ref=MAIN)

    no_comment(project, ended, BOTH)
    note = (
        f"A run for {name} compares nothing, so everything counts as affected. The input base names something to "
        "compare with."
    )
    assert (ended.code, ended.drawn, ended.notes) == (0, ALL, [note])


@pytest.mark.parametrize(
    ("name", "event"), [("workflow_dispatch", payload("workflow_dispatch")), ("release", {"action": "published"})]
)
def test_main__base_named(project: Project, name: str, event: dict[str, Any]) -> None:
    """With a base named any event compares: with where the branches parted."""
    ended = run(project, name, event, ref=HEAD, base="main")

    no_comment(project, ended, PASSED)
    assert (ended.drawn, ended.document["base"]) == (ONE, {"sha": project.pull.m0, "ref": "main", "merge_of": None})


@pytest.mark.parametrize("head", ["HEAD", "WORKTREE"])
def test_main__head_alone(project: Project, head: str) -> None:
    """A head alone is compared with what the event names, and where that is nothing, all cases are drawn."""
    ended = run(project, "schedule", scheduled("17 4 * * 1"), ref=MAIN, head=head)
    no_comment(project, ended, BOTH)
    assert (ended.drawn, ended.document["base"]["sha"], ended.document["head"]["ref"]) == (ALL, None, head)

    ended = run(project, "push", pushed(project.pull.m0, project.pull.head), ref=HEAD, head=head)
    no_comment(project, ended, PASSED)
    assert (ended.drawn, ended.document["base"]["sha"]) == (ONE, project.pull.m0)


@pytest.mark.parametrize(
    ("name", "ref", "base"),
    [("workflow_dispatch", MAIN, "HEAD"), ("push", MAIN, "main"), ("pull_request.opened", MERGE, "HEAD")],
)
def test_main__compared_with_itself(project: Project, name: str, ref: str, base: str) -> None:
    """A named base that head is, or is in already, is refused whatever the event: it would be green for ever."""
    events = {
        "workflow_dispatch": payload("workflow_dispatch"),
        "push": pushed(project.pull.m0, project.pull.m1),
        "pull_request.opened": project.event(),
    }
    ended = run(project, name, events[name], ref=ref, base=base)

    head = project.origin.git("rev-parse", ref)[:12]
    assert (ended.code, ended.said, project.calls) == (2, [("error", ITSELF.format(head=head))], 0)
    assert ended.headline == "### ⚪ evalaction: nothing was measured"


def test_main__disk_compared_with_itself(project: Project) -> None:
    """Files on disk that are those of a named base are refused like the commit; edited ones are compared."""
    checkout = project.checkout(ref=MAIN, depth=0)
    event, sides = scheduled("17 4 * * 1"), {"base": "HEAD", "head": "WORKTREE"}
    ended = project.run("schedule", event=event, checkout=checkout, given=sides)
    said = (
        "base: The files on disk are those of base, as far as they are checked: nothing would be compared. Name an "
        "older commit, or draw all cases with force-run: true."
    )
    assert (ended.code, ended.said, project.calls) == (2, [("error", said)], 0)

    golden = checkout.path / "golden.jsonl"
    golden.write_text(golden.read_text().replace('"Hi"', '"Hello"'))
    ended = project.run("schedule", event=event, checkout=checkout, given=sides)
    assert (ended.code, len(ended.drawn)) == (0, 1)


@pytest.mark.parametrize("inputs", [{"base": "main"}, {"head": "HEAD"}, {"head": "WORKTREE"}])
def test_main__another_merge(project: Project, inputs: dict[str, str]) -> None:
    """A merge of the pull request's head that the run is not for is no merge of GitHub's, whatever is named."""
    given = {**inputs, "GITHUB_SHA": project.pull.m1}
    ended = project.run(event=project.event(), checkout=project.checkout(depth=0), given=given)

    measured = None if ended.code == 2 else ended.document["head"]["sha"]
    assert measured in {None, project.pull.head}
    assert (ended.code == 2) is ("head" in inputs)


def test_main__compared_with_itself_on_purpose(project: Project) -> None:
    """To draw all cases of a commit that is its own base is no comparison, and allowed."""
    ended = run(project, "workflow_dispatch", payload("workflow_dispatch"), ref=MAIN, base="HEAD", force_run="true")

    no_comment(project, ended, BOTH)
    assert (ended.code, ended.drawn) == (0, ALL)


def test_main__unknown_event(project: Project) -> None:
    """An event for which it is not known what to compare is refused, and the message says what to do."""
    ended = run(project, "release", {"action": "published"}, ref=MAIN)

    said = (
        "GITHUB_EVENT_NAME: It is not known what to compare for the event release. Run on pull_request, "
        "pull_request_target, pull_request_review, push, merge_group, or on schedule, workflow_dispatch, "
        "repository_dispatch for all cases; or say what to compare with the inputs base and head."
    )
    assert (ended.code, ended.said) == (2, [("error", said)])


# Other events of a pull request


@pytest.mark.parametrize("name", ["pull_request_review.submitted", "pull_request_review_comment.created"])
def test_main__review(project: Project, name: str) -> None:
    """A review is an event of its pull request: it has the comment; so has any event that names one and a base."""
    base = "" if name == "pull_request_review.submitted" else "main"
    event = project.event("pull_request_review.submitted")
    ended = run(project, name, event, ref=MERGE, depth=2, base=base)

    (comment,) = project.comments
    assert (ended.code, ended.outputs, ended.drawn) == (0, {**PASSED, **POSTED}, ONE)
    assert comment.body == ended.as_comment(project.page, project.run_id)


# A named head


@pytest.mark.parametrize("fork", [True, False])
@pytest.mark.parametrize("base", ["", "main"])
def test_main__head_of_another_branch(project: Project, fork: bool, base: str) -> None:
    """A branch of the base's own says nothing of a pull request, whatever the pull request's own branch is called."""
    project.origin.git("branch", "gh-pages", project.pull.m0)
    if fork:
        project.fork()
    event = project.event(fork=FORK) if fork else project.event()
    event["pull_request"]["head"]["ref"] = "gh-pages"
    ended = run(project, "pull_request.opened", event, ref=MERGE, head="gh-pages", base=base, forks="draw")

    said = (
        f"head: gh-pages is {project.pull.m0[:12]}, and neither the pull request's head {project.pull.head[:12]} nor "
        "GitHub's merge of it: nothing of the pull request would be measured. Leave the input head empty, or name "
        "${{ github.event.pull_request.head.sha }}."
    )
    assert (ended.code, ended.said, project.calls) == (2, [("error", said)], 0)
    assert ended.headline == "### ⚪ evalaction: nothing was measured"


@pytest.mark.parametrize(
    ("ref", "head"),
    [(MERGE, "HEAD"), (HEAD, "HEAD"), (HEAD, "WORKTREE"), (MERGE, "changes"), (MAIN, "{head}"), (MERGE, "{merge}")],
)
def test_main__head_of_the_pull_request(project: Project, ref: str, head: str) -> None:
    """Whatever leads to the pull request's head, or to GitHub's merge of it, will do; so do the files on disk."""
    named = head.format(head=project.pull.head, merge=project.pull.merge)
    ended = run(project, "pull_request.opened", project.event(), ref=ref, depth=0, head=named)

    assert (ended.code, ended.outputs, ended.drawn) == (0, {**PASSED, **POSTED}, ONE)


@pytest.mark.parametrize("name", ["pull_request.opened", "pull_request_target.opened"])
def test_main__base_checked_out(project: Project, name: str) -> None:
    """With a base named, and the base checked out, it is the pull request's head that is measured; HEAD is refused."""
    ended = run(project, name, project.event(), ref=MAIN, depth=0, base="main")
    assert (ended.code, ended.outputs, ended.drawn) == (0, {**PASSED, **POSTED}, ONE)
    assert ended.document["head"]["sha"] == project.pull.head

    ended = run(project, name, project.event(), ref=MAIN, depth=0, head="HEAD")
    assert (ended.code, [message.partition(" and ")[0] for _, message in ended.said]) == (
        2,
        [f"head: HEAD is {project.pull.m1[:12]},"],
    )


def test_main__target(project: Project) -> None:
    """Under ``pull_request_target`` the head is read; the base stays checked out, and a warning is nowhere missed."""
    ended = run(project, "pull_request_target.opened", project.event(), ref=MAIN)

    (comment,) = project.comments
    head, base = project.pull.head, project.pull.m1
    assert (ended.code, ended.outputs, ended.drawn) == (0, {**PASSED, **POSTED}, ONE)
    assert ended.notes == [
        TARGET_NOTE,
        f"The pull request's head {head[:12]} was read; {base[:12]} is checked out.",
    ]
    assert (ended.document["base"]["sha"], ended.document["head"]["sha"]) == (project.pull.m0, head)
    assert comment.body == ended.as_comment(project.page, project.run_id)
    assert ended.said == [("warning", TARGET_NOTE)]
    assert f"\n> [!WARNING]\n> - **How the run was started:** {TARGET_NOTE}\n\n" in comment.body


@pytest.mark.parametrize("forks", ["fail", "draw"])
def test_main__target_fork(project: Project, forks: str) -> None:
    """There no fork is drawn for, whatever ``forks`` says; the token may write the comment."""
    project.fork()
    ended = run(project, "pull_request_target.opened", project.event(fork=FORK), ref=MAIN, forks=forks)

    (comment,) = project.comments
    held = "evalaction: the affected case was not drawn: this pull request comes from a fork"
    assert (ended.code, project.calls, ended.headline) == (3, 0, f"### ⚪ {held}")
    assert ended.document["held"] == {"message": NEVER_THERE.message, "excused": False}
    assert comment.body == ended.as_comment(project.page, project.run_id)


def test_main__workflow_in_head(project: Project) -> None:
    """Files that head brings and the work tree lacks are read from git: nothing needs to be checked out."""
    project.push({"golden.jsonl": lines({"id": "a", "prompt_file": "t.md", "n": 2}, OTHER), "t.md": "Hey"})
    ended = run(project, "pull_request_target.synchronize", project.event("pull_request.synchronize"), ref=MAIN)

    assert (ended.code, ended.drawn) == (0, ONE)
    assert (ended.folder / "golden.jsonl").read_text() == BASE["golden.jsonl"] != CHANGED["golden.jsonl"]
