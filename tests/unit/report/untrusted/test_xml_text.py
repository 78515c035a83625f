"""Untrusted text in XML."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from support.hostile import HOSTILE, texts

from evalaction.report.untrusted import visible, xml_attribute, xml_text


def read(text: str) -> ET.Element:
    """Return an element that shows ``text`` in both kinds of place, and once more with the other quotation marks."""
    source = f"<a b=\"{xml_attribute(text)}\" c='{xml_attribute(text)}'>{xml_text(text)}<d/>{xml_text(text)}</a>"
    return ET.fromstring(source.encode())  # noqa: S314 - see above


@pytest.mark.parametrize("text", HOSTILE)
def test_xml__hostile(text: str) -> None:
    """Texts that broke out elsewhere are what an XML reader reads."""
    element = read(text)
    shown = visible(text)

    assert element.attrib == {"b": shown, "c": shown}
    assert [(element.tag, element.text or ""), *((child.tag, child.tail or "") for child in element)] == [
        ("a", shown),
        ("d", shown),
    ]


@given(texts())
def test_xml__any_text(text: str) -> None:
    """Whatever the text, the document is well-formed, has the same nodes, and says what is shown elsewhere."""
    element = read(text)
    shown = visible(text)

    assert (element.attrib, element.text or "", [child.tag for child in element]) == (
        {"b": shown, "c": shown},
        shown,
        ["d"],
    )


@pytest.mark.parametrize(
    ("text", "content", "attribute"),
    [
        ("plain é 測 ✅", "plain é 測 ✅", "plain é 測 ✅"),
        ("", "", ""),
        ("a\n\tb", "a\n\tb", "a&#10;&#9;b"),
        ("a\r\nb", "a⟨U+000D⟩\nb", "a⟨U+000D⟩&#10;b"),
        ("<&>\"'", "&lt;&amp;&gt;\"'", "&lt;&amp;&gt;&quot;&#39;"),
        ("]]>", "]]&gt;", "]]&gt;"),
        ("&#0; &amp;", "&amp;#0; &amp;amp;", "&amp;#0; &amp;amp;"),
        ("\x00\x0b\ufffe\uffff\ud800\udfff", *["⟨U+0000⟩⟨U+000B⟩⟨U+FFFE⟩⟨U+FFFF⟩⟨U+D800⟩⟨U+DFFF⟩"] * 2),
        ("\U0001fffe\U0010ffff", "\U0001fffe\U0010ffff", "\U0001fffe\U0010ffff"),
        ("\x85\u2028\u202e", "⟨U+0085⟩⟨U+2028⟩⟨U+202E⟩", "⟨U+0085⟩⟨U+2028⟩⟨U+202E⟩"),
    ],
)
def test_xml__table(text: str, content: str, attribute: str) -> None:
    """Marks of XML are entities, and what XML cannot hold, or nobody can see, is shown by its number."""
    assert (xml_text(text), xml_attribute(text)) == (content, attribute)


def test_xml__every_character_that_xml_refuses() -> None:
    """No character is left that XML 1.0 has no place for."""
    allowed = [(0x9, 0xA), (0xD, 0xD), (0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF)]
    refused = [code for code in range(0x110000) if not any(first <= code <= last for first, last in allowed)]

    assert {code: xml_text(chr(code)) for code in refused} == {code: f"⟨U+{code:04X}⟩" for code in refused}
