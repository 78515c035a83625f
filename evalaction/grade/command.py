"""Commands that grade: each is run on the artifact of a draw, as another user, and its exit code is the verdict.

What is run comes from the head of a pull request, and the artifact from a model: neither is trusted. A command gets an
environment of its own, no descriptor of ours, a scratch folder, limits, and a user whom nobody else is. When it ends,
everything that it started ends.

I/O: starts programs, makes and removes scratch folders, closes folders to other users meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from evalaction.answer.read import read_answer
from evalaction.answer.reading import Reading
from evalaction.draw.ending import late
from evalaction.frozen import frozen
from evalaction.grade.closing import CannotClose, closed
from evalaction.grade.confine import Unended, User, confinement, end_all, end_first, user_of_run
from evalaction.grade.output import Output
from evalaction.grade.scratch import Room, is_too_much, make_room, make_scratch, remove_scratch, remove_tree
from evalaction.grade.shared_memory import remove_shared
from evalaction.records.case import Command, Contract
from evalaction.records.command import CommandRun, Ended
from evalaction.records.draw import Cause, Draw, DrawKey, Failure
from evalaction.records.plan import PlannedCase
from evalaction.records.settings import Limits
from evalaction.values import JSON, canonical

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where programs are looked for."""
_GLANCE_S = 0.2
"""How often it is looked whether a command has filled the disk."""
_MOST_AT_ONCE = 4

NOT_ROOT = Failure(
    cause=Cause.COMMAND,
    message="A command is run as a user of its own, which takes Linux and root: run evalaction in its container, or as "
    "root.",
)
_INTERRUPTED = Failure(cause=Cause.INTERRUPTED, message="The run was interrupted.")
_SHORT = Failure(cause=Cause.COMMAND, message="The disk ran short while the command ran.")


@frozen
class _Work:
    """One command to be run."""

    key: DrawKey
    command: Command
    artifact: bytes


def can_run() -> bool:
    """Return whether this process can run a command at all: only root on Linux can, as another user."""
    return sys.platform == "linux" and os.geteuid() == 0


async def run_commands(
    cases: Sequence[PlannedCase],
    draws: Sequence[Draw],
    *,
    limits: Limits,
    elapsed_s: float,
    private: Collection[Path],
    stop: asyncio.Event,
) -> Mapping[DrawKey, CommandRun | Failure]:
    """Run the commands of cases on their draws, a few at once, each draw by itself even where two are alike.

    Args:
        cases: of the plan; nothing is run for one that is blocked.
        draws: of these cases, in any order. Of one that is missing, or holds no artifact, nothing is run.
        limits: of the whole run; the deadline bounds the commands as well.
        elapsed_s: seconds of the deadline that are used up.
        private: what is closed to other users while commands run (``private_places``).
        stop: when it is set, commands are ended at once, and those that were not run are missing.

    Returns:
        What came of each, or why it was not run.
    """
    work = _work(cases, draws)
    failure = None if can_run() else NOT_ROOT
    if not work or failure is not None:
        return {item.key: failure for item in work if failure is not None}
    done: dict[DrawKey, CommandRun | Failure] = {}
    rest = late(limits)
    try:
        room = make_room()
        try:
            with closed(private, reached=(*PATH.split(":"), str(room.path))), warnings.catch_warnings():
                # A thread that once asked for an address may still be there, idle: it holds nothing that is needed.
                warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
                rest = await _run_all(work, done, room=room, left_s=limits.deadline_s - elapsed_s, stop=stop) or rest
        finally:
            remove_tree(str(room.path))
    except (CannotClose, Unended, OSError) as error:
        rest = _not_started(str(error))
    return {item.key: done.get(item.key, rest) for item in work}


def _work(cases: Sequence[PlannedCase], draws: Sequence[Draw]) -> list[_Work]:
    asked = {item.case.key: item.case.contract for item in cases if item.blocked is None}
    found = []
    for draw in draws:
        contract = asked.get((draw.path, draw.id))
        if contract is None or contract.command is None or draw.reply is None:
            continue
        reading = read_answer(draw.reply, contract)
        if isinstance(reading, Reading):
            artifact = artifact_bytes(reading.value, contract)
            found.append(_Work(key=(draw.path, draw.id, draw.index), command=contract.command, artifact=artifact))
    return found


def artifact_bytes(value: JSON, contract: Contract) -> bytes:
    """Return the content of the artifact's file: a text as it is, a JSON value in its canonical form and a line feed.

    Args:
        value: of the reading.
        contract: says which of the two it is: a JSON value may itself be a text.
    """
    if contract.asks_for_form or not isinstance(value, str):
        return canonical(value) + b"\n"
    return value.encode(errors="replace")


