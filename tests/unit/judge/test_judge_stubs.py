"""The stub judges: a sound instrument tells them apart on any deck, and a broken one says what is broken."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judging import deck_of

from evalaction.errors import CannotMeasure
from evalaction.judge import reply, request, stubs
from evalaction.judge.labels import read_labels
from evalaction.judge.request import requests_of
from evalaction.judge.score import score_deck
from evalaction.judge.stubs import BUILT_IN, broken, examine, prove
from evalaction.records.deck import Deck, Fixture
from evalaction.records.gate import Share
from evalaction.records.judge import DeckScore, Examined, FixtureScore, Judged, JudgeRequest, Labels, StubScores

ALL, NONE = Share(count=3, of=3), Share(count=0, of=3)
SOUND = StubScores(
    positional=ALL,
    positional_first=ALL,
    identity=NONE,
    gold=Share(count=18, of=18),
    stamp=Share(count=12, of=18),
    forgetful=ALL,
)
TEXTS = st.text(st.one_of(st.sampled_from('[]{}"\\\n=, '), st.characters(codec="utf-8")), max_size=20)
VALUES: st.SearchStrategy[Any] = st.one_of(
    TEXTS, st.lists(st.dictionaries(st.sampled_from(["id", "label"]), TEXTS), max_size=3)
)


@st.composite
def decks(draw: st.DrawFn) -> Deck:
    """Draw a deck that the loader takes, with texts that look like requests and replies."""
    labels = draw(st.lists(TEXTS.filter(str.strip), min_size=2, max_size=4, unique=True))
    gold = draw(st.lists(st.sampled_from(labels), min_size=2, max_size=9).filter(lambda some: len(set(some)) > 1))
    fixtures = tuple(
        Fixture(id=str(line), line=line, fields={"task": draw(VALUES), "trace": draw(VALUES)}, gold=label)
        for line, label in enumerate(gold, 1)
    )
    return replace(BUILT_IN, rubric=draw(TEXTS), labels=tuple(labels), fixtures=fixtures)


def test_examine__built_in() -> None:
    """On the built-in deck each stub comes to what it has to."""
    assert examine(BUILT_IN) == SOUND
    assert broken(SOUND) is None


@given(decks(), st.integers(1, 2))
def test_examine__any_deck(deck: Deck, repeats: int) -> None:
    """Whatever the deck, its orders and their repeats tell the stubs apart."""
    scores = examine(replace(deck, repeats=repeats))
    fixtures, labels = len(deck.fixtures), scores.gold.of
    stamped = [fixture.gold for fixture in deck.fixtures].count(deck.labels[0])

    assert labels % (fixtures * repeats) == 0
    assert scores == StubScores(
        positional=Share(count=fixtures, of=fixtures),
        positional_first=Share(count=fixtures, of=fixtures),
        identity=Share(count=0, of=fixtures),
        gold=Share(count=labels, of=labels),
        stamp=Share(count=stamped * labels // fixtures, of=labels),
        forgetful=Share(count=fixtures, of=fixtures),
    )
    assert broken(scores) is None


def test_examine__large_deck() -> None:
    """A deck of more fixtures than orders are planned by default is examined too, whatever its numbers."""
    long = int("7" * 4_000)
    gold = ["pass", "fail"] * 13
    fixtures = [
        Fixture(id=str(line), line=line, fields={"task": long, "trace": line}, gold=label)
        for line, label in enumerate(gold, 1)
    ]

    assert broken(examine(replace(BUILT_IN, fixtures=tuple(fixtures)))) is None


def test_examine__same_trace_twice() -> None:
    """Fixtures that show the same are still told apart by their aliases."""
    deck = deck_of("pass", "fail")
    alike = tuple(replace(fixture, fields={"trace": "t"}) for fixture in deck.fixtures)

    assert broken(examine(replace(deck, fixtures=alike))) is None


Change = Callable[[pytest.MonkeyPatch], None]


def put(name: str, function: Any) -> Change:
    """Return what puts a function in the place of a part of the instrument."""
    return lambda patch: patch.setattr(stubs, name, function)


def read_by(function: Any) -> Change:
    """Return what puts another reader of labels in the place of that of every reply."""
    return lambda patch: patch.setattr(reply, "read_labels", function)


def _renamed(request: JudgeRequest, names: Sequence[str]) -> JudgeRequest:
    text = str(request.messages[-1]["content"])
    for alias, name in zip(request.aliases, names, strict=True):
        text = text.replace(alias, name)
    return replace(request, aliases=tuple(names), messages=({"role": "user", "content": text},))


def _numbered(deck: Deck) -> list[JudgeRequest]:
    """Name fixtures by their place."""
    return [_renamed(each, [f"item-{place}" for place, _ in enumerate(each.order)]) for each in requests_of(deck)]


def _named_anew(deck: Deck) -> list[JudgeRequest]:
    """Give each fixture another name in every order."""
    asked = requests_of(deck)
    return [_renamed(each, [f"{number}-{index}" for index in each.order]) for number, each in enumerate(asked)]


def _never_last(k: int, **_: Any) -> list[tuple[int, ...]]:
    """Let the last fixture stay where it is."""
    return [(*range(start, k - 1), *range(start), k - 1) for start in range(k - 1)]


def _in_file_order(deck: Deck) -> list[JudgeRequest]:
    """Let no order reach the text of a request."""
    asked = requests_of(deck)
    return [replace(each, messages=asked[0].messages) for each in asked]


def _without_marks(deck: Deck) -> list[JudgeRequest]:
    """Send the items without the lines that keep them apart."""
    return [
        replace(each, messages=({"role": "user", "content": str(each.messages[-1]["content"]).split("\n", 1)[1]},))
        for each in requests_of(deck)
    ]


def _by_position(text: str, *, aliases: tuple[str, ...], labels: tuple[str, ...]) -> Labels:
    """Give the first label of a reply to the first fixture of the request, and so on."""
    said = [*json.loads(text).values()]
    given = read_labels(text, aliases=aliases, labels=labels)
    return replace(given, by_alias=tuple(zip_longest(aliases, said)))


def _first_label(text: str, *, aliases: tuple[str, ...], labels: tuple[str, ...]) -> Labels:
    """Take the first label for whatever is said."""
    return replace(
        read_labels(text, aliases=aliases, labels=labels), by_alias=tuple((each, labels[0]) for each in aliases)
    )


def _no_label(text: str, *, aliases: tuple[str, ...], labels: tuple[str, ...]) -> Labels:
    """Lose the end of every reply."""
    return read_labels(text[:-1], aliases=aliases, labels=labels)


def _dropping(change: Callable[[FixtureScore], FixtureScore]) -> Callable[[Deck, Sequence[Judged]], DeckScore]:
    """Return a scorer that lets missing labels be."""

    def score(deck: Deck, judged: Sequence[Judged]) -> DeckScore:
        whole = score_deck(deck, judged)
        fixtures = tuple(change(each) for each in whole.fixtures)
        flips = Share(count=sum(each.flips for each in fixtures), of=len(fixtures))
        gold = Share(count=sum(each.gold_met.count for each in fixtures), of=sum(each.gold_met.of for each in fixtures))
        return replace(whole, fixtures=fixtures, judge_flip_rate=flips, gold=gold)

    return score


def _no_flip(each: FixtureScore) -> FixtureScore:
    return replace(each, flips=len(set(each.labels) - {None}) > 1)


def _no_miss(each: FixtureScore) -> FixtureScore:
    given = [label for label in each.labels if label is not None]
    return replace(each, gold_met=Share(count=given.count(each.gold), of=len(given)))


def _never_flips(deck: Deck, judged: Sequence[Judged]) -> DeckScore:
    return _dropping(lambda each: replace(each, flips=False))(deck, judged)


def _all_right(deck: Deck, judged: Sequence[Judged]) -> DeckScore:
    """Take every label for gold."""
    return _dropping(lambda each: replace(each, gold_met=Share(count=each.gold_met.of, of=each.gold_met.of)))(
        deck, judged
    )


LAST = "the stub that goes by the last place flips on {} fixtures instead of all"
FIRST = "the stub that goes by the first place flips on {} fixtures instead of all"
FORGETS = "the stub that leaves out the last place is found out on {} fixtures instead of all"
GOLD = "the stub that answers gold is right on {} labels instead of all"
NAMES = "the stub that goes by names flips on {} fixtures instead of none"
STAMP = "the stub that answers one label is right on {} labels instead of some"
MUTATIONS: dict[str, tuple[Change, list[str]]] = {
    "aliases by place": (put("requests_of", _numbered), [GOLD.format("10/18"), NAMES.format("3/3")]),
    "another alias in each order": (put("requests_of", _named_anew), [NAMES.format("3/3")]),
    "no order in the text": (
        put("requests_of", _in_file_order),
        [LAST.format("0/3"), FIRST.format("0/3"), FORGETS.format("1/3")],
    ),
    "items without marks": (put("requests_of", _without_marks), [GOLD.format("0/18"), NAMES.format("3/3")]),
    "the last item never moves": (
        lambda patch: patch.setattr(request, "plan_orders", _never_last),
        [LAST.format("0/3"), FIRST.format("2/3"), FORGETS.format("1/3")],
    ),
    "labels by place": (read_by(_by_position), [GOLD.format("10/18"), NAMES.format("3/3")]),
    "one label for all": (
        read_by(_first_label),
        [LAST.format("0/3"), FIRST.format("0/3"), FORGETS.format("0/3"), GOLD.format("12/18")],
    ),
    "no label for any": (read_by(_no_label), [GOLD.format("0/18"), NAMES.format("3/3")]),
    "a missing label flips nothing": (put("score_deck", _dropping(_no_flip)), [FORGETS.format("0/3")]),
    "a missing label misses no gold": (put("score_deck", _dropping(_no_miss)), [FORGETS.format("0/3")]),
    "nothing flips": (
        put("score_deck", _never_flips),
        [LAST.format("0/3"), FIRST.format("0/3"), FORGETS.format("0/3")],
    ),
    "every label is gold": (put("score_deck", _all_right), [FORGETS.format("0/3"), STAMP.format("18/18")]),
}
"""A part of the instrument, broken: how, and what the stubs say of it."""


def test_examine__same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the broken scorers are made of breaks nothing by itself."""
    monkeypatch.setattr(stubs, "score_deck", _dropping(lambda each: each))

    assert examine(BUILT_IN) == SOUND


