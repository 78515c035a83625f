"""JSON Schemas of a suite: read with every local file that they refer to, and checked. Pure.

A document's address is its path in the tree, whatever its own ``$id`` says, and the draft of the first
document holds for all. A reference reaches the document itself, other files of the repository, what is
embedded in them, and the drafts' own schemas; nothing is fetched.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urldefrag, urljoin

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.case import Schema, Use, UseRole
from evalaction.suite.files import Files, resolve
from evalaction.suite.schema_parts import Parts
from evalaction.values import JSON, InvalidJSON, parse, plain

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_DOCUMENTS = 200
"""Files that one schema may reach."""
MAX_PARTS = 2_000
"""Objects in one document of a schema: each takes about half a millisecond to be held to its draft."""

_ROOT = "file:///"
_SCHEME = late.pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
"""How a reference begins that is no path."""
_REFERENCES = ("$ref", "$dynamicRef")
_DATA = frozenset({"const", "enum", "default", "examples"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
_IDS = ("$id", "id")


def read_schema(
    document: dict[str, JSON], *, place: str, files: Files, path: str | None
) -> tuple[Schema, tuple[Use, ...]]:
    """Return a schema with all that it refers to.

    Args:
        document: the schema.
        place: the file that holds it, from whose folder its references are seen.
        files: the tree's files.
        path: as ``place`` when the file is the schema; None when it is written into a golden line.

    Returns:
        The schema, and the files that it was made from, sorted by path.

    Raises:
        BadInput: it is no JSON Schema, refers to what is not there, or to something that would have to be
            fetched; it never comes to an end, asserts nothing, or holds a pattern that is none. The problem has no
            place.
    """
    reached = _reach(document, place=place, files=files)
    _check(document, reached, place=place)
    resources = {name: content for name, content in reached.documents.items() if name != place}
    schema = Schema(document=document, path=path, resources=tuple(sorted(resources.items())))
    paths = sorted({*resources, *([path] if path else [])})
    return schema, tuple(files.use(name, UseRole.SCHEMA) for name in paths)


def read_document(path: str, files: Files) -> dict[str, JSON]:
    """Return the JSON object that the schema file at ``path`` holds.

    Raises:
        BadInput: there is no such file, or it holds none.
    """
    text = files.text(path)
    try:
        value = parse(text)
    except InvalidJSON as error:
        line = text.count("\n", 0, error.position) + 1
        raise BadInput(Problem(message=f"The schema {path} is not JSON (line {line}): {error}.")) from error
    if not isinstance(value, dict) or not value:
        raise BadInput(Problem(message=f"The schema {path} is no object with entries, so it checks nothing."))
    return value


@frozen
class _Reached:
    """What a schema refers to."""

    documents: dict[str, JSON] = field(default_factory=dict)
    """Path → document, the schema's own included."""
    references: list[tuple[str, str]] = field(default_factory=list)
    """(address of the part that holds it, reference as it stands)."""
    names: set[str] = field(default_factory=set)
    """Addresses that documents and their parts give themselves."""


def _reach(document: dict[str, JSON], *, place: str, files: Files) -> _Reached:
    reached = _Reached(documents={place: document})
    queue = [place]
    while queue:
        path = queue.pop()
        content = reached.documents[path]
        found = list(_references(_without_identity(content), _address(path), reached.names))
        reached.names.update(_identities(content))
        reached.references.extend(found)
        for base, reference in found:
            target = _file(base, reference, files, reached.names)
            if target is None or target in reached.documents:
                continue
            if len(reached.documents) >= MAX_DOCUMENTS:
                raise BadInput(Problem(message=f"The schema reaches more than {MAX_DOCUMENTS} files."))
            reached.documents[target] = read_document(target, files)
            queue.append(target)
    return reached


