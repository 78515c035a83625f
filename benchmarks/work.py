"""The work that drawing is measured with, and the programs that do it: this one, and others that are installed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.peers import Case, Peer, installed
from benchmarks.process import Mock, Run, measure
from evalaction import __version__

DRAWS = 5
"""Of each case."""
OURS = "evalaction"
DONE = {OURS: {0, 1}, "promptfoo": {0, 100}, "inspect-ai": {0}, "mistrial": {0, 1}}
"""The exit codes of a program that has done its work: answers that flip fail some cases."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """A program that does the work."""

    name: str
    version: str
    folder: Path
    """Where it is run, with its files."""
    command: Callable[[int], Sequence[str]]
    """Calls at once → what is run."""
    environ: dict[str, str]

    def run(self, endpoint: Mock, *, latency_ms: float, at_once: int) -> Run:
        """Run it once.

        Raises:
            SystemExit: it did not do its work, so that nothing was measured.
        """
        endpoint.ask("/config", {"latency_ms": latency_ms})
        done = measure(self.command(at_once), folder=self.folder, mock=endpoint, environ=self.environ)
        if done.code not in DONE[self.name]:
            raise SystemExit(f"{self.name} ended with {done.code}:\n{done.said}")
        return done


def cases(count: int) -> list[Case]:
    """Return the work; the word after ``EXPECT=`` is what the endpoint answers, most of the time."""
    asked = 'Is this order late? Answer with one JSON object with the key "answer". Order'
    words = [("yes", "no", "maybe")[number % 3] for number in range(count)]
    return [
        Case(id=f"order-{number:05}", prompt=f"EXPECT={word} {asked} {number * 7919 % 100_000}.", answer=word)
        for number, word in enumerate(words)
    ]


def ours(folder: Path, endpoint: Mock, work: Sequence[Case]) -> Subject:
    """Return this program, with a repository in ``folder`` in which all cases are new."""
    folder.mkdir()
    git = ["git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for command in (
        ["init", "--quiet"],
        ["checkout", "--quiet", "-b", "main"],
        ["commit", "--quiet", "--allow-empty", "--no-gpg-sign", "--message=Nothing yet"],
    ):
        subprocess.run([*git, *command], check=True)  # noqa: S603 - our own commands
    rows = [
        {"id": case.id, "prompt": case.prompt, "expect_keys": ["answer"], "expect": {"answer": case.answer}, "n": DRAWS}
        for case in work
    ]
    (folder / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    given = ("--base-url", endpoint.url, "--model", "mock", "--max-calls", "1000000", "--deadline", "36000")
    program = Path(sys.executable).with_name("evalaction")
    start = (str(program),) if program.exists() else (sys.executable, "-m", "evalaction")
    check = (*start, "check", *given, "--max-concurrency")
    return Subject(
        name=OURS, version=__version__, folder=folder, command=lambda at_once: (*check, str(at_once)), environ={}
    )


def others(programs: Path, folder: Path, endpoint: Mock, work: Sequence[Case]) -> Iterator[Subject]:
    """Yield the other programs that are installed below ``programs``, their files written to ``folder``."""
    for peer in installed(programs):
        place = folder / peer.name
        place.mkdir()
        peer.write(place, work, endpoint.url)
        yield Subject(
            name=peer.name,
            version=peer.version_of(programs),
            folder=place,
            command=partial(_command, peer, programs / peer.program),
            environ=peer.environ(place, endpoint.url),
        )


def _command(peer: Peer, program: Path, at_once: int) -> Sequence[str]:
    return str(program), *peer.arguments(DRAWS, at_once)
