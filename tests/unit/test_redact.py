"""Secrets are taken out of everything, in every form, and nothing else is."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reports import case_result, everywhere, report, untrusted_everywhere

from evalaction.redact import Redactor, redact

KEY = "sk-test-AAAA1111BBBB2222"


@pytest.mark.parametrize(
    ("secret", "text", "expected"),
    [
        (KEY, f"bad key '{KEY}'", "bad key '‹redacted›'"),
        (f" {KEY}\n", f"Bearer {KEY}", "Bearer ‹redacted›"),
        (KEY, KEY.upper(), "‹redacted›"),
        ("p@ss/word 1", f"https://u:{quote('p@ss/word 1', safe='')}@h/", "https://u:‹redacted›@h/"),
        ("p@ss/word 1", "?key=p%40ss%2fword+1", "?key=‹redacted›"),
        ('quote"d\\x', json.dumps({"key": 'quote"d\\x'}), '{"key": "‹redacted›"}'),
        ("schlüssel", json.dumps("schlüssel"), '"‹redacted›"'),
        ("", "nothing", "nothing"),
        ("other", "nothing", "nothing"),
    ],
)
def test_text__forms(secret: str, text: str, expected: str) -> None:
    """A secret is found plain, trimmed, percent-encoded and escaped for JSON."""
    assert Redactor([secret]).text(text) == expected


def escaped(text: str, how: list[int]) -> str:
    """Spell each character of an ASCII text in one of four ways."""
    ways = ("{0}", "\\u{1:04x}", "\\u{1:04X}", "%{1:02X}")
    return "".join(ways[way].format(each, ord(each)) for each, way in zip(text, how, strict=True))


@given(st.lists(st.integers(0, 3), min_size=len(KEY), max_size=len(KEY)))
def test_text__any_spelling(how: list[int]) -> None:
    """A secret is found whichever of its characters are escaped, in a text that a reader would decode."""
    assert Redactor([KEY]).text(f"key: {escaped(KEY, how)}.") == "key: ‹redacted›."


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("p@ss/word", r"p@ss\/word"),
        ("p@ss/word", r"p@ss\\/word"),
        ('quote"d\\x', r"quote\"d\\x"),
        ("schlüssel\U0001f511", r"schl\u00FCssel\ud83d\udd11"),
        (KEY, KEY.replace("s", r"\\u0073")),
    ],
)
def test_text__escaped_for_json(secret: str, text: str) -> None:
    """Escapes that JSON allows and nobody needs hide nothing, nor does escaping twice."""
    assert Redactor([secret]).text(text) == "‹redacted›"


def test_text__the_longest_first() -> None:
    """A secret that begins another leaves no rest of it behind."""
    assert Redactor(["abcdefgh", "abcdefgh12345678"]).text("abcdefgh12345678") == "‹redacted›"


def test_redact__a_whole_report() -> None:
    """Every text of a report is redacted, keys of answers included, and every figure stays."""
    run = untrusted_everywhere(KEY)

    assert redact(run, [KEY]) == everywhere(run, KEY, "‹redacted›")


def test_redact__nothing_to_hide() -> None:
    """Without secrets a report is handed on as it is."""
    run = report(case_result("a", "A B"))

    assert redact(run, []) is run
    assert redact(run, ["not in there"]) == run
