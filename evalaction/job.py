"""What GitHub's runner says of a job: inputs, event, workflow, where its pages and its API are.

Reads the event's file; everything else is pure: the environment is an argument.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from evalaction.errors import BadInput, Problem
from evalaction.event import read_event
from evalaction.records.event import Event, Job

PREFIX = "INPUT_"
_WORKFLOW = re.compile(r"[^/]+/[^/]+/(?P<path>\.github/workflows/[^@]+)@.*", re.DOTALL)


def given_inputs(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the Action's inputs by name in kebab case, empty ones included."""
    return {name.removeprefix(PREFIX).lower(): text for name, text in environ.items() if name.startswith(PREFIX)}


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys and tokens that the environment holds, before anything of it is known to be well-formed."""
    names = (f"{PREFIX}API-KEY", "EVAL_API_KEY", f"{PREFIX}GITHUB-TOKEN", "GITHUB_TOKEN", "GH_TOKEN")
    return tuple(text for name in names if (text := environ.get(name, "").strip()))


def job_of(environ: Mapping[str, str], *, token: str | None) -> Job:
    """Return where a run takes place.

    Args:
        environ: ``GITHUB_REPOSITORY``, ``GITHUB_API_URL``, ``GITHUB_SERVER_URL`` and ``GITHUB_RUN_ID`` are read.
        token: for GitHub's API; None for none.
    """
    run_id = environ.get("GITHUB_RUN_ID", "")
    usual = Job(repository="")
    return Job(
        repository=environ.get("GITHUB_REPOSITORY", ""),
        api_url=(environ.get("GITHUB_API_URL") or usual.api_url).rstrip("/"),
        server_url=(environ.get("GITHUB_SERVER_URL") or usual.server_url).rstrip("/"),
        run_id=int(run_id) if re.fullmatch(r"[0-9]{1,18}", run_id) else None,
        token=token,
    )


def event_of(environ: Mapping[str, str]) -> Event:
    """Return what started the run.

    Args:
        environ: ``GITHUB_EVENT_NAME``, ``GITHUB_EVENT_PATH`` and ``GITHUB_REPOSITORY`` are read.

    Raises:
        BadInput: the event cannot be read, or is one for which it is not known what to compare.
    """
    place = environ.get("GITHUB_EVENT_PATH", "")
    try:
        # Not the strict reader: whatever stands in the title of a pull request, GitHub wrote the file.
        payload = json.loads(Path(place).read_bytes())
    except (OSError, ValueError):
        message = f"The event file {place or '(not set)'} cannot be read."
        raise BadInput(Problem(path="GITHUB_EVENT_PATH", message=message)) from None
    name, repository = environ.get("GITHUB_EVENT_NAME", ""), environ.get("GITHUB_REPOSITORY", "")
    return read_event(name, payload, repository=repository)


def workflow_of(environ: Mapping[str, str]) -> str | None:
    """Return the path of the workflow file that started the run; None when that is not known."""
    match = _WORKFLOW.fullmatch(environ.get("GITHUB_WORKFLOW_REF", ""))
    return match["path"] if match else None
