"""The container engine, and the image that is tested. Runs the ``docker`` command."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def docker(*args: str) -> str:
    """Run a command of the engine, and return what it prints; a failure fails the test with what the engine says."""
    done = subprocess.run(["docker", *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def built_image() -> str:
    """Build the image of this checkout's Dockerfile and return its name, or the one that ``EVALACTION_IMAGE`` names."""
    if named := os.environ.get("EVALACTION_IMAGE"):
        return named
    docker("build", "--quiet", "--network", "host", "--tag", "localhost/evalaction:test", str(ROOT))
    return "localhost/evalaction:test"
