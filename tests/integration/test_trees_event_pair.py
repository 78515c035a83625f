"""The pair that an event compares: pull requests, pushes, merge groups, schedules; from clones that lack history."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.gitrepo import Repo, clone, contents, new_repo
from support.pulls import PullRequest, checkout, new_pull, shas
from support.served import GitObjects

from evalaction.errors import BadInput
from evalaction.records.event import Event, Origin, Push
from evalaction.records.hub import HubFailure
from evalaction.records.tree import Pair
from evalaction.trees.event_pair import find_event_pair
from evalaction.trees.pair import without_base

NO_BASE = "There is no base to compare with, so everything counts as affected."
FETCH_DEPTH = "Check out with fetch-depth: 0 (on a desk: git fetch --unshallow)."
NO_ORIGIN = "fatal: 'origin' does not appear to be a git repository"
NO_REMOTE = (
    f"{NO_ORIGIN} fatal: Could not read from remote repository. Please make sure you have the correct access rights "
    "and the repository exists."
)
ELSEWHERE = "This clone lacks it; of renamed files only those without an edit are known."


@pytest.fixture
def pull(tmp_path: Path) -> PullRequest:
    return new_pull(tmp_path / "origin")


@pytest.fixture
def github(pull: PullRequest, tmp_path: Path) -> GitObjects:
    """GitHub's API, which goes on when git's remote is gone."""
    return GitObjects(clone(pull.origin, tmp_path / "github", "--mirror"))


def cut_off(pull: PullRequest, path: Path, *, ref: str, depth: int = 1) -> Repo:
    """Check out, and take the remote away."""
    repo = checkout(pull, path, ref=ref, depth=depth)
    repo.git("remote", "remove", "origin")
    return repo


def no_base(sha: str, *, more: str = "") -> str:
    """Return the note about a base that neither the clone nor its remote has."""
    cause = f"commit {sha[:12]} is not in this clone, nor did a fetch bring it ({NO_REMOTE}){more}"
    return f"{NO_BASE} {FETCH_DEPTH} The cause: {cause}."


# A pull request's event


@pytest.mark.parametrize("depth", [0, 2, 1])
def test_find_event_pair__merge_commit(pull: PullRequest, tmp_path: Path, depth: int) -> None:
    """The merge commit is held against its first parent; with a history of one commit that parent is fetched."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/merge", depth=depth)
    with repo.open() as repository:
        before = repository.is_shallow()
        pair = find_event_pair(repository, pull.event())
        assert (pull.m1, pull.merge) == shas(pair)
        assert contents(pair.base) == {"a": b"a0", "b": b"b1"}
        assert contents(pair.head) == {"a": b"a2", "b": b"b1"}
        assert pair.notes == ()
        assert pair.base is not None
        assert (pair.base.ref, pair.head.ref) == ("main", "HEAD")
        assert before == repository.is_shallow()
        assert repo.git("status", "--porcelain") == ""


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_find_event_pair__head_commit(pull: PullRequest, tmp_path: Path, depth: int) -> None:
    """The head commit is held against the merge base, never against today's base, fetched as far as is needed."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=depth)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event())
        assert (pull.m0, pull.head) == shas(pair)
        assert contents(pair.base) == {"a": b"a0", "b": b"b0"}
        assert contents(pair.head) == {"a": b"a2", "b": b"b0"}
        assert pair.notes == ()


@pytest.mark.parametrize("ref", ["refs/pull/1/merge", "refs/pull/1/head"])
def test_find_event_pair__remote_gone(pull: PullRequest, tmp_path: Path, ref: str) -> None:
    """A cut history that cannot be completed gives no base, and a note that names the remedy: not a wrong base."""
    repo = cut_off(pull, tmp_path / "r", ref=ref)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event())
    assert (None, repo.git("rev-parse", "HEAD")) == shas(pair)
    assert (no_base(pull.m1),) == pair.notes
    assert pair.renames == {}


def test_find_event_pair__base_branch_stands_in(pull: PullRequest, tmp_path: Path) -> None:
    """When the event's base commit is gone, its branch leads to the same merge base."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=0)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(base_sha="b" * 40))
        assert (pull.m0, pull.head) == shas(pair)


