"""What a field may hold: small checks that say what is wrong, for files of every kind. Pure.

A check takes a value and returns None, or what is wrong with it, to stand after the field's name:
``takes an integer from 2 to 100, not "5"``. The published JSON Schemas say the same; tests compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from evalaction import late
from evalaction.decimals import is_number
from evalaction.errors import Problem
from evalaction.letters import fold
from evalaction.suite.words import listed, near
from evalaction.values import JSON, dumps

Check = Callable[[JSON], str | None]

MAX_DECIMALS = 400
"""Decimal places of a number in a golden file."""
SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader holds exactly."""
MAX_ID = 200
"""Characters of an id."""
DEFAULT_LABELS = ("pass", "fail")
"""What a judge may answer where nothing else is said; the first label of a judge is the accepting one."""
MIN_LABELS = 2
"""Where there is one label alone, giving it says nothing."""
MAX_LABELS, MAX_LABEL = 100, 200
"""Labels, and characters of one: each is looked for in every trace, and compared with in every reply."""
END = ".!?;:,…。！？；：，、"  # noqa: RUF001 (the full-width forms are meant)
"""Punctuation that may follow a label in a reply, as Latin and as Chinese or Japanese text writes it."""
_SHOWN = 60
_CONTROL = late.pattern(r"[\x00-\x1f\x7f-\x9f]")
_NOT_IN_LABEL = late.pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def takes(what: str, value: JSON) -> str:
    """Return that a field takes ``what``, and not ``value``."""
    return f"takes {what}, not {cut(value)}"


def cut(value: JSON) -> str:
    """Return a value as JSON text, and no more of it than a message can hold."""
    text = dumps(value).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def integer(low: int, high: int) -> Check:
    """Return a check for an integer from ``low`` to ``high``."""
    what = f"an integer from {low} to {high}"

    def check(value: JSON) -> str | None:
        right = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return None if right else takes(what, value)

    return check


def number(low: int, high: int | None, *, above: bool = False) -> Check:
    """Return a check for a number from ``low`` (or, if ``above``, beyond it) to ``high``; None for no upper end."""
    start = f"above {low}" if above else f"of {low} or more" if high is None else f"from {low}"
    what = f"a number {start}" if high is None else f"a number {start} {'and up ' if above else ''}to {high}"

    def check(value: JSON) -> str | None:
        if not is_number(value):
            return takes(what, value)
        right = (value > low if above else value >= low) and (high is None or value <= high)
        # As an exact fraction such a number would fill the memory.
        right = right and int(Decimal(value).as_tuple().exponent) >= -MAX_DECIMALS
        return None if right else takes(what, value)

    return check


def text(value: JSON) -> str | None:
    """Check for a text that is not blank."""
    return None if isinstance(value, str) and value.strip() else takes("a text that is not empty", value)


def any_text(value: JSON) -> str | None:
    """Check for a text."""
    return None if isinstance(value, str) else takes("a text", value)


def texts(value: JSON) -> str | None:
    """Check for a list of different texts, one at least."""
    right = (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, str) for item in value)
        and len(set(map(str, value))) == len(value)
    )
    return None if right else takes("a list of different texts, one at least", value)


def filled_texts(value: JSON) -> str | None:
    """Check for a list of different texts, one at least and none of them blank."""
    if texts(value) is None and isinstance(value, list) and all(str(item).strip() for item in value):
        return None
    return takes("a list of different texts that are not empty", value)


def label_form(text: str) -> str:
    """Return what is compared of a label: two labels of one form cannot be told apart in a reply.

    White space at the ends, punctuation at the end and the case of letters are no part of it; white space inside is.
    """
    end = len(text)
    while end and (text[end - 1] in END or text[end - 1].isspace()):
        end -= 1
    return fold(text[:end].strip())


def labels(value: JSON) -> str | None:
    """Check for what a judge, or a draw, may answer: two labels at least, each of which a reply can be told to give."""
    if not isinstance(value, list) or len(value) < MIN_LABELS:
        return takes("a list of two different labels or more", value)
    if len(value) > MAX_LABELS:
        return f"holds {len(value):,} labels, and {MAX_LABELS} are the most"
    forms: dict[str, str] = {}
    for label in value:
        if not isinstance(label, str) or _NOT_IN_LABEL.search(label) or all(_is_end(letter) for letter in label):
            return f"holds {cut(label)}, and a label is a text in one line with more than punctuation in it"
        if len(label) > MAX_LABEL:
            return f"holds {cut(label)}, and a label has {MAX_LABEL} characters at most"
        other = forms.get(label_form(label))
        if other is not None:
            return (
                f"holds {cut(other)} and {cut(label)}, which cannot be told apart in a reply: case, white space at "
                "the ends and end punctuation do not count"
            )
        forms[label_form(label)] = label
    return None


def _is_end(letter: str) -> bool:
    return letter in END or letter.isspace()


def text_or_texts(value: JSON) -> str | None:
    """Check for a text, or a list of different texts; none of them empty."""
    items = value if isinstance(value, list) else [value]
    right = bool(items) and all(isinstance(item, str) and item for item in items)
    right = right and len(set(map(str, items))) == len(items)
    return None if right else takes("a text or a list of different texts, none of them empty", value)


def some_object(value: JSON) -> str | None:
    """Check for an object that is not empty."""
    return None if isinstance(value, dict) and value else takes("an object that is not empty", value)


def any_object(value: JSON) -> str | None:
    """Check for an object."""
    return None if isinstance(value, dict) else takes("an object", value)


def identifier(value: JSON) -> str | None:
    """Check for an id: an integer, or a text of 1 to 200 characters without control characters."""
    if isinstance(value, str):
        right = 0 < len(value) <= MAX_ID and (value.isprintable() or not _CONTROL.search(value))
    else:
        right = isinstance(value, int) and not isinstance(value, bool) and len(str(value)) <= MAX_ID
    return None if right else takes(f"an integer or a text of 1 to {MAX_ID} characters, none of them control", value)


def response_format(value: JSON) -> str | None:
    """Check for a ``response_format``: an object with its ``type``; the rest is the endpoint's business."""
    right = isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"] != ""
    return None if right else takes("an object with a `type`", value)


def check_all(values: Mapping[str, JSON], checks: Mapping[str, Check]) -> list[Problem]:
    """Return what is wrong with each of ``values``, in their order; the problems have no place."""
    problems = []
    for name, value in values.items():
        check = checks.get(name)
        if check is None:
            problems.append(unknown(name, checks))
            continue
        wrong = check(value)
        if wrong is not None:
            problems.append(Problem(message=f"`{name}` {wrong}."))
    return problems


def unknown(name: str, known: Iterable[str]) -> Problem:
    """Return that there is no field ``name``, and which one may be meant."""
    names = list(known)
    shown = name if len(name) <= _SHOWN else name[:_SHOWN] + "…"
    return Problem(message=f"There is no field `{shown}`.", remedy=near(name, names) or f"Known are {listed(names)}.")


@lru_cache(maxsize=1024)
def fraction(value: int | Decimal) -> Fraction:
    """Return the exact value of a decimal as it was written."""
    return Fraction(value)
