"""What there is to say about one case, in sentences for any place: what moved, what is wrong, what to do. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from evalaction.records.draw import Cause
from evalaction.records.report import CaseResult, DrawState, GateName, GradedDraw, Mode, Verdict
from evalaction.report import words
from evalaction.report.untrusted import Phrase, Quoted, quoted
from evalaction.values import JSON, dumps

KEYS, MODES, LINES = 4, 8, 8
"""Most keys, modes and lines of one kind that are shown; the report file has all."""

_FEW, _BRIEF = 3, 40
"""Answers that are set side by side in a sentence, and characters of each."""
_IN_FIGURES = {GateName.AGREEMENT, GateName.EXPECTED, GateName.SCHEMA, GateName.LENGTH}
"""Gates whose outcome stands among a case's figures."""
_TELLING = {"length", "content_filter", "tool_calls"}
"""Reasons to stop that explain why there is no answer."""

_REMEDIES: Mapping[GateName, str] = {
    GateName.EXPECTED: "correct the prompt, or the expected value if that is what is wrong",
    GateName.SCHEMA: "have the prompt ask for the form that the contract names",
    GateName.LENGTH: "have the prompt ask for less, or raise max_completion_tokens",
    GateName.INDEPENDENCE: "find out who answers in the model's place: a draw has to be a fresh reply",
}
_ANSWERS_ONLY = "have the prompt ask for nothing but the answer"
_WAYS_ON: Mapping[Cause, str] = {
    Cause.REJECTED: "check endpoint, key and model, then run it again",
    Cause.STOPPED: "check endpoint, key and model, then run it again",
    Cause.RUBBISH: "check that the endpoint is a chat-completions one",
    Cause.TOO_LARGE: "set max_tokens",
    Cause.BUDGET: "raise max-calls, or narrow the run with --case or --tag",
    Cause.DEADLINE: "raise deadline, or narrow the run with --case or --tag",
}
_AGAIN = "run it again"

K = TypeVar("K")


def difference(result: CaseResult, *, show: bool) -> Phrase:
    """Return in what the answers differ, from each other or from the expected value; empty when in nothing.

    Args:
        result: of a case.
        show: whether model text may be shown.
    """
    modes, keys = result.modes, _shown_keys(result, show=show)
    if len(modes) > 1:
        if show and len(modes) <= _FEW and len(keys) <= 1:
            return _side_by_side(result, keys)
        who = " and ".join(mode.label for mode in modes) if len(modes) == 2 else f"{len(modes)} answers"  # noqa: PLR2004 - A and B
        return (f"{who} differ", *((" in ", *words.listed([(_key(key),) for key in keys], KEYS)) if keys else ()))
    if modes and any(gate.name is GateName.EXPECTED for gate in words.failing(result)):
        return _wrong(result, show=show)
    return ()


def _side_by_side(result: CaseResult, keys: Sequence[str]) -> Phrase:
    parts: list[Phrase] = []
    for mode in result.modes:
        place = f" in {mode.count} of {result.planned.case.n}" if not parts else f" in {mode.count}"
        parts.append((*_brief(mode.answer, keys), place))
    said = words.listed(parts, _FEW)
    return (_key(keys[0]), ": ", *said) if keys else said


def _brief(answer: JSON, keys: Sequence[str]) -> Phrase:
    if keys and isinstance(answer, dict):
        return (words.value(answer[keys[0]], _BRIEF),) if keys[0] in answer else ("absent",)
    return (words.value(answer, _BRIEF),)


def _wrong(result: CaseResult, *, show: bool) -> Phrase:
    keys, expected, answer = wrong_keys(result), result.planned.case.contract.expect, result.modes[0].answer
    if not keys or not isinstance(expected, dict):
        return ("A is not the expected value",)
    if show and len(keys) == 1:
        return (_key(keys[0]), ": ", *_brief(answer, keys), ", expected ", *_brief(expected, keys))
    return ("A is wrong in ", *words.listed([(_key(key),) for key in keys], KEYS))


