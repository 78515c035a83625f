"""The form that a contract asks for: keys and JSON Schema, over exact values."""

from __future__ import annotations

import socket
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grading import contract_of

from evalaction.grade.keywords import is_multiple
from evalaction.grade.schema import MAX_SHOWN, compile_form
from evalaction.records.case import Contract, Schema
from evalaction.values import parse

GOLDEN = "evals/case.golden.jsonl"


def errors(value: str, schema: str | None = None, **fields: Any) -> tuple[str, ...]:
    asked = Schema(document=parse(schema), **fields) if schema else None
    return errors_of(value, contract_of(schema=asked))


def errors_of(value: str, contract: Contract) -> tuple[str, ...]:
    form = compile_form(contract, golden_path=GOLDEN)
    assert form is not None
    return form.errors(parse(value))


def test_compile_form__nothing_asked() -> None:
    """A contract without keys and schema has no form."""
    assert compile_form(contract_of(), golden_path=GOLDEN) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a": null, "b/c~d": 1, "e": 2}', ()),
        ('{"a": 1}', ("/b~1c~0d: key absent",)),
        ("{}", ("/a: key absent", "/b~1c~0d: key absent")),
        ("[1]", ("(root): an array is not an object",)),
    ],
)
def test_errors__keys(value: str, expected: tuple[str, ...]) -> None:
    """Each absent key is named by its pointer; null is not absent."""
    assert expected == errors_of(value, contract_of(expect_keys=("a", "b/c~d")))


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        (
            '{"total_cents": 19.5}',
            '{"properties": {"total_cents": {"type": "integer"}}}',
            "/total_cents: 19.5 is not an integer",
        ),
        ("[100, 1e2, 100.0]", '{"items": {"type": "integer"}}', None),
        ("1e500", '{"type": "integer"}', None),
        ("1e-500", '{"type": "integer"}', "(root): 1e-500 is not an integer"),
        (
            "12345678901234567890123456789012.5",
            '{"type": "integer"}',
            "(root): 12345678901234567890123456789012.5 is not an integer",
        ),
        ("true", '{"type": ["integer", "null"]}', "(root): true is not an integer or null"),
        ("true", '{"type": "number"}', "(root): true is not a number"),
        ("{}", '{"type": "string"}', "(root): an object is not a string"),
        ('{"a": {}}', '{"properties": {"a": {"required": ["b"]}}}', "/a/b: key absent"),
        ("false", '{"enum": [0]}', "(root): false is not one of [0]"),
        ("0.0", '{"enum": [0]}', None),
        ("[1, true]", '{"enum": [[1, 1]]}', "(root): an array is not one of [[1,1]]"),
        ("true", '{"const": 1}', "(root): true is not 1"),
        ("1.50", '{"const": 1.5}', None),
        ('{"a": 1}', '{"const": {"a": true}}', '(root): an object is not {"a":true}'),
        ("0.3", '{"multipleOf": 0.1}', None),
        ("19.99", '{"multipleOf": 0.01}', None),
        ("0.35", '{"multipleOf": 0.1}', "(root): 0.35 is not a multiple of 0.1"),
        ("9007199254740993", '{"multipleOf": 2}', "(root): 9007199254740993 is not a multiple of 2"),
        ("1e400", '{"multipleOf": 3}', "(root): " + "1e400 is not a multiple of 3"),
        ("[1, true, 1.5, [1], [true]]", '{"uniqueItems": true}', None),
        ("[1, 2, 1.0]", '{"uniqueItems": true}', "/2: stands twice in an array of unique items"),
        ("[1, 1]", '{"uniqueItems": false}', None),
        (
            "9007199254740993",
            '{"maximum": 9007199254740992}',
            "(root): 9007199254740993 is greater than the maximum of 9007199254740992",
        ),
        ("0.1", '{"minimum": 0.1}', None),
        ("0.30000000000000001", '{"exclusiveMinimum": 0.3}', None),
        ('{"a": 1}', "true", None),
        ("1", "false", "(root): False schema does not allow 1"),
        ('"x@"', '{"format": "email"}', None),
        ('"ab"', '{"pattern": "^b"}', '(root): "ab" does not match "^b"'),
    ],
)
def test_errors__schema(value: str, schema: str, expected: str | None) -> None:
    """Values are held to a schema exactly: no float, no true that is 1, and a message that names the place."""
    assert (() if expected is None else (expected,)) == errors(value, schema)


@pytest.mark.parametrize(
    "draft",
    [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ],
)
def test_errors__drafts(draft: str) -> None:
    """Every draft is exact, below references too."""
    schema = (
        f'{{"$schema": "{draft}", "definitions": {{"a": {{"enum": [1]}}}}, "items": {{"$ref": "#/definitions/a"}}}}'
    )
    assert errors("[1, 1.0, true]", schema) == ("/2: true is not one of [1]",)


def test_errors__draft_3() -> None:
    """In draft 3, which asks for keys otherwise, that still works."""
    schema = '{"$schema": "http://json-schema.org/draft-03/schema#", "properties": {"a": {"required": true}}}'
    assert errors("{}", schema) == ("/a: 'a' is a required property",)


def test_errors__keys_and_schema_once() -> None:
    """A key that both keys and schema ask for is named once."""
    contract = contract_of(expect_keys=("a",), schema=Schema(document={"required": ["a", "b"]}))
    assert errors_of("{}", contract) == ("/a: key absent", "/b: key absent")


