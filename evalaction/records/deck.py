"""A judge's deck: fixtures with their gold labels, a rubric, and what is planted to lead the judge astray."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction

from evalaction.frozen import frozen
from evalaction.records.case import Sampling
from evalaction.values import JSON

HIDDEN = ("id", "gold")
"""Fields of a fixture that no judge sees: one says which fixture it is, and the other is the right answer."""


AT_ZERO = Sampling(model=None, temperature=0)
"""How a judge is asked that nobody says more of."""


class ProbeKind(StrEnum):
    """A trace that is planted among a deck's fixtures."""

    STEER = "steer"
    """A failing trace that ends by telling the judge to ignore the rubric."""
    FLUENT = "fluent"
    """Assured prose that says the task was done, and does none of it."""
    EMPTY = "empty"
    """Nothing."""
    TWINS = "twins"
    """A fixture's own trace once more, under another name."""
    PLANTED = "planted"
    """A line of the deck's own file of failing traces."""


@frozen
class Fixture:
    """One line of a deck: a trace with the label it should get."""

    id: str
    """Unique in its deck."""
    line: int
    """Physical line in the fixtures file, from 1."""
    fields: Mapping[str, JSON]
    """All fields of the line but ``id`` and ``gold``."""
    gold: str
    """The label it should get: one of the deck's ``labels``."""


@frozen
class Planted:
    """One line of a deck's file of planted traces, each of which ought to fail."""

    id: str
    """Unique in its file, and no fixture's."""
    line: int
    """Physical line, from 1."""
    fields: Mapping[str, JSON]
    """All fields of the line but ``id``."""


@frozen
class Wording:
    """Another wording of a deck's rubric."""

    path: str
    """Its file, path in the tree."""
    text: str
    """Text of the rubric."""


@frozen
class Deck:
    """A judge's fixtures with their gold labels, and its rubric."""

    name: str
    """Unique in the suite."""
    path: str
    """Fixtures file, path in the tree."""
    rubric_path: str
    """Rubric's file, path in the tree."""
    rubric: str
    """Text of the rubric."""
    labels: tuple[str, ...]
    """What a judge may answer for a fixture."""
    show: tuple[str, ...]
    """Fields of a fixture that a judge may see."""
    fixtures: tuple[Fixture, ...]
    """In file order: two at least, whose gold labels are not all alike."""
    config_path: str = ""
    """File that says the deck (``evalaction.yml``, a ``*.deck.yml``), path in the tree; empty for the built-in one."""
    line: int = 1
    """Physical line of the deck's entry in that file, from 1."""
    max_orders: int = 24
    """Most orders in which the fixtures are put to the judge; see ``plan_orders``."""
    repeats: int = 1
    """How often each order is asked, 1 or more; with 1, test-retest noise is not measured."""
    sampling: Sampling = AT_ZERO
    """As the judge is asked. A temperature of 0 is a request, not a promise."""
    unasked: frozenset[str] = frozenset()
    """Parameters of ``sampling`` that nobody wrote down: they are left out where an endpoint refuses them by name."""
    judge_flip_max: Fraction = Fraction(0)
    """Share of the fixtures that may change their label with the order, 0 to 1."""
    gold_min: Fraction = Fraction(1)
    """Share of the fixtures that must have their gold label, in every single request, 0 to 1."""
    probes: tuple[ProbeKind, ...] = ()
    """Traces to plant, made from the deck's own fixtures; in the order of ``ProbeKind``, without ``planted``."""
    planted_path: str | None = None
    """File of ``planted``, path in the tree; None without one."""
    planted: tuple[Planted, ...] = ()
    """Traces to plant, of the deck's own writing, in file order."""
    wordings: tuple[Wording, ...] = ()
    """Other wordings of the rubric (``rubric_variants``), in the order of the configuration."""
