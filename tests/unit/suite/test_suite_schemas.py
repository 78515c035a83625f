"""JSON Schemas of a suite: local references only, and every one of them found before anything runs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.suites import problems, suite_of

from evalaction.records.case import Schema, Use, UseRole
from evalaction.values import sha256


def files_with(schema: Any, others: dict[str, Any] | None = None) -> dict[str, str]:
    rows = '{"id":"a","prompt":"x","schema_file":"../schemas/a.json"}'
    documents = {"schemas/a.json": schema, **(others or {})}
    return {"g/golden.jsonl": rows, **{path: json.dumps(document) for path, document in documents.items()}}


def schema_of(schema: Any, others: dict[str, Any] | None = None) -> Schema | None:
    suite = suite_of(files_with(schema, others))
    assert () == suite.problems
    return suite.cases[0].contract.schema


ENDLESS = "The schema in schemas/a.json never comes to an end: "
BACK = " leads back to itself with the same value. Refer to it from within `properties` or `items`."
NOTHING = (
    "The schema in schemas/a.json asserts nothing, so every value meets it. "
    "Say what a value has to be, such as its `type`; `format` and `title` ask for nothing."
)
LABEL: Any = {"$defs": {"label": {"enum": ["billing", "refund"]}}}


def test_read_schema__references() -> None:
    """Files are followed from file to file, each seen from the one that names it, and each is tracked."""
    schema = {"properties": {"label": {"$ref": "common.json#/$defs/label"}, "self": {"$ref": "#"}}}
    others = {"schemas/common.json": {"$defs": {"label": {"$ref": "../lib/l.json"}}}, "lib/l.json": {"enum": ["a"]}}
    files = files_with(schema, others)
    suite = suite_of(files)
    resources = (("lib/l.json", others["lib/l.json"]), ("schemas/common.json", others["schemas/common.json"]))
    assert Schema(document=schema, path="schemas/a.json", resources=resources) == suite.cases[0].contract.schema  # type: ignore[arg-type]
    paths = ["lib/l.json", "schemas/a.json", "schemas/common.json"]
    uses = [Use(path=path, role=UseRole.SCHEMA, sha256=sha256(files[path].encode())) for path in paths]
    assert uses == list(suite.cases[0].uses)


def test_read_schema__inline() -> None:
    """A schema in a golden line sees files from the golden file's folder."""
    row = {"id": "a", "prompt": "x", "schema": {"$ref": "common.json#/$defs/label"}}
    suite = suite_of({"g/golden.jsonl": json.dumps(row), "g/common.json": json.dumps(LABEL)})
    expected = Schema(document={"$ref": "common.json#/$defs/label"}, resources=(("g/common.json", LABEL),))
    assert ((), expected) == (suite.problems, suite.cases[0].contract.schema)


@pytest.mark.parametrize(
    "schema",
    [
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"x": {"type": "null"}},
            "$ref": "#/definitions/x",
        },
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "type": "object"},
        {"$id": "https://example.test/s.json", "$defs": {"x": {"type": "null"}}, "$ref": "#/$defs/x"},
        {
            "$id": "https://example.test/s.json",
            "$defs": {"x": {"type": "null"}},
            "$ref": "https://example.test/s.json#/$defs/x",
        },
        {"$defs": {"x": {"$id": "https://example.test/x", "type": "string"}}, "$ref": "https://example.test/x"},
        {"$defs": {"x": {"$id": "sub/x", "type": "string"}}, "$ref": "sub/x"},
        {"$defs": {"x": {"$anchor": "here", "type": "null"}}, "$ref": "#here"},
        {"$ref": "http://json-schema.org/draft-07/schema#"},
        {"properties": {"$ref": {"type": "string"}, "const": {"const": {"$ref": "https://example.test/data"}}}},
        {"enum": [{"$ref": "nope.json"}]},
        {"items": {"$ref": "#"}, "type": "array"},
        {"anyOf": [{"type": "null"}, {"properties": {"next": {"$ref": "#"}}, "required": ["next"]}]},
        {"if": {"type": "null"}, "else": {"minLength": 1}},
        {"properties": {"a": False}},
        {"pattern": r"^\p{Lu}+(?!x)$", "patternProperties": {r"^\p{L}+$": {}}},
        {"allOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}], "$defs": {"x": {"type": "null"}}},
    ],
)
def test_read_schema__without_files(schema: Any) -> None:
    """Any draft is read, embedded parts are found by their address, and data that looks like a reference is data."""
    found = schema_of(schema)
    assert Schema(document=schema, path="schemas/a.json") == found


