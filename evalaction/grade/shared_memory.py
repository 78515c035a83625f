"""System V's shared memory, queues and semaphores, which outlive whoever made them, and are removed here.

I/O: reads ``/proc/sysvipc``, starts a process of its own to remove what a user left.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

from evalaction.grade.confine import User

_LIBC = ctypes.CDLL(None, use_errno=True)
_IPC_RMID = 0
"""Source: ``linux/ipc.h``."""
_NUMBERS = {"shm": "shmid", "msg": "msqid", "sem": "semid"}
"""The kinds of it, and the column of its number in ``/proc/sysvipc``."""
_ROUNDS = 3


def remove_shared(user: User) -> None:
    """Remove what a user has made of it. None of the user's processes runs.

    It is done as that user: in a container root may lack the right.

    Raises:
        OSError: something is still there.
    """
    for _ in range(_ROUNDS):
        left = list(_left_by(user.uid))
        if not left:
            return
        _remove(left, user)
    raise OSError("shared memory of a command could not be removed")


def _left_by(uid: int) -> Iterator[tuple[str, int]]:
    """Yield (kind, id) of what a user made, whoever owns it since. Source: proc_sysvipc(5)."""
    for kind, number in _NUMBERS.items():
        try:
            head, *rows = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()
        except FileNotFoundError:
            continue  # a kernel without it
        for row in rows:
            fields = dict(zip(head.split(), row.split(), strict=True))
            if fields["cuid"] == str(uid):
                yield kind, int(fields[number])


def _remove(left: list[tuple[str, int]], user: User) -> None:
    removers = {"shm": _LIBC.shmctl, "msg": _LIBC.msgctl, "sem": _LIBC.semctl}
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(user.killer, user.killer, user.killer)
            os.setresuid(user.killer, user.uid, user.killer)
            for kind, number in left:
                if kind == "sem":
                    removers[kind](number, 0, _IPC_RMID)
                else:
                    removers[kind](number, _IPC_RMID, None)
        finally:
            os._exit(0)  # nothing of ours is to run twice
    os.waitpid(pid, 0)
