"""JSON values: read strictly, compared exactly, written canonically."""

from __future__ import annotations

import hashlib
import json
import math
from decimal import Decimal
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from evalaction.values import MAX_DEPTH, InvalidJSON, Number, canonical, dumps, parse, parse_prefix, plain, sha256

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
PLAIN_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | DOUBLES | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN_JSON)
def test_canonical__rfc8785(value: Any) -> None:
    """Where every number is a double, the canonical bytes are those of RFC 8785."""
    assert rfc8785.dumps(value) == canonical(parse(json.dumps(value)))


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("333333333.3333333", "333333333.3333333"),
        ("333333333.33333329", "333333333.33333329"),
        ("1E30", "1e+30"),
        ("4.50", "4.5"),
        ("2e-3", "0.002"),
        ("0.000000000000000000000000001", "1e-27"),
        ("1e21", "1e+21"),
        ("123456789012345680000", "123456789012345680000"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("9007199254740993", "9007199254740993"),
        ("18446744073709551617", "18446744073709551617"),
        ("1e400", "1e400"),
        ("1e-400", "1e-400"),
        (f"{'1' * 3_999}0", f"{'1' * 3_999}0"),
        ("15e400", "15e400"),
        ("1.5e-400", "15e-401"),
        ("184467440737095516200000", "184467440737095516200000"),
        ("1844674407370955162e5", "184467440737095516200000"),
        (f"9{'0' * 39}1{'0' * 40}", f"9{'0' * 39}1{'0' * 40}"),
        (f"9{'0' * 39}1{'0' * 41}", f"9{'0' * 39}1e41"),
        ("0.1234567890123456789", "0.1234567890123456789"),
        ("-0.00000123456789012345678900", "-0.000001234567890123456789"),
        ("1234567890123456789e-26", "1234567890123456789e-26"),
        ("123456789012345678901234567890.50", "123456789012345678901234567890.5"),
    ],
)
def test_canonical__numbers(number: str, expected: str) -> None:
    """A number is written as RFC 8785 has it, save one that no double holds: that one keeps all its digits."""
    assert expected == dumps(parse(number))


def test_canonical__rfc_example() -> None:
    """Keys are sorted by UTF-16 code units, and strings escaped as RFC 8785 (3.2.3) shows."""
    keys = '"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7'
    text = f'{{{keys},"s":"\\u20ac$\\u000F\\nA\'\\"\\\\\\"/"}}'
    expected = '{"\\r":2,"1":4,"s":"€$\\u000f\\nA\'\\"\\\\\\"/","\x80":6,"ö":7,"€":1,"😀":5,"\ufb33":3}'
    assert expected.encode() == canonical(parse(text))


EQUAL = [
    ('{"n": 100}', '{"n": 1e2}'),
    ('{"n": 100}', '{"n": 100.0}'),
    ('{"n": 0}', '{"n": -0}'),
    ('{"n": 0}', '{"n": -0.0e7}'),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
    ("[1.50]", "[1.5]"),
    ("[15e-1]", "[0.15E1]"),
    ('["\\u00e9"]', '["é"]'),
]
DIFFERENT = [
    ('{"n": 1}', '{"n": true}'),
    ('{"n": 0}', '{"n": false}'),
    ("[0]", "[false]"),
    ('{"n": 0}', '{"n": null}'),
    ('{"n": 1}', '{"n": "1"}'),
    ('{"id": 9007199254740993}', '{"id": 9007199254740992}'),
    ('{"id": 18446744073709551616}', '{"id": 18446744073709551617}'),
    ("[1, 2]", "[2, 1]"),
    ('{"a": null}', "{}"),
    ("[0.1]", "[0.1000000000000000055511151231257827]"),
    ('["é"]', '["e\u0301"]'),
]


@pytest.mark.parametrize("around", ["%s", "[%s]", '{"x": [%s]}'])
@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_canonical__equal(one: str, other: str, around: str) -> None:
    """Equal by value is equal in bytes, however deep it stands."""
    assert canonical(parse(around % one)) == canonical(parse(around % other))


@pytest.mark.parametrize("around", ["%s", "[%s]", '{"x": [%s]}'])
@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_canonical__different(one: str, other: str, around: str) -> None:
    """What differs by value or by type differs in bytes, however deep it stands."""
    assert canonical(parse(around % one)) != canonical(parse(around % other))


@given(st.decimals(allow_nan=False, allow_infinity=False), st.decimals(allow_nan=False, allow_infinity=False))
def test_canonical__exact(one: Decimal, other: Decimal) -> None:
    """Two numbers have the same bytes exactly when they have the same value."""
    assert (one == other) == (canonical(parse(f"{one:e}")) == canonical(parse(f"{other:e}")))