def test_find_event_pair__something_else_checked_out(pull: PullRequest, tmp_path: Path) -> None:
    """With the base branch checked out, the pull request's head is read all the same, and a note says so."""
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=1)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event())
        assert (pull.m0, pull.head) == shas(pair)
        expected = f"The pull request's head {pull.head[:12]} was read; {pull.m1[:12]} is checked out."
        assert (expected,) == pair.notes


def test_find_event_pair__head_is_a_merge(pull: PullRequest, tmp_path: Path) -> None:
    """A head that itself merged main in is not taken for GitHub's merge commit."""
    pull.origin.git("switch", "--quiet", "pr")
    pull.origin.git("merge", "--quiet", "--no-edit", "main")
    head = pull.origin.git("rev-parse", "HEAD")
    pull.origin.git("update-ref", "refs/pull/1/head", head)
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=1)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(head_sha=head))
        assert (pull.m1, head) == shas(pair)


def test_find_event_pair__head_gone(pull: PullRequest, tmp_path: Path) -> None:
    """A head that cannot be had is an error: measuring something else would be worse than nothing."""
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=1)
    repo.git("remote", "set-url", "origin", f"file://{tmp_path}/gone")
    with repo.open() as repository, pytest.raises(BadInput) as caught:
        find_event_pair(repository, pull.event())
    problem = caught.value.problems[0]
    start = f"The pull request's head cannot be had: commit {pull.head[:12]} is not in this clone, nor did a fetch"
    assert (start, FETCH_DEPTH) == (problem.message[: len(start)], problem.remedy)


def test_find_event_pair__not_an_id(pull: PullRequest) -> None:
    """What an event calls a commit id is not handed to a fetch unless it is one."""
    with pull.origin.open() as repository, pytest.raises(BadInput) as caught:
        find_event_pair(repository, pull.event(head_sha="main:refs/heads/evil"))
    assert "'main:refs/heads/evil' is not a whole commit id." == str(caught.value)


def test_find_event_pair__full_clone_stays_full(pull: PullRequest, tmp_path: Path) -> None:
    """A clone with its whole history keeps it when a commit has to be fetched."""
    repo = clone(pull.origin, tmp_path / "r", "--single-branch", "--branch=main")
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event())
        assert (pull.m0, pull.head) == shas(pair)
        assert not repository.is_shallow()
    assert not (repo.path / ".git/FETCH_HEAD").exists()


def test_find_event_pair__deep_history(tmp_path: Path) -> None:
    """A merge base far below the cut is reached in a few fetches."""
    origin = new_repo(tmp_path / "origin")
    m0 = origin.commit({"a": "0"})
    stream = ""
    for branch in ("main", "pr"):
        for number in range(80):
            message = f"{branch} {number}"
            start = f"from {m0}\n" if number == 0 else ""
            stream += f"commit refs/heads/{branch}\ncommitter A <a@example.test> 1 +0000\n"
            stream += f"data {len(message)}\n{message}\n{start}"
    origin.git("fast-import", "--quiet", "--force", stdin=stream.encode())
    m1, head = (origin.git("rev-parse", branch) for branch in ("main", "pr"))
    pull = PullRequest(origin=origin, m0=m0, m1=m1, head=head, merge="")
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/pr", depth=1)
    with repo.open() as repository:
        assert (m0, pull.head) == shas(find_event_pair(repository, pull.event()))


def test_find_event_pair__base_before_the_merge(pull: PullRequest, tmp_path: Path) -> None:
    """The head of a desk's clone is named where the commit that is measured is GitHub's own merge, and only there."""
    for ref, expected in (("refs/pull/1/merge", pull.head), ("refs/pull/1/head", None)):
        repo = checkout(pull, tmp_path / ref.rpartition("/")[2], ref=ref, depth=0)
        with repo.open() as repository:
            assert expected == find_event_pair(repository, pull.event()).desk_head


