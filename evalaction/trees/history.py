"""Commits and history that a clone lacks: fetched from ``origin``, a bounded number of times.

I/O: git's own network access, with the credentials that the clone has. A clone with its whole history
keeps it: depths are given to a clone alone that is shallow already.
"""

from __future__ import annotations

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.tree import is_oid
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import commit_of, github_name, merge_base, remote_refs

FETCH_TIMEOUT_S = 120
"""Longest time for one fetch."""
DEEPENINGS = (50, 500, 5000)
"""Commits that each further attempt adds to a shallow history."""
FETCH_REMEDY = "Check out with fetch-depth: 0 (on a desk: git fetch --unshallow)."
"""What to do when a commit cannot be had."""

_FETCH = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")


@frozen
class Found:
    """A commit, or why there is none."""

    sha: str | None
    """Full id, of a commit that this clone has now."""
    why: str = ""
    """A clause that says why there is none; empty when there is one. Untrusted text."""
    remedy: str | None = None
    """What to do so that there is one; None when nothing is known to help."""
    is_final: bool = False
    """Whether there is none anywhere, so that nobody else has to be asked."""


def remedy_for(repository: Repository) -> str | None:
    """Return what to do about a commit that a clone lacks: a whole history does not get longer."""
    return FETCH_REMEDY if repository.is_shallow() else None


def have_commit(repository: Repository, oid: str, *, at: str | None = None) -> Found:
    """Return the commit with this id, fetched by it when this clone lacks it.

    Args:
        repository: where it is wanted.
        oid: full id of the commit.
        at: a ref of ``origin`` that leads to it, for a server that gives no commit by its id; None for none.

    Raises:
        BadInput: this is no whole commit id.
    """
    if not is_oid(oid):
        raise BadInput(Problem(message=f"{oid!r} is not a whole commit id."))
    sha = oid if oid == repository.head else commit_of(repository.git, oid)
    if sha is not None:
        return Found(sha=sha)
    shallow, said = repository.is_shallow(), ""
    # What the ref leads to may have moved on since.
    for wanted, depth in ((oid, 1),) if at is None else ((oid, 1), (at, DEEPENINGS[0])):
        cut = (f"--depth={depth}",) if shallow else ()
        fetched = repository.git.attempt(*_FETCH, *cut, "origin", wanted, timeout_s=FETCH_TIMEOUT_S)
        sha = commit_of(repository.git, oid)
        if sha is not None:
            return Found(sha=sha)
        said = said or _said(fetched.message)
    why = f"commit {oid[:12]} is not in this clone, nor did a fetch bring it{said}"
    return Found(sha=None, why=why, remedy=FETCH_REMEDY if shallow else None)


def have_branch(repository: Repository, name: str) -> Found:
    """Return the commit that a branch or a tag of ``origin`` names, fetched when this clone lacks it.

    Args:
        repository: where it is wanted.
        name: as a person or a workflow gives it (see ``remote_refs``).
    """
    wanted = remote_refs(name)
    listed = repository.git.attempt("ls-remote", "--quiet", "origin", *wanted, timeout_s=FETCH_TIMEOUT_S)
    rows = [row.split("\t") for row in listed.line.split("\n") if row.count("\t") == 1]
    refs = {ref: oid for oid, ref in rows}
    for ref in wanted:
        if ref in refs:
            return have_commit(repository, refs[ref])
    why = f"origin has no branch or tag {github_name(name) or name}{_said(listed.message)}"
    return Found(sha=None, why=why, remedy=remedy_for(repository))


def have_merge_base(repository: Repository, one: str, other: str) -> Found:
    """Return the merge base of two commits of this clone, deepening a shallow history until they meet."""
    sha = merge_base(repository.git, one, other)
    said = ""
    for depth in DEEPENINGS:
        if sha is not None or not repository.is_shallow():
            break
        fetched = repository.git.attempt(*_FETCH, f"--deepen={depth}", "origin", one, other, timeout_s=FETCH_TIMEOUT_S)
        said = _said(fetched.message)
        # Asked whether or not the fetch ended well: one that was refused a commit may have brought the other's history.
        sha = merge_base(repository.git, one, other)
        if fetched.code != 0:
            break
    if sha is not None:
        return Found(sha=sha)
    if repository.is_shallow():
        why = f"the history of this clone ends before base and head meet{said}"
        return Found(sha=None, why=why, remedy=FETCH_REMEDY)
    return Found(sha=None, why="base and head have no commit in common", is_final=True)


def _said(message: str) -> str:
    return f" ({message})" if message else ""
