"""The stub judges: what proves, on every run and before anything is sent, that the instrument can tell judges apart.

Each stub reads a request as a paid judge does, by its text, and answers with a text that goes through the reader and
the scorer of every reply. What each has to come to is known beforehand. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from evalaction.errors import CannotMeasure, Problem
from evalaction.judge.reply import read_reply
from evalaction.judge.request import requests_of
from evalaction.judge.score import score_deck
from evalaction.records.deck import Deck, Fixture
from evalaction.records.draw import Draw, Reply
from evalaction.records.gate import Share
from evalaction.records.judge import DeckScore, Examined, Judged, JudgeRequest, StubScores
from evalaction.values import sha256

Stub = Callable[[Sequence[str], Sequence[str]], Mapping[str, str]]
"""(aliases in the order of the request, the deck's labels) → label by alias."""

_BY_ALIAS = 16
"""Labels, at the least, that the stubs by the alias give to one request: a small deck takes several of them, since one
alone may happen to give all its aliases the same label.
"""

BUILT_IN = Deck(
    name="built-in",
    path="",
    rubric_path="",
    rubric="A trace passes when it does what its task asks for, and fails otherwise.",
    labels=("pass", "fail"),
    show=("task", "trace"),
    fixtures=(
        Fixture(id="1", line=1, fields={"task": "Add 2 and 3.", "trace": "2 + 3 = 5"}, gold="pass"),
        Fixture(id="2", line=2, fields={"task": "Sort 9, 4 and 7.", "trace": "4, 9, 7"}, gold="fail"),
        Fixture(id="3", line=3, fields={"task": "Write the word stone in capitals.", "trace": "STONE"}, gold="pass"),
    ),
)
"""The deck of a repository that has none."""


def examine(deck: Deck) -> StubScores:
    """Return how the stub judges do over the very requests that are planned for a deck.

    Args:
        deck: two fixtures or more, whose gold labels are not all alike.
    """
    requests = requests_of(deck)
    # A stub says the same to the same bytes, and what it said is read once.
    asked = [list(same) for _, same in groupby(requests, key=lambda request: replace(request, repeat=0))]
    seen = [_seen(same[0]) for same in asked]
    key = _key(deck, requests)

    def score(stub: Stub) -> DeckScore:
        read = [
            _judged(same[0], _reply(stub(aliases, deck.labels)), deck)
            for same, aliases in zip(asked, seen, strict=True)
        ]
        pairs = [(judged, request) for judged, same in zip(read, asked, strict=True) for request in same]
        return score_deck(deck, [replace(judged, request=request) for judged, request in pairs])

    identities = [score(partial(_identity, salt=salt)) for salt in range(-(-_BY_ALIAS // len(deck.fixtures)))]
    return StubScores(
        positional=score(_positional).judge_flip_rate,
        positional_first=score(_positional_first).judge_flip_rate,
        identity=max((each.judge_flip_rate for each in identities), key=lambda share: share.count),
        gold=score(partial(_gold, key=key)).gold,
        stamp=score(_stamp).gold,
        forgetful=_lost(score(partial(_forgetful, key=key))),
    )


def broken(scores: StubScores) -> str | None:
    """Return what is wrong with the instrument, in a sentence without an end; None for a sound one."""
    found = [
        *_not_all(scores.positional, "the stub that goes by the last place flips on", "fixtures"),
        *_not_all(scores.positional_first, "the stub that goes by the first place flips on", "fixtures"),
        *_not_all(scores.forgetful, "the stub that leaves out the last place is found out on", "fixtures"),
        *_not_all(scores.gold, "the stub that answers gold is right on", "labels"),
    ]
    if scores.identity.count:
        found.append(f"the stub that goes by names flips on {scores.identity} fixtures instead of none")
    if scores.stamp.count >= scores.stamp.of:
        found.append(f"the stub that answers one label is right on {scores.stamp} labels instead of some")
    return "; ".join(found) or None


def prove(decks: Sequence[Deck]) -> tuple[Examined, ...]:
    """Examine the instrument over every deck, or over the built-in one where there is none.

    Raises:
        CannotMeasure: the instrument is broken.
    """
    examined = tuple(Examined(deck=deck.name, scores=examine(deck)) for deck in decks)
    if not examined:
        examined = (Examined(deck=None, scores=examine(BUILT_IN)),)
    for each in examined:
        wrong = broken(each.scores)
        if wrong is not None:
            where = "the built-in deck" if each.deck is None else f"the deck {each.deck!r}"
            raise CannotMeasure(
                Problem(
                    message=f"The instrument is broken: over {where}, {wrong}; nothing was sent.",
                    remedy="This is a fault of evalaction itself. Please report it with this line.",
                )
            )
    return examined


def _positional(aliases: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    return {alias: labels[0 if alias == aliases[-1] else 1] for alias in aliases}


def _positional_first(aliases: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    return {alias: labels[0 if alias == aliases[0] else 1] for alias in aliases}


def _identity(aliases: Sequence[str], labels: Sequence[str], *, salt: int) -> dict[str, str]:
    return {alias: labels[int(sha256(f"{salt} {alias}".encode())[:8], 16) % len(labels)] for alias in aliases}


def _stamp(aliases: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    return dict.fromkeys(aliases, labels[0])


def _gold(aliases: Sequence[str], labels: Sequence[str], *, key: Mapping[str, str]) -> dict[str, str]:  # noqa: ARG001 - a stub's signature
    return {alias: key[alias] for alias in aliases if alias in key}


def _forgetful(aliases: Sequence[str], labels: Sequence[str], *, key: Mapping[str, str]) -> dict[str, str]:
    return _gold(aliases[:-1], labels, key=key)


def _key(deck: Deck, requests: Sequence[JudgeRequest]) -> dict[str, str]:
    """Return the gold label by alias: what no judge is told, save the stubs that must know it."""
    pairs = [pair for asked in requests for pair in zip(asked.aliases, asked.order, strict=True)]
    return {alias: deck.fixtures[index].gold for alias, index in pairs}


def _seen(request: JudgeRequest) -> list[str]:
    """Return the aliases in the order in which the text of a request has them; none where it has no items."""
    first, _, rest = str(request.messages[-1]["content"]).partition("\n")
    items, _, last = rest.rpartition("\n")
    try:
        return [item["id"] for item in json.loads(items)] if first == last else []
    except json.JSONDecodeError:
        return []


def _reply(labels: Mapping[str, str]) -> str:
    # Not in the order asked for: whoever goes by places reads other labels than were given.
    return json.dumps({alias: labels[alias] for alias in reversed(list(labels))})


def _judged(request: JudgeRequest, reply: str, deck: Deck) -> Judged:
    came = Reply(text=reply, finish_reason="stop")
    draw = Draw(path=deck.path, id=deck.name, index=1, seed=None, reply=came)
    return read_reply(request, draw, labels=deck.labels)


def _lost(score: DeckScore) -> Share:
    """Return the fixtures of which a missing label was not overlooked, neither for flips nor for gold."""
    found = [each for each in score.fixtures if each.flips and each.gold_met.count < each.gold_met.of]
    return Share(count=len(found) if score.gold.count < score.gold.of else 0, of=len(score.fixtures))


def _not_all(share: Share, what: str, things: str) -> list[str]:
    return [] if share.count == share.of else [f"{what} {share} {things} instead of all"]
