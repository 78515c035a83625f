"""A case's draws as one sign each, and what the signs mean. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from evalaction.records.report import CaseResult, DrawState
from evalaction.report import fresh

MISSING, UNREADABLE = "∅", "?"
LEGENDS = {MISSING: "∅ nothing came", UNREADABLE: "? something came that is no answer"}
LEGEND = "Draws in their order, one letter for each distinct answer, A the most frequent"
LEGEND_OF_COUNTS = "more than 26 distinct answers as counts (A×3), in no order"
LEGEND_OF_FIGURES = "95 % interval: for the chance that one more draw differs from the likeliest answer"

_SHORT_STRIP, _TOGETHER = 20, 10
"""Draws that stand one by one, and those of a group in a longer strip."""


def strip(result: CaseResult) -> str:
    """Return the draws in their order, one sign each: ``A A B A ∅``; more than 20 in tens: ``AAAABAAAAB AA∅``.

    Only where that takes labels of two letters they stand as counts, in no order: ``A×3 B×2 AA``.
    """
    signs = _signs(result)
    if len(signs) <= _SHORT_STRIP:
        return " ".join(signs)
    if _is_counted(signs):
        counts = sorted(Counter(signs).items(), key=lambda item: (-item[1], len(item[0]), item[0]))
        shown = " ".join(f"{sign}×{number}" if number > 1 else sign for sign, number in counts[:_SHORT_STRIP])
        return f"{shown} and {len(counts) - _SHORT_STRIP} more"
    return " ".join("".join(signs[start : start + _TOGETHER]) for start in range(0, len(signs), _TOGETHER))


def _signs(result: CaseResult) -> list[str]:
    letters = {index: mode.label for mode in result.modes for index in mode.draws}
    if len(letters) == len(result.draws):  # draws may have to be read from the disk
        return [letters[index] for index in sorted(letters)]
    other = {DrawState.MISSING: MISSING, DrawState.UNREADABLE: UNREADABLE}
    return [other.get(draw.state) or letters.get(draw.draw.index, UNREADABLE) for draw in result.draws]


def _distinct_signs(result: CaseResult) -> frozenset[str]:
    answered = sum(mode.count for mode in result.modes)
    others = [*([MISSING] if result.measured < len(result.draws) else [])]
    others += [UNREADABLE] if answered < result.measured else []
    return frozenset((*(mode.label for mode in result.modes), *others))


def _is_counted(signs: Iterable[str]) -> bool:
    return any(len(sign) > 1 for sign in signs)


def legend(results: Sequence[CaseResult]) -> str:
    """Return what the signs in the strips mean, and the figures, as far as there are any; of one case at least."""
    strips = set(map(_distinct_signs, results))
    signs = {sign for strip in strips for sign in strip}
    # Letters, their order and counts of them are explained only where one is to be seen.
    counted = {_is_counted(strip) for strip in strips if not LEGENDS.keys() >= strip}
    kinds = [*([LEGEND] if False in counted else []), *([LEGEND_OF_COUNTS] if True in counted else [])]
    said = "; ".join([*kinds, *(words for sign, words in LEGENDS.items() if sign in signs)])
    figures = f" {LEGEND_OF_FIGURES}." if any(map(_has_interval, results)) else ""
    return f"{said[0].upper()}{said[1:]}.{figures}"


def _has_interval(result: CaseResult) -> bool:
    return result.interval is not None and fresh.gate_of(result) is None
