"""Exchanges held to GitHub's own description of its API. Reads ``openapi.json`` once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from openapi_core import OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from openapi_core.templating.paths.exceptions import PathError
from openapi_core.templating.responses.exceptions import ResponseFinderError
from openapi_core.validation.schemas.exceptions import InvalidSchemaValue
from openapi_schema_validator import OAS30ReadValidator
from support.fakehub.exchange import Answer, Request
from werkzeug.datastructures import Headers, ImmutableMultiDict

SLICE = Path(__file__).with_name("openapi.json")
HOST = "https://api.github.com"
ERRORS_FROM = 400
"""The lowest status of an error."""


@cache
def description() -> Any:
    """Return the slice of GitHub's description."""
    return json.loads(SLICE.read_text(encoding="utf-8"))


@cache
def _openapi() -> OpenAPI:
    return OpenAPI.from_dict(description())


@dataclass(kw_only=True)
class _Asked:
    """A request in openapi-core's words."""

    method: str
    path: str
    parameters: RequestParameters
    body: bytes | None
    content_type: str
    host_url: str = HOST


@dataclass(frozen=True, kw_only=True)
class _Said:
    """An answer in openapi-core's words."""

    status_code: int
    data: bytes | None
    content_type: str = "application/json"
    headers: Headers = field(default_factory=Headers)


def request_faults(request: Request, body: bytes) -> list[str]:
    """Return how a request goes against the description; each fault is one line."""
    asked = _asked(request, body)
    try:
        _openapi().validate_request(asked)
    except PathError:
        return [f"{_line(request)}: the slice of GitHub's description has no such operation"]
    except OpenAPIError as error:
        return [f"{_line(request)}: {reason}" for reason in _reasons(error)]
    unknown = sorted(set(request.query) - _documented(request))
    return [f"{_line(request)}: there is no query parameter {name!r}" for name in unknown]


def answer_faults(request: Request, answer: Answer) -> list[str]:
    """Return how an answer goes against the description; each fault is one line.

    GitHub documents few of its errors: the others are held to the schema of errors.
    """
    said = _Said(status_code=answer.status, data=answer.content or None)
    try:
        _openapi().validate_response(_asked(request, b""), said)
    except (PathError, ResponseFinderError):
        if answer.status < ERRORS_FROM:
            return [f"{_line(request)} → {answer.status}: this answer is not in GitHub's description"]
        return [f"{_line(request)} → {answer.status}: {reason}" for reason in _error_faults(answer.body)]
    except OpenAPIError as error:
        return [f"{_line(request)} → {answer.status}: {reason}" for reason in _reasons(error)]
    return []


def _error_faults(body: Any) -> list[str]:
    schema = description()["components"]["schemas"]["basic-error"]
    return [_place(error) for error in OAS30ReadValidator(schema).iter_errors(body)]


def _one_segment(path: str) -> str:
    """Return a path whose last parameter is one segment: GitHub takes a branch's slashes as they are."""
    match = re.match("/repos/[^/]+/[^/]+/(compare|git/trees)/", path)
    return path if match is None else match[0] + path[match.end() :].replace("/", "%2F")


def _asked(request: Request, body: bytes) -> _Asked:
    return _Asked(
        method=request.method.lower(),
        path=_one_segment(request.path),
        parameters=RequestParameters(query=ImmutableMultiDict(request.query), header=Headers(dict(request.headers))),
        body=body or None,
        content_type=request.headers.get("content-type", "application/json"),
    )


def _documented(request: Request) -> set[str]:
    """Return the query parameters of the operation that a request asks for."""
    known = description()
    operation = next(
        at[request.method.lower()]
        for template, at in known["paths"].items()
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), _one_segment(request.path))
    )
    shared = known["components"]["parameters"]
    parameters = [shared[each["$ref"].split("/")[-1]] if "$ref" in each else each for each in operation["parameters"]]
    return {parameter["name"] for parameter in parameters if parameter["in"] == "query"}


def _reasons(error: BaseException) -> Iterator[str]:
    """Yield what is wrong, from the innermost cause."""
    while error.__cause__ is not None:
        error = error.__cause__
        if isinstance(error, InvalidSchemaValue):
            yield from (_place(inner) for inner in error.schema_errors)
            return
    yield str(error)


def _place(error: Any) -> str:
    """Return what a schema has against a value, and where."""
    where = "".join(f"[{part!r}]" for part in error.absolute_path)
    return f"body{where}: {error.message[:300]}"


def _line(request: Request) -> str:
    query = f"?{urlencode(request.query)}" if request.query else ""
    return f"{request.method} {request.path}{query}"
