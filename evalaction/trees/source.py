"""Where the tree of a commit comes from: this clone, a fetch, GitHub's API, in this order.

I/O: asks git and fetches (see ``history``); asks GitHub for a commit's paths where the clone lacks the commit or a
folder of it. A content is had when it is read (see ``objects``): of two trees that differ in a few files, GitHub is
asked for those few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from evalaction.frozen import frozen
from evalaction.records.hub import HubFailure, Objects, Refusal
from evalaction.records.tree import EntryKind, is_oid
from evalaction.trees.history import Found, have_commit, have_merge_base, remedy_for
from evalaction.trees.objects import Blobs, CommitTree, Missing
from evalaction.trees.repository import Repository
from evalaction.trees.revisions import commit_of


@frozen
class Source:
    """One repository's commits, from wherever they can be had."""

    repository: Repository
    """The checkout."""
    objects: Objects | None
    """GitHub's side of it; None to do without."""

    def commit(self, sha: str, *, ref: str) -> CommitTree | Found:
        """Return the tree of a commit that this clone has, though it may lack folders of it; or why there is none.

        Args:
            sha: full id.
            ref: the revision as it was asked for.
        """
        try:
            return self.repository.commit(sha, ref=ref, objects=self.objects)
        except Missing as error:
            missing = Found(sha=None, why=error.why, remedy=self.repository.blobs.remedy)
        return self._listed(sha, ref=ref, missing=missing)

    def tree(self, oid: str, *, ref: str, at: str | None = None) -> CommitTree | Found:
        """Return the tree of a commit, or why there is none.

        Args:
            oid: full id.
            ref: the revision as it was asked for.
            at: a ref of ``origin`` that leads to it (see ``have_commit``); None for none.

        Raises:
            BadInput: this is no whole commit id.
        """
        found = have_commit(self.repository, oid, at=at)
        if found.sha is not None:
            return self.commit(found.sha, ref=ref)
        return self._listed(oid, ref=ref, missing=found)

    def fork_point(
        self, find_base: Callable[[], Found], *, head: str, ref: str, named: str | None
    ) -> CommitTree | Found:
        """Return the tree of the merge base of base and head, or why there is none.

        Args:
            find_base: finds the base for this clone; not called where the clone lacks head.
            head: full id of the head commit.
            ref: the base as it was asked for.
            named: what GitHub calls the base, its id or its branch; None where it has no name there.
        """
        found = self._fork_point(find_base, head)
        if found.sha is not None:
            return self.commit(found.sha, ref=ref)
        if self.objects is None or named is None or found.is_final:
            return found
        try:
            sha = self.objects.merge_base(named, head)
        except HubFailure as failure:
            return _unhelped(found, failure)
        if is_oid(sha) and commit_of(self.repository.git, sha) is not None:
            return self.commit(sha, ref=ref)
        return self._listed(sha, ref=ref, missing=found)

    def _fork_point(self, find_base: Callable[[], Found], head: str) -> Found:
        if head != self.repository.head and commit_of(self.repository.git, head) is None:
            why = f"the head {head[:12]} is not in this clone, so that it knows of no merge base"
            return Found(sha=None, why=why, remedy=remedy_for(self.repository))
        base = find_base()
        return base if base.sha is None else have_merge_base(self.repository, base.sha, head)

    def _listed(self, sha: str, *, ref: str, missing: Found) -> CommitTree | Found:
        """Return the tree of a commit as GitHub lists it, or why there is none.

        Args:
            sha: full id, as GitHub or an event gives it.
            ref: the revision as it was asked for.
            missing: why the clone and a fetch were not enough.
        """
        if self.objects is None:
            return missing
        try:
            tree = read_served(self.objects, self.repository.blobs, sha=sha, ref=ref)
        except HubFailure as failure:
            return _unhelped(missing, failure)
        return replace(tree, remedy=missing.remedy)


def read_served(objects: Objects, blobs: Blobs, *, sha: str, ref: str) -> CommitTree:
    """List the tree of a commit at GitHub.

    Args:
        objects: GitHub's side of the repository.
        blobs: this clone's contents.
        sha: full id of the commit.
        ref: the revision as it was asked for.

    Raises:
        HubFailure: GitHub does not serve it, or names what is no object.
    """
    if not is_oid(sha):
        raise HubFailure(Refusal.UNSURE, "what it names is no commit")
    served = sorted(objects.entries(sha), key=lambda entry: entry.path.encode("utf-8", "surrogateescape"))
    if not all(is_oid(entry.oid) for entry in served):
        raise HubFailure(Refusal.UNSURE, f"the tree of {sha[:12]} names something that is no object")
    return CommitTree(
        sha=sha,
        ref=ref,
        entries={entry.path: entry.kind for entry in served},
        oids={entry.path: entry.oid for entry in served if entry.kind is EntryKind.FILE},
        blobs=blobs,
        objects=objects,
        is_served=True,
    )


def _unhelped(missing: Found, failure: HubFailure) -> Found:
    return replace(missing, why=f"{missing.why}; GitHub's API did not help ({failure.message})")
