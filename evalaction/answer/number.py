"""The one number of a text, as an answer. Pure."""

from __future__ import annotations

import re
import unicodedata

from evalaction import late
from evalaction.answer.equality import normal
from evalaction.answer.plaintext import plain_text, quoted
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.records.case import Compare
from evalaction.suite.fields import cut
from evalaction.values import JSON, MAX_NUMBER_LENGTH, InvalidJSON, parse

MAX_NUMBERS = 1_000
"""Numbers of one text that are looked at."""

_NUMBER = late.pattern(
    r"(?P<sign>[-+−]?)(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?P<rest>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
)
_DIGIT = r"[\d¼-¾⅐-↉]"
_LIKE_A_NUMBER = late.pattern(
    rf"{_DIGIT}(?<!\w{_DIGIT})(?<!\w[-–−.]{_DIGIT})(?<!\d,{_DIGIT})"
    rf"(?:[\w.,:/+\-–−'\u2019*^×÷·=%°]|(?<=[0-9])[ \u00a0\u2007\u2009\u202f](?=[0-9]{{3}}(?![0-9])))"
    rf"{{0,{MAX_NUMBER_LENGTH + 500}}}"
)
"""All that hangs together with a digit; digits behind a letter (``x2``, ``GPT-4``, ``x2,000``) are part of a word.

Three digits behind a digit and a blank may be its thousands: ``1 001`` is not 1 twice.
"""
_BEFORE = late.pattern(r"(?<!\w)(?:(?:[-+−±≤≥]|(?i:minus|negative)\s{1,2})[^\w\s>]{0,6}|[.,])\Z")
"""What belongs to a number before its first digit: a sign or its word, whatever marks stand between.

``-$5`` is not 5, nor is ``minus 5``.
"""
_MOST_BEFORE = 16
_UNIT = r"(?:[^\W\d_]|[%°])+"
_BEHIND = late.pattern(rf"(?:[-'\u2019]?{_UNIT}(?:[-/·*^]{_UNIT})*)?[.,:'\u2019*_]*")
"""What may hang on a number: a unit, punctuation, Markdown's marks."""


def read_number(text: str, compare: Compare) -> Reading | Unreadable:
    """Read a text as the grader ``number`` does: the one number in it, without reasoning.

    Args:
        text: the completion.
        compare: when two numbers count as equal; the answer is in that normal form.

    Returns:
        The number, or why there is none: no number, two that differ by value, or something like a number that is not
        written as one here (``12,5``, ``3/4``, ``10:30``, ``2024-11-30``, ``.5``).
    """
    visible = plain_text(text)
    if isinstance(visible, Unreadable):
        return visible
    found: JSON = None
    for count, match in enumerate(_LIKE_A_NUMBER.finditer(visible.text)):
        if count == MAX_NUMBERS:
            return Unreadable(cause=f"more than {MAX_NUMBERS:,} numbers")
        written = _whole(visible.text, match)
        try:
            value = _value(written)
        except InvalidJSON as error:
            return Unreadable(cause=f"{error}: {quoted(written)}")
        if found is not None and value != found:
            return Unreadable(cause=f"ambiguous: {cut(found)} and {cut(value)}")
        found = value
    if found is None:
        return Unreadable(cause="no number in the text")
    is_whole = _NUMBER.fullmatch(visible.text.strip()) is not None
    return Reading(
        value=found,
        answer=normal(found, compare),
        extraction=Extraction.WHOLE if is_whole else Extraction.NUMBER,
        after_reasoning=visible.removed,
    )


def _whole(text: str, match: re.Match[str]) -> str:
    """Return what hangs together with a digit, its sign included."""
    start = match.start()
    before = _BEFORE.search(text, max(0, start - _MOST_BEFORE), start)
    return (before.group() if before else "") + match.group()


def _value(text: str) -> JSON:
    """Return the value of what hangs together with a digit.

    Raises:
        InvalidJSON: it is not written as a number, or is one beyond the limits of ``values``.
    """
    if len(text) > MAX_NUMBER_LENGTH + 100:  # room for a unit
        raise InvalidJSON("longer than a number may be")
    match = _NUMBER.match(text)
    behind = text[match.end() :] if match else ""
    if match is None or _BEHIND.fullmatch(behind) is None or unicodedata.category(behind[:1] or " ") in {"No", "Nl"}:
        raise InvalidJSON("not written as a number")
    sign = "" if match["sign"] == "+" else match["sign"].replace("−", "-")
    whole = match["whole"].replace(",", "").lstrip("0") or "0"
    return parse(f"{sign}{whole}{match['rest']}")
