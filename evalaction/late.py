"""Patterns that are compiled when they are first used: many are for what seldom happens, and some take long. Pure."""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast

_METHODS = ("finditer", "findall", "fullmatch", "match", "search", "split", "sub", "subn")


class _Late(Generic[AnyStr]):
    """Stands for a pattern; becomes as fast as one, since it keeps the methods of the one that it is."""

    def __init__(self, text: AnyStr, flags: int) -> None:
        self._text: AnyStr = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        made = re.compile(self._text, self._flags)
        for each in _METHODS:
            setattr(self, each, getattr(made, each))
        return getattr(made, name)


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return the pattern that ``re.compile`` does, or what does the same."""
    return cast("re.Pattern[AnyStr]", _Late(text, flags))
