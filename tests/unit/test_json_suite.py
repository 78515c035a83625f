"""The public JSON parsing test suite against the strict reader of golden files and completions."""

from __future__ import annotations

import pytest
from fuzz import strict
from support.json_suite import parsing

from evalaction.answer.json_text import read_json
from evalaction.answer.reading import Extraction, Unreadable
from evalaction.errors import BadInput
from evalaction.suite.lines import decode
from evalaction.values import InvalidJSON, canonical, dumps, parse


def outcome(data: bytes) -> str:
    """Return the canonical text of the value that the bytes of a line hold, or why they hold none."""
    try:
        return dumps(parse(decode(data)))
    except (BadInput, InvalidJSON) as error:
        return f"refused: {error}"


TWICE = {"y_object_duplicated_key", "y_object_duplicated_key_and_value"}
"""The two departures from RFC 8259, which leaves open what a key that stands twice means: here it is no JSON."""
HALF = "refused: half of a surrogate pair in a string"
NOT_UTF_8 = "refused: Byte {} of the line is not UTF-8. Save the file as UTF-8."
CHOICES = {
    "i_number_double_huge_neg_exp": "[123456e-792]",
    "i_number_huge_exp": "refused: a number out of range: 0.4e006699999999999999999999999999999999",
    "i_number_neg_int_huge_exp": "[-1e9999]",
    "i_number_pos_double_huge_exp": "[15e9998]",
    "i_number_real_neg_overflow": "[-123123e100000]",
    "i_number_real_pos_overflow": "[123123e100000]",
    "i_number_real_underflow": "[123e-10000000]",
    "i_number_too_big_neg_int": "[-123123123123123123123123123123]",
    "i_number_too_big_pos_int": "[100000000000000000000]",
    "i_number_very_big_negative_int": "[-237462374673276894279832749832423479823246327846]",
    "i_object_key_lone_2nd_surrogate": HALF,
    "i_string_1st_surrogate_but_2nd_missing": HALF,
    "i_string_1st_valid_surrogate_2nd_invalid": HALF,
    "i_string_UTF-16LE_with_BOM": NOT_UTF_8.format(1),
    "i_string_UTF-8_invalid_sequence": NOT_UTF_8.format(8),
    "i_string_UTF8_surrogate_U+D800": NOT_UTF_8.format(3),
    "i_string_incomplete_surrogate_and_escape_valid": HALF,
    "i_string_incomplete_surrogate_pair": HALF,
    "i_string_incomplete_surrogates_escape_valid": HALF,
    "i_string_invalid_lonely_surrogate": HALF,
    "i_string_invalid_surrogate": HALF,
    "i_string_invalid_utf-8": NOT_UTF_8.format(3),
    "i_string_inverted_surrogates_U+1D11E": HALF,
    "i_string_iso_latin_1": NOT_UTF_8.format(3),
    "i_string_lone_second_surrogate": HALF,
    "i_string_lone_utf8_continuation_byte": NOT_UTF_8.format(3),
    "i_string_not_in_unicode_range": NOT_UTF_8.format(3),
    "i_string_overlong_sequence_2_bytes": NOT_UTF_8.format(3),
    "i_string_overlong_sequence_6_bytes": NOT_UTF_8.format(3),
    "i_string_overlong_sequence_6_bytes_null": NOT_UTF_8.format(3),
    "i_string_truncated-utf-8": NOT_UTF_8.format(3),
    "i_string_utf16BE_no_BOM": NOT_UTF_8.format(6),
    "i_string_utf16LE_no_BOM": NOT_UTF_8.format(5),
    "i_structure_500_nested_arrays": "refused: nested too deeply",
    "i_structure_UTF-8_BOM_empty_object": "refused: Expecting value",
}
"""What is made of the files that a parser may take or refuse: numbers keep their very value, limits are told."""


def test_json_suite__all_files() -> None:
    """The suite is here whole: 95 files to be accepted, 188 to be refused, 35 that are open."""
    assert {"y": 95, "n": 188, "i": 35} == {kind: len(parsing(kind)) for kind in "yni"}


@pytest.mark.parametrize(("name", "data"), parsing("y").items(), ids=parsing("y"))
def test_json_suite__accepted(name: str, data: bytes) -> None:
    """What has to be accepted is, with the value that a second reader sees; but for a key that stands twice."""
    if name in TWICE:
        assert outcome(data) == 'refused: the key "a" stands twice in one object'
        return
    value = parse(decode(data))
    assert strict.whole(data.decode()) == strict.plain(value)
    assert canonical(value) == canonical(parse(dumps(value)))


@pytest.mark.parametrize("data", parsing("n").values(), ids=parsing("n"))
def test_json_suite__refused(data: bytes) -> None:
    """What has to be refused is no line of a golden file, and no completion that is one JSON value."""
    assert outcome(data).startswith("refused: ")
    reading = read_json(data.decode("utf-8", "surrogateescape"))
    assert isinstance(reading, Unreadable) or reading.extraction is not Extraction.WHOLE


def test_json_suite__open() -> None:
    """What is open has one outcome, which does not change unnoticed."""
    assert {name: outcome(data) for name, data in parsing("i").items()} == CHOICES