async def _run_all(
    work: Sequence[_Work], done: dict[DrawKey, CommandRun | Failure], *, room: Room, left_s: float, stop: asyncio.Event
) -> Failure | None:
    """Run all commands into ``done``; return why the rest was not run, None for want of time."""
    queue, numbers = iter(work), count()

    async def worker() -> None:
        for item in queue:
            done[item.key] = await run_command(item.command, item.artifact, room=room, user=user_of_run(next(numbers)))

    processors = len(os.sched_getaffinity(0))

    async def all_workers() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(_MOST_AT_ONCE, processors, len(work))):
                group.create_task(worker())

    if left_s <= 0 or stop.is_set():
        return _INTERRUPTED if stop.is_set() else None
    running, stopping = asyncio.ensure_future(all_workers()), asyncio.ensure_future(stop.wait())
    both: set[asyncio.Future[Any]] = {running, stopping}
    try:
        await asyncio.wait(both, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        running.cancel()
        await asyncio.wait(both)
    if not running.cancelled() and isinstance(failed := running.exception(), BaseExceptionGroup):
        raise failed.exceptions[0]
    return _INTERRUPTED if stop.is_set() else None


async def run_command(command: Command, artifact: bytes, *, room: Room, user: User) -> CommandRun | Failure:
    """Run one command to its end, and end whatever it started.

    Args:
        command: what to run.
        artifact: content of the artifact's file.
        room: where its scratch folder is made, and removed.
        user: as whom, and nobody else's.

    Returns:
        What came of it, or why it could not be started.

    Raises:
        Unended: processes of it could not be ended.
        OSError: what it left could not be removed.
    """
    try:
        folder = make_scratch(room, command, artifact, uid=user.uid)
    except OSError as error:
        return _not_started(f"its scratch folder cannot be written: {error.strerror}")
    pipe, end = os.pipe2(os.O_CLOEXEC)
    output, process = Output(pipe=pipe), None
    try:
        os.set_blocking(pipe, False)
        os.fchown(end, user.uid, user.uid)  # or no command could write to /dev/stderr
        process = await _start(command, folder=folder, output=end, user=user)
        os.close(end)
        end = -1
        asyncio.get_running_loop().add_reader(pipe, output.take)
        ended = await _ended(process, output, command=command, room=room, folder=folder, user=user)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return _not_started(f"{command.argv[0]}: {said}")
    finally:
        end_all(user, but=None if process is None else process.pid)
        if process is not None:
            await process.wait()
        while output.take():
            pass
        asyncio.get_running_loop().remove_reader(pipe)
        for descriptor in (pipe, end):
            with suppress(OSError):
                os.close(descriptor)
        remove_shared(user)
        remove_scratch(folder, uid=user.uid)
    return ended if isinstance(ended, Failure) else _came_of(ended, process.returncode, output)


def _came_of(ended: Ended, code: int | None, output: Output) -> CommandRun:
    ended = Ended.OUTPUT if output.full.is_set() else ended
    exit_code = code if ended is Ended.EXITED else None
    return CommandRun(ended=ended, exit_code=exit_code, output=output.text, cut=output.is_cut)


async def _start(command: Command, *, folder: Path, output: int, user: User) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *command.argv,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        close_fds=True,
        cwd=folder,
        env={"PATH": PATH, "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"},
        user=user.uid,
        group=user.uid,
        extra_groups=[],
        umask=0o077,
        start_new_session=True,
        # Limits and the refusal of privileges have no argument of their own, and have to hold from the first moment.
        preexec_fn=confinement(),
    )
    end_first(process.pid)
    return process


async def _ended(
    process: asyncio.subprocess.Process, output: Output, *, command: Command, room: Room, folder: Path, user: User
) -> Ended | Failure:
    """Wait until a command ends or has to be ended, and return which it was."""
    clock = asyncio.get_running_loop().time
    until = clock() + command.timeout_s
    waits: list[asyncio.Future[Any]] = [
        asyncio.ensure_future(process.wait()),
        asyncio.ensure_future(output.full.wait()),
    ]
    try:
        while True:
            left = until - clock()
            await asyncio.wait(waits, timeout=max(0, min(left, _GLANCE_S)), return_when=asyncio.FIRST_COMPLETED)
            if output.full.is_set():
                return Ended.OUTPUT
            if waits[0].done():
                return Ended.EXITED
            if left <= 0:
                return Ended.TIME
            if room.is_short:
                return _SHORT
            if is_too_much(folder, uid=user.uid):
                return Ended.OUTPUT
    finally:
        for future in waits:
            future.cancel()


def _not_started(why: str) -> Failure:
    return Failure(cause=Cause.COMMAND, message=f"The command could not be run: {why}.")