def test_find_event_pair__later_merge(pull: PullRequest, tmp_path: Path) -> None:
    """A merge commit of a later head than the event's is not taken: the event's head is measured."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/merge", depth=2)
    before = pull.origin.git("rev-parse", f"{pull.head}^")
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(head_sha=before))
        assert (pull.m0, before) == shas(pair)
        expected = f"The pull request's head {before[:12]} was read; {pull.merge[:12]} is checked out."
        assert (expected,) == pair.notes


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_find_event_pair__own_merge(pull: PullRequest, tmp_path: Path, depth: int) -> None:
    """A merge of the pull request's own is not GitHub's, though the event's head is its second parent.

    The workflow checks its branch out, which has moved on since the event: what it calls base is the author's choice.
    """
    evil = pull.origin.git("commit-tree", "-p", pull.m0, "-m", "Not main", f"{pull.head}^{{tree}}")
    own = pull.origin.git("commit-tree", "-p", evil, "-p", pull.head, "-m", "Merge", f"{pull.head}^{{tree}}")
    pull.origin.git("update-ref", "refs/heads/pr", own)
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/pr", depth=depth)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(), commit=pull.merge)
        assert (pull.m0, pull.head, None) == (*shas(pair), pair.desk_head)
        assert contents(pair.base) == {"a": b"a0", "b": b"b0"}
    assert (f"The pull request's head {pull.head[:12]} was read; {own[:12]} is checked out.",) == pair.notes


def test_find_event_pair__commit_of_the_run(pull: PullRequest, tmp_path: Path) -> None:
    """The merge that the runner says the run is for is GitHub's; where it says nothing, the second parent decides."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/merge", depth=2)
    with repo.open() as repository:
        for commit in (pull.merge, None):
            pair = find_event_pair(repository, pull.event(), commit=commit)
            assert (pull.m1, pull.merge, pull.head) == (*shas(pair), pair.desk_head)
        # Under pull_request_target the run is for the base branch, whatever is checked out.
        pair = find_event_pair(repository, pull.event("pull_request_target"), commit=pull.m1)
        assert (pull.m0, pull.head, None) == (*shas(pair), pair.desk_head)


@pytest.mark.parametrize("cut", [["--depth=1"], []])
def test_find_event_pair__no_commit_by_its_id(pull: PullRequest, tmp_path: Path, cut: list[str]) -> None:
    """From a server that gives no commit by its id, the pull request's ref brings a head that it has moved on from.

    A cut history is deepened as far as the server goes along, to the merge base.
    """
    repo = new_repo(tmp_path / "r")
    repo.git("config", "protocol.version", "0")
    repo.git("remote", "add", "origin", pull.origin.url)
    repo.git("fetch", "--quiet", "--no-tags", *cut, "origin", "+refs/heads/main:refs/remotes/origin/main")
    repo.git("checkout", "--quiet", "--detach", "origin/main")
    head = pull.origin.git("rev-parse", f"{pull.head}^")
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(head_sha=head))
        assert (pull.m0, head) == shas(pair)
        assert not repository.is_shallow()


def test_find_event_pair__target(pull: PullRequest, tmp_path: Path) -> None:
    """With the default branch checked out for ``pull_request_target``, the head is read as data and not checked out."""
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=1)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event("pull_request_target"))
        assert (pull.m0, pull.head) == shas(pair)
        assert contents(pair.head) == {"a": b"a2", "b": b"b0"}
    assert (repo.path / "a").read_text() == "a0"


def test_find_event_pair__head_in_base(pull: PullRequest, tmp_path: Path) -> None:
    """A head that the base has already is told: nothing differs, and that is no result."""
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=0)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(head_sha=pull.m0))
        assert (pull.m0, pull.m0, True) == (*shas(pair), pair.same)
        assert not find_event_pair(repository, pull.event()).same


# Through GitHub's API


def test_find_event_pair__served_first_parent(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """The first parent of a merge commit that no fetch brings is served; what the clone has is not asked for."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/pull/1/merge")
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=github)
        assert (pull.m1, pull.merge) == shas(pair)
        assert (f"The base {pull.m1[:12]} was read through GitHub's API. {ELSEWHERE}",) == pair.notes
        assert contents(pair.base) == {"a": b"a0", "b": b"b1"}
        assert pair.base is not None
        assert ("main", pull.head, False) == (pair.base.ref, pair.desk_head, pair.same)
    a0 = pull.origin.git("rev-parse", f"{pull.m1}:a")
    assert [("entries", pull.m1), ("blob", a0)] == github.asked


def test_find_event_pair__served_merge_base(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """Where the history ends too early, GitHub is asked for the merge base and for its tree."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/pull/1/head")
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=github)
        assert (pull.m0, pull.head) == shas(pair)
        assert contents(pair.base) == {"a": b"a0", "b": b"b0"}
    assert [("merge_base", pull.m1, pull.head), ("entries", pull.m0)] == github.asked[:2]


