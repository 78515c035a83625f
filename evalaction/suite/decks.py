"""Decks: a judge's fixtures with their gold labels, its rubric, and what else it is asked. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import factorial
from typing import TypeVar

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.case import Sampling
from evalaction.records.deck import Deck, Fixture, Planted, Wording
from evalaction.suite.config import Config
from evalaction.suite.deck_files import deck_entries
from evalaction.suite.deck_keys import (
    MAX_CHARACTERS_IN_ALL,
    MAX_LABELS_ASKED,
    MAX_LABELS_IN_ALL,
    MAX_ORDERS,
    USUAL_ORDERS,
    DeckEntry,
)
from evalaction.suite.files import Files, placed
from evalaction.suite.fixtures import read_fixtures, read_planted
from evalaction.suite.given import Given
from evalaction.values import JSON, dumps

T = TypeVar("T")


@frozen
class Decks:
    """What a tree says about judges."""

    decks: tuple[Deck, ...]
    """Those that can be used."""
    lines: frozenset[str]
    """Files of fixtures and planted traces, also of decks that cannot be used: none of them is a golden file."""
    asked: bool
    """There is a deck, whether or not it can be used."""
    problems: tuple[Problem, ...]
    """Everything that is wrong."""

    @property
    def judges(self) -> dict[tuple[str, tuple[str, ...]], Deck]:
        """(text of a rubric, labels) → the first deck with both, whose judge grades the cases that go by them."""
        return {(deck.rubric, deck.labels): deck for deck in reversed(self.decks)}


def load_decks(files: Files, configured: Config, given: Given) -> Decks:
    """Read all decks of a tree.

    Args:
        files: the tree's files.
        configured: what ``evalaction.yml`` says.
        given: what holds where a deck says nothing: which model is asked.
    """
    entries = deck_entries(files, configured)
    problems = [*entries.problems]
    decks: list[Deck] = []
    labels = characters = 0
    for entry in entries.decks:
        deck, wrong = load_deck(entry, files, given)
        problems += wrong
        if deck is None:
            continue
        more_labels, more_characters = asked_of(deck)
        labels, characters = labels + more_labels, characters + more_characters
        if labels > MAX_LABELS_IN_ALL or characters > MAX_CHARACTERS_IN_ALL:
            problems.append(_too_much(entry, labels, characters))
            break  # the others are not read: they are more still
        decks.append(deck)
    return Decks(
        decks=tuple(decks),
        lines=entries.lines,
        asked=bool(entries.decks or problems),
        problems=tuple(problems),
    )


def load_deck(entry: DeckEntry, files: Files, given: Given) -> tuple[Deck | None, list[Problem]]:
    """Read the files of a deck.

    Args:
        entry: the deck as its configuration says it.
        files: the tree's files.
        given: what holds where the deck says nothing.

    Returns:
        The deck, or None when it cannot be used, and everything that is wrong.
    """
    problems: list[Problem] = []
    rubric = _read(entry, "rubric", lambda: files.rubric(entry.rubric), problems)
    data = _read(entry, "fixtures", lambda: files.read(entry.fixtures), problems)
    fixtures, wrong = ((), []) if data is None else read_fixtures(data, entry)
    problems += wrong
    if data is not None and not wrong:
        problems += _too_many(entry, len(fixtures))
    # Of a file with too many fixtures none is compared with what is planted.
    planted = _planted(entry, files, () if problems else fixtures, problems)
    wordings = tuple(_wordings(entry, files, rubric, problems))
    if problems or rubric is None:
        return None, problems
    deck = Deck(
        name=entry.name,
        path=entry.fixtures,
        rubric_path=entry.rubric,
        rubric=rubric,
        labels=entry.labels,
        show=entry.show,
        fixtures=fixtures,
        config_path=entry.config_path,
        line=entry.line,
        max_orders=USUAL_ORDERS if entry.max_orders is None else entry.max_orders,
        repeats=entry.repeats,
        sampling=_sampling(entry, given),
        unasked=frozenset({"temperature"} - entry.lines.keys()),
        judge_flip_max=entry.judge_flip_max,
        gold_min=entry.gold_min,
        probes=entry.probes,
        planted_path=entry.planted,
        planted=planted,
        wordings=wordings,
    )
    return deck, []


def order_count(fixtures: int, max_orders: int) -> int:
    """Return in how many orders so many fixtures are put to a judge: all, or whole rounds of them up to a bound.

    Args:
        fixtures: 1 or more.
        max_orders: most orders; fewer than there are fixtures stands for as many.
    """
    # No factorial of a large number: all orders are never few then.
    every = factorial(fixtures) if fixtures <= MAX_ORDERS.bit_length() else MAX_ORDERS + 1
    most = max(max_orders, fixtures)
    return every if every <= max_orders else most - most % fixtures


def asked_of(deck: Deck) -> tuple[int, int]:
    """Return how many labels a deck asks for, and how many characters all its requests show to a judge.

    Of the characters those are counted that stand in the repository: rubrics, labels, fixtures, planted traces.
    """
    k, probes = len(deck.fixtures), len(deck.probes) + len(deck.planted)
    orders = order_count(k, deck.max_orders)
    sizes = [_size(fixture.fields, deck.show) for fixture in deck.fixtures]
    planted = sum(_size(item.fields, deck.show) for item in deck.planted) + len(deck.probes) * max(sizes)
    said = sum(map(len, deck.labels))
    rubrics = (deck.repeats * orders + 2 * probes) * len(deck.rubric) + orders * sum(len(w.text) for w in deck.wordings)
    exam = orders * (deck.repeats + len(deck.wordings))
    requests = exam + 2 * probes
    return k * exam + 2 * (k + 1) * probes, rubrics + requests * (said + sum(sizes)) + 2 * planted


def _size(fields: Mapping[str, JSON], show: Sequence[str]) -> int:
    return sum(len(dumps(fields[name])) for name in show)


def _sampling(entry: DeckEntry, given: Given) -> Sampling:
    return Sampling(
        model=entry.judge_model or given.judge_model or given.model,
        temperature=entry.temperature,
        top_p=entry.top_p,
        seed=entry.seed,
        max_tokens=entry.max_tokens,
    )


def _read(entry: DeckEntry, key: str, read: Callable[[], T], problems: list[Problem]) -> T | None:
    """Return what ``read`` does, or None and add why it cannot: a file that is not there is a fault of the entry."""
    try:
        return read()
    except BadInput as error:
        where = entry.problem(key, "")
        problems += placed(error, path=entry.config_path, line=where.line)
        return None


def _planted(
    entry: DeckEntry, files: Files, fixtures: Sequence[Fixture], problems: list[Problem]
) -> tuple[Planted, ...]:
    """Return the traces to plant, none of which may be one of ``fixtures``; none where the deck names no file."""
    path = entry.planted
    data = None if path is None else _read(entry, "planted", lambda: files.read(path), problems)
    if path is None or data is None:
        return ()
    planted, wrong = read_planted(path, data, entry, fixtures)
    problems += wrong
    return planted


def _wordings(entry: DeckEntry, files: Files, rubric: str | None, problems: list[Problem]) -> Iterator[Wording]:
    """Yield the other wordings of the rubric, each of which has to be another one."""
    told: dict[str, str] = {} if rubric is None else {rubric.strip(): entry.rubric}
    for path in entry.variants:
        text = _read(entry, "rubric_variants", lambda path=path: files.rubric(path), problems)  # type: ignore[misc]
        if text is None:
            continue
        if text.strip() in told:
            message = f"The wording {path} says the same as {told[text.strip()]}."
            problems.append(entry.problem("rubric_variants", message, remedy="Word it differently, or remove it."))
        told.setdefault(text.strip(), path)
        yield Wording(path=path, text=text)


def _too_many(entry: DeckEntry, fixtures: int) -> Iterator[Problem]:
    """Find orders that cannot balance the places of so many fixtures, or of which there are more than can be asked."""
    if entry.max_orders is not None and entry.max_orders < fixtures:
        message = f"`max_orders` is {entry.max_orders}, and the deck {entry.name!r} has {fixtures:,} fixtures."
        remedy = f"It takes {fixtures:,} orders at least, so that each fixture stands once at every place."
        yield entry.problem("max_orders", message, remedy=remedy)
        return
    orders = order_count(fixtures, entry.max_orders or USUAL_ORDERS)
    times = entry.repeats + len(entry.variants)
    asked = fixtures * orders * times
    if asked > MAX_LABELS_ASKED:
        message = (
            f"The deck {entry.name!r} asks for {asked:,} labels ({fixtures:,} fixtures in {orders:,} orders, "
            f"{times:,} times each), and {MAX_LABELS_ASKED:,} are the most."
        )
        yield entry.problem("max_orders", message, remedy="Take fewer orders, repeats, rubric_variants or fixtures.")


def _too_much(entry: DeckEntry, labels: int, characters: int) -> Problem:
    """Return that the decks up to this one are more than a plan can hold."""
    message = (
        f"With the deck {entry.name!r} the decks ask for {labels:,} labels together, in requests of {characters:,} "
        f"characters, and {MAX_LABELS_IN_ALL:,} labels and {MAX_CHARACTERS_IN_ALL:,} characters are the most."
    )
    remedy = "Take shorter traces, or fewer orders, repeats, rubric_variants, fixtures or decks."
    return entry.problem("fixtures", message, remedy=remedy)
