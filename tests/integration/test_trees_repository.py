"""Opening a repository: from wherever in it, whoever owns it, whatever the environment says."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.gitrepo import Repo, contents, new_repo

from evalaction.errors import BadInput
from evalaction.trees.pair import find_pair
from evalaction.trees.repository import open_repository

STRANGER = 1001


def test_open_repository__from_below(tmp_path: Path) -> None:
    """Any folder of the work tree leads to its root, and so does a symbolic link to one."""
    repo = new_repo(tmp_path / "r")
    repo.commit({"a/b/c": "x"})
    (tmp_path / "link").symlink_to(repo.path / "a")
    for start in (repo.path, repo.path / "a/b", tmp_path / "link"):
        with open_repository(start, environ=os.environ) as repository:
            assert str(repo.path) == repository.top


def test_open_repository__odd_folder(tmp_path: Path) -> None:
    """A folder may have any name."""
    repo = new_repo(tmp_path / "-c a=b\n \u00e9")
    sha = repo.commit({"a": "x"})
    with repo.open() as repository:
        assert contents(repository.commit(sha, ref="HEAD")) == {"a": b"x"}


def test_open_repository__linked_work_tree(tmp_path: Path) -> None:
    """A second work tree of a repository is one of its own, with its own HEAD."""
    repo = new_repo(tmp_path / "r")
    repo.commit({"a": "x"})
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side/a").write_text("y")
    with open_repository(tmp_path / "side", environ=os.environ) as repository:
        assert str(tmp_path / "side") == repository.top
        assert contents(find_pair(repository).head) == {"a": b"y"}


@pytest.mark.parametrize("configured", [None, "[user]\n\tname = A Person\n[safe]\n\tdirectory = /elsewhere\n"])
def test_open_repository__another_owner(tmp_path: Path, configured: str | None) -> None:
    """Another user's repository is read without anybody's configuration, and none is written."""
    repo = new_repo(tmp_path / "workspace")
    repo.commit({"prompts/a.txt": "old"})
    head = repo.commit({"prompts/a.txt": "new"})
    home = tmp_path / "home"
    home.mkdir()
    if configured is not None:
        (home / ".gitconfig").write_text(configured)
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}
    if os.geteuid() == 0:
        for place in (repo.path, *repo.path.rglob("*")):
            os.chown(place, STRANGER, STRANGER)
    else:
        # What only root can bring about for real, git brings about by a variable of its own tests.
        stand_in = tmp_path / "bin/git"
        stand_in.parent.mkdir()
        stand_in.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {shutil.which("git")} "$@"\n')
        stand_in.chmod(0o755)
        environ["PATH"] = f"{stand_in.parent}:{environ['PATH']}"
    for start in (repo.path, repo.path / "prompts"):
        with open_repository(start, environ=environ) as repository:
            pair = find_pair(repository, base="HEAD^", head="HEAD")
            assert contents(pair.base) == {"prompts/a.txt": b"old"}
            assert contents(pair.head) == {"prompts/a.txt": b"new"}
            assert head == pair.head.sha
            assert contents(find_pair(repository).head) == {"prompts/a.txt": b"new"}
    expected = {} if configured is None else {".gitconfig": configured}
    assert expected == {path.name: path.read_text() for path in home.iterdir()}


def test_open_repository__no_home(tmp_path: Path) -> None:
    """Without a home, as in some containers, everything works."""
    repo = new_repo(tmp_path / "r")
    repo.commit({"a": "x"})
    with open_repository(repo.path, environ={"PATH": os.environ["PATH"], "HOME": "/nowhere"}) as repository:
        assert contents(find_pair(repository).head) == {"a": b"x"}


def test_open_repository__inherited_variables(tmp_path: Path) -> None:
    """Variables that name another repository, as git sets them for a hook, change nothing."""
    other = new_repo(tmp_path / "other")
    other.commit({"other": "x"})
    repo = new_repo(tmp_path / "r")
    sha = repo.commit({"a": "x"})
    opened = repo.open(
        GIT_DIR=str(other.path / ".git"),
        GIT_WORK_TREE=str(other.path),
        GIT_INDEX_FILE=str(other.path / ".git/index"),
        GIT_CEILING_DIRECTORIES=str(tmp_path),
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="core.worktree",
        GIT_CONFIG_VALUE_0=str(other.path),
    )
    with opened as repository:
        pair = find_pair(repository)
        assert (str(repo.path), {"a": b"x"}, {"a": b"x"}) == (repository.top, contents(pair.head), contents(pair.base))
        assert sha == pair.base.sha if pair.base else False


def test_open_repository__programs_in_its_configuration(tmp_path: Path) -> None:
    """No program that a repository's configuration or attributes name is run."""
    repo = new_repo(tmp_path / "r")
    repo.commit({".gitattributes": "* diff=bad filter=bad\n", "a": "1\n2\n3\n4\n", "b": "x"})
    repo.commit({"c": "1\n2\n3\n4\n5\n"}, remove=("a",))
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "diff.bad.textconv", "diff.bad.command"):
        repo.git("config", name, str(trap))
    for name in ("filter.bad.clean", "filter.bad.smudge", "filter.bad.process"):
        repo.git("config", name, str(trap))
    hook = repo.path / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(trap, hook)
    repo.write({"d": "1\n2\n3\n4\n5\n6\n", "b": "y"})
    (repo.path / "c").unlink()
    with repo.open() as repository:
        assert dict(find_pair(repository, base="HEAD^", head="HEAD").renames) == {"c": "a"}
        pair = find_pair(repository)
        assert dict(pair.renames) == {"d": "c"}
        assert pair.head.read("b") == b"y"
    assert not (tmp_path / "sprung").exists()


