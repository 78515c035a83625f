"""The Action's entry: the runner's environment in, step summary and outputs out, and the exit code.

I/O: reads the event file, appends to the files that the runner names, prints the log.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalaction.check import notes_of, prepare, target_of
from evalaction.doors import ending
from evalaction.errors import BadInput, Problem
from evalaction.publish.actions import append_ending, append_summary, outputs_of, write_outputs
from evalaction.publish.files import ReportPaths, clear_directory, write_reports
from evalaction.publish.log import write_lines, write_log
from evalaction.publish.progress import PlainProgress
from evalaction.records.settings import Settings
from evalaction.records.tree import Pair
from evalaction.report.plan_lines import plan_lines
from evalaction.runner import measure
from evalaction.settings import read_settings
from evalaction.trees.pair import find_event_pair, find_pair
from evalaction.trees.repository import Repository, open_repository
from evalaction.trees.revisions import is_oid

PREFIX = "INPUT_"
_WORKFLOW = re.compile(r"[^/]+/[^/]+/(?P<path>\.github/workflows/[^@]+)@.*", re.DOTALL)


def main(environ: Mapping[str, str]) -> int:
    """Run the Action.

    Args:
        environ: as GitHub's runner sets it for a container action.

    Returns:
        The exit code.
    """
    try:
        return _run(environ)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every way a run ends has its exit code
        lines, code = ending(error, secrets=(environ.get(f"{PREFIX}API-KEY", ""), environ.get("EVAL_API_KEY", "")))
        write_lines(lines, sys.stdout)
        write_lines(append_ending(lines, environ), sys.stdout)
        write_lines(write_outputs({"verdict": "unmeasured", "exit-code": str(int(code))}, environ), sys.stdout)
        return code


def _run(environ: Mapping[str, str]) -> int:
    workspace = Path(environ.get("GITHUB_WORKSPACE", "."))
    given = {name.removeprefix(PREFIX).lower(): text for name, text in environ.items() if name.startswith(PREFIX)}
    settings = read_settings(given, environ=environ, repo=str(workspace))
    directory = _inside(workspace, settings.report_dir, name="report-dir")
    clear_directory(workspace / directory)
    # The checkout may lie deeper than the workspace: the repository is the one that the folder belongs to.
    folder = workspace / _inside(workspace, settings.root, name="working-directory")
    with open_repository(folder, environ=environ) as repository:
        settings = replace(settings, root=Path(os.path.realpath(folder)).relative_to(repository.top).as_posix())
        pair = _pair(settings, repository, environ)
        prepared = prepare(settings, pair=pair, workflow=_workflow(environ))
        target = target_of(prepared, in_container=True)
        write_lines(plan_lines(prepared.plan, pair=prepared.pair, notes=notes_of(prepared)), sys.stdout)
        report = measure(prepared, target=target, watcher=PlainProgress(sys.stdout))
    # Shown first: what was paid for is seen even where it cannot be kept.
    location = str(directory / "report.json")
    write_log(report, sys.stdout, groups=True, location=location)
    write_lines(append_summary(report, environ, report_location=location), sys.stdout)
    written = write_reports(report, workspace / directory)
    paths = ReportPaths(json=written.json.relative_to(workspace), markdown=written.markdown.relative_to(workspace))
    write_lines(write_outputs(outputs_of(report, paths), environ), sys.stdout)
    return report.exit_code


def _inside(workspace: Path, folder: str, *, name: str) -> Path:
    """Return a folder relative to the workspace; other steps see nothing else of the container.

    Raises:
        BadInput: it lies elsewhere.
    """
    path = (workspace / folder).absolute()
    if ".." in path.parts or not path.is_relative_to(workspace.absolute()):
        raise BadInput(Problem(path=name, message=f"{folder} is not inside the workspace."))
    return path.relative_to(workspace.absolute())


def _pair(settings: Settings, repository: Repository, environ: Mapping[str, str]) -> Pair:
    """Return the trees that the event compares.

    Raises:
        BadInput: the event is one that this version does not know what to compare for.
    """
    if settings.base is not None or settings.head is not None:
        return find_pair(repository, base=settings.base, head=settings.head or "HEAD")
    name = environ.get("GITHUB_EVENT_NAME", "")
    if name != "pull_request":
        raise BadInput(
            Problem(
                path="GITHUB_EVENT_NAME",
                message=f"This version compares the sides of a pull_request event; this is {name or 'no event'}.",
                remedy="Say what to compare with the inputs base and head, or run on: pull_request.",
            )
        )
    event = _event(environ)
    base_sha, head_sha, base_ref = (
        _text(event, "pull_request", *path) for path in (("base", "sha"), ("head", "sha"), ("base", "ref"))
    )
    if not (is_oid(base_sha) and is_oid(head_sha) and base_ref):
        message = "The event names no base and head commit of a pull request."
        raise BadInput(Problem(path="GITHUB_EVENT_PATH", message=message))
    return find_event_pair(repository, base_sha=base_sha, head_sha=head_sha, base_ref=base_ref)


def _text(event: Any, *path: str) -> str:
    """Return the text at a path of nested objects; empty where there is none."""
    for name in path:
        event = event.get(name) if isinstance(event, dict) else None
    return event if isinstance(event, str) else ""


def _event(environ: Mapping[str, str]) -> Any:
    path = environ.get("GITHUB_EVENT_PATH", "")
    try:
        return json.loads(Path(path).read_bytes())
    except (OSError, ValueError):
        raise BadInput(
            Problem(path="GITHUB_EVENT_PATH", message=f"The event file {path or '(not set)'} cannot be read.")
        ) from None


def _workflow(environ: Mapping[str, str]) -> str | None:
    """Return the path of the workflow file that started the run."""
    match = _WORKFLOW.fullmatch(environ.get("GITHUB_WORKFLOW_REF", ""))
    return match["path"] if match else None
