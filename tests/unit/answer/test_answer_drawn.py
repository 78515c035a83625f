"""Three hundred draws of the local model: what came of each, and that the documentation names it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from drawn.outcomes import Drawn, load, outcome_of
from drawn.prompts import PROMPTS, SEEDS

from evalaction.answer.reading import Extraction

DRAWS = load()
ANSWERS = (Path(__file__).parents[3] / "docs" / "answers.md").read_text()
CAUSES = {
    "truncated: the token limit ended the reply": "`truncated: the token limit ended the reply …`",
    "empty: ": "`empty: …`",
    "ambiguous: ": "`ambiguous",
    "invalid JSON at line ": "`invalid JSON at line 1, column 40: …`",
    "no JSON object in the text": "no JSON object in the text",
    "no JSON object or array in the text": "no JSON object or array in the text",
    "no answer in the text: its only JSON object": "no answer in the text: its only JSON object",
    "not an object: ": "not an object: ",
    "none of the labels: ": "none of the labels: ",
    "no number in the text": "no number in the text",
    "not written as a number: ": "not written as a number: ",
    "the pattern matches nowhere": "the pattern matches nowhere",
    "no fence that says python": "no fence that says python",
    "a fence that says python is never closed": "a fence that says python is never closed",
    "reasoning without an end: ": "reasoning without an end: ",
    "nothing but reasoning": "nothing but reasoning",
}
"""How a cause begins → the words of docs/answers.md that name it."""


def test_drawn__all() -> None:
    """Every prompt was drawn once with each seed: 300 draws."""
    assert [(name, seed) for name in PROMPTS for seed in SEEDS] == [(each.prompt, each.seed) for each in DRAWS]
    assert len(DRAWS) == 300


@pytest.mark.parametrize("drawn", DRAWS, ids=[f"{each.prompt}-{each.seed}" for each in DRAWS])
def test_drawn__outcome(drawn: Drawn) -> None:
    """What comes of a draw is what a reader of it wrote down: its answer and how it was read, or the cause."""
    assert drawn.outcome == outcome_of(drawn)


@pytest.mark.parametrize("drawn", DRAWS, ids=[f"{each.prompt}-{each.seed}" for each in DRAWS])
def test_drawn__documented(drawn: Drawn) -> None:
    """docs/answers.md names how each draw was read, or the cause why it was not."""
    if "how" in drawn.outcome:
        how = drawn.outcome["how"].removesuffix(", after reasoning")
        assert how in {each.value for each in Extraction}
        assert re.search(rf"\| {re.escape(drawn.outcome['how'])} \|", ANSWERS)
        return
    (named,) = (words for begins, words in CAUSES.items() if drawn.outcome["cause"].startswith(begins))
    assert named in ANSWERS


def test_drawn__variety() -> None:
    """The draws are of many kinds: no single way of reading, and no single cause, stands for most of them."""
    kinds = Counter(each.outcome.get("how") or each.outcome["cause"].partition(":")[0] for each in DRAWS)
    assert len(kinds) >= 10
    assert max(kinds.values()) < 200
