"""Real git repositories for tests, made and changed by the git command."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evalaction.records.tree import Tree
from evalaction.trees.repository import Repository, open_repository


@dataclass(frozen=True)
class Repo:
    """A repository of a test."""

    path: Path

    @property
    def url(self) -> str:
        """The address to clone from; by it a clone can be shallow, which by a plain path it cannot."""
        return f"file://{self.path}"

    def git(self, *args: str, stdin: bytes = b"") -> str:
        """Run git here, and return what it prints, without white space around it."""
        return git(self.path, *args, stdin=stdin)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files, and the folders they need, to disk."""
        for name, content in files.items():
            place = self.path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes] | None = None, *, remove: tuple[str, ...] = ()) -> str:
        """Write and remove files, commit everything on disk, and return the commit's id."""
        self.write(files or {})
        for name in remove:
            (self.path / name).unlink()
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "A change.")
        return self.git("rev-parse", "HEAD")

    def open(self, **environ: str) -> Repository:
        """Open it, with the environment of the test and what is given."""
        return open_repository(self.path, environ={**os.environ, **environ})


def git(folder: Path, *args: str, stdin: bytes = b"") -> str:
    """Run git in a folder; a failure fails the test with what git says."""
    command = ["git", "-C", str(folder), *args]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def new_repo(path: Path, *options: str) -> Repo:
    """Make an empty repository on branch ``main``."""
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--initial-branch=main", *options)
    return Repo(path)


def clone(source: Repo, path: Path, *options: str) -> Repo:
    """Clone a repository by its address."""
    git(source.path, "clone", "--quiet", *options, source.url, str(path))
    return Repo(path)


def contents(tree: Tree | None) -> dict[str, bytes] | None:
    """Return path → content for the files of a tree."""
    return None if tree is None else {path: tree.read(path) for path, kind in tree.entries.items() if kind == "file"}
