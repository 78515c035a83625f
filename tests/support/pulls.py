"""A pull request in a real repository, and checkouts of it as a workflow makes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from support.gitrepo import Repo, new_repo

from evalaction.records.event import Event
from evalaction.records.event import PullRequest as PullEvent
from evalaction.records.tree import Pair


@dataclass(frozen=True)
class PullRequest:
    """``m0`` on main; the pull request changes a; then main (``m1``) changes b; ``merge`` is GitHub's own."""

    origin: Repo
    m0: str
    m1: str
    head: str
    merge: str

    def event(self, name: str = "pull_request", *, base_sha: str | None = None, head_sha: str | None = None) -> Event:
        """Return the event that GitHub sends for it, with other ids where they are given."""
        pull = PullEvent(
            number=1,
            base_sha=base_sha or self.m1,
            base_ref="main",
            head_sha=head_sha or self.head,
            head_ref="pr",
            from_fork=False,
        )
        return Event(name=name, pull=pull)


def new_pull(path: Path) -> PullRequest:
    """Make the repository that the pull request goes to."""
    origin = new_repo(path)
    m0 = origin.commit({"a": "a0", "b": "b0"})
    origin.git("switch", "--quiet", "-c", "pr")
    origin.commit({"a": "a1"})
    head = origin.commit({"a": "a2"})
    origin.git("switch", "--quiet", "main")
    m1 = origin.commit({"b": "b1"})
    tree = origin.git("merge-tree", "--write-tree", "main", "pr")
    merge = origin.git("commit-tree", "-p", m1, "-p", head, "-m", "Merge pr into main", tree)
    origin.git("update-ref", "refs/pull/1/merge", merge)
    origin.git("update-ref", "refs/pull/1/head", head)
    return PullRequest(origin=origin, m0=m0, m1=m1, head=head, merge=merge)


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
