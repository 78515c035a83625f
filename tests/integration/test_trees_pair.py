"""The pair that is compared on a desk and for revisions, in clones that lack history too."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.gitrepo import clone, contents, new_repo
from support.pulls import PullRequest, checkout, new_pull, shas
from support.served import GitObjects

from evalaction.errors import BadInput
from evalaction.trees.history import Found, have_commit
from evalaction.trees.pair import find_pair

FETCH_DEPTH = "Check out with fetch-depth: 0 (on a desk: git fetch --unshallow)."
NO_ORIGIN = "fatal: 'origin' does not appear to be a git repository"


@pytest.fixture
def pull(tmp_path: Path) -> PullRequest:
    return new_pull(tmp_path / "origin")


# On a desk


def test_find_pair__work_tree_on_default_branch(pull: PullRequest) -> None:
    """On the default branch the files on disk are held against HEAD."""
    pull.origin.write({"a": "disk", "new": "disk"})
    with pull.origin.open() as repository:
        pair = find_pair(repository)
        assert (pull.m1, None) == shas(pair)
        assert contents(pair.head) == {"a": b"disk", "b": b"b1", "new": b"disk"}
        assert pair.base is not None
        assert (pair.base.ref, pair.head.ref, pair.notes) == ("HEAD", "WORKTREE", ())


def test_find_pair__work_tree_on_branch(pull: PullRequest) -> None:
    """On another branch they are held against the merge base with the default branch."""
    pull.origin.git("switch", "--quiet", "pr")
    pull.origin.write({"a": "disk"})
    with pull.origin.open() as repository:
        for head in (None, "WORKTREE"):
            pair = find_pair(repository, head=head)
            assert (pull.m0, None) == shas(pair)
            assert contents(pair.head) == {"a": b"disk", "b": b"b0"}
            assert pair.base is not None
            assert "main" == pair.base.ref


def test_find_pair__default_branch_of_remote(pull: PullRequest, tmp_path: Path) -> None:
    """What the remote calls its default branch comes before what it may be called, and before a stale copy."""
    pull.origin.git("branch", "trunk", pull.m0)
    pull.origin.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    repo = clone(pull.origin, tmp_path / "r")
    repo.git("switch", "--quiet", "--create", "work", "origin/main")
    with repo.open() as repository:
        pair = find_pair(repository)
        assert pair.base is not None
        assert (pull.m0, "origin/trunk") == (pair.base.sha, pair.base.ref)
    repo.git("switch", "--quiet", "trunk")
    with repo.open() as repository:
        pair = find_pair(repository)
        assert pair.base is not None
        assert (pull.m0, "HEAD") == (pair.base.sha, pair.base.ref)


@pytest.mark.parametrize(
    ("refs", "expected"),
    [
        (("remotes/origin/main", "remotes/origin/master", "heads/main"), "origin/main"),
        (("remotes/origin/master", "heads/main", "heads/master"), "origin/master"),
        (("heads/main", "heads/master"), "main"),
        (("heads/master", "heads/other"), "master"),
        (("remotes/origin/other",), "work"),
    ],
)
def test_find_pair__default_branch_order(tmp_path: Path, refs: tuple[str, ...], expected: str) -> None:
    """The remote's branches before the local ones, main before master, and the only branch if there is but one."""
    repo = new_repo(tmp_path / "r")
    repo.git("symbolic-ref", "HEAD", "refs/heads/work")
    sha = repo.commit({"a": "x"})
    for ref in refs:
        repo.git("update-ref", f"refs/{ref}", sha)
    with repo.open() as repository:
        pair = find_pair(repository, head="HEAD")
    assert pair.base is not None
    assert (sha, expected) == (pair.base.sha, pair.base.ref)


@pytest.mark.parametrize("to", ["symbolic", "lost"])
def test_find_pair__default_branch_lost(tmp_path: Path, to: str) -> None:
    """A branch whose commit is gone, or that leads to none, is passed over for the next one that there is."""
    repo = new_repo(tmp_path / "r")
    repo.git("symbolic-ref", "HEAD", "refs/heads/work")
    sha = repo.commit({"a": "x"})
    if to == "symbolic":
        repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    else:
        lost = repo.path / ".git" / "refs" / "remotes" / "origin" / "HEAD"
        lost.parent.mkdir(parents=True)
        lost.write_text("1" * 40 + "\n")
    repo.git("symbolic-ref", "refs/remotes/origin/main", "refs/remotes/origin/trunk")
    repo.git("update-ref", "refs/remotes/origin/trunk", sha)
    with repo.open() as repository:
        pair = find_pair(repository, head="HEAD")
    assert pair.base is not None
    assert (sha, "origin/trunk") == (pair.base.sha, pair.base.ref)