@given(PLAIN_JSON)
def test_canonical__read_back(value: Any) -> None:
    """Reading canonical text and writing it again changes nothing."""
    text = dumps(parse(json.dumps(value)))
    assert text == dumps(parse(text))


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("", "Expecting value", 0),
        ("{} {}", "there is more after the JSON value", 3),
        ("NaN", "NaN is not JSON", 0),
        ("[1, -Infinity]", "-Infinity is not JSON", 0),
        ('{"a": 1, "b": 2, "a": 1}', 'the key "a" stands twice in one object', 0),
        ('"\\ud800"', "half of a surrogate pair in a string", 0),
        ('{"\ud800": 1}', "half of a surrogate pair in a string", 0),
        ("\ufeff1", "Expecting value", 0),
        ("\u00a01", "Expecting value", 0),
        ("1" * 4_001, "a number of 4,001 characters", 0),
        ("0." + "1" * 4_000, "a number of 4,002 characters", 0),
        ("1e9999999999", "a number out of range: 1e9999999999", 0),
        ("[" * 201 + "]" * 201, "nested too deeply", 0),
        ("[" * 100_000, "nested too deeply", 0),
        (" [nul]", "Expecting value", 2),
        ("01", "there is more after the JSON value", 1),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_parse__refused(text: str, message: str, position: int) -> None:
    """Whatever is not one strict JSON value within the limits is refused, with cause and place."""
    with pytest.raises(InvalidJSON) as error:
        parse(text)
    assert (message, position) == (str(error.value), error.value.position)


def test_parse__depth() -> None:
    """Nesting to the limit itself is read."""
    text = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert text == dumps(parse(text))


@pytest.mark.parametrize("deeper", [1, 20])
def test_parse__deeper(deeper: int) -> None:
    """Another limit holds in place of the usual one, to the level."""
    text = "[" * (MAX_DEPTH + deeper) + "]" * (MAX_DEPTH + deeper)
    assert text == dumps(parse(text, depth=MAX_DEPTH + deeper))
    with pytest.raises(InvalidJSON, match="nested too deeply"):
        parse(text, depth=MAX_DEPTH + deeper - 1)


def test_parse__wide() -> None:
    """Many brackets side by side are no nesting."""
    text = "[" + ",".join(["[]"] * 1_000) + "]"
    assert text == dumps(parse(text))


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [("100.0", 100, int), ("1e2", 100, int), ("-0.0", 0, int), ("19.5", Decimal("19.5"), Number), ("true", True, bool)],
)
def test_parse__numbers(text: str, value: Any, kind: type) -> None:
    """An integral number is an int, whatever its form; any other is a decimal that keeps its digits."""
    found = parse(text)
    assert (value, kind) == (found, type(found))


def test_number__repr() -> None:
    """A number shows itself as it stands in JSON."""
    assert repr(parse("[19.50, 1e-7]")) == "[19.5, 1e-7]"


@pytest.mark.parametrize(
    ("text", "start", "value", "end"), [('x {"a": 1} y', 2, {"a": 1}, 10), ("1,2", 2, 2, 3), ("[]]", 0, [], 2)]
)
def test_parse_prefix(text: str, start: int, value: Any, end: int) -> None:
    """The value that begins at a place is read, and what follows it is left alone."""
    assert (value, end) == parse_prefix(text, start)


def test_parse_prefix__place_of_fault() -> None:
    """A fault without a place of its own is placed where the value begins."""
    with pytest.raises(InvalidJSON) as error:
        parse_prefix('say {"a": 1, "a": 2}', 4)
    assert error.value.position == 4


def test_parse_prefix__limits_of_the_value() -> None:
    """What stands around a value counts for none of its limits."""
    text = "[" * 300 + '"\ud800" {"a": 1}'
    assert parse_prefix(text, text.index("{")) == ({"a": 1}, len(text))


def test_plain() -> None:
    """Only numbers that are not integral become floats."""
    found = plain(parse('{"a": [1.5, 2, true, null, "x"], "b": 9007199254740993}'))
    assert found == {"a": [1.5, 2, True, None, "x"], "b": 9007199254740993}
    assert [float, int, bool] == [type(item) for item in found["a"][:3]]


@given(DOUBLES)
def test_plain__doubles(number: float) -> None:
    """A double comes back as itself."""
    assert math.isclose(plain(parse(repr(number))), number, rel_tol=0, abs_tol=0)


def test_sha256() -> None:
    """It is SHA-256 in hex."""
    assert hashlib.sha256(b"abc").hexdigest() == sha256(b"abc")
