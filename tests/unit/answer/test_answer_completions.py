"""The table of docs/answers.md, from a completion to its answer."""

from __future__ import annotations

import pytest
from support.completions import ROWS, Completion
from support.grading import reply_of

from evalaction.answer.read import read_answer
from evalaction.answer.reading import Unreadable
from evalaction.records.case import Contract
from evalaction.values import dumps


def comes_to(text: str, contract: Contract) -> Completion:
    """Return what a completion comes to."""
    reading = read_answer(reply_of(text), contract)
    if isinstance(reading, Unreadable):
        return Completion(text=text, cause=reading.cause)
    return Completion(text=text, answer=dumps(reading.answer), how=reading.how)


@pytest.mark.parametrize(
    ("contract", "expected"), ROWS, ids=[f"{contract.grader}-{each.text[:30]!r}" for contract, each in ROWS]
)
def test_completion(contract: Contract, expected: Completion) -> None:
    """A completion comes to the answer that the documentation shows, read as it says, or to the cause."""
    assert expected == comes_to(expected.text, contract)
