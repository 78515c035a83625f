"""The lines of a deck's two files: fixtures with their gold label, and planted traces that have none. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from evalaction.errors import BadInput, Problem
from evalaction.records.deck import HIDDEN, Fixture, Planted
from evalaction.suite.deck_keys import DeckEntry
from evalaction.suite.fields import any_text, check_all, identifier, text, texts
from evalaction.suite.files import placed
from evalaction.suite.lines import bounded, decode, read, split
from evalaction.suite.words import listed, near
from evalaction.values import JSON

FIELDS = {
    "id": identifier,
    "gold": text,
    "task": lambda _value: None,
    "trace": lambda _value: None,
    "tags": texts,
    "note": any_text,
}
"""Fields that a fixture may have whatever the deck shows; any other has to be one that it shows."""

MAX_PLANTED = 100
"""Planted traces of a deck: each takes two requests."""

_FOR_PEOPLE = ("tags", "note")
_FEWEST = 2
"""One fixture has no order."""

_Line = TypeVar("_Line", Fixture, Planted)


def read_fixtures(data: bytes, entry: DeckEntry) -> tuple[tuple[Fixture, ...], list[Problem]]:
    """Return a deck's fixtures, and everything that is wrong with their file."""
    fixtures, problems = _rows(entry.fixtures, data, lambda row, line: _fixture(row, line, entry))
    if not problems:
        problems += _twice(entry.fixtures, fixtures)
        problems += _too_few(entry, fixtures)
    return tuple(fixtures), bounded(problems, entry.fixtures)


def read_planted(
    path: str, data: bytes, entry: DeckEntry, fixtures: Sequence[Fixture]
) -> tuple[tuple[Planted, ...], list[Problem]]:
    """Return a deck's planted traces, and everything that is wrong with their file.

    Args:
        path: that file's.
        data: its bytes.
        entry: of the deck.
        fixtures: of the deck, whose ids and traces no planted one may have.
    """
    planted, problems = _rows(path, data, lambda row, line: _planted(row, line, entry))
    if not problems:
        problems += _twice(path, planted)
        problems += _planted_together(path, planted, entry, fixtures)
    return tuple(planted), bounded(problems, path)


def _rows(path: str, data: bytes, of_row: Callable[[dict[str, JSON], int], _Line]) -> tuple[list[_Line], list[Problem]]:
    try:
        rows = split(path, data)
    except BadInput as error:
        return [], placed(error, path=path, line=None)
    found: list[_Line] = []
    problems: list[Problem] = []
    for line, raw in rows:
        try:
            found.append(of_row(read(decode(raw)), line))
        except BadInput as error:
            problems += placed(error, path=path, line=line)
    return found, problems


def _fixture(row: dict[str, JSON], line: int, entry: DeckEntry) -> Fixture:
    problems = _wrong(row, entry, ("id", "gold"))
    gold = row.get("gold")
    if not problems and gold not in entry.labels:
        remedy = near(str(gold), entry.labels)
        message = f"`gold` is {gold!r}, and the deck's labels are {listed(entry.labels)}."
        problems.append(Problem(message=message, remedy=remedy))
    if problems:
        raise BadInput(*problems)
    return Fixture(id=str(row["id"]), line=line, fields=_kept(row, entry), gold=str(gold))


def _planted(row: dict[str, JSON], line: int, entry: DeckEntry) -> Planted:
    if "gold" in row:
        message = "A planted trace has no `gold`: every one of them ought to fail."
        raise BadInput(Problem(message=message, remedy="Remove it, or move the line to the fixtures."))
    problems = _wrong(row, entry, ("id",))
    if problems:
        raise BadInput(*problems)
    return Planted(id=str(row["id"]), line=line, fields=_kept(row, entry))


def _wrong(row: dict[str, JSON], entry: DeckEntry, required: Sequence[str]) -> list[Problem]:
    known = {name: check for name, check in FIELDS.items() if name != "gold" or name in required}
    known |= {name: (lambda _value: None) for name in entry.show if name not in known}
    problems = check_all(row, known)
    problems += [Problem(message=f"There is no `{name}`.") for name in required if name not in row]
    problems += [
        Problem(message=f"There is no `{name}`, which the deck {entry.name!r} shows to its judge.")
        for name in entry.show
        if name not in row
    ]
    return problems


def _kept(row: dict[str, JSON], entry: DeckEntry) -> dict[str, JSON]:
    hidden = {*HIDDEN, *(name for name in _FOR_PEOPLE if name not in entry.show)}
    return {name: value for name, value in row.items() if name not in hidden}


def _twice(path: str, rows: Sequence[Fixture] | Sequence[Planted]) -> Iterator[Problem]:
    lines: dict[str, int] = {}
    for row in rows:
        if row.id in lines:
            message = f"The id {row.id!r} stands in lines {lines[row.id]} and {row.line}."
            yield Problem(message=message, path=path, line=row.line, remedy="Give each line its own.")
        lines.setdefault(row.id, row.line)


def _too_few(entry: DeckEntry, fixtures: Sequence[Fixture]) -> Iterator[Problem]:
    line = fixtures[0].line if fixtures else 1
    if len(fixtures) < _FEWEST:
        count = "1 fixture" if fixtures else "no fixture"
        message = f"The deck {entry.name!r} has {count}, and it takes two at least."
        yield Problem(
            message=message, path=entry.fixtures, line=line, remedy="Add one: a single fixture has no order to permute."
        )
    elif len({fixture.gold for fixture in fixtures}) == 1:
        message = f"All fixtures of the deck {entry.name!r} have the gold label {fixtures[0].gold!r}."
        remedy = "Add one with another label: this deck cannot tell a judge from a stamp."
        yield Problem(message=message, path=entry.fixtures, line=line, remedy=remedy)


def _planted_together(
    path: str, planted: Sequence[Planted], entry: DeckEntry, fixtures: Sequence[Fixture]
) -> Iterator[Problem]:
    if not planted:
        yield Problem(
            message="The file holds no planted trace.",
            path=path,
            line=1,
            remedy="Add a line, or remove the key `planted`.",
        )
    if len(planted) > MAX_PLANTED:
        message = f"The file holds {len(planted):,} planted traces, and a deck takes {MAX_PLANTED} at most."
        yield Problem(message=message, path=path, line=planted[MAX_PLANTED].line)
        return  # each of them is compared with each fixture
    ids = {fixture.id: fixture for fixture in fixtures}
    accepted = [fixture for fixture in fixtures if fixture.gold == entry.labels[0]]
    for row in planted:
        if row.id in ids:
            where = f"{entry.fixtures}:{ids[row.id].line}"
            message = f"The id {row.id!r} is that of a fixture, in {where}."
            yield Problem(message=message, path=path, line=row.line, remedy="Give the planted trace its own.")
        for fixture in accepted:
            if all(fixture.fields[name] == row.fields[name] for name in entry.show):
                where = f"{entry.fixtures}:{fixture.line}"
                message = f"The planted trace shows what the fixture in {where} shows, whose gold is {fixture.gold!r}."
                yield Problem(message=message, path=path, line=row.line, remedy="A planted trace ought to fail.")
