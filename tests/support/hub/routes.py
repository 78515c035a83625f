"""What the fake GitHub answers to each operation. Changes the state that it is given; git is run for objects."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from support.hub import comments, pulls, shapes
from support.hub.asked import Asked, Hub, missing
from support.hub.exchange import Answer, Call, refused

NOT_YOURS = "Resource not accessible by integration"
QUERY = "{viewer{login}}"
"""The only GraphQL query that is answered, without white space."""
IGNORED = frozenset({"since", "sort", "direction"})
"""Query parameters that GitHub knows and the fake does not."""


def answer(hub: Hub, call: Call) -> Answer:
    """Carry a request out, and return what GitHub would say."""
    method, path = call.request.method, call.request.path
    if path == "/graphql":
        return _graphql(hub, call)
    if (method, path) == ("GET", "/user"):
        if hub.token_kind == "installation":
            return refused(403, NOT_YOURS)
        return Answer(body=shapes.viewer(hub.viewer, root=call.root))
    for verb, pattern, handler in ROUTES:
        match = re.fullmatch(f"/repos/([^/]+/[^/]+){pattern}", path)
        if match is None or method != verb:
            continue
        repo = hub.hosted(unquote(match[1]))
        if repo is None:
            break
        if method != "GET" and hub.read_only:
            return refused(403, NOT_YOURS)
        return handler(Asked(hub=hub, repo=repo, call=call, name=unquote(match[2] if match.lastindex == 2 else "")))
    return missing()


def _graphql(hub: Hub, call: Call) -> Answer:
    asked = call.request.json
    if not isinstance(asked, dict) or not is_known(asked.get("query")):
        return Answer(body={"errors": [{"message": "The fake GitHub knows one query, and this is another."}]})
    return Answer(body={"data": {"viewer": {"login": hub.viewer}}})


def is_known(query: object) -> bool:
    """Tell whether a GraphQL query is the one that is answered."""
    return isinstance(query, str) and re.sub(r"^\s*query|\s", "", query) == QUERY


def _repository(asked: Asked) -> Answer:
    repo = asked.repo
    return Answer(body=shapes.repository(repo.full_name, root=asked.call.root, default_branch=repo.default_branch))


def _empty() -> Answer:
    return refused(409, "Git Repository is empty.")


def _tree(asked: Asked) -> Answer:
    objects = asked.objects
    if objects is None:
        return _empty()
    if objects.resolve(asked.name, "tree") is None:
        return missing()
    recursive = "recursive" in asked.call.request.query  # whatever its value
    oid = objects.resolve(asked.name, "") or ""
    return Answer(body=objects.tree(oid, recursive=recursive, limit=asked.repo.tree_limit))


def _blob(asked: Asked) -> Answer:
    objects = asked.objects
    if objects is None:
        return _empty()
    oid = objects.resolve(asked.name, "blob")
    return missing() if oid is None else Answer(body=objects.blob(oid))


def _git_commit(asked: Asked) -> Answer:
    objects = asked.objects
    if objects is None:
        return _empty()
    oid = objects.resolve(asked.name)
    return missing() if oid is None else Answer(body=objects.git_commit(oid))


ROUTES: tuple[tuple[str, str, Callable[[Asked], Answer]], ...] = (
    ("GET", "", _repository),
    ("GET", r"/issues/(\d+)/comments", comments.listed),
    ("POST", r"/issues/(\d+)/comments", comments.create),
    ("GET", r"/issues/comments/(\d+)", comments.get),
    ("PATCH", r"/issues/comments/(\d+)", comments.edit),
    ("DELETE", r"/issues/comments/(\d+)", comments.delete),
    ("GET", "/pulls", pulls.listed),
    ("GET", r"/pulls/(\d+)", pulls.get),
    ("GET", r"/pulls/(\d+)/files", pulls.files),
    ("GET", "/compare/(.+)", pulls.compare),
    ("GET", "/git/trees/(.+)", _tree),
    ("GET", "/git/blobs/(.+)", _blob),
    ("GET", "/git/commits/(.+)", _git_commit),
)
