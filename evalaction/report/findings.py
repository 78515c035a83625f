"""What there is to say about one case, in sentences for any place: what moved, and what is wrong. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from evalaction.records.case import Contract, Grader
from evalaction.records.gate import GateName
from evalaction.records.report import CaseResult, DrawState, GradedDraw, Mode
from evalaction.report import checks, equal, fresh, strips, words
from evalaction.report.apart import apart
from evalaction.report.decks import graded as graded_words
from evalaction.report.known_good import how_far
from evalaction.report.misses import Miss, expected_value, missed, misses, wrong_keys
from evalaction.report.untrusted import Phrase, Quoted, quoted
from evalaction.values import JSON, dumps

KEYS, MODES, LINES = 4, 8, 8
"""Most keys, modes and lines of one kind that are shown; the report file has all."""

_FEW, _BRIEF = 3, 40
"""Answers that are set side by side in a sentence, and characters of each."""
_TOLD_APART = {Grader.DIFF, Grader.COMMAND}
_TELLING = {"length", "content_filter", "tool_calls"}
"""Reasons to stop that explain why there is no answer."""

K = TypeVar("K")


def difference(result: CaseResult, *, show: bool) -> Phrase:
    """Return in what the answers differ, from each other or from the expected value; empty when in nothing.

    Args:
        result: of a case.
        show: whether model text may be shown.
    """
    modes, keys = result.modes, _shown_keys(result, show=show)
    if result.planned.case.contract.grader is Grader.DIFF and (len(modes) > 1 or missed(result)):
        # Of those that are not shown no diff is made.
        shown = [(f"{mode.label} {how_far(result, mode)}",) for mode in modes[:_FEW]]
        return words.listed([*shown, *[()] * (len(modes) - _FEW)], _FEW)
    wrong = _unexpected(result, show=show)
    if wrong:
        return wrong
    if len(modes) > 1:
        if show and len(modes) <= _FEW and len(keys) <= 1:
            return _side_by_side(result, keys)
        who = " and ".join(mode.label for mode in modes) if len(modes) == 2 else f"{len(modes)} answers"  # noqa: PLR2004 - A and B
        return (f"{who} differ", *((" in ", *_keys(keys)) if keys else ()))
    return ()


def _unexpected(result: CaseResult, *, show: bool) -> Phrase:
    """Return in what draws miss the expected value, unless that they differ says more."""
    fails = {gate.name for gate in words.failing(result)}
    if GateName.EXPECTED not in fails:
        return ()
    if len(result.modes) == 1 and is_wrong(result):
        return _wrong(result, show=show)
    elsewhere = misses(result)
    return _missing_elsewhere(result, elsewhere, show=show) if elsewhere and GateName.AGREEMENT not in fails else ()


def _side_by_side(result: CaseResult, keys: Sequence[str]) -> Phrase:
    shown = _brief([_under(mode.answer, keys) for mode in result.modes])
    places = [f" in {mode.count} of {result.planned.case.n}" for mode in result.modes[:1]]
    places += [f" in {mode.count}" for mode in result.modes[1:]]
    said = words.listed([(*value, place) for value, place in zip(shown, places, strict=True)], _FEW)
    return (_key(keys[0]), ": ", *said) if keys else said


def _under(answer: JSON, keys: Sequence[str]) -> str | None:
    """Return what an answer has under the first of ``keys``, or the whole of it without any; None for absent."""
    if not keys or not isinstance(answer, dict):
        return dumps(answer)
    return dumps(answer[keys[0]]) if keys[0] in answer else None


def _brief(values: Sequence[str | None]) -> list[Phrase]:
    """Return JSON values as they stand in a sentence beside each other; None is a key that is absent."""
    pieces = iter(apart([value for value in values if value is not None], _BRIEF))
    return [("absent",) if value is None else (next(pieces),) for value in values]


def is_wrong(result: CaseResult) -> bool:
    """Return whether the most frequent answer is itself not the expected one, so that all its draws miss it."""
    expected, mode = result.planned.case.contract.expect, result.modes[0]
    objects = isinstance(expected, dict) and isinstance(mode.answer, dict)
    return bool(wrong_keys(result)) if objects else set(mode.draws) <= set(missed(result))


def _wrong(result: CaseResult, *, show: bool) -> Phrase:
    keys, expected, answer = wrong_keys(result), expected_value(result.planned.case.contract), result.modes[0].answer
    if show and len(keys) <= 1:
        given, asked = _brief([_under(answer, keys), _under(expected, keys)])
        return (*((_key(keys[0]), ": ") if keys else ()), *given, ", expected ", *asked)
    return ("A is wrong in ", *_keys(keys)) if keys else ("A is not the expected value",)


def _missing_elsewhere(result: CaseResult, found: Sequence[Miss], *, show: bool) -> Phrase:
    first, expected = found[0], expected_value(result.planned.case.contract)
    if show and len(found) == 1:
        given, asked = _brief([first.value, _under(expected, [first.key])])
        return (f"{words.draws(first.draws)}: ", _key(first.key), " ", *given, ", expected ", *asked)
    draws = sorted({index for miss in found for index in miss.draws})
    miss = "misses" if len(draws) == 1 else "miss"
    return (f"{words.draws(draws)} {miss} the expected value in ", *_keys([miss.key for miss in found]))


def given_instead(found: Sequence[Miss], *, among: Sequence[int]) -> Phrase:
    """Return the values that are not the expected ones: ``total_cents 19.5 in draw 3, 20 in draw 5``.

    Args:
        found: one at least.
        among: draws of which the sentence speaks; where a value is that of all of them they are not named again.
    """
    values = _brief([miss.value for miss in found])
    parts = [
        (_key(miss.key), " ", *value, *(() if miss.draws == tuple(among) else (f" in {words.draws(miss.draws)}",)))
        for miss, value in zip(found, values, strict=True)
    ]
    return words.listed(parts, _FEW)


def _keys(keys: Iterable[str]) -> Phrase:
    return words.listed([(_key(key),) for key in dict.fromkeys(keys)], KEYS)


def _key(key: str) -> Quoted:
    return quoted(key, words.NAME)


def _shown_keys(result: CaseResult, *, show: bool) -> tuple[str, ...]:
    """Return the differing keys that may be shown: a key that the contract doesn't name is model text."""
    if show:
        return result.differing_keys
    return tuple(key for key in result.differing_keys if key in result.planned.case.contract.projection)


