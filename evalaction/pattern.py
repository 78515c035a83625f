r"""Regular expressions that cannot hang, for the patterns of golden files and schemas over a model's text. Pure.

A pattern goes to RE2, whose time is linear in the text. What RE2 does not know (lookaround, backreferences,
``\u00e9``, more than 1,000 repetitions) goes to the library ``regex``, which goes back and forth over a text, with a
time limit. In both ``\d``, ``\w``, ``\s`` and ``\b`` are ASCII's (but for a pattern of the second kind that names a
property of Unicode, such as ``\p{L}``), and ``$`` is the very end of the text. Both are imported when the first
pattern is compiled.

Source: https://github.com/google/re2/wiki/Syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from evalaction import late
from evalaction.frozen import frozen

MAX_PATTERN = 10_000
"""Characters of a pattern beyond which it is refused."""
MAX_REPETITIONS = 10_000
"""Parts of a pattern that RE2 does not take, its counted repetitions written out: ``(a{9}){9}`` has 81."""
MAX_MATCHES = 1_000
"""Matches in one text that are looked at."""
TIME_LIMIT = 0.25
"""CPU seconds that a search with the library ``regex`` may take."""
MAX_STEPS = 20_000_000
"""Instructions of a pattern times characters of a text: what RE2 does in about half a second at worst.

Of a pattern that RE2 does not have its characters count: ``regex`` looks for a literal without looking at its clock.
"""
SMALL = 32
"""Instructions, or characters, of a pattern that is searched for in any text: with a table RE2 keeps a steady pace."""
MAX_SCANNED = 100_000_000
"""Characters that are read in search of all matches, where each search may read to the end."""

_PART = late.pattern(r"\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^]\\])*\]|\{(\d*)(,?)(\d*)\}|[?*+]|\(|\)|.", re.DOTALL)
"""An escape, a class of characters, a counted repetition, another one, a bracket, or a character."""
_LINES_END = late.pattern(r"\(\?\w*[mx]")
"""In a pattern with this flag ``$`` may stand for other places, or be a comment's."""


class PatternError(ValueError):
    """A text that is no regular expression; ``str()`` of it says why."""


class TooSlow(Exception):
    """A search that was given up; ``str()`` of it says why."""


@frozen
class Pattern:
    """A compiled pattern."""

    text: str
    """As it was written."""
    compiled: Any
    """The library's own object."""
    is_linear: bool
    """RE2 has it, and not the library ``regex``."""

    def cost(self, text: str) -> int:
        """Return what a search costs at most, in instructions; of a pattern that RE2 does not have, the least."""
        return len(text) * (self.compiled.programsize if self.is_linear else 1)

    def is_in(self, text: str) -> bool:
        """Return whether the pattern matches anywhere in ``text``.

        Args:
            text: without halves of surrogate pairs.

        Raises:
            TooSlow: the search would take too long, or did.
        """
        return next(self._matches(text), None) is not None

    def groups_in(self, text: str) -> Iterator[str | None]:
        """Yield what the first group of each match holds, or the whole match where the pattern has no group.

        Args:
            text: without halves of surrogate pairs.

        Yields:
            Texts, in order; None for a group that took no part in its match.

        Raises:
            TooSlow: the search would take too long, or did; there are more than ``MAX_MATCHES`` matches.
        """
        group = min(self.compiled.groups, 1)
        scanned = 0
        for number, match in enumerate(self._matches(text)):
            scanned += len(text) - match.start()
            if number == MAX_MATCHES:
                raise TooSlow(f"the pattern matches more than {MAX_MATCHES:,} times")
            if scanned > MAX_SCANNED and number:
                raise TooSlow(f"the pattern matches too often in a text of {len(text):,} characters")
            yield match.group(group)

    def _matches(self, text: str) -> Iterator[Any]:
        if self.is_linear:
            size = self.compiled.programsize
            if size > SMALL and size * len(text) > MAX_STEPS:
                raise TooSlow(f"the pattern is too large for a text of {len(text):,} characters")
            yield from self.compiled.finditer(text)
            return
        # The search for a literal is one step, however long, and the clock is looked at between steps.
        if len(self.text) > SMALL and len(self.text) * len(text) > MAX_STEPS:
            raise TooSlow(f"the pattern is too large for a text of {len(text):,} characters")
        try:
            yield from self.compiled.finditer(text, timeout=TIME_LIMIT)
        except TimeoutError as error:
            raise TooSlow(f"the pattern took longer than {TIME_LIMIT} seconds") from error


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    """Compile a pattern.

    Raises:
        PatternError: neither library takes it, or it is beyond the limits of this module.
    """
    import re2  # noqa: PLC0415 - only once there is a pattern

    if len(text) > MAX_PATTERN:
        raise PatternError(f"it has {len(text):,} characters, and {MAX_PATTERN:,} are the most")
    if any(part == r"\C" for part in _parts(text)):
        raise PatternError(r"bad escape \C")
    options = re2.Options()
    options.log_errors = False
    try:
        return Pattern(text=text, compiled=re2.compile(text, options), is_linear=True)
    except UnicodeEncodeError as error:
        raise PatternError("it holds half of a surrogate pair") from error
    except re2.error:
        return Pattern(text=text, compiled=_backtracking(text), is_linear=False)


def _backtracking(text: str) -> Any:
    import regex  # noqa: PLC0415 - slow to import, and few patterns need it

    if _written_out(text) > MAX_REPETITIONS:
        raise PatternError(f"its repetitions written out have more than {MAX_REPETITIONS:,} parts")
    parts = _parts(text)
    if not _LINES_END.search(text):
        parts = [r"\Z" if part == "$" else part for part in parts]
    # With this flag a property of Unicode has ASCII characters only.
    flags = 0 if any(part[:2] in {r"\p", r"\P"} or r"\p" in part.lower() for part in parts) else regex.ASCII
    try:
        return regex.compile("".join(parts), flags | regex.VERSION0)
    except regex.error as error:
        raise PatternError(str(error)) from error
    except RecursionError as error:
        raise PatternError("it nests too deeply") from error
    except (ValueError, OverflowError, KeyError, IndexError, TypeError) as error:  # slips of the library's own parser
        raise PatternError("it cannot be read") from error


def _parts(text: str) -> list[str]:
    return [match.group() for match in _PART.finditer(text)]


def _written_out(text: str) -> int:
    """Return how many parts a pattern has once its counted repetitions are written out."""
    sums, last = [0], 0  # of the groups that are open; of the part before
    for match in _PART.finditer(text):
        part = match.group()
        if part == "(":
            sums.append(0)
            last = 0
        elif part == ")":
            last = sums.pop() if len(sums) > 1 else 0
            sums[-1] += last
        elif match.group(1) or match.group(3):
            counts = [min(int(count), MAX_REPETITIONS + 1) for count in match.group(1, 3) if count and count.isdigit()]
            times = max([1, *counts])
            sums[-1] += last * (times - 1)
            last = min(last * times, MAX_REPETITIONS + 1)
        elif part not in {"?", "*", "+"}:
            last = 1
            sums[-1] += 1
        if sums[-1] > MAX_REPETITIONS:
            return sums[-1]
    return max(sums)
