"""Untrusted text as the name of a file."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.hostile import HOSTILE, texts

from evalaction.report.untrusted import MAX_NAME, file_name

DIGITS = "[0-9a-f]{32}"
RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("total_line_v2", "total_line_v2.json"),
        ("a.b-c_d.1", "a.b-c_d.1.json"),
        ("0", "0.json"),
    ],
)
def test_file_name__plain(text: str, expected: str) -> None:
    """A text that can be the name of a file everywhere is its name."""
    assert file_name(text, ".json") == expected


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("Invoice 12", "invoice-12-"),
        ("golden/invoices.golden.jsonl", "golden-invoices-golden-jsonl-"),
        ("../../etc/passwd", "etc-passwd-"),
        ("..", ""),
        (".", ""),
        ("", ""),
        ("/", ""),
        ("測試", ""),
        ("Straße & Café", "strasse-cafe-"),
        ("con", "con-"),
        ("nul.json", "nul-json-"),
        ("COM1", "com1-"),
        ("com\u00b9", "com1-"),
        ("name.", "name-"),
        ("name ", "name-"),
        (".hidden", "hidden-"),
        ("-rf", "rf-"),
        ("_", ""),
        ("-_a_-", "a-"),
        ("a:b", "a-b-"),
        ("a\\b", "a-b-"),
        ("a\0b\nc\u202ed", "a-b-c-d-"),
        ("half \ud83d", "half-"),
        ("x" * 121, "x" * 87 + "-"),
        ("測" * 200 + "z", "z-"),
        ("0123456789abcdef" * 2, "0123456789abcdef" * 2 + "-"),
        ("a-" + "0123456789abcdef" * 2, "a-" + "0123456789abcdef" * 2 + "-"),
    ],
)
def test_file_name__told_apart(text: str, readable: str) -> None:
    """Any other text is told apart by digits behind what can be read of it."""
    assert re.fullmatch(re.escape(readable) + DIGITS, file_name(text)), file_name(text)


@example("a" * 121)
@example("con")
@given(st.one_of(texts(40), st.text("abc.-_ A", max_size=130)))
def test_file_name__portable(text: str) -> None:
    """Whatever the text, its name is one segment, within bounds, and no system has another use for it."""
    name = file_name(text, ".html")

    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]*\.html", name)
    assert 1 <= len(name.encode()) <= MAX_NAME
    assert (Path(name).name, RESERVED.fullmatch(name), ".." in Path(name).parts) == (name, None, False)
    assert name == unicodedata.normalize("NFC", name).casefold()


@pytest.mark.parametrize("suffix", ["", ".json"])
def test_file_name__no_two_share_one(suffix: str) -> None:
    """Texts that look alike, differ in case or in form, or are cut alike, have names of their own."""
    plain = ["a", "b", "a-b", "a.b", "a_b", "x" * 100, "x" * 101, *(text for text in HOSTILE if text)]
    alike = [
        "A",
        "a ",
        " a",
        "a/b",
        "a b",
        "a\\b",
        "é",
        "e\u0301",
        "\u00e9.",
        "\u212b",
        "\xc5",
        "A\u030a",
        "\uff41",
        "",
        ".",
    ]
    long = ["x" * size for size in range(110, 130)] + ["y" * 500 + sign for sign in "abAB"]
    some = {*plain, *alike, *long}
    some |= {file_name(text) for text in some}

    assert len({file_name(text, suffix) for text in some}) == len(some)


@given(texts(), texts())
def test_file_name__two_texts(one: str, other: str) -> None:
    """Two different texts never have one name, not even where one of them is the other's name."""
    assert (file_name(one) == file_name(other)) == (one == other)
    assert (file_name(file_name(one)) == file_name(one)) == (file_name(one) == one)


@pytest.mark.parametrize("suffix", ["json", "..", "./x", ".a b", "." + "x" * 20, ".JSON"])
def test_file_name__suffix(suffix: str) -> None:
    """A suffix that is none is a mistake of ours."""
    with pytest.raises(ValueError, match=r"^the suffix is no suffix of a file's name$"):
        file_name("a", suffix)
