"""One cold process against the endpoint of these measurements: how long, how much CPU, how much memory, what was asked.

CPU and memory are the kernel's own figures (``wait4``): of the process and of all that it started and waited for.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENDPOINT = Path(__file__).with_name("endpoint.py")
LEAKING = ("EVAL_", "JUDGE_", "GITHUB_", "INPUT_", "GIT_", "PYTHONDONTWRITEBYTECODE")
"""How variables begin that would change what is measured; without byte code every start would compile everything."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What one process took."""

    wall_s: float
    before_s: float
    """Seconds of the wall before the first request."""
    after_s: float
    """Seconds of it after the last answer."""
    cpu_s: float
    rss_mb: float
    """Most memory that was resident at once."""
    code: int
    said: str
    """The end of what it wrote."""
    stats: Mapping[str, Any]
    """The endpoint's counters."""

    @property
    def calls(self) -> int:
        """Requests that the endpoint got."""
        return int(self.stats["requests"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Mock:
    """The endpoint, in a process of its own."""

    port: int

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def ask(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the endpoint says to ``/stats``, ``/reset`` or ``/config``."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", path, json.dumps(body))
            said: dict[str, Any] = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        return said


@contextmanager
def mock(**flags: float) -> Iterator[Mock]:
    """Start the endpoint, and end it."""
    given = [f"--{name.replace('_', '-')}={value}" for name, value in flags.items()]
    command = [sys.executable, str(ENDPOINT), "--port=0", "--lifetime=36000", *given]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        try:
            ready = "" if process.stdout is None else process.stdout.readline()
            yield Mock(port=int(ready.rpartition(":")[2].partition("/")[0]))
        finally:
            process.terminate()


def clean_environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without what would change what is measured, and with ``more``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LEAKING)}
    return {**kept, **more}


def measure(
    command: Sequence[str], *, folder: Path, mock: Mock, environ: Mapping[str, str], timeout_s: float = 1_200
) -> Run:
    """Run a command and return what it took.

    Args:
        command: the program and its arguments.
        folder: to run in.
        mock: whose counters are its own from now on.
        environ: added to the environment.
        timeout_s: after which it is killed, with all that it started.
    """
    mock.ask("/reset", {})
    with tempfile.TemporaryFile() as out:
        start = time.monotonic()
        process = subprocess.Popen(  # noqa: S603 - our own commands
            command,
            cwd=folder,
            env=clean_environment(environ),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        killer = threading.Timer(timeout_s, os.killpg, (process.pid, signal.SIGKILL))
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        end = time.monotonic()
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(max(0, out.seek(0, os.SEEK_END) - 4_000))
        said = out.read().decode("utf-8", "replace")
    stats = mock.ask("/stats", {})
    return Run(
        wall_s=end - start,
        before_s=stats["first_s"] - start,
        after_s=end - stats["last_s"],
        cpu_s=usage.ru_utime + usage.ru_stime,
        rss_mb=usage.ru_maxrss / (1024 if sys.platform == "linux" else 1024 * 1024),
        code=process.returncode,
        said=said,
        stats=stats,
    )
