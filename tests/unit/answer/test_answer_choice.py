"""The grader ``choice``: the whole text is one of the labels, or it is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.answer.choice import read_choice
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.suite.fields import label_form

LABELS = ("billing", "Refund", "not sure", '"quoted"')


@pytest.mark.parametrize(
    ("text", "label", "how"),
    [
        ("billing", "billing", Extraction.TEXT),
        (" Billing.\n", "billing", Extraction.TEXT),
        ("REFUND!", "Refund", Extraction.TEXT),
        ("Not sure", "not sure", Extraction.TEXT),
        ('"quoted"', '"quoted"', Extraction.TEXT),
        ('"billing"', "billing", Extraction.MARKED),
        ('"billing".', "billing", Extraction.MARKED),
        ('"bill\\u0069ng"', "billing", Extraction.MARKED),
        ("'billing'", "billing", Extraction.MARKED),
        ("“billing”", "billing", Extraction.MARKED),
        ("**Billing**.", "billing", Extraction.MARKED),
        ("_billing_", "billing", Extraction.MARKED),
        ("`billing`", "billing", Extraction.MARKED),
        ("```\nbilling\n```", "billing", Extraction.MARKED),
        ('```json\n"**billing**"\n```', "billing", Extraction.MARKED),
    ],
)
def test_read_choice__label(text: str, label: str, how: Extraction) -> None:
    """Case, white space and end punctuation do not count, and marks may stand around all of it, three at most."""
    assert Reading(value=label, answer=label, extraction=how) == read_choice(text, LABELS)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", 'none of the labels: ""'),
        ("It is billing", 'none of the labels: "It is billing"'),
        ("billing, refund", 'none of the labels: "billing, refund"'),
        ("not  sure", 'none of the labels: "not  sure"'),
        ("(billing)", 'none of the labels: "(billing)"'),
        ("**billing", 'none of the labels: "**billing"'),
        ("**billing** refund", 'none of the labels: "**billing** refund"'),
        ("`'\"**billing**\"'`", 'none of the labels: "`\'\\"**billing**\\"\'`"'),
        ("```\nbilling", 'none of the labels: "```\\nbilling"'),
        ("```\nbilling\n```\nrefund", 'none of the labels: "```\\nbilling\\n```\\nrefund"'),
        ('["billing"]', 'none of the labels: "[\\"billing\\"]"'),
        ("<think>billing", "reasoning without an end: <think> is never closed, so what follows may be a draft"),
        ("<think>billing</think>", "nothing but reasoning"),
        ("b" + "\u0301" * 101, "more than 100 combining marks in a row"),
    ],
)
def test_read_choice__none(text: str, cause: str) -> None:
    """A label is never looked for inside a longer text; what is none is shown."""
    assert Unreadable(cause=cause) == read_choice(text, LABELS)


def test_read_choice__after_reasoning() -> None:
    """Reasoning is taken away first, whatever labels it names."""
    expected = Reading(value="billing", answer="billing", extraction=Extraction.TEXT, after_reasoning=True)
    assert expected == read_choice("<think>refund?</think>\n\nbilling", LABELS)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["`" * 1_000_000, "*a" * 500_000, '"' * 1_000_000, "é" * 1_000_000])
def test_read_choice__long(text: str) -> None:
    """A long text is no label, and that takes time that grows with its length."""
    assert isinstance(read_choice(text, LABELS), Unreadable)


@given(st.text(min_size=1, max_size=30))
def test_read_choice__any_text(text: str) -> None:
    """An answer without marks has the label's form, and every answer is a label as the golden file writes it."""
    found = read_choice(text, LABELS)
    if isinstance(found, Reading):
        assert found.answer in LABELS
        if found.extraction is Extraction.TEXT and not found.after_reasoning:
            assert label_form(text) == label_form(str(found.answer))
