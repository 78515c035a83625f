"""What GitHub's runner says of a job: inputs, event, workflow, where its pages and its API are.

Reads the event's file; everything else is pure: the environment is an argument.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.event import read_event
from evalaction.inputs import INPUTS
from evalaction.records.event import Event, Job
from evalaction.records.tree import is_oid
from evalaction.redact import MIN_SECRET

PREFIX = "INPUT_"
_WORKFLOW = late.pattern(r"[^/]+/[^/]+/(?P<path>\.github/workflows/.+?\.ya?ml)@.*", re.DOTALL)


def given_inputs(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the Action's inputs by name in kebab case, empty ones included.

    The runner writes their names in upper case. A variable in other letters is not from it, and keeps its own name,
    which is no input's: of two that differ in case alone neither wins silently.
    """
    return {
        rest.lower() if rest.isupper() else name: text
        for name, text in environ.items()
        if (rest := name.removeprefix(PREFIX)) != name
    }


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys and tokens that the environment holds, before anything of it is known to be well-formed.

    Those of fewer than ``MIN_SECRET`` characters are left out.
    """
    given = (name for item in INPUTS if item.secret for name in (f"{PREFIX}{item.name.upper()}", item.env) if name)
    names = (*given, "GITHUB_TOKEN", "GH_TOKEN")
    return tuple(text for name in names if len(text := environ.get(name, "").strip()) >= MIN_SECRET)


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


def event_of(environ: Mapping[str, str], *, named: bool = False) -> Event:
    """Return what started the run.

    Args:
        environ: ``GITHUB_EVENT_NAME``, ``GITHUB_EVENT_PATH`` and ``GITHUB_REPOSITORY`` are read.
        named: see ``read_event``.

    Raises:
        BadInput: the event cannot be read, or is one for which it is not known what to compare.
    """
    place = environ.get("GITHUB_EVENT_PATH", "")
    try:
        # Not the strict reader: whatever stands in the title of a pull request, GitHub wrote the file.
        payload = json.loads(Path(place).read_bytes())
    except (OSError, ValueError, RecursionError):
        message = f"The event file {place or '(not set)'} cannot be read."
        raise BadInput(Problem(path="GITHUB_EVENT_PATH", message=message)) from None
    name, repository = environ.get("GITHUB_EVENT_NAME", ""), environ.get("GITHUB_REPOSITORY", "")
    return read_event(name, payload, repository=repository, named=named)


def workflow_of(environ: Mapping[str, str]) -> str | None:
    """Return the path of the workflow file that started the run; None when that is not known."""
    match = _WORKFLOW.fullmatch(environ.get("GITHUB_WORKFLOW_REF", ""))
    return match["path"] if match else None


def commit_of(environ: Mapping[str, str]) -> str | None:
    """Return the full id of the commit that the run is for; None when the runner does not say."""
    sha = environ.get("GITHUB_SHA", "")
    return sha if is_oid(sha) else None


def inside(workspace: Path, folder: str, *, name: str) -> Path:
    """Return a folder relative to the workspace; other steps see nothing else of a container.

    Args:
        workspace: of the job.
        folder: as it was given, relative to the workspace or not.
        name: of the input that gave it.

    Raises:
        BadInput: it lies elsewhere.
    """
    path = (workspace / folder).absolute()
    if ".." in path.parts or not path.is_relative_to(workspace.absolute()):
        raise BadInput(Problem(path=name, message=f"{folder} is not inside the workspace."))
    return path.relative_to(workspace.absolute())
