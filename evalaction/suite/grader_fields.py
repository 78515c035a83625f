"""What the graders' own fields may hold, each by itself. Pure.

As the checks of ``suite.fields``: a check takes a value and returns None, or what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Collection

from evalaction import late
from evalaction.comparable import same_key, why_incomparable
from evalaction.letters import MAX_MARKS, has_too_many_marks
from evalaction.pattern import PatternError, compile_pattern
from evalaction.suite.fields import Check, cut, filled_texts, integer, number, takes, text, texts
from evalaction.suite.words import listed
from evalaction.values import JSON, dumps

MAX_ARGUMENTS, MAX_ARGUMENT = 100, 10_000
"""Arguments of a command, its own name included, and characters of one."""
MAX_FILES = 100
"""Files that a command finds beside the artifact."""
MAX_TIMEOUT = 300
"""Seconds that a command may take."""

_LANGUAGE = late.pattern(r"[A-Za-z0-9][A-Za-z0-9+#._-]{0,39}")
_ARTIFACT = late.pattern(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


def _true(value: JSON) -> str | None:
    return None if value is True else takes("true", value)


COMPARING: dict[str, Check] = {
    "case_insensitive": _true,
    "unordered": _true,
    "round": number(0, None, above=True),
    "tolerance": number(0, None),
}
"""What may be said of the values under a key, with its check."""

timeout = integer(1, MAX_TIMEOUT)
"""Check for how long a command may take."""


def keys(value: JSON) -> str | None:
    """Check for a list of keys: different texts, one at least, also when they are compared in Unicode NFC."""
    wrong = texts(value)
    if wrong is not None or not isinstance(value, list):
        return wrong
    return _apart(list(map(str, value)))


def expected(value: JSON) -> str | None:
    """Check for an expected value: an object of keys and values, a text, or a number."""
    if isinstance(value, bool | list):
        return takes("an object of keys and their values, a text, or a number", value)
    if value is None or value == {}:
        return f"is {dumps(value)}, which checks nothing"
    if isinstance(value, str) and not value.strip():
        return "is blank, which checks nothing"
    why = why_incomparable(value)
    return None if why is None else f"cannot be compared: {why}"


def _apart(names: Collection[str]) -> str | None:
    """Tell why keys cannot be compared with each other, in Unicode NFC; None when they can."""
    if any(map(has_too_many_marks, names)):
        return f"holds more than {MAX_MARKS} combining marks in a row"
    same = same_key(names)
    return same and f"holds {cut(same)} twice, in two spellings of Unicode, and keys are compared in NFC"


def comparisons(value: JSON) -> str | None:
    """Check for how values compare: an object of keys, each with an object of what counts as no difference."""
    if not isinstance(value, dict) or not value:
        return takes("an object of keys, each with how its values compare", value)
    for key, options in value.items():
        if not isinstance(options, dict) or not options:
            return f"takes for {cut(key)} an object with some of {listed(COMPARING)}, not {cut(options)}"
        for name, said in options.items():
            check = COMPARING.get(name)
            if check is None:
                return f"for {cut(key)}: there is no option {cut(name)}, known are {listed(COMPARING)}"
            wrong = check(said)
            if wrong is not None:
                return f"for {cut(key)}: `{name}` {wrong}"
    return _apart(value)


def pattern(value: JSON) -> str | None:
    """Check for a pattern: a regular expression that cannot hang."""
    wrong = text(value)
    if wrong is not None or not isinstance(value, str):
        return wrong
    try:
        compile_pattern(value)
    except PatternError as error:
        return f"is no pattern: {error}"
    return None


def fence(value: JSON) -> str | None:
    """Check for the fenced block that is the artifact: ``true`` for one of any language, or the language's name."""
    if value is True or (isinstance(value, str) and _LANGUAGE.fullmatch(value)):
        return None
    return takes("true, for a block of any language, or the name of a language", value)


def arguments(value: JSON) -> str | None:
    """Check for a program and its arguments, as they are started: no shell reads them."""
    if not isinstance(value, list) or not value or not all(isinstance(item, str) and item for item in value):
        return takes('a list of texts that are not empty, the program first, such as ["python3", "check.py"]', value)
    if len(value) > MAX_ARGUMENTS:
        return f"holds {len(value):,} texts, and {MAX_ARGUMENTS} are the most"
    for item in map(str, value):
        if len(item) > MAX_ARGUMENT:
            return f"holds a text of {len(item):,} characters, and {MAX_ARGUMENT:,} are the most"
        if "\0" in item:
            return "holds a NUL character, which no argument can have"
    return None


def command_files(value: JSON) -> str | None:
    """Check for the files that a command finds beside the artifact."""
    wrong = filled_texts(value)
    if wrong is None and isinstance(value, list) and len(value) > MAX_FILES:
        return f"names {len(value):,} files, and {MAX_FILES} are the most"
    return wrong


def artifact(value: JSON) -> str | None:
    """Check for the name of the artifact's file."""
    if isinstance(value, str) and _ARTIFACT.fullmatch(value):
        return None
    return takes("a file's name of 1 to 100 letters, digits and ._-, which begins with no . or -", value)
