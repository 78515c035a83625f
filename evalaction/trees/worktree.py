"""The work tree: the files on disk, tracked or neither tracked nor ignored.

I/O: asks git which paths there are, and reads the files as they lie on disk, with no filter and no
change of line ends. No symbolic link is followed, neither a file's own nor that of a folder above it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import field

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.hub import Objects
from evalaction.records.settings import WORKTREE
from evalaction.records.tree import EntryKind, kind_of
from evalaction.trees.git import Git
from evalaction.trees.objects import MAX_FILE_BYTES, Blobs, too_large


@frozen
class WorkTree:
    """The files on disk: a ``records.tree.Tree`` without a commit. Readable while its repository is open."""

    top: str
    """Absolute path of the root, symbolic links resolved."""
    entries: Mapping[str, EntryKind] = field(repr=False)
    left_out: Mapping[str, str] = field(repr=False)
    """Path → blob id, for tracked files that a sparse checkout left out: they are read from the index."""
    blobs: Blobs = field(repr=False)
    objects: Objects | None = field(default=None, repr=False)
    """Serves contents that this clone lacks, of files that were left out; None to do without."""

    @property
    def sha(self) -> None:
        """None: the work tree is no commit."""
        return

    @property
    def ref(self) -> str:
        """``WORKTREE``."""
        return WORKTREE

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path`` (see ``records.tree.Tree``).

        Raises:
            KeyError: there is no file, or there is none any more.
            BadInput: the file is too large, or may not be read.
        """
        if self.entries[path] is not EntryKind.FILE:
            raise KeyError(path)
        if path in self.left_out:
            return self.blobs.read(self.left_out[path], path=path, objects=self.objects)
        place = _place(self.top, path)
        if os.path.realpath(place) != place:
            raise KeyError(path)
        try:
            with open(os.fsdecode(place), "rb", opener=_open) as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise KeyError(path)
                if status.st_size > MAX_FILE_BYTES:
                    raise too_large(path, status.st_size)
                return file.read()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
            raise KeyError(path) from error
        except OSError as error:
            raise BadInput(Problem(message=f"The file cannot be read ({error.strerror}).", path=path)) from error


def read_worktree(git: Git, blobs: Blobs, *, objects: Objects | None = None) -> WorkTree:
    """List the work tree.

    Tracked files that were deleted from the disk are absent; files that git ignores are absent unless
    they are tracked.

    Args:
        git: runs at the root of the work tree.
        blobs: reads the files that a sparse checkout left out.
        objects: asked for their contents where they cannot be had otherwise; None to do without.

    Raises:
        BadInput: git cannot list it.
    """
    kinds: dict[str, EntryKind] = {}
    left_out: dict[str, str] = {}
    folders: dict[bytes, bool] = {}
    listed = git.run("ls-files", "-z", "--cached", "--stage", "-t", "--others", "--exclude-standard").out
    for row in listed.split(b"\0")[:-1]:
        about, name = (b"", row[2:]) if row.startswith(b"? ") else row.split(b"\t", 1)
        path = name.decode("utf-8", "surrogateescape")
        # Of what is not tracked, a name that ends in a slash is another repository inside this one: its files are not
        # this one's.
        kind = None if not about and name.endswith(b"/") else _kind_on_disk(git.folder, path, folders=folders)
        if about:
            tag, mode, oid, _ = about.split(b" ")
            tracked = kind_of(mode.decode())
            if tracked is EntryKind.SUBMODULE:
                kind = tracked
            elif kind is None and tag == b"S":
                kind = tracked
                left_out[path] = oid.decode()
        if kind is not None:
            kinds[path] = kind
    entries = {path: kinds[path] for path in sorted(kinds, key=_bytes)}
    return WorkTree(top=git.folder, entries=entries, left_out=left_out, blobs=blobs, objects=objects)


def _open(place: str, flags: int) -> int:
    # Nonblocking, so that a pipe that took a file's place cannot hold the run up.
    return os.open(place, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _place(top: str, path: str) -> bytes:
    return os.path.join(os.fsencode(top), _bytes(path))  # noqa: PTH118 - bytes, which a Path does not take


def _kind_on_disk(top: str, path: str, *, folders: dict[bytes, bool]) -> EntryKind | None:
    """Return what stands on disk at ``path``; None for nothing, a folder, a device or a path through a link.

    Args:
        top: the root of the work tree.
        path: relative to it.
        folders: whether a folder is itself, and not reached through a link; filled as it is asked.

    Raises:
        BadInput: its folder may not be looked into.
    """
    place = _place(top, path)
    parent = os.path.dirname(place)  # noqa: PTH120 - the same
    if parent not in folders:
        folders[parent] = os.path.realpath(parent) == parent
    if not folders[parent]:
        return None
    try:
        mode = os.lstat(place).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadInput(Problem(message=f"The file cannot be looked at ({error.strerror}).", path=path)) from error
    if stat.S_ISLNK(mode):
        return EntryKind.SYMLINK
    return EntryKind.FILE if stat.S_ISREG(mode) else None
