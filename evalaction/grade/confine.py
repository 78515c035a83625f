"""Another user for what is not trusted: who it is, what it may use, and how all of its processes are ended.

Linux alone, and root alone: only root can become another user and end its processes.

I/O: reads ``/proc``, starts a process of its own to send a signal, ends processes of a user that is made up here.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from evalaction.frozen import frozen

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
"""Source: ``linux/prctl.h``."""
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "loongarch64": 219, "ppc64le": 271, "s390x": 280}
"""Number of the system call by machine. Source: the kernel's ``syscall.tbl`` files."""
_JOIN_SESSION_KEYRING = 1
"""Source: ``linux/keyctl.h``."""

_FIRST, _BLOCK, _BLOCKS = 1_900_000_000, 512, 2**18
"""Far above the ids of real people, of systemd's dynamic users and of the ranges that containers are given
(https://systemd.io/UIDS-GIDS), and below 2³¹, beyond which some programs lose count.
"""
_FIRST_OF_FEW = 62_000
"""Where only 65,536 ids are mapped (a rootless engine): among systemd's dynamic users, below ``nobody``."""

MIB = 1024 * 1024
_FILE, _OPEN, _PROCESSES = 64 * MIB, 4_096, 256
_DATA, _SPACE = 4_096 * MIB, 64 * 1024 * MIB
"""What a process may write to, and what it may reserve: some languages reserve much that they never touch."""
_PATIENCE_S = 10.0
"""Until a process that was sent SIGKILL has to be gone; only one that waits for hardware stays longer."""


class Unended(Exception):
    """Processes of a command could not be ended: nothing more is to be run."""


@frozen
class User:
    """Somebody whom nobody else is: runs one command."""

    uid: int
    """Of the user, and of the group that is theirs alone."""
    killer: int
    """Of the process that ends all of theirs, and that they in turn cannot signal."""


def user_of_run(number: int) -> User:
    """Return the user of a run, another one for each of many in a row.

    Two programs on one machine have different ones, since each takes its block of ids by its own process id.

    Args:
        number: of the run in this process, from 0.

    Raises:
        OSError: no ids that could be used are mapped.
    """
    place = 2 * (number % (_BLOCK // 2))
    first = _FIRST + os.getpid() % _BLOCKS * _BLOCK
    if not _is_mapped(first + _BLOCK):
        first = _FIRST_OF_FEW
        if not _is_mapped(first + _BLOCK):
            raise OSError("no ids of further users are mapped in this container")
    return User(uid=first + place, killer=first + place + 1)


def _is_mapped(uid: int) -> bool:
    """Return whether ids up to ``uid`` mean somebody in this user namespace. Source: user_namespaces(7)."""
    maps = [Path(f"/proc/self/{kind}_map").read_text().splitlines() for kind in ("uid", "gid")]
    ranges = [[[int(word) for word in line.split()] for line in lines] for lines in maps]
    return all(any(first <= uid < first + size for first, _, size in lines) for lines in ranges)


def confinement() -> Callable[[], None]:
    """Return what a command's process does with itself before it becomes the command; everything is made ready here.

    It is called between fork and exec, as the other user. It takes no lock and imports nothing.
    """
    import resource  # noqa: PLC0415 - there is none on some systems

    wanted = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, _FILE),
        (resource.RLIMIT_NOFILE, _OPEN),
        (resource.RLIMIT_NPROC, _PROCESSES),
        (resource.RLIMIT_DATA, _DATA),
        (resource.RLIMIT_AS, _SPACE),
        (resource.RLIMIT_MSGQUEUE, 0),  # a queue would outlive its process
    )
    limits = [(which, _within(resource.getrlimit(which)[1], value)) for which, value in wanted]
    setrlimit, prctl, killed = resource.setrlimit, _LIBC.prctl, signal.SIGKILL.value
    keyctl = _KEYCTL.get(platform.machine())

    def confine() -> None:
        for which, value in limits:
            setrlimit(which, (value, value))
        if keyctl is None or not _left_keyring(keyctl):
            raise OSError("the keys of this session cannot be kept from it")
        # After the change of users, which clears the second one. No program is run with the rights of its owner.
        if prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(_PR_SET_PDEATHSIG, killed, 0, 0, 0):
            raise OSError("this kernel lets nobody give up privileges")

    return confine


def _left_keyring(keyctl: int) -> bool:
    """Return whether the keys of the session are out of reach: whoever inherits its keyring may read them.

    A container's engine and a kernel without keyrings refuse the call, then to the command as well.
    """
    joined = _LIBC.syscall(ctypes.c_long(keyctl), ctypes.c_long(_JOIN_SESSION_KEYRING), None) >= 0
    return joined or ctypes.get_errno() in {errno.EPERM, errno.ENOSYS}


def _within(hard: int, value: int) -> int:
    """Return a limit that is no higher than the one there is; that is -1 for none."""
    return value if hard < 0 else min(hard, value)


def end_first(pid: int) -> None:
    """Let a process, and what it starts, be ended first where memory runs out: not the program that reports it."""
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")


def end_all(user: User, *, but: int | None = None) -> None:
    """End every process of a user, however it was started and wherever it went.

    One signal to all that a process may signal is sent by a process of that user: the kernel sends it to all at once,
    and nothing that forks in the meantime escapes. Its own real and saved ids are those of nobody else, so that it can
    be signalled by none of them. What is there afterwards is ended one by one, and again, until there is nothing.

    Args:
        user: whose they are.
        but: a child of ours that somebody else waits for: it is ended, and not waited for.

    Raises:
        Unended: some are still there after ten seconds.
    """
    until = time.monotonic() + _PATIENCE_S
    while True:
        _signal_all(user)
        left = list(_processes(user.uid))
        for pid, is_dead, is_ours in left:
            if is_dead and is_ours and pid != but:
                _reap(pid)
            elif not is_dead:
                _kill(pid)
        if all(is_dead for _, is_dead, _ in left):
            return
        if time.monotonic() > until:
            raise Unended(f"{len(left)} processes of a command could not be ended")


def _signal_all(user: User) -> None:
    parent = os.getpid()
    try:
        # With threads about this would be unsafe for more than a few system calls, which need no lock.
        pid = os.fork()
    except OSError:
        return  # they are ended one by one
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(user.killer, user.killer, user.killer)
            os.setresuid(user.killer, user.uid, user.killer)
            try:
                os.kill(parent, 0)
            except PermissionError:  # whoever may signal us is still root, and would end everything
                os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)  # nothing of ours is to run twice
    os.waitpid(pid, 0)


def _processes(uid: int) -> Iterator[tuple[int, bool, bool]]:
    """Yield (process id, whether it is dead and not yet waited for, whether that is for us to do) of a user's."""
    for name in os.listdir("/proc"):  # noqa: PTH208 - the same, without a path for each process
        if not name.isdecimal():
            continue
        try:
            text = Path(f"/proc/{name}/status").read_text(errors="replace")
        except OSError:
            continue  # gone
        # Not who owns its folder: a process can have that be root.
        fields = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        if str(uid) in fields.get("Uid", "").split():
            # The first thread of a process can be dead, and others of it run on.
            is_dead = fields["State"][:1] in "ZX" and fields["Threads"].strip() in {"0", "1"}
            yield int(name), is_dead, fields["PPid"] == str(os.getpid())


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _reap(pid: int) -> None:
    """Wait for a process that was handed to us when its parent ended: as process 1 of a container we have to."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
