"""Clones that were made with a filter, as by ``sparse-checkout``: what they lack is fetched, or served, or said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from support.gitrepo import Repo, clone, contents, new_repo
from support.pulls import PullRequest, new_pull, shas
from support.served import GitObjects
from support.story import lines

from evalaction.check import prepare
from evalaction.errors import BadInput
from evalaction.records.hub import HubFailure
from evalaction.records.settings import Defaults, Settings
from evalaction.records.tree import Pair
from evalaction.trees.event_pair import find_event_pair
from evalaction.trees.objects import FILTER_REMEDY
from evalaction.trees.pair import find_pair, without_base

NO_BASE = "There is no base to compare with, so everything counts as affected."
GOLDEN = lines({"id": "a", "prompt_file": "../prompts/a.txt"}, {"id": "b", "prompt": "Hi"})
LONG = "".join(f"line {number}\n" for number in range(30))


@dataclass(frozen=True)
class Gone:
    """What git says of a remote that is out of reach."""

    url: str

    def fetching(self, oid: str) -> str:
        """Return what it says when it wants an object of it."""
        return (
            f"fatal: '{self.url}' does not appear to be a git repository fatal: Could not read from remote repository. "
            "Please make sure you have the correct access rights and the repository exists. "
            f"fatal: could not fetch {oid} from promisor remote"
        )


@pytest.fixture
def pull(tmp_path: Path) -> PullRequest:
    pull = new_pull(
        tmp_path / "origin",
        base={"evals/golden.jsonl": GOLDEN, "prompts/a.txt": "old"},
        heads=({"prompts/a.txt": "new"},),
        main={"other/x": "x"},
    )
    pull.origin.git("config", "uploadpack.allowFilter", "true")
    pull.origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return pull


@pytest.fixture
def github(pull: PullRequest, tmp_path: Path) -> GitObjects:
    return GitObjects(clone(pull.origin, tmp_path / "github", "--mirror"))


@pytest.fixture
def gone(tmp_path: Path) -> Gone:
    return Gone(str(tmp_path / "gone"))


def partial(pull: PullRequest, path: Path, *, filtered: str, ref: str, cone: str | None = None, depth: int = 2) -> Repo:
    """Check out as a workflow does with ``filter``, or with ``sparse-checkout`` of a folder."""
    repo = new_repo(path)
    repo.git("remote", "add", "origin", pull.origin.url)
    if cone is not None:
        repo.git("sparse-checkout", "set", cone)
    options = (f"--depth={depth}", f"--filter={filtered}")
    repo.git("fetch", "--quiet", "--no-tags", *options, "origin", f"+{ref}:refs/remotes/pull/1/x")
    repo.git("checkout", "--quiet", "--detach", "refs/remotes/pull/1/x")
    return repo


def cut_off(repo: Repo, gone: Gone) -> Repo:
    """Put the remote out of reach, as ``persist-credentials: false`` does for a private repository."""
    repo.git("remote", "set-url", "origin", gone.url)
    return repo


def forget(repo: Repo, oid: str) -> None:
    """Take away an object that a checkout fetched: one with ``sparse-checkout`` and a sparse index lacks it."""
    for pack in list((repo.path / ".git/objects/pack").glob("*.pack")):
        away = pack.rename(repo.path / ".git/away.pack")
        repo.git("unpack-objects", "-q", stdin=away.read_bytes())
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()


def reasons(pair: Pair) -> dict[str, list[str]]:
    """Return id → reasons of the cases that are affected."""
    plan = prepare(Settings(defaults=Defaults(model="m")), pair=pair).plan
    return {item.case.id: [str(reason) for reason in item.reasons] for item in plan.cases}


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("filtered", ["blob:none", "tree:0"])
@pytest.mark.parametrize("ref", ["refs/pull/1/merge", "refs/pull/1/head"])
def test_find_event_pair__partial(
    pull: PullRequest, tmp_path: Path, gone: Gone, github: GitObjects, filtered: str, ref: str, depth: int
) -> None:
    """What the filter left out of the base is fetched, and served where the remote is out of reach: the same cases."""
    for reachable in (True, False):
        repo = partial(pull, tmp_path / f"{reachable}", filtered=filtered, ref=ref, depth=depth)
        with (repo if reachable else cut_off(repo, gone)).open() as repository:
            pair = find_event_pair(repository, pull.event(), objects=github)
            assert {"a": ["prompt"]} == reasons(pair)
            assert (pull.m1, pull.merge) == shas(pair) if ref.endswith("merge") else (pull.m0, pull.head) == shas(pair)
        assert reachable is not bool(github.asked)
    old = pull.origin.git("rev-parse", f"{pull.m0}:prompts/a.txt")
    assert [("blob", old)] == [call for call in github.asked if call[0] == "blob"]


@pytest.mark.parametrize("refuse", [None, "blob"])
def test_find_event_pair__contents_out_of_reach(
    pull: PullRequest, tmp_path: Path, gone: Gone, github: GitObjects, refuse: str | None
) -> None:
    """A base whose contents cannot be had is none. It is not a base without them, to which every case would be new."""
    github.refuse = ("blob",)
    repo = cut_off(partial(pull, tmp_path / "r", filtered="blob:none", ref="refs/pull/1/merge"), gone)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=None if refuse is None else github)
        assert (pull.m1, pull.merge) == shas(pair)
        assert {"a": ["all"], "b": ["all"]} == reasons(pair)
        assert pair.base is not None
        with pytest.raises(HubFailure) as caught:
            pair.base.read("prompts/a.txt")
        rest = without_base(pair, caught.value)
    old = pull.origin.git("rev-parse", f"{pull.m0}:prompts/a.txt")
    cause = f"a content of it cannot be had: git could not fetch it ({gone.fetching(old)})"
    cause += "" if refuse is None else "; GitHub's API did not help (API rate limit exceeded)"
    expected = Pair(
        base=None,
        head=pair.head,
        renames={},
        desk_head=pull.head,
        notes=(f"{NO_BASE} {FILTER_REMEDY} The cause: {cause}.",),
    )
    assert expected == rest


@pytest.mark.parametrize("refuse", [None, "entries"])
def test_find_event_pair__folders_out_of_reach(
    pull: PullRequest, tmp_path: Path, gone: Gone, github: GitObjects, refuse: str | None
) -> None:
    """A base whose folders cannot be had is none either, and the cause is told, and that it is the filter's."""
    github.refuse = ("entries",)
    repo = cut_off(partial(pull, tmp_path / "r", filtered="tree:0", ref="refs/pull/1/merge"), gone)
    with repo.open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=None if refuse is None else github)
        assert (None, pull.merge) == shas(pair)
        assert {"a": ["all"], "b": ["all"]} == reasons(pair)
    tree = pull.origin.git("rev-parse", f"{pull.m1}^{{tree}}")
    cause = f"git cannot list the files of commit {pull.m1[:12]} ({gone.fetching(tree)})"
    cause += "" if refuse is None else "; GitHub's API did not help (API rate limit exceeded)"
    assert (f"{NO_BASE} {FILTER_REMEDY} The cause: {cause}.",) == pair.notes


