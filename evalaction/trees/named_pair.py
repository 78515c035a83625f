"""The pair of trees that a workflow names; what it leaves open is the event's.

I/O: asks git, may fetch, and asks GitHub's API for what no fetch brings.
"""

from __future__ import annotations

from evalaction.errors import BadInput, Problem
from evalaction.records.event import Event, PullRequest
from evalaction.records.hub import Objects
from evalaction.records.settings import WORKTREE
from evalaction.records.tree import Pair
from evalaction.trees.event_pair import check_own
from evalaction.trees.pair import find_head, find_pair, known_commit
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import parents
from evalaction.trees.source import Source

NOTHING_NAMED = (
    "Neither the input base nor the event names something to compare with, so every case counts as affected."
)


def find_named_pair(
    repository: Repository, event: Event, *, base: str | None, head: str | None, objects: Objects | None = None
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

    Raises:
        BadInput: a revision is unknown, a named head is not the pull request's own, or the folder is a submodule.
    """
    if event.pull is not None or base is None:
        check_own(repository, event)
    head = head or _head_of(repository, event)
    if base is None and event.pull is not None:
        base = event.pull.base_sha
    if base is None and event.push is not None:
        base = event.push.before
    if event.pull is not None and head != WORKTREE:
        _check_head(repository, event.pull, head)
    if base is not None:
        return find_pair(repository, base=base, head=head, objects=objects)
    tree, _, notes = find_head(Source(repository=repository, objects=objects), head)
    return Pair(base=None, head=tree, renames={}, notes=(*notes, NOTHING_NAMED))


def _head_of(repository: Repository, event: Event) -> str:
    """Return what is measured where no head is named."""
    pull = event.pull
    if pull is None or _shows(repository, known_commit(repository, "HEAD"), pull):
        return "HEAD"
    return pull.head_sha


def _check_head(repository: Repository, pull: PullRequest, head: str) -> None:
    """Check that a named head shows what the pull request changes.

    A branch's name is the base repository's, even where the pull request comes from a branch of that name in a fork:
    measuring it would call the pull request unaffected whatever it changes.

    Raises:
        BadInput: it does not.
    """
    if head == pull.head_sha:  # though the clone may lack it
        return
    sha = known_commit(repository, head)
    if not _shows(repository, sha, pull):
        message = (
            f"{head} is {sha[:12]}, and neither the pull request's head {pull.head_sha[:12]} nor GitHub's merge of it: "
            "nothing of the pull request would be measured."
        )
        remedy = "Leave the input head empty, or name ${{ github.event.pull_request.head.sha }}."
        raise BadInput(Problem(path="head", message=message, remedy=remedy))


def _shows(repository: Repository, sha: str, pull: PullRequest) -> bool:
    """Return whether a commit is a pull request's head, or the merge of it into something."""
    lineage = parents(repository.git, sha)
    return sha == pull.head_sha or (len(lineage) == 2 and lineage[1] == pull.head_sha)  # noqa: PLR2004 - a merge of two