def test_find_event_pair__merge_base_at_hand(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """A merge base that the clone has, though it could not know that it is one, is read from the clone."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/pull/1/head", depth=3)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=github)
        assert (pull.m0, pull.head) == shas(pair)
        assert contents(pair.base) == {"a": b"a0", "b": b"b0"}
        assert pair.notes == ()
    assert [("merge_base", pull.m1, pull.head)] == github.asked


def test_find_event_pair__served_head(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """A head that no fetch brings is served too, with the merge base."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/heads/main")
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=github)
        assert (pull.m0, pull.head) == shas(pair)
        assert contents(pair.head) == {"a": b"a2", "b": b"b0"}
        assert contents(pair.base) == {"a": b"a0", "b": b"b0"}
        assert (
            f"The pull request's head {pull.head[:12]} was read through GitHub's API; {pull.m1[:12]} is checked out.",
            f"The base {pull.m0[:12]} was read through GitHub's API. {ELSEWHERE}",
        ) == pair.notes


@pytest.mark.parametrize("refuse", ["merge_base", "entries"])
def test_find_event_pair__not_served(pull: PullRequest, tmp_path: Path, github: GitObjects, refuse: str) -> None:
    """Where GitHub's API does not help either there is no base, and both causes are told."""
    github.refuse = (refuse,)
    repo = cut_off(pull, tmp_path / "r", ref="refs/pull/1/head")
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=github)
    assert (None, pull.head) == shas(pair)
    assert (no_base(pull.m1, more="; GitHub's API did not help (API rate limit exceeded)"),) == pair.notes


