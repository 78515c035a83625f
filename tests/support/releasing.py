"""A project about to be released: its repository, and a runner for the jobs of the workflow that releases it.

Runs the workflow's own scripts, with stand-ins for docker and gh that say what they were called with.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from support.gitrepo import Repo, new_repo

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".github" / "release.py"
WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
DIGEST = "sha256:" + "0123456789abcdef" * 4
NAME = "ghcr.io/octo-org/evalaction"
IMAGE = f"{NAME}@{DIGEST}"
MODULE = '"""A package."""\n\n__version__ = "1.2.3"\n'
CHANGELOG = """\
# Changelog

## Unreleased

## 1.2.3 - 2026-12-01

### Added

- A thing.

## 1.2.2 - 2026-11-01

### Fixed

- Another.
"""
DOCKER = r"""#!/bin/bash
said="$*"
echo "docker $said" >> "$CALLS"
case "$said" in
  *" --metadata-file "*)
    while [ "$1" != --metadata-file ]; do shift; done
    echo "{\"containerimage.digest\": \"$PUSHED\"}" > "$2" ;;
  "run "*" --version") echo "evalaction, version $SAYS" ;;
  "run "*) exit "$ENDS" ;;
  *" {{.Manifest.Digest}} "*) echo "$PUSHED" ;;
  *" {{json "*) echo "$CONTENTS" ;;
  *" --raw "*) cat "$INDEXES/${said##*:}" ;;
esac
"""
"""Says what it was called with, and answers as docker would."""
GH = r"""#!/bin/bash
echo "gh $*" >> "$CALLS"
echo "${PASSED:-1}"
"""
"""Says what it was called with; ``PASSED`` is how often ci has passed."""


def new_origin(path: Path) -> Repo:
    """Make a bare repository below ``path``: an older release, and this project's action.yml on main."""
    project = new_repo(path / "project")
    project.commit({"CHANGELOG.md": CHANGELOG, "evalaction/__init__.py": MODULE.replace("1.2.3", "1.2.2")})
    project.git("tag", "v1.2.2")
    project.git("tag", "v1")
    action = (ROOT / "action.yml").read_text()
    project.commit({"action.yml": action, "evalaction/__init__.py": MODULE, ".github/release.py": SCRIPT.read_text()})
    bare = path / "origin.git"
    project.git("clone", "--quiet", "--bare", str(project.path), str(bare))
    return Repo(bare)


def checkout_of(origin: Repo, path: Path) -> Repo:
    """Check out to a depth of 1 and without tags, as a workflow does."""
    origin.git("clone", "--quiet", "--depth=1", "--no-tags", origin.url, str(path))
    return Repo(path)


@dataclass(frozen=True)
class Ran:
    """What a job's scripts did."""

    calls: list[str]
    """Of docker and gh."""
    outputs: dict[str, str]
    """As they were written, whether or not the job failed later on."""
    failed: str | None
    """What the step that failed said; None when none did."""


def run_job(checkout: Repo, job: str, **environ: str) -> Ran:
    """Run a job's own scripts as a runner does, one step after the other, until one fails."""
    place = checkout.path.parent / job
    place.mkdir(exist_ok=True)
    calls, outputs = place / "calls", place / "outputs"
    for name, text in (("gh", GH), ("docker", DOCKER)):
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    calls.touch()
    outputs.touch()
    variables = {
        **os.environ,
        "PATH": f"{place}:{os.environ['PATH']}",
        "CALLS": str(calls),
        "PUSHED": DIGEST,
        "GITHUB_ACTOR": "somebody",
        "GITHUB_OUTPUT": str(outputs),
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_REPOSITORY": "Octo-Org/evalaction",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_SHA": "c" * 40,
        "RUNNER_TEMP": str(place),
        "TOKEN": "secret",
        "VERSION": "1.2.3",
        **environ,
    }
    failed = None
    for step in WORKFLOW["jobs"][job]["steps"]:
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.get("run", "")]
        done = subprocess.run(command, cwd=checkout.path, env=variables, capture_output=True, text=True, check=False)
        if done.returncode:
            failed = done.stdout + done.stderr
            break
    rows = [row.partition("=") for row in outputs.read_text().splitlines()]
    return Ran(calls=calls.read_text().splitlines(), outputs={name: value for name, _, value in rows}, failed=failed)
