"""Cut the operations that the fake GitHub knows out of GitHub's OpenAPI description. Reads and writes files.

    python tests/support/hub/slice.py DESCRIPTION.json VERSION > tests/support/hub/openapi.json

``DESCRIPTION.json`` is ``generated/api.github.com.json`` of the package ``@octokit/openapi``, VERSION that package's.
Kept are the operations of ``OPERATIONS`` and everything that their schemas refer to; left out is what only people
read. ``REPAIRS`` names where the description is wrong about GitHub, and is noted in the result.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPO = "/repos/{owner}/{repo}"
OPERATIONS = (
    ("/user", "get"),
    (REPO, "get"),
    (f"{REPO}/compare/{{basehead}}", "get"),
    (f"{REPO}/git/blobs/{{file_sha}}", "get"),
    (f"{REPO}/git/commits/{{commit_sha}}", "get"),
    (f"{REPO}/git/trees/{{tree_sha}}", "get"),
    (f"{REPO}/issues/comments/{{comment_id}}", "delete"),
    (f"{REPO}/issues/comments/{{comment_id}}", "get"),
    (f"{REPO}/issues/comments/{{comment_id}}", "patch"),
    (f"{REPO}/issues/{{issue_number}}/comments", "get"),
    (f"{REPO}/issues/{{issue_number}}/comments", "post"),
    (f"{REPO}/pulls", "get"),
    (f"{REPO}/pulls/{{pull_number}}", "get"),
    (f"{REPO}/pulls/{{pull_number}}/files", "get"),
)
"""(path, method) of every operation that is kept."""

ERRORS = "#/components/schemas/basic-error"
"""Kept for answers whose status is not documented: GitHub's 401, and 403 or 404 where they are left out."""

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

REPAIRS = {
    ("commit", "author"): "nullable-simple-user",
    ("commit", "committer"): "nullable-simple-user",
    ("pull-request", "head", "repo"): "nullable-repository",
    ("pull-request", "head", "user"): "nullable-simple-user",
    ("pull-request-simple", "head", "repo"): "nullable-repository",
}
"""(schema, property, property of that) → the schema it has in truth: a head's fork, or an account, may be gone."""


def cut(description: dict[str, Any], *, version: str) -> dict[str, Any]:
    """Return the part of a description that ``OPERATIONS`` need.

    Args:
        description: the whole of it, OpenAPI 3.0.
        version: of the package that it comes from.
    """
    paths: dict[str, Any] = {}
    for path, method in OPERATIONS:
        paths.setdefault(path, {})[method] = _lean(description["paths"][path][method])
    components: dict[str, dict[str, Any]] = {}
    wanted = [*_references(paths), ERRORS]
    while wanted:
        _, _, kind, name = wanted.pop().split("/")
        if name not in components.setdefault(kind, {}):
            components[kind][name] = _repaired(name, _lean(description["components"][kind][name]))
            wanted += _references(components[kind][name])
    for answers in (
        components["responses"],
        *(operation["responses"] for at in paths.values() for operation in at.values()),
    ):
        for status, answer in answers.items():
            answers[status] = answer if "$ref" in answer else {"description": "", **answer}  # the format demands one
    return {
        "openapi": description["openapi"],
        "info": {
            "title": "GitHub's REST API: the operations that the tests use",
            "version": version,
            "license": {"name": "MIT"},
            "x-source": {
                "package": f"@octokit/openapi {version}",
                "file": "generated/api.github.com.json",
                "upstream": "https://github.com/github/rest-api-description",
                "copyright": "Copyright (c) 2020 Octokit contributors",
                "made-by": "tests/support/hub/slice.py",
                "repaired": [f"{'.'.join(where)} is {truth}" for where, truth in REPAIRS.items()],
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


def _repaired(name: str, component: Any) -> Any:
    """Change what ``REPAIRS`` says of a component, and return it."""
    for (schema, *where, last), truth in REPAIRS.items():
        if schema == name:
            properties = component["properties"]
            for step in where:
                properties = properties[step]["properties"]
            properties[last] = {"$ref": f"#/components/schemas/{truth}"}
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
    whole = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.stdout.write(render(cut(whole, version=sys.argv[2])) + "\n")
