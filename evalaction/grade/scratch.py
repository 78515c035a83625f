"""Scratch folders: where a command finds the artifact, and what is left behind and removed.

I/O: makes, measures and removes folders and files.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, islice
from pathlib import Path

from evalaction.frozen import frozen
from evalaction.grade.confine import MIB
from evalaction.records.case import Command

SHARED = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")  # noqa: S108 - looked at, and written to only by mkdtemp
"""Where everybody may write."""
MOST_BYTES = 256 * MIB
"""What one run may have on disk."""
MOST_ENTRIES = 10_000
"""Files and folders of one run."""
_MOST_DEPTH = 100
"""Folders within one another. To look at or to remove what lies deeper takes long."""


@frozen
class Room:
    """A folder that holds the scratch folders of all runs."""

    path: Path
    """Its entries cannot be listed by others."""
    floor: int
    """Bytes of its disk that have to stay free: half of what was free at first."""

    @property
    def is_short(self) -> bool:
        """Whether less is free than has to be."""
        return _free(self.path) < self.floor


def make_room() -> Room:
    """Make a folder for scratch folders.

    Raises:
        OSError: there is no place where everybody may write and this program can.
    """
    for folder in SHARED:
        with suppress(OSError):
            path = Path(os.path.realpath(tempfile.mkdtemp(prefix="evalaction-", dir=folder)))
            path.chmod(0o711)
            return Room(path=path, floor=_free(path) // 2)
    raise OSError(f"none of {', '.join(SHARED)} can be written to")


def make_scratch(room: Room, command: Command, artifact: bytes, *, uid: int) -> Path:
    """Make the scratch folder of one run, with the artifact and the command's files in it.

    Args:
        room: where.
        command: whose files they are; each may be executed.
        artifact: what the command is run on.
        uid: of the user whose folder it is, and of the group; nobody else can look into it.

    Raises:
        OSError: it cannot be written.
    """
    folder = Path(tempfile.mkdtemp(dir=room.path))
    for name, content in (*command.files, (command.artifact, artifact)):
        file = folder / name
        file.write_bytes(content)
        file.chmod(0o600 if name == command.artifact else 0o700)
        os.chown(file, uid, uid)
    os.chown(folder, uid, uid)
    return folder


def is_too_much(folder: Path, *, uid: int) -> bool:
    """Return whether a run has more on disk than it may, in its scratch folder or in a folder of everybody's."""
    size = entries = 0
    waiting = [str(folder), *_left_by(uid, most=MOST_ENTRIES)]
    deepest = max(place.count("/") for place in waiting) + _MOST_DEPTH
    while waiting:
        place = waiting.pop()
        with suppress(OSError):  # gone in the meantime
            status = os.lstat(place)
            size, entries = size + 512 * status.st_blocks, entries + 1
            if size > MOST_BYTES or entries > MOST_ENTRIES or place.count("/") > deepest:
                return True
            if status.st_mode & 0o170000 == 0o040000:  # noqa: PLR2004 - a folder, and no link to one
                with os.scandir(place) as found:
                    waiting += [entry.path for entry in islice(found, MOST_ENTRIES)]
    return False


def remove_scratch(folder: Path, *, uid: int) -> None:
    """Remove a scratch folder, and what its user left in folders of everybody's. None of the user's processes runs.

    Raises:
        OSError: it cannot be removed.
    """
    for place in [str(folder), *_left_by(uid)]:
        try:
            Path(place).unlink()
        except IsADirectoryError:
            remove_tree(place)


def remove_tree(place: str) -> None:
    """Remove a folder with all that is in it, however deep: each subfolder is first moved up to the top.

    No path gets long that way, and nothing here calls itself. Symbolic links are removed, and never followed.
    """
    numbers, token = count(), secrets.token_hex(8)
    top = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        folders = list(_without_files(top))
        while folders:
            name = folders.pop()
            with suppress(OSError):
                os.rmdir(name, dir_fd=top)
                continue
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
            try:
                for deeper in _without_files(inner):
                    moved = f"{token}-{next(numbers)}"
                    os.rename(deeper, moved, src_dir_fd=inner, dst_dir_fd=top)
                    folders.append(moved)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    Path(place).rmdir()


def _without_files(folder: int) -> Iterator[str]:
    """Remove what is no folder from an open folder, and yield the names of those that are."""
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except IsADirectoryError:
            yield name


def _left_by(uid: int, *, most: int | None = None) -> list[str]:
    """Return what a user has in each of the folders of everybody's, ``most`` in each at the most."""
    found: list[str] = []
    for folder in SHARED:
        with suppress(OSError), os.scandir(folder) as entries:
            found += islice((entry.path for entry in entries if _is_of(entry, uid)), most)
    return found


def _is_of(entry: os.DirEntry[str], uid: int) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_uid == uid
    except OSError:
        return False  # gone


def _free(path: Path) -> int:
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize
