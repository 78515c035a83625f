"""Untrusted text made safe for every place it is shown in: the one module that knows how.

Pure. Whatever a model, a golden file, git or a pull request wrote goes through here: into Markdown only
as code, where GitHub makes no mention, reference, link or image of it; into HTML only as ``<code>`` with
entities; into the address of a link only percent-encoded, behind an address of ours; into a log, a terminal or an
outputs file as one visible line. What cannot be seen (control, bidirectional and zero-width characters, halves of
surrogate pairs) is shown by its number: ⟨U+202E⟩.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote

EMPTY = "⟨empty⟩"
"""Shown in place of no text at all, since a code span cannot be empty."""
INLINE = 200
"""Characters of one inline text beyond which it is cut, unless a place asks for less."""

_EMOJI = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
# The two exceptions are what emoji are made of: a variation selector behind a symbol, a joiner between two.
_UNSEEN = re.compile(
    rf"(?<![{_EMOJI}])[\ufe0e\ufe0f]"
    rf"|(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])"
    r"|[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    r"\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\ud800-\udfff\ufdd0-\ufdef\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# The marks behind "#" are Markdown's: where it is read after all, none of them must reach beyond the closing tag.
_HTML = {ord(mark): f"&#x{ord(mark):x};" for mark in "&<>\"'@#\\`*[]|~$"}
_BACKTICKS = re.compile("`+")
_SHORTEST_FENCE = 4
_ZERO_WIDTH_JOINER = "\u200d"
_LINK = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~/?=%-]*)?")
_PLACE = re.compile(r"[A-Za-z0-9_-]+")
_ADDRESS = 1_000
"""Characters of an address beyond which there is no link: it would take the room of what is said."""
_DIFFERENT_MARKS = str.maketrans({"\n": "⏎", "\t": "⇥"})
_DATA = {ord(mark): f"%{ord(mark):02X}" for mark in "%\r\n"}
_PROPERTY = {ord(mark): f"%{ord(mark):02X}" for mark in "%\r\n:,"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Quoted:
    """A piece of untrusted text within a sentence of ours."""

    text: str
    limit: int = INLINE
    """Characters beyond which it is cut."""
    keep_end: bool = False
    """Cut the beginning rather than the end: for paths."""
    page: str | None = None
    """Address that a comment's Markdown links it to, of ``file_page``; None for none."""


Phrase: TypeAlias = "tuple[str | Quoted, ...]"
"""A sentence: our own plain words, with untrusted text between them."""


def quoted(text: str, limit: int = INLINE) -> Quoted:
    """Mark ``text`` as untrusted within a phrase."""
    return Quoted(text=text, limit=limit)


def cut(text: str, limit: int) -> str:
    """Return the beginning of ``text``, ``limit`` characters at most, without splitting what is one sign to a reader.

    Args:
        text: any text.
        limit: 1 or more.
    """
    if len(text) <= limit:
        return text
    end = limit
    while end and _continues(text, end):
        end -= 1
    return text[: end or limit]


def _continues(text: str, index: int) -> bool:
    """Return whether the character at ``index`` belongs to the sign before it."""
    before, here = text[index - 1], text[index]
    if _ZERO_WIDTH_JOINER in {before, here} or unicodedata.category(here)[0] == "M":
        return True
    if "\U0001f1e6" <= here <= "\U0001f1ff":  # flags are pairs of these, so an odd number before makes this a second
        start = index
        while start and "\U0001f1e6" <= text[start - 1] <= "\U0001f1ff":
            start -= 1
        return (index - start) % 2 == 1
    return (
        "\U0001f3fb" <= here <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= here <= "\U000e007f"  # the tags of a flag
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= here <= "\udfff")
        or (before == "\r" and here == "\n")
    )


def shorten(text: str, limit: int) -> str:
    """Return ``text`` with its end cut to ``limit`` characters, and ``…`` in place of what was cut."""
    return text if len(text) <= limit else cut(text, limit - 1) + "…"


def shorten_start(text: str, limit: int) -> str:
    """Return ``text`` with its beginning cut to ``limit`` characters, and ``…`` in place of what was cut."""
    if len(text) <= limit:
        return text
    start = len(text) - limit + 1
    while start < len(text) and _continues(text, start):
        start += 1
    return "…" + text[start:]


def visible(text: str) -> str:
    """Return ``text`` with everything that cannot be seen shown by its number; line feeds and tabs stay."""
    return _UNSEEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def line(text: str, limit: int = INLINE) -> str:
    """Return ``text`` as one visible line: for a terminal, a log, a one-line value."""
    return visible(shorten(text, limit).translate(_DIFFERENT_MARKS))


