"""What counts as one although it is spelled otherwise, and what does not although it looks alike. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from evalaction.answer.equality import normal
from evalaction.answer.text import normal_form
from evalaction.records.case import EXACTLY, Compare, Contract, Grader
from evalaction.records.report import CaseResult, DrawState
from evalaction.report import words
from evalaction.report.apart import apart
from evalaction.report.misses import counts_as, expected_value, value_of
from evalaction.report.spelling import Difference, difference, differences, room
from evalaction.report.untrusted import Phrase, quoted
from evalaction.values import JSON, dumps

_EXPLAINED = 100_000
"""Characters of a completion up to which it is read again to say what an option decided."""
_MODES = 8
"""Answers that are held beside each other."""
_LINES = 4
"""Lines of one kind."""
_SPELLINGS, _BRIEF = 3, 40
"""Spellings that are shown beside each other, and characters of each."""


def set_aside(result: CaseResult, *, show: bool) -> list[Phrase]:
    """Return where an option of ``compare``, ``round`` or ``tolerance`` decides: spellings as one, a value as met.

    Args:
        result: of a case.
        show: whether model text may be shown.

    Returns:
        A few lines; none where a completion is longer than ``_EXPLAINED``.
    """
    contract = result.planned.case.contract
    if not contract.compare and contract.whole == EXACTLY:
        return []
    read = [graded for graded in result.draws if graded.state is DrawState.ANSWERED]
    if any(graded.draw.reply is not None and len(graded.draw.reply.text or "") > _EXPLAINED for graded in read):
        return []
    values = {graded.draw.index: value_of(graded, contract) for graded in read}
    if contract.whole != EXACTLY:
        return _decided((), values, expected_value(contract), contract.whole, show=show)[:_LINES]
    expected, lines = expected_value(contract), []
    for key in dict.fromkeys(name for name, _ in contract.compare):
        given = {index: value[key] for index, value in values.items() if isinstance(value, dict) and key in value}
        wanted = expected.get(key) if isinstance(expected, dict) else None
        named: Phrase = (quoted(key, words.NAME), ": ")
        lines += _decided(named, given, wanted, contract.compared(key), show=show)
    return lines[:_LINES]


def _decided(
    named: Phrase, values: Mapping[int, JSON], expected: JSON, compare: Compare, *, show: bool
) -> list[Phrase]:
    """Return a line where several spellings are one answer, and one where they are the expected value.

    Args:
        named: what the values stand under, as the beginning of a line.
        values: by index of the draw.
        expected: value; None for none.
        compare: the options in force.
        show: whether model text may be shown.
    """
    options = _options(compare)
    one = _as_one(list(values.values()), compare, show=show)
    met = {index: value for index, value in values.items() if expected is not None and not counts_as(value, expected)}
    met = {index: value for index, value in met.items() if counts_as(value, expected, compare)}
    # What is met by being rounded or folded is no matter of the tolerance.
    near = {
        index: value for index, value in met.items() if not counts_as(value, expected, replace(compare, tolerance=None))
    }
    folded = {index: value for index, value in met.items() if index not in near}
    if one and folded and len(met) + sum(counts_as(value, expected) for value in values.values()) == len(values):
        wanted = (" ", quoted(dumps(expected), _BRIEF)) if show else (" value",)
        lines: list[Phrase] = [(*named, *one[0], ", and as the expected", *wanted, " (", *options, ")")]
    else:
        said = [*one, *_as_expected(folded, expected, show=show)]
        lines = [(*named, *each, " (", *options, ")") for each in said]
    deciding = _options(Compare(tolerance=compare.tolerance))
    return [*lines, *((*named, *each, " (", *deciding, ")") for each in _as_expected(near, expected, show=show))]


def _as_one(values: Sequence[JSON], compare: Compare, *, show: bool) -> list[Phrase]:
    spelled = {dumps(normal(value)): value for value in values}
    answers = {dumps(normal(value, compare)) for value in values}
    if len(spelled) == len(answers):
        return []
    shown = _beside(list(spelled.values()), show=show and len(answers) == 1) or (f"{len(spelled)} spellings",)
    return [(*shown, f" count as {'one' if len(answers) == 1 else f'{len(answers)} answers'}")]


def _as_expected(values: Mapping[int, JSON], expected: JSON, *, show: bool) -> list[Phrase]:
    if not values:
        return []
    given = list({dumps(value): value for value in values.values()}.values())
    shown, which = _beside(given, show=show), words.draws(tuple(values))
    subject = (*shown, f" in {which}") if shown else (f"what {which} gave",)
    wanted = (" ", quoted(dumps(expected), _BRIEF)) if show else (" value",)
    return [(*subject, f" {'count' if shown and len(given) > 1 else 'counts'} as the expected", *wanted)]


def _beside(values: Sequence[JSON], *, show: bool) -> Phrase:
    """Return a few values side by side, cut where they differ; empty where they are too many or not to be shown."""
    if not show or len(values) > _SPELLINGS:
        return ()
    pieces = apart([dumps(value) for value in values], _BRIEF)
    return words.listed([(piece,) for piece in pieces], _SPELLINGS)


def _options(compare: Compare) -> Phrase:
    """Return the options in force, as the golden file writes them."""
    named = [
        *(["case_insensitive"] if compare.case_insensitive else []),
        *(["unordered"] if compare.unordered else []),
        *([f"round {dumps(compare.round)}"] if compare.round is not None else []),
    ]
    # A tolerance decides only where nothing else does.
    named += [f"tolerance {dumps(compare.tolerance)}"] if compare.tolerance is not None and not named else []
    return words.listed([(quoted(name),) for name in named], len(named))


def look_alikes(result: CaseResult, *, show: bool) -> list[Phrase]:
    """Return which answers look alike, or like what is expected, and are not equal: with the numbers of characters.

    ``A and B look alike in status: U+0430 against U+0061 at character 3``

    Args:
        result: of a case.
        show: whether model text may be shown; otherwise the key and the numbers are left out.
    """
    contract = result.planned.case.contract
    expected, modes = _as_answered(contract), result.modes[:_MODES]
    lines: list[Phrase] = []
    for place, mode in enumerate(modes):
        said: list[Phrase] = []
        if expected is not None and contract.grader is not Grader.DIFF:
            said = _line(f"{mode.label} looks like the expected value", mode.answer, expected, show=show)
        if place and not said:
            other = modes[0]
            said = _line(f"{other.label} and {mode.label} look alike", other.answer, mode.answer, show=show)
        lines += said
    if contract.grader is Grader.CHOICE:
        lines += islice(_labels(result, contract, show=show), _LINES)
    return lines[:_LINES]


def _line(said: str, one: JSON, other: JSON, *, show: bool) -> list[Phrase]:
    found = next(_seen(one, other), None)
    if found is None:
        return []
    key, seen = found
    where = () if key is None or not show else (" in ", quoted(key, words.NAME))
    return [(said, *where, *((f": {seen}",) if show else ()))]


def _seen(one: JSON, other: JSON) -> Iterator[tuple[str | None, Difference]]:
    """Yield what ``differences`` does; of two objects for each key by itself, over the keys that both have."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        yield from differences(one, other)
        return
    left = room()
    for key in one:
        if key in other:
            yield from ((key, seen) for _, seen in differences(one[key], other[key], left))
    ours, theirs = (
        {key: value for key, value in each.items() if key not in rest} for each, rest in ((one, other), (other, one))
    )
    yield from differences(ours, theirs, left)


def _as_answered(contract: Contract) -> JSON:
    """Return the expected value in the form in which its grader reads answers."""
    expected = expected_value(contract)
    if contract.grader is Grader.TEXT and isinstance(expected, str):
        return normal_form(expected)
    if isinstance(expected, dict):
        return {key: normal(value, contract.compared(key)) for key, value in expected.items()}
    return expected


def _labels(result: CaseResult, contract: Contract, *, show: bool) -> Iterator[Phrase]:
    """Yield which draws give none of the labels, and something that looks like one."""
    for graded in result.draws:
        if graded.state is DrawState.UNREADABLE and graded.draw.reply is not None:
            said = (graded.draw.reply.text or "").strip()
            pairs = ((label, difference(said, label)) for label in contract.labels)
            for label, seen in pairs:
                if seen is not None:
                    named = f"draw {graded.draw.index} looks like the label "
                    yield (named, quoted(label, words.NAME), *((f": {seen}",) if show else ()))
