"""The image beside its base: what it adds to a pull, and how long it takes to start: part of ``make bench``.

Sizes are of layers compressed with gzip -6, as builders push them by default. Needs a container engine.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMAGE = "localhost/evalaction:bench"
BASE = "python:3.13-slim"
LEVEL = 6
EMPTY = 10_000
"""Bytes of a layer that holds hardly more than its own frame."""
RUNS = 7
BAD_INPUT = 2
"""The exit code of a run that is given nothing: it has read its inputs and ended in words."""


def has_engine() -> bool:
    """Whether a container engine answers."""
    return shutil.which("docker") is not None and _docker("info").returncode == 0


def size() -> None:
    """Print what the image adds to a pull."""
    base, added = _sizes()
    whole = sum(added)
    print(
        f"image: adds {_megabytes(whole)} MB to the {_megabytes(base)} MB of its base ({whole / base:.2f} times), "
        f"compressed with gzip -{LEVEL}; by layer {', '.join(map(_megabytes, added))}"
    )


def start_up() -> None:
    """Print how long the action takes to start, beside a Python in the same image that does nothing."""
    nothing, action = _start_up()
    print(
        f"image: to start, find no inputs and end takes the action {action / nothing:.1f} times as long "
        f"as python -c pass ({action:.2f} s and {nothing:.2f} s, each with the start of its container)"
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f}"


def _docker(*args: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["docker", *args], capture_output=True, check=False)  # noqa: S603, S607 - the engine on PATH


def _must(done: subprocess.CompletedProcess[bytes]) -> bytes:
    if done.returncode != 0:
        sys.exit(done.stderr.decode("utf-8", "replace"))
    return done.stdout


def _sizes() -> tuple[int, list[int]]:
    """Return the compressed bytes of the base, and those of each layer above it that holds something."""
    below = len(json.loads(_must(_docker("image", "inspect", "--format", "{{json .RootFS.Layers}}", BASE))))
    sizes = list(_layers())
    return sum(sizes[:below]), [size for size in sizes[below:] if size > EMPTY]


def _layers() -> Iterator[int]:
    """Yield the compressed bytes of each layer of the image, lowest first."""
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "image.tar"
        _must(_docker("save", "--output", str(saved), IMAGE))
        with tarfile.open(saved) as archive:
            for name in json.loads(_content(archive, "manifest.json"))[0]["Layers"]:
                layer = _content(archive, name)
                # Some engines save a layer as it is pushed, others as it lies on disk.
                plain = zlib.decompress(layer, wbits=31) if layer.startswith(b"\x1f\x8b") else layer
                yield len(zlib.compress(plain, LEVEL))


def _content(archive: tarfile.TarFile, name: str) -> bytes:
    member = archive.extractfile(name)
    if member is None:
        sys.exit(f"docker save wrote no {name}")
    return member.read()


def _start_up() -> tuple[float, float]:
    """Return median wall seconds of a container that does nothing and of one that is the action, taken in turn."""
    python = ("--entrypoint", "/opt/evalaction/bin/python", IMAGE, "-I", "-c", "pass")
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(RUNS):
        for times, command, code in ((taken[0], python, 0), (taken[1], (IMAGE,), BAD_INPUT)):
            start = time.perf_counter()
            done = _docker("run", "--rm", "--network", "none", *command)
            times.append(time.perf_counter() - start)
            if done.returncode != code:
                sys.exit(f"the container ended with {done.returncode}, not {code}: {done.stderr.decode()}")
    return statistics.median(taken[0]), statistics.median(taken[1])


if __name__ == "__main__":
    if has_engine():
        _must(_docker("build", "--quiet", "--network", "host", "--tag", IMAGE, str(ROOT)))
        size()
        start_up()
    else:
        print("image: not measured, since no container engine answers here")