@pytest.mark.parametrize(("change", "wrong"), MUTATIONS.values(), ids=MUTATIONS)
def test_broken__mutations(monkeypatch: pytest.MonkeyPatch, change: Change, wrong: list[str]) -> None:
    """Whatever part of the instrument is broken, the stubs say so, and nothing is taken for measured."""
    change(monkeypatch)

    assert broken(examine(BUILT_IN)) == "; ".join(wrong)
    with pytest.raises(CannotMeasure) as refused:
        prove(())
    assert str(refused.value) == (
        f"The instrument is broken: over the built-in deck, {'; '.join(wrong)}; nothing was sent. "
        "This is a fault of evalaction itself. Please report it with this line."
    )


def test_prove__which_decks() -> None:
    """Every deck of a repository is examined, and the built-in one only where there is none."""
    two, three = replace(deck_of("pass", "fail"), name="two"), replace(deck_of("fail", "pass", "pass"), name="three")

    assert prove(()) == (Examined(deck=None, scores=SOUND),)
    assert prove((two, three)) == (
        Examined(deck="two", scores=examine(two)),
        Examined(deck="three", scores=examine(three)),
    )


def test_prove__a_broken_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deck over which the instrument is broken is named."""
    deck = replace(deck_of("pass", "fail"), name="two")
    monkeypatch.setattr(stubs, "score_deck", _never_flips)

    with pytest.raises(CannotMeasure, match=r"^The instrument is broken: over the deck 'two', the stub that goes by"):
        prove((deck,))
