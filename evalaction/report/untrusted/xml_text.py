"""Untrusted text in XML: well-formed whatever the text, and told back by every reader as it was shown.

Pure. XML 1.0 can hold no control character but tab, line feed and carriage return, no half of a surrogate pair, and
neither U+FFFE nor U+FFFF, not even as a reference (https://www.w3.org/TR/xml/#charsets). All of these cannot be seen
either, and are shown by their numbers; so is a carriage return, which readers take for a line feed.
"""

from __future__ import annotations

from evalaction.report.untrusted.shown import visible

# ">" as well: "]]>" must not stand in character data.
_TEXT = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
# Readers make spaces of raw line feeds and tabs in an attribute; references stay what they are.
_ATTRIBUTE = {**_TEXT, ord('"'): "&quot;", ord("'"): "&#39;", ord("\n"): "&#10;", ord("\t"): "&#9;"}


def xml_text(text: str) -> str:
    """Return ``text`` as the character data of an element; line feeds and tabs stay."""
    return visible(text).translate(_TEXT)


def xml_attribute(text: str) -> str:
    """Return ``text`` as the value of an attribute, for within quotation marks of either kind."""
    return visible(text).translate(_ATTRIBUTE)
