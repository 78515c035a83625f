"""The pair of trees that a run compares, from what was asked: head, and the merge base of base and head.

I/O: asks git, fetches what a clone lacks, and asks GitHub's API for what no fetch brings (see ``source``). When the
base cannot be had, the pair has none and a note says why: then every case is affected, never no case. What a GitHub
event compares is found in ``event_pair``.
"""

from __future__ import annotations

from dataclasses import replace

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.hub import HubFailure, Objects
from evalaction.records.settings import WORKTREE
from evalaction.records.tree import Pair, Tree, is_oid
from evalaction.trees.history import Found, have_branch, have_commit
from evalaction.trees.objects import CommitTree
from evalaction.trees.renames import UNSURE, find_renames
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import (
    branch_name,
    check_revision,
    commit_named,
    default_branch,
    github_name,
)
from evalaction.trees.source import Source
from evalaction.trees.worktree import WorkTree, read_worktree

NO_BASE = "There is no base to compare with, so everything counts as affected."


@frozen
class _Base:
    """The base as it was asked for."""

    ref: str
    found: Found
    named: str | None
    """What GitHub calls it; None where it has no name there."""


def find_pair(
    repository: Repository, *, base: str | None = None, head: str | None = None, objects: Objects | None = None
) -> Pair:
    """Find the pair that a person asks for.

    Args:
        repository: where to look.
        base: a revision, ``x`` or ``origin/x``; the tree compared with is that of the merge base of base and
            head. None: of the default branch and head, or HEAD itself when the work tree is on that branch.
        head: a revision, or ``WORKTREE`` for the files on disk. None: the files on disk.
        objects: asked for what neither the clone has nor a fetch brings; None to do without.

    Raises:
        BadInput: a revision is unknown, there is no default branch to compare with, or head cannot be had.
    """
    source = Source(repository=repository, objects=objects)
    tree, head_sha, notes = find_head(source, WORKTREE if head is None else head)
    on_disk = isinstance(tree, WorkTree)
    asked = _default_base(repository, on_disk=on_disk, head=head_sha) if base is None else _asked_base(repository, base)
    found = source.fork_point(lambda: asked.found, head=head_sha, ref=asked.ref, named=asked.named)
    if isinstance(found, CommitTree):
        return make_pair(repository, base=found, head=tree, notes=notes)
    if base is not None and asked.found.sha is None and not is_oid(base):
        raise _unknown(base, found)
    return pair_without_base(tree, missing=found, notes=notes)


def find_head(source: Source, head: str) -> tuple[CommitTree | WorkTree, str, tuple[str, ...]]:
    """Return the tree to be measured, the commit whose history it has, and a note where GitHub lists it.

    Args:
        source: where to look.
        head: a revision, or ``WORKTREE``.

    Raises:
        BadInput: it is unknown, or it cannot be had.
    """
    repository = source.repository
    if head == WORKTREE:
        tree = read_worktree(repository.git, repository.blobs, objects=source.objects)
        return tree, repository.head, ()
    sha = head if is_oid(head) else known_commit(repository, head)
    found = source.tree(sha, ref=head)
    if isinstance(found, Found):
        raise no_head("head", found)
    notes = (f"The head {found.sha[:12]} was read through GitHub's API.",) if found.is_served else ()
    return found, found.sha, notes


def make_pair(
    repository: Repository, *, base: CommitTree, head: CommitTree | WorkTree, notes: tuple[str, ...] = ()
) -> Pair:
    """Make a pair of two trees: with the renames between them, and notes on where base comes from or is head.

    Args:
        repository: asked for the renames.
        base: the tree before the change.
        head: the tree with the change.
        notes: what a reader must know already.

    Raises:
        BadInput: git cannot tell the renames.
    """
    renames, unsure = find_renames(repository, base, head)
    notes = (*notes, *_served_notes(base), *unsure)
    if base.sha == head.sha:
        notes = (*notes, f"Base and head are the same commit, {base.sha[:12]}: there is nothing to compare.")
    return Pair(base=replace(base, is_base=True), head=head, renames=renames, notes=notes)


