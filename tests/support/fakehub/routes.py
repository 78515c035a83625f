"""What the fake GitHub answers to each operation. Changes the state that it is given; git is run for objects."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from support.fakehub import comments, pulls, shapes
from support.fakehub.asked import Asked, Site, missing
from support.fakehub.exchange import Answer, Call, refused

NOT_YOURS = "Resource not accessible by integration"
QUERY = "{viewer{login}}"
"""The only GraphQL query that is answered, without white space."""
IGNORED = frozenset({"since", "sort", "direction", "base"})
"""Query parameters that GitHub knows and the fake does not."""


def answer(site: Site, call: Call) -> Answer:
    """Carry a request out, and return what GitHub would say."""
    method, path = call.request.method, call.request.path
    if path == "/graphql":
        return _graphql(site, call)
    if (method, path) == ("GET", "/user"):
        if site.token_kind == "installation":
            return refused(403, NOT_YOURS)
        return Answer(body=shapes.viewer(site.viewer, root=call.root))
    for verb, pattern, handler in ROUTES:
        match = re.fullmatch(f"/repos/([^/]+/[^/]+){pattern}", path)
        if match is None or method != verb:
            continue
        repo = site.hosted(unquote(match[1]))
        if repo is None:
            break
        if method != "GET" and site.read_only:
            return refused(403, NOT_YOURS)
        return handler(Asked(site=site, repo=repo, call=call, name=unquote(match[2] or "")))
    return missing()


def _graphql(site: Site, call: Call) -> Answer:
    asked = call.request.json
    if not isinstance(asked, dict) or not is_known(asked.get("query")):
        return Answer(body={"errors": [{"message": "The fake GitHub knows one query, and this is another."}]})
    return Answer(body={"data": {"viewer": {"login": site.viewer}}})


def is_known(query: object) -> bool:
    """Tell whether a GraphQL query is the one that is answered."""
    return isinstance(query, str) and re.sub(r"^\s*query|\s", "", query) == QUERY


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


ROUTES: tuple[tuple[str, str, Callable[[Asked], Answer]], ...] = (
    ("GET", r"/issues/(\d+)/comments", comments.listed),
    ("POST", r"/issues/(\d+)/comments", comments.create),
    ("PATCH", r"/issues/comments/(\d+)", comments.edit),
    ("DELETE", r"/issues/comments/(\d+)", comments.delete),
    ("GET", "/pulls()", pulls.listed),
    ("GET", "/compare/(.+)", pulls.compare),
    ("GET", "/git/trees/(.+)", _tree),
    ("GET", "/git/blobs/(.+)", _blob),
)
