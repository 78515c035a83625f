"""What is asked of GitHub, and by whom: the protocols that ``hub.py`` and its fakes fulfil."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from evalaction.frozen import frozen
from evalaction.records.tree import EntryKind


@frozen
class Comment:
    """A comment on a pull request."""

    id: int
    """GitHub's id; a smaller one is older."""
    author: str
    """Login of who wrote it; empty for an account that is gone."""
    body: str
    """Markdown as it is stored. Untrusted text."""
    url: str
    """Page on which it is seen."""


class Refusal(StrEnum):
    """Why GitHub did not do what it was asked for."""

    FORBIDDEN = "forbidden"
    """The token may not, the thread is locked, or there is no such thing that it may see: asking again is no use."""
    LIMITED = "limited"
    """A rate limit that lasts longer than we wait."""
    UNSURE = "unsure"
    """No answer, or a server's error: it may have been done."""


class HubFailure(Exception):
    """GitHub did not do what it was asked for. It never ends a run: a comment is a courtesy."""

    def __init__(self, refusal: Refusal, message: str, *, status: int | None = None) -> None:
        """Keep the cause.

        Args:
            refusal: the kind of failure.
            message: what GitHub said, in one printable line without keys. Untrusted text.
            status: HTTP status; None when there was no answer.
        """
        super().__init__(message)
        self.refusal = refusal
        self.message = message
        self.status = status


class Thread(Protocol):
    """The comments of one pull request."""

    def author(self) -> str:
        """Return the login under which this token writes.

        Raises:
            HubFailure: GitHub cannot be asked.
        """

    def comments(self) -> Sequence[Comment]:
        """Return all comments, over all pages, oldest first.

        Raises:
            HubFailure: they cannot be read.
        """

    def create(self, body: str) -> Comment:
        """Write a comment. Tried once where it is not sure whether it was stored.

        Raises:
            HubFailure: it was refused, or (``Refusal.UNSURE``) it may or may not be there now.
        """

    def edit(self, comment_id: int, body: str) -> Comment | None:
        """Give a comment another body; None when it is gone.

        Raises:
            HubFailure: it was refused, or it is not sure whether it was done.
        """

    def delete(self, comment_id: int) -> None:
        """Remove a comment; one that is gone already is no failure.

        Raises:
            HubFailure: it was refused, or it is not sure whether it was done.
        """


@frozen
class OpenPull:
    """A pull request that is open."""

    number: int
    """Number within the repository, from 1."""
    base_ref: str
    """Short name of the branch that it is to be merged into, as GitHub lists it; empty when that is not known."""


class OpenPulls(Protocol):
    """The open pull requests of one repository, and their comments."""

    def pulls(self, *, head_repository: str, head_branch: str, head_sha: str) -> Sequence[OpenPull]:
        """Return the open pull requests whose head is this branch of this repository, at this commit.

        Args:
            head_repository: ``owner/name``, compared without regard to case.
            head_branch: short name.
            head_sha: full commit id.

        Raises:
            HubFailure: they cannot be listed.
        """

    def thread(self, number: int) -> Thread:
        """Return the comments of a pull request."""


@frozen
class ServedEntry:
    """One path of a tree at GitHub."""

    path: str
    """Relative to the repository's root."""
    kind: EntryKind
    """What stands there."""
    oid: str
    """Id of its content."""


class Objects(Protocol):
    """Git's objects of one repository, as GitHub serves them."""

    def merge_base(self, base: str, head: str) -> str:
        """Return the full id of the best common ancestor of two commits. However many files differ, it is one call.

        Raises:
            HubFailure: GitHub knows none, or cannot be asked.
        """

    def entries(self, commit: str) -> Sequence[ServedEntry]:
        """Return every path at a commit, folders left out, however many there are.

        Raises:
            HubFailure: GitHub does not serve it, or not all of it.
        """

    def blob(self, oid: str) -> bytes:
        """Return a content by its id.

        Raises:
            HubFailure: GitHub does not serve it.
        """
