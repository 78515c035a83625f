"""Whether a draw meets the value that its case expects. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evalaction.answer.equality import keyed, meets
from evalaction.answer.reading import Reading, Unreadable
from evalaction.answer.text import normal_form
from evalaction.letters import nfc, why_unusable
from evalaction.records.case import Contract, Grader
from evalaction.values import JSON


def meets_expected(reading: Reading | Unreadable, contract: Contract) -> bool:
    """Return whether what was read of a draw meets the expected value of its contract.

    Args:
        reading: of the draw, by the contract's own grader.
        contract: one with an expected value.

    Returns:
        An object's expected keys each by value, or by what the contract sets aside for them, over the whole value and
        not only what draws have to agree on; a number by value or within the tolerance, before it is rounded; a text in
        the form in which its grader compares texts.
    """
    if isinstance(reading, Unreadable):
        return False
    expect, grader = contract.expect, contract.grader
    if grader is Grader.JSON and isinstance(expect, dict):
        return isinstance(reading.value, dict) and _each(reading.value, expect, contract)
    if grader is Grader.NUMBER:
        return meets(reading.value, expect, contract.whole)
    if isinstance(expect, str) and grader in _TEXTS:
        return reading.answer == _TEXTS[grader](expect)
    return meets(reading.answer, expect)


def _in_normal_form(text: str) -> str | None:
    return None if why_unusable(text) else normal_form(text)


_TEXTS: Mapping[Grader, Callable[[str], str | None]] = {
    Grader.TEXT: _in_normal_form,
    # To the letter: another spelling of the same characters is another text.
    Grader.EXACT: str,
    Grader.CHOICE: str,
}
"""How an expected text is compared; None for one that nothing meets."""


def _each(value: dict[str, JSON], expect: dict[str, JSON], contract: Contract) -> bool:
    found = keyed(value)
    return all(
        (name := nfc(key)) in found and meets(found[name], wanted, contract.compared(name))
        for key, wanted in expect.items()
    )
