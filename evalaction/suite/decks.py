"""Decks: a judge's fixtures with their gold labels, its rubric, and what else it is asked. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import factorial
from typing import TypeVar

from evalaction.errors import BadInput, Problem
from evalaction.records.case import Deck, Planted, Sampling, Wording
from evalaction.suite.config import Config
from evalaction.suite.deck_files import deck_entries
from evalaction.suite.deck_keys import MAX_LABELS_ASKED, MAX_ORDERS, USUAL_ORDERS, DeckEntry
from evalaction.suite.files import Files, placed
from evalaction.suite.fixtures import read_fixtures, read_planted
from evalaction.suite.given import Given

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
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
    decks = []
    for entry in entries.decks:
        deck, wrong = load_deck(entry, files, given)
        problems += wrong
        decks += [deck] if deck else []
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
    rubric = _read(entry, "rubric", lambda: _rubric(entry.rubric, files), problems)
    data = _read(entry, "fixtures", lambda: files.read(entry.fixtures), problems)
    fixtures, wrong = ((), []) if data is None else read_fixtures(data, entry)
    problems += wrong
    if data is not None and not wrong:
        problems += _too_many(entry, len(fixtures))
    planted: tuple[Planted, ...] = ()
    if entry.planted is not None:
        path = entry.planted
        traces = _read(entry, "planted", lambda: files.read(path), problems)
        planted, wrong = ((), []) if traces is None else read_planted(path, traces, entry, fixtures)
        problems += wrong
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
        unasked=frozenset() if entry.temperature_said else frozenset({"temperature"}),
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


def _rubric(path: str, files: Files) -> str:
    text = files.text(path).replace("\r\n", "\n")
    if not text.strip():
        raise BadInput(Problem(message="The rubric is empty.", path=path))
    return text


def _wordings(entry: DeckEntry, files: Files, rubric: str | None, problems: list[Problem]) -> Iterator[Wording]:
    """Yield the other wordings of the rubric, each of which has to be another one."""
    told: dict[str, str] = {} if rubric is None else {rubric.strip(): entry.rubric}
    for path in entry.variants:
        text = _read(entry, "rubric_variants", lambda path=path: _rubric(path, files), problems)  # type: ignore[misc]
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