def pair_without_base(head: Tree, *, missing: Found, notes: tuple[str, ...] = ()) -> Pair:
    """Make a pair that has no base; the note says why, and what to do so that there is one."""
    remedy = f" {missing.remedy}" if missing.remedy else ""
    return Pair(base=None, head=head, renames={}, notes=(*notes, f"{NO_BASE}{remedy} The cause: {missing.why}."))


def without_base(pair: Pair, failure: HubFailure) -> Pair:
    """Return the pair without its base, of which a content could not be had when it was read.

    Args:
        pair: as it was found.
        failure: raised by the base's ``read``.
    """
    base = pair.base if isinstance(pair.base, CommitTree) else None
    served = () if base is None else _served_notes(base)
    if base is not None and base.is_served:
        why, remedy = f"GitHub's API stopped serving it ({failure.message})", base.remedy
    else:
        why = f"a content of it cannot be had: {failure.message}"
        remedy = None if base is None else base.blobs.remedy
    missing = Found(sha=None, why=why, remedy=remedy)
    notes = tuple(note for note in pair.notes if note not in served and not note.startswith(UNSURE))
    return replace(pair_without_base(pair.head, missing=missing, notes=notes), desk_head=pair.desk_head)


def known_commit(repository: Repository, revision: str) -> str:
    """Return the commit that a revision names, fetched if the clone lacks it.

    Raises:
        BadInput: there is none.
    """
    found = _find_commit(repository, revision)
    if found.sha is None:
        raise _unknown(revision, found)
    return found.sha


def no_head(what: str, missing: Found) -> BadInput:
    """Return the error for a commit to be measured that cannot be had."""
    return BadInput(Problem(message=f"The {what} cannot be had: {missing.why}.", remedy=missing.remedy))


def _find_commit(repository: Repository, revision: str) -> Found:
    """Return the commit that a revision names. A name that a whole history lacks is looked for nowhere else."""
    sha = repository.head if revision == "HEAD" else commit_named(repository.git, revision)
    if sha is not None:
        return Found(sha=sha)
    if is_oid(revision):
        return have_commit(repository, revision)
    if repository.is_shallow():
        return have_branch(repository, revision)
    remedy = "See `git branch --all` and `git tag` for what there is."
    return Found(sha=None, remedy=remedy, is_final=True)


def _unknown(revision: str, missing: Found) -> BadInput:
    kind, cause = ("clone", f": {missing.why}") if missing.why else ("repository", "")
    return BadInput(Problem(message=f"This {kind} has no revision {revision!r}{cause}.", remedy=missing.remedy))


def _asked_base(repository: Repository, base: str) -> _Base:
    """Return the base that was named. One that cannot be had by its id is none; a wrong name is an error.

    Raises:
        BadInput: it cannot be a revision, or this whole history has none of that name.
    """
    check_revision(base)
    found = _find_commit(repository, base)
    if found.is_final:
        raise _unknown(base, found)
    return _Base(ref=base, found=found, named=found.sha or (base if is_oid(base) else github_name(base)))


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
    if on_disk and repository.branch == f"refs/heads/{branch_name(branch)}":
        return _Base(ref="HEAD", found=Found(sha=head), named=head)
    sha = known_commit(repository, branch)
    return _Base(ref=branch, found=Found(sha=sha), named=sha)


def _served_notes(base: CommitTree) -> tuple[str, ...]:
    """Return the note about a base that GitHub lists."""
    if not base.is_served:
        return ()
    about = "This clone lacks it; of renamed files only those without an edit are known."
    return (f"The base {base.sha[:12]} was read through GitHub's API. {about}",)


def differs(pair: Pair, path: str) -> bool:
    """Return whether a file differs between the sides; one that is missing on both does not."""
    if pair.base is None:
        return False
    sides = [tree.read(path) if path in tree.entries else None for tree in (pair.base, pair.head)]
    return sides[0] != sides[1]