def test_find_pair__no_default_branch(tmp_path: Path) -> None:
    """With several branches and no default among them, a base has to be named."""
    repo = new_repo(tmp_path / "r")
    repo.git("symbolic-ref", "HEAD", "refs/heads/one")
    repo.commit({"a": "x"})
    repo.git("branch", "two")
    with repo.open() as repository, pytest.raises(BadInput) as caught:
        find_pair(repository)
    expected = (
        "There is no default branch to compare with: neither origin/HEAD nor a main or master. "
        "Name the base (--base), and in a workflow check out with fetch-depth: 0."
    )
    assert expected == str(caught.value)


# Revisions


@pytest.mark.parametrize("base", ["main", "m1", "origin/main"])
def test_find_pair__merge_base(pull: PullRequest, tmp_path: Path, base: str) -> None:
    """Two revisions are compared from their merge base on, so that what only the base has is no change."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/merge", depth=0)
    with repo.open() as repository:
        pair = find_pair(repository, base=pull.m1 if base == "m1" else base, head=pull.head)
        assert (pull.m0, pull.head) == shas(pair)


def test_find_pair__same_commit(pull: PullRequest) -> None:
    """A comparison of a commit with itself says that it is one."""
    with pull.origin.open() as repository:
        pair = find_pair(repository, head="main")
    expected = f"Base and head are the same commit, {pull.m1[:12]}: there is nothing to compare."
    assert (expected,) == pair.notes


def test_find_pair__unrelated(pull: PullRequest) -> None:
    """Two histories that never meet have no base, in a full clone without talk of depths."""
    pull.origin.git("switch", "--quiet", "--orphan", "island")
    pull.origin.commit({"c": "x"})
    with pull.origin.open() as repository:
        pair = find_pair(repository, base="main", head="island")
    assert pair.base is None
    expected = (
        "There is no base to compare with, so everything counts as affected. "
        "The cause: base and head have no commit in common."
    )
    assert (expected,) == pair.notes


@pytest.mark.parametrize("role", ["base", "head"])
@pytest.mark.parametrize("revision", ["nowhere", "HEAD:a", "HEAD~99", "refs/heads/nowhere", "a" * 39])
def test_find_pair__unknown_revision(pull: PullRequest, role: str, revision: str) -> None:
    """A revision that a full clone doesn't have is an error that names it."""
    with pull.origin.open() as repository, pytest.raises(BadInput) as caught:
        find_pair(repository, base=revision if role == "base" else None, head=revision if role == "head" else None)
    expected = f"This repository has no revision '{revision}'. See `git branch --all` and `git tag` for what there is."
    assert expected == str(caught.value)


