"""Untrusted text in JSON: nothing that cannot be seen, and no half of a surrogate pair, stands raw in a file.

Pure.
"""

from __future__ import annotations

from json.encoder import encode_basestring_ascii

from evalaction.report.untrusted.shown import replace_unseen


def json_string(text: str) -> str:
    """Return ``text`` as a JSON string in which nothing invisible, and no half of a surrogate pair, stands raw.

    A reader gets the very text back (JSON itself joins two halves that stand side by side).
    """
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    # Of ASCII the library's own writer, in C, escapes the same; these two it would write as \b and \f.
    if text.isascii() and "\b" not in text and "\f" not in text:
        return encode_basestring_ascii(text)
    inner = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    )
    return '"' + replace_unseen(inner, _unicode_escape) + '"'


def _unicode_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
