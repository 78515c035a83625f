"""The judge: requests beside the fewest that the orders need, and time beside the endpoint's: part of ``make bench``.

Every figure is of a whole ``evalaction judge``, a process of its own, against an endpoint on loopback that counts what
it gets, waits as long as it is told, and judges by what it reads. The endpoint lives on the event loop of this process,
so that it can keep any number of requests waiting at once.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.endpoint import completion
from support.judges import fixtures, honest, in_prose, is_repair, items_of

SIZES = (3, 4, 5, 10, 30)
REPEATS = 2
MAX_ORDERS = 24
"""What evalaction takes where a deck says nothing."""
TIMED_SIZE, TIMED_ORDERS = 10, 120
CONCURRENCY = (8, 32)
LATENCIES_S = (0.05, 0.2)
RUNS = 3


@dataclass(kw_only=True)
class Endpoint:
    """A judge on loopback, and what it was asked."""

    latency_s: float = 0.0
    repaired: bool = False
    """It answers in prose until it is asked once more."""
    asked: Counter[int] = field(default_factory=Counter)
    """Fixtures of the deck → requests."""
    most_at_once: int = 0
    _now: int = 0
    _first_s: float = math.inf
    _last_s: float = 0.0

    @property
    def span_s(self) -> float:
        """Seconds from the first request to the last answer."""
        return self._last_s - self._first_s

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until the other side closes it."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lengths = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if b"content-length" in line]
                said = await self._answer(json.loads(await reader.readexactly(int(lengths[0]))))
                frame = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(said)
                writer.write(frame + said)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _answer(self, body: Any) -> bytes:
        self._first_s = min(self._first_s, time.perf_counter())
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        items = items_of(body)
        self.asked[len(items)] += 1
        text = in_prose(items) if self.repaired and not is_repair(body) else honest(items)
        number = self.asked.total()
        await asyncio.sleep(self.latency_s)
        self._now -= 1
        self._last_s = time.perf_counter()
        return json.dumps(completion(text, id=f"judge-{number}", model=body["model"])).encode()


def fewest(size: int, max_orders: int) -> int:
    """Return the orders of a deck: all where they are few, else whole rounds in which each fixture is everywhere."""
    every = math.factorial(size)
    return every if every <= max_orders else max(max_orders, size) // size * size


def write_decks(folder: Path, *sizes: int, repeats: int, max_orders: int) -> None:
    """Make a repository with a deck of each size; only their first commit is missing."""
    git = ["git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for command in (
        ["init", "--quiet"],
        ["commit", "--quiet", "--allow-empty", "--no-gpg-sign", "--message=Nothing yet"],
    ):
        subprocess.run([*git, *command], check=True)  # noqa: S603 - our own commands
    (folder / "rubric.md").write_text("A trace passes when its sum is right.\n")
    for size in sizes:
        (folder / f"d{size}.jsonl").write_text(fixtures(*(("pass", "fail")[number % 2] for number in range(size))))
        keys = f"rubric: rubric.md\nfixtures: d{size}.jsonl\nrepeats: {repeats}\nmax_orders: {max(max_orders, size)}\n"
        (folder / f"d{size}.deck.yml").write_text(keys)


async def judge(folder: Path, endpoint: Endpoint, *, concurrency: int) -> float:
    """Run ``evalaction judge`` and return its wall seconds.

    Raises:
        SystemExit: it did not end with 0, so that nothing was measured.
    """
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0, backlog=128)
    port = server.sockets[0].getsockname()[1]
    command = ["judge", "--base-url", f"http://127.0.0.1:{port}/v1", "--judge-model", "m"]
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("EVAL_", "JUDGE_", "GITHUB_"))}
    start = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "evalaction", *command, "--max-concurrency", str(concurrency)),
        cwd=folder,
        env=kept,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    wall = time.perf_counter() - start
    server.close()
    if process.returncode != 0:
        raise SystemExit(f"evalaction judge ended with {process.returncode}:\n{said.decode()}")
    return wall


def requests() -> None:
    """Print how many requests a deck takes, beside the fewest that its orders need."""
    figures = []
    for repaired in (False, True):
        endpoint = Endpoint(repaired=repaired)
        with tempfile.TemporaryDirectory() as name:
            write_decks(Path(name), *SIZES, repeats=REPEATS, max_orders=MAX_ORDERS)
            asyncio.run(judge(Path(name), endpoint, concurrency=CONCURRENCY[0]))
        figures.append(endpoint.asked)
    for size in SIZES:
        need = fewest(size, MAX_ORDERS) * REPEATS
        plain, again = (asked[size] for asked in figures)
        print(
            f"judge: {size} fixtures need {need // REPEATS} orders x {REPEATS} = {need} requests; an honest judge got "
            f"{plain} ({plain / need:.2f} times), one that has to be asked again every time {again} "
            f"({again / need:.2f} times)"
        )


def times() -> None:
    """Print how long judging takes, beside the time that the endpoint alone would need."""
    need = fewest(TIMED_SIZE, TIMED_ORDERS)
    with tempfile.TemporaryDirectory() as name:
        write_decks(Path(name), TIMED_SIZE, repeats=1, max_orders=TIMED_ORDERS)
        for concurrency in CONCURRENCY:
            for latency_s in LATENCIES_S:
                ideal = math.ceil(need / concurrency) * latency_s
                walls, spans, most = _timed(lambda: Endpoint(latency_s=latency_s), Path(name), concurrency)  # noqa: B023 - called at once
                wall, span = statistics.median(walls), statistics.median(spans)
                print(
                    f"judge: {need} requests, {concurrency} at once ({most} seen), {latency_s * 1_000:.0f} ms each: "
                    f"ideally {ideal:.2f} s, asked within {span:.2f} s ({span / ideal:.2f} times); the whole cold run "
                    f"{wall:.2f} s ({wall / ideal:.2f} times), {wall - span:.2f} s of it before and after"
                )


def _timed(make: Callable[[], Endpoint], folder: Path, concurrency: int) -> tuple[list[float], list[float], int]:
    """Return the wall seconds of each run, the seconds of its asking, and the most requests seen at once."""
    endpoints = [make() for _ in range(RUNS)]
    walls = [asyncio.run(judge(folder, endpoint, concurrency=concurrency)) for endpoint in endpoints]
    return walls, [endpoint.span_s for endpoint in endpoints], max(endpoint.most_at_once for endpoint in endpoints)


if __name__ == "__main__":
    print(f"judge: medians of {RUNS} runs, {os.cpu_count()} cores, Python {sys.version.split()[0]}")
    requests()
    times()