def test_find_event_pair__sparse(pull: PullRequest, tmp_path: Path, gone: Gone, github: GitObjects) -> None:
    """A prompt outside of what was checked out is served, for head and for base, each content once."""
    pull.origin.git("switch", "--quiet", "pr")
    pull = pull.pushed({"evals/golden.jsonl": GOLDEN.replace("Hi", "Hello")})
    github = GitObjects(pull.origin)
    repo = partial(pull, tmp_path / "r", filtered="blob:none", ref="refs/pull/1/merge", cone="evals")
    with cut_off(repo, gone).open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=github)
        assert {"a": ["prompt"], "b": ["prompt"]} == reasons(pair)
        assert b"new" == pair.head.read("prompts/a.txt")
        assert pair.base is not None
        assert b"old" == pair.base.read("prompts/a.txt")
    names = (f"{pull.head}:prompts/a.txt", f"{pull.m0}:evals/golden.jsonl", f"{pull.m0}:prompts/a.txt")
    assert sorted(("blob", pull.origin.git("rev-parse", name)) for name in names) == sorted(github.asked)


@pytest.mark.parametrize("refuse", [None, "blob"])
def test_find_event_pair__sparse_head_out_of_reach(
    pull: PullRequest, tmp_path: Path, gone: Gone, github: GitObjects, refuse: str | None
) -> None:
    """A file at head that cannot be had is an error that names it, its cause, and what left it out."""
    github.refuse = ("blob",)
    repo = partial(pull, tmp_path / "r", filtered="blob:none", ref="refs/pull/1/merge", cone="evals")
    with cut_off(repo, gone).open() as repository:
        pair = find_event_pair(repository, pull.event(), objects=None if refuse is None else github)
        pair = replace(pair, base=None)
        with pytest.raises(BadInput) as caught:
            reasons(pair)
    new = pull.origin.git("rev-parse", f"{pull.head}:prompts/a.txt")
    why = f"git could not fetch it ({gone.fetching(new)})"
    why += "" if refuse is None else "; GitHub's API did not help (API rate limit exceeded)"
    assert f"prompts/a.txt: This file's content cannot be had: {why}. {FILTER_REMEDY}" == str(caught.value)


