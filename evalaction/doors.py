"""What both doors share: signals that end a run, output that nobody reads, errors in words.

I/O: takes over signals and the standard streams. Imports nothing heavy at the top, since it is there before
anything can be interrupted.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from types import FrameType
from typing import Any, NoReturn, TextIO

INTERRUPTED = 130
_SAID = "error: The run was interrupted."
_OBJECTS = 50_000
"""New objects after which garbage is looked for among them."""
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a run: Ctrl-C, a cancelled job, a terminal that is closed."""
_ECHO_S = 0.5
"""Seconds within which a signal only repeats the one before."""


class Interrupted(SystemExit):
    """A signal ended the run while nothing was drawn."""


class _Heard:
    """What this process has heard of signals."""

    latest = float("-inf")
    """Clock time of the latest one, in seconds."""
    ends = False
    """One is to end the process. Where it is raised in the middle of an import, Python may drop it."""


def end_on_signals() -> None:
    """End with exit code 130 on a signal, from now on; while it draws, the runner takes over.

    Process 1 of a container has no handlers of its own: without this it would not hear them.
    """
    take_signals(_end)


def take_signals(handler: Callable[[int, FrameType | None], object]) -> dict[int, Any]:
    """Have a handler called for each signal that ends a run, and return what was called for it before.

    One that is ignored stays so: ``nohup`` asks for it. In another thread than the main one nothing is changed.
    """
    before: dict[int, Any] = {}
    with contextlib.suppress(ValueError):  # not the main thread
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
    return before


def give_back(before: Mapping[int, Any]) -> None:
    """Have signals call again what ``take_signals`` returned."""
    for number, handler in before.items():
        signal.signal(number, handler)


def is_echo() -> bool:
    """Note a signal, and tell whether it only repeats another: a wrapper passes on what all have heard."""
    now = time.monotonic()
    if now - _Heard.latest < _ECHO_S:
        return True
    _Heard.latest = now
    return False


def is_to_end() -> bool:
    """Tell whether a signal was to end this process before anything was drawn, whatever became of that."""
    return _Heard.ends


def hold_signals() -> dict[int, Any]:
    """Have a signal only noted from now on (``is_to_end``), and return what was called for it before.

    A run begins here, and no signal of it repeats one of another run in this process.
    """
    _Heard.latest = float("-inf")
    return take_signals(_note)


def _note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    if not is_echo():
        _Heard.ends = True


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    if not is_echo():
        _Heard.ends = True
        raise Interrupted(INTERRUPTED)


class _Patient:
    """A text stream on which a reader that has gone ends nothing: what it would have read is dropped."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, or drop."""
        try:
            return self._stream.write(text)
        except OSError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        """Write what is kept back, or drop it."""
        try:
            self._stream.flush()
        except OSError:
            self._drop()

    def _drop(self) -> None:
        """Let everything that still comes go nowhere; the interpreter flushes the stream once more at its end."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def stop_collecting() -> None:
    """Look for no garbage while modules are loaded: it would take a tenth of the time, and there is none."""
    gc.disable()


def begin_collecting() -> None:
    """Look for garbage again, and not among what is loaded, which stays to the end.

    Records hold no cycles, and go when nobody holds them: to look through all draws that are young, every 700
    objects, would take 3 % of a run.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(_OBJECTS)
        gc.enable()


def patient_streams() -> None:
    """Make output that cannot be written, or not in the terminal's encoding, no reason to end a run."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started the process
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the rest of the process
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        setattr(sys, name, _Patient(stream))


def ended_by(command: Callable[[], object]) -> NoReturn:
    """Run a command and end the process with its exit code, at once.

    Everything is written and closed by then: to take apart what is left in memory, piece by piece, would take as long
    as to send dozens of requests.
    """
    try:
        command()
        code: object = 0
    except Interrupted:
        code = _interrupted()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        if not is_to_end():
            raise
        code = _interrupted()  # in the middle of an import it comes as something else
    if not isinstance(code, int | None):
        raise SystemExit(code)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code or 0)


def _interrupted() -> int:
    sys.stderr.write(f"{_SAID}\n")
    return INTERRUPTED


def ending(error: BaseException, *, secrets: Iterable[str]) -> tuple[list[str], int]:
    """Return what a door says of an exception that ended its run, and its exit code.

    A fault of ours is told with its traceback and ends as not measured: exit code 1 means that a gate failed.

    Args:
        error: what was raised.
        secrets: taken out of the lines.
    """
    import traceback  # noqa: PLC0415 - see the module

    from evalaction.errors import EvalactionError, ExitCode  # noqa: PLC0415 - see the module
    from evalaction.redact import Redactor  # noqa: PLC0415 - see the module
    from evalaction.report.untrusted import log_line  # noqa: PLC0415 - see the module

    if isinstance(error, EvalactionError):
        lines, code = [f"error: {problem}" for problem in error.problems], error.exit_code
    elif isinstance(error, KeyboardInterrupt | Interrupted) or is_to_end():
        lines, code = [_SAID], ExitCode.INTERRUPTED
    else:
        lines = "".join(traceback.format_exception(error)).splitlines()
        lines.append("error: This is a fault of evalaction itself. Please report it with the lines above.")
        code = ExitCode.NOT_MEASURED
    redactor = Redactor(secrets)
    return [log_line(redactor.text(line)) for line in lines], code
