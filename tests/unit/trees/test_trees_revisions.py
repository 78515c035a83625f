"""Revisions: which texts may reach git as one."""

from __future__ import annotations

import pytest

from evalaction.errors import BadInput
from evalaction.trees.revisions import branch_name, check_revision, github_name, remote_refs


@pytest.mark.parametrize(
    "revision", ["", "-h", "--output=/tmp/x", "^main", "main..pr", "main...pr", "a\0b", "a\nb", "\x1b[0m", "\udcff"]
)
def test_check_revision__refused(revision: str) -> None:
    """What is an option, a range, an exclusion or unprintable never reaches git."""
    with pytest.raises(BadInput) as caught:
        check_revision(revision)
    expected = f"{revision!r} is not a revision. Name one commit: a branch, a tag or a commit id."
    assert expected == str(caught.value)


@pytest.mark.parametrize("revision", ["main", "origin/main", "HEAD~2", "v1.0", "@{u}", "feature/ä", "abc1234"])
def test_check_revision__taken(revision: str) -> None:
    """Everything that can be one commit is left to git."""
    check_revision(revision)


@pytest.mark.parametrize(("revision", "expected"), [("origin/main", "main"), ("main", "main"), ("origin/a/b", "a/b")])
def test_branch_name__remote(revision: str, expected: str) -> None:
    """A remote's branch has the name that the branch itself has."""
    assert expected == branch_name(revision)


@pytest.mark.parametrize(
    ("name", "refs", "github"),
    [
        ("main", ("refs/heads/main", "refs/tags/main"), "main"),
        ("a/b", ("refs/heads/a/b", "refs/tags/a/b"), "a/b"),
        ("origin/main", ("refs/heads/main", "refs/heads/origin/main", "refs/tags/origin/main"), "main"),
        ("refs/heads/main", ("refs/heads/main",), "main"),
        ("refs/heads/origin/main", ("refs/heads/origin/main",), "origin/main"),
        ("heads/main", ("refs/heads/main", "refs/heads/heads/main", "refs/tags/heads/main"), "main"),
        ("refs/remotes/origin/main", ("refs/heads/main",), "main"),
        (
            "remotes/origin/main",
            ("refs/heads/main", "refs/heads/remotes/origin/main", "refs/tags/remotes/origin/main"),
            "main",
        ),
        ("refs/tags/v1", ("refs/tags/v1",), None),
        ("tags/v1", ("refs/tags/v1", "refs/heads/tags/v1", "refs/tags/tags/v1"), None),
        ("refs/pull/7/head", ("refs/pull/7/head",), None),
        ("refs/origin/main", ("refs/origin/main",), None),
        ("main~1", ("refs/heads/main~1", "refs/tags/main~1"), None),
        ("HEAD:a", ("refs/heads/HEAD:a", "refs/tags/HEAD:a"), None),
        ("main@{1}", ("refs/heads/main@{1}", "refs/tags/main@{1}"), None),
        ("other:main", ("refs/heads/other:main", "refs/tags/other:main"), None),
    ],
)
def test_remote_refs__names(name: str, refs: tuple[str, ...], github: str | None) -> None:
    """A clone's name for a branch of the remote leads to that branch, and GitHub is asked for plain names alone."""
    assert (refs, github) == (remote_refs(name), github_name(name))
