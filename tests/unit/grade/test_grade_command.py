"""Commands, run for real as another user: what they are given, what they cannot reach, how they end.

Every script here is a command that a pull request could name, or a program that a model could write.
"""

from __future__ import annotations

import asyncio
import ctypes
import hashlib
import json
import os
import platform
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from support.grading import command_contract, draw_of, planned_case, reply_of

from evalaction.grade.command import NOT_ROOT, PATH, artifact_bytes, run_command, run_commands
from evalaction.grade.confine import user_of_run
from evalaction.grade.output import KEPT, MOST_OUTPUT
from evalaction.grade.scratch import SHARED, Room, make_room, remove_tree
from evalaction.records.case import Command
from evalaction.records.command import CommandRun, Ended
from evalaction.records.draw import Cause, Draw, Failure
from evalaction.records.plan import PlannedCase
from evalaction.records.settings import Limits

pytestmark = pytest.mark.root

NUMBERS = count()
SLEEP = "import time; time.sleep(1000)"


@pytest.fixture
def room() -> Iterator[Room]:
    """A folder for scratch folders."""
    made = make_room()
    yield made
    assert [] == list(made.path.iterdir())
    remove_tree(str(made.path))


def python(script: str, *, timeout_s: int = 60) -> Command:
    """Return the command that runs a script of Python's."""
    files = (("check.py", script.encode()),)
    return Command(argv=("python3", "check.py"), artifact="artifact.txt", files=files, timeout_s=timeout_s)


def run(room: Room, command: Command, artifact: bytes = b"text\n") -> CommandRun | Failure:
    """Run a command, and see that nothing of its user is left: no process, and no file where everybody may write."""
    user = user_of_run(next(NUMBERS))
    done = asyncio.run(run_command(command, artifact, room=room, user=user))
    assert [] == processes_of(user.uid)
    shared = [entry for folder in SHARED if Path(folder).is_dir() for entry in os.scandir(folder)]
    assert [] == [entry.path for entry in shared if owner(entry) == user.uid]
    return done


def owner(entry: os.DirEntry[str]) -> int | None:
    try:
        return entry.stat(follow_symlinks=False).st_uid
    except OSError:
        return None


def processes_of(uid: int) -> list[str]:
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        if f"\t{uid}" in text and "State:\tZ" not in text:
            found.append(text)
    return found


def exited(code: int, output: str = "") -> CommandRun:
    return CommandRun(ended=Ended.EXITED, exit_code=code, output=output)


@pytest.mark.parametrize("code", [0, 1, 77, 255])
def test_run_command__exit_code(room: Room, code: int) -> None:
    """The exit code is the program's own, and both streams are its output, in the order in which they were written."""
    script = f"import sys\nprint('out', flush=True)\nprint('err', file=sys.stderr, flush=True)\nsys.exit({code})"
    done = run(room, python(script))
    assert exited(code, "out\nerr\n") == done


def test_run_command__signal(room: Room) -> None:
    """A program that ends by a signal is told by the negative number."""
    assert exited(-9) == run(room, python("import os; os.kill(os.getpid(), 9)"))


def test_run_command__no_shell(room: Room) -> None:
    """Arguments reach the program as they are: nothing expands, splits or joins them."""
    words = ("$HOME", "`id`", "a  b", "; exit 9", "*", "--", "é\n")
    script = "import json, sys; print(json.dumps(sys.argv[1:]))"
    done = run(room, replace(python(script), argv=("python3", "check.py", *words)))
    assert isinstance(done, CommandRun)
    assert list(words) == json.loads(done.output)


def test_run_command__artifact(room: Room) -> None:
    """The artifact lies byte for byte in the scratch folder, which is where the command begins and may write."""
    script = (
        "import hashlib, os\nprint(hashlib.sha256(open('artifact.txt', 'rb').read()).hexdigest())\n"
        "open('more', 'w').write('x')\nopen('artifact.txt', 'a').write('x')\nprint(sorted(os.listdir()))"
    )
    artifact = bytes(range(256)) * 100_000
    sha = hashlib.sha256(artifact).hexdigest()
    assert exited(0, f"{sha}\n['artifact.txt', 'check.py', 'more']\n") == run(room, python(script), artifact)


