"""A pull request in a real repository, and checkouts of it as a workflow makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from support.gitrepo import Repo, new_repo

from evalaction.records.event import Event
from evalaction.records.event import PullRequest as PullEvent
from evalaction.records.tree import Pair

Files = Mapping[str, str | bytes]
"""Path → content."""
BASE: Files = {"a": "a0", "b": "b0"}
HEADS: tuple[Files, ...] = ({"a": "a1"}, {"a": "a2"})
MAIN: Files = {"b": "b1"}


@dataclass(frozen=True, kw_only=True)
class PullRequest:
    """Main is at ``m0``; the pull request changes files; then main (``m1``) goes on; ``merge`` is GitHub's own."""

    origin: Repo
    m0: str
    m1: str
    head: str
    merge: str
    number: int = 1
    branch: str = "pr"

    @property
    def ref(self) -> str:
        """Where GitHub keeps the merge."""
        return f"refs/pull/{self.number}/merge"

    def event(self, name: str = "pull_request", *, base_sha: str | None = None, head_sha: str | None = None) -> Event:
        """Return the event that GitHub sends for it, with other ids where they are given."""
        pull = PullEvent(
            number=self.number,
            base_sha=base_sha or self.m1,
            base_ref="main",
            head_sha=head_sha or self.head,
            from_fork=False,
        )
        return Event(name=name, pull=pull)

    def pushed(self, files: Files) -> PullRequest:
        """Change files on its branch, and return what it is then."""
        self.origin.git("switch", "--quiet", self.branch)
        head = self.origin.commit(files)
        self.origin.git("switch", "--quiet", "main")
        return replace(self, head=head, merge=merged(self.origin, base=self.m1, head=head, number=self.number))


def new_pull(
    path: Path,
    *,
    base: Files = BASE,
    heads: Sequence[Files] = HEADS,
    main: Files = MAIN,
    number: int = 1,
    branch: str = "pr",
) -> PullRequest:
    """Make the repository that a pull request goes to.

    Args:
        path: of a folder that is not there yet.
        base: files where the pull request began.
        heads: files that each of its commits changes.
        main: files that the branch ``main`` changed since.
        number: of the pull request.
        branch: its own.
    """
    origin = new_repo(path)
    m0 = origin.commit(base)
    origin.git("switch", "--quiet", "--create", branch)
    head = [origin.commit(files) for files in heads][-1]
    origin.git("switch", "--quiet", "main")
    m1 = origin.commit(main)
    merge = merged(origin, base=m1, head=head, number=number)
    return PullRequest(origin=origin, m0=m0, m1=m1, head=head, merge=merge, number=number, branch=branch)


def merged(origin: Repo, *, base: str, head: str, number: int) -> str:
    """Merge a pull request's head into its base as GitHub does, beside all branches, and return the merge's id."""
    tree = origin.git("merge-tree", "--write-tree", base, head)
    merge = origin.git("commit-tree", "-p", base, "-p", head, "-m", "Merge pr into main", tree)
    origin.git("update-ref", f"refs/pull/{number}/merge", merge)
    origin.git("update-ref", f"refs/pull/{number}/head", head)
    return merge


def checkout(pull: PullRequest, path: Path, *, ref: str, depth: int) -> Repo:
    """Check out as a workflow does: no branch, one ref, a cut history (depth 0: all of it, with all branches)."""
    repo = new_repo(path)
    repo.git("remote", "add", "origin", pull.origin.url)
    cut = [f"--depth={depth}"] if depth else ["+refs/heads/*:refs/remotes/origin/*"]
    repo.git("fetch", "--quiet", "--no-tags", "origin", *cut, f"+{ref}:refs/remotes/pull/1/merge")
    repo.git("checkout", "--quiet", "--detach", "refs/remotes/pull/1/merge")
    return repo


def shas(pair: Pair) -> tuple[str | None, str | None]:
    """Return the ids of base and head."""
    return (pair.base.sha if pair.base else None, pair.head.sha)
