"""Reasoning that a model writes before its answer, such as ``<think>…</think>``: found and blanked out. Pure.

Blanked, not cut: every character after it keeps its place, so that an error can name it.
"""

from __future__ import annotations

import re

from evalaction import late
from evalaction.frozen import frozen
from evalaction.values import InvalidJSON, parse_prefix

_NAMES = "think|thinking|thought|thoughts|reasoning|scratchpad"
_ATTRIBUTES = r"""(?:\s+[\w:-]{1,40}=(?:"[^"<>]{0,200}"|'[^'<>]{0,200}'|[\w.-]{1,40})){0,5}"""
_SIGNS = "<[◁"
"""What every tag begins with."""
_FIRST = r"[<\[◁](?=[\sa-z/|])"
"""The same with what may follow: a class of characters, which the library looks for fast."""
OPEN = (
    rf"(?<=<)(?:\s*+(?:{_NAMES}|[a-z]{{1,20}}:(?:{_NAMES})){_ATTRIBUTES}\s*>"
    rf"|\|(?:(?:(?:start|begin)_(?:of_)?)?(?:{_NAMES})\|>|channel\|>analysis<\|message\|>|channel>thought\b)|unused94>)"
    r"|(?<=\[)THINK\]|(?<=◁)think▷"
)
CLOSE = (
    rf"(?<=<)(?:\s*+/\s*+(?:[a-z]{{1,20}}:)?(?:{_NAMES})\s*>"
    rf"|\|(?:(?:/|end_(?:of_)?)(?:{_NAMES})\|>|channel\|>final<\|message\|>)|channel\|>|unused95>)"
    r"|(?<=\[)/THINK\]|(?<=◁)/think▷"
)
"""How models and chat templates mark reasoning, in any case of letters, behind the first character.

A tag may have attributes, or a name space (``<seed:think>``).
"""
MAX_BROKEN = 64
"""Objects that do not parse, after which tags in strings are no longer looked out for: keeps the time linear."""
EFFORT = 4
"""Times the text's length that may be read for objects that do not parse, to the same end."""

_TAG = late.pattern(f"{_FIRST}(?:(?P<open>{OPEN})|(?P<close>{CLOSE}))", re.IGNORECASE)
_CLOSE = late.pattern(f"{_FIRST}(?:{CLOSE})", re.IGNORECASE)
_TAG_OR_OBJECT = late.pattern(
    rf'[<\[◁{{](?:(?P<open>{OPEN})|(?P<close>{CLOSE})|(?<=\{{)(?=[ \t\r\n]*["}}]))', re.IGNORECASE
)


@frozen
class Visible:
    """A completion without its reasoning."""

    text: str
    """As long as the completion; blanks stand where the reasoning stood."""
    removed: bool
    unclosed: bool = False
    """The reasoning has no end, so all that follows its start may be a draft."""
    start: int = 0
    """Index after the reasoning that nothing but blanks stands before; 0 without."""


def without_reasoning(text: str, *, in_json: bool) -> Visible:
    """Blank out the reasoning of a completion.

    An opening tag reaches to the next closing one. A closing tag without an opening one ends reasoning
    that began with the text, since some chat templates write the opening tag themselves.

    Args:
        text: the completion.
        in_json: a tag inside a JSON object of the text is part of a string, and stays.
    """
    # Looked for first, since most completions have none of these signs.
    if not any(sign in text for sign in _SIGNS) or _TAG.search(text) is None:
        return Visible(text=text, removed=False)
    blanks: list[tuple[int, int]] = []
    tokens, position, broken, spent = _TAG_OR_OBJECT if in_json else _TAG, 0, 0, 0
    while match := tokens.search(text, position):
        position = match.end()
        if match["open"]:
            end = _CLOSE.search(text, position)
            if end is None:
                return Visible(text=text, removed=True, unclosed=True)
            position = end.end()
            blanks.append((match.start(), position))
        elif match["close"]:
            blanks = [(0, position)]
        else:
            whole, after = _end_of_object(text, match.start())
            position = after if whole else position
            broken, spent = broken + (not whole), spent + (0 if whole else after - match.start())
            tokens = _TAG if broken == MAX_BROKEN or spent > EFFORT * len(text) else tokens
    rest = blank_out(text, blanks)
    first = len(rest) - len(rest.lstrip())
    start = max((end for _, end in blanks if end <= first), default=0)
    return Visible(text=rest, removed=bool(blanks), start=start)


def blank_out(text: str, spans: list[tuple[int, int]], *, by: str = " ") -> str:
    """Return ``text`` with the sign ``by`` all over the given spans (start, end), which are in order and apart."""
    parts, position = [], 0
    for start, end in spans:
        parts += [text[position:start], by * (end - start)]
        position = end
    return "".join([*parts, text[position:]])


def _end_of_object(text: str, start: int) -> tuple[bool, int]:
    """Return whether an object begins at ``start``, and the index after it, or up to which it was read."""
    try:
        return True, parse_prefix(text, start)[1]
    except InvalidJSON as error:
        return False, error.position if error.position > start else len(text)