def findings(result: CaseResult, *, show: bool, besides: GradedDraw | None = None) -> list[Phrase]:
    """Return what the figures of a case do not say: why draws are unreadable, what is wrong with their form.

    Args:
        result: of a case.
        show: whether model text may be shown.
        besides: a draw whose cause is told elsewhere.
    """
    lines: list[Phrase] = [*graded_words.attribution(result), *_of_draws(result, show=show)]
    lines += [
        (
            f"not as expected, {words.draws(miss.draws)}: ",
            _key(miss.key),
            *((" ", *_brief([miss.value])[0]) if show else ()),
        )
        for miss in misses(result)
    ]
    lines += _too_long(result)
    others = [graded for graded in result.draws if graded.draw is not (besides.draw if besides else None)]
    unreadable = _by((cause(graded, show=show), graded) for graded in others if graded.state is DrawState.UNREADABLE)
    lines += [(f"unreadable, {words.draws(indices)}", *why) for why, indices in unreadable.items() if why]
    if show:
        wrong = _by((graded.schema_errors, graded) for graded in result.draws if graded.schema_errors)
        lines += [(f"form, {words.draws(indices)}: ", *_errors(errors)) for errors, indices in wrong.items()]
    return lines


def _too_long(result: CaseResult) -> list[Phrase]:
    """Return which draws are over the length budget, where it is not all of them: ``over 20 tokens, draw 4: 25``."""
    budget = result.planned.case.contract.max_completion_tokens
    over = [graded for graded in result.draws if _over(graded, budget)]
    if not over or len(over) == result.measured:
        return []
    lengths = ", ".join(dict.fromkeys(f"{graded.length or 0:,}" for graded in over[:_FEW]))
    more = ", …" if len(over) > _FEW else ""
    return [(f"over {budget or 0:,} tokens, {words.draws([graded.draw.index for graded in over])}: {lengths}{more}",)]