@pytest.fixture
def planted(tmp_path: Path) -> Repo:
    """A repository whose pull request brings programs, and a configuration of git that names one of them."""
    repo = new_repo(tmp_path / "workspace")
    trap = f"#!/bin/sh\ntouch {tmp_path}/sprung\nexit 1\n"
    names = ("git", "ssh", "git-remote-evil")
    repo.write({f"{folder}{name}": trap for folder in ("", "bin/", "sub/") for name in names})
    for folder in ("", "bin", "sub"):
        for name in names:
            (repo.path / folder / name).chmod(0o755)
    repo.commit({".gitconfig": f"[core]\n\tsshCommand = {repo.path}/ssh\n", "a": "x"})
    (tmp_path / "link").symlink_to(repo.path / "bin")
    repo.git("remote", "add", "origin", "ssh://127.0.0.1:9/x")
    repo.git("remote", "add", "evil", "evil://x")
    return repo


SEARCH_PATHS = {
    "empty": "",
    "empty entry": ":{0}",
    "empty entry at the end": "/nowhere:",
    "current folder": ".:{0}",
    "relative": "bin:./bin:{0}",
    "in the checkout": "{1}/bin:{0}",
    "the checkout": "{1}:{0}",
    "by a link": "{2}/link:{0}",
}


@pytest.mark.parametrize("path", SEARCH_PATHS.values(), ids=SEARCH_PATHS)
@pytest.mark.parametrize("where", ["", "sub"])
def test_open_repository__programs_in_the_checkout(
    planted: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, where: str
) -> None:
    """Wherever PATH leads, no program that a pull request brings is run: not git, and nothing that git looks for."""
    monkeypatch.chdir(planted.path / where)
    environ = {"PATH": path.format(os.environ["PATH"], planted.path, tmp_path), "GIT_CONFIG_GLOBAL": "/dev/null"}
    with open_repository(planted.path / where, environ=environ) as repository:
        assert contents(find_pair(repository, base="HEAD", head="HEAD").head) == contents(find_pair(repository).head)
        for remote in ("origin", "evil"):
            assert 0 != repository.git.attempt("fetch", remote, timeout_s=60).code
    assert not (tmp_path / "sprung").exists()


