"""Judges as tables: what each says of a deck in any order, read from the text of its reply as a paid judge's is."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from itertools import permutations

from evalaction.judge.reply import read_reply
from evalaction.records.deck import Deck, Fixture
from evalaction.records.draw import Cause, Draw, Failure, Reply
from evalaction.records.judge import Judged, JudgeRequest, Unjudged

Order = tuple[int, ...]
Judge = Callable[[Deck, Order], str]
"""(deck, order of its fixtures) → the text of the reply. A fixture's alias is ``a`` and its index in the deck."""

SUMS = Deck(
    name="sums",
    path="judge/traces.jsonl",
    rubric_path="judge/rubric.md",
    rubric="Pass a trace that ends with the right sum.",
    labels=("pass", "fail"),
    show=("task", "trace"),
    fixtures=(
        Fixture(id="t_right", line=1, fields={"task": "1 + 1", "trace": "It is 2."}, gold="pass"),
        Fixture(id="t_wrong", line=2, fields={"task": "1 + 1", "trace": "It is 3."}, gold="fail"),
        Fixture(id="t_empty", line=3, fields={"task": "1 + 2", "trace": ""}, gold="fail"),
    ),
    repeats=2,
)
"""The deck of docs/judge.md's worked example."""


def deck_of(*gold: str, labels: tuple[str, ...] = ("pass", "fail")) -> Deck:
    """Return a deck of fixtures f1, f2, … with these gold labels."""
    return Deck(
        name="deck",
        path="deck.jsonl",
        rubric_path="rubric.md",
        rubric="Pass what is right.",
        labels=labels,
        show=("trace",),
        fixtures=tuple(
            Fixture(id=f"f{number}", line=number, fields={"trace": f"t{number}"}, gold=label)
            for number, label in enumerate(gold, 1)
        ),
    )


def all_orders(deck: Deck) -> list[Order]:
    """Return every order of a deck's fixtures, sorted."""
    return list(permutations(range(len(deck.fixtures))))


def ask(judge: Judge, deck: Deck, *, orders: Sequence[Order] | None = None, repeats: int = 1) -> list[Judged]:
    """Return what comes of every asking, orders one after another."""
    asked = all_orders(deck) if orders is None else orders
    return [replied(deck, order, judge(deck, order), repeat=n) for order in asked for n in range(1, repeats + 1)]


def replied(deck: Deck, order: Order, reply: str, *, repeat: int = 1) -> Judged:
    """Return one request with what was replied to it."""
    aliases = tuple(f"a{index}" for index in order)
    request = JudgeRequest(order=order, repeat=repeat, aliases=aliases, messages=(), fingerprint="")
    return read_reply(request, came(deck, reply), labels=deck.labels)


def heard(deck: Deck, request: JudgeRequest, said: Sequence[str | None], *, number: int = 1) -> Judged:
    """Return a real request with the reply that gives these labels by position; nothing of what gets None."""
    listed = [
        {"id": alias, "label": label} for alias, label in zip(request.aliases, said, strict=True) if label is not None
    ]
    return read_reply(request, came(deck, json.dumps({"verdicts": listed}), number=number), labels=deck.labels)


def came(deck: Deck, text: str, *, number: int = 1) -> Draw:
    """Return the draw of a request about a deck to which this text was replied."""
    return Draw(path=deck.path, id=deck.name, index=number, seed=None, reply=Reply(text=text, finish_reason="stop"))


def unheard(deck: Deck, request: JudgeRequest, *, number: int = 1, cause: Cause = Cause.TRANSPORT) -> Unjudged:
    """Return a real request to which nothing came."""
    failure = Failure(cause=cause, message="nothing came")
    return Unjudged(request=request, draw=Draw(path=deck.path, id=deck.name, index=number, seed=None, failure=failure))


def verdicts(order: Order, labels: Sequence[str]) -> str:
    """Return the reply that gives these labels by position."""
    return json.dumps([{"id": f"a{index}", "label": label} for index, label in zip(order, labels, strict=True)])


def gold_of(deck: Deck, order: Order) -> list[str]:
    """Return the gold labels by position."""
    return [deck.fixtures[index].gold for index in order]


def honest(deck: Deck, order: Order) -> str:
    """Answer gold, whatever the order."""
    return verdicts(order, gold_of(deck, order))


def last_passes(_deck: Deck, order: Order) -> str:
    """Pass whatever stands last."""
    return verdicts(order, ["fail"] * (len(order) - 1) + ["pass"])


def first_two_pass(_deck: Deck, order: Order) -> str:
    """Pass the first two."""
    return verdicts(order, ["pass", "pass"] + ["fail"] * (len(order) - 2))


def last_flips(deck: Deck, order: Order) -> str:
    """Answer gold, but the other label for what stands last."""
    labels = gold_of(deck, order)
    return verdicts(order, [*labels[:-1], "fail" if labels[-1] == "pass" else "pass"])


def by_index(deck: Deck, order: Order) -> str:
    """Answer gold, under the numbers 1, 2, … in place of the names."""
    return json.dumps([{"id": place, "label": label} for place, label in enumerate(gold_of(deck, order), 1)])


def drops_the_last(deck: Deck, order: Order) -> str:
    """Answer gold, and forget what stands last."""
    return verdicts(order[:-1], gold_of(deck, order[:-1]))


def merges(_deck: Deck, order: Order) -> str:
    """Give one verdict for all."""
    return json.dumps([{"id": ", ".join(f"a{index}" for index in order), "label": "pass"}])


def in_prose(deck: Deck, order: Order) -> str:
    """Answer gold, in a sentence."""
    return "; ".join(f"a{index} is a {label}" for index, label in zip(order, gold_of(deck, order), strict=True))


def at_random(p: float, seed: int) -> Judge:
    """Return a judge that passes each fixture with probability ``p``, whatever it is and wherever it stands."""
    rng = random.Random(seed)  # noqa: S311 - a simulation

    def judge(_deck: Deck, order: Order) -> str:
        return verdicts(order, ["pass" if rng.random() < p else "fail" for _ in order])

    return judge