def test_run_command__own_program(room: Room) -> None:
    """A file beside the artifact can itself be the program."""
    command = Command(argv=("./check.sh",), artifact="a.txt", files=(("check.sh", b"#!/bin/sh\ncat a.txt\nexit 4\n"),))
    assert exited(4, "text\n") == run(room, command)


@pytest.mark.parametrize(
    ("argv", "content", "why"),
    [
        (("no-such-program",), b"", "no-such-program: No such file or directory"),
        (("./check.sh",), b"no program", "./check.sh: Exec format error"),
        (("./missing",), b"", "./missing: No such file or directory"),
        (("/etc",), b"", "/etc: Permission denied"),
    ],
)
def test_run_command__not_started(room: Room, argv: tuple[str, ...], content: bytes, why: str) -> None:
    """What cannot be started is a failure that says why, and no verdict."""
    command = Command(argv=argv, artifact="a.txt", files=(("check.sh", content),))
    assert Failure(cause=Cause.COMMAND, message=f"The command could not be run: {why}.") == run(room, command)


def test_run_command__what_it_is_given(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has an environment, a user, a session and descriptors of its own, and nothing of ours."""
    for name in ("EVAL_API_KEY", "GITHUB_TOKEN", "INPUT_API-KEY", "ACTIONS_RUNTIME_TOKEN", "LD_PRELOAD_", "PYTHONPATH"):
        monkeypatch.setenv(name, "secret-secret")
    script = """
import json, os, resource
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
print(json.dumps({
    "environ": sorted(os.environ), "home": os.environ["HOME"] == os.environ["TMPDIR"] == os.getcwd(),
    "path": os.environ["PATH"], "groups": os.getgroups(), "root": 0 in os.getresuid() + os.getresgid(),
    "session": os.getsid(0) == os.getpid(), "input": os.read(0, 1).decode(), "umask": os.umask(0),
    "descriptors": sorted(os.listdir("/proc/self/fd"))[:-1], "privileges": status["NoNewPrivs"],
    "capabilities": [status["CapEff"], status["CapPrm"], status["CapAmb"]],
    "core": resource.getrlimit(resource.RLIMIT_CORE), "processes": resource.getrlimit(resource.RLIMIT_NPROC),
}))
"""
    done = run(room, python(script))
    assert isinstance(done, CommandRun)
    assert {
        "environ": ["HOME", "LANG", "PATH", "TMPDIR"],
        "home": True,
        "path": PATH,
        "groups": [],
        "root": False,
        "session": True,
        "input": "",
        "umask": 0o077,
        "descriptors": ["0", "1", "2"],
        "privileges": "1",
        "capabilities": ["0000000000000000"] * 3,
        "core": [0, 0],
        "processes": [256, 256],
    } == json.loads(done.output)


REACHING = """
import ctypes, os, signal
parent = os.getppid()
def reached(name, attempt):
    try:
        print(name, attempt())
    except OSError:
        pass
for part in ("environ", "mem", "maps", "fd", "cwd", "root", "exe", "io", "syscall", "auxv"):
    path = f"/proc/{parent}/{part}"
    reached(part, lambda: os.listdir(path) if part in ("fd", "cwd", "root") else open(path, "rb").read(1))
    reached(part, lambda: os.readlink(path))
reached("kill", lambda: os.kill(parent, signal.SIGTERM))
reached("stop", lambda: os.kill(parent, signal.SIGSTOP))
reached("nice", lambda: os.setpriority(os.PRIO_PROCESS, parent, 19))
if ctypes.CDLL(None).ptrace(16, parent, 0, 0) == 0: print("ptrace")
for path in ("/etc/shadow", "/root", "/proc/1/environ", os.path.dirname(os.getcwd()), "/proc/kcore", "/dev/mem"):
    reached(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1))
