"""The pair of trees that a run compares, from what was asked: head, and the merge base of base and head.

I/O: asks git, and fetches what a clone lacks (see ``history``). When the base cannot be had, the pair has
none and a note says why: then every case is affected, never no case. What a GitHub event compares is found in
``event_pair``.
"""

from __future__ import annotations

from dataclasses import dataclass

from evalaction.errors import BadInput, Problem
from evalaction.records.settings import WORKTREE
from evalaction.records.tree import Pair, Tree, is_oid
from evalaction.trees.history import Found, have_branch, have_commit, have_merge_base
from evalaction.trees.objects import CommitTree
from evalaction.trees.renames import exact_renames, renames_between, renames_to_worktree
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import (
    branch_name,
    check_revision,
    commit_named,
    current_branch,
    default_branch,
)
from evalaction.trees.served import ServedTree
from evalaction.trees.worktree import WorkTree, read_worktree

NO_BASE = "There is no base to compare with, so every case counts as affected."


@dataclass(frozen=True, kw_only=True, slots=True)
class _Base:
    """The base as it was asked for."""

    ref: str
    found: Found


def find_pair(repository: Repository, *, base: str | None = None, head: str | None = None) -> Pair:
    """Find the pair that a person asks for.

    Args:
        repository: where to look.
        base: a revision, ``x`` or ``origin/x``; the tree compared with is that of the merge base of base and
            head. None: of the default branch and head, or HEAD itself when the work tree is on that branch.
        head: a revision, or ``WORKTREE`` for the files on disk. None: the files on disk.

    Raises:
        BadInput: a revision is unknown, or there is no default branch to compare with.
    """
    on_disk = head is None or head == WORKTREE
    head_ref = "HEAD" if head is None or on_disk else head
    head_sha = known_commit(repository, head_ref)
    tree: CommitTree | WorkTree
    tree = read_worktree(repository.git, repository.blobs) if on_disk else repository.commit(head_sha, ref=head_ref)
    asked = _default_base(repository, on_disk=on_disk, head=head_sha) if base is None else _asked_base(repository, base)
    found = asked.found
    if found.sha is not None:
        found = have_merge_base(repository, found.sha, head_sha)
    if found.sha is None:
        return pair_without_base(tree, missing=found)
    return make_pair(repository, base=repository.commit(found.sha, ref=asked.ref), head=tree)


def make_pair(
    repository: Repository,
    *,
    base: CommitTree | ServedTree,
    head: CommitTree | ServedTree | WorkTree,
    notes: tuple[str, ...] = (),
) -> Pair:
    """Make a pair of two trees: with the renames between them, and a note where they are one commit."""
    if isinstance(head, WorkTree):
        if isinstance(base, ServedTree):
            raise TypeError("a work tree is compared with what its clone has")
        return Pair(base=base, head=head, renames=renames_to_worktree(repository, base, head), notes=notes)
    if isinstance(base, CommitTree) and isinstance(head, CommitTree):
        renames = renames_between(repository, base.sha, head.sha)
    else:
        renames = exact_renames(base.oids, head.oids)
    if base.sha == head.sha:
        notes = (*notes, f"Base and head are the same commit, {head.sha[:12]}: there is nothing to compare.")
    return Pair(base=base, head=head, renames=renames, notes=notes)


def pair_without_base(head: Tree, *, missing: Found, notes: tuple[str, ...] = ()) -> Pair:
    """Make a pair that has no base; the note says why, and what to do so that there is one."""
    remedy = f" {missing.remedy}" if missing.remedy else ""
    return Pair(base=None, head=head, renames={}, notes=(*notes, f"{NO_BASE}{remedy} The cause: {missing.why}."))


def known_commit(repository: Repository, revision: str) -> str:
    """Return the commit that a revision names, fetched if a shallow clone lacks it.

    Raises:
        BadInput: there is none.
    """
    sha = commit_named(repository.git, revision)
    if sha is not None:
        return sha
    if not repository.is_shallow():
        remedy = "See `git branch --all` and `git tag` for what there is."
        raise BadInput(Problem(message=f"This repository has no revision {revision!r}.", remedy=remedy))
    found = have_commit(repository, revision) if is_oid(revision) else have_branch(repository, revision)
    if found.sha is None:
        message = f"This shallow clone has no revision {revision!r}: {found.why}."
        raise BadInput(Problem(message=message, remedy=found.remedy))
    return found.sha


def _asked_base(repository: Repository, base: str) -> _Base:
    """Return the base that was named. One that a shallow clone lacks by its id is none; a wrong name is an error."""
    check_revision(base)
    if is_oid(base) and repository.is_shallow():
        return _Base(ref=base, found=have_commit(repository, base))
    return _Base(ref=base, found=Found(sha=known_commit(repository, base)))


def _default_base(repository: Repository, *, on_disk: bool, head: str) -> _Base:
    """Return HEAD for a work tree that is on the default branch, the default branch otherwise.

    Raises:
        BadInput: there is no default branch to be found.
    """
    branch = default_branch(repository.git)
    if branch is None:
        raise BadInput(
            Problem(
                message="There is no default branch to compare with: neither origin/HEAD nor a main or master.",
                remedy="Name the base (--base), and in a workflow check out with fetch-depth: 0.",
            )
        )
    if on_disk and current_branch(repository.git) == branch_name(branch):
        return _Base(ref="HEAD", found=Found(sha=head))
    return _Base(ref=branch, found=Found(sha=known_commit(repository, branch)))
