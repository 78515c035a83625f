"""What a run would draw, why, and what a reviewer must not miss."""

from __future__ import annotations

from enum import StrEnum

from evalaction.errors import Problem
from evalaction.frozen import frozen
from evalaction.records.case import Case
from evalaction.records.deck import Deck
from evalaction.records.exam import Exam
from evalaction.values import JSON


class Reason(StrEnum):
    """Why a case or a deck is affected."""

    NEW = "new"
    """Base has no counterpart."""
    PROMPT = "prompt"
    """The rendered messages differ."""
    CONTRACT = "contract"
    """Keys, schema, expected values, grader, thresholds or budget differ."""
    SAMPLING = "sampling"
    """Model, temperature, n, seed or another parameter differs, or the workflow that started the run does."""
    DEPENDENCY = "dependency"
    """A file that the configuration lists as a dependency differs."""
    ALL = "all"
    """Nothing was compared: every case was asked for, or the base could not be had."""
    RUBRIC = "rubric"
    """Decks only: the rubric, or another wording of it, differs."""
    FIXTURES = "fixtures"
    """Decks only: fixtures, gold labels, labels, shown fields or planted traces differ."""
    CASE = "case"
    """Decks only: an affected case is graded by its judge."""


@frozen
class Fingerprints:
    """SHA-256 in hex, 64 characters each, over canonical bytes."""

    prompt: str
    """Of the rendered messages; of a single user message, over its UTF-8 bytes."""
    contract: str
    """Of keys, schema, expected values, grader, thresholds and budget."""
    sampling: str
    """Of model, temperature, n, seed and the rest, as requested."""


@frozen
class PlannedCase:
    """An affected case of head, to be drawn."""

    case: Case
    """As it stands at head."""
    fingerprints: Fingerprints
    """Of the case at head."""
    reasons: tuple[Reason, ...]
    """One at least, in the order of ``Reason``."""
    changed_files: tuple[str, ...] = ()
    """Templates, includes, schemas and dependencies whose change affects it, sorted."""
    blocked: str | None = None
    """Why no draw of it is made, in our own words: its command may not be run. None when it is drawn."""


@frozen
class PlannedDeck:
    """An affected deck of head."""

    deck: Deck
    """As it stands at head."""
    fingerprint: str
    """SHA-256 in hex over rubric, fixtures in file order, labels, model, sampling and the shape of the requests."""
    reasons: tuple[Reason, ...]
    """One at least, in the order of ``Reason``."""
    exam: Exam
    """Everything that its judge is asked."""


@frozen
class Removed:
    """Something that base checks and head does not."""

    kind: str
    """``case``, ``file``, ``fixture`` or ``deck``. The cases of a removed file are listed one by one as well."""
    path: str
    """Golden file or fixtures file at base."""
    id: str | None
    """Id of the case or fixture, or name of the deck; None for a whole file."""


@frozen
class Change:
    """One value of a contract, a sampling or a deck that differs between base and head."""

    id: str
    """Case or fixture id."""
    path: str
    """File at head."""
    line: int
    """Physical line at head, from 1."""
    field: str
    """What changed: ``agreement_min``, ``n``, ``expect.total_cents``, ``gold``."""
    before: JSON
    """Value at base; None when it was not set."""
    after: JSON
    """Value at head; None when it is not set any more."""


@frozen
class Hold:
    """Why nothing is drawn although something is affected."""

    message: str
    """What is the matter, in one sentence of our own."""
    remedy: str
    """What a maintainer can do, in one sentence of our own."""
    excused: bool
    """The workflow asked for it in words: the run ends as not measured, but with exit code 0."""


@frozen
class Plan:
    """What a run draws, and what it does not."""

    cases: tuple[PlannedCase, ...]
    """In the order of the suite."""
    decks: tuple[PlannedDeck, ...]
    """Affected decks, in the order of the suite."""
    removed: tuple[Removed, ...]
    """Cases, files, fixtures and decks that base checks and head does not."""
    loosened: tuple[Change, ...]
    """Gates that ask for less at head than at base."""
    edited_gold: tuple[Change, ...]
    """Expected values and gold labels that differ from base."""
    unaffected: int
    """Cases of head that are not drawn because nothing of them changed."""
    total: int
    """Cases of head."""
    chosen: str | None = None
    """What the run was narrowed to by ``--case`` or ``--tag``, in words; None for the whole suite."""
    not_chosen: int = 0
    """Affected cases that were left out by that narrowing."""
    notes: tuple[str, ...] = ()
    """What a reader must know of how the plan came about."""
    unread: tuple[Problem, ...] = ()
    """What of base could not be read: what was loosened, edited or removed there is not known."""

    @property
    def drawn(self) -> int:
        """Cases that are drawn: all but those that are blocked."""
        return sum(planned.blocked is None for planned in self.cases)

    @property
    def draws(self) -> int:
        """Draws that are asked for."""
        return sum(planned.case.n for planned in self.cases if planned.blocked is None)

    @property
    def draw_calls(self) -> int:
        """Requests for draws when none has to be repeated: fewer than the draws where one asks for several."""
        return sum(planned.case.requests for planned in self.cases if planned.blocked is None)

    @property
    def judge_calls(self) -> int:
        """Requests to judges when none has to be repeated, every draw comes, and every reply can be read."""
        graded = (planned.case for planned in self.cases if planned.case.contract.judge is not None)
        of_cases = sum(case.n * case.contract.judge.repeats for case in graded if case.contract.judge is not None)
        return of_cases + sum(len(planned.exam.all_requests) for planned in self.decks)

    @property
    def calls(self) -> int:
        """All requests that the plan makes when none has to be repeated."""
        return self.draw_calls + self.judge_calls
