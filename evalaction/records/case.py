"""What a tree asks to be checked, resolved: golden cases with their contracts, decks with their fixtures, the suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from evalaction.values import JSON


class Grader(StrEnum):
    """How an answer is read from a completion."""

    JSON = "json"
    """One JSON value, projected on the contract's keys."""
    TEXT = "text"
    """The whole text, with Unicode NFC, case and white space folded."""
    EXACT = "exact"
    """The whole text, byte for byte."""
    JUDGE = "judge"
    """One of a judge's labels, asked for each draw several times."""


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """A file, other than its golden file, that a case was made from."""

    path: str
    """Path in the tree."""
    role: UseRole
    """Why it was read."""
    sha256: str
    """SHA-256 of the file's bytes, in hex."""


@dataclass(frozen=True, kw_only=True, slots=True)
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Schema:
    """A JSON Schema with every local document that it refers to."""

    document: JSON
    """The schema itself."""
    path: str | None = None
    """The file it came from; None for one written into the golden line."""
    resources: tuple[tuple[str, JSON], ...] = ()
    """(path in the tree, document) of each file that is reached by ``$ref``, sorted by path."""


@dataclass(frozen=True, kw_only=True, slots=True)
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


@dataclass(frozen=True, kw_only=True, slots=True)
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
    """Frozen value: an object of keys and values, or the whole text; None when there is none."""
    expect_min: Fraction = Fraction(1)
    """Share of the n draws that must meet ``expect``, 0 to 1."""
    agreement_min: Fraction = Fraction(4, 5)
    """Share of the n draws that the modal answer must reach, 0 to 1."""
    max_completion_tokens: int | None = None
    """Length budget of one draw, in completion tokens; None for no budget."""
    judge: CaseJudge | None = None
    """Who grades the draws; None unless ``grader`` is ``judge``."""

    @property
    def projection(self) -> tuple[str, ...]:
        """Keys that the answer is projected on; empty for the whole value."""
        return self.expect_keys if self.agree_on is None else self.agree_on


@dataclass(frozen=True, kw_only=True, slots=True)
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
