"""One repository: where it begins, and the processes that read it.

I/O: starts git. Works where git itself refuses a repository that another user owns, as in a container
whose workspace the runner owns, and leaves everybody's configuration as it is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.hub import Objects
from evalaction.records.tree import is_oid
from evalaction.trees.git import LOCAL_TIMEOUT_S, Git, Outcome, make_git
from evalaction.trees.objects import Blobs, CommitTree, read_commit


@frozen
class Repository:
    """An open repository with one commit at least. Use it in a ``with``: its trees read while it is open."""

    top: str
    """Absolute path of the work tree's root, symbolic links resolved."""
    head: str
    """Full id of the commit that is checked out."""
    branch: str | None
    """Full name of the branch that is checked out, such as ``refs/heads/main``; None for none."""
    git: Git
    """Runs git at ``top``."""
    blobs: Blobs
    """Reads contents for all trees of this repository."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process that reads contents."""
        self.blobs.close()

    def commit(self, sha: str, *, ref: str, objects: Objects | None = None) -> CommitTree:
        """Return the tree of a commit that is in this clone (see ``read_commit``)."""
        return read_commit(self.git, self.blobs, sha=sha, ref=ref, objects=objects)

    def is_shallow(self) -> bool:
        """Whether the history of this clone was cut."""
        return self.git.run("rev-parse", "--is-shallow-repository").line == "true"

    def is_submodule(self) -> bool:
        """Whether this is a submodule of another repository, in that one's work tree."""
        # That one is asked too, and may have another owner than whoever runs this.
        around = replace(self.git, safe=(self.top, *(str(parent) for parent in Path(self.top).parents)))
        return around.run("rev-parse", "--show-superproject-working-tree").line != ""


def open_repository(path: str | Path, *, environ: Mapping[str, str]) -> Repository:
    """Open the repository that ``path`` lies in.

    Args:
        path: a folder of the work tree, its root or below.
        environ: the caller's environment; see ``clean_environment`` and ``find_git``.

    Raises:
        BadInput: there is no such folder, no repository, a bare one, one without a commit, or no git.
    """
    start = os.path.realpath(path)
    shown = str(path)
    if not os.path.isdir(start):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        raise BadInput(Problem(message="There is no such folder.", path=shown))
    folders = (start, *(str(parent) for parent in Path(start).parents))
    # Before git is asked where the checkout begins, no git of that checkout may be run.
    checkout = next((folder for folder in folders if os.path.lexists(Path(folder, ".git"))), start)
    probe = make_git(start, environ=environ, safe=folders, checkouts=(checkout,))
    place, head, branch = _begins(probe) or _asked_singly(probe, shown)
    top = os.path.realpath(place)
    if top == checkout:
        git = replace(probe, folder=top, safe=(top,))
    else:
        git = make_git(top, environ=environ, safe=(top,), checkouts=(checkout, top))
    return Repository(top=top, head=head, branch=branch, git=git, blobs=Blobs(git))


def _begins(probe: Git) -> tuple[str, str, str | None] | None:
    """Return where a repository begins, the commit and the branch that are checked out, by one question.

    None where git does not answer all of it, for whatever reason.
    """
    asked = ("--show-toplevel", "HEAD^{commit}", "--symbolic-full-name", "HEAD")
    found = probe.attempt("rev-parse", *asked, timeout_s=LOCAL_TIMEOUT_S)
    place, _, rest = found.line.rpartition("\n")[0].rpartition("\n") if found.code == 0 else ("", "", "")
    branch = found.line.rpartition("\n")[2]
    return (place, rest, branch if branch != "HEAD" else None) if place and is_oid(rest) else None


def _asked_singly(probe: Git, shown: str) -> tuple[str, str, str | None]:
    """Return what ``_begins`` does, and find out what is wrong where there is no such thing.

    Raises:
        BadInput: see ``open_repository``.
    """
    found = probe.attempt("rev-parse", "--show-toplevel", timeout_s=LOCAL_TIMEOUT_S)
    if found.code != 0:
        raise _no_repository(shown, found)
    head = probe.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1))
    if head.code == 1:
        raise BadInput(
            Problem(
                message="The branch that is checked out has no commit yet.",
                path=shown,
                remedy="Commit something first: a comparison needs a base.",
            )
        )
    branch = probe.run("symbolic-ref", "--quiet", "HEAD", accept=(0, 1))
    return found.line, head.line, branch.line if branch.code == 0 else None


def _no_repository(path: str, found: Outcome) -> BadInput:
    if "bare repository" in found.message or "must be run in a work tree" in found.message:
        message = "This is a bare repository or git's own folder, without files."
        return BadInput(Problem(message=message, path=path, remedy="Name a folder of a checkout."))
    if "not a git repository" in found.message:
        message = "This folder is in no git repository."
        remedy = "Name one that is (--repo), or check the repository out first."
        return BadInput(Problem(message=message, path=path, remedy=remedy))
    return BadInput(Problem(message=f"git cannot open this repository: {found.message}", path=path))