def test_find_event_pair__head_not_served(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """A head that is nowhere to be had is an error with all causes."""
    github.refuse = ("entries",)
    repo = cut_off(pull, tmp_path / "r", ref="refs/heads/main")
    with repo.open() as repository, pytest.raises(BadInput) as caught:
        find_event_pair(repository, pull.event(), objects=github)
    cause = f"commit {pull.head[:12]} is not in this clone, nor did a fetch bring it ({NO_REMOTE})"
    expected = f"The pull request's head cannot be had: {cause}; GitHub's API did not help (API rate limit exceeded)."
    assert f"{expected} {FETCH_DEPTH}" == str(caught.value)


def test_find_event_pair__nothing_in_common(pull: PullRequest, github: GitObjects) -> None:
    """Two whole histories that never meet are no matter for GitHub's API."""
    pull.origin.git("switch", "--quiet", "--orphan", "island")
    head = pull.origin.commit({"c": "x"})
    with pull.origin.open() as repository:
        pair = find_event_pair(repository, pull.event(head_sha=head), objects=github)
    assert (None, head) == shas(pair)
    assert (f"{NO_BASE} The cause: base and head have no commit in common.",) == pair.notes
    assert [] == github.asked


def test_find_event_pair__clone_is_enough(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """Nothing is asked of GitHub's API that the clone has or a fetch brings."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/merge", depth=1)
    with repo.open() as repository:
        assert (pull.m1, pull.merge) == shas(find_event_pair(repository, pull.event(), objects=github))
    assert [] == github.asked


def test_without_base__a_content_is_refused(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """When GitHub stops serving while the base is read, the pair goes on without one, and says so."""
    github.refuse = ("blob",)
    repo = cut_off(pull, tmp_path / "r", ref="refs/pull/1/merge")
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=github)
        with pytest.raises(HubFailure) as caught:
            contents(pair.base)
        rest = without_base(pair, caught.value)
    cause = "GitHub's API stopped serving it (API rate limit exceeded)"
    expected = Pair(
        base=None,
        head=pair.head,
        renames={},
        desk_head=pull.head,
        notes=(f"{NO_BASE} {FETCH_DEPTH} The cause: {cause}.",),
    )
    assert expected == rest


# Pushes and merge groups


def push(before: str | None, after: str, *, name: str = "push") -> Event:
    return Event(name=name, push=Push(before=before, after=after, ref="main"))


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_find_event_pair__push(pull: PullRequest, tmp_path: Path, depth: int) -> None:
    """A push is held against what the branch was before it, fetched when the clone lacks it."""
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=depth)
    with repo.open() as repository:
        pair = find_event_pair(repository, push(pull.m0, pull.m1))
        assert (pull.m0, pull.m1) == shas(pair)
        assert contents(pair.base) == {"a": b"a0", "b": b"b0"}
        assert pair.base is not None
        assert ("main", "HEAD", (), None) == (pair.base.ref, pair.head.ref, pair.notes, pair.desk_head)
        assert (depth != 0) is repository.is_shallow()


def test_find_event_pair__force_push(pull: PullRequest, tmp_path: Path) -> None:
    """A forced push is held against what was there, not against what both have in common."""
    before = pull.origin.git("rev-parse", "main")
    pull.origin.git("reset", "--quiet", "--hard", pull.m0)
    after = pull.origin.commit({"a": "forced"})
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=1)
    with repo.open() as repository:
        pair = find_event_pair(repository, push(before, after))
        assert (before, after) == shas(pair)
        assert contents(pair.base) == {"a": b"a0", "b": b"b1"}
        assert contents(pair.head) == {"a": b"forced", "b": b"b0"}


def test_find_event_pair__force_push_in_a_whole_clone(pull: PullRequest, tmp_path: Path) -> None:
    """What a forced push took away may be gone for good, also from a whole clone, and no depth brings it back.

    GitHub's API, which keeps it longer, is asked all the same.
    """
    before = pull.origin.git("commit-tree", "-p", pull.m0, "-m", "Forced away", f"{pull.m0}^{{tree}}")
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=0)
    repo.git("remote", "remove", "origin")
    with repo.open() as repository:
        alone = find_event_pair(repository, push(before, pull.m1))
        found = find_event_pair(repository, push(before, pull.m1), objects=GitObjects(pull.origin))
        assert (before, pull.m1) == shas(found)
        assert contents(found.base) == {"a": b"a0", "b": b"b0"}
    cause = f"commit {before[:12]} is not in this clone, nor did a fetch bring it ({NO_REMOTE})"
    assert (None, pull.m1) == shas(alone)
    assert (f"{NO_BASE} The cause: {cause}.",) == alone.notes


def test_find_event_pair__push_served(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """What was before a push, and no fetch brings, is served; without GitHub's API there is no base."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/heads/main")
    with repo.open() as repository:
        pair = find_event_pair(repository, push(pull.m0, pull.m1), objects=github)
        assert (pull.m0, pull.m1) == shas(pair)
        assert contents(pair.base) == {"a": b"a0", "b": b"b0"}
        alone = find_event_pair(repository, push(pull.m0, pull.m1))
    assert (None, pull.m1) == shas(alone)
    assert (no_base(pull.m0),) == alone.notes


def test_find_event_pair__new_branch(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """A branch that is new has nothing before it: all cases, and nothing is looked for."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/heads/main")
    with repo.open() as repository:
        pair = find_event_pair(repository, push(None, pull.m1), objects=github)
    assert (None, pull.m1) == shas(pair)
    expected = (
        "The branch or tag is new: there is nothing before the push to compare with, so everything counts as "
        "affected. The input base names something to compare with."
    )
    assert ((expected,), []) == (pair.notes, github.asked)


def test_find_event_pair__push_moved_on(pull: PullRequest, tmp_path: Path) -> None:
    """What the event says was pushed is measured, also when the branch has moved on since."""
    later = pull.origin.commit({"b": "b2"})
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=1)
    with repo.open() as repository:
        pair = find_event_pair(repository, push(pull.m0, pull.m1))
        assert (pull.m0, pull.m1) == shas(pair)
        assert (f"The push's last commit {pull.m1[:12]} was read; {later[:12]} is checked out.",) == pair.notes
        assert pull.m1 == pair.head.ref


def test_find_event_pair__pushed_commit_gone(pull: PullRequest, tmp_path: Path) -> None:
    """A pushed commit that cannot be had is an error: what is checked out is another."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/heads/main")
    with repo.open() as repository, pytest.raises(BadInput) as caught:
        find_event_pair(repository, push(pull.m0, "c" * 40))
    cause = f"commit cccccccccccc is not in this clone, nor did a fetch bring it ({NO_REMOTE})"
    assert f"The push's last commit cannot be had: {cause}. {FETCH_DEPTH}" == str(caught.value)


def test_find_event_pair__annotated_tag(pull: PullRequest, tmp_path: Path) -> None:
    """A tag that is an object of its own stands for the commit that it marks."""
    pull.origin.git("tag", "--annotate", "--message=x", "v1", pull.m0)
    before = pull.origin.git("rev-parse", "v1")
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=1)
    with repo.open() as repository:
        assert (pull.m0, pull.m1) == shas(find_event_pair(repository, push(before, pull.m1)))


@pytest.mark.parametrize("depth", [0, 1])
def test_find_event_pair__merge_group(pull: PullRequest, tmp_path: Path, depth: int) -> None:
    """A merge group is held against the commit that it is put upon."""
    pull.origin.git("update-ref", "refs/heads/gh-readonly-queue/main/pr-1", pull.merge)
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/gh-readonly-queue/main/pr-1", depth=depth)
    with repo.open() as repository:
        pair = find_event_pair(repository, push(pull.m1, pull.merge, name="merge_group"))
        assert (pull.m1, pull.merge) == shas(pair)
        assert contents(pair.base) == {"a": b"a0", "b": b"b1"}
        assert contents(pair.head) == {"a": b"a2", "b": b"b1"}
        assert ((), None) == (pair.notes, pair.desk_head)


# Another repository than the event's


@pytest.fixture
def submodule(pull: PullRequest, tmp_path: Path) -> Repo:
    """A submodule of the checkout of a pull request, checked out."""
    other = new_repo(tmp_path / "other")
    other.commit({"golden.jsonl": "{}"})
    pull.origin.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.url, "sub")
    pull.origin.git("commit", "--quiet", "--message", "A submodule.")
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=1)
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    return Repo(repo.path / "sub")