def wrong_keys(result: CaseResult) -> list[str]:
    """Return the expected keys that the most frequent answer has another value for, of those it is read from."""
    expected, answer = result.planned.case.contract.expect, result.modes[0].answer
    if not isinstance(expected, dict) or not isinstance(answer, dict):
        return []
    compared = [key for key in expected if is_compared(result, key)]
    return [key for key in compared if key not in answer or dumps(answer[key]) != dumps(expected[key])]


def is_compared(result: CaseResult, key: str) -> bool:
    """Return whether ``key`` is part of the answer: other expected keys are looked up in the completion."""
    projection = result.planned.case.contract.projection
    return not projection or key in projection


def _key(key: str) -> Quoted:
    return quoted(key, words.NAME)


def _shown_keys(result: CaseResult, *, show: bool) -> tuple[str, ...]:
    """Return the differing keys that may be shown: a key that the contract doesn't name is model text."""
    if show:
        return result.differing_keys
    return tuple(key for key in result.differing_keys if key in result.planned.case.contract.projection)


def advice(result: CaseResult, *, show: bool) -> str | None:
    """Return what to do about a case in our own words; None for one that passes.

    Args:
        result: of a case.
        show: whether model text may be shown; what the endpoint said names its own remedy then.
    """
    if result.verdict is Verdict.UNMEASURED:
        causes = [group.failure.cause for group in words.missing([result])]
        known = not causes or (show and causes[0] in _WAYS_ON)
        return None if known else _WAYS_ON.get(causes[0], _AGAIN)
    gates = [gate.name for gate in words.failing(result)]
    if GateName.AGREEMENT in gates:
        return "have the prompt settle which answer is right" if len(result.modes) > 1 else _ANSWERS_ONLY
    return next((_REMEDIES[name] for name in words.BY_WEIGHT if name in gates and name in _REMEDIES), None)


def findings(result: CaseResult, *, show: bool, besides: GradedDraw | None = None) -> list[Phrase]:
    """Return what the figures of a case do not say: why draws are unreadable, what is wrong with their form.

    Args:
        result: of a case.
        show: whether model text may be shown.
        besides: a draw whose cause is told elsewhere.
    """
    lines: list[Phrase] = [
        (gate.name, ": ", quoted(gate.detail, words.CAUSE))
        for gate in result.gates
        if gate.verdict is not Verdict.PASS and gate.name not in _IN_FIGURES
    ]
    others = [graded for graded in result.draws if graded.draw is not (besides.draw if besides else None)]
    unreadable = _by((cause(graded, show=show), graded) for graded in others if graded.state is DrawState.UNREADABLE)
    lines += [(f"unreadable, {words.draws(indices)}", *why) for why, indices in unreadable.items() if why]
    if show:
        wrong = _by((graded.schema_errors, graded) for graded in result.draws if graded.schema_errors)
        lines += [(f"form, {words.draws(indices)}: ", *_errors(errors)) for errors, indices in wrong.items()]
    return lines


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
    """Return the draw to look at: one that is not the modal answer, or else one that misses its contract."""
    modal = result.modes[0] if result.modes else None
    came = [graded for graded in result.draws if graded.state is not DrawState.MISSING]
    odd = [graded for graded in came if modal is None or graded.draw.index not in modal.draws]
    budget = result.planned.case.contract.max_completion_tokens
    wrong = [
        graded for graded in came if graded.schema_met is False or graded.expected_met is False or _over(graded, budget)
    ]
    return next(iter([*odd, *wrong]), None)


def _over(graded: GradedDraw, budget: int | None) -> bool:
    return budget is not None and graded.length is not None and graded.length > budget


def label(modes: Sequence[Mode], graded: GradedDraw) -> str:
    """Return the sign of a draw: its mode's letter, or the one for something that is no answer."""
    return next((mode.label for mode in modes if graded.draw.index in mode.draws), words.UNREADABLE)
