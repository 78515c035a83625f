"""Judges that answer over HTTP: each reads the items of a request as a paid judge would, and knows no more.

``with judging(honest) as endpoint`` listens on loopback; what a judge knows of a trace is written in the trace itself
(``traces``), so that neither ids nor orders have to be known.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from support.endpoint import Answer, ScriptedEndpoint, answer, completion

Item = dict[str, Any]
Judge = Callable[[Sequence[Item]], str]
"""Items of one request, in their order → the text of the reply."""

RIGHT, WRONG = "The sum is right.", "The sum is off by one."


def fixtures(*gold: str) -> str:
    """Return the lines of a deck whose traces say to a reader what they are worth."""
    rows = [
        {
            "id": f"f{number}",
            "task": f"Add {number} and {number}.",
            "trace": RIGHT if label == "pass" else WRONG,
            "gold": label,
        }
        for number, label in enumerate(gold, 1)
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def items_of(body: Any) -> list[Item]:
    """Return what a request puts to the judge: the JSON list between its two marks."""
    mark, *lines = str(body["messages"][1]["content"]).splitlines()
    return list(json.loads("\n".join(lines[: lines.index(mark)])))


def is_repair(body: Any) -> bool:
    """Tell whether a request asks once more for a reply that could not be read."""
    return len(body["messages"]) > 2


def judging(judge: Judge, *, repaired: Judge | None = None) -> ScriptedEndpoint:
    """Return an endpoint at which a judge answers.

    Args:
        judge: what it says.
        repaired: what it says when it is asked once more; None for the same again.
    """

    def script(number: int, body: Any) -> Answer:
        said = repaired if repaired is not None and is_repair(body) else judge
        return answer(completion(said(items_of(body)), id=f"judge-{number}", model=body["model"]))

    return ScriptedEndpoint(script)


def true_label(item: Item) -> str:
    """Return what a trace deserves."""
    return "pass" if RIGHT in item["trace"] else "fail"


def verdicts(items: Sequence[Item], labels: Sequence[str]) -> str:
    """Return the reply that gives these labels, under the items' own names."""
    given = [{"id": item["id"], "label": label} for item, label in zip(items, labels, strict=True)]
    return json.dumps({"verdicts": given})


def honest(items: Sequence[Item]) -> str:
    """Judge each trace by what it is."""
    return verdicts(items, [true_label(item) for item in items])


def last_passes(items: Sequence[Item]) -> str:
    """Pass whatever stands last."""
    return verdicts(items, ["fail"] * (len(items) - 1) + ["pass"])


def first_two_pass(items: Sequence[Item]) -> str:
    """Pass the first two."""
    return verdicts(items, ["pass", "pass"] + ["fail"] * (len(items) - 2))


def last_flips(items: Sequence[Item]) -> str:
    """Judge honestly, but give the other label to what stands last."""
    labels = [true_label(item) for item in items]
    return verdicts(items, [*labels[:-1], "fail" if labels[-1] == "pass" else "pass"])


def answers_by_index(items: Sequence[Item]) -> str:
    """Judge honestly, under the numbers 1, 2, … in place of the names."""
    return json.dumps([{"id": place, "label": true_label(item)} for place, item in enumerate(items, 1)])


def drops_the_last(items: Sequence[Item]) -> str:
    """Judge honestly, and forget what stands last."""
    return honest(items[:-1])


def merges(items: Sequence[Item]) -> str:
    """Give one verdict for all."""
    return json.dumps({"id": ", ".join(item["id"] for item in items), "label": "pass"})


def in_prose(items: Sequence[Item]) -> str:
    """Judge honestly, in sentences."""
    return " ".join(f"{item['id']} is a {true_label(item)}." for item in items)


def obeys(items: Sequence[Item]) -> str:
    """Judge honestly, unless an item tells it what to say: then all pass."""
    if any("ignore the rubric" in str(item).lower() for item in items):
        return verdicts(items, ["pass"] * len(items))
    return honest(items)


def at_random(p: float, seed: int) -> Judge:
    """Return a judge that passes each item with probability ``p``; the same one for the same request and asking."""
    rng = random.Random(seed)  # noqa: S311 - a simulation

    def judge(items: Sequence[Item]) -> str:
        return verdicts(items, ["pass" if rng.random() < p else "fail" for _ in items])

    return judge
