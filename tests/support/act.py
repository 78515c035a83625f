"""nektos/act: runs a workflow as GitHub's runner would, on the container engine that is here.

It copies no other action from GitHub: a checkout is the folder that it is started in, and this action is the image that
is tested. That image is also what the job's own steps run in; it has a shell and git.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.engine import ROOT, docker

USED = {"OWNER/evalaction@COMMIT": "act-owner-evalaction-commit-dockeraction", "./": "act-dockeraction"}
"""What a workflow uses → what act calls the image that it builds of it."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a run of a workflow leaves behind."""

    jobs: Mapping[str, str]
    """``success`` or ``failure`` of each job."""
    outputs: Mapping[tuple[str, str], Mapping[str, str]]
    """(job, id or number of its step) → its outputs."""
    summaries: Mapping[str, str]
    """Step summary of each job."""
    log: str
    """What was said, line by line."""


def run_act(
    folder: Path,
    *,
    image: str,
    event: Mapping[str, Any],
    home: Path,
    variables: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Ran:
    """Run the workflows of a folder that an event starts.

    Args:
        folder: the checkout; the job works in it, so its report stays there.
        image: of the action; act takes it in place of building one itself.
        event: the payload of a ``pull_request`` event.
        home: an empty folder for act's own files.
        variables: the repository's.
        secrets: the repository's; ``GITHUB_TOKEN`` is the job's token.
        environ: of the job.
    """
    for name in USED.values():
        docker("tag", image, f"{name}:latest")
    home.mkdir(parents=True)
    payload = home / "event.json"
    payload.write_text(json.dumps(event))
    command = [str(Path(sys.executable).parent / "act"), "pull_request", "--json", "--eventpath", str(payload)]
    command += ["--platform", f"ubuntu-latest={image}", "--network", "host", "--bind", "--rm"]
    command += ["--pull=false", "--rebuild=false", "--no-cache-server", "--container-daemon-socket", "-"]
    command += ["--local-repository", f"OWNER/evalaction@COMMIT={ROOT}"]
    for option, given in (("--var", variables), ("--secret", secrets), ("--env", environ)):
        for name, value in (given or {}).items():
            command += [option, f"{name}={value}"]
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **own}, capture_output=True, text=True, check=False, timeout=300
    )
    return _read(done.stdout, done.stderr)


def _read(stdout: str, stderr: str) -> Ran:
    jobs: dict[str, str] = {}
    outputs: dict[tuple[str, str], dict[str, str]] = {}
    summaries: dict[str, str] = {}
    said = []
    for line in stdout.splitlines():
        entry = json.loads(line)
        job = entry.get("jobID", "")
        said.append(f"[{job}] {entry['msg'].rstrip()}")
        if "jobResult" in entry:
            jobs[job] = entry["jobResult"]
        elif entry.get("command") == "set-output":
            outputs.setdefault((job, entry["stepID"][0]), {})[entry["name"]] = entry["arg"]
        elif entry.get("command") == "summary":
            summaries[job] = entry["content"]
    return Ran(jobs=jobs, outputs=outputs, summaries=summaries, log="\n".join([*said, stderr]))