reached("uid", lambda: os.setuid(0))
reached("groups", lambda: os.setgroups([0]))
reached("scratch", lambda: os.rename(os.getcwd(), os.getcwd() + "x"))
"""


def test_run_command__parent(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither memory, environment, descriptors nor folders of the program that runs it are within its reach."""
    monkeypatch.setenv("EVAL_API_KEY", "secret-secret")
    assert exited(0) == run(room, python(REACHING))


def test_run_command__owner_rights(room: Room) -> None:
    """A program that runs with the rights of its owner gives none: not one of root's, nor one that it makes."""
    script = """
import os, shutil, subprocess
for program in ("/bin/su", "/usr/bin/newgrp", "/usr/bin/passwd"):
    if os.path.exists(program) and os.stat(program).st_mode & 0o4000:
        subprocess.run([program, "-c", "id"], stdin=subprocess.DEVNULL, capture_output=True)
print(os.getresuid() == (os.getuid(),) * 3)
"""
    assert exited(0, "True\n") == run(room, python(script))


OUTLIVING = {
    "in the background": "if os.fork(): sys.exit(0)\ntime.sleep(1000)",
    "in a session of its own": "if os.fork(): sys.exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep(1000)",
    "deaf": "if os.fork(): sys.exit(0)\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(1000)",
    "seemingly root's": "ctypes.CDLL(None).prctl(4, 0)\nif os.fork(): sys.exit(0)\ntime.sleep(1000)",
    "stopped": "if os.fork(): sys.exit(0)\nos.kill(os.getpid(), signal.SIGSTOP)",
    "many": "for _ in range(50):\n  if os.fork() == 0: time.sleep(1000)\nsys.exit(0)",
}
"""How a process tries to outlive its command → the script."""


def test_run_command__killing(room: Room) -> None:
    """A process that ends whatever it can ends its own command, and neither us nor what ends it in turn."""
    script = (
        "import os\nif os.fork(): os.read(os.pipe()[0], 1)\nwhile True:\n  try: os.kill(-1, 9)\n  except OSError: pass"
    )
    assert exited(-9) == run(room, python(script))


@pytest.mark.parametrize("how", OUTLIVING)
def test_run_command__outliving(room: Room, how: str) -> None:
    """When a command has exited, everything that it started is ended too, and its exit code stands."""
    assert exited(0) == run(room, python(f"import ctypes, os, signal, sys, time\n{OUTLIVING[how]}"))


FIRST_THREAD_ENDS = """
import ctypes, os, platform, sys, threading, time
pid, number = os.fork(), 60 if platform.machine() == "x86_64" else 93
if pid == 0:
    threading.Thread(target=time.sleep, args=(1000,)).start()
    ctypes.CDLL(None).syscall(number, 0)  # ends this thread alone
while "State:\\tZ" not in open(f"/proc/{pid}/status").read():
    time.sleep(0.001)
"""


