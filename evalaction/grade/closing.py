"""Folders that are nobody's business while commands run: closed to other users, and opened again afterwards.

A checkout's ``.git/config`` can hold a token, the runner's files decide what later steps do, and the report is what
the run says. All of them may be open to everybody on the machine.

I/O: reads and changes the permissions of folders and files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

_OTHERS = 0o077
_PREFIXES = ("GITHUB_", "RUNNER_")
_TOOLS = frozenset({"RUNNER_TOOL_CACHE"})
"""What is a runner's, holds no secret, and may hold the programs that a command needs."""
_SECRETS = ("/run/secrets", "/var/run/secrets")
"""Where engines put secrets, for everybody in the container to read."""
_SOCKETS = ("/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock")
"""Whoever may write to one of them is root of the machine."""


class CannotClose(Exception):
    """Something cannot be kept from other users."""


def private_places(environ: Mapping[str, str], *, folders: Collection[str]) -> tuple[Path, ...]:
    """Return what no command is to read or write.

    Args:
        environ: of this program. Of the runner's variables, and HOME, every one that names a file or a folder counts.
        folders: of the repository and of the report, as they were given.

    Returns:
        Folders and files that exist, links in their paths resolved, sorted. Where a variable names a file its folder
        counts, unless that is one in which everybody may write.
    """
    named = [value for name, value in environ.items() if name.startswith(_PREFIXES) and name not in _TOOLS]
    named += [environ.get("HOME", ""), environ.get("XDG_CONFIG_HOME", ""), *_SECRETS]
    found: set[Path] = set()
    for value in named:
        if value.startswith("/") and "\0" not in value:
            found |= _place(Path(value))
    for folder in folders:
        found |= _place(Path(folder)) | _repository(Path(os.path.realpath(folder)))
    return tuple(sorted(found))


@contextmanager
def closed(places: Collection[Path], *, reached: Collection[str]) -> Iterator[None]:
    """Close folders and files to everybody but their owner and root, and open them again whatever happens.

    Args:
        places: what is closed.
        reached: folders that have to stay within everybody's reach: those of programs, the scratch folders.

    Raises:
        CannotClose: something cannot be closed, or an engine's socket is open to everybody. What was closed is open
            again.
    """
    for socket in _SOCKETS:
        with suppress(OSError):
            if stat.S_IMODE(os.stat(socket).st_mode) & stat.S_IWOTH:  # noqa: PTH116 - no path is made of it
                raise CannotClose(f"{socket} is open to everybody")
    opened: list[tuple[int, int]] = []
    try:
        for place in places:
            if any(Path(os.path.realpath(folder)).is_relative_to(place) for folder in reached):
                raise CannotClose(f"{place} holds what a command needs, and cannot be closed to it")
            _close(place, opened)
        yield
    finally:
        # Not by their names: what bore one may be something else by now.
        for descriptor, mode in reversed(opened):
            with suppress(OSError):
                os.fchmod(descriptor, mode)
            os.close(descriptor)


def _close(place: Path, opened: list[tuple[int, int]]) -> None:
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    except OSError as error:
        raise CannotClose(f"{place} cannot be closed to other users: {error.strerror}") from error
    mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
    opened.append((descriptor, mode))
    if not mode & _OTHERS:
        return
    try:
        os.fchmod(descriptor, mode & ~_OTHERS)
    except OSError as error:
        raise CannotClose(f"{place} cannot be closed to other users: {error.strerror}") from error
    if os.fstat(descriptor).st_mode & _OTHERS:  # a disk that keeps no permissions
        raise CannotClose(f"{place} cannot be closed to other users: its disk keeps no permissions")


def _place(path: Path) -> set[Path]:
    path = Path(os.path.realpath(path))
    if path.is_dir():
        return {path}
    if not path.exists():
        return set()
    shared = path.parent.stat().st_mode & stat.S_ISVTX
    return {path} if shared else {path, path.parent}


def _repository(folder: Path) -> set[Path]:
    """Return the whole checkout that a folder belongs to, and where its git keeps what is not in it."""
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
    if top is None:
        return set()
    found, git = {top}, top / ".git"
    with suppress(OSError, ValueError):
        if git.is_file():
            git = Path(os.path.realpath(top / git.read_text().removeprefix("gitdir:").strip()))
            found |= _place(git)
        found |= _place(git / (git / "commondir").read_text().strip())
    return found
