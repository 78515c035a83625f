"""The pair of trees that a GitHub event compares.

I/O: asks git, fetches what the clone lacks, and asks GitHub's API for what no fetch brings. A pull request is
its merge commit and that commit's first parent, or head and the merge base of base and head; a push is what was
before it and what is after it. When the base cannot be had, the pair has none and a note says why: then every
case is affected, never no case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from evalaction.errors import BadInput, Problem
from evalaction.records.event import Event, PullRequest, Push
from evalaction.records.hub import HubFailure, Objects
from evalaction.records.tree import Pair, Tree, is_oid
from evalaction.trees.history import FETCH_REMEDY, Found, have_commit, have_merge_base
from evalaction.trees.objects import CommitTree
from evalaction.trees.pair import known_commit, make_pair, pair_without_base
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import commit_of, parents
from evalaction.trees.served import ServedTree, read_served


def find_event_pair(repository: Repository, event: Event, *, objects: Objects | None = None) -> Pair:
    """Find the pair of an event.

    - A pull request, when the commit that is checked out is the merge of its head into its base: that commit and
      its first parent, which is all that the pull request changes, on top of today's base; a history of two
      commits is enough. Otherwise its head and the merge base of its base and head. Never the merge's first
      parent against the head commit: that would call undone what only the base has.
    - A push or a merge group: the commit before and the commit after, as they are. A branch that is new has no base.
    - A schedule, ``workflow_dispatch`` and the like: what is checked out, without a base.

    Args:
        repository: the checkout.
        event: what started the run.
        objects: asked for what neither the clone has nor a fetch brings; None to do without.

    Raises:
        BadInput: the commit to be measured is not to be had, or the event is ``workflow_run``, which measures
            nothing.
    """
    source = _Source(repository=repository, objects=objects, checked_out=known_commit(repository, "HEAD"))
    if event.pull is not None:
        return _pull_pair(source, event.pull)
    if event.push is not None:
        return _push_pair(source, event.push, what="merge group" if event.name == "merge_group" else "push")
    if event.origin is not None:
        raise BadInput(
            Problem(
                message=f"A run for {event.name} names no two commits to compare.",
                remedy="Check on pull_request, and post that run's report here; or name the inputs base and head.",
            )
        )
    note = (
        f"A run for {event.name} compares nothing, so every case counts as affected. "
        "The input base names something to compare with."
    )
    return Pair(base=None, head=repository.commit(source.checked_out, ref="HEAD"), renames={}, notes=(note,))


def without_base(pair: Pair, failure: HubFailure) -> Pair:
    """Return the pair without its base, which GitHub serves and, when it was read, did not serve whole.

    Raises:
        BadInput: GitHub serves head as well, so that there is nothing to measure.
    """
    missing = Found(sha=None, why=f"GitHub's API stopped serving it ({failure.message})", remedy=FETCH_REMEDY)
    if isinstance(pair.head, ServedTree):
        raise _no_head("commit to be measured", missing)
    notes = tuple(note for note in pair.notes if note not in _served_notes(pair.base))
    return replace(pair_without_base(pair.head, missing=missing, notes=notes), desk_head=pair.desk_head)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Source:
    """Where commits come from: this clone, a fetch, GitHub's API, in this order."""

    repository: Repository
    objects: Objects | None
    checked_out: str
    """Id of the commit that HEAD is."""

    def tree(self, oid: str, *, ref: str, at: str | None = None) -> CommitTree | ServedTree | Found:
        """Return the tree of a commit, or why there is none."""
        found = have_commit(self.repository, oid, at=at)
        if found.sha is not None:
            return self.repository.commit(found.sha, ref=ref)
        return self._served(found, ref=ref, find=lambda _: oid)

    def fork_point(self, pull: PullRequest, *, head: CommitTree | ServedTree) -> CommitTree | ServedTree | Found:
        """Return the tree of the merge base of a pull request's base and head, or why there is none."""
        if isinstance(head, ServedTree):
            why = f"the head {head.sha[:12]} is not in this clone, so that it knows of no merge base"
            found = Found(sha=None, why=why, remedy=FETCH_REMEDY)
        else:
            found = have_commit(self.repository, pull.base_sha)
            if found.sha is None:
                branch = commit_of(self.repository.git, f"refs/remotes/origin/{pull.base_ref}")
                found = found if branch is None else Found(sha=branch)
            if found.sha is not None:
                found = have_merge_base(self.repository, found.sha, head.sha)
        if found.sha is not None:
            return self.repository.commit(found.sha, ref=pull.base_ref)
        return self._served(
            found, ref=pull.base_ref, find=lambda objects: objects.merge_base(pull.base_sha, pull.head_sha)
        )

    def _served(self, missing: Found, *, ref: str, find: Callable[[Objects], str]) -> CommitTree | ServedTree | Found:
        """Return the tree that GitHub's API helps to, or why there is none; a cause without a remedy is final.

        Args:
            missing: why the clone and a fetch were not enough.
            ref: the revision as it was asked for.
            find: finds the commit's id.
        """
        if self.objects is None or missing.remedy is None:
            return missing
        try:
            sha = find(self.objects)
            if is_oid(sha) and commit_of(self.repository.git, sha) is not None:
                return self.repository.commit(sha, ref=ref)
            return read_served(self.objects, self.repository.blobs, sha=sha, ref=ref)
        except HubFailure as failure:
            return replace(missing, why=f"{missing.why}; GitHub's API did not help ({failure.message})")

    def measured(
        self, oid: str, *, what: str, at: str | None = None
    ) -> tuple[CommitTree | ServedTree, tuple[str, ...]]:
        """Return the tree of the commit to be measured, and a note when it is not what is checked out.

        Raises:
            BadInput: it is not to be had. Measuring something else would be worse than measuring nothing.
        """
        tree = self.tree(oid, ref=oid, at=at)
        if isinstance(tree, Found):
            raise _no_head(what, tree)
        if tree.sha == self.checked_out:
            return replace(tree, ref="HEAD"), ()
        how = "was read through GitHub's API" if isinstance(tree, ServedTree) else "was read"
        return tree, (f"The {what} {tree.sha[:12]} {how}; {self.checked_out[:12]} is checked out.",)

    def pair(
        self, base: CommitTree | ServedTree | Found, *, head: CommitTree | ServedTree, notes: tuple[str, ...] = ()
    ) -> Pair:
        """Make the pair."""
        if isinstance(base, Found):
            return pair_without_base(head, missing=base, notes=notes)
        return make_pair(self.repository, base=base, head=head, notes=(*notes, *_served_notes(base)))


def _pull_pair(source: _Source, pull: PullRequest) -> Pair:
    lineage = parents(source.repository.git, source.checked_out)
    if len(lineage) == 2 and lineage[1] == pull.head_sha:  # noqa: PLR2004 - a merge of two
        merge = source.repository.commit(source.checked_out, ref="HEAD")
        pair = source.pair(source.tree(lineage[0], ref=pull.base_ref), head=merge)
        return replace(pair, desk_head=pull.head_sha)
    at = f"refs/pull/{pull.number}/head"
    head, notes = source.measured(pull.head_sha, what="pull request's head", at=at)
    return source.pair(source.fork_point(pull, head=head), head=head, notes=notes)


def _push_pair(source: _Source, push: Push, *, what: str) -> Pair:
    head, notes = source.measured(push.after, what=f"{what}'s last commit")
    if push.before is None:
        note = (
            "The branch or tag is new: there is nothing before the push to compare with, so every case counts as "
            "affected. The input base names something to compare with."
        )
        return Pair(base=None, head=head, renames={}, notes=(*notes, note))
    return source.pair(source.tree(push.before, ref=push.ref), head=head, notes=notes)


def _served_notes(base: Tree | None) -> tuple[str, ...]:
    if not isinstance(base, ServedTree):
        return ()
    about = "This clone lacks it; of renamed files only those without an edit are known."
    return (f"The base {base.sha[:12]} was read through GitHub's API. {about}",)


def _no_head(what: str, missing: Found) -> BadInput:
    return BadInput(Problem(message=f"The {what} cannot be had: {missing.why}.", remedy=missing.remedy))
