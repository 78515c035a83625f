"""Whether draws are fresh replies, or a reply that was shown before. Pure.

Nobody can prove that a draw is fresh, so this neither passes nor fails a case: where there is reason to doubt it, what
was counted over the draws could not be measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from evalaction import late
from evalaction.frozen import frozen
from evalaction.records.draw import Draw, Reply
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.judge import Outcome

DRAWS, REPLIES = "draws", "replies of the judge"
"""What the gate is over."""

_MARKS, _MARK = 2, 60
"""Marks that are named, and characters of one."""
_UNIQUE = 16
"""Letters and digits of an id, its prefix apart, from which on no two are alike by chance: 64 bits and more."""
_PREFIX = late.pattern(r"(?:[A-Za-z]+[-_.:/])*")
"""``chatcmpl-``, ``cmpl-``, ``gen-``."""


@frozen
class Doubt:
    """Why some of a group of draws may not be fresh."""

    group: str
    """``DRAWS`` or ``REPLIES``."""
    indices: tuple[int, ...]
    """Draws that it is about, one at least; of a judge, the numbers of the requests, those asked twice maybe twice."""
    of: int
    """Draws of the group, missing ones included."""
    marks: tuple[str, ...] = ()
    """What marks them as replayed, each kind of mark once, the most frequent first, cut short; empty where they share
    a response id instead. Untrusted text.
    """

    @property
    def named(self) -> tuple[tuple[str, ...], int]:
        """The marks that are named, and how many more there are."""
        return self.marks[:_MARKS], max(0, len(self.marks) - _MARKS)

    @property
    def start(self) -> str:
        """What is seen, up to the marks: ``3 of 5 draws are marked as replayed``."""
        count = len(self.indices)
        who = f"{count} of {self.of} {self.group}"
        if not self.marks:
            return f"{who} share a response id: they may be one reply shown again"
        return f"{who} {'is' if count == 1 else 'are'} marked as replayed"

    def __str__(self) -> str:
        """Render as ``3 of 5 draws are marked as replayed (x-cache: HIT)``."""
        named, more = self.named
        if not named:
            return self.start
        return f"{self.start} ({', '.join(named)}{f' and {more} more' if more else ''})"


def independence_gate(groups: Mapping[str, Sequence[Draw]]) -> Gate | None:
    """Return the gate for draws that may not be fresh, or None when there is no reason to doubt it.

    Args:
        groups: draws by what they are called: of a case those of its model (``DRAWS``), missing ones included, and of
            a case or a deck those of its judge (``REPLIES``).
    """
    found = doubts(groups)
    if not found:
        return None
    return Gate(name=GateName.INDEPENDENCE, verdict=Verdict.UNMEASURED, detail="; ".join(map(str, found)))


def doubts(groups: Mapping[str, Sequence[Draw]]) -> tuple[Doubt, ...]:
    """Return why draws may not be fresh; in each group first those that are marked, then those that share an id.

    A reply is marked where the endpoint, or what stands in its place, says that it was kept from an earlier request.
    What only read the prompt from the provider's cache is fresh.

    Two replies are taken for one where they share the response id and the place among the choices of a request. An id
    of a few characters is shared by chance (Ollama draws its ids from a thousand), and a number may be a time; of such
    ones the time at which the reply was made (``created``) and its text have to be the same as well. A reply without
    an id cannot be told from another. What was read from a ledger is a draw like any other.

    Args:
        groups: as ``independence_gate`` takes them.
    """
    found = []
    for group, draws in groups.items():
        marked = [(draw.index, draw.reply.replayed) for draw in draws if draw.reply is not None and draw.reply.replayed]
        if marked:
            marks = Counter(mark[:_MARK] for _, mark in marked)
            named = tuple(sorted(marks, key=lambda mark: (-marks[mark], mark)))
            indices = tuple(index for index, _ in marked)
            found.append(Doubt(group=group, indices=indices, of=len(draws), marks=named))
        if shared := _shared(draws):
            found.append(Doubt(group=group, indices=shared, of=len(draws)))
    return tuple(found)


def replies_of(outcomes: Iterable[Outcome]) -> list[Draw]:
    """Return every reply of a judge, those that could not be read and those to a second asking among them."""
    return [draw for outcome in outcomes for draw in outcome.draws if draw.reply is not None]


def _shared(draws: Sequence[Draw]) -> tuple[int, ...]:
    """Return the draws whose reply is taken for the same as another one."""
    named = [(draw.index, draw.reply) for draw in draws if draw.reply is not None and draw.reply.id]
    if len({(reply.id, reply.choice) for _, reply in named}) == len(named):
        return ()
    identities = Counter(_identity(reply) for _, reply in named)
    return tuple(index for index, reply in named if identities[_identity(reply)] > 1)


def _identity(reply: Reply) -> tuple[object, ...]:
    own = (reply.id, reply.choice)
    return own if is_unique(reply.id or "") else (*own, reply.created, reply.text, reply.refusal)


def is_unique(response_id: str) -> bool:
    """Return whether no two responses have this id by chance."""
    prefix = _PREFIX.match(response_id)
    rest = response_id[prefix.end() if prefix is not None else 0 :]
    return not rest.isdecimal() and sum(map(str.isalnum, rest)) >= _UNIQUE
