"""Fuzz for a while, led by coverage: ``python tests/fuzz/run.py [--seconds S] [TARGET …]``, or ``make fuzz``.

Each target runs in a process of its own, side by side. What it finds is written to ``finds/TARGET/``, once for each
fault, and the fuzzing goes on; the corpus that it grows is kept under ``.venv/fuzz``, and a later run begins with it.
Exit codes: 0 nothing was found, 1 something was, 3 there is no atheris here.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CORPUS = ROOT / ".venv" / "fuzz"
LONGEST = 4_096
"""Bytes of one input."""
HANG_S = 20
"""Seconds after which libFuzzer ends a process that reads one input, and keeps the input."""
MEMORY_MB = 2_048
NAMES = ("extraction", "golden", "labels")
sys.path.insert(0, str(HERE.parent))


def fault_of(error: BaseException) -> str:
    """Return what is the same for two inputs with one fault: kind, place and, for an oracle's word, that word."""
    frames = traceback.extract_tb(error.__traceback__)
    last = next((frame for frame in reversed(frames) if "evalaction" in frame.filename), frames[-1])
    words = str(error) if type(error).__name__ == "FindError" else ""
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno} {words}"


def keeping(target: Callable[[bytes], None], folder: Path) -> Callable[[bytes], None]:
    """Return a target that writes what it finds to ``folder``, once for each fault, and never raises."""
    known: set[str] = set()

    def one(data: bytes) -> None:
        try:
            target(data)
        except Exception as error:  # noqa: BLE001 - whatever is raised is a find
            fault = fault_of(error)
            if fault in known:
                return
            known.add(fault)
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{hashlib.sha256(data).hexdigest()[:16]}.bin"
            path.write_bytes(data)
            sys.stderr.write(f"FOUND {fault}: {str(error)[:300]}\n  in {path}\n")
            sys.stderr.flush()

    return one


def fuzz(name: str, *, seconds: int) -> None:
    """Be the fuzzer of one target, in a process of its own; does not return."""
    import atheris  # noqa: PLC0415 - not to be had on every platform

    with atheris.instrument_imports(include=["evalaction"]):
        from fuzz import seeds, targets  # noqa: PLC0415 - what they import is instrumented
    corpus = CORPUS / name
    corpus.mkdir(parents=True, exist_ok=True)
    for data in [*seeds.seeds(name), *(path.read_bytes() for path in seeds.finds(name))]:
        (corpus / hashlib.sha256(data).hexdigest()[:32]).write_bytes(data)
    hung = seeds.folder(name) / "hung"
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        f"-timeout={HANG_S}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-dict={HERE / 'words.dict'}",
        f"-artifact_prefix={hung}-",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    seeds.folder(name).mkdir(parents=True, exist_ok=True)
    atheris.Setup([name, *options, str(corpus)], keeping(targets.TARGETS[name], seeds.folder(name)))
    atheris.Fuzz()


def run(names: Sequence[str], *, seconds: int) -> int:
    """Fuzz the targets side by side for so many seconds; return the exit code."""
    if importlib.util.find_spec("atheris") is None:
        sys.stderr.write(
            "not run: there is no atheris for this platform; tests/unit/test_fuzz_replay.py runs the seeds\n"
        )
        return 3
    before = set((HERE / "finds").glob("*/*"))
    end = time.monotonic() + seconds
    running: dict[str, subprocess.Popen[bytes]] = {}
    while (left := int(end - time.monotonic())) > 0 or running:
        for name in names:
            process = running.get(name)
            if process is not None and process.poll() is not None:
                del running[name]
            if name not in running and left > 0:  # at first, and where one input ended the process
                command = [sys.executable, __file__, "--one", "--seconds", str(left), name]
                running[name] = subprocess.Popen(command, cwd=ROOT)
        time.sleep(0.5)
    found = sorted(set((HERE / "finds").glob("*/*")) - before)
    for path in found:
        sys.stderr.write(f"found: {path.relative_to(ROOT)}\n")
    sys.stderr.write(f"{', '.join(names)}: {seconds} s each, {len(found)} new finds\n")
    return 1 if found else 0


def main(argv: Sequence[str]) -> int:
    """Read the command line, and fuzz."""
    parser = argparse.ArgumentParser(description="Fuzz what reads other people's text.")
    parser.add_argument("targets", nargs="*", choices=[*NAMES, []], help="default: all")
    parser.add_argument("--seconds", type=int, default=600, help="how long; default 600")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.one:
        fuzz(given.targets[0], seconds=given.seconds)
    return run(given.targets or NAMES, seconds=given.seconds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
