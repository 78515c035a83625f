"""The pair of trees of a job: what its workflow names, and what it leaves open, the event's.

I/O: asks git, may fetch, and asks GitHub's API for what no fetch brings.
"""

from __future__ import annotations

from evalaction.errors import BadInput, Problem
from evalaction.records.event import Event, PullRequest
from evalaction.records.hub import Objects
from evalaction.records.settings import WORKTREE
from evalaction.records.tree import Pair
from evalaction.trees.event_pair import check_own, find_event_pair
from evalaction.trees.pair import find_head, find_pair, known_commit
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import parents
from evalaction.trees.source import Source

NOTHING_NAMED = (
    "Neither the input base nor the event names something to compare with, so everything counts as affected."
)


def find_job_pair(
    repository: Repository,
    event: Event,
    *,
    base: str | None,
    head: str | None,
    objects: Objects | None = None,
    commit: str | None = None,
    may_be_same: bool = False,
) -> Pair:
    """Find the pair of a job: of what its workflow names, or else of its event.

    Args:
        repository: the checkout.
        event: what started the run.
        base: see ``find_named_pair``; None as well for both: the event's pair.
        head: the same.
        objects: the same.
        commit: the same.
        may_be_same: all cases are drawn anyway.

    Raises:
        BadInput: see ``find_named_pair`` and ``find_event_pair``; or base and head are one commit, and nothing would be
            compared. A pull request may bring nothing new; a branch held against itself would be green for ever.
    """
    named = base is not None or head is not None
    if named:
        pair = find_named_pair(repository, event, base=base, head=head, objects=objects, commit=commit)
    else:
        pair = find_event_pair(repository, event, objects=objects, commit=commit)
    if pair.same and (named or event.pull is None) and not may_be_same:
        raise _nothing_compared(f"Head {(pair.head.sha or '')[:12]} is base, or in it already")
    return pair


def check_edited(repository: Repository, pair: Pair) -> None:
    """Check that files on disk in which nothing is affected were not held against the very commit checked out.

    Raises:
        BadInput: they were.
    """
    if pair.head.sha is None and pair.base is not None and pair.base.sha == known_commit(repository, "HEAD"):
        raise _nothing_compared("The files on disk are those of base, as far as they are checked")


def _nothing_compared(what: str) -> BadInput:
    remedy = "Name an older commit, or draw all cases with force-run: true."
    return BadInput(Problem(path="base", message=f"{what}: nothing would be compared.", remedy=remedy))


def find_named_pair(
    repository: Repository,
    event: Event,
    *,
    base: str | None,
    head: str | None,
    objects: Objects | None = None,
    commit: str | None = None,
) -> Pair:
    """Find the pair of which one side at least is named.

    Args:
        repository: the checkout.
        event: what started the run.
        base: a revision, the tree compared with being that of its merge base with head; None: what the event was
            held against, and without such a thing there is no base.
        head: a revision, or ``WORKTREE`` for the files on disk. None: what is checked out; of a pull request its head
            where something else is checked out.
        objects: asked for what neither the clone has nor a fetch brings; None to do without.
        commit: the commit that the run is for, as the runner says: no other merge of a pull request's head is
            GitHub's own. None: not known.

    Raises:
        BadInput: a revision is unknown, a named head is not the pull request's own, or the folder is a submodule.
    """
    if event.pull is not None or base is None:
        check_own(repository, event)
    head = head or _head_of(repository, event, commit)
    if base is None and event.pull is not None:
        base = event.pull.base_sha
    if base is None and event.push is not None:
        base = event.push.before
    if event.pull is not None:
        _check_head(repository, event.pull, head, commit)
    if base is not None:
        return find_pair(repository, base=base, head=head, objects=objects)
    tree, _, notes = find_head(Source(repository=repository, objects=objects), head)
    return Pair(base=None, head=tree, renames={}, notes=(*notes, NOTHING_NAMED))


def _head_of(repository: Repository, event: Event, commit: str | None) -> str:
    """Return what is measured where no head is named."""
    pull = event.pull
    if pull is None or _shows(repository, known_commit(repository, "HEAD"), pull, commit):
        return "HEAD"
    return pull.head_sha


def _check_head(repository: Repository, pull: PullRequest, head: str, commit: str | None) -> None:
    """Check that a named head shows what the pull request changes.

    A branch's name is the base repository's, even where the pull request comes from a branch of that name in a fork:
    measuring it would call the pull request unaffected whatever it changes.

    Raises:
        BadInput: it does not.
    """
    if head == pull.head_sha:  # though the clone may lack it
        return
    sha = known_commit(repository, "HEAD" if head == WORKTREE else head)
    if not _shows(repository, sha, pull, commit):
        message = (
            f"{head} is {sha[:12]}, and neither the pull request's head {pull.head_sha[:12]} nor GitHub's merge of it: "
            "nothing of the pull request would be measured."
        )
        remedy = "Leave the input head empty, or name ${{ github.event.pull_request.head.sha }}."
        raise BadInput(Problem(path="head", message=message, remedy=remedy))


def _shows(repository: Repository, sha: str, pull: PullRequest, commit: str | None) -> bool:
    """Return whether a commit is a pull request's head, or GitHub's merge of it: the one that the run is for."""
    if sha == pull.head_sha:
        return True
    lineage = parents(repository.git, sha)
    return commit in (None, sha) and len(lineage) == 2 and lineage[1] == pull.head_sha  # noqa: PLR2004 - a merge of two
