"""The pair of trees that a GitHub event compares.

I/O: asks git, fetches what the clone lacks, and asks GitHub's API for what no fetch brings. A pull request is
its merge commit and that commit's first parent, or head and the merge base of base and head; a push is what was
before it and what is after it. When the base cannot be had, the pair has none and a note says why: then every
case is affected, never no case.
"""

from __future__ import annotations

from dataclasses import replace

from evalaction.errors import BadInput, Problem
from evalaction.records.event import Event, PullRequest, Push
from evalaction.records.hub import Objects
from evalaction.records.tree import Pair, is_oid
from evalaction.trees.history import Found, have_commit
from evalaction.trees.objects import CommitTree
from evalaction.trees.pair import known_commit, make_pair, no_head, pair_without_base
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import commit_of, parents
from evalaction.trees.source import Source


def find_event_pair(
    repository: Repository, event: Event, *, objects: Objects | None = None, commit: str | None = None
) -> Pair:
    """Find the pair of an event.

    - A pull request, when the commit that is checked out is GitHub's merge of its head into its base: that commit
      and its first parent, which is all that the pull request changes, on top of today's base; a history of two
      commits is enough. Otherwise its head and the merge base of its base and head. Never the merge's first
      parent against the head commit: that would call undone what only the base has. A merge commit of the pull
      request's own can have its head for second parent and anything for first: only the runner tells which one is
      GitHub's.
    - A push or a merge group: the commit before and the commit after, as they are. A branch that is new has no base.
    - A schedule, ``workflow_dispatch`` and the like: what is checked out, without a base.

    Args:
        repository: the checkout.
        event: what started the run.
        objects: asked for what neither the clone has nor a fetch brings; None to do without.
        commit: full id of the commit that the runner says the run is for; None when it does not say, and then the
            merge's second parent alone is looked at.

    Raises:
        BadInput: the commit to be measured is not to be had, the folder is a submodule, or the event is
            ``workflow_run``, which measures nothing.
    """
    check_own(repository, event)
    source, checked_out = Source(repository=repository, objects=objects), known_commit(repository, "HEAD")
    if event.pull is not None:
        return _pull_pair(source, event.pull, checked_out=checked_out, commit=commit)
    if event.push is not None:
        what = "merge group" if event.name == "merge_group" else "push"
        return _push_pair(source, event.push, checked_out=checked_out, what=what)
    if event.origin is not None:
        # What is checked out may be a fork's, and this event does not tell: whoever asks gets nothing to draw.
        raise BadInput(Problem(message=f"A run for {event.name} measures nothing: it posts another run's report."))
    note = (
        f"A run for {event.name} compares nothing, so everything counts as affected. "
        "The input base names something to compare with."
    )
    head, notes = _measured(source, checked_out, checked_out=checked_out, what="commit that is checked out")
    return Pair(base=None, head=head, renames={}, notes=(*notes, note))


def check_own(repository: Repository, event: Event) -> None:
    """Check that the checkout is one of the repository that an event is of: a submodule has a history of its own.

    Raises:
        BadInput: it is a submodule that has none of the event's commits. GitHub's API would serve them, and what
            would be measured is another folder than the one that was named.
    """
    pull, push = event.pull, event.push
    named = [pull.head_sha, pull.base_sha] if pull is not None else []
    named += [push.after, push.before or ""] if push is not None else []
    oids = [oid for oid in named if is_oid(oid)]
    if not oids or any(commit_of(repository.git, oid) is not None for oid in oids) or not repository.is_submodule():
        return
    raise BadInput(
        Problem(
            path="working-directory",
            message="This folder is a submodule: it is of another repository than the event, whose commits it lacks.",
            remedy="Name a folder of the event's own repository, and check the submodule in its own workflow.",
        )
    )


def _pull_pair(source: Source, pull: PullRequest, *, checked_out: str, commit: str | None) -> Pair:
    lineage = parents(source.repository.git, checked_out)
    is_merge = len(lineage) == 2 and lineage[1] == pull.head_sha  # noqa: PLR2004 - a merge of two
    if is_merge and commit in (None, checked_out):
        merge, notes = _measured(source, checked_out, checked_out=checked_out, what="pull request's merge")
        pair = _pair(source, source.tree(lineage[0], ref=pull.base_ref), head=merge, notes=notes)
        return replace(pair, desk_head=pull.head_sha)
    at = f"refs/pull/{pull.number}/head"
    head, notes = _measured(source, pull.head_sha, checked_out=checked_out, what="pull request's head", at=at)
    base = source.fork_point(
        lambda: _pull_base(source.repository, pull), head=head.sha, ref=pull.base_ref, named=pull.base_sha
    )
    return _pair(source, base, head=head, notes=notes)


def _pull_base(repository: Repository, pull: PullRequest) -> Found:
    """Return the base commit of a pull request; where it is gone, that of its branch as this clone has it."""
    found = have_commit(repository, pull.base_sha)
    if found.sha is not None:
        return found
    branch = commit_of(repository.git, f"refs/remotes/origin/{pull.base_ref}")
    return found if branch is None else Found(sha=branch)


def _push_pair(source: Source, push: Push, *, checked_out: str, what: str) -> Pair:
    head, notes = _measured(source, push.after, checked_out=checked_out, what=f"{what}'s last commit")
    if push.before is None:
        note = (
            "The branch or tag is new: there is nothing before the push to compare with, so everything counts as "
            "affected. The input base names something to compare with."
        )
        return Pair(base=None, head=head, renames={}, notes=(*notes, note))
    return _pair(source, source.tree(push.before, ref=push.ref), head=head, notes=notes)


def _measured(
    source: Source, oid: str, *, checked_out: str, what: str, at: str | None = None
) -> tuple[CommitTree, tuple[str, ...]]:
    """Return the tree of the commit to be measured, and a note when it is not what is checked out, or GitHub lists it.

    Raises:
        BadInput: it is not to be had. Measuring something else would be worse than measuring nothing.
    """
    tree = source.tree(oid, ref=oid, at=at)
    if isinstance(tree, Found):
        raise no_head(what, tree)
    how = "was read through GitHub's API" if tree.is_served else "was read"
    if tree.sha != checked_out:
        return tree, (f"The {what} {tree.sha[:12]} {how}; {checked_out[:12]} is checked out.",)
    notes = (f"The {what} {tree.sha[:12]} {how}: this clone lacks parts of it.",) if tree.is_served else ()
    return replace(tree, ref="HEAD"), notes


def _pair(source: Source, base: CommitTree | Found, *, head: CommitTree, notes: tuple[str, ...]) -> Pair:
    if isinstance(base, Found):
        return pair_without_base(head, missing=base, notes=notes)
    return make_pair(source.repository, base=base, head=head, notes=notes)
