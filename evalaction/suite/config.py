"""``evalaction.yml``: what a repository says about its own suite. Pure.

What only a workflow or a command line may say (endpoint, keys, budgets, which gates fail the run) is
refused here by name: a pull request could otherwise send the key elsewhere, spend, or go green by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evalaction.errors import BadInput, Problem
from evalaction.suite.fields import (
    Check,
    filled_texts,
    fraction,
    integer,
    number,
    some_object,
    takes,
    text,
    texts,
    unknown,
)
from evalaction.suite.files import Files, placed, resolve
from evalaction.suite.given import Given
from evalaction.suite.golden import MAX_SEED, draws
from evalaction.suite.words import listed
from evalaction.suite.yamltext import Document, read
from evalaction.values import JSON

NAME = "evalaction.yml"
PLACES = (NAME, f".github/{NAME}")
DEFAULT_LABELS = ("pass", "fail")
DEFAULT_SHOW = ("task", "trace")

_POLICY_TEXT = """
    url base_url judge_url judge_base_url endpoint api_key judge_api_key key keys token github_token
    headers extra_body max_calls max_concurrency deadline timeout tries retries budget fail_on warn_on
    forks allow_commands report_dir comment_mode baseline show_completions force_run
"""
_POLICY = frozenset(_POLICY_TEXT.split())
_LENGTHS = frozenset({"max_tokens", "max_completion_tokens"})
_DECK_LATER = frozenset({"max_orders", "repeats", "judge_model"})


def _list_of_objects(value: JSON) -> str | None:
    right = isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
    return None if right else takes("a list of objects, one at least", value)


def _golden(value: JSON) -> str | None:
    return text(value) if isinstance(value, str) else filled_texts(value)


def _labels(value: JSON) -> str | None:
    several = isinstance(value, list) and len(value) > 1
    return filled_texts(value) if several else takes("a list of two different labels or more", value)


FIELDS: dict[str, Check] = {
    "model": text,
    "defaults": some_object,
    "golden": _golden,
    "dependencies": _golden,
    "decks": _list_of_objects,
}
DEFAULTS: dict[str, Check] = {
    "n": draws,
    "temperature": number(0, None),
    "top_p": number(0, 1),
    "seed": integer(0, MAX_SEED),
    "agreement_min": number(0, 1),
    "expect_min": number(0, 1, above=True),
}
DECK: dict[str, Check] = {"name": text, "rubric": text, "fixtures": text, "labels": _labels, "show": texts}
_DECK_REQUIRED = ("name", "rubric", "fixtures")


@dataclass(frozen=True, kw_only=True, slots=True)
class DeckEntry:
    """A deck as the configuration names it; its files are not read yet."""

    name: str
    rubric: str
    """Path in the tree."""
    fixtures: str
    """Path in the tree."""
    labels: tuple[str, ...]
    show: tuple[str, ...]
    line: int
    """Physical line of the entry, from 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A path or glob of ``golden`` or ``dependencies``."""

    glob: str
    line: int
    """Physical line, from 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Config:
    """What ``evalaction.yml`` says."""

    path: str | None = None
    """None where there is no such file."""
    defaults: dict[str, JSON] | None = None
    """The entries of ``defaults``, and ``model``."""
    golden: tuple[Entry, ...] = ()
    dependencies: tuple[Entry, ...] = ()
    decks: tuple[DeckEntry, ...] = ()

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
    wrong = _check(document)
    if wrong:
        return Config(path=found[0]), [*problems, *wrong]
    try:
        return _config(document, files.root), problems
    except BadInput as error:
        return Config(path=found[0]), [*problems, *error.problems]


def _check(document: Document) -> list[Problem]:
    if document.value is None:
        return []
    if not isinstance(document.value, dict):
        return [document.problem((), "The file holds no mapping.", remedy=f"Known are {listed(FIELDS)}.")]
    problems = document.check((), FIELDS, strange=_strange)
    problems += document.check(("defaults",), DEFAULTS, strange=_strange_default)
    decks = document.at(("decks",))
    names: set[str] = set()
    for index, deck in enumerate(decks if isinstance(decks, list) else []):
        place = ("decks", index)
        if not isinstance(deck, dict):
            continue
        problems += document.check(place, DECK, strange=_strange_in_deck)
        problems += [
            document.problem(place, f"The deck has no `{name}`.") for name in _DECK_REQUIRED if name not in deck
        ]
        own = str(deck.get("name"))
        if own in names:
            problems.append(document.problem((*place, "name"), f"There is another deck named {own!r}."))
        names.add(own)
    return problems


def _strange(name: str, checks: Mapping[str, Check]) -> Problem:
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
    return _strange(name, checks)


def _strange_in_deck(name: str, checks: Mapping[str, Check]) -> Problem:
    return Problem(message=f"`{name}` is not in this version.") if name in _DECK_LATER else _strange(name, checks)


def _config(document: Document, root: str) -> Config:
    value = document.value if isinstance(document.value, dict) else {}
    defaults = dict(value.get("defaults") or {})  # type: ignore[arg-type]  # checked to be a mapping
    if "model" in value:
        defaults["model"] = value["model"]
    decks = value.get("decks") or []
    return Config(
        path=document.path,
        defaults=defaults,
        golden=_entries(document, "golden"),
        dependencies=_entries(document, "dependencies"),
        decks=tuple(_deck(document, index, deck, root) for index, deck in enumerate(decks)),  # type: ignore[arg-type]  # checked to be mappings
    )


def _entries(document: Document, name: str) -> tuple[Entry, ...]:
    globs = _many(document.at((name,)) or [])
    line = document.lines.get((name,), 1)
    return tuple(Entry(glob=glob, line=document.lines.get((name, index), line)) for index, glob in enumerate(globs))


def _many(value: JSON) -> list[str]:
    return [value] if isinstance(value, str) else list(value)  # type: ignore[arg-type]  # checked to be texts


def _deck(document: Document, index: int, deck: dict[str, JSON], root: str) -> DeckEntry:
    paths = {}
    for name in ("rubric", "fixtures"):
        try:
            paths[name] = resolve(str(deck[name]), folder=root)
        except BadInput as error:
            wrong = error.problems[0]
            raise BadInput(document.problem(("decks", index, name), wrong.message, remedy=wrong.remedy)) from error
    return DeckEntry(
        name=str(deck["name"]),
        rubric=paths["rubric"],
        fixtures=paths["fixtures"],
        labels=tuple(_many(deck.get("labels") or list(DEFAULT_LABELS))),
        show=tuple(_many(deck.get("show") or list(DEFAULT_SHOW))),
        line=document.lines["decks", index],
    )
