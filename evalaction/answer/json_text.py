"""One JSON value from a completion: strict JSON, one fence, or one object in prose; nothing is repaired. Pure.

The rules, in their order, are in docs/answers.md.
"""

from __future__ import annotations

from evalaction.answer.fences import Fence, TooManyFences, find_fences
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.answer.reasoning import Visible, blank_out, without_reasoning
from evalaction.answer.scan import Found, scan
from evalaction.comparable import why_incomparable
from evalaction.faults import located
from evalaction.values import JSON, InvalidJSON, parse

MAX_VALUES = 100_000
"""Values within one JSON value beyond which it is refused: no model writes so many at once, and each takes time again
wherever the answer is compared and shown.
"""
AMBIGUOUS = "ambiguous: more than one JSON value, and they differ"
FENCE = "`"
"""What stands in place of a fenced block where prose is read."""
UNCLOSED = "reasoning without an end: <think> is never closed, so what follows may be a draft"


def read_json(text: str, *, arrays: bool = False) -> Reading | Unreadable:
    """Read the one JSON value that ``text`` gives.

    Args:
        text: the completion, as it came.
        arrays: an array in prose or in a fence without a language counts as an answer.

    Returns:
        The value with where it stood, or why there is none.
    """
    try:
        return _reading(parse(text), Extraction.WHOLE)
    except InvalidJSON as error:
        fault = error
    visible = without_reasoning(text, in_json=True)
    if visible.unclosed:
        return Unreadable(cause=UNCLOSED)
    if visible.removed:
        if not visible.text.strip():
            return Unreadable(cause="nothing but reasoning")
        try:
            return _reading(parse(visible.text), Extraction.WHOLE, after_reasoning=True)
        except InvalidJSON as error:
            fault = error
    return _search(text, visible, fault, arrays=arrays)


def _reading(value: JSON, extraction: Extraction, *, after_reasoning: bool = False) -> Reading | Unreadable:
    if holds_more_values(value, than=MAX_VALUES):
        return Unreadable(cause=f"more than {MAX_VALUES:,} values in one JSON value")
    if cause := why_incomparable(value):
        return Unreadable(cause=cause)
    return Reading(value=value, answer=value, extraction=extraction, after_reasoning=after_reasoning)


def holds_more_values(value: JSON, *, than: int) -> bool:
    """Return whether a value holds more than so many others, at any depth."""
    left, waiting = than, [value]
    while waiting:
        outer = waiting.pop()
        if isinstance(outer, dict | list):
            left -= len(outer)
            if left < 0:
                return True
            inner = outer.values() if isinstance(outer, dict) else outer
            waiting += [each for each in inner if type(each) is dict or type(each) is list]
    return False


def _search(original: str, visible: Visible, fault: InvalidJSON, *, arrays: bool) -> Reading | Unreadable:
    """Look into fences, then into prose; ``fault`` is why the whole is not JSON."""
    try:
        fences = find_fences(visible.text)
    except TooManyFences as error:
        return Unreadable(cause=str(error))
    found, how = _in_fences(visible.text, fences, arrays=arrays), Extraction.FENCE
    stray = bool(fences) and not fences[-1].language and fences[-1].inner[1] == fences[-1].outer[1]
    if (not found.distinct and not found.fault) or stray:  # a bare fence without an end may be the end of another
        # By a sign that JSON does not know: what stands before a fence and after it is no one value.
        prose = scan(blank_out(visible.text, [fence.outer for fence in fences], by=FENCE), arrays=arrays)
        if prose.distinct and not found.distinct:
            how = Extraction.ARRAY if isinstance(prose.values[0], list) else Extraction.OBJECT
        found.merge(prose)
        _add_foreign(found, visible.text, fences)
    if len(found.distinct) > 1:
        return Unreadable(cause=AMBIGUOUS)
    if found.fault:
        return Unreadable(cause=_invalid(found.fault, original))
    if found.distinct:
        return _reading(found.values[0], how, after_reasoning=visible.removed)
    return Unreadable(cause=_why_nothing(original, visible, found, fault, arrays=arrays))


def _in_fences(text: str, fences: list[Fence], *, arrays: bool) -> Found:
    """Read the fences that say JSON, and those that say nothing."""
    labelled, bare = Found(), Found()
    for fence in fences:
        start, end = fence.inner
        content, says_json = text[start:end], fence.language.startswith("json")
        if not content.strip() or not (says_json or not fence.language):
            continue
        into = labelled if says_json else bare
        if into.decided:
            continue
        inner = _in_fence(content, says_json=says_json, arrays=arrays)
        if inner.fault:
            inner.fault.position += start
        into.merge(inner)
    if labelled.distinct:
        bare.fault = None  # a command line beside the answer may hold half an object
    labelled.merge(bare)
    return labelled


def _in_fence(content: str, *, says_json: bool, arrays: bool) -> Found:
    """Read one fence: any JSON value where it says JSON, an object (or an array) otherwise."""
    if not says_json:
        return scan(content, arrays=arrays)
    found = Found()
    try:
        found.add(parse(content))
    except InvalidJSON as error:
        found = scan(content, arrays=arrays)
        if not found.decided and not found.distinct:
            found.fault = error
    return found


def _add_foreign(found: Found, text: str, fences: list[Fence]) -> None:
    """Add what fences of another language hold, where that is one whole JSON object and no code."""
    for fence in fences:
        if not fence.language or fence.language.startswith("json"):
            continue
        try:
            value = parse(text[slice(*fence.inner)])
        except InvalidJSON:
            continue
        if isinstance(value, dict):
            found.add(value)


def _why_nothing(original: str, visible: Visible, found: Found, fault: InvalidJSON, *, arrays: bool) -> str:
    if arrays and found.mark:
        return f"no answer in the text: {found.mark} may be a citation mark or a check box"
    if visible.text.lstrip()[:1] in {"{", "["}:
        return _invalid(fault, original)
    if found.enclosed:
        return "no answer in the text: its only JSON object stands inside other brackets"
    return "no JSON object or array in the text" if arrays else "no JSON object in the text"


def _invalid(fault: InvalidJSON, text: str) -> str:
    fault = located(text, fault)
    line = text.count("\n", 0, fault.position) + 1
    column = fault.position - (text.rfind("\n", 0, fault.position) + 1) + 1
    return f"invalid JSON at line {line}, column {column}: {fault}"