@pytest.mark.parametrize("revision", ["--output=owned", "-h", "^main", "main..pr", "", "a\0b"])
def test_find_pair__hostile_revision(
    pull: PullRequest, revision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What git would read as an option or a range is refused, and leaves nothing behind."""
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    with pull.origin.open() as repository:
        for base, head in ((revision, None), (None, revision)):
            with pytest.raises(BadInput) as caught:
                find_pair(repository, base=base, head=head)
            expected = f"{revision!r} is not a revision. Name one commit: a branch, a tag or a commit id."
            assert expected == str(caught.value)
    assert before == sorted(tmp_path.iterdir())


def test_find_pair__id_that_a_whole_clone_lacks(pull: PullRequest, tmp_path: Path) -> None:
    """A base that was forced away is none, in a whole clone too, and no depth is named; such a head is an error."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=0)
    shutil.rmtree(pull.origin.path)
    with repo.open() as repository:
        pair = find_pair(repository, base="a" * 40, head="HEAD")
        with pytest.raises(BadInput) as caught:
            find_pair(repository, base="HEAD", head="a" * 40)
    assert (None, pull.head) == shas(pair)
    gone = f"commit aaaaaaaaaaaa is not in this clone, nor did a fetch bring it (fatal: '{pull.origin.path}' does not"
    start = f"There is no base to compare with, so everything counts as affected. The cause: {gone}"
    assert [start] == [note[: len(start)] for note in pair.notes]
    problem, start = caught.value.problems[0], f"The head cannot be had: {gone}"
    assert (start, None) == (problem.message[: len(start)], problem.remedy)


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("base", ["origin/main", "refs/heads/main", "heads/main", "refs/remotes/origin/main"])
def test_find_pair__names_of_a_branch(pull: PullRequest, tmp_path: Path, base: str, depth: int) -> None:
    """However a workflow names the remote's branch, it is that branch, fetched where the clone does not have it."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=depth)
    with repo.open() as repository:
        pair = find_pair(repository, base=base, head="HEAD")
        assert (pull.m0, pull.head) == shas(pair)
        assert pair.base is not None
        assert (base, ()) == (pair.base.ref, pair.notes)


@pytest.mark.parametrize("kind", ["branch", "id", "tag"])
def test_find_pair__base_fetched(pull: PullRequest, tmp_path: Path, kind: str) -> None:
    """In a cut history, the base that was named is fetched by its name or its id, and then the merge base."""
    pull.origin.git("tag", "--annotate", "--message=x", "v1", pull.m1)
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=1)
    with repo.open() as repository:
        pair = find_pair(repository, base={"branch": "main", "id": pull.m1, "tag": "v1"}[kind], head="HEAD")
        assert (pull.m0, pull.head) == shas(pair)


def test_find_pair__base_id_cannot_be_had(pull: PullRequest, tmp_path: Path) -> None:
    """A base that a shallow clone lacks by its id makes every case affected; a name that it lacks is an error."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=1)
    shutil.rmtree(pull.origin.path)
    with repo.open() as repository:
        pair = find_pair(repository, base=pull.m1, head="HEAD")
        assert (None, pull.head) == shas(pair)
        assert [FETCH_DEPTH in note for note in pair.notes] == [True]
        with pytest.raises(BadInput) as caught:
            find_pair(repository, base="main", head="HEAD")
        problem = caught.value.problems[0]
        start = "This clone has no revision 'main': origin has no branch or tag main ("
        assert (start, FETCH_DEPTH) == (problem.message[: len(start)], problem.remedy)


def test_find_pair__history_ends_too_early(pull: PullRequest, tmp_path: Path) -> None:
    """Both commits at hand and a cut between them and their merge base: no base, rather than a wrong one."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=1)
    with repo.open() as repository:
        assert have_commit(repository, pull.m1) == Found(sha=pull.m1)
        repo.git("remote", "remove", "origin")
        pair = find_pair(repository, base=pull.m1, head="HEAD")
    assert (None, pull.head) == shas(pair)
    start = (
        f"There is no base to compare with, so everything counts as affected. {FETCH_DEPTH} "
        f"The cause: the history of this clone ends before base and head meet ({NO_ORIGIN}"
    )
    assert [start] == [note[: len(start)] for note in pair.notes]


# Through GitHub's API


@pytest.fixture
def github(pull: PullRequest, tmp_path: Path) -> GitObjects:
    """GitHub's API, which goes on when git's remote is gone."""
    return GitObjects(clone(pull.origin, tmp_path / "github", "--mirror"))


@pytest.mark.parametrize("base", ["id", "main", "origin/main", "refs/heads/main"])
@pytest.mark.parametrize("head", ["HEAD", "WORKTREE"])
def test_find_pair__base_served(pull: PullRequest, tmp_path: Path, github: GitObjects, base: str, head: str) -> None:
    """A named base that no fetch brings is served, by its id or as a branch, also for the files on disk."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=1)
    repo.git("remote", "set-url", "origin", f"{tmp_path}/gone")
    if head == "WORKTREE":
        (repo.path / "b").rename(repo.path / "c")
    with repo.open() as repository:
        pair = find_pair(repository, base=pull.m1 if base == "id" else base, head=head, objects=github)
        assert contents(pair.base) == {"a": b"a0", "b": b"b0"}
        sha, renames = (pull.head, {}) if head == "HEAD" else (None, {"c": "b"})
        assert (pull.m0, sha, renames) == (*shas(pair), pair.renames)
    note = "This clone lacks it; of renamed files only those without an edit are known."
    assert (f"The base {pull.m0[:12]} was read through GitHub's API. {note}",) == pair.notes
    asked = pull.m1 if base == "id" else "main"
    assert [("merge_base", asked, pull.head), ("entries", pull.m0)] == github.asked[:2]


def test_find_pair__head_served(pull: PullRequest, tmp_path: Path, github: GitObjects) -> None:
    """A head that is named by its id is served too, and the report says so."""
    repo = checkout(pull, tmp_path / "r", ref="refs/heads/main", depth=1)
    repo.git("remote", "set-url", "origin", f"{tmp_path}/gone")
    with repo.open() as repository:
        pair = find_pair(repository, base="HEAD", head=pull.head, objects=github)
        assert (pull.m0, pull.head) == shas(pair)
        assert contents(pair.head) == {"a": b"a2", "b": b"b0"}
    assert f"The head {pull.head[:12]} was read through GitHub's API." == pair.notes[0]


@pytest.mark.parametrize(
    ("base", "asked"),
    [("mian", [("merge_base", "mian")]), ("main~1", []), ("refs/tags/v1", []), ("other:main", [])],
)
def test_find_pair__name_that_github_lacks(
    pull: PullRequest, tmp_path: Path, github: GitObjects, base: str, asked: list[tuple[str, ...]]
) -> None:
    """A wrong name stays an error; what is no plain name is not handed to GitHub."""
    repo = checkout(pull, tmp_path / "r", ref="refs/pull/1/head", depth=1)
    repo.git("remote", "set-url", "origin", f"{tmp_path}/gone")
    with repo.open() as repository, pytest.raises(BadInput) as caught:
        find_pair(repository, base=base, head="HEAD", objects=github)
    problem, start = (
        caught.value.problems[0],
        f"This clone has no revision '{base}': origin has no branch or tag {base} (",
    )
    assert (start, FETCH_DEPTH, asked) == (
        problem.message[: len(start)],
        problem.remedy,
        [call[:2] for call in github.asked],
    )


def test_find_pair__unknown_to_a_whole_clone(pull: PullRequest, github: GitObjects) -> None:
    """A name that a whole clone lacks is an error, and nobody is asked for it."""
    with pull.origin.open() as repository, pytest.raises(BadInput) as caught:
        find_pair(repository, base="mian", head="b" * 40, objects=GitObjects(github.repo))
    assert "The head cannot be had: commit bbbbbbbbbbbb" == str(caught.value)[:43]
    with pull.origin.open() as repository, pytest.raises(BadInput) as caught:
        find_pair(repository, base="mian", head="HEAD", objects=github)
    expected = "This repository has no revision 'mian'. See `git branch --all` and `git tag` for what there is."
    assert (expected, []) == (str(caught.value), github.asked)


# Renames

THIRTY = "".join(f"line {number}\n" for number in range(30))
EDITED = THIRTY.replace("line 3\n", "line three\n").replace("line 7\n", "line seven\n")


@pytest.mark.parametrize(
    ("head", "remove", "expected"),
    [
        pytest.param({"prompts/new": THIRTY}, ("prompts/old",), {"prompts/new": "prompts/old"}, id="pure"),
        pytest.param({"archive/old": THIRTY}, ("prompts/old",), {"archive/old": "prompts/old"}, id="moved out"),
        pytest.param({"prompts/new": EDITED}, ("prompts/old",), {"prompts/new": "prompts/old"}, id="edited"),
        pytest.param({"l\n\u00e9\udcff": THIRTY}, ("prompts/old",), {"l\n\u00e9\udcff": "prompts/old"}, id="odd name"),
        pytest.param({"prompts/old/in": THIRTY}, ("prompts/old",), {"prompts/old/in": "prompts/old"}, id="to folder"),
        pytest.param({}, ("prompts/old",), {}, id="deleted"),
        pytest.param({"copy": THIRTY}, (), {}, id="copied"),
        pytest.param({"prompts/old": "x\n" * 30, "other": THIRTY}, (), {}, id="swapped"),
        pytest.param({"prompts/new": "nothing alike\n" * 30}, ("prompts/old",), {}, id="another file"),
    ],
)
def test_find_pair__renames(
    tmp_path: Path, head: dict[str, str], remove: tuple[str, ...], expected: dict[str, str]
) -> None:
    """Renames are found alike between commits and for files that lie on disk, added or not; nothing is written."""
    repo = new_repo(tmp_path / "r")
    base = repo.commit({"prompts/old": THIRTY, "other": "x\n" * 30})
    for name in remove:
        (repo.path / name).unlink()
    repo.write(head)
    objects = sorted((repo.path / ".git/objects").rglob("*"))
    index = (repo.path / ".git/index").read_bytes()
    with repo.open() as repository:
        assert expected == find_pair(repository).renames
    assert (objects, index) == (
        sorted((repo.path / ".git/objects").rglob("*")),
        (repo.path / ".git/index").read_bytes(),
    )
    repo.git("add", "--all")
    with repo.open() as repository:
        assert expected == find_pair(repository).renames
    repo.git("commit", "--quiet", "--allow-empty", "--message=x")
    with repo.open() as repository:
        assert expected == find_pair(repository, base=base, head="HEAD").renames


def test_find_pair__renames_against_configuration(tmp_path: Path) -> None:
    """A person's own settings for diffs change no rename."""
    repo = new_repo(tmp_path / "r")
    base = repo.commit({"old": THIRTY})
    repo.commit({"new": EDITED}, remove=("old",))
    for name, value in (("diff.renames", "false"), ("diff.renameLimit", "1"), ("diff.relative", "true")):
        repo.git("config", name, value)
    with repo.open() as repository:
        assert find_pair(repository, base=base, head="HEAD").renames == {"new": "old"}


def test_find_pair__clone_of_one_branch(pull: PullRequest, tmp_path: Path) -> None:
    """In a clone of one feature branch there is no default branch: it is not held against itself."""
    repo = clone(pull.origin, tmp_path / "r", "--single-branch", "--branch", "pr")
    with repo.open() as repository, pytest.raises(BadInput) as caught:
        find_pair(repository)
    expected = (
        "There is no default branch to compare with: neither origin/HEAD nor a main or master. "
        "Name the base (--base), and in a workflow check out with fetch-depth: 0."
    )
    assert expected == str(caught.value)
