"""Secrets are taken out of everything, in every form, and nothing else is."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reports import case_result, everywhere, report, untrusted_everywhere

from evalaction.records.gate import Verdict
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


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        (KEY, KEY.swapcase()),
        # What counts as one in any case of letters need not be of ASCII.
        ("kelvin-token-1", "\u212aelvin-token-1"),
        ("secret-token-1", "\u017fecret-token-1"),
        ("\u212aelvin-token-1", "kelvin-token-1"),
    ],
)
def test_text__any_case_of_letters(secret: str, text: str) -> None:
    """A secret is found in every case of its letters, with letters beside it that are of no alphabet's first 128."""
    redactor = Redactor([secret])

    assert [redactor.text(said) for said in (text, f"\u00e9 {text}", f"a {text} b")] == [
        "‹redacted›",
        "\u00e9 ‹redacted›",
        "a ‹redacted› b",
    ]


_LETTERS = st.text(alphabet="skSK-1\\%u04\u017f\u212a\u00df", max_size=8)


@given(_LETTERS, _LETTERS, st.lists(_LETTERS, max_size=3))
def test_text__the_short_way(secret: str, before: str, more: list[str]) -> None:
    """A text that is seen to hold no secret at a glance is one in which a search finds none."""
    quick, slow = Redactor([secret]), Redactor([secret])
    slow._needles = None  # noqa: SLF001 - so that it always searches

    for text in (before, secret, f"{before}{secret}", *more):
        assert quick.text(text) == slow.text(text)


def test_value__the_same_again() -> None:
    """What holds no secret stays the very same object, at every level, however often it is looked at."""
    run = report(case_result("a", "A B"), case_result(KEY, "A A", line=2))
    redactor = Redactor([KEY])

    for _ in range(2):
        made = redactor.value(run)
        kept, changed = made.cases
        assert (kept is run.cases[0], changed.planned.case.id) == (True, "‹redacted›")
        assert changed.draws[0].draw.reply is run.cases[1].draws[0].draw.reply


def test_value__every_kind() -> None:
    """Texts are found in lists, sets, mappings and what they are nested in; numbers and words of ours stay."""
    value = {KEY: [KEY, 1, None, (True, frozenset({KEY}))], "verdict": Verdict.PASS}

    assert redact(value, [KEY]) == {
        "‹redacted›": ["‹redacted›", 1, None, (True, frozenset({"‹redacted›"}))],
        "verdict": Verdict.PASS,
    }
