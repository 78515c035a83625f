"""Draw anew from the local model: ``python tests/drawn/draw.py`` writes draws.jsonl, to be read like code.

The outcomes in it are what the code under test made of the replies when they were drawn; a person reads them.
With ``--again`` nothing is drawn: the outcomes of the replies that are there are written anew.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from drawn.outcomes import DRAWS, Drawn, load, outcome_of
from drawn.prompts import PROMPTS, SEEDS, TEMPERATURE

from evalaction.demo.model import NAME, SLOTS, LocalModel


def draw(url: str, name: str, seed: int) -> Drawn:
    """Draw one reply."""
    prompt = PROMPTS[name]
    body = {
        "model": NAME,
        "messages": [{"role": role, "content": content} for role, content in prompt.messages],
        "max_tokens": prompt.max_tokens,
        "temperature": TEMPERATURE,
        "seed": seed,
    }
    (choice,) = httpx.post(f"{url}/chat/completions", json=body, timeout=120).raise_for_status().json()["choices"]
    return Drawn(prompt=name, seed=seed, text=choice["message"]["content"], finish_reason=choice["finish_reason"])


def drawn_anew() -> list[Drawn]:
    """Draw every prompt once for each seed."""
    asked = [(name, seed) for name in PROMPTS for seed in SEEDS]
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalModel(log=Path(folder) / "log") as model,
        ThreadPoolExecutor(SLOTS) as pool,
    ):
        return list(pool.map(lambda each: draw(model.base_url, *each), asked))


def rows(draws: list[Drawn]) -> Iterator[dict[str, Any]]:
    """Return what is kept of each draw."""
    for each in draws:
        yield {
            "prompt": each.prompt,
            "grader": PROMPTS[each.prompt].contract.grader.value,
            "seed": each.seed,
            "finish_reason": each.finish_reason,
            "text": each.text,
            "outcome": outcome_of(each),
        }


if __name__ == "__main__":
    found = load() if "--again" in sys.argv else drawn_anew()
    DRAWS.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(found)))
