"""Drawing, against an endpoint on loopback and beside other programs, where there are any: part of ``make bench``.

The work: 200 cases × 5 draws, one key of a JSON object checked, by a cold process that writes its full report. Every
figure is the median of some rounds, in which all programs take their turns; every ratio is taken within a round.

``--peers DIR`` measures the programs of ``peers`` as well; ``--large`` 100,000 calls too, which takes minutes;
``--markdown`` prints what docs/performance.md shows.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.process import Mock, Run, mock
from benchmarks.work import DRAWS, OURS, Subject, cases, others, ours

CASES = 200
CALLS = CASES * DRAWS
LARGE = 20_000
"""Cases of the large work."""
LATENCIES_MS = (50, 200, 0)
AT_ONCE = 32
FEW, MANY = 8, 64
"""Calls at once whose CPU is held against each other."""
FLIP = 0.1
"""Share of answers with another word than the case expects."""
MOST_MB = 70
LEAST_BUSY = 0.85


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A line of the table of goals."""

    what: str
    goal: str
    figure: str
    met: bool | None
    """None where there is nothing to meet, or it was not measured."""


class Measured:
    """All runs, by program, latency and calls at once."""

    def __init__(self) -> None:
        self.runs: defaultdict[tuple[str, int, int], list[Run]] = defaultdict(list)

    def ours(self, of: Callable[[Run], float], latency_ms: int, *, at_once: int = AT_ONCE) -> float:
        """Return the median of a figure of this program."""
        return statistics.median(map(of, self.runs[OURS, latency_ms, at_once]))

    def ratio(self, of: Callable[[Run], float], latency_ms: int, *, to: str) -> float | None:
        """Return the median ratio to another program, round by round; None where that was not measured."""
        others = self.runs.get((to, latency_ms, AT_ONCE), [])
        pairs = zip(self.runs[OURS, latency_ms, AT_ONCE], others, strict=False)
        return statistics.median([of(one) / of(other) for one, other in pairs]) if others else None

    def most(self, of: Callable[[Run], float]) -> float:
        """Return the largest of a figure in all runs of this program with ``AT_ONCE``."""
        return max(of(run) for latency_ms in LATENCIES_MS for run in self.runs[OURS, latency_ms, AT_ONCE])


def wall(run: Run) -> float:
    """Wall seconds."""
    return run.wall_s


def cpu(run: Run) -> float:
    """CPU milliseconds a call."""
    return run.cpu_s / run.calls * 1000


def counted(name: str) -> Callable[[Run], float]:
    """Return what reads one of the endpoint's counters."""
    return lambda run: float(run.stats[name])


def goals(measured: Measured, large: Run | None) -> Iterator[Row]:
    """Yield each goal beside its figure."""
    for latency_ms, bound in ((50, 1.25), (200, 1.07)):
        ideal_s = math.ceil(CALLS / AT_ONCE) * latency_ms / 1000
        yield _at_most(f"wall / ideal, {latency_ms} ms", bound, measured.ours(wall, latency_ms) / ideal_s)
    for latency_ms, bound in ((50, 0.30), (0, 0.20)):
        yield _at_most(f"wall / promptfoo's, {latency_ms} ms", bound, measured.ratio(wall, latency_ms, to="promptfoo"))
    for peer, bound in (("promptfoo", 0.15), ("mistrial", 0.60)):
        yield _at_most(f"CPU / {peer}'s, 50 ms", bound, measured.ratio(cpu, 50, to=peer))
    yield _at_most("CPU a call, 50 ms", 0.90, measured.ours(cpu, 50), unit=" ms")
    few, many = (measured.ours(cpu, 50, at_once=at_once) for at_once in (FEW, MANY))
    yield _at_most(f"CPU a call, {MANY} at once / {FEW} at once", 1.30, many / few)
    most_mb = measured.most(lambda run: run.rss_mb)
    yield Row(
        what=f"peak memory, {CALLS:,} calls", goal=f"≤ {MOST_MB} MB", figure=f"{most_mb:.0f} MB", met=most_mb <= MOST_MB
    )
    held = (
        "not measured" if large is None else f"{large.rss_mb:.0f} MB, {large.cpu_s / large.calls * 1000:.2f} ms a call"
    )
    yield Row(what=f"peak memory, {LARGE * DRAWS:,} calls", goal="bounded", figure=held, met=None)
    opened, made, most = (measured.most(counted(name)) for name in ("connections", "requests", "max_in_flight"))
    yield Row(what="connections opened", goal=f"≤ {AT_ONCE}", figure=f"{opened:.0f}", met=opened <= AT_ONCE)
    yield Row(what="calls made", goal=f"{CALLS:,}", figure=f"{made:,.0f}", met=made == CALLS)
    yield Row(what="calls in flight, at most", goal=f"≤ {AT_ONCE}", figure=f"{most:.0f}", met=most <= AT_ONCE)
    for latency_ms in (50, 200):
        busy, least = measured.ours(counted("busy"), latency_ms), LEAST_BUSY * AT_ONCE
        what = f"calls in flight, on average, {latency_ms} ms"
        yield Row(what=what, goal=f"≥ {least:.1f}", figure=f"{busy:.1f}", met=busy >= least)


