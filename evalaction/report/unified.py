"""The unified diff of a draw against a file that is known to be good, bounded in time and in room. Pure.

Finding it takes quadratic time at least, whatever the texts are (``difflib`` follows Ratcliff and Obershelp), so what
is compared is bounded before: equal lines at both ends are set aside, and of the rest some lines are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile

from evalaction.frozen import frozen
from evalaction.report.apart import apart
from evalaction.report.spelling import Difference, difference
from evalaction.report.untrusted import shorten
from evalaction.suite.words import count

LINES = 150
"""Lines of either text, between the equal ones at both ends, that are compared."""
WIDTH = 200
"""Characters shown of a line."""
_LONG = 10_000
"""Characters of a line beyond which no more than the surroundings of the first difference is looked at."""
_CONTEXT = 3
"""Equal lines shown around what differs."""


@frozen
class Unified:
    """How one text differs from another, line by line."""

    lines: tuple[str, ...]
    """Of the diff, without its two head lines: ``@@ -1,3 +1,3 @@``, then lines that begin with `` ``, ``-`` or ``+``.
    Untrusted text.
    """
    left_out: str | None
    """What was not compared, in our own words; None when all was."""
    alike: Difference | None
    """Where the first pair of lines differs that look alike; None where there is none."""


def unified(good: str, given: str) -> Unified:
    """Return how ``given`` differs from ``good``; no lines where they are equal.

    Args:
        good: the text that is known to be good.
        given: the text of a draw. Both are split at line feeds alone.
    """
    ours, theirs = good.split("\n"), given.split("\n")
    start = _shared(ours, theirs)
    end = min(_shared(ours[start:][::-1], theirs[start:][::-1]), min(len(ours), len(theirs)) - start)
    old, new = ours[start : len(ours) - end], theirs[start : len(theirs) - end]
    if not old and not new:
        return Unified(lines=(), left_out=None, alike=None)
    before, behind = ours[max(0, start - _CONTEXT) : start], ours[len(ours) - end :][:_CONTEXT]
    most = max(len(old), len(new))
    old, new = [*before, *old[:LINES]], [*before, *new[:LINES]]
    if most <= LINES:
        old, new = [*old, *behind], [*new, *behind]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    first = start - len(before)
    lines, alike = _shown(matcher, old, new, first)
    left_out = None if most <= LINES else f"{count(most - LINES, 'more line')}, which were not compared"
    return Unified(lines=tuple(lines), left_out=left_out, alike=alike)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines at the beginning are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _shown(
    matcher: SequenceMatcher[str], old: Sequence[str], new: Sequence[str], first: int
) -> tuple[list[str], Difference | None]:
    lines: list[str] = []
    alike: Difference | None = None
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        (_, left, _, right, _), (_, _, left_end, _, right_end) = group[0], group[-1]
        lines.append(f"@@ -{_range(first + left, left_end - left)} +{_range(first + right, right_end - right)} @@")
        for tag, start, end, other, other_end in group:
            gone, come = list(old[start:end]), list(new[other:other_end])
            if tag == "equal":
                lines += [f" {_cut(line)}" for line in gone]
                continue
            alike = alike or _look_alike(gone, come, first + other)
            lines += _changed(gone, come)
    return lines, alike


def _range(start: int, number: int) -> str:
    """Return a range as unified diffs give it: of lines from 1, or behind which line there is none."""
    if number == 1:
        return str(start + 1)
    return f"{start + (1 if number else 0)},{number}"


def _changed(gone: Sequence[str], come: Sequence[str]) -> Iterator[str]:
    """Yield lines that differ: pairs of long ones are cut where they part, so that it is seen."""
    paired = min(len(gone), len(come))
    pairs = [_pair(*lines) for lines in zip(gone, come, strict=False)]
    yield from (f"-{line}" for line in [*(pair[0] for pair in pairs), *map(_cut, gone[paired:])])
    yield from (f"+{line}" for line in [*(pair[1] for pair in pairs), *map(_cut, come[paired:])])


def _pair(one: str, other: str) -> tuple[str, str]:
    if max(len(one), len(other)) > _LONG:
        parts = max(0, _parting(one, other) - WIDTH)
        start = "…" if parts else ""
        one, other = (f"{start}{line[parts : parts + 2 * WIDTH]}" for line in (one, other))
    left, right = (shorten(piece.text, piece.limit) for piece in apart((one, other), WIDTH))
    return left, right


def _parting(one: str, other: str) -> int:
    """Return how many characters at the beginning are equal, found by halving: a line may have millions."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(line: str) -> str:
    return shorten(line, WIDTH)


def _look_alike(gone: Sequence[str], come: Sequence[str], first: int) -> Difference | None:
    """Return where the first of the lines differs that stand beside each other and look alike."""
    for number, (one, other) in enumerate(zip(gone, come, strict=False), first + 1):
        found = difference(one, other)
        if found is not None:
            return Difference(one=found.one, other=found.other, position=found.position, line=number)
    return None
