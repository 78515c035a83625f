"""What a tree of files at one commit looks like to everybody who reads one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from evalaction.frozen import frozen

_OID_LENGTHS = (40, 64)


def is_oid(text: str) -> bool:
    """Return whether this is a whole id of an object of git (SHA-1 or SHA-256), in hex. Pure."""
    return len(text) in _OID_LENGTHS and all(character in "0123456789abcdef" for character in text)


class EntryKind(StrEnum):
    """What stands at a path."""

    FILE = "file"
    SYMLINK = "symlink"
    """Never followed: a pull request could point it anywhere."""
    SUBMODULE = "submodule"
    """Never entered: its content is not in this repository."""


_KINDS = {"120000": EntryKind.SYMLINK, "160000": EntryKind.SUBMODULE}


def kind_of(mode: str) -> EntryKind:
    """Return what an entry of a tree is that is no folder, from its mode as git writes it (``100644``). Pure."""
    return _KINDS.get(mode, EntryKind.FILE)


class Tree(Protocol):
    """A read-only view of all paths at one commit, or of the work tree.

    Paths are relative to the repository's root, with ``/`` between the parts, whatever the platform.
    A path that is not UTF-8 is decoded with ``surrogateescape``.
    """

    @property
    def sha(self) -> str | None:
        """The full commit id, or None for the work tree."""

    @property
    def ref(self) -> str:
        """The revision as it was asked for (``main``, ``HEAD``, ``WORKTREE``, an id)."""

    @property
    def entries(self) -> Mapping[str, EntryKind]:
        """Every path of the tree, in byte order of the paths."""

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``.

        Raises:
            KeyError: there is no file at ``path`` (nothing, a symbolic link or a submodule).
        """


@frozen
class Pair:
    """The two trees that a run compares."""

    base: Tree | None
    """The tree before the change; None when it could not be had, and then every case is affected."""
    head: Tree
    """The tree with the change."""
    renames: Mapping[str, str]
    """Path at head → path at base, for the files that git says were renamed."""
    desk_head: str | None = None
    """Commit id that a desk's clone has in place of head, where head is a merge made for the run; None otherwise."""
    notes: tuple[str, ...] = ()
    """What a reader must know of how the pair was found (no base, and why)."""

    @property
    def same(self) -> bool:
        """Whether base and head are one commit, also because head is already in what it was to be compared with.

        Nothing differs then, and that says nothing of any case.
        """
        return self.base is not None and self.base.sha is not None and self.base.sha == self.head.sha
