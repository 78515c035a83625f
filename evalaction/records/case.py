"""What a tree asks to be checked, resolved: golden cases with their contracts, decks with their fixtures, the suite."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from evalaction.frozen import frozen
from evalaction.letters import nfc
from evalaction.values import JSON, sha256


class Grader(StrEnum):
    """How an answer is read from a completion."""

    JSON = "json"
    """One JSON value, projected on the contract's keys."""
    TEXT = "text"
    """The whole text, with Unicode NFC, case and white space folded."""
    EXACT = "exact"
    """The whole text, byte for byte."""
    CHOICE = "choice"
    """One of the contract's labels, and nothing else."""
    REGEX = "regex"
    """What the first group of a pattern matches."""
    NUMBER = "number"
    """The one number in the text."""
    DIFF = "diff"
    """A text, line by line, against a file that is known to be good."""
    JUDGE = "judge"
    """One of a judge's labels, asked for each draw several times."""
    COMMAND = "command"
    """Whether a program that is run on the draw's artifact exits with 0: ``pass`` or ``fail``."""


class UseRole(StrEnum):
    """What a file does for a case."""

    TEMPLATE = "template"
    """The case's ``prompt_file``."""
    INCLUDE = "include"
    """A file that a template includes or extends."""
    SCHEMA = "schema"
    """The case's ``schema_file``, or a document that a schema refers to."""
    RUBRIC = "rubric"
    """The rubric by which a judge grades the case."""
    EXPECTED = "expected"
    """The file that is known to be good."""
    COMMAND = "command"
    """A file that the case's command finds beside the artifact."""


@frozen
class Use:
    """A file, other than its golden file, that a case was made from."""

    path: str
    """Path in the tree."""
    role: UseRole
    """Why it was read."""
    sha256: str
    """SHA-256 of the file's bytes, in hex."""


@frozen
class Sampling:
    """What is asked of the sampler. None means: not set, so not sent."""

    model: str | None
    """Model name; None only where no endpoint is needed (``plan``)."""
    temperature: int | Decimal | None = None
    """0 or more."""
    top_p: int | Decimal | None = None
    """0 to 1."""
    seed: int | None = None
    """Seed of the first draw; draw k (from 1) sends ``seed + k - 1``."""
    stop: tuple[str, ...] | None = None
    """Texts at which the reply is to end."""
    response_format: JSON = None
    """The form asked of the reply, sent as it was given."""
    max_tokens: int | None = None
    """The request's own cap, in completion tokens."""
    samples_per_request: int = 1
    """Draws that one request asks for (``n`` of the API): no more than the case's n, and 1 where there is a seed."""


@frozen
class Schema:
    """A JSON Schema with every local document that it refers to."""

    document: JSON
    """The schema itself."""
    path: str | None = None
    """The file it came from; None for one written into the golden line."""
    resources: tuple[tuple[str, JSON], ...] = ()
    """(path in the tree, document) of each file that is reached by ``$ref``, sorted by path."""


@frozen
class CaseJudge:
    """Who grades the draws of a case, where no program can."""

    rubric_path: str
    """Rubric's file, path in the tree."""
    rubric: str
    """Text of the rubric."""
    labels: tuple[str, ...]
    """What the judge may answer: two or more."""
    repeats: int
    """How often the judge is asked about one draw, 2 or more: once could not show that it wavers."""
    sampling: Sampling
    """As the judge is asked: that of the first deck with this rubric and these labels, else the defaults."""
    unasked: frozenset[str] = frozenset()
    """Parameters of ``sampling`` that nobody wrote down, as of that deck, else a temperature of 0."""


@frozen
class Compare:
    """When two values count as equal, beyond being equal by value. All but ``tolerance`` is an equivalence."""

    case_insensitive: bool = False
    """The case of letters is no difference, in every string of the value."""
    unordered: bool = False
    """The order of the value's own items is no difference, where it is an array."""
    round: int | Decimal | None = None
    """Every number of the value stands for the nearest multiple of this, above 0; None: numbers are exact."""
    tolerance: int | Decimal | None = None
    """How far a number may be from the expected one, 0 or more; None: not at all. Two draws are never compared so."""


EXACTLY = Compare()
"""Equal by value alone."""


TIMEOUT_S = 10
"""Seconds that a command may take where nothing is said."""


@frozen
class Command:
    """A program that is run on the artifact of each draw, in a scratch folder."""

    argv: tuple[str, ...]
    """The program and its arguments, as they are started: no shell reads them."""
    artifact: str
    """Name of the artifact's file in the scratch folder."""
    files: tuple[tuple[str, bytes], ...] = ()
    """(name in the scratch folder, content) of each file beside the artifact, sorted by name."""
    timeout_s: int = TIMEOUT_S
    """Seconds after which the program is ended, 1 to 300."""
    known: tuple[tuple[str, str], ...] = ()
    """(name, SHA-256 in hex) of each file where their contents are not at hand: of a stored report."""

    @property
    def digests(self) -> tuple[tuple[str, str], ...]:
        """(name, SHA-256 in hex) of each file beside the artifact, sorted by name."""
        return self.known or tuple((name, sha256(content)) for name, content in self.files)