def _references(node: JSON, base: str, names: set[str], *, keyword: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the references below ``node``; ``keyword`` tells whether its keys are keywords or names."""
    if isinstance(node, list):
        for item in node:
            yield from _references(item, base, names)
        return
    if not isinstance(node, dict):
        return
    own = node.get("$id") if keyword else None
    if isinstance(own, str) and not own.startswith("#"):
        base = _join(base, own)
        names.add(urldefrag(base).url)
    for name, value in node.items():
        if keyword and name in _REFERENCES and isinstance(value, str):
            yield base, value
        elif not keyword or name not in _DATA:
            yield from _references(value, base, names, keyword=not (keyword and name in _NAMED))


def _file(base: str, reference: str, files: Files, names: set[str]) -> str | None:
    """Return the path that a reference names; None when it names no other file."""
    target = urldefrag(_join(base, reference)).url
    named = reference.partition("#")[0]
    relative = base.startswith(_ROOT) and _SCHEME.match(reference) is None
    if not named or target in names or not (relative or target.startswith(_ROOT)):
        return None
    if relative:
        # First of all ours: what a library makes of a path that leaves the root differs from version to version.
        path = resolve(unquote(named), folder=posixpath.dirname(_path(base)))
        if _address(path) != target:
            raise BadInput(Problem(message=f"The reference {reference!r} is not in its plain form, such as {path}."))
        return None if not files.stands(path) and path == _path(base) else path
    return _path(target)


def _join(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError as error:
        raise BadInput(Problem(message=f"The schema holds {reference!r}, which is no address.")) from error


def _check(document: dict[str, JSON], reached: _Reached, *, place: str) -> None:
    from referencing import Registry  # noqa: PLC0415 - slow to import, and many suites have no schema
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - as above
    from referencing.jsonschema import specification_with  # noqa: PLC0415 - as above

    kind = _draft(document, place)
    _check_one(kind, document, place)
    specification = specification_with(str(kind.META_SCHEMA["$schema"]))
    registry: Registry[Any] = Registry()
    for path, content in reached.documents.items():
        resource = specification.create_resource(plain(_without_identity(content)))
        names = [_address(path), *(name.rstrip("#") for name in _identities(content))]
        registry = registry.with_resources((name, resource) for name in names)
    registry = registry.crawl()
    for base, reference in reached.references:
        if _known_draft(_join(base, reference)) is not None:
            continue
        try:
            found = registry.resolver(base).lookup(reference).contents
        except (Unresolvable, ValueError, TypeError) as error:  # a pointer into a list or a number raises its own
            raise BadInput(_dangling(base, reference)) from error
        _check_one(kind, found, f"{place}, by {reference!r},")
    root = registry.resolver(_address(place))
    Parts(kind, specification).check(registry.contents(_address(place)), root, place)


def _dangling(base: str, reference: str) -> Problem:
    target = _join(base, reference)
    if not target.startswith(_ROOT):
        return Problem(
            message=f"The schema refers to {reference!r}, and nothing is fetched.",
            remedy="Put that schema into the repository, and refer to it by a relative path.",
        )
    return Problem(message=f"The schema refers to {reference!r}, which is not there.")


def _draft(document: dict[str, JSON], place: str) -> type[Validator]:
    from jsonschema.validators import Draft202012Validator  # noqa: PLC0415 - as in _check

    if "$schema" not in document:
        return Draft202012Validator
    said = document["$schema"]
    known = _known_draft(said) if isinstance(said, str) else None
    if known is None:
        raise BadInput(
            Problem(
                message=f"The schema in {place} is written in {said!r}, which is no draft of JSON Schema known here.",
                remedy='Name one, such as "https://json-schema.org/draft/2020-12/schema", or leave `$schema` out.',
            )
        )
    return known


def _known_draft(address: str) -> type[Validator] | None:
    """Return the validator of the draft that has this address; None when none has."""
    from jsonschema.validators import validator_for  # noqa: PLC0415 - as in _check

    found: type[Validator] | None = validator_for({"$schema": address}, default=None)  # type: ignore[arg-type]
    return found


def _check_one(kind: type[Validator], schema: JSON, place: str) -> None:
    from jsonschema import FormatChecker  # noqa: PLC0415 - as in _check
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - as in _check

    if _has_too_many_parts(schema):
        raise BadInput(
            Problem(
                message=f"The schema in {place} holds more than {MAX_PARTS:,} objects.",
                remedy="A draw is held to each of them: describe repeated parts once, under `$defs`.",
            )
        )
    draft: Any = kind
    try:
        draft.check_schema(plain(schema), format_checker=FormatChecker(formats=()))  # patterns are ours to compile
    except SchemaError as error:
        raise BadInput(
            Problem(
                message=f"The schema in {place} is no JSON Schema: {error.json_path}: {_first_line(error.message)}."
            )
        ) from error
    except RecursionError as error:
        raise BadInput(Problem(message=f"The schema in {place} nests too deeply.")) from error


def _has_too_many_parts(schema: JSON) -> bool:
    parts, waiting = 0, [schema]
    while waiting and parts <= MAX_PARTS:
        value = waiting.pop()
        parts += isinstance(value, dict)
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
    return parts > MAX_PARTS


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0][:200]


def _identities(document: JSON) -> list[str]:
    found = [document.get(key) for key in _IDS] if isinstance(document, dict) else []
    return [name for name in found if isinstance(name, str)]


def _without_identity(document: JSON) -> JSON:
    if not isinstance(document, dict):
        return document
    return {key: value for key, value in document.items() if not (key in _IDS and isinstance(value, str))}


def _address(path: str) -> str:
    return _ROOT + quote(path, errors="surrogateescape")


def _path(address: str) -> str:
    return unquote(address.removeprefix(_ROOT), errors="surrogateescape")
