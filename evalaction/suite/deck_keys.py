"""What a deck may say of itself, in ``evalaction.yml`` or in a file of its own: each key, and the keys together. Pure.

``evalaction/schemas/config.schema.json`` and ``evalaction/schemas/deck.schema.json`` publish the same. What they cannot
say (that two labels cannot be told apart, that a path leaves the repository) is found here, what depends on other files
when a deck is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.deck import HIDDEN, ProbeKind
from evalaction.suite.fields import (
    DEFAULT_LABELS,
    MAX_ID,
    SAFE_INTEGER,
    Check,
    filled_texts,
    fraction,
    identifier,
    integer,
    labels,
    number,
    takes,
    text,
    texts,
)
from evalaction.suite.files import resolve
from evalaction.suite.words import listed
from evalaction.suite.yamltext import Document, Place
from evalaction.values import JSON

DEFAULT_SHOW = ("task", "trace")
MIN_ORDERS, MAX_ORDERS, USUAL_ORDERS = 2, 1_000, 24
"""Orders. All 720 of six fixtures are within the bound. At it the stub judges take seven seconds over fifty fixtures
(two cores), on every run."""
MAX_REPEATS = 100
MAX_VARIANTS = 20
MAX_LABELS_ASKED = 50_000
"""Labels that a deck may ask for: fixtures × orders × (repeats + other wordings); fifty fixtures in ``MAX_ORDERS``."""
MAX_LABELS_IN_ALL, MAX_CHARACTERS_IN_ALL = 500_000, 100_000_000
"""Labels that all decks may ask for together, and characters of rubrics, labels and fixtures in all their requests. A
plan holds every request: without a bound a few long traces would take all memory. At either the stubs take less than
a minute."""
MAX_SEED = SAFE_INTEGER - 10 * MAX_LABELS_ASKED
"""So that the seed of a deck's last request is still an integer that every reader holds."""

REQUIRED = ("rubric", "fixtures")
_PATHS = ("rubric", "fixtures", "planted")
_PROBES = tuple(kind.value for kind in ProbeKind if kind is not ProbeKind.PLANTED)

Strange = Callable[[str, Mapping[str, Check]], Problem]
"""(unknown key, known keys) → what is wrong with it."""


def _name(value: JSON) -> str | None:
    right = isinstance(value, str) and value.strip() and identifier(value) is None
    # Half of a surrogate pair comes from a file whose name is not UTF-8.
    right = right and not any("\ud800" <= character <= "\udfff" for character in str(value))
    return None if right else takes(f"a text of 1 to {MAX_ID} characters, none of them control", value)


def _show(value: JSON) -> str | None:
    if texts(value) is not None or not isinstance(value, list):
        return texts(value)
    told = [name for name in HIDDEN if name in value]
    return f"names `{told[0]}`, which no judge may see: it tells the answer" if told else None


def _temperature(value: JSON) -> str | None:
    right = value is None or number(0, None)(value) is None
    return None if right else takes("a number of 0 or more, or null to send none", value)


def _probes(value: JSON) -> str | None:
    if texts(value) is None and isinstance(value, list) and all(kind in _PROBES for kind in value):
        return None
    if isinstance(value, list) and ProbeKind.PLANTED.value in value:
        return "names planted, which is made by naming a file under the key `planted`"
    return takes(f"a list of different kinds, one at least, out of {listed(_PROBES)}", value)


def _variants(value: JSON) -> str | None:
    right = filled_texts(value) is None and isinstance(value, list) and len(value) <= MAX_VARIANTS
    return None if right else takes(f"a list of different paths, 1 to {MAX_VARIANTS}", value)


KEYS: dict[str, Check] = {
    "name": _name,
    "rubric": text,
    "fixtures": text,
    "labels": labels,
    "show": _show,
    "max_orders": integer(MIN_ORDERS, MAX_ORDERS),
    "repeats": integer(1, MAX_REPEATS),
    "judge_model": text,
    "temperature": _temperature,
    "top_p": number(0, 1),
    "seed": integer(0, MAX_SEED),
    "max_tokens": integer(1, SAFE_INTEGER),
    "judge_flip_max": number(0, 1),
    "gold_min": number(0, 1),
    "probes": _probes,
    "planted": text,
    "rubric_variants": _variants,
}
"""Every key of a deck, with its check."""


