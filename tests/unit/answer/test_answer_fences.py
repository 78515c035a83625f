"""Fenced blocks, found as CommonMark finds them."""

from __future__ import annotations

import pytest

from evalaction.answer.fences import find_fences


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("no fence", []),
        ("```json\nx\n```", [("json", "\nx\n")]),
        ("```JSON title\nx\n```", [("json", "\nx\n")]),
        ("````\n```\nx\n```\n````", [("", "\n```\nx\n```\n")]),
        ("~~~\n```\n~~~", [("", "\n```\n")]),
        ("```\nx\n``` y\n```", [("", "\nx\n``` y\n")]),
        ("```\nx\n`````  \n", [("", "\nx\n")]),
        ("a ``` b\n", []),
        ("``` a ` b\nx", []),
        ("~~~ a ` b\nx", [("a", "\nx")]),
        ('```json {"a": 1}\n', [("json", '{"a": 1}\n')]),
        ('```json{\n"a": 1}\n```', [("json", '{\n"a": 1}\n')]),
        ('~~~ [ {"a": 1}\n]\n~~~', [("", '[ {"a": 1}\n]\n')]),
        ('```json {"a": 1} ```\nb', []),
        ('```json {"a": "`"}\r\n```', [("json", '{"a": "`"}\r\n')]),
        ('```py title="x"\ny\n```\nz', [("py", "\ny\n")]),
        ("```py {1,3} [a]\ny\n```", [("py", "\ny\n")]),
        ("```{.py}\ny\n```", [("{.py}", "\ny\n")]),
        ("``\nx\n``", []),
        ("```\n```", [("", "\n")]),
        ("  ```r\nx", [("r", "\nx")]),
        ("```a\r\nx\r\n```\r\n", [("a", "\nx\r\n")]),
    ],
)
def test_find_fences(text: str, blocks: list[tuple[str, str]]) -> None:
    """A block runs from its opening line, or JSON on it, to a closing one at least as long, or to the text's end."""
    found = [(fence.language, text[slice(*fence.inner)]) for fence in find_fences(text)]
    assert [(language, content.lstrip("\r")) for language, content in blocks] == found


def test_find_fences__places() -> None:
    """The outer span covers both fence lines, the inner one what stands between them."""
    text = "a\n```x\nb\n```\nc"
    (fence,) = find_fences(text)
    assert (text[slice(*fence.outer)], text[slice(*fence.inner)]) == ("```x\nb\n```", "\nb\n")