def of_passing(result: CaseResult, *, show: bool) -> list[Phrase]:
    """Return what to know of a case that passes: which draws do not, in what answers differ, what counts as one.

    Args:
        result: of the case.
        show: whether model text may be shown.
    """
    differs = difference(result, show=show) if len(result.modes) > 1 else ()
    return [*([differs] if differs else []), *_of_draws(result, show=show)]


def _of_draws(result: CaseResult, *, show: bool) -> list[Phrase]:
    """Return which draws pass and how they were read, and what counts as one or only looks like it."""
    said = (checks.verdict_flip(result), checks.command_endings(result), checks.reading_paths(result))
    told = [phrase for phrase in said if phrase]
    return [*told, *_not_fresh(result), *equal.look_alikes(result, show=show), *equal.set_aside(result, show=show)]


def _not_fresh(result: CaseResult) -> list[Phrase]:
    """Return which draws may not be fresh, where it is not all of them: ``marked as replayed: draws 2, 3``."""
    found = [] if fresh.gate_of(result) is None else fresh.doubts_of(result)
    return [
        (f"{'marked as replayed' if doubt.marks else 'response id shared'}: {words.draws(doubt.indices)}",)
        for doubt in found
        if doubt.group == fresh.DRAWS and len(doubt.indices) < doubt.of
    ]


def _by(items: Iterable[tuple[K, GradedDraw]]) -> dict[K, list[int]]:
    groups: dict[K, list[int]] = {}
    for key, graded in items:
        groups.setdefault(key, []).append(graded.draw.index)
    return groups


def _errors(errors: Sequence[str]) -> Phrase:
    return words.listed([(quoted(error, words.CAUSE),) for error in errors], 2)


def cause(graded: GradedDraw, *, show: bool) -> Phrase:
    """Return why a draw is unreadable, to be put behind that word; empty where that is model text."""
    if show:
        return (": ", quoted(graded.cause or "", words.CAUSE))
    finish = graded.draw.reply.finish_reason if graded.draw.reply else None
    return (f": finish_reason {finish}",) if finish in _TELLING else ()


def counterexample(result: CaseResult) -> GradedDraw | None:
    """Return the draw to look at: one that is not the modal answer, or one that misses its contract.

    The former comes first, unless the draws agree well enough and the case fails on something else.
    """
    modal = result.modes[0] if result.modes else None
    came = [graded for graded in result.draws if graded.state is not DrawState.MISSING]
    odd = [graded for graded in came if modal is None or graded.draw.index not in modal.draws]
    contract = result.planned.case.contract
    wrong = [graded for graded in came if _missing(graded, contract)]
    fails = {gate.name for gate in words.failing(result)}
    # What the case fails on is to be seen before what it is forgiven.
    wrong.sort(key=lambda graded: fails.isdisjoint(_missing(graded, contract)))
    # A diff, and what a command wrote, is to be seen of a draw that misses.
    wrong_first = (fails and GateName.AGREEMENT not in fails) or contract.grader in _TOLD_APART
    return next(iter([*wrong, *odd] if wrong_first else [*odd, *wrong]), None)


def _missing(graded: GradedDraw, contract: Contract) -> set[GateName]:
    """Return what a draw misses of all that each draw is held to, as the gates that count it."""
    found = {
        GateName.SCHEMA: graded.schema_met is False,
        GateName.EXPECTED: graded.expected_met is False,
        GateName.LENGTH: _over(graded, contract.max_completion_tokens),
    }
    return {name for name, misses_it in found.items() if misses_it}


def _over(graded: GradedDraw, budget: int | None) -> bool:
    return budget is not None and graded.length is not None and graded.length > budget


def label(modes: Sequence[Mode], graded: GradedDraw) -> str:
    """Return the sign of a draw: its mode's letter, or the one for something that is no answer."""
    return next((mode.label for mode in modes if graded.draw.index in mode.draws), strips.UNREADABLE)
