"""The decks that a tree asks for: those of ``evalaction.yml``, and those in files of their own (``*.deck.yml``). Pure.

A deck file is found wherever it stands below the root that is looked at, whether or not there is an
``evalaction.yml``; naming it there only gives it its place. Paths in it are relative to its own folder, so that it can
stand beside its rubric and fixtures.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.suite.config import Config, Entry, strange
from evalaction.suite.deck_keys import KEYS, REQUIRED, DeckEntry, check_deck, deck_entry, named_lines
from evalaction.suite.files import Files, placed, resolve
from evalaction.suite.words import listed
from evalaction.suite.yamltext import read

SUFFIX = ".deck.yml"
FOUND = f"**/*{SUFFIX}"
NOT_READ = "**/*.deck.yaml"
MAX_CHARACTERS = 300_000
"""Characters of all deck files together, of which one has some hundreds: YAML is slow to read."""


@frozen
class Entries:
    """The decks of a tree, their own files not yet read."""

    decks: tuple[DeckEntry, ...]
    """In the order of ``evalaction.yml``, then those of the other deck files in byte order of their paths; each name
    once."""
    lines: frozenset[str]
    """Files of fixtures and planted traces, also of decks that cannot be used: none of them is a golden file."""
    problems: tuple[Problem, ...]
    """What is wrong."""


def deck_entries(files: Files, configured: Config) -> Entries:
    """Return every deck of a tree.

    Args:
        files: the tree's files.
        configured: what ``evalaction.yml`` says.
    """
    reader = _Reader(files, configured.deck_lines)
    for item in configured.decks:
        if isinstance(item, DeckEntry):
            reader.entries.append(item)
        else:
            reader.listed(item, configured.path or "")
    for path in sorted(files.match(FOUND), key=lambda name: name.encode("utf-8", "surrogateescape")):
        reader.found(path)
    once = tuple(_once(reader.entries, reader.problems))
    return Entries(decks=once, lines=frozenset(reader.lines), problems=tuple(reader.problems))


def not_read(files: Files) -> list[str]:
    """Return a warning for each file that looks like a deck's and is none."""
    return [f"{path}: the file is not read, since a deck file ends in {SUFFIX}." for path in files.match(NOT_READ)]


class _Reader:
    """Reads deck files, each once, and keeps what they say and what is wrong with them."""

    def __init__(self, files: Files, lines: Iterable[str]) -> None:
        self.entries: list[DeckEntry] = []
        self.lines = set(lines)
        self.problems: list[Problem] = []
        self._files = files
        self._done: set[str] = set()
        self._left = MAX_CHARACTERS

    def listed(self, item: Entry, config: str) -> None:
        """Read a file that ``evalaction.yml`` names; what is wrong with the naming is a fault of its line."""
        try:
            path = resolve(item.glob, folder=self._files.root)
            self._read(path)
        except BadInput as error:
            self.problems += placed(error, path=config, line=item.line)

    def found(self, path: str) -> None:
        """Read a file that was found."""
        try:
            self._read(path)
        except BadInput as error:
            self.problems += placed(error, path=path, line=None)

    def _read(self, path: str) -> None:
        if path in self._done or self._left < 0:
            return
        self._done.add(path)
        text = self._files.text(path)
        self._left -= len(text)
        if self._left < 0:
            message = f"The deck files up to this one have more than {MAX_CHARACTERS:,} characters together."
            raise BadInput(Problem(message=message, remedy="Write fewer or shorter ones."))
        document = read(path, text)
        if not isinstance(document.value, dict):
            message = "The file holds no deck." if document.value is None else "The file holds no mapping."
            remedy = f"A deck has {listed(REQUIRED)}; known are {listed(KEYS)}."
            self.problems.append(document.problem((), message, remedy=remedy))
            return
        folder = posixpath.dirname(path)
        self.lines |= named_lines(document, (), folder=folder)
        name = posixpath.basename(path).removesuffix(SUFFIX)
        wrong = check_deck(document, (), required=REQUIRED, strange=strange)
        if "name" not in document.value and KEYS["name"](name) is not None:
            wrong.append(document.problem((), "The deck has no `name`, and its file's name gives it none."))
        self.problems += wrong
        if not wrong:
            self.entries.append(deck_entry(document, (), name=name, folder=folder))


def _once(entries: Sequence[DeckEntry], problems: list[Problem]) -> Iterator[DeckEntry]:
    """Yield the first deck of each name."""
    first: dict[str, DeckEntry] = {}
    for entry in entries:
        other = first.setdefault(entry.name, entry)
        if other is entry:
            yield entry
        else:
            where = f"{other.config_path}:{other.lines.get('name', other.line)}"
            remedy = None if "name" in entry.lines else "It is named after its file; give it a `name`."
            problems.append(
                entry.problem("name", f"There is another deck named {entry.name!r}, in {where}.", remedy=remedy)
            )
