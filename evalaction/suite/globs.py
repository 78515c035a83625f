"""Globs over the paths of a tree. Pure.

``*`` and ``?`` stay within one part of a path, ``[…]`` is one character of a set, and ``**``, alone
between slashes, spans any number of folders, none included. Names that begin with a dot are like all
others, and case counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate

from evalaction.errors import BadInput, Problem

SPAN = "**"


def is_glob(text: str) -> bool:
    """Tell whether ``text`` has a wildcard in it."""
    return any(character in text for character in "*?[")


def matching(glob: str, paths: Iterable[str]) -> list[str]:
    """Return those of ``paths`` that ``glob`` matches, in their order.

    Raises:
        BadInput: the glob is empty, absolute, or climbs with ``..``.
    """
    match = _matcher(glob)
    return [path for path in paths if match(path)]


def _matcher(glob: str) -> Callable[[str], bool]:
    parts = glob.split("/")
    if not glob or ".." in parts or "" in parts or glob.startswith("!"):
        raise BadInput(
            Problem(
                message=f"{glob!r} is not a glob of paths within the repository.",
                remedy="Write it relative, such as prompts/**/*.golden.jsonl, without .. and no slash at its ends.",
            )
        )
    parts = [part for part in parts if part != "."]
    patterns = [None if part == SPAN else re.compile(translate(part)) for part in parts]
    last = patterns[-1] if patterns else None

    def match(path: str) -> bool:
        if last is not None and last.match(path.rpartition("/")[2]) is None:
            return False  # Most paths end here, before they are taken apart.
        return _match(patterns, path.split("/"))

    return match


def _match(patterns: list[re.Pattern[str] | None], names: list[str]) -> bool:
    """Match part by part, with all positions in play at once: no pattern makes it slower than their product."""
    states = {0}
    for name in names:
        states = _spanned(states, patterns)
        states = {
            state if pattern is None else state + 1
            for state in states
            if state < len(patterns)
            for pattern in (patterns[state],)
            if pattern is None or pattern.match(name)
        }
        if not states:
            return False
    return len(patterns) in _spanned(states, patterns)


def _spanned(states: set[int], patterns: list[re.Pattern[str] | None]) -> set[int]:
    """Add the states that are reached by letting a ``**`` stand for nothing more."""
    reached = set(states)
    for state in states:
        following = state
        while following < len(patterns) and patterns[following] is None:
            following += 1
            reached.add(following)
    return reached
