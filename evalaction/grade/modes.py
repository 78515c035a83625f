"""The distinct answers of a case, with their counts. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.records.report import DrawState, GradedDraw, Mode
from evalaction.values import canonical, dumps

LETTERS = 26


def modes_of(draws: Sequence[GradedDraw]) -> tuple[Mode, ...]:
    """Return the distinct answers of ``draws``: most frequent first, then by canonical bytes; empty without any."""
    classes: dict[bytes, list[GradedDraw]] = {}
    forms: dict[int, bytes] = {}  # draws that agree to the letter have the very same answer
    for draw in draws:
        if draw.state is DrawState.ANSWERED:
            form = forms.get(id(draw.answer))
            if form is None:
                form = forms[id(draw.answer)] = canonical(draw.answer)
            classes.setdefault(form, []).append(draw)
    ranked = sorted(classes.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        Mode(
            label=label(rank),
            answer=members[0].answer,
            count=len(members),
            draws=tuple(member.draw.index for member in members),
            modal=len(members) == len(ranked[0][1]),
        )
        for rank, (_, members) in enumerate(ranked)
    )


def label(rank: int) -> str:
    """Return the label of a mode by its rank from 0: A to Z, then AA and so on."""
    text, rest = "", rank + 1
    while rest:
        rest, letter = divmod(rest - 1, LETTERS)
        text = chr(ord("A") + letter) + text
    return text


def differing_keys(modes: Sequence[Mode]) -> tuple[str, ...]:
    """Return the keys on which the modes differ, absence included, sorted; empty unless all are objects."""
    answers = [mode.answer for mode in modes if isinstance(mode.answer, dict)]
    if len(answers) < len(modes):
        return ()
    keys = sorted({key for answer in answers for key in answer})
    return tuple(key for key in keys if len({dumps(answer[key]) if key in answer else None for answer in answers}) > 1)


def is_flipping(modes: Sequence[Mode], draws: Sequence[GradedDraw]) -> bool:
    """Return whether there is more than one answer, or an unreadable draw beside a readable one."""
    return len(modes) > 1 or (bool(modes) and any(draw.state is DrawState.UNREADABLE for draw in draws))
