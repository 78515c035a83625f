"""Cut what the tests need out of GitHub's OpenAPI descriptions. Reads and writes files.

    cd tests
    python -m support.openapi rest DESCRIPTION.json VERSION > support/fakehub/openapi.json
    python -m support.openapi webhooks DESCRIPTION.json VERSION > support/payloads/schema.json

``DESCRIPTION.json`` is ``generated/api.github.com.json`` of the package that ``SLICES`` names, VERSION that package's.
Kept are the operations and schemas of the slice, and everything that these refer to; left out is what only people
read. ``repairs`` names where the description is wrong about GitHub, and is noted in the result.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPO = "/repos/{owner}/{repo}"
SCHEMAS = "#/components/schemas/"
FOR_PEOPLE = frozenset(
    {
        "description",
        "example",
        "examples",
        "externalDocs",
        "summary",
        "tags",
        "title",
        "x-github",
        "x-multi-segment",
        "x-octokit",
    }
)
"""Keys that say nothing of what is valid."""


@dataclass(frozen=True, kw_only=True)
class Slice:
    """What is cut out of a description."""

    title: str
    package: str
    """Where the description comes from."""
    operations: tuple[tuple[str, str], ...] = ()
    """(path, method) of each."""
    schemas: tuple[str, ...]
    """Those that no operation refers to."""
    repairs: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    """(schema, property, property of that) → the schema it has in truth."""


SLICES = {
    "rest": Slice(
        title="GitHub's REST API: the operations that the product uses",
        package="@octokit/openapi",
        operations=(
            ("/user", "get"),
            (f"{REPO}/compare/{{basehead}}", "get"),
            (f"{REPO}/git/blobs/{{file_sha}}", "get"),
            (f"{REPO}/git/trees/{{tree_sha}}", "get"),
            (f"{REPO}/issues/comments/{{comment_id}}", "delete"),
            (f"{REPO}/issues/comments/{{comment_id}}", "patch"),
            (f"{REPO}/issues/{{issue_number}}/comments", "get"),
            (f"{REPO}/issues/{{issue_number}}/comments", "post"),
            (f"{REPO}/pulls", "get"),
        ),
        # For answers whose status is not documented: GitHub's 401, and 403 or 404 where they are left out.
        schemas=("basic-error",),
        repairs={  # a head's fork, or an account, may be gone
            ("commit", "author"): "nullable-simple-user",
            ("commit", "committer"): "nullable-simple-user",
            ("pull-request-simple", "head", "repo"): "nullable-repository",
        },
    ),
    "webhooks": Slice(
        title="GitHub's webhooks: the events that the tests have payloads of",
        package="@octokit/openapi-webhooks",
        schemas=(
            "webhook-merge-group-checks-requested",
            "webhook-pull-request-converted-to-draft",
            "webhook-pull-request-labeled",
            "webhook-pull-request-opened",
            "webhook-pull-request-reopened",
            "webhook-pull-request-review-submitted",
            "webhook-pull-request-synchronize",
            "webhook-push",
            "webhook-repository-dispatch-sample",
            "webhook-workflow-dispatch",
            "webhook-workflow-run-completed",
        ),
    ),
}


def cut(name: str, description: dict[str, Any], *, version: str) -> dict[str, Any]:
    """Return a slice of a description.

    Args:
        name: of the slice.
        description: the whole of it, OpenAPI 3.
        version: of the package that it comes from.
    """
    wanted = SLICES[name]
    paths: dict[str, Any] = {}
    for path, method in wanted.operations:
        paths.setdefault(path, {})[method] = _lean(description["paths"][path][method])
    components: dict[str, dict[str, Any]] = {}
    queue = [*_references(paths), *(SCHEMAS + schema for schema in wanted.schemas)]
    while queue:
        _, _, kind, component = queue.pop().split("/")
        if component not in components.setdefault(kind, {}):
            whole = _lean(description["components"][kind][component])
            components[kind][component] = _repaired(component, whole, wanted.repairs)
            queue += _references(components[kind][component])
    for answers in (
        components.get("responses", {}),
        *(operation["responses"] for at in paths.values() for operation in at.values()),
    ):
        for status, answer in answers.items():
            answers[status] = answer if "$ref" in answer else {"description": "", **answer}  # the format demands one
    return {
        "openapi": description["openapi"],
        "info": {
            "title": wanted.title,
            "version": version,
            "license": {"name": "MIT"},
            "x-source": {
                "package": f"{wanted.package} {version}",
                "file": "generated/api.github.com.json",
                "upstream": "https://github.com/github/rest-api-description",
                "copyright": "Copyright (c) 2020 Octokit contributors",
                "made-by": "tests/support/openapi.py",
                "repaired": [f"{'.'.join(where)} is {truth}" for where, truth in wanted.repairs.items()],
            },
        },
        "servers": description["servers"],
        "paths": paths,
        "components": {kind: dict(sorted(components[kind].items())) for kind in sorted(components)},
    }


def render(value: Any, *, indent: int = 0, width: int = 120) -> str:
    """Return JSON in which whatever fits on a line stands on one."""
    line = json.dumps(value)
    if len(line) + indent <= width - 1 or not isinstance(value, dict | list):
        return line
    inner = indent + 1
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {render(item, indent=inner, width=width)}" for key, item in value.items()]
    else:
        items = [render(item, indent=inner, width=width) for item in value]
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    body = ",\n".join(" " * inner + item for item in items)
    return f"{opening}\n{body}\n{' ' * indent}{closing}"


def _repaired(name: str, component: Any, repairs: Mapping[tuple[str, ...], str]) -> Any:
    """Change what the repairs say of a component, and return it."""
    for (schema, *where, last), truth in repairs.items():
        if schema == name:
            properties = component["properties"]
            for step in where:
                properties = properties[step]["properties"]
            properties[last] = {"$ref": SCHEMAS + truth}
    return component


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _references(item)


def _lean(value: Any, *, names: bool = False) -> Any:
    """Leave out what only people read. With ``names`` the keys are names of properties, and all of them stay."""
    if isinstance(value, dict):
        return {
            key: _lean(item, names=not names and key == "properties")
            for key, item in value.items()
            if names or key not in FOR_PEOPLE
        }
    if isinstance(value, list):
        return [_lean(item) for item in value]
    return value


if __name__ == "__main__":
    slice_name, file, of_package = sys.argv[1:]
    described = json.loads(Path(file).read_text(encoding="utf-8"))
    sys.stdout.write(render(cut(slice_name, described, version=of_package)) + "\n")
