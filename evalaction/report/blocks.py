"""A text built of blocks that give way in a fixed order until it fits. Pure.

Nothing is ever cut in the middle of a text: a block has shorter forms of its own, each whole, so every
fence and every fold that is opened is closed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from evalaction.frozen import frozen

GAP = "\n\n"
"""Stands between blocks."""


class DoesNotFit(ValueError):
    """The shortest form is still over the limit."""


@frozen
class Form:
    """A shorter form of a block."""

    text: str
    """Empty to leave the block out."""
    step: int
    """When it is taken: all forms of a lower step, in the whole text, come first."""
    lost: str
    """What a reader misses then, as a singular noun: ``raw completion``, ``table row``."""
    number: int = 1
    """How many of them."""


@frozen
class Block:
    """A part of the text with the forms it can shrink to."""

    text: str | None
    """None when the whole can never fit, and was not built: then there is a shorter form, and one has to be taken."""
    forms: tuple[Form, ...] = ()
    """Each shorter than the one before, by rising step."""
    glue: str = GAP
    """What stands before it when it is not the first."""


def size(text: str) -> int:
    """Return the UTF-8 bytes of ``text``: never fewer than its characters or its UTF-16 units."""
    return len(text.encode())


def fit(
    blocks: Sequence[Block], *, limit: int, left_out: Mapping[str, int], notice: Callable[[Mapping[str, int]], Block]
) -> str:
    """Join the blocks, shrinking as many as needed: by step, within a step from the end.

    Args:
        blocks: in the order in which they are read; one at least.
        limit: UTF-8 bytes of the whole text.
        left_out: what was left out before, by noun.
        notice: makes the block that says what is missing; it becomes the second one when anything is.

    Raises:
        DoesNotFit: the shortest forms are too long together.
    """
    level = [0] * len(blocks)
    moves = sorted(
        (
            (form.step, -index, number)
            for index, block in enumerate(blocks)
            for number, form in enumerate(block.forms, 1)
        )
    )
    missing = Counter(left_out)
    # What was not built counts as longer than everything: nothing fits before a form of it is taken.
    costs = [limit + 1 if block.text is None else _cost(block, block.text) for block in blocks]
    total = sum(costs) - size(blocks[0].glue)
    for _, negative, number in moves:
        if total <= limit and total + _notice_cost(missing, notice) <= limit:
            break
        index = -negative
        block = blocks[index]
        if level[index]:
            missing[block.forms[level[index] - 1].lost] -= block.forms[level[index] - 1].number
        form = block.forms[number - 1]
        missing[form.lost] += form.number
        cost = _cost(block, form.text)
        total += cost - costs[index]
        costs[index], level[index] = cost, number
    chosen = [
        (block.glue, block.forms[at - 1].text if at else block.text or "")
        for block, at in zip(blocks, level, strict=True)
    ]
    if +missing:
        said = notice(+missing)
        chosen.insert(1, (said.glue, said.text or ""))
    text = _join(chosen)
    if size(text) > limit:
        raise DoesNotFit(f"{size(text):,} bytes at least, and {limit:,} are allowed")
    return text


def _cost(block: Block, text: str) -> int:
    return size(text) + size(block.glue) if text else 0


def _notice_cost(missing: Mapping[str, int], notice: Callable[[Mapping[str, int]], Block]) -> int:
    if not any(missing.values()):
        return 0
    block = notice({noun: number for noun, number in missing.items() if number > 0})
    return _cost(block, block.text or "")


def _join(chosen: Sequence[tuple[str, str]]) -> str:
    parts: list[str] = []
    for glue, text in chosen:
        if text:
            parts += [glue, text] if parts else [text]
    return "".join(parts)
