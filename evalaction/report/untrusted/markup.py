"""Untrusted text in Markdown and in HTML: only ever as code, so that nothing is made of it.

Pure. GitHub makes no mention, reference, link or image of what stands in code. HTML holds entities alone, and the
address of a link is percent-encoded, behind an address of ours.
"""

from __future__ import annotations

from urllib.parse import quote

from evalaction import late
from evalaction.report.untrusted.shown import EMPTY, INLINE, Phrase, cut, kept, line, phrase_line, visible

# The marks behind "#" are Markdown's: where it is read after all, none of them must reach beyond the closing tag.
_HTML = {ord(mark): f"&#x{ord(mark):x};" for mark in "&<>\"'@#\\`*[]|~$"}
_BACKTICKS = late.pattern("`+")
_SHORTEST_FENCE = 4
_LINK = late.pattern(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~/?=%-]*)?")
_PLACE = late.pattern(r"[A-Za-z0-9_-]+")
_ADDRESS = 1_000
"""Characters of an address beyond which there is no link: it would take the room of what is said."""


def code(text: str, limit: int = INLINE) -> str:
    """Return ``text`` as a Markdown code span on one line."""
    return _span(line(text, limit))


def _span(text: str) -> str:
    text = _no_comment(text) or EMPTY
    if not text.strip(" "):
        text = "␣" * len(text)
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text))) if "`" in text else 0


def _no_comment(text: str) -> str:
    # A marker of ours is looked for in the whole comment, code included.
    return text.replace("<!--", "‹!--")


def html_code(text: str, limit: int = INLINE) -> str:
    """Return ``text`` as ``<code>`` for a line of HTML, such as a ``<summary>``, in which Markdown is not read."""
    return f"<code>{(line(text, limit) or EMPTY).translate(_HTML)}</code>"


def fence(text: str, limit: int, language: str = "text") -> str:
    """Return ``text`` as a fenced block, followed by a line that says how much was cut, if anything was.

    Args:
        text: any text, of any number of lines.
        limit: characters beyond which it is cut, 1 or more.
        language: what GitHub colours it as, in our own words.
    """
    beginning = cut(text, limit)
    body = _no_comment(visible(beginning))
    ticks = "`" * max(_SHORTEST_FENCE, _longest_run(body) + 1)
    rest = len(text) - len(beginning)
    more = f"\n\n… and {rest:,} more character{'' if rest == 1 else 's'}." if rest else ""
    return f"{ticks}{language}\n{body}\n{ticks}{more}"


def markdown(phrase: Phrase) -> str:
    """Render a phrase as Markdown outside a table."""
    return "".join([part if isinstance(part, str) else _linked(_span(phrase_line(part)), part.page) for part in phrase])


def _linked(span: str, page: str | None) -> str:
    # A code span binds tighter than a link: no bracket in it ends the link's text.
    return span if page is None else f"[{span}]({page})"


def cell(phrase: Phrase) -> str:
    """Render a phrase as one cell of a Markdown table: no ``|`` in it ends the cell."""
    # GitHub takes the backslash away again before it reads the code span (GFM, "Tables").
    return markdown(phrase).replace("|", "\\|")


def html(phrase: Phrase) -> str:
    """Render a phrase for a line of HTML within Markdown."""
    return "".join([part if isinstance(part, str) else html_code(kept(part), part.limit) for part in phrase])


def link(label: str, address: str) -> str:
    """Return a Markdown link with our own label, or the address as code when it is no plain web address."""
    page, mark, place = address.partition("#")
    is_plain = _LINK.fullmatch(page) and (not mark or _PLACE.fullmatch(place))
    return f"[{label}]({address})" if is_plain else f"{label}: {code(address)}"


def file_page(root: str, path: str, line: int | None = None) -> str | None:
    """Return the address of a file's page on GitHub, or of one line of it; None when there is none to link to.

    Args:
        root: address of all files at one commit, ours: ``https://github.com/acme/evals/blob/<commit>``.
        path: in the repository. Untrusted text: whatever could mean something in an address is encoded.
        line: physical line, from 1.

    Returns:
        An address below ``root``. None when ``root`` is no plain web address, when ``path`` is none that a tree of
        git has (``..`` in it would lead the address elsewhere), or when the address would be too long.
    """
    if not _LINK.fullmatch(root) or not {"", ".", ".."}.isdisjoint(path.split("/")):
        return None
    try:
        name = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no file has a name that cannot be written
        return None
    address = f"{root}/{quote(name, safe='/')}{'' if line is None else f'#L{line}'}"
    return address if len(address) <= _ADDRESS else None
