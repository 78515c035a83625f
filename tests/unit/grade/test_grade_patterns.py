r"""Keywords with patterns, and about the keys of an object, in every draft that has them.

The cases are a selection from the public JSON Schema Test Suite, in its sense and not in its words:
https://github.com/json-schema-org/JSON-Schema-Test-Suite (``pattern``, ``patternProperties``,
``additionalProperties``, ``unevaluatedProperties``, ``optional/ecmascript-regex``). Two departures: ``\s`` is ASCII's
white space without the vertical tab, and ``\c`` is refused when the suite is read.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from support.grading import contract_of

from evalaction.grade.schema import compile_form
from evalaction.records.case import Schema

DRAFTS = (
    "http://json-schema.org/draft-03/schema#",
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
)


def errors(value: Any, schema: dict[str, Any]) -> tuple[str, ...]:
    form = compile_form(contract_of(schema=Schema(document=schema)), golden_path="golden.jsonl")
    assert form is not None
    return form.errors(value)


@pytest.fixture(autouse=True)
def _without_re(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own search, which can hang, never meets a text."""
    errors({"a": "b"}, {"type": "object"})  # what is compiled at import is compiled
    monkeypatch.setattr(re, "search", lambda pattern, _text: pytest.fail(f"re.search for {pattern!r}"))


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"pattern": "^a*$"}, "aaa", ()),
        ({"pattern": "^a*$"}, "abc", ('(root): "abc" does not match "^a*$"',)),
        ({"pattern": "^a*$"}, 5, ()),
        ({"pattern": "a+"}, "xxaayy", ()),
        ({"pattern": "^abc$"}, "abc\n", ('(root): "abc\\n" does not match "^abc$"',)),
        ({"pattern": r"^\d$"}, "\u07c0", ('(root): "\u07c0" does not match "^\\\\d$"',)),
        ({"pattern": r"\wcole"}, "l'école", (r'''(root): "l'école" does not match "\\wcole"''',)),
        ({"pattern": r"\p{Letter}cole"}, "l'école", ()),
        ({"pattern": r"^🐲*$"}, "🐲🐲", ()),
        ({"patternProperties": {"f.*o": {"type": "integer"}}}, {"foo": 1, "foooooo": 2}, ()),
        (
            {"patternProperties": {"f.*o": {"type": "integer"}}},
            {"foo": "bar", "fooooo": 2, "x": "y"},
            ('/foo: "bar" is not an integer',),
        ),
        ({"patternProperties": {"f.*o": {"type": "integer"}}}, ["foo"], ()),
        (
            {"patternProperties": {"a*": {"type": "integer"}, "aaa*": {"maximum": 20}}},
            {"aaa": "foo", "aaaa": 31},
            ('/aaa: "foo" is not an integer', "/aaaa: 31 is greater than the maximum of 20"),
        ),
        (
            {"properties": {"foo": {}}, "patternProperties": {"^v": {}}, "additionalProperties": False},
            {"foo": 1, "quux": "boom", "vroom": 2},
            ("/quux: key not allowed",),
        ),
        (
            {"properties": {"foo": {}}, "additionalProperties": {"type": "boolean"}},
            {"foo": 1, "bar": 12},
            ("/bar: 12 is not a boolean",),
        ),
        ({"additionalProperties": False}, [1], ()),
    ],
)
def test_errors__keys_and_patterns(draft: str, schema: dict[str, Any], value: Any, expected: tuple[str, ...]) -> None:
    """A pattern is searched for anywhere, in strings and keys alone, and keys that nothing names are told apart."""
    assert expected == errors(value, {"$schema": draft, **schema})


CLOSED = {"unevaluatedProperties": False}
FOO: dict[str, Any] = {"properties": {"foo": {"type": "string"}}}
BRANCH: dict[str, Any] = {"properties": {"bar": {"const": "bar"}}, "required": ["bar"]}
OTHER: dict[str, Any] = {"properties": {"baz": {"const": "baz"}}, "required": ["baz"]}


