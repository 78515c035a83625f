"""The pair of trees that a run compares, from what was asked or from what a GitHub event says.

I/O: asks git, and fetches what a clone lacks (see ``history``). A pair is one of two: a pull request's
merge commit and that commit's first parent, or head and the merge base of base and head. When the base
cannot be had, the pair has none and a note says why: then every case is affected, never no case.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from evalaction.errors import BadInput, Problem
from evalaction.records.settings import WORKTREE
from evalaction.records.tree import Pair
from evalaction.trees.history import Found, have_branch, have_commit, have_merge_base
from evalaction.trees.objects import CommitTree
from evalaction.trees.renames import renames_between, renames_to_worktree
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import (
    branch_name,
    check_revision,
    commit_named,
    commit_of,
    current_branch,
    default_branch,
    is_oid,
    parents,
)
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
    head_sha = _known(repository, head_ref)
    tree: CommitTree | WorkTree
    tree = read_worktree(repository.git, repository.blobs) if on_disk else repository.commit(head_sha, ref=head_ref)
    asked = _default_base(repository, on_disk=on_disk, head=head_sha) if base is None else _asked_base(repository, base)
    if asked.found.sha is not None:
        asked = _Base(ref=asked.ref, found=have_merge_base(repository, asked.found.sha, head_sha))
    return _pair(repository, base=asked, head=tree)


def find_event_pair(repository: Repository, *, base_sha: str, head_sha: str, base_ref: str) -> Pair:
    """Find the pair of a ``pull_request`` event.

    If the commit that is checked out is the merge of the pull request's head into its base, the pair is that
    commit and its first parent: all that the pull request changes, on top of today's base; a history of two
    commits is enough. Otherwise it is the pull request's head and the merge base of its base and head.
    Never the merge's first parent against the head commit: that would call undone what only the base has.

    Args:
        repository: the checkout.
        base_sha: ``pull_request.base.sha``.
        head_sha: ``pull_request.head.sha``.
        base_ref: ``pull_request.base.ref``, the short name of the base branch.

    Raises:
        BadInput: the pull request's head is not in this clone and cannot be fetched.
    """
    checked_out = _known(repository, "HEAD")
    lineage = parents(repository.git, checked_out)
    if len(lineage) == 2 and lineage[1] == head_sha:  # noqa: PLR2004 - a merge of two
        merged = _Base(ref=base_ref, found=have_commit(repository, lineage[0]))
        return replace(
            _pair(repository, base=merged, head=repository.commit(checked_out, ref="HEAD")), desk_head=head_sha
        )
    head = have_commit(repository, head_sha)
    if head.sha is None:
        message = f"The pull request's head cannot be had: {head.why}."
        raise BadInput(Problem(message=message, remedy=head.remedy))
    base = have_commit(repository, base_sha)
    branch = commit_of(repository.git, f"refs/remotes/origin/{base_ref}") if base.sha is None else None
    if branch is not None:
        base = Found(sha=branch)
    if base.sha is not None:
        base = have_merge_base(repository, base.sha, head.sha)
    same = head.sha == checked_out
    notes = () if same else (f"The pull request's head {head.sha[:12]} was read; {checked_out[:12]} is checked out.",)
    tree = repository.commit(head.sha, ref="HEAD" if same else head.sha)
    return _pair(repository, base=_Base(ref=base_ref, found=base), head=tree, notes=notes)


def _pair(repository: Repository, *, base: _Base, head: CommitTree | WorkTree, notes: tuple[str, ...] = ()) -> Pair:
    """Make the pair; without a base, the note says why and what to do."""
    if base.found.sha is None:
        remedy = f" {base.found.remedy}" if base.found.remedy else ""
        note = f"{NO_BASE}{remedy} The cause: {base.found.why}."
        return Pair(base=None, head=head, renames={}, notes=(*notes, note))
    tree = repository.commit(base.found.sha, ref=base.ref)
    if isinstance(head, WorkTree):
        renames = renames_to_worktree(repository, tree, head)
    else:
        renames = renames_between(repository, tree.sha, head.sha)
        if tree.sha == head.sha:
            notes = (*notes, f"Base and head are the same commit, {head.sha[:12]}: there is nothing to compare.")
    return Pair(base=tree, head=head, renames=renames, notes=notes)


def _known(repository: Repository, revision: str) -> str:
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
    return _Base(ref=base, found=Found(sha=_known(repository, base)))


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
    return _Base(ref=branch, found=Found(sha=_known(repository, branch)))
