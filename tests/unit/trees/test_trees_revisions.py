"""Revisions: which texts may reach git as one."""

from __future__ import annotations

import pytest

from evalaction.errors import BadInput
from evalaction.trees.revisions import branch_name, check_revision


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
