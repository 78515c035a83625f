"""Blocks give way in their order, each whole."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.report.blocks import Block, DoesNotFit, Form, fit

FORM = Form(text="b", step=1, lost="letter", number=3)


def notice(missing: Mapping[str, int]) -> Block:
    """Return what is missing, in short."""
    return Block(text=f"{dict(missing)}")


BLOCKS = [
    Block(text="head"),
    Block(text="bbbb" * 20, forms=(FORM, Form(text="", step=3, lost="word"))),
    Block(text="cccc" * 20, forms=(Form(text="", step=2, lost="word"),), glue="\n"),
    Block(text="dddd" * 20, forms=(Form(text="", step=2, lost="word"),)),
]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (249, "head\n\n" + "bbbb" * 20 + "\n" + "cccc" * 20 + "\n\n" + "dddd" * 20),
        (248, "head\n\n{'letter': 3}\n\nb\n" + "cccc" * 20 + "\n\n" + "dddd" * 20),
        (184, "head\n\n{'letter': 3, 'word': 1}\n\nb\n" + "cccc" * 20),
        (100, "head\n\n{'letter': 3, 'word': 2}\n\nb"),
        (30, "head\n\n{'word': 3}"),
    ],
)
def test_fit__table(limit: int, expected: str) -> None:
    """Lower steps come first, within a step the last block, and the second block says what is missing."""
    assert fit(BLOCKS, limit=limit, left_out={}, notice=notice) == expected


def test_fit__refuses() -> None:
    """What fits in no form is refused."""
    with pytest.raises(DoesNotFit, match=r"^17 bytes at least, and 16 are allowed$"):
        fit(BLOCKS, limit=16, left_out={}, notice=notice)


def test_fit__left_out_before() -> None:
    """What was left out before is said even when everything else fits."""
    assert fit(BLOCKS[:1], limit=100, left_out={"row": 2, "case": 0}, notice=notice) == "head\n\n{'row': 2}"


def test_fit__not_built() -> None:
    """What was not built is not there, however much room there is, and is counted as what it gave way to."""
    blocks = [
        Block(text="head"),
        Block(text=None, forms=(FORM, Form(text="", step=3, lost="word"))),
        Block(text="cccc", forms=(Form(text="c", step=1, lost="word"),)),
        Block(text="dddd", forms=(Form(text="", step=2, lost="word"),)),
    ]

    assert fit(blocks, limit=100, left_out={}, notice=notice) == "head\n\n{'word': 1, 'letter': 3}\n\nb\n\nc\n\ndddd"


@given(st.lists(st.text("a測🔴", max_size=50), min_size=1, max_size=20), st.integers(30, 400))
def test_fit__never_over_the_limit(texts: list[str], limit: int) -> None:
    """Whatever the blocks, the text is within the limit in bytes."""
    blocks = [Block(text="h"), *(Block(text=text, forms=(Form(text="", step=1, lost="x"),)) for text in texts)]

    assert len(fit(blocks, limit=limit, left_out={}, notice=notice).encode()) <= limit