@pytest.mark.parametrize("draft", DRAFTS[-2:])
@pytest.mark.parametrize(
    ("schema", "value", "refused"),
    [
        ({"unevaluatedProperties": True}, {"foo": 1}, []),
        ({"unevaluatedProperties": {"type": "string"}}, {"foo": "x"}, []),
        (CLOSED, {"foo": 1}, ["foo"]),
        (CLOSED, [1], []),
        ({**FOO, **CLOSED}, {"foo": "x", "bar": 1}, ["bar"]),
        ({"patternProperties": {"^foo": {}}, **CLOSED}, {"foo": 1, "bar": 1}, ["bar"]),
        ({"additionalProperties": True, **CLOSED}, {"foo": 1, "bar": 1}, []),
        ({"additionalProperties": {"type": "string"}, **CLOSED}, {"foo": "x"}, []),
        ({**FOO, "allOf": [{"properties": {"bar": {}}}], **CLOSED}, {"foo": "x", "bar": 1, "baz": 1}, ["baz"]),
        ({**FOO, "allOf": [{"patternProperties": {"^bar": {}}}], **CLOSED}, {"bar": 1, "baz": 1}, ["baz"]),
        ({**FOO, "allOf": [{"additionalProperties": True}], **CLOSED}, {"foo": "x", "baz": 1}, []),
        ({**FOO, "allOf": [{"unevaluatedProperties": True}], **CLOSED}, {"foo": "x", "baz": 1}, []),
        ({**FOO, "anyOf": [BRANCH, OTHER], **CLOSED}, {"foo": "x", "bar": "bar"}, []),
        ({**FOO, "anyOf": [BRANCH, OTHER], **CLOSED}, {"foo": "x", "bar": "bar", "baz": "no"}, ["baz"]),
        ({**FOO, "anyOf": [BRANCH, OTHER], **CLOSED}, {"foo": "x", "bar": "bar", "baz": "baz"}, []),
        ({**FOO, "oneOf": [BRANCH, OTHER], **CLOSED}, {"foo": "x", "bar": "bar", "quux": 1}, ["quux"]),
        ({**FOO, "not": {"not": BRANCH}, **CLOSED}, {"foo": "x", "bar": "bar"}, ["bar"]),
        ({"if": BRANCH, "then": FOO, "else": OTHER, **CLOSED}, {"foo": "x", "bar": "bar"}, []),
        ({"if": BRANCH, "then": FOO, "else": OTHER, **CLOSED}, {"bar": "bar", "baz": "baz"}, ["baz"]),
        ({"if": BRANCH, "then": FOO, "else": OTHER, **CLOSED}, {"baz": "baz", "foo": "x"}, ["foo"]),
        ({**FOO, "dependentSchemas": {"foo": BRANCH}, **CLOSED}, {"foo": "x", "bar": "bar"}, []),
        ({**FOO, "dependentSchemas": {"foo": BRANCH}, **CLOSED}, {"bar": "bar"}, ["bar"]),
        ({"$ref": "#/$defs/bar", "$defs": {"bar": BRANCH}, **FOO, **CLOSED}, {"foo": "x", "bar": "bar", "b": 1}, ["b"]),
        ({"properties": {"a": {**FOO, **CLOSED}}}, {"a": {"foo": "x"}, "b": 1}, []),
    ],
)
def test_errors__unevaluated_properties(draft: str, schema: dict[str, Any], value: Any, refused: list[str]) -> None:
    """A key that no keyword about the same object has looked at is refused, and named by its place."""
    assert tuple(f"/{key}: key not allowed" for key in refused) == errors(value, {"$schema": draft, **schema})


def test_errors__recursive_reference() -> None:
    """Draft 2019-09's own reference to the whole is followed for the keys that it looks at."""
    schema = {
        "$schema": DRAFTS[4],
        "$recursiveAnchor": True,
        "type": ["object", "null"],
        "properties": {"name": {}, "child": {"$recursiveRef": "#", "unevaluatedProperties": False}},
    }
    value = {"name": 1, "child": {"name": 2, "child": {"nme": 3}}}
    assert errors(value, schema) == ("/child/child/nme: key not allowed",)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("schema", "value", "cause"),
    [
        ({"items": {"pattern": "^(?=a)a*$"}}, ["a" * 1_000_000] * 60, "it takes too long for this value"),
        (
            {"pattern": "((a|b){0,30}){0,30}c"},
            "ab" * 10_000,
            "it takes too long for this value",
        ),
        (
            {
                "$defs": {str(n): {"allOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2} for n in range(40)} | {"40": {}},
                "$ref": "#/$defs/0",
            },
            1,
            "it takes too long for this value",
        ),
    ],
)
def test_errors__too_slow(schema: dict[str, Any], value: Any, cause: str) -> None:
    """What would take too long has a named outcome, and the draw stays a draw."""
    assert (f"the schema cannot be applied: {cause}",) == errors(value, schema)


@pytest.mark.timeout(60)
def test_errors__backtracks_for_ever() -> None:
    """A pattern on which a backtracking matcher never ends is applied like any other."""
    value = {"a" * 40 + "!": "a" * 40 + "!"}
    schema = {"patternProperties": {"^(a+)+$": False}, "additionalProperties": {"pattern": "^(a|aa)+$"}}
    (found,) = errors(value, schema)
    assert found == f'/{"a" * 40}!: "{"a" * 40}!" does not match "^(a|aa)+$"'


def test_errors__many_items_of_a_long_enum() -> None:
    """What a long list of values allows is prepared once for all items that are held to it."""
    schema = {"items": {"enum": list(range(10_000))}}
    assert errors([7] * 20_000, schema) == ()


def test_errors__many_keys() -> None:
    """An object of ten thousand keys is checked key by key."""
    value = {f"key_{number}": number for number in range(10_000)}
    schema = json.loads('{"patternProperties": {"^key_[0-9]+$": {"type": "integer"}}, "additionalProperties": false}')
    assert errors(value, schema) == ()
