"""What the fake GitHub remembers: repositories, their pull requests and the comments on these. No I/O."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from zlib import crc32

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass(kw_only=True)
class StoredComment:
    """A comment."""

    id: int
    number: int
    """Of the pull request that it stands on."""
    author: str | None
    """Login; None for an account that is gone."""
    kind: str
    """``User`` or ``Bot``."""
    body: str
    created_at: str
    updated_at: str


@dataclass(kw_only=True)
class Pull:
    """A pull request. A test may change it at any time."""

    number: int
    head_repository: str | None
    """``owner/name``; None for a fork that is gone."""
    head_owner: str | None
    """Login; None for an account that is gone."""
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    state: str
    locked: bool

    @property
    def label(self) -> str:
        """``owner:branch``, by which pull requests are searched."""
        return f"{self.head_owner or 'unknown repository'}:{self.head_ref}"


class Clock:
    """Ids that grow, and times that do, without looking at a clock."""

    def __init__(self) -> None:
        """Begin at one."""
        self._ticks: Iterator[int] = count(1)
        self._highest = 1000
        self._lock = threading.Lock()

    def now(self) -> str:
        """Return a later time than before."""
        with self._lock:
            return (START + timedelta(seconds=next(self._ticks))).strftime("%Y-%m-%dT%H:%M:%SZ")

    def id(self, chosen: int | None) -> int:
        """Return a larger id than before, or the one that was chosen; later ones are larger than that too."""
        with self._lock:
            given = self._highest + 1 if chosen is None else chosen
            self._highest = max(self._highest, given)
            return given


def account_id(login: str) -> int:
    """Return the id of an account: always the same for one login."""
    return crc32(login.casefold().encode()) + 1


@dataclass(kw_only=True)
class HostedRepository:
    """A repository at the fake GitHub. Made by ``FakeGitHub.repository``."""

    full_name: str
    clock: Clock = field(default_factory=Clock)
    pulls: dict[int, Pull] = field(default_factory=dict)
    """By number."""
    stored: dict[int, StoredComment] = field(default_factory=dict)
    """All comments, by id."""
    git: Path | None = None
    """The real repository whose objects are served; None: it is empty."""
    tree_limit: int = 100_000
    """Entries of a tree beyond which it is cut, and says so."""

    @property
    def id(self) -> int:
        """Always the same for one name."""
        return account_id(self.full_name)

    def serve_git(self, path: Path) -> None:
        """Serve the objects of a real repository."""
        self.git = path

    def pull(  # noqa: PLR0913 - what a pull request is, by name
        self,
        number: int,
        *,
        head_repository: str | None = "",
        head_owner: str | None = "",
        head_ref: str = "patch-1",
        head_sha: str = "1" * 40,
        base_ref: str = "main",
        base_sha: str = "0" * 40,
        state: str = "open",
        locked: bool = False,
    ) -> Pull:
        """Add a pull request, or replace it, and return it.

        Args:
            number: from 1.
            head_repository: ``owner/name``; None for a fork that is gone; empty: this repository.
            head_owner: login; None for an account that is gone; empty: the owner of ``head_repository``, or
                ``someone`` where that is gone.
            head_ref: short name of the branch.
            head_sha: full commit id.
            base_ref: short name of the branch.
            base_sha: full commit id.
            state: ``open`` or ``closed``.
            locked: whether nothing can be written any more.
        """
        holder = self.full_name if head_repository == "" else head_repository
        owner = holder.split("/")[0] if holder else "someone"
        made = Pull(
            number=number,
            head_repository=holder,
            head_owner=owner if head_owner == "" else head_owner,
            head_ref=head_ref,
            head_sha=head_sha,
            base_ref=base_ref,
            base_sha=base_sha,
            state=state,
            locked=locked,
        )
        self.pulls[number] = made
        return made

    def add_comment(
        self,
        number: int,
        *,
        author: str | None,
        body: str,
        kind: str | None = None,
        id: int | None = None,  # noqa: A002 - as GitHub calls it
    ) -> int:
        """Store a comment, whoever may write, and return its id.

        Args:
            number: of the pull request.
            author: login; None for an account that is gone.
            body: Markdown.
            kind: ``User`` or ``Bot``; None: what the login looks like.
            id: a chosen one; None: one larger than all before.
        """
        now = self.clock.now()
        kind = kind or ("Bot" if (author or "").endswith("[bot]") else "User")
        made = StoredComment(
            id=self.clock.id(id), number=number, author=author, kind=kind, body=body, created_at=now, updated_at=now
        )
        self.stored[made.id] = made
        return made.id

    def edit_comment(self, comment_id: int, body: str) -> None:
        """Give a comment another body, whoever may write."""
        comment = self.stored[comment_id]
        comment.body, comment.updated_at = body, self.clock.now()

    def delete_comment(self, comment_id: int) -> None:
        """Remove a comment, whoever may write."""
        del self.stored[comment_id]

    def comments(self, number: int) -> list[StoredComment]:
        """Return the comments on a pull request, oldest first."""
        return sorted((each for each in list(self.stored.values()) if each.number == number), key=lambda each: each.id)
