"""How much work one value may make for its schema. Pure, but for the time that a backtracking pattern takes."""

from __future__ import annotations

import time
from contextvars import ContextVar

from evalaction.pattern import TooSlow, compile_pattern
from evalaction.values import JSON, canonical

MAX_STEPS = 120_000
"""Keywords that are applied to parts of one value, dearer work counted as several: well under a second."""

_INSTRUCTIONS_A_STEP = 100
_CHARACTERS_A_STEP = 50
_STEPS_A_SECOND = 250_000


class Effort:
    """What is left of the work that one value may make."""

    def __init__(self) -> None:
        """Begin with ``MAX_STEPS``."""
        self._left = MAX_STEPS
        self._forms: dict[int, bytes] = {}
        self._allowed: dict[int, frozenset[bytes]] = {}

    def spend(self, steps: int = 1) -> None:
        """Take ``steps`` from what is left.

        Raises:
            TooSlow: that is more than is left.
        """
        self._left -= steps
        if self._left < 0:
            raise TooSlow("it takes too long for this value")

    def canonical(self, value: JSON) -> bytes:
        """Return the canonical bytes of ``value``, a part of the one that is checked: they are made once."""
        form = self._forms.get(id(value)) if isinstance(value, dict | list) else canonical(value)
        if form is None:
            form = self._forms[id(value)] = canonical(value)
            self.spend(len(form) // _CHARACTERS_A_STEP)
        return form

    def allowed(self, values: list[JSON]) -> frozenset[bytes]:
        """Return the canonical bytes of ``values``, a list of the schema's: they are made once."""
        forms = self._allowed.get(id(values))
        if forms is None:
            self.spend(len(values))
            forms = self._allowed[id(values)] = frozenset(map(canonical, values))
        return forms

    def is_in(self, pattern: str, text: str) -> bool:
        """Return whether ``pattern`` matches anywhere in ``text``.

        Raises:
            PatternError: it is no regular expression.
            TooSlow: the search took too long, or all of them together do.
        """
        compiled = compile_pattern(pattern)
        self.spend(compiled.cost(text) // _INSTRUCTIONS_A_STEP)
        start = time.perf_counter()
        found = compiled.is_in(text)
        if not compiled.is_linear:
            self.spend(int((time.perf_counter() - start) * _STEPS_A_SECOND))
        return found


EFFORT: ContextVar[Effort] = ContextVar("EFFORT")
"""Of the value that is being checked: the library hands nothing from keyword to keyword."""
