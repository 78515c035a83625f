"""Commits and history that a clone lacks: fetched from ``origin``, a bounded number of times.

I/O: git's own network access, with the credentials that the clone has. A clone with its whole history
keeps it: depths are given to a clone alone that is shallow already.
"""

from __future__ import annotations

from dataclasses import dataclass

from evalaction.errors import BadInput, Problem
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import commit_of, is_oid, merge_base

FETCH_TIMEOUT_S = 120
"""Longest time for one fetch."""
DEEPENINGS = (50, 500, 5000)
"""Commits that each further attempt adds to a shallow history."""
_REMEDY = "Check out with fetch-depth: 0 (on a desk: git fetch --unshallow)."

_FETCH = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A commit, or why there is none."""

    sha: str | None
    """Full id, of a commit that this clone has now."""
    why: str = ""
    """A clause that says why there is none; empty when there is one. Untrusted text."""
    remedy: str | None = None
    """What to do so that there is one; None when there is nothing to be done."""


def have_commit(repository: Repository, oid: str) -> Found:
    """Return the commit with this id, fetched by it when this clone lacks it.

    Raises:
        BadInput: this is no whole commit id.
    """
    if not is_oid(oid):
        raise BadInput(Problem(message=f"{oid!r} is not a whole commit id."))
    sha = commit_of(repository.git, oid)
    if sha is not None:
        return Found(sha=sha)
    depth = ("--depth=1",) if repository.is_shallow() else ()
    fetched = repository.git.attempt(*_FETCH, *depth, "origin", oid, timeout_s=FETCH_TIMEOUT_S)
    sha = commit_of(repository.git, oid)
    if sha is not None:
        return Found(sha=sha)
    why = f"commit {oid[:12]} is not in this clone, nor did a fetch bring it{_said(fetched.message)}"
    return Found(sha=None, why=why, remedy=_REMEDY)


def have_branch(repository: Repository, name: str) -> Found:
    """Return the commit that a branch or a tag of ``origin`` names, fetched when this clone lacks it."""
    wanted = [f"refs/heads/{name}", f"refs/tags/{name}"]
    listed = repository.git.attempt("ls-remote", "--quiet", "origin", *wanted, timeout_s=FETCH_TIMEOUT_S)
    rows = [row.split("\t") for row in listed.line.split("\n") if row.count("\t") == 1]
    refs = {ref: oid for oid, ref in rows}
    for ref in wanted:
        if ref in refs:
            return have_commit(repository, refs[ref])
    return Found(sha=None, why=f"origin has no branch or tag {name}{_said(listed.message)}", remedy=_REMEDY)


def have_merge_base(repository: Repository, one: str, other: str) -> Found:
    """Return the merge base of two commits of this clone, deepening a shallow history until they meet."""
    sha = merge_base(repository.git, one, other)
    said = ""
    for depth in DEEPENINGS:
        if sha is not None or not repository.is_shallow():
            break
        fetched = repository.git.attempt(*_FETCH, f"--deepen={depth}", "origin", one, other, timeout_s=FETCH_TIMEOUT_S)
        said = _said(fetched.message)
        if fetched.code != 0:
            break
        sha = merge_base(repository.git, one, other)
    if sha is not None:
        return Found(sha=sha)
    if repository.is_shallow():
        why = f"the history of this clone ends before base and head meet{said}"
        return Found(sha=None, why=why, remedy=_REMEDY)
    return Found(sha=None, why="base and head have no commit in common")


def _said(message: str) -> str:
    return f" ({message})" if message else ""