def _at_most(what: str, bound: float, figure: float | None, *, unit: str = "") -> Row:
    shown = "not measured" if figure is None else f"{figure:.2f}{unit}"
    return Row(what=what, goal=f"≤ {bound:.2f}{unit}", figure=shown, met=None if figure is None else figure <= bound)


def details(measured: Measured) -> Iterator[tuple[str, ...]]:
    """Yield what was measured of each program, medians of the rounds, behind a line of heads."""
    yield "program", "latency", "at once", "wall", "before", "after", "CPU a call", "memory", "calls", "connections"
    for (name, latency_ms, at_once), runs in measured.runs.items():
        yield (
            name,
            f"{latency_ms} ms",
            str(at_once),
            f"{statistics.median(map(wall, runs)):.2f} s",
            f"{statistics.median(run.before_s for run in runs):.2f} s",
            f"{statistics.median(run.after_s for run in runs):.2f} s",
            f"{statistics.median(map(cpu, runs)):.2f} ms",
            f"{statistics.median(run.rss_mb for run in runs):.0f} MB",
            f"{statistics.median(map(counted('requests'), runs)):,.0f}",
            f"{statistics.median(map(counted('connections'), runs)):.0f}",
        )


def table(rows: Sequence[Sequence[str]], *, markdown: bool) -> str:
    """Return rows, the first of them the heads, as a table."""
    if markdown:
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = (" | ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(padded)


def conditions(subjects: Sequence[Subject], *, rounds: int, load: float) -> str:
    """Return under what all of this was measured."""
    parts = (
        ", ".join(f"{each.name} {each.version}" for each in subjects),
        f"Python {platform.python_version()} on {platform.system()} ({platform.machine()}), {os.cpu_count()} cores",
        f"load average {load:.1f} at the start and {os.getloadavg()[0]:.1f} at the end",
        f"medians of {rounds} rounds",
    )
    return f"{'; '.join(parts)}."


def in_turn(subjects: Sequence[Subject], endpoint: Mock, *, rounds: int) -> Measured:
    """Run all programs, turn by turn; the first is this one."""
    measured = Measured()
    # Once before, so that its byte code is there, as it is once a program is installed.
    subjects[0].run(endpoint, latency_ms=0, at_once=AT_ONCE)
    turns = [(latency_ms, AT_ONCE, subject) for latency_ms in LATENCIES_MS for subject in subjects]
    turns += [(50, at_once, subjects[0]) for at_once in (FEW, MANY)]
    # Round by round: a machine has its slow minutes, and none of the figures is to have them all.
    for latency_ms, at_once, subject in turns * rounds:
        run = subject.run(endpoint, latency_ms=latency_ms, at_once=at_once)
        measured.runs[subject.name, latency_ms, at_once].append(run)
    return measured


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", type=Path, metavar="DIR", help="the folder with the other programs")
    parser.add_argument("--large", action="store_true", help=f"{LARGE * DRAWS:,} calls too")
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    load, large = os.getloadavg()[0], None
    with mock(flip=FLIP) as endpoint, tempfile.TemporaryDirectory() as name:
        folder, work = Path(name), cases(CASES)
        subjects = [ours(folder / OURS, endpoint, work)]
        if given.peers:
            subjects += others(given.peers.resolve(), folder, endpoint, work)
        measured = in_turn(subjects, endpoint, rounds=given.rounds)
        if given.large:
            large = ours(folder / "large", endpoint, cases(LARGE)).run(endpoint, latency_ms=0, at_once=AT_ONCE)
    marks = {None: "", True: "met", False: "missed"}
    rows = [(row.what, row.goal, row.figure, marks[row.met]) for row in goals(measured, large)]
    heads = ("what", "goal", "figure", "")
    print(conditions(subjects, rounds=given.rounds, load=load), end="\n\n")
    print(table([heads, *rows], markdown=given.markdown), end="\n\n")
    print(table(list(details(measured)), markdown=given.markdown))
    if len(subjects) == 1 and not given.markdown:
        print("\nNo other program was measured: see benchmarks/peers.py for how to install them, and give --peers DIR.")


if __name__ == "__main__":
    main()
