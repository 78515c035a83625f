"""What was measured, and what it is worth: everything that any report shows."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

from evalaction.frozen import frozen
from evalaction.records.command import CommandRun
from evalaction.records.deck_result import DeckResult, Judgement
from evalaction.records.draw import Draw, Reply
from evalaction.records.gate import Gate, Share, Verdict
from evalaction.records.judge import Examined, Outcome
from evalaction.records.manifest import Manifest
from evalaction.records.plan import Change, Hold, PlannedCase, Removed
from evalaction.values import JSON


class DrawState(StrEnum):
    """What a draw is to its grader."""

    ANSWERED = "answered"
    """The grader read an answer."""
    UNREADABLE = "unreadable"
    """Something came, and it is not an answer."""
    MISSING = "missing"
    """Nothing came."""


@frozen
class GradedDraw:
    """A draw, read and held to its contract."""

    draw: Draw
    """The sample as it came."""
    state: DrawState
    """Answered, unreadable or missing; the first two are measured."""
    answer: JSON = None
    """The canonical value; None unless answered (``null`` itself is an answer: look at ``state``)."""
    extraction: str | None = None
    """How the answer was read: ``whole``, ``fence``, ``object in prose``, … (docs/answers.md); None when it was not."""
    cause: str | None = None
    """Why there is no answer; None when there is one. Untrusted text."""
    schema_errors: tuple[str, ...] = ()
    """Missing keys and schema violations, each with a JSON pointer. Untrusted text."""
    schema_met: bool | None = None
    """None when nothing is asked of the draw's form, or nothing came."""
    length: int | None = None
    """Completion tokens; None when nothing came."""
    length_estimated: bool = False
    """``length`` is ⌈characters / 4⌉, since the endpoint gave no usable count."""
    expected_met: bool | None = None
    """None when no value is expected, or nothing came."""
    opinions: tuple[Outcome, ...] = ()
    """What its judge said, by repeat; empty where no judge was asked."""
    ungraded: str | None = None
    """The text of a draw that counts as missing because its judge could not be asked, or its command not be run; None
    for any other.
    """
    came: Reply | None = None
    """What came of such a draw; None for any other, and of a stored report."""
    command: CommandRun | None = None
    """What came of the case's command; None where none was run."""
    passes: bool | None = None
    """It has an answer, and holds to everything that its contract asks of a single draw; None when nothing came."""


@frozen
class Mode:
    """One distinct answer."""

    label: str
    """A, B, … by rank; Z is followed by AA."""
    answer: JSON
    """The canonical value."""
    count: int
    """Draws that gave it, 1 to n."""
    draws: tuple[int, ...]
    """Indices of its draws, from 1."""
    modal: bool
    """It has the top count; two such modes are a tie."""


@frozen
class Length:
    """Completion tokens over the measured draws of a case."""

    mean: Fraction
    """Tokens a draw, exact."""
    max: int
    """Tokens of the longest draw."""
    budget: int | None
    """Tokens that one draw may have; None for no budget."""
    estimated: bool
    """One count at least is an estimate."""


@frozen
class CaseResult:
    """What the draws of one case say."""

    planned: PlannedCase
    """The case, with why it was drawn."""
    verdict: Verdict
    """Over the gates that do not warn: fail before unmeasured before pass."""
    draws: Sequence[GradedDraw]
    """In order of index, all n of them; those of a large run are read from the disk whenever they are asked for."""
    measured: int
    """Draws for which something came."""
    agreement: Share | None
    """Modal count of n; None when nothing was measured."""
    flip_rate: Share | None
    """n minus modal count, of n; None when nothing was measured."""
    disagreement: Fraction | None
    """Share of pairs of draws that differ; None while draws are missing."""
    interval: tuple[float, float] | None
    """95 % interval for the flip probability; None while draws are missing."""
    modes: tuple[Mode, ...]
    """Most frequent first, then by canonical bytes."""
    flipping: bool
    """More than one distinct answer, or an unreadable draw beside a readable one."""
    differing_keys: tuple[str, ...]
    """Keys on which the modes differ, sorted; empty when they are not objects."""
    schema: Share | None
    """Draws in the asked form, of those measured; None when nothing is asked or measured."""
    length: Length | None
    """None when nothing was measured."""
    expected: Share | None
    """Draws that meet the expected value, of n; None when none is expected or nothing was measured."""
    gates: tuple[Gate, ...]
    """Those that the contract asks for, in the order of the reports; then independence, where it is in doubt."""
    has_expected: bool
    """The case has a frozen expected value; without one a stable wrong answer passes."""
    judgement: Judgement | None = None
    """Whose the flips are, and what the judge is worth; None where no judge grades."""
    passes: Share | None = None
    """Draws that pass their own checks, of those measured; None when nothing was measured."""
    pass_hat: tuple[Fraction, ...] | None = None
    """pass^1 to pass^n: the chance that k draws, taken from these without putting back, all pass their own checks. None
    while draws are missing.
    """
    extractions: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """(how the answer was read, indices of the draws), most draws first; two or more when draws needed different paths.
    """

    @property
    def verdict_flip(self) -> bool:
        """Whether some measured draws pass their own checks and some do not."""
        return self.passes is not None and 0 < self.passes.count < self.passes.of


@frozen
class Side:
    """One end of the comparison."""

    sha: str | None
    """Commit id; None for the work tree, or when the base could not be had."""
    ref: str | None
    """The revision as it was asked for; None when the base could not be had."""
    merge_of: str | None = None
    """Commit id of the pull request's head, where ``sha`` is a merge of it made for the run; None otherwise."""


@frozen
class Report:
    """One run."""

    verdict: Verdict
    """Any fail, then any unmeasured, then pass; a pass when nothing was affected."""
    exit_code: int
    """0, 1, 3 or 130, as ``ExitCode`` says; 0 too when only an excused hold kept the run from measuring."""
    headline: str
    """The verdict in one line, as a notification shows it. Plain text."""
    base: Side
    """What was compared with."""
    head: Side
    """What was measured."""
    partial: str | None
    """What the run was narrowed to, in words; None for the whole suite."""
    manifest: Manifest
    """What it takes to repeat the run."""
    cases: tuple[CaseResult, ...]
    """Failing before unmeasured before passing, then in the order of the suite."""
    decks: tuple[DeckResult, ...]
    """Failing before unmeasured before passing, then in the order of the suite."""
    stubs: tuple[Examined, ...]
    """How the stub judges did, which no broken instrument gets past: over every deck of head, affected or not, in
    the order of the suite, or over the built-in one alone where there is none.
    """
    gates: tuple[Gate, ...]
    """Gates of the run as a whole: contract."""
    removed: tuple[Removed, ...]
    """Cases, files, fixtures and decks that base checks and head does not."""
    loosened: tuple[Change, ...]
    """Gates that ask for less at head than at base."""
    edited_gold: tuple[Change, ...]
    """Expected values and gold labels that differ from base."""
    unaffected: int
    """Cases of head that were not drawn because nothing of them changed."""
    not_chosen: int
    """Affected cases left out by ``--case`` or ``--tag``."""
    show_completions: bool = True
    """Whether model text may be shown outside the report files."""
    held: Hold | None = None
    """Why nothing was drawn although something is affected; None when it was drawn, or nothing is."""