def test_run_command__first_thread_ends(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process whose first thread is dead and whose others run is ended, also where no further one can be started."""

    def fork() -> int:
        raise BlockingIOError

    monkeypatch.setattr("evalaction.grade.confine.os.fork", fork)
    user = user_of_run(next(NUMBERS))
    assert exited(0) == asyncio.run(run_command(python(FIRST_THREAD_ENDS), b"", room=room, user=user))
    texts = [path.read_text() for path in Path("/proc").glob("[0-9]*/status") if path.exists()]
    assert {"1"} >= {text.split("Threads:")[1].split()[0] for text in texts if f"\t{user.uid}" in text}


SHARED_MEMORY = """
import ctypes
c = ctypes.CDLL(None)
print(min(c.shmget(0, 2**20, 0o1666), c.msgget(0, 0o1666), c.semget(0, 1, 0o1666)) >= 0)
print(c.mq_open(b"/q", 0o102, 0o666, None))
"""


def test_run_command__shared_memory(room: Room) -> None:
    """What outlives every process is removed: shared memory, queues, semaphores; POSIX's queues are not to be had."""
    assert exited(0, "True\n-1\n") == run(room, python(SHARED_MEMORY))
    ours = {str(user_of_run(number).uid) for number in range(256)}
    rows = [row for kind in ("shm", "msg", "sem") for row in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()]
    assert [] == [row for row in rows if ours & set(row.split())]


KEYRING = """
import ctypes
c, kept = ctypes.CDLL(None), ctypes.create_string_buffer(100)
print(c.syscall(ctypes.c_long(250), ctypes.c_long(11), ctypes.c_long({key}), kept, ctypes.c_long(100)), kept.value)
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the calls have other numbers")
def test_run_command__keys(room: Room) -> None:
    """Keys of the session that the program runs in cannot be read."""
    call, long = ctypes.CDLL(None).syscall, ctypes.c_long
    child = os.fork()  # whose session's keys are its own
    if child == 0:
        try:
            call(long(250), long(1), None)
            key = call(long(248), b"user", b"secret", b"TOP", long(3), long(-3))
            done = run(room, python(KEYRING.format(key=key)))
            os._exit(0 if done == exited(0, "-1 b''\n") else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_run_command__stream_by_name(room: Room) -> None:
    """A script can write to its streams by their names."""
    script = b"#!/bin/sh\necho one > /dev/stdout; echo two > /dev/stderr\n"
    command = Command(argv=("./x",), artifact="artifact.txt", files=(("x", script),), timeout_s=60)
    assert exited(0, "one\ntwo\n") == run(room, command)


FOREVER = {
    "asleep": "time.sleep(1000)",
    "busy": "while True: pass",
    "fork bomb": "while True:\n  try: os.fork()\n  except OSError: pass",
    "waiting for input that never comes": "r, w = os.pipe()\nos.read(r, 1)",
    "deaf": "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(1000)",
}


@pytest.mark.parametrize("how", FOREVER)
def test_run_command__time(room: Room, how: str) -> None:
    """What takes too long is ended, and that is no exit code."""
    done = run(room, python(f"import os, signal, time\n{FOREVER[how]}", timeout_s=1))
    assert CommandRun(ended=Ended.TIME, exit_code=None, output="") == done


@pytest.mark.parametrize(
    ("written", "kept", "ended"),
    [
        (0, 0, Ended.EXITED),
        (KEPT, KEPT, Ended.EXITED),
        (KEPT + 1, KEPT, Ended.EXITED),
        (MOST_OUTPUT, KEPT, Ended.EXITED),
        (MOST_OUTPUT + 1, KEPT, Ended.OUTPUT),
        (50 * MOST_OUTPUT, KEPT, Ended.OUTPUT),
    ],
)
def test_run_command__output(room: Room, written: int, kept: int, ended: Ended) -> None:
    """Of a long output the beginning is kept, and of one beyond the limit the command is ended: to the byte."""
    done = run(room, python(f"import sys\nsys.stdout.write('x' * {written})"))
    code = 0 if ended is Ended.EXITED else None
    assert CommandRun(ended=ended, exit_code=code, output="x" * kept, cut=written > kept) == done


def test_run_command__output_text(room: Room) -> None:
    """Bytes that are no text are shown as such; a character that the limit cuts in two is left out."""
    assert exited(0, "a�b\0\x1b[31m") == run(room, python("import os; os.write(1, b'a\\xffb\\0\\x1b[31m')"))
    done = run(room, python(f"print('x' + 'é' * {KEPT})"))
    assert done == CommandRun(ended=Ended.EXITED, exit_code=0, output="x" + "é" * (KEPT // 2 - 1), cut=True)


FILLING = {
    "one file": "f = open('f', 'wb')\nwhile True: f.write(b'x' * 1_000_000)",
    "many files": "for n in itertools.count():\n  with open(f'f{n}', 'wb') as f: f.write(b'x' * 30_000_000)",
    "elsewhere": "for n in itertools.count():\n"
    "  with open(f'/tmp/cm-{os.getpid()}-{n}', 'wb') as f: f.write(b'x' * 30_000_000)",
    "deeper than any path": "while True: os.mkdir('d'); os.chdir('d')",
}


@pytest.mark.parametrize("how", FILLING)
def test_run_command__disk(room: Room, how: str) -> None:
    """A command that fills the disk is ended, or fails at the limit of one file; what it wrote is removed."""
    done = run(room, python(f"import itertools, os\n{FILLING[how]}"))
    assert isinstance(done, CommandRun)
    expected = (Ended.EXITED, 1) if how == "one file" else (Ended.OUTPUT, None)
    assert expected == (done.ended, done.exit_code)


def test_run_command__leavings(room: Room) -> None:
    """Whatever a command leaves is removed, however deep it lies and whatever it points to; what it points to stays."""
    script = """
import os
os.symlink("/etc", "link"); os.symlink("/", "/dev/shm/link%d" % os.getpid()); os.mkfifo("fifo")
os.mkdir("/tmp/left%d" % os.getpid()); open("/tmp/left%d/x" % os.getpid(), "w").close()
os.mkdir("closed", 0); os.mkdir(b"\\xff\\n"); os.link("artifact.txt", "again")
for _ in range(90):
    os.mkdir("deeper"); os.chdir("deeper")
open("x", "w").close()
"""
    assert exited(0) == run(room, python(script))
    assert Path("/etc/passwd").exists()


def test_run_command__other_runs(room: Room) -> None:
    """Two runs at once cannot look into each other's folder, nor signal each other."""
    script = """
import glob, os, time
root = os.path.dirname(os.getcwd())
print(glob.glob(root + "/*"), os.access(root, os.R_OK))
for pid in filter(str.isdecimal, os.listdir("/proc")):
    if pid != str(os.getpid()):
        for attempt in (lambda: os.kill(int(pid), 9), lambda: os.listdir(f"/proc/{pid}/cwd")):
            try:
                print("reached", pid, attempt())
            except OSError:
                pass
"""

    async def both() -> list[CommandRun | Failure]:
        sleeping = python("import time\nopen('secret', 'w').write('s')\ntime.sleep(1000)", timeout_s=5)
        slow = run_command(sleeping, b"", room=room, user=user_of_run(next(NUMBERS)))
        quick = run_command(python(script), b"", room=room, user=user_of_run(next(NUMBERS)))
        return list(await asyncio.gather(slow, quick))

    slow, quick = asyncio.run(both())
    assert CommandRun(ended=Ended.TIME, exit_code=None, output="") == slow
    assert exited(0, "[] False\n") == quick


def planned(command: Command, *, n: int = 3) -> PlannedCase:
    found = planned_case(n=n)
    return replace(found, case=replace(found.case, contract=command_contract(command=command)))


def draws(*texts: str | None) -> list[Draw]:
    replies = [None if text is None else reply_of(text, id=f"cmpl-{index}") for index, text in enumerate(texts)]
    return [draw_of(reply, index=index) for index, reply in enumerate(replies, start=1)]


def all_of(
    case: PlannedCase,
    found: list[Draw],
    *,
    elapsed_s: float = 0,
    private: tuple[Path, ...] = (),
) -> dict[int, CommandRun | Failure]:
    """Run the commands of a case, by index of the draw."""

    async def main() -> dict[int, CommandRun | Failure]:
        stop = asyncio.Event()
        runs = await run_commands([case], found, limits=Limits(), elapsed_s=elapsed_s, private=private, stop=stop)
        return {index: run for (_, _, index), run in runs.items()}

    return asyncio.run(main())


GREP = Command(argv=("grep", "-q", "yes", "artifact.txt"), artifact="artifact.txt")


def test_run_commands__each_draw() -> None:
    """Every draw that holds an artifact is run by itself; for one that is missing or empty nothing is run."""
    assert {1: exited(0), 2: exited(1), 4: exited(0)} == all_of(planned(GREP, n=5), draws("yes", "no", None, "yes", ""))


def test_run_commands__blocked() -> None:
    """For a case that is blocked nothing is run, whatever draws there are."""
    assert {} == all_of(replace(planned(GREP), blocked="not allowed"), draws("yes"))


def test_run_commands__not_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without root nothing is run, and every draw says what to do."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert {1: NOT_ROOT, 2: NOT_ROOT} == all_of(planned(GREP), draws("yes", "no"))


def test_run_commands__deadline() -> None:
    """When the deadline has passed nothing is run, and the draws are missing for that."""
    message = (
        "The deadline of 1,800 s was reached. Raise deadline (--deadline), or narrow the run with --case or --tag."
    )
    late = Failure(cause=Cause.DEADLINE, message=message)
    assert {1: late, 2: late} == all_of(planned(GREP), draws("yes", "no"), elapsed_s=1_800)


def test_run_commands__deadline_meanwhile() -> None:
    """The deadline ends a command that is running; one that ended before keeps its verdict."""
    case = planned(python(f"if open('artifact.txt').read() == 'slow': {SLEEP}"))
    done = all_of(case, draws("quick", "slow"), elapsed_s=1_799)
    assert {1: exited(0)} == {key: run for key, run in done.items() if isinstance(run, CommandRun)}
    assert [Cause.DEADLINE] == [run.cause for run in done.values() if isinstance(run, Failure)]


def test_run_commands__interrupted() -> None:
    """An interrupt ends commands at once; what had ended keeps its verdict, and the rest is missing."""

    async def interrupt(stop: asyncio.Event, server: asyncio.Server, ready: asyncio.Event) -> None:
        async with server:
            await ready.wait()
            stop.set()

    async def main() -> dict[int, CommandRun | Failure]:
        stop, ready = asyncio.Event(), asyncio.Event()

        def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.close()
            ready.set()

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        said = f"import socket, time; socket.create_connection(('127.0.0.1', {port})); time.sleep(1000)"
        case = planned(python(f"if open('artifact.txt').read() == 'slow':\n  {said}", timeout_s=300))
        running = run_commands(
            [case], draws("quick", *["slow"] * 8), limits=Limits(), elapsed_s=0, private=(), stop=stop
        )
        runs, _ = await asyncio.gather(running, interrupt(stop, server, ready))
        return {index: run for (_, _, index), run in runs.items()}

    done = asyncio.run(main())
    interrupted = Failure(cause=Cause.INTERRUPTED, message="The run was interrupted.")
    assert interrupted == done[9]
    assert {1, 2, 3, 4, 5, 6, 7, 8, 9} == set(done)
    assert all(run in (exited(0), interrupted) for run in done.values())


def test_run_commands__private() -> None:
    """What is private cannot be read or changed meanwhile, and has its permissions back afterwards."""
    place = Path(os.path.realpath("/tmp")) / f"evalaction-private-{os.getpid()}"  # noqa: S108 - within everybody's reach
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    (place / "token").write_text("secret")
    script = f"""
import os
for attempt in (lambda: open("{place}/token").read(), lambda: os.listdir("{place}"), lambda: open("{place}/x", "w")):
    try:
        print("reached", attempt())
    except PermissionError:
        pass
"""
    try:
        assert {1: exited(0)} == all_of(planned(python(script)), draws("x"), private=(place,))
        assert (0o777, ["token"]) == (place.stat().st_mode & 0o777, os.listdir(place))  # noqa: PTH208 - names alone
        reached = all_of(planned(python(script)), draws("x"))[1]
        assert isinstance(reached, CommandRun)
        assert reached.output.startswith("reached secret")
    finally:
        remove_tree(str(place))


def test_run_commands__not_closed() -> None:
    """Where something private cannot be closed nothing is run, and it is said what."""
    usr = Path(os.path.realpath("/usr"))
    message = f"The command could not be run: {usr} holds what a command needs, and cannot be closed to it."
    assert {1: Failure(cause=Cause.COMMAND, message=message)} == all_of(planned(GREP), draws("x"), private=(usr,))


def test_artifact_bytes__kinds() -> None:
    """A text is written as it is, a JSON value in its canonical form: a text too, where a form is asked for."""
    text = command_contract()
    value = command_contract(expect_keys=("a",))
    assert b"caf\xc3\xa9" == artifact_bytes("café", text)
    assert b'{"a":1,"b":[]}\n' == artifact_bytes({"b": [], "a": 1}, value)
    assert b'"x"\n' == artifact_bytes("x", value)
