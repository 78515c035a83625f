"""Everything that a judge is asked about a deck, and what it comes to."""

from __future__ import annotations

from evalaction.frozen import frozen
from evalaction.records.deck import Fixture, ProbeKind
from evalaction.records.judge import JudgeRequest


@frozen
class Reworded:
    """A deck under another wording of its rubric."""

    path: str
    """File of that wording, path in the tree."""
    requests: tuple[JudgeRequest, ...]
    """The first asking of every order of the exam, with nothing else changed."""


@frozen
class Probe:
    """A planted trace among a deck's fixtures."""

    kind: ProbeKind
    """What is planted."""
    planted: Fixture
    """The trace. In ``requests`` it has the index that follows the deck's last; its gold label is the deck's first one
    for twins of a fixture with that label, and another one for everything that ought to fail.
    """
    twin_of: int | None
    """Index of the fixture that it repeats; None unless it is one of twins."""
    requests: tuple[JudgeRequest, ...]
    """The fixtures in the first order of the exam, with the trace before all of them, and after all of them."""


@frozen
class Exam:
    """Everything that a judge is asked about a deck."""

    requests: tuple[JudgeRequest, ...]
    """Order by order, all repeats of one after another."""
    wordings: tuple[Reworded, ...] = ()
    """In the order of the deck."""
    probes: tuple[Probe, ...] = ()
    """In the order of ``ProbeKind``, then of the deck's file."""

    @property
    def orders(self) -> int:
        """Number of orders."""
        return len({request.order for request in self.requests})

    @property
    def all_requests(self) -> tuple[JudgeRequest, ...]:
        """Every request, in the order in which outcomes are kept: the exam, the wordings, the probes."""
        further = [*(item.requests for item in self.wordings), *(item.requests for item in self.probes)]
        return (*self.requests, *(request for requests in further for request in requests))
