"""``evalaction.yml``: what a repository says about its own suite. Pure.

What only a workflow or a command line may say (endpoint, keys, budgets, which gates fail the run) is
refused here by name: a pull request could otherwise send the key elsewhere, spend, or go green by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.suite.deck_keys import REQUIRED, DeckEntry, check_deck, deck_entry, named_lines
from evalaction.suite.fields import (
    Check,
    filled_texts,
    fraction,
    integer,
    number,
    some_object,
    takes,
    text,
    unknown,
)
from evalaction.suite.files import Files, placed, resolve
from evalaction.suite.given import Given
from evalaction.suite.golden import MAX_N, MAX_SEED, draws
from evalaction.suite.words import listed
from evalaction.suite.yamltext import Document, read
from evalaction.values import JSON

NAME = "evalaction.yml"
PLACES = (NAME, f".github/{NAME}")

_POLICY_TEXT = """
    url base_url judge_url judge_base_url endpoint api_key judge_api_key key keys token github_token
    headers extra_body max_calls max_total_tokens max_concurrency deadline timeout tries retries budget
    fail_on warn_on forks allow_commands report_dir ledger resume comment_mode baseline show_completions
    force_run
"""
_POLICY = frozenset(_POLICY_TEXT.split())
_LENGTHS = frozenset({"max_tokens", "max_completion_tokens"})
_OF_A_DECK = ("name", *REQUIRED)


def _decks(value: JSON) -> str | None:
    right = isinstance(value, list) and bool(value)
    right = right and all(isinstance(item, dict) or (isinstance(item, str) and item.strip()) for item in value)  # type: ignore[union-attr]  # a list
    return None if right else takes("a list of decks or of paths of deck files, one at least", value)


def _golden(value: JSON) -> str | None:
    return text(value) if isinstance(value, str) else filled_texts(value)


FIELDS: dict[str, Check] = {
    "model": text,
    "defaults": some_object,
    "golden": _golden,
    "dependencies": _golden,
    "decks": _decks,
}
DEFAULTS: dict[str, Check] = {
    "n": draws,
    "samples_per_request": integer(1, MAX_N),
    "temperature": number(0, None),
    "top_p": number(0, 1),
    "seed": integer(0, MAX_SEED),
    "agreement_min": number(0, 1),
    "expect_min": number(0, 1, above=True),
}


@frozen
class Entry:
    """A path or glob of ``golden`` or ``dependencies``, or the path of a deck file."""

    glob: str
    line: int
    """Physical line, from 1."""


@frozen
class Config:
    """What ``evalaction.yml`` says."""

    path: str | None = None
    """None where there is no such file."""
    defaults: dict[str, JSON] | None = None
    """The entries of ``defaults``, and ``model``."""
    golden: tuple[Entry, ...] = ()
    dependencies: tuple[Entry, ...] = ()
    decks: tuple[DeckEntry | Entry, ...] = ()
    """Decks, and deck files that are still to be read, in their order."""
    deck_lines: frozenset[str] = frozenset()
    """Files of fixtures and planted traces that its decks name, also where it cannot be used."""

    def over(self, given: Given) -> Given:
        """Return ``given`` with what the configuration says put over it."""
        said = dict(self.defaults or {})
        for name in ("agreement_min", "expect_min"):
            if name in said:
                said[name] = fraction(said[name])  # type: ignore[arg-type, assignment]  # checked to be a number
        return replace(given, **said)  # type: ignore[arg-type]  # checked field by field


def load_config(files: Files, *, path: str | None) -> tuple[Config, list[Problem]]:
    """Read the configuration of a tree.

    Args:
        files: the tree's files.
        path: where it stands, seen from the root that is looked at; None for the usual places.

    Returns:
        The configuration, or an empty one where there is none or it cannot be used, and what is wrong.
    """
    problems: list[Problem] = []
    found: list[str] = []
    try:
        found = [resolve(place, folder=files.root) for place in ((path,) if path else PLACES)]
        if path is None:
            found = [place for place in found if files.stands(place)]
        if not found:
            return Config(), []
        if len(found) > 1:
            problems.append(
                Problem(
                    message=f"{found[0]} is there too: one of them would be ignored.", path=found[1], remedy="Keep one."
                )
            )
        document = read(found[0], files.text(found[0]))
    except BadInput as error:
        return Config(path=found[0] if found else None), placed(error, path=path or NAME, line=None)
    useless = Config(path=found[0], deck_lines=_deck_lines(document, files.root))
    wrong = _check(document)
    if wrong:
        return useless, [*problems, *wrong]
    try:
        return _config(document, files.root), problems
    except BadInput as error:
        return useless, [*problems, *error.problems]


def _check(document: Document) -> list[Problem]:
    if document.value is None:
        return []
    if not isinstance(document.value, dict):
        return [document.problem((), "The file holds no mapping.", remedy=f"Known are {listed(FIELDS)}.")]
    problems = document.check((), FIELDS, strange=strange)
    problems += document.check(("defaults",), DEFAULTS, strange=_strange_default) or _one_seed(document)
    decks = document.at(("decks",))
    for index, deck in enumerate(decks if isinstance(decks, list) else []):
        if isinstance(deck, dict):
            problems += check_deck(document, ("decks", index), required=_OF_A_DECK, strange=strange)
    return problems


def _one_seed(document: Document) -> list[Problem]:
    """Return that no case could be drawn under these defaults, since one seed would stand for several draws."""
    choices, seed = (document.at(("defaults", name)) for name in ("samples_per_request", "seed"))
    if seed is None or choices in {None, 1}:
        return []
    place = ("defaults", "samples_per_request")
    message = f"`samples_per_request` is {choices}, and there is a `seed`: all choices of one request would share it."
    return [document.problem(place, message, remedy="Keep one of them, or let each case say its own.")]


def strange(name: str, checks: Mapping[str, Check]) -> Problem:
    """Return what is wrong with a field that is none of ``checks``: a file of the repository may not say everything."""
    if name.replace("-", "_").lower() in _POLICY:
        return Problem(
            message=f"`{name}` cannot stand in this file: only the workflow or the command line may say that.",
            remedy="A pull request could change it otherwise.",
        )
    if name in DEFAULTS and checks is FIELDS:
        return Problem(message=f"There is no field `{name}` here.", remedy="It belongs under `defaults`.")
    return unknown(name, checks)


def _strange_default(name: str, checks: Mapping[str, Check]) -> Problem:
    if name in _LENGTHS:
        return Problem(message=f"`{name}` is no default: a length budget belongs to its case.")
    if name == "model":
        return Problem(message="There is no field `model` here.", remedy="It stands beside `defaults`.")
    return strange(name, checks)


def _config(document: Document, root: str) -> Config:
    value = document.value if isinstance(document.value, dict) else {}
    defaults = dict(value.get("defaults") or {})  # type: ignore[arg-type]  # checked to be a mapping
    if "model" in value:
        defaults["model"] = value["model"]
    decks = value.get("decks")
    return Config(
        path=document.path,
        defaults=defaults,
        golden=_entries(document, "golden"),
        dependencies=_entries(document, "dependencies"),
        decks=tuple(_deck(document, index, root) for index, _ in enumerate(decks if isinstance(decks, list) else [])),
        deck_lines=_deck_lines(document, root),
    )


def _deck_lines(document: Document, root: str) -> frozenset[str]:
    decks = document.at(("decks",))
    places = [("decks", index) for index, _ in enumerate(decks if isinstance(decks, list) else [])]
    return frozenset(path for place in places for path in named_lines(document, place, folder=root))


def _entries(document: Document, name: str) -> tuple[Entry, ...]:
    globs = _many(document.at((name,)) or [])
    line = document.lines.get((name,), 1)
    return tuple(Entry(glob=glob, line=document.lines.get((name, index), line)) for index, glob in enumerate(globs))


def _many(value: JSON) -> list[str]:
    return [value] if isinstance(value, str) else list(value)  # type: ignore[arg-type]  # checked to be texts


def _deck(document: Document, index: int, root: str) -> DeckEntry | Entry:
    place = ("decks", index)
    deck = document.at(place)
    if isinstance(deck, str):
        return Entry(glob=deck, line=document.lines[place])
    return deck_entry(document, place, name=None, folder=root)