@frozen
class DeckEntry:
    """A deck as its configuration says it; its files are not read yet."""

    name: str
    """Not yet known to be its own."""
    config_path: str
    """File that says it, path in the tree."""
    line: int
    """Physical line of the entry in that file, from 1."""
    lines: Mapping[str, int]
    """Key → its physical line in that file, for each that it says."""
    rubric: str
    """Path in the tree, like the other files of the deck."""
    fixtures: str
    planted: str | None
    variants: tuple[str, ...]
    labels: tuple[str, ...]
    show: tuple[str, ...]
    max_orders: int | None
    """None: not said."""
    repeats: int
    judge_model: str | None
    temperature: int | Decimal | None
    """None: not sent."""
    top_p: int | Decimal | None
    seed: int | None
    max_tokens: int | None
    judge_flip_max: Fraction
    gold_min: Fraction
    probes: tuple[ProbeKind, ...]

    def problem(self, key: str, message: str, *, remedy: str | None = None) -> Problem:
        """Return a problem at ``key``, or at the entry where it does not say that key."""
        return Problem(message=message, path=self.config_path, line=self.lines.get(key, self.line), remedy=remedy)


def check_deck(document: Document, place: Place, *, required: tuple[str, ...], strange: Strange) -> list[Problem]:
    """Return what is wrong with the keys of the deck at ``place``, which is a mapping.

    Args:
        document: where it stands.
        place: its place in it.
        required: keys that it must have.
        strange: says what is wrong with a key that no deck has.
    """

    def strange_here(name: str, known: Mapping[str, Check]) -> Problem:
        if name == "model":
            return Problem(message="There is no field `model` in a deck.", remedy="Its judge's is `judge_model`.")
        return strange(name, known)

    deck = document.at(place)
    problems = document.check(place, KEYS, strange=strange_here)
    said = deck if isinstance(deck, dict) else {}
    problems += [document.problem(place, f"The deck has no `{key}`.") for key in required if key not in said]
    if not problems and said.get("judge_flip_max") == 1 and said.get("gold_min") == 0:
        message = "`judge_flip_max` 1 and `gold_min` 0 let every judge pass, and one that passes is believed."
        remedy = "Lower the one or raise the other."
        problems.append(document.problem((*place, "judge_flip_max"), message, remedy=remedy))
    return problems


def deck_entry(document: Document, place: Place, *, name: str | None, folder: str) -> DeckEntry:
    """Return the deck at ``place``, with which ``check_deck`` found nothing wrong.

    Args:
        document: where it stands.
        place: its place in it.
        name: what it is called where it does not say; None only where it does.
        folder: what its paths are relative to.

    Raises:
        BadInput: a path that leaves the repository.
    """
    said: Any = document.at(place)
    paths = {key: _path(document, (*place, key), folder) for key in _PATHS if key in said}
    variants = [(*place, "rubric_variants", index) for index, _ in enumerate(said.get("rubric_variants", ()))]
    return DeckEntry(
        name=str(said.get("name", name)),
        config_path=document.path,
        line=document.lines.get(place, 1),
        lines={key: document.lines[(*place, key)] for key in said},
        rubric=paths["rubric"],
        fixtures=paths["fixtures"],
        planted=paths.get("planted"),
        variants=tuple(_path(document, variant, folder) for variant in variants),
        labels=tuple(said.get("labels", DEFAULT_LABELS)),
        show=tuple(said.get("show", DEFAULT_SHOW)),
        max_orders=said.get("max_orders"),
        repeats=said.get("repeats", 1),
        judge_model=said.get("judge_model"),
        temperature=said.get("temperature", 0),
        top_p=said.get("top_p"),
        seed=said.get("seed"),
        max_tokens=said.get("max_tokens"),
        judge_flip_max=fraction(said.get("judge_flip_max", 0)),
        gold_min=fraction(said.get("gold_min", 1)),
        probes=tuple(kind for kind in ProbeKind if kind in said.get("probes", ())),
    )


def named_lines(document: Document, place: Place, *, folder: str) -> set[str]:
    """Return the files of fixtures and planted traces that the deck at ``place`` names, whatever else is wrong with it.

    None of them is a golden file: a mistake in a deck must not make its fixtures be read as cases.
    """
    found = set()
    for key in ("fixtures", "planted"):
        value = document.at((*place, key))
        if isinstance(value, str):
            with suppress(BadInput):
                found.add(resolve(value, folder=folder))
    return found


def _path(document: Document, place: Place, folder: str) -> str:
    try:
        return resolve(str(document.at(place)), folder=folder)
    except BadInput as error:
        wrong = error.problems[0]
        raise BadInput(document.problem(place, wrong.message, remedy=wrong.remedy)) from error
