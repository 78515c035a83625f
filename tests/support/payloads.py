"""Payloads of GitHub's events as they are, and what they would be from a fork. See ``payloads/README.md``."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

FOLDER = Path(__file__).with_suffix("")
SCHEMA = FOLDER / "schema.json"
SINCE = {"has_discussions": False, "disabled": False}
"""What every repository has by now, and had not when the examples were recorded."""

NAMES = sorted(path.stem for path in FOLDER.glob("*.json") if path != SCHEMA)
"""The payloads there are: the event's name, and its action after a dot."""
REPOSITORY, NUMBER = "Codertocat/Hello-World", 2
"""Those of the pull request in them."""


def _repositories(value: Any) -> Iterator[dict[str, Any]]:
    """Yield what describes a repository whole, wherever it stands."""
    if isinstance(value, dict):
        if "full_name" in value and "default_branch" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _repositories(item)


def payload(name: str) -> dict[str, Any]:
    """Return an event's payload, such as ``pull_request.synchronize``; the caller's to change."""
    whole: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    for repository in _repositories(whole):
        for field, value in SINCE.items():
            repository.setdefault(field, value)
    return whole


def event_name(name: str) -> str:
    """Return the event of a payload: ``pull_request`` of ``pull_request.synchronize``."""
    return name.partition(".")[0]


def from_fork(whole: dict[str, Any], full_name: str) -> dict[str, Any]:
    """Return the payload of a pull request, or of the run for one, whose head stands in another repository."""
    changed = copy.deepcopy(whole)
    owner, _, name = full_name.partition("/")
    if "workflow_run" in changed:
        # GitHub names no pull request for a head in a fork.
        changed["workflow_run"]["pull_requests"] = []
        changed["workflow_run"]["event"] = "pull_request"
        repository, person = changed["workflow_run"]["head_repository"], None
    else:
        head = changed["pull_request"]["head"]
        head["label"] = f"{owner}:{head['ref']}"
        repository, person = head["repo"], head["user"]
    repository.update(id=repository["id"] + 1, fork=True, name=name, full_name=full_name)
    repository["owner"]["login"] = owner
    if person is not None:
        person["login"] = owner
    return changed


def of_pull(name: str, *, base_sha: str, head_sha: str, branch: str, fork: str | None = None) -> dict[str, Any]:
    """Return the payload of an event of a pull request to ``main``.

    Args:
        name: of the payload.
        base_sha: full commit id.
        head_sha: full commit id.
        branch: of the head.
        fork: full name of the repository that the head stands in; None: this one.
    """
    whole = payload(name)
    whole["pull_request"]["base"].update(ref="main", sha=base_sha)
    whole["pull_request"]["head"].update(ref=branch, sha=head_sha)
    return from_fork(whole, fork) if fork else whole


def fork_gone(whole: dict[str, Any]) -> dict[str, Any]:
    """Return the payload of a pull request whose head's repository was deleted."""
    changed = copy.deepcopy(whole)
    changed["pull_request"]["head"]["repo"] = None
    return changed


def pushed(before: str, after: str) -> dict[str, Any]:
    """Return the payload of a push to a branch that was there before."""
    changed = payload("push")
    changed.update(before=before, after=after, created=False)
    changed["head_commit"]["id"] = after
    return changed


def scheduled(cron: str) -> dict[str, Any]:
    """Return the file that a runner writes for a schedule."""
    dispatched = payload("workflow_dispatch")
    return {"schedule": cron} | {name: dispatched[name] for name in ("repository", "workflow")}


@functools.cache
def _schemas() -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(SCHEMA.read_text())
    return whole


def violations(name: str, whole: dict[str, Any]) -> list[str]:
    """Return where a payload is not as GitHub describes it.

    Args:
        name: the webhook: the event, and the action after a dot.
        whole: the payload.
    """
    known = {"push.deleted": "push", "repository_dispatch": "repository-dispatch-sample"}
    webhook = known.get(name, name).replace(".", "-").replace("_", "-")
    schema = {"$ref": f"#/components/schemas/webhook-{webhook}", **_schemas()}
    errors = Draft202012Validator(schema).iter_errors(whole)
    return sorted(f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in errors)