@frozen
class Contract:
    """What the gates check for a case."""

    grader: Grader
    """How the answer is read from each draw."""
    expect_keys: tuple[str, ...] = ()
    """Keys that every draw's JSON object must have."""
    agree_on: tuple[str, ...] | None = None
    """Keys that the answer is projected on, in place of ``expect_keys``; None when not given."""
    schema: Schema | None = None
    """What every draw must satisfy; None when not given."""
    expect: JSON = None
    """Frozen value: an object of keys and values, a number, or the whole text (of ``expect_path``, where that is set,
    without the line feeds at its end); ``pass`` for a command; None when there is none.
    """
    expect_min: Fraction = Fraction(1)
    """Share of the n draws that must meet ``expect``, 0 to 1."""
    agreement_min: Fraction = Fraction(4, 5)
    """Share of the n draws that the modal answer must reach, 0 to 1."""
    max_completion_tokens: int | None = None
    """Length budget of one draw, in completion tokens; None for no budget."""
    judge: CaseJudge | None = None
    """Who grades the draws; None unless ``grader`` is ``judge``."""
    labels: tuple[str, ...] = ()
    """What the grader ``choice`` may read; empty for any other."""
    regex: str | None = None
    """Pattern of the grader ``regex``; None for any other."""
    compare: tuple[tuple[str, Compare], ...] = ()
    """(key, when two values under it count as equal), sorted by key; a key that is not named compares exactly."""
    whole: Compare = EXACTLY
    """When two answers that have no keys count as equal: of the grader ``number``."""
    fence: str | None = None
    """Language of the fenced block that is the artifact, in lower case; empty for any; None: the whole text is."""
    expect_path: str | None = None
    """The file that ``expect`` was read from, path in the tree; None for any other grader than ``diff``."""
    command: Command | None = None
    """What is run on each draw; None unless ``grader`` is ``command``."""

    @property
    def asks_for_form(self) -> bool:
        """Whether a draw has to have certain keys, or to satisfy a schema."""
        return bool(self.expect_keys) or self.schema is not None

    @property
    def checks(self) -> tuple[str, ...]:
        """What a draw is held to beside agreement, by the names of the gates: ``schema``, ``length``, ``expected``."""
        asked = {
            "schema": self.asks_for_form,
            "length": self.max_completion_tokens is not None,
            "expected": self.expect is not None,
        }
        return tuple(name for name, is_asked in asked.items() if is_asked)

    def compared(self, key: str) -> Compare:
        """Return when two values under ``key`` count as equal, in whatever spelling either stands."""
        return next((compare for name, compare in self.compare if nfc(name) == nfc(key)), EXACTLY)

    @property
    def projection(self) -> tuple[str, ...]:
        """Keys that the answer is projected on; empty for the whole value."""
        return self.expect_keys if self.agree_on is None else self.agree_on


@frozen
class Case:
    """One golden line, resolved against its tree."""

    id: str
    """Unique in its golden file; an integer is kept as its digits."""
    path: str
    """Golden file, path in the tree."""
    line: int
    """Physical line in that file, from 1."""
    messages: tuple[Mapping[str, JSON], ...]
    """The chat as it is sent, templates rendered."""
    n: int
    """Draws asked for, 2 to 100."""
    sampling: Sampling
    """As requested, defaults filled in."""
    contract: Contract
    """What the gates check, defaults filled in."""
    uses: tuple[Use, ...] = ()
    """Templates, includes and schema files, sorted by path."""
    tags: tuple[str, ...] = ()
    """For people, and to narrow a run with ``--tag``; in no fingerprint."""
    note: str | None = None
    """For people; in no fingerprint. None when not given."""

    @property
    def key(self) -> tuple[str, str]:
        """(path, id): unique in a suite."""
        return (self.path, self.id)

    @property
    def requests(self) -> int:
        """Requests for its draws when none has to be repeated, and each gives as many choices as it asks for."""
        return -(-self.n // self.sampling.samples_per_request)

    @property
    def is_checked(self) -> bool:
        """Whether anything can fail: no draw is held to anything, and any one reaches an agreement of 1 of n."""
        contract = self.contract  # not ``checks``, which takes long over many lines
        held = contract.asks_for_form or contract.expect is not None or contract.max_completion_tokens is not None
        return held or contract.agreement_min * self.n > 1
