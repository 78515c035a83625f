"""The pair that a workflow names beside an event, in clones that lack one of its sides."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.gitrepo import Repo, clone, contents, new_repo
from support.pulls import PullRequest, checkout, new_pull, shas
from support.served import GitObjects

from evalaction.errors import BadInput
from evalaction.records.event import Event, Push
from evalaction.trees.named_pair import NOTHING_NAMED, find_named_pair


@pytest.fixture
def pull(tmp_path: Path) -> PullRequest:
    return new_pull(tmp_path / "origin")


@pytest.fixture
def github(pull: PullRequest, tmp_path: Path) -> GitObjects:
    return GitObjects(clone(pull.origin, tmp_path / "github", "--mirror"))


def cut_off(pull: PullRequest, path: Path, *, ref: str) -> Repo:
    """Check out one commit, and take the remote away."""
    repo = checkout(pull, path, ref=ref, depth=1)
    repo.git("remote", "remove", "origin")
    return repo


@pytest.mark.parametrize("base", ["id", "main", "origin/main", None])
def test_find_named_pair__base_served(pull: PullRequest, tmp_path: Path, github: GitObjects, base: str | None) -> None:
    """The base of a pull request, named or the event's own, is served where no fetch brings it."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/pull/1/head")
    named = pull.m1 if base == "id" else base
    with repo.open() as repository:
        pair = find_named_pair(repository, pull.event(), base=named, head=pull.head, objects=github)
        assert (pull.m0, pull.head) == shas(pair)
        assert contents(pair.base) == {"a": b"a0", "b": b"b0"}


def test_find_named_pair__head_served(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """With another commit checked out the head of the pull request is served, and it is the one measured."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/heads/main")
    for head in (None, pull.head):
        with repo.open() as repository:
            pair = find_named_pair(repository, pull.event(), base="HEAD", head=head, objects=github)
            assert (pull.m0, pull.head) == shas(pair)
            assert contents(pair.head) == {"a": b"a2", "b": b"b0"}
        assert f"The head {pull.head[:12]} was read through GitHub's API." == pair.notes[0]


def test_find_named_pair__nothing_to_compare_with(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """A head alone, beside an event that names no commit, has no base; nothing is asked for."""
    repo = cut_off(pull, tmp_path / "r", ref="refs/pull/1/head")
    for head, sha in (("HEAD", pull.head), ("WORKTREE", None)):
        with repo.open() as repository:
            pair = find_named_pair(repository, Event(name="schedule"), base=None, head=head, objects=github)
        assert (None, sha, (NOTHING_NAMED,)) == (*shas(pair), pair.notes)
    assert [] == github.asked


def test_find_named_pair__submodule(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """A submodule is compared with a base of its own, and not with commits of another repository's event."""
    other = new_repo(tmp_path / "other")
    first = other.commit({"a": "1"})
    second = other.commit({"a": "2"})
    pull.origin.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.url, "sub")
    push = Event(name="push", push=Push(before=pull.m0, after=pull.m1, ref="main"))
    with Repo(pull.origin.path / "sub").open() as repository:
        pair = find_named_pair(repository, push, base=first, head=None, objects=github)
        assert (first, second) == shas(pair)
        for event, base in ((push, None), (pull.event(), first)):
            with pytest.raises(BadInput) as caught:
                find_named_pair(repository, event, base=base, head="HEAD", objects=github)
            start = "working-directory: This folder is a submodule: it is of another repository than the event"
            assert start == str(caught.value)[: len(start)]
    assert [] == github.asked