def log_line(text: str) -> str:
    """Return a whole log line, our words and visible text, that a runner takes for no workflow command.

    A runner looks for ``::`` at the start of a line, white space skipped, and for ``##[`` anywhere in it.
    """
    safe = visible(text).replace("\n", "⏎").replace("##[", "## [")
    return safe.replace("::", ": :", 1) if safe.lstrip().startswith("::") else safe


def command(name: str, text: str, properties: Mapping[str, str]) -> str:
    """Return a workflow command on one line, escaped as GitHub's toolkit does it.

    Args:
        name: of the command, ours.
        text: its message; what cannot be seen is shown by its number, and line feeds and tabs by marks.
        properties: values by name, shown alike. Empty ones are left out; so is one that begins with ``=``, which
            the runner would take away and read as another value.
    """
    said = ",".join(
        f"{key}={_message(value).translate(_PROPERTY)}"
        for key, value in properties.items()
        if value and not value.startswith("=")
    )
    return f"::{name}{' ' if said else ''}{said}::{_message(text).translate(_DATA)}"


def _message(text: str) -> str:
    return visible(text.translate(_DIFFERENT_MARKS)).replace("##[", "## [")


def mask_command(secret: str) -> str:
    """Return the workflow command that has a runner put ``***`` in place of ``secret``, to the letter."""
    return f"::add-mask::{secret.translate(_DATA)}"


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
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _no_comment(text: str) -> str:
    # A marker of ours is looked for in the whole comment, code included.
    return text.replace("<!--", "‹!--")


def html_code(text: str, limit: int = INLINE) -> str:
    """Return ``text`` as ``<code>`` for a line of HTML, such as a ``<summary>``, in which Markdown is not read."""
    return f"<code>{(line(text, limit) or EMPTY).translate(_HTML)}</code>"


def fence(text: str, limit: int) -> str:
    """Return ``text`` as a fenced block, followed by a line that says how much was cut, if anything was.

    Args:
        text: any text, of any number of lines.
        limit: characters beyond which it is cut, 1 or more.
    """
    kept = cut(text, limit)
    body = _no_comment(visible(kept))
    ticks = "`" * max(_SHORTEST_FENCE, _longest_run(body) + 1)
    rest = len(text) - len(kept)
    more = f"\n\n… and {rest:,} more character{'' if rest == 1 else 's'}." if rest else ""
    return f"{ticks}text\n{body}\n{ticks}{more}"


def markdown(phrase: Phrase) -> str:
    """Render a phrase as Markdown outside a table."""
    return "".join([part if isinstance(part, str) else _linked(_span(_line(part)), part.page) for part in phrase])


def _linked(span: str, page: str | None) -> str:
    # A code span binds tighter than a link: no bracket in it ends the link's text.
    return span if page is None else f"[{span}]({page})"


def cell(phrase: Phrase) -> str:
    """Render a phrase as one cell of a Markdown table: no ``|`` in it ends the cell."""
    # GitHub takes the backslash away again before it reads the code span (GFM, "Tables").
    return markdown(phrase).replace("|", "\\|")


def html(phrase: Phrase) -> str:
    """Render a phrase for a line of HTML within Markdown."""
    return "".join([part if isinstance(part, str) else html_code(_cut(part), part.limit) for part in phrase])


def plain(phrase: Phrase) -> str:
    """Render a phrase for a terminal or a log."""
    return "".join([part if isinstance(part, str) else _line(part) or EMPTY for part in phrase])


def _cut(part: Quoted) -> str:
    return shorten_start(part.text, part.limit) if part.keep_end else part.text


def _line(part: Quoted) -> str:
    return line(_cut(part), part.limit)


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


def json_string(text: str) -> str:
    """Return ``text`` as a JSON string in which nothing invisible, and no half of a surrogate pair, stands raw.

    A reader gets the very text back (JSON itself joins two halves that stand side by side).
    """
    inner = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    )
    return '"' + _UNSEEN.sub(lambda match: _unicode_escape(match[0]), inner) + '"'


def _unicode_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def output_entry(name: str, value: str, delimiter: str) -> str:
    """Return one entry of GITHUB_OUTPUT.

    Args:
        name: documented name of the output.
        value: what it is to hold; what cannot be seen is shown by its number.
        delimiter: random text that cannot be foreseen.

    Raises:
        ValueError: the delimiter stands in the value.
    """
    shown = visible(value)
    if delimiter in shown:
        raise ValueError("the delimiter stands in the value")
    return f"{name}<<{delimiter}\n{shown}\n{delimiter}\n"