RESOURCES: Any = (
    ("defs/cents file.json", {"$defs": {"cents": {"type": "integer"}}, "$ref": "../money.json"}),
    ("money.json", {"properties": {"currency": {"$ref": "codes.json#/0"}}}),
    ("codes.json", [{"enum": ["USD"]}]),
)


@pytest.mark.parametrize(
    ("path", "reference"),
    [
        ("evals/invoice.schema.json", "../defs/cents%20file.json"),
        (None, "../defs/cents%20file.json"),
        ("invoice.schema.json", "defs/cents%20file.json"),
    ],
)
@pytest.mark.parametrize("identity", [{}, {"$id": "https://example.test/schemas/invoice"}])
def test_errors__references(path: str | None, reference: str, identity: dict[str, Any]) -> None:
    """A reference is relative to the file that holds it, whatever address that file gives itself."""
    document = {
        **identity,
        "allOf": [{"$ref": reference}],
        "properties": {"cents": {"$ref": f"{reference}#/$defs/cents"}},
    }
    contract = contract_of(schema=Schema(document=document, path=path, resources=RESOURCES))
    expected = ("/cents: 19.5 is not an integer", '/currency: "EUR" is not one of ["USD"]')
    assert expected == errors_of('{"cents": 19.5, "currency": "EUR"}', contract)


def test_errors__reference_by_identity() -> None:
    """A schema can refer to itself, and to another file, by the address in ``$id``."""
    document: Any = {
        "$id": "https://example.test/a",
        "$defs": {"n": {"type": "integer"}},
        "items": {"anyOf": [{"$ref": "https://example.test/a#/$defs/n"}, {"$ref": "https://example.test/b"}]},
    }
    resources: Any = (
        (
            "b.json",
            {"$id": "https://example.test/b", "$schema": "http://json-schema.org/draft-07/schema#", "const": "x"},
        ),
    )
    contract = contract_of(schema=Schema(document=document, path="a.json", resources=resources))
    assert errors_of('[1, "x"]', contract) == ()


@pytest.mark.parametrize(
    ("reference", "named"),
    [
        ("https://example.test/schema.json", "https://example.test/schema.json"),
        ("missing.json", "missing.json"),
        ("#/$defs/missing", "/$defs/missing"),
        ("file:///etc/hostname", "file:///etc/hostname"),
    ],
)
def test_errors__unknown_reference(reference: str, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a reference names is never fetched; what is not at hand is a violation that says so."""
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: pytest.fail("looked up a host"))
    expected = (f"the schema cannot be applied: {named} is not to be found",)
    assert expected == errors("{}", f'{{"$ref": "{reference}"}}')


@pytest.mark.parametrize(
    ("value", "schema", "cause"),
    [
        ("{}", '{"$ref": "#"}', "it goes too deep for this value"),
        (
            '"a"',
            '{"pattern": "("}',
            "a pattern is no regular expression (missing ) at position 1)",
        ),
    ],
)
def test_errors__unusable_schema(value: str, schema: str, cause: str) -> None:
    """A schema that cannot be applied is a violation with its cause, not a crash that loses paid draws."""
    assert (f"the schema cannot be applied: {cause}",) == errors(value, schema)


def test_errors__bounded() -> None:
    """Violations are shown in order of place, a bounded number of them, and it is said when there are more."""
    found = errors("[" + ",".join(["true"] * 1_000) + "]", '{"items": {"type": "integer"}}')
    assert (MAX_SHOWN + 1, "/0: true is not an integer", "and more") == (len(found), found[0], found[-1])


def test_errors__long() -> None:
    """One violation is cut to a readable length, whatever the model wrote."""
    (found,) = errors('"' + "x" * 100_000 + '"', '{"maxLength": 5}')
    assert (200, "(root): 'xxx", "x…") == (len(found), found[:12], found[-2:])


def test_errors__long_value() -> None:
    """A long value is shown by its start."""
    (found,) = errors('"' + "é" * 1_000 + '"', '{"type": "integer"}')
    assert found == '(root): "' + "é" * 48 + "… is not an integer"


@pytest.mark.timeout(20)
def test_errors__unique_items_of_many() -> None:
    """Many objects are compared in linear time."""
    value = "[" + ",".join(f'{{"a": {number}}}' for number in range(20_000)) + "]"
    assert errors(value, '{"uniqueItems": true}') == ()


NUMBERS = st.integers(-(10**12), 10**12) | st.decimals(-(10**9), 10**9, places=4)


@given(NUMBERS, NUMBERS.filter(bool))
def test_is_multiple__exact(value: int | Decimal, step: int | Decimal) -> None:
    """It is divisibility of the exact values."""
    assert ((Fraction(value) / Fraction(step)).denominator == 1) is is_multiple(value, step)


@given(NUMBERS.filter(bool), st.integers(-1_000, 1_000))
def test_is_multiple__product(step: int | Decimal, factor: int) -> None:
    """Every whole multiple is one."""
    exact = Fraction(step) * factor
    value = Decimal(exact.numerator) / Decimal(exact.denominator)
    assert is_multiple(value, step) is True


@pytest.mark.parametrize(
    ("value", "step", "expected"),
    [
        (Decimal("1e999999999"), 7, False),
        (Decimal("1e999999999"), 8, True),
        (Decimal("1e999999999"), Decimal("1e-999999999"), True),
        (7, Decimal("1e999999999"), False),
        (0, Decimal("1e999999999"), True),
        (5, 0, False),
    ],
)
@pytest.mark.timeout(20)
def test_is_multiple__huge_exponents(value: int | Decimal, step: int | Decimal, expected: bool) -> None:
    """An exponent of a thousand million costs nothing."""
    assert expected is is_multiple(value, step)
