"""Square brackets in the prose around JSON values: lists that are not JSON, and what closes one too early. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction import late
from evalaction.values import InvalidJSON

_BRACKETS = late.pattern(r"[\[\]()]")
_ITEMS = late.pattern(r'[\s,]*(?:(?:"[^"\n]*+"|-?[0-9][0-9.eE+-]*+|true\b|false\b|null\b)[\s,]*+)*')
"""What may stand between a value and the bracket that closes an array of it: other items, and commas."""
_MOST_ITEMS = 1_000
"""Characters of such items that are looked at."""
_NEAR = 100
"""Characters before a value in which a comma is looked for."""
_COMMA = late.pattern(r"\s*+,")


def stands_free(text: str, values: Sequence[tuple[int, int, bool]]) -> bool:
    """Return whether at least one value counts and is no item of a list that is not JSON (``[x, {"a": 1}]``).

    An item has a pair of square brackets around it, and a comma before or behind it: ``[see {"a": 1}]`` is prose. So
    is a bracket that is never closed, or that closes a round one: ``[0, 1)``, ``(0, 1]``, a terminal's colours.

    Args:
        text: prose with JSON values in it.
        values: (start, end, whether it counts) of each, in their order; indices are into the text, from 0.

    Raises:
        InvalidJSON: nothing but items stands between a value and a bracket that closes an array which was never
            opened (``["a"], "b"]``), so the value was closed too early.
    """
    free, lists, before = False, _Lists(), 0
    for number, (start, end, counts) in enumerate([*values, (len(text), len(text), False)]):
        for match in _BRACKETS.finditer(text, before, start):
            closes_nothing = lists.heed(match.group(), number)
            if closes_nothing and number and _is_of_items(text, before, match.start()):
                raise InvalidJSON("a closing bracket without its opening one", match.start())
        if counts and (text[max(0, start - _NEAR) : start].rstrip()[-1:] == "," or _COMMA.match(text, end)):
            lists.items.append(number)
        elif counts:
            free = True
        before = end
    return free or bool(lists.items)


class _Lists:
    """The brackets that are open at a place in the text, and the values before it that may be items of a list."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self.opened: list[tuple[str, int]] = []

    def heed(self, bracket: str, number: int) -> bool:
        """Heed a bracket that ``number`` values stand before; return whether it is a square one that closes nothing."""
        if bracket in "[(":
            self.opened.append((bracket, number))
        elif bracket == ")":
            if self.opened and (self.opened[-1][0] == "(" or self.opened[-1][1] == number):
                self.opened.pop()
        elif self.opened:
            opening, first = self.opened.pop()
            while opening == "[" and self.items and self.items[-1] >= first:
                self.items.pop()
        else:
            return True
        return False


def _is_of_items(text: str, start: int, end: int) -> bool:
    return end - start <= _MOST_ITEMS and _ITEMS.fullmatch(text, start, end) is not None
