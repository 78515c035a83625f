"""JSON objects that stand in prose: found in one pass, whole or not at all. Pure.

What stands inside other brackets is part of something else, and is never taken out of it: an inner object
of a broken one would be a value that the model did not give.
"""

from __future__ import annotations

from dataclasses import field
from itertools import accumulate, islice

from evalaction import late
from evalaction.answer.equality import normal
from evalaction.answer.squares import stands_free
from evalaction.frozen import mutable
from evalaction.values import JSON, InvalidJSON, canonical, parse_prefix

EFFORT = 10
"""Times the text's length that may be read for brackets that turn out to be prose: keeps the time linear."""

MAX_VALUES = 10_000
"""Objects and arrays, and brackets that look like them, beyond which a text is refused."""

_BLANKS = r"[ \t\r\n]*+"
_VALUE = late.pattern(rf'\{{(?={_BLANKS}["}}])|\[(?={_BLANKS}(?:["{{\[\]0-9-]|true\b|false\b|null\b))')
_BRACES = late.pattern(r"[{}]")
_STEP = {"{": 1, "}": -1}
_FAR = 4_096
"""Characters read for one value from which on telling where it failed counts: it takes the length of all before."""
_LINES_PER_VALUE = 100
"""Times faster that lines are counted than JSON is read."""
_DEFINITE_ARRAY = late.pattern(r'\[[ \t\r\n\[]{0,200}+(?:"|\{[ \t\r\n]*["}])')
"""An array that begins with a string or an object: no citation mark, no range, no link."""

_MARK = late.pattern(r"\[(?:[0-9]{1,3}| )\]")
"""A citation mark, or an empty check box."""


@mutable
class Found:
    """What a text holds of JSON values; filled while it is searched."""

    distinct: dict[bytes, JSON] = field(default_factory=dict)
    """Canonical bytes of the normal form → value; two at most: the second decides that there is no answer."""
    fault: InvalidJSON | None = None
    """Something that begins as JSON and is not."""
    enclosed: bool = False
    """An object stands inside other brackets."""
    mark: str = ""
    """An array that does not count, since it is written like a citation mark or an empty check box."""

    def add(self, value: JSON) -> None:
        """Keep ``value``, unless an equal one is kept already."""
        self.distinct.setdefault(canonical(normal(value)), value)

    def merge(self, other: Found) -> None:
        """Keep what ``other`` found, after what was found before."""
        self.distinct = {**self.distinct, **other.distinct}
        self.fault = self.fault or other.fault
        self.enclosed = self.enclosed or other.enclosed
        self.mark = self.mark or other.mark

    @property
    def values(self) -> list[JSON]:
        """The values that differ."""
        return list(self.distinct.values())

    @property
    def decided(self) -> bool:
        """Whether nothing that follows can lead to an answer."""
        return self.fault is not None or len(self.distinct) > 1


def scan(text: str, *, arrays: bool) -> Found:
    """Look for JSON objects in ``text``.

    ``{`` before a quotation mark or ``}`` begins an object; one that then does not parse is a fault, and
    so are braces that do not match beside an object. Any other ``{`` is prose (``{name}``, a set, code).

    Args:
        text: prose, perhaps with JSON in it.
        arrays: an array counts too, but for what is written like a citation mark (``[1]``) or an empty check box beside
            other text; otherwise one is skipped with all that it holds.
    """
    is_mark = None if _MARK.fullmatch(text.strip()) else _MARK
    found, braces = Found(), _Braces(text)
    standing: list[tuple[int, int, bool]] = []
    spent = values = position = 0
    while not found.decided and (match := _VALUE.search(text, position)):
        start, position = match.start(), match.end()
        braces.pass_over(start, found)
        values += 1
        if values > MAX_VALUES:
            found.fault = InvalidJSON(f"more than {MAX_VALUES:,} JSON values in one text", start)
        if found.decided:
            break
        try:
            value, position = parse_prefix(text, start)
        except InvalidJSON as error:
            spent += _effort(text, start, error)
            holds_object = "{" in text[start : error.position]
            if match.group() == "{" or holds_object or _DEFINITE_ARRAY.match(text, start) or spent > EFFORT * len(text):
                found.fault = error
            continue
        braces.position = position
        if is_mark and (mark := is_mark.fullmatch(text, start, position)):
            found.mark = found.mark or mark.group()
            standing.append((start, position, False))
            continue
        counts = _keep(found, value, outermost=braces.depth == 0, arrays=arrays)
        standing.append((start, position, counts))
    if not found.decided:
        braces.pass_over(len(text), found)
    if braces.depth and found.distinct and not found.fault:
        found.fault = InvalidJSON("an opening brace without its closing one", len(text))
    if found.distinct and not found.decided:
        _heed_squares(text, standing, found)
    return found


def _heed_squares(text: str, standing: list[tuple[int, int, bool]], found: Found) -> None:
    try:
        free = stands_free(text, standing)
    except InvalidJSON as error:
        found.fault = error
        return
    if not free:
        found.distinct, found.enclosed = {}, True


def _effort(text: str, start: int, error: InvalidJSON) -> int:
    """Return what a value that failed took to read, in characters.

    Where it is beyond a limit, its error stands at its start: all of the rest may have been read.
    """
    read = error.position - start or len(text) - start
    return read + (error.position // _LINES_PER_VALUE if read > _FAR else 0)


class _Braces:
    """The braces of a text that are no JSON, counted up to a place in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0

    def pass_over(self, end: int, found: Found) -> None:
        """Count the braces up to ``end``; one that closes nothing, behind a value, is a fault."""
        text, start, self.position = self.text, self.position, end
        closing = text.count("}", start, end)
        opening = text.count("{", start, end)
        if not closing or (not opening and not found.distinct):
            self.depth = max(self.depth + opening - closing, 0)
            return
        # Depths as they were without the rule that none is below 0; that rule lifts all that follow.
        depths = list(accumulate((_STEP[brace] for brace in _BRACES.findall(text, start, end)), initial=self.depth))
        lowest = min(depths)
        if lowest < 0 and found.distinct and not found.fault:
            index = depths.index(-1) - 1
            place = next(islice(_BRACES.finditer(text, start, end), index, None)).start()
            found.fault = InvalidJSON("a closing brace without its opening one", place)
        self.depth = depths[-1] - min(lowest, 0)


def _keep(found: Found, value: JSON, *, outermost: bool, arrays: bool) -> bool:
    """Keep a value that counts; return whether it does."""
    if outermost and (arrays or isinstance(value, dict)):
        found.add(value)
        return True
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value)):
        found.enclosed = True
    return False
