"""Revisions: names turned into commits, what a commit's parents are, where two histories meet.

I/O: asks git about this clone; nothing is fetched here.
"""

from __future__ import annotations

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.records.tree import is_oid
from evalaction.trees.git import LOCAL_TIMEOUT_S, NO_FETCH, Git

DEFAULT_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)
"""Where the default branch is looked for, in this order: what the remote says before what it may be called."""

_PLACES = {
    "refs/remotes/origin/": "refs/heads/",
    "refs/heads/": "refs/heads/",
    "refs/tags/": "refs/tags/",
    "remotes/origin/": "refs/heads/",
    "heads/": "refs/heads/",
    "tags/": "refs/tags/",
    "origin/": "refs/heads/",
}
"""How a name may begin that says where it stands in a clone → where that is at the remote."""
_NO_NAME = late.pattern(r"[\s~^:?*\[\\]|@\{|\.\.")
"""What no branch's name holds."""


def check_revision(revision: str) -> None:
    """Refuse what git could take for something other than one revision. Pure.

    Raises:
        BadInput: it is empty, begins with ``-`` or ``^``, or holds a control character or ``..``.
    """
    if not revision or revision[0] in "-^" or ".." in revision or not revision.isprintable():
        raise BadInput(
            Problem(
                message=f"{revision!r} is not a revision.",
                remedy="Name one commit: a branch, a tag or a commit id.",
            )
        )


def commit_of(git: Git, revision: str) -> str | None:
    """Return the full id of the commit that a revision names; None when this clone has no such commit.

    A clone with a filter is not let fetch it: it would fetch the whole history behind it.

    Raises:
        BadInput: it cannot be a revision, or git refuses it for another reason than that it is unknown.
    """
    check_revision(revision)
    found = git.run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", accept=(0, 1), extra=NO_FETCH)
    return found.line if found.code == 0 and is_oid(found.line) else None


def commit_named(git: Git, revision: str) -> str | None:
    """Return what ``commit_of`` does, and look for a branch of that name of ``origin`` next.

    A workflow's checkout has the other branches under ``refs/remotes/origin/`` alone.
    """
    sha = commit_of(git, revision)
    for ref in remote_refs(revision):
        if sha is None and ref.startswith("refs/heads/"):
            sha = commit_of(git, f"refs/remotes/origin/{ref.removeprefix('refs/heads/')}")
    return sha


def remote_refs(name: str) -> tuple[str, ...]:
    """Return the refs of the remote that a name can mean, the likeliest first. Pure.

    ``origin/main``, ``refs/heads/main`` and ``refs/remotes/origin/main`` are a clone's names for the remote's ``main``.
    """
    known = tuple(there + name.removeprefix(here) for here, there in _PLACES.items() if name.startswith(here))
    if name.startswith("refs/"):
        return known or (name,)
    return (*known, f"refs/heads/{name}", f"refs/tags/{name}")


def github_name(revision: str) -> str | None:
    """Return what GitHub calls the branch or tag that a name means; None for what is no plain name. Pure."""
    ref = remote_refs(revision)[0]
    name = ref.removeprefix("refs/heads/")
    return None if name == ref or not name or _NO_NAME.search(name) else name


def parents(git: Git, commit: str) -> tuple[str, ...]:
    """Return the ids of a commit's parents, in order, as the commit itself has them.

    A shallow clone names them too, though it does not have them.
    """
    header = git.run("cat-file", "commit", commit).out.partition(b"\n\n")[0]
    lines = header.decode("utf-8", "replace").split("\n")
    return tuple(line.removeprefix("parent ") for line in lines if line.startswith("parent "))


def merge_base(git: Git, one: str, other: str) -> str | None:
    """Return the best common ancestor of two commits that this clone knows of; None when it knows none."""
    if one == other:
        return one
    found = git.run("merge-base", one, other, accept=(0, 1))
    return found.line if found.code == 0 else None


def default_branch(git: Git) -> str | None:
    """Return the default branch as a revision (``origin/main``, ``main``); None when there is none to be found.

    ``DEFAULT_BRANCHES`` in their order; then, without a remote, the only local branch, if there is but one. In a
    clone of a single branch the only local one is that branch, and held against itself nothing would be affected.
    """
    shown = "--format=%(refname) %(objecttype) %(symref)"
    listed = git.attempt("for-each-ref", shown, *DEFAULT_BRANCHES, timeout_s=LOCAL_TIMEOUT_S, extra=NO_FETCH)
    rows = [row.split(" ") for row in listed.line.split("\n") if row.count(" ") == 2]  # noqa: PLR2004 - as asked for
    targets = {name: target for name, kind, target in rows if kind == "commit"}
    for name in DEFAULT_BRANCHES:
        if name in targets:
            return _short(targets[name] or name)
        # Where git cannot read what one of them leads to, it tells of none.
        if listed.code != 0 and commit_of(git, name) is not None:
            target = git.run("symbolic-ref", "--quiet", name, accept=(0, 1))
            return _short(target.line if target.code == 0 else name)
    if git.run("remote").line:
        return None
    branches = git.run("for-each-ref", "--count=2", "--format=%(refname)", "refs/heads").line.split("\n")
    return _short(branches[0]) if len(branches) == 1 and branches[0] else None


def branch_name(revision: str) -> str:
    """Return a branch's own name: ``main`` for ``origin/main``. Pure."""
    return revision.removeprefix("origin/")


def _short(name: str) -> str:
    return name.removeprefix("refs/remotes/").removeprefix("refs/heads/")