def test_find_event_pair__submodule(pull: PullRequest, submodule: Repo, github: GitObjects) -> None:
    """A submodule is of another repository than the event: that is said, and the event's is not taken in its place."""
    if os.geteuid() == 0:  # as in a container, whose workspace the runner owns
        for place in (submodule.path.parent, *submodule.path.parent.rglob("*")):
            os.chown(place, 1001, 1001, follow_symlinks=False)
    for event in (pull.event(), push(pull.m0, pull.m1), push(None, pull.m1)):
        with submodule.open() as repository, pytest.raises(BadInput) as caught:
            find_event_pair(repository, event, objects=github)
        expected = (
            "working-directory: This folder is a submodule: it is of another repository than the event, whose commits "
            "it lacks. Name a folder of the event's own repository, and check the submodule in its own workflow."
        )
        assert (expected, []) == (str(caught.value), github.asked)


def test_find_event_pair__submodule_without_commits(submodule: Repo) -> None:
    """An event that names no commits measures what is checked out, in a submodule too."""
    with submodule.open() as repository:
        pair = find_event_pair(repository, Event(name="schedule"))
        assert contents(pair.head) == {"golden.jsonl": b"{}"}


# Events that compare nothing


@pytest.mark.parametrize("name", ["schedule", "workflow_dispatch", "repository_dispatch"])
def test_find_event_pair__nothing_compared(pull: PullRequest, name: str, github: GitObjects) -> None:
    """Without two commits all cases are drawn, of what is checked out; it is never held against itself."""
    with pull.origin.open() as repository:
        pair = find_event_pair(repository, Event(name=name), objects=github)
    note = (
        f"A run for {name} compares nothing, so everything counts as affected. "
        "The input base names something to compare with."
    )
    assert (None, pull.m1, "HEAD", (note,), False) == (*shas(pair), pair.head.ref, pair.notes, pair.same)
    assert [] == github.asked


def test_find_event_pair__second_stage(pull: PullRequest) -> None:
    """A run that follows another measures nothing: what is checked out is neither side of a pull request."""
    origin = Origin(run_id=1, event="pull_request", head_sha=pull.head, head_branch="pr", head_repository=None)
    with pull.origin.open() as repository, pytest.raises(BadInput) as caught:
        find_event_pair(repository, Event(name="workflow_run", origin=origin))
    assert "A run for workflow_run measures nothing: it posts another run's report." == str(caught.value)
