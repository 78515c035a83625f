"""Trees at a commit, from real object stores."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.gitrepo import clone, contents, new_repo

from evalaction.errors import BadInput
from evalaction.records.tree import EntryKind
from evalaction.trees import objects
from evalaction.trees.objects import FILTER_REMEDY

ODD_NAMES = {
    "-rf": b"dash",
    " lead and trail ": b"spaces",
    '"quoted"': b"quotes",
    "a\\b": b"backslash",
    "a\tb": b"tab",
    "line\nbreak": b"newline",
    ":(glob)*": b"magic",
    "d\udcff/\udcfe.txt": b"not utf-8",
    "e\u0301 and \u00e9": b"two forms",
    "\U0001f600": b"emoji",
    "HEAD": b"a revision's name",
}


def by_bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def test_read__odd_names(tmp_path: Path) -> None:
    """Every name that git can hold is listed as it is, in byte order, and its content read."""
    repo = new_repo(tmp_path / "r")
    sha = repo.commit({os.fsdecode(by_bytes(name)): content for name, content in ODD_NAMES.items()})
    with repo.open() as repository:
        tree = repository.commit(sha, ref="HEAD")
        assert contents(tree) == ODD_NAMES
        assert sorted(ODD_NAMES, key=by_bytes) == list(tree.entries)


def test_read__contents(tmp_path: Path) -> None:
    """Content comes back byte for byte: empty, binary, with CRLF, large, executable."""
    files = {"empty": b"", "nul": b"\0\n\0", "crlf": b"a\r\nb\r\n", "large": os.urandom(3_000_000), "run.sh": b"#!"}
    repo = new_repo(tmp_path / "r")
    repo.write(files)
    (repo.path / "run.sh").chmod(0o755)
    sha = repo.commit()
    with repo.open() as repository:
        assert files == contents(repository.commit(sha, ref="HEAD"))


def test_read__disk_is_not_looked_at(tmp_path: Path) -> None:
    """A commit's tree is the commit's, whatever lies in the work tree or in the index."""
    repo = new_repo(tmp_path / "r")
    sha = repo.commit({"a": "committed", "b": "committed"})
    repo.write({"a": "on disk", "c": "on disk"})
    repo.git("add", "a")
    (repo.path / "b").unlink()
    with repo.open() as repository:
        assert contents(repository.commit(sha, ref="HEAD")) == {"a": b"committed", "b": b"committed"}


def test_entries__links_and_submodules(tmp_path: Path) -> None:
    """Symbolic links and submodules are listed as such, and neither can be read."""
    other = new_repo(tmp_path / "other")
    other.commit({"secret": "x"})
    repo = new_repo(tmp_path / "r")
    repo.write({"file": "x"})
    (repo.path / "link").symlink_to("file")
    (repo.path / "out").symlink_to("/etc/passwd")
    (repo.path / "folder").symlink_to(tmp_path)
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.url, "sub")
    sha = repo.commit()
    with repo.open() as repository:
        tree = repository.commit(sha, ref="HEAD")
        assert dict(tree.entries) == {
            ".gitmodules": EntryKind.FILE,
            "file": EntryKind.FILE,
            "folder": EntryKind.SYMLINK,
            "link": EntryKind.SYMLINK,
            "out": EntryKind.SYMLINK,
            "sub": EntryKind.SUBMODULE,
        }
        for path in ("link", "out", "folder", "sub", "sub/secret", "folder/x", "none", "", "../r/file"):
            with pytest.raises(KeyError):
                tree.read(path)


@settings(max_examples=15, deadline=None)
@given(
    files=st.dictionaries(
        st.binary(min_size=1, max_size=12).filter(lambda name: not {0, 47} & set(name) and name not in (b".", b"..")),
        st.binary(max_size=200),
        max_size=6,
    )
)
def test_read__any_tree(files: dict[bytes, bytes]) -> None:
    """Whatever blobs are committed under whatever names, the tree is that mapping."""
    files = {name: content for name, content in files.items() if name.lower() != b".git"}
    with tempfile.TemporaryDirectory() as folder:
        repo = new_repo(Path(folder, "r"))
        rows = []
        for name, content in files.items():
            oid = repo.git("hash-object", "-w", "--stdin", stdin=content)
            rows.append(b"100644 blob " + oid.encode() + b"\t" + name + b"\0")
        tree_id = repo.git("mktree", "-z", stdin=b"".join(rows))
        sha = repo.git("commit-tree", "-m", "x", tree_id)
        repo.git("update-ref", "HEAD", sha)
        with repo.open() as repository:
            tree = repository.commit(sha, ref="HEAD")
            assert files == {by_bytes(path): tree.read(path) for path in tree.entries}


def test_read__sha256_repository(tmp_path: Path) -> None:
    """A repository whose ids are SHA-256 is read like any other."""
    repo = new_repo(tmp_path / "r", "--object-format=sha256")
    sha = repo.commit({"a": "x"})
    with repo.open() as repository:
        assert (len(sha), contents(repository.commit(sha, ref="HEAD"))) == (64, {"a": b"x"})


def test_read__partial_clone(tmp_path: Path) -> None:
    """In a clone without contents, those that are asked for are fetched."""
    source = new_repo(tmp_path / "source")
    source.git("config", "uploadpack.allowFilter", "true")
    sha = source.commit({"a": "x", "b/c": "y"})
    repo = clone(source, tmp_path / "r", "--no-checkout", "--filter=blob:none")
    with repo.open() as repository:
        assert contents(repository.commit(sha, ref="HEAD")) == {"a": b"x", "b/c": b"y"}


def test_read__partial_clone_without_its_remote(tmp_path: Path) -> None:
    """A content that cannot be fetched is an error that names the file, not an empty file."""
    source = new_repo(tmp_path / "source")
    source.git("config", "uploadpack.allowFilter", "true")
    sha = source.commit({"a": "x"})
    repo = clone(source, tmp_path / "r", "--no-checkout", "--filter=blob:none")
    shutil.rmtree(source.path)
    with repo.open() as repository, pytest.raises(BadInput) as caught:
        repository.commit(sha, ref="HEAD").read("a")
    problem = caught.value.problems[0]
    start = "This file's content cannot be had: git could not fetch it (fatal: "
    assert ("a", start, FILTER_REMEDY) == (problem.path, problem.message[: len(start)], problem.remedy)


def test_read__missing_object(tmp_path: Path) -> None:
    """A content that is gone is an error, and the next file is read all the same."""
    repo = new_repo(tmp_path / "r")
    sha = repo.commit({"a": "x", "b": "y"})
    oid = repo.git("rev-parse", "HEAD:a")
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with repo.open() as repository:
        tree = repository.commit(sha, ref="HEAD")
        assert tree.read("b") == b"y"
        with pytest.raises(BadInput) as caught:
            tree.read("a")
        assert tree.read("b") == b"y"
    expected = "a: This file's content cannot be had: it is not in this clone. See `git fsck`."
    assert expected == str(caught.value)


def test_read__git_was_killed(tmp_path: Path) -> None:
    """When the reading process dies, the file that was asked for is an error, and reading can go on."""
    repo = new_repo(tmp_path / "r")
    sha = repo.commit({"a": "x"})
    with repo.open() as repository:
        tree = repository.commit(sha, ref="HEAD")
        tree.read("a")
        process = repository.blobs._process  # noqa: SLF001 - there is no other way to kill it
        assert process is not None
        process.kill()
        process.wait()
        with pytest.raises(BadInput):
            tree.read("a")
        assert tree.read("a") == b"x"


def test_read__too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beyond the limit is refused before it is in memory, and the next one is read."""
    monkeypatch.setattr(objects, "MAX_FILE_BYTES", 10)
    repo = new_repo(tmp_path / "r")
    sha = repo.commit({"a": "x" * 11, "b": "x" * 10})
    with repo.open() as repository:
        tree = repository.commit(sha, ref="HEAD")
        with pytest.raises(BadInput) as caught:
            tree.read("a")
        assert tree.read("b") == b"x" * 10
    expected = (
        "a: The file has 11 bytes; 10 is the most that is read. Make it smaller, or keep it out of what cases refer to."
    )
    assert expected == str(caught.value)


def test_commit__replaced_object(tmp_path: Path) -> None:
    """A commit id stands for its own content, not for what a replacement of this clone says."""
    repo = new_repo(tmp_path / "r")
    first = repo.commit({"a": "x"})
    second = repo.commit({"a": "y"})
    repo.git("replace", second, first)
    with repo.open() as repository:
        assert contents(repository.commit(second, ref="HEAD")) == {"a": b"y"}


def test_close__never_read_and_twice(tmp_path: Path) -> None:
    """A repository that was never read from can be closed, and one that is closed twice stays closed."""
    repo = new_repo(tmp_path / "r")
    repo.commit()
    with repo.open() as repository:
        pass
    repository.blobs.close()