def test_read_schema__circle() -> None:
    """Files that refer to each other are read once each."""
    found = schema_of({"$ref": "b.json"}, {"schemas/b.json": {"type": "array", "items": {"$ref": "a.json"}}})
    assert found is not None
    assert (("schemas/b.json", {"type": "array", "items": {"$ref": "a.json"}}),) == found.resources


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {"type": "thing"},
            "The schema in schemas/a.json is no JSON Schema: $.type: "
            "'thing' is not valid under any of the given schemas.",
        ),
        (
            {"pattern": "("},
            "The schema in schemas/a.json holds '(', which is no regular expression: missing ) at position 1.",
        ),
        (
            {"$ref": "https://example.test/x.json"},
            "The schema refers to 'https://example.test/x.json', and nothing is fetched. "
            "Put that schema into the repository, and refer to it by a relative path.",
        ),
        ({"$ref": "nope.json"}, "schemas/nope.json does not exist. Did you mean schemas/b.json?"),
        ({"$ref": "#/$defs/nope"}, "The schema refers to '#/$defs/nope', which is not there."),
        ({"$ref": "b.json#/$defs/nope"}, "The schema refers to 'b.json#/$defs/nope', which is not there."),
        (
            {"$ref": "b.json#/x"},
            "The schema in schemas/a.json, by 'b.json#/x', is no JSON Schema: $.type: "
            "5 is not valid under any of the given schemas.",
        ),
        (
            {"$ref": "../../x.json"},
            "'../../x.json' leaves the repository. Name a file of this repository by a relative path.",
        ),
        (
            {"$ref": "/etc/passwd"},
            "'/etc/passwd' leaves the repository. Name a file of this repository by a relative path.",
        ),
        (
            {"$schema": "urn:mine"},
            "The schema in schemas/a.json is written in 'urn:mine', which is no draft of JSON Schema known here. "
            'Name one, such as "https://json-schema.org/draft/2020-12/schema", or leave `$schema` out.',
        ),
        ({"$ref": "http://[x"}, "The schema holds 'http://[x', which is no address."),
        ({"items": {"$id": "http://[x"}}, "The schema holds 'http://[x', which is no address."),
        ({"$ref": "b.json?x"}, "The reference 'b.json?x' is not in its plain form, such as schemas/b.json?x."),
        (
            {"pattern": "^(?:a{1000}){1000}(?=b)"},
            "The schema in schemas/a.json holds '^(?:a{1000}){1000}(?=b)', which is no regular expression: its "
            "repetitions written out have more than 10,000 parts.",
        ),
        (
            {"items": {"patternProperties": {"[": {}}}},
            "The schema in schemas/a.json holds '[', which is no regular expression: unterminated character set at "
            "position 1.",
        ),
        (
            {"anyOf": [{"pattern": f"^{number}"} for number in range(501)]},
            "The schema in schemas/a.json holds more than 500 patterns.",
        ),
        (
            {"properties": {f"k{number}": {"type": "null"} for number in range(2_000)}},
            "The schema in schemas/a.json holds more than 2,000 objects. A draw is held to each of them: describe "
            "repeated parts once, under `$defs`.",
        ),
        ({"$ref": "#"}, f"{ENDLESS}'#'{BACK}"),
        ({"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}, f"{ENDLESS}'#/properties/a'{BACK}"),
        ({"anyOf": [{"type": "null"}, {"not": {"$ref": "#"}}]}, f"{ENDLESS}a reference{BACK}"),
        (
            {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"},
            f"{ENDLESS}'#/$defs/b'{BACK}",
        ),
        ({"title": "t", "$defs": {"a": {"type": "null"}}}, NOTHING),
        ({"format": "email", "default": ""}, NOTHING),
        ({"properties": {"a": True, "b": {}}, "required": [], "additionalProperties": True}, NOTHING),
        ({"anyOf": [{"type": "null"}, {}]}, NOTHING),
        ({"if": {"type": "null"}}, NOTHING),
        ({"items": {"$ref": "#"}}, NOTHING),
        ({"allOf": [{"minLength": 0}, {"propertyNames": True}]}, NOTHING),
        ({}, "The schema schemas/a.json is no object with entries, so it checks nothing."),
        (True, "The schema schemas/a.json is no object with entries, so it checks nothing."),
    ],
)
def test_read_schema__refused(schema: Any, expected: str) -> None:
    """A schema that could not be applied later is an error at the golden line, before anything is drawn."""
    others = {"schemas/b.json": {"$defs": {}, "x": {"type": 5}}}
    assert [f"g/golden.jsonl:1: In the case 'a': {expected}"] == problems(files_with(schema, others))


def test_read_schema__not_json() -> None:
    """A schema file that is no JSON names itself and its line."""
    files = {"golden.jsonl": '{"id":"a","prompt":"x","schema_file":"s.json"}', "s.json": '{\n"type": "object",\n}'}
    (found,) = problems(files)
    assert found.startswith("golden.jsonl:1: In the case 'a': The schema s.json is not JSON (line ")


def test_read_schema__odd_names() -> None:
    """A file with a space or a percent sign in its name is found by its address."""
    found = schema_of({"$ref": "a%20b%25.json"}, {"schemas/a b%.json": {"type": "object"}})
    assert found is not None
    assert (("schemas/a b%.json", {"type": "object"}),) == found.resources


@pytest.mark.parametrize("reference", ["http://[#a", "#/allOf/x", "#/title/x", "#/minimum/x"])
def test_load_schema__strange_reference(reference: str) -> None:
    """A reference that is no address, or points into what has no parts, is an error in words."""
    schema = {"allOf": [{}], "title": "t", "minimum": 1, "properties": {"a": {"$ref": reference}}}
    files = {"golden.jsonl": json.dumps({"id": "a", "prompt": "x", "schema": schema}) + "\n"}
    (problem,) = problems(files)
    assert problem.startswith("golden.jsonl:1: ")