@pytest.mark.parametrize("refuse", [None, "entries"])
def test_find_event_pair__head_of_a_treeless_clone(
    pull: PullRequest, tmp_path: Path, gone: Gone, github: GitObjects, refuse: str | None
) -> None:
    """A head some of whose folders were left out is listed by GitHub, or an error."""
    github.refuse = () if refuse is None else (refuse,)
    repo = partial(pull, tmp_path / "r", filtered="tree:0", ref="refs/pull/1/merge", cone="evals")
    forget(repo, repo.git("rev-parse", "HEAD:other"))
    with cut_off(repo, gone).open() as repository:
        if refuse == "entries":
            with pytest.raises(BadInput) as caught:
                find_event_pair(repository, pull.event(), objects=github)
            start = f"The pull request's merge cannot be had: git cannot list the files of commit {pull.merge[:12]} ("
            assert (start, FILTER_REMEDY) == (str(caught.value)[: len(start)], caught.value.problems[0].remedy)
            return
        pair = find_event_pair(repository, pull.event(), objects=github)
        assert {"a": ["prompt"]} == reasons(pair)
        about = (
            f"The pull request's merge {pull.merge[:12]} was read through GitHub's API: this clone lacks parts of it."
        )
        assert about == pair.notes[0]


@pytest.mark.parametrize("head", ["HEAD", "WORKTREE"])
def test_find_pair__renames_out_of_reach(tmp_path: Path, gone: Gone, head: str) -> None:
    """Where git cannot read what it compares, files that were renamed without an edit are told all the same."""
    pull = new_pull(
        tmp_path / "origin",
        base={"same": "x\n" * 30, "edited": LONG},
        heads=({"moved": "x\n" * 30, "changed": f"{LONG}more\n"},),
        main={"b": "1"},
    )
    pull.origin.git("config", "uploadpack.allowFilter", "true")
    pull.origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    pull.origin.git("switch", "--quiet", "pr")
    pull.origin.git("rm", "--quiet", "same", "edited")
    pull.origin.git("commit", "--quiet", "--message", "Renames.")
    pull.origin.git("update-ref", "refs/pull/1/head", "pr")
    for reachable in (True, False):
        repo = partial(pull, tmp_path / f"{reachable}", filtered="blob:none", ref="refs/pull/1/head", depth=9)
        with (repo if reachable else cut_off(repo, gone)).open() as repository:
            pair = find_pair(repository, base=pull.m0, head=head)
        if reachable:
            assert ({"moved": "same", "changed": "edited"}, ()) == (pair.renames, pair.notes)
        else:
            start = (
                "Of renamed files only those without an edit are known: git diff-tree failed (exit code 128): fatal: '"
            )
            assert ({"moved": "same"}, [start]) == (pair.renames, [note[: len(start)] for note in pair.notes])


def test_read__left_out_of_the_work_tree(pull: PullRequest, tmp_path: Path, gone: Gone, github: GitObjects) -> None:
    """Of the work tree, files that a sparse checkout left out are served where the clone lacks them."""
    repo = partial(pull, tmp_path / "r", filtered="blob:none", ref="refs/pull/1/merge", cone="evals")
    with cut_off(repo, gone).open() as repository:
        pair = find_pair(repository, base="HEAD", head="WORKTREE", objects=github)
        assert {"evals/golden.jsonl": GOLDEN.encode(), "other/x": b"x", "prompts/a.txt": b"new"} == contents(pair.head)


def test_read__remote_asked_once(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """A remote that is out of reach is not asked for one content after another: each attempt may take minutes."""
    repo = clone(pull.origin, tmp_path / "r", "--no-checkout", "--filter=blob:none")
    helper = tmp_path / "ssh"
    helper.write_text(f"#!/bin/sh\necho asked >>{tmp_path}/asked\nexit 1\n")
    helper.chmod(0o755)
    repo.git("remote", "set-url", "origin", "ssh://nowhere.example.test/x")
    with repo.open(GIT_SSH_COMMAND=str(helper)) as repository:
        tree = repository.commit(pull.m0, ref="main", objects=github)
        assert {"evals/golden.jsonl": GOLDEN.encode(), "prompts/a.txt": b"old"} == contents(tree)
    assert "asked\n" == (tmp_path / "asked").read_text()
