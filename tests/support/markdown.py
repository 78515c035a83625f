"""GitHub's own Markdown renderer, and what a test asks of its output."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.inside: list[str] = []
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in {"code", "pre"}
        self.tags.append(f"<{tag}{''.join(f' {name}={value!r}' for name, value in attrs)}>")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in {"code", "pre"}
        self.tags.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        (self.inside if self._code else self.outside).append(data)

    def handle_comment(self, data: str) -> None:
        self.tags.append(f"<!--{data}-->")


def render(text: str) -> str:
    """Return the HTML that GitHub makes of ``text``, before it sanitises it and links mentions outside code."""
    return str(cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE))


def tags(text: str) -> list[str]:
    """Return every tag and comment of the rendered text, in order."""
    return _read(text).tags


def outside_code(text: str) -> str:
    """Return what the rendered text says outside ``<code>`` and ``<pre>``, where GitHub links mentions."""
    return "\n".join(_read(text).outside)


def in_code(text: str) -> list[str]:
    """Return what the rendered text says in ``<code>`` and ``<pre>``."""
    return _read(text).inside


def _read(text: str) -> _Reader:
    reader = _Reader()
    reader.feed(render(text))
    reader.close()
    return reader


FORBIDDEN = re.compile(r"@[A-Za-z0-9]|#[0-9]|GH-[0-9]|\b[0-9a-f]{40}\b|github\.com/[^ ]+/issues/|https?://|www\.")
"""What GitHub would link outside code."""
