"""The draws that are kept, and what the code under test makes of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drawn.prompts import PROMPTS

from evalaction.answer.read import read_answer
from evalaction.answer.reading import Unreadable
from evalaction.records.draw import Reply
from evalaction.values import dumps

DRAWS = Path(__file__).parent / "draws.jsonl"


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """One reply of the local model."""

    prompt: str
    seed: int
    text: str | None
    finish_reason: str | None
    outcome: Any = None
    """``{"answer": …, "how": …}`` or ``{"cause": …}``; None for one that was not read yet."""


def load() -> list[Drawn]:
    """Return the draws that are kept."""
    return [
        Drawn(
            prompt=row["prompt"],
            seed=row["seed"],
            text=row["text"],
            finish_reason=row["finish_reason"],
            outcome=row["outcome"],
        )
        for row in map(json.loads, DRAWS.read_text().splitlines())
    ]


def outcome_of(drawn: Drawn) -> Any:
    """Return the answer with how it was read, or the cause why there is none."""
    reading = read_answer(Reply(text=drawn.text, finish_reason=drawn.finish_reason), PROMPTS[drawn.prompt].contract)
    if isinstance(reading, Unreadable):
        return {"cause": reading.cause}
    return {"answer": dumps(reading.answer), "how": reading.how}
