"""How much work a stored report makes, looked at before any of it is done: a stranger's file must not take minutes.

Pure. What is counted is what the time goes into: values that are held to the published form, labels that are compared,
arrangements of a permutation test, brackets and fences from which JSON is looked for in a reply.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalaction.answer.json_text import holds_more_values
from evalaction.judge.attribution import SHUFFLES
from evalaction.report.stored.pieces import Unfit, whole

MAX_VALUES = 1_000_000
"""Values of a report. A draw has about 45, a judge's reply 35 and four for each fixture."""
MAX_WORK = 200_000_000
"""Steps, of a tenth of a microsecond, that counting the decks may take."""
LEAST_TEST, MAX_TEST = 2_000_000, 10_000_000
"""Steps that a permutation test takes: one of few replies, whose arrangements are all looked at, and the largest."""
MAX_COMPARED = 10_000_000
"""Pairs of a key that draws are compared on and a key with its own comparison, over all draws; and of a key that is
expected and one that draws agree on, over all cases.
"""
MAX_HELD_TO = 100_000_000
"""Characters of contracts, over all draws: a draw is held to the whole of its own, and is mostly about as long."""
_VALUE = 50
"""Characters that take as long as a value."""
MAX_MARKS = 1_000_000
"""Brackets and fences in all replies of judges, from each of which a search may begin."""
MAX_DRAWN_MARKS = 3_000_000
"""Brackets and fences in the texts of all draws."""

_MARKS = "{[`~"


def check_values(document: Any) -> None:
    """Check how many values a document has.

    Raises:
        Unfit: more than are looked at.
    """
    if holds_more_values(document, than=MAX_VALUES):
        raise Unfit(f"it has more than {MAX_VALUES:,} values")


def check_work(document: Any) -> None:
    """Check what it would take to read and count all draws and replies of judges anew.

    Args:
        document: of the published form.

    Raises:
        Unfit: more than is done.
    """
    marks = sum(text.count(mark) for text in _replies(document) for mark in _MARKS)
    if marks > MAX_MARKS or sum(map(_steps, document["decks"])) > MAX_WORK:
        raise Unfit("its decks are larger than any that are counted anew")
    drawn = (draw["text"] or draw["ungraded"] or "" for case in document["cases"] for draw in case["draws"])
    if sum(text.count(mark) for text in drawn for mark in _MARKS) > MAX_DRAWN_MARKS:
        raise Unfit("the texts of its draws have more brackets and fences than are looked through anew")
    cases = document["cases"]
    if sum(map(_compared, cases)) > MAX_COMPARED or sum(map(_held_to, cases)) > MAX_HELD_TO:
        raise Unfit("its contracts are larger than any that draws are held to anew")


def _steps(deck: Any) -> int:
    """Return about what the figures of a deck take: labels, and the arrangements of the permutation test."""
    asked = sum(run["part"] == "exam" for run in deck["runs"])
    k, repeats = len(deck["fixtures"]), whole(deck["repeats"])
    # The more replies there are, the fewer arrangements are looked at.
    test = min(max(SHUFFLES[0] * asked * 5, LEAST_TEST), MAX_TEST) if repeats > 1 else 0
    return int(3 * k * asked + test)


def _compared(case: Any) -> int:
    """Return how often a key would be looked up among those with a comparison of their own."""
    names, contract = ("agree_on", "expect_keys", "expect", "compare"), case["contract"]
    agreed, form, expected, compared = (
        len(value) if isinstance(value := contract.get(name), list | dict) else 0 for name in names
    )
    return max(agreed, form, expected, compared) * compared * len(case["draws"]) + max(agreed, form) * expected


def _held_to(case: Any) -> int:
    """Return the characters of a contract, but for its schema, times the draws that are held to it."""
    size, waiting = 0, [value for name, value in case["contract"].items() if name != "schema"]
    while waiting:
        value = waiting.pop()
        size += _VALUE
        if isinstance(value, dict):
            size += sum(map(len, value))
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            size += len(value)
    return size * len(case["draws"])


def _replies(document: Any) -> Iterator[str]:
    asked = [run for deck in document["decks"] for run in deck["runs"]]
    asked += [said for case in document["cases"] for draw in case["draws"] for said in draw["judge"] or ()]
    for came in asked:
        yield came["reply"] or ""
        if came["first_reply"] is not None:
            yield came["first_reply"]["reply"] or ""
