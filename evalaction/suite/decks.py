"""Decks: a judge's fixtures with their gold labels, and its rubric. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from evalaction.errors import BadInput, Problem
from evalaction.records.case import Deck, Fixture
from evalaction.suite.config import DeckEntry
from evalaction.suite.fields import any_text, check_all, identifier, text, texts
from evalaction.suite.files import Files, placed
from evalaction.suite.lines import decode, read, split
from evalaction.suite.words import listed
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

_FOR_PEOPLE = ("tags", "note")


def load_deck(entry: DeckEntry, files: Files, *, config: str) -> tuple[Deck | None, list[Problem]]:
    """Read the files of a deck.

    Args:
        entry: the deck as the configuration names it.
        files: the tree's files.
        config: path of the configuration file, for messages.

    Returns:
        The deck, or None when it cannot be used, and everything that is wrong.
    """
    problems: list[Problem] = []
    rubric = ""
    try:
        rubric = files.text(entry.rubric)
        if not rubric.strip():
            problems.append(Problem(message="The rubric is empty.", path=entry.rubric))
    except BadInput as error:
        problems += placed(error, path=config, line=entry.line)
    try:
        data = files.read(entry.fixtures)
    except BadInput as error:
        return None, [*problems, *placed(error, path=config, line=entry.line)]
    try:
        rows = split(entry.fixtures, data)
    except BadInput as error:
        return None, [*problems, *error.problems]
    fixtures: list[Fixture] = []
    for line, raw in rows:
        try:
            fixtures.append(_fixture(read(decode(raw)), line, entry))
        except BadInput as error:
            problems += placed(error, path=entry.fixtures, line=line)
    if not problems:
        problems += _together(entry, fixtures)
    if problems:
        return None, problems
    deck = Deck(
        name=entry.name,
        path=entry.fixtures,
        rubric_path=entry.rubric,
        rubric=rubric.replace("\r\n", "\n"),
        labels=entry.labels,
        show=entry.show,
        fixtures=tuple(fixtures),
    )
    return deck, []


def _fixture(row: dict[str, JSON], line: int, entry: DeckEntry) -> Fixture:
    known = {**FIELDS, **{name: (lambda _value: None) for name in entry.show if name not in FIELDS}}
    problems = check_all(row, known)
    problems += [Problem(message=f"There is no `{name}`.") for name in ("id", "gold") if name not in row]
    problems += [
        Problem(message=f"There is no `{name}`, which the deck {entry.name!r} shows to its judge.")
        for name in entry.show
        if name not in row
    ]
    gold = row.get("gold")
    if not problems and gold not in entry.labels:
        problems.append(Problem(message=f"`gold` is {gold!r}, and the deck's labels are {listed(entry.labels)}."))
    if problems:
        raise BadInput(*problems)
    hidden = {"id", "gold", *(name for name in _FOR_PEOPLE if name not in entry.show)}
    fields = {name: value for name, value in row.items() if name not in hidden}
    return Fixture(id=str(row["id"]), line=line, fields=fields, gold=str(gold))


def _together(entry: DeckEntry, fixtures: list[Fixture]) -> Iterator[Problem]:
    lines: dict[str, int] = {}
    for fixture in fixtures:
        if fixture.id in lines:
            yield Problem(
                message=f"The id {fixture.id!r} stands in lines {lines[fixture.id]} and {fixture.line}.",
                path=entry.fixtures,
                line=fixture.line,
                remedy="Give each fixture its own.",
            )
        lines.setdefault(fixture.id, fixture.line)
    if len(fixtures) < 2:  # noqa: PLR2004 - one fixture has no order
        message = f"The deck {entry.name!r} has {len(fixtures)} fixtures, and it takes two at least."
        yield Problem(message=message, path=entry.fixtures, remedy="One fixture has no order to permute.")
    elif len({fixture.gold for fixture in fixtures}) == 1:
        message = f"All fixtures of the deck {entry.name!r} have the gold label {fixtures[0].gold!r}."
        remedy = "Add one with another label: this deck cannot tell a judge from a stamp."
        yield Problem(message=message, path=entry.fixtures, remedy=remedy)
