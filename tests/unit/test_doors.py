"""How a run ends that nobody planned."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from evalaction.doors import ending
from evalaction.errors import BadInput, CannotMeasure, Problem


def test_ending__every_way() -> None:
    """What a person can mend is a line and its code; an interrupt is 130."""
    bad = BadInput(Problem(message="No.", path="a", line=2), Problem(message="Nor this.", remedy="Do that."))
    assert ending(bad, secrets=()) == (["error: a:2: No.", "error: Nor this. Do that."], 2)
    assert ending(CannotMeasure(Problem(message="Gone.")), secrets=()) == (["error: Gone."], 3)
    assert ending(KeyboardInterrupt(), secrets=()) == (["error: The run was interrupted."], 130)


def test_ending__fault_of_ours() -> None:
    """A bug keeps its traceback, without secrets and control characters, and never reads as a failed gate."""
    with pytest.raises(ValueError, match="Bearer") as caught:
        raise ValueError("Bearer sk-test-AAAA1111BBBB2222\n\x1b[2J")
    lines, code = ending(caught.value, secrets=("sk-test-AAAA1111BBBB2222",))
    assert code == 3
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-3:] == [
        "ValueError: Bearer ‹redacted›",
        "⟨U+001B⟩[2J",
        "error: This is a fault of evalaction itself. Please report it with the lines above.",
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pass", (0, "out", "err")),
        ("sys.exit()", (0, "out", "err")),
        ("sys.exit(3)", (3, "out", "err")),
        ("sys.exit('why')", (1, "out", "errwhy\n")),
    ],
)
def test_ended_by(code: str, expected: tuple[int, str, str]) -> None:
    """The process ends with the command's code, and what it wrote has been written; what is left is not run."""
    lines = (
        "import atexit, sys; from evalaction.doors import ended_by",
        "atexit.register(print, 'late')" if "why" not in code else "",
        f"def command():\n print('out', end=''); print('err', end='', file=sys.stderr); {code}",
        "ended_by(command)",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == expected


SWALLOWED = "try:\n  os.kill(os.getpid(), signal.SIGTERM)\n except BaseException:\n  "


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("os.kill(os.getpid(), signal.SIGTERM)", (130, "", "error: The run was interrupted.\n")),
        (f"{SWALLOWED}raise TypeError('in an import')", (130, "", "error: The run was interrupted.\n")),
        (f"{SWALLOWED}print(doors.is_to_end())", (0, "True\n", "")),
        ("os.kill(os.getpid(), signal.SIGHUP)", (0, "", "")),
    ],
)
def test_end_on_signals(code: str, expected: tuple[int, str, str]) -> None:
    """A signal ends the process, whatever becomes of what it raises; one that is ignored stays so."""
    lines = (
        "import os, signal; from evalaction import doors",
        "signal.signal(signal.SIGHUP, signal.SIG_IGN); doors.end_on_signals()",
        f"def command():\n {code}",
        "doors.ended_by(command)",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == expected


def test_take_signals__echo() -> None:
    """A signal that follows another at once only repeats it: a wrapper passes on what the terminal sent to all.

    Not so in the next run of the same process.
    """
    lines = (
        "import os, signal; from evalaction import doors",
        "doors.take_signals(lambda number, frame: print(number, doors.is_echo(), flush=True))",
        "doors.time.monotonic = lambda: 1.0",
        "for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM): os.kill(os.getpid(), number)",
        "doors.time.monotonic = lambda: 10**9",
        "os.kill(os.getpid(), signal.SIGINT)",
        "doors.give_back(doors.hold_signals())",
        "os.kill(os.getpid(), signal.SIGINT)",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    number, other = int(signal.SIGINT), int(signal.SIGTERM)
    assert done.stdout == f"{number} False\n{number} True\n{other} True\n{number} False\n{number} False\n"
    assert (done.returncode, done.stderr) == (0, "")
