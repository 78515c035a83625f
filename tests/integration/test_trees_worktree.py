"""The work tree: which files count, and that none outside of it is ever read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.gitrepo import Repo, contents, new_repo

from evalaction.errors import BadInput
from evalaction.records.tree import EntryKind
from evalaction.trees import worktree
from evalaction.trees.repository import Repository
from evalaction.trees.worktree import WorkTree, read_worktree


def read(repository: Repository) -> WorkTree:
    return read_worktree(repository.git, repository.blobs)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return new_repo(tmp_path / "r")


def test_read_worktree__which_files(repo: Repo) -> None:
    """Tracked files as they are on disk and untracked ones count; deleted and ignored ones do not."""
    repo.commit({"kept": "1", "edited": "1", "staged": "1", "deleted": "1", "tracked.log": "1", ".gitignore": "x\n"})
    repo.write(
        {".gitignore": "*.log\nout/\n", "edited": "2", "staged": "2", "new/file": "2", "a.log": "2", "out/b": "2"}
    )
    repo.git("add", "staged")
    repo.write({"staged": "3"})
    (repo.path / "deleted").unlink()
    with repo.open() as repository:
        tree = read(repository)
        assert contents(tree) == {
            ".gitignore": b"*.log\nout/\n",
            "edited": b"2",
            "kept": b"1",
            "new/file": b"2",
            "staged": b"3",
            "tracked.log": b"1",
        }
        assert (tree.sha, tree.ref) == (None, "WORKTREE")


def test_read_worktree__odd_names(repo: Repo) -> None:
    """Names with anything in them are listed in byte order and read, tracked or not."""
    names = ["-x", "a b", "a\nb", 'q"', "\u00e9", "\udcff/\udcfe", "~", "z\\"]
    repo.commit({names[0]: "0", names[2]: "2", names[5]: "5"})
    repo.write({name: str(index) for index, name in enumerate(names)})
    expected = {name: str(index).encode() for index, name in enumerate(names)}
    with repo.open() as repository:
        tree = read(repository)
        assert expected == contents(tree)
        assert sorted(names, key=os.fsencode) == list(tree.entries)


def test_read_worktree__line_ends_as_on_disk(repo: Repo) -> None:
    """What git would convert on the way in is read as it lies there."""
    repo.git("config", "core.autocrlf", "true")
    repo.commit({"a": "x\r\n"})
    with repo.open() as repository:
        assert contents(read(repository)) == {"a": b"x\r\n"}


def test_read_worktree__links(repo: Repo, tmp_path: Path) -> None:
    """A symbolic link is listed as one, and what lies behind a linked folder is not there at all."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret")
    repo.commit({"folder/secret": "own", "file": "own"})
    (repo.path / "folder/secret").unlink()
    (repo.path / "folder").rmdir()
    (repo.path / "folder").symlink_to(tmp_path / "outside")
    (repo.path / "file").unlink()
    (repo.path / "file").symlink_to(tmp_path / "outside/secret")
    (repo.path / "new").symlink_to("nowhere")
    with repo.open() as repository:
        tree = read(repository)
        links = dict.fromkeys(("file", "folder", "new"), EntryKind.SYMLINK)
        assert links == dict(tree.entries)
        for path in ("file", "folder", "new", "folder/secret", "../outside/secret"):
            with pytest.raises(KeyError):
                tree.read(path)


def test_read__changed_since_it_was_listed(repo: Repo, tmp_path: Path) -> None:
    """A file that became a link, a pipe, a folder or nothing after the listing is not read through."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/e").write_text("secret")
    repo.commit({"a": "x", "b": "x", "c": "x", "d": "x", "sub/e": "x"})
    with repo.open() as repository:
        tree = read(repository)
        for name in ("a", "b", "c", "d", "sub/e"):
            (repo.path / name).unlink()
        (repo.path / "a").symlink_to(tmp_path / "secret")
        os.mkfifo(repo.path / "b")
        (repo.path / "c").mkdir()
        (repo.path / "sub").rmdir()
        (repo.path / "sub").symlink_to(tmp_path / "outside")
        for name in ("a", "b", "c", "d", "sub/e"):
            with pytest.raises(KeyError):
                tree.read(name)


def test_read_worktree__what_is_no_file(repo: Repo) -> None:
    """A pipe or a folder in a tracked file's place is not listed, and what lies in the folder is."""
    repo.commit({"pipe": "x", "folder": "x"})
    for name in ("pipe", "folder"):
        (repo.path / name).unlink()
    os.mkfifo(repo.path / "pipe")
    repo.write({"folder/inner": "x"})
    with repo.open() as repository:
        assert dict(read(repository).entries) == {"folder/inner": EntryKind.FILE}


def test_read_worktree__other_repositories(repo: Repo, tmp_path: Path) -> None:
    """A submodule is listed as one, and an untracked repository inside this one is not entered."""
    other = new_repo(tmp_path / "other")
    other.commit({"x": "x"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.url, "sub")
    repo.commit({"a": "x"})
    new_repo(repo.path / "nested").commit({"y": "y"})
    with repo.open() as repository:
        tree = read(repository)
        expected = {".gitmodules": EntryKind.FILE, "a": EntryKind.FILE, "sub": EntryKind.SUBMODULE}
        assert expected == dict(tree.entries)


def test_read_worktree__unmerged(repo: Repo) -> None:
    """A file in conflict is there once, with the marks that git left in it."""
    repo.commit({"a": "1\n"})
    repo.git("branch", "side")
    repo.commit({"a": "2\n"})
    repo.git("switch", "--quiet", "side")
    repo.commit({"a": "3\n"})
    with pytest.raises(AssertionError):
        repo.git("merge", "--quiet", "main")
    with repo.open() as repository:
        assert contents(read(repository)) == {"a": b"<<<<<<< HEAD\n3\n=======\n2\n>>>>>>> main\n"}


def test_read_worktree__sparse_checkout(repo: Repo) -> None:
    """What a sparse checkout left out was not deleted: it is read from the index."""
    repo.commit({"in/a": "1", "out/b": "2"})
    repo.git("sparse-checkout", "set", "in")
    assert not (repo.path / "out").exists()
    with repo.open() as repository:
        assert contents(read(repository)) == {"in/a": b"1", "out/b": b"2"}


def test_read__too_large(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file on disk beyond the limit is refused."""
    monkeypatch.setattr(worktree, "MAX_FILE_BYTES", 10)
    repo.commit({"a": "x" * 11})
    with repo.open() as repository, pytest.raises(BadInput):
        read(repository).read("a")


def test_read_worktree__index_untouched(repo: Repo) -> None:
    """Listing and reading leave git's index as it was, byte for byte."""
    repo.commit({"a": "x"})
    os.utime(repo.path / "a", (1, 1))
    before = (repo.path / ".git/index").read_bytes()
    with repo.open() as repository:
        contents(read(repository))
    assert before == (repo.path / ".git/index").read_bytes()
