"""One of a contract's labels, as an answer: the whole text is that label, or it is none. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalaction import late
from evalaction.answer.fences import find_fences
from evalaction.answer.plaintext import plain_text, quoted
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.suite.fields import END, MAX_LABEL, label_form
from evalaction.values import InvalidJSON, parse

MAX_WRAPPERS = 3
"""Marks around marks that are taken off."""

_MAX_LENGTH = 10 * MAX_LABEL
"""Characters beyond which a text is no label, whatever marks stand around it."""
_MARKED = late.pattern(
    r"""(?P<mark>`+|\*{1,3}|_{1,3}|["'])(?P<same>.+)(?P=mark)|“(?P<curly>.+)”|\u2018(?P<single>.+)\u2019|«(?P<angle>.+)»""",
    re.DOTALL,
)


def read_choice(text: str, labels: Sequence[str]) -> Reading | Unreadable:
    """Read a text as the grader ``choice`` does: it is one of the labels, and nothing else, without reasoning.

    The case of letters, white space at the ends and punctuation at the end are no part of a label. Quotation marks,
    emphasis, backticks, a fence or the marks of a JSON string may stand around all of it. A label is never looked for
    inside a longer text.

    Args:
        text: the completion.
        labels: as the golden file writes them, each of another form (``suite.fields.label_form``).

    Returns:
        The label as the golden file writes it, or why there is none.
    """
    visible = plain_text(text)
    if isinstance(visible, Unreadable):
        return visible
    forms = {label_form(label): label for label in labels}
    inner: str | None = visible.text.strip()
    for taken_off in range(MAX_WRAPPERS + 1):
        if inner is None or len(inner) > _MAX_LENGTH:
            break
        label = forms.get(label_form(inner))
        if label is not None:
            how = Extraction.MARKED if taken_off else Extraction.TEXT
            return Reading(value=label, answer=label, extraction=how, after_reasoning=visible.removed)
        inner = _unwrapped(inner)
    return Unreadable(cause=f"none of the labels: {quoted(visible.text.strip())}")


def _unwrapped(text: str) -> str | None:
    """Return what stands within the outermost marks of ``text``; None where no marks stand around all of it."""
    fences = find_fences(text)
    if fences:
        (start, end), (inner_start, inner_end) = fences[0].outer, fences[0].inner
        encloses = (start, end) == (0, len(text)) and inner_end < end
        return text[inner_start:inner_end].strip() if encloses else None
    text = text.rstrip(END + " \t\r\n")
    try:
        value = parse(text)
    except InvalidJSON:
        match = _MARKED.fullmatch(text)
        return None if match is None else match[match.lastgroup or "same"].strip()
    return value.strip() if isinstance(value, str) else None