def test_open_repository__home_in_the_workspace(planted: Repo, tmp_path: Path) -> None:
    """A home that a workflow put into the workspace does not let a pull request configure git."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(planted.path), "GITHUB_WORKSPACE": str(planted.path)}
    with open_repository(planted.path, environ=environ) as repository:
        assert 0 != repository.git.attempt("fetch", "origin", timeout_s=60).code
    assert not (tmp_path / "sprung").exists()


def test_open_repository__secrets(planted: Repo, tmp_path: Path) -> None:
    """What git starts to reach a remote sees neither keys nor tokens, and finds no program in the checkout."""
    tool = tmp_path / "tools/ssh"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\nenv >{tmp_path}/seen\nexit 1\n")
    tool.chmod(0o755)
    secrets = ("INPUT_API-KEY", "EVAL_API_KEY", "JUDGE_API_KEY", "GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN")
    environ = dict.fromkeys(secrets, "do-not-show") | {
        "PATH": f"{planted.path}/bin::{tool.parent}:{os.environ['PATH']}",
        "GITHUB_ACTIONS": "true",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    with open_repository(planted.path, environ=environ) as repository:
        assert 128 == repository.git.attempt("fetch", "origin", timeout_s=60).code
    seen = dict(row.split("=", 1) for row in (tmp_path / "seen").read_text().splitlines() if "=" in row)
    assert set() == {name for name, value in seen.items() if "do-not-show" in value}
    assert f"{tool.parent}" in seen["PATH"].split(":")
    assert [] == [entry for entry in seen["PATH"].split(":") if not entry or entry.startswith(str(planted.path))]


def folder_without_repository(tmp_path: Path) -> Path:
    return tmp_path


def no_folder(tmp_path: Path) -> Path:
    return tmp_path / "none"


def a_file(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("x")
    return tmp_path / "file"


def bare(tmp_path: Path) -> Path:
    new_repo(tmp_path / "bare.git", "--bare")
    return tmp_path / "bare.git"


def own_folder(tmp_path: Path) -> Path:
    new_repo(tmp_path / "r")
    return tmp_path / "r/.git"


def bare_within(tmp_path: Path) -> Path:
    """A folder that a pull request made look like a repository, with a program in its configuration."""
    repo = new_repo(tmp_path / "r")
    new_repo(repo.path / "evil", "--bare")
    return repo.path / "evil"


def no_commit(tmp_path: Path) -> Path:
    return new_repo(tmp_path / "r").path


BARE = "This is a bare repository or git's own folder, without files. Name a folder of a checkout."


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            folder_without_repository,
            "This folder is in no git repository. Name one that is (--repo), or check the repository out first.",
        ),
        (no_folder, "There is no such folder."),
        (a_file, "There is no such folder."),
        (bare, BARE),
        (own_folder, BARE),
        (bare_within, BARE),
        (
            no_commit,
            "The branch that is checked out has no commit yet. Commit something first: a comparison needs a base.",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_open_repository__refused(tmp_path: Path, make: object, expected: str) -> None:
    """Each kind of place without a repository to compare in has its own message, which names the place."""
    assert callable(make)
    place = make(tmp_path)
    with pytest.raises(BadInput) as caught:
        open_repository(place, environ=os.environ)
    assert f"{place}: {expected}" == str(caught.value)


def test_open_repository__no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH, or in the system's own folders, the message says to install it."""
    monkeypatch.setattr("evalaction.trees.environment._DEFAULT_PATH", ())
    with pytest.raises(BadInput) as caught:
        open_repository(tmp_path, environ={"PATH": str(tmp_path)})
    expected = "There is no git on PATH. Install git, 2.30 or later, and have it on PATH, outside of the repository."
    assert expected == str(caught.value)


def test_open_repository__broken_configuration(tmp_path: Path) -> None:
    """A failure of another kind is shown in git's own words."""
    repo = new_repo(tmp_path / "r")
    (repo.path / ".git/config").write_text("[core\n")
    with pytest.raises(BadInput) as caught:
        repo.open()
    expected = f"{repo.path}: git cannot open this repository: fatal: bad config line 1 in file .git/config"
    assert expected == str(caught.value)
