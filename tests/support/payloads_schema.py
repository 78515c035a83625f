"""Cut the schemas that are used out of GitHub's description of its webhooks, less what is only for people.

python tests/support/payloads_schema.py PATH/TO/openapi-webhooks/generated/api.github.com.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WEBHOOKS = (
    "merge-group-checks-requested",
    "pull-request-converted-to-draft",
    "pull-request-labeled",
    "pull-request-opened",
    "pull-request-reopened",
    "pull-request-review-submitted",
    "pull-request-synchronize",
    "push",
    "repository-dispatch-sample",
    "workflow-dispatch",
    "workflow-run-completed",
)
PREFIX = "#/components/schemas/"


def references(value: Any) -> Iterator[str]:
    """Yield the names of the schemas that a schema refers to."""
    if isinstance(value, dict):
        if str(value.get("$ref", "")).startswith(PREFIX):
            yield value["$ref"].removeprefix(PREFIX)
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from references(item)


def bare(value: Any) -> Any:
    """Return a schema without its descriptions and examples; a property of such a name has a schema, not a text."""
    if isinstance(value, dict):
        told = [name for name in ("description", "example") if not isinstance(value.get(name, {}), dict)]
        return {name: bare(item) for name, item in value.items() if name not in told}
    return [bare(item) for item in value] if isinstance(value, list) else value


def cut(whole: Any) -> Any:
    """Return the schemas of the webhooks that are used, and all that they refer to."""
    schemas = whole["components"]["schemas"]
    wanted, kept = [f"webhook-{name}" for name in WEBHOOKS], {}
    while wanted:
        name = wanted.pop()
        if name not in kept:
            kept[name] = schemas[name]
            wanted += references(schemas[name])
    return {
        "openapi": whole["openapi"],
        "info": whole["info"],
        "components": {"schemas": {name: bare(kept[name]) for name in sorted(kept)}},
    }


if __name__ == "__main__":
    target = Path(__file__).with_name("payloads") / "schema.json"
    target.write_text(json.dumps(cut(json.loads(Path(sys.argv[1]).read_text())), separators=(",", ":")) + "\n")
