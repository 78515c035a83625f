"""What a run is told from outside the repository's own files."""

from __future__ import annotations

from dataclasses import field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from evalaction.frozen import frozen
from evalaction.records.gate import GateName

WORKTREE = "WORKTREE"
"""The value of ``--head`` that means the files on disk."""


@frozen
class Defaults:
    """Sampling and thresholds for cases that do not say their own."""

    model: str | None = None
    """None: a case that names none cannot be drawn."""
    judge_model: str | None = None
    """For decks that name none; None: the model of the cases."""
    n: int = 5
    """Draws of a case, 2 to 100."""
    samples_per_request: int = 1
    """Draws of a case that one request asks for (``n`` of the API), 1 to 100."""
    temperature: int | Decimal | None = None
    """None: not sent."""
    agreement_min: Fraction = Fraction(4, 5)
    """Share of the n draws that the modal answer must reach, 0 to 1."""
    expect_min: Fraction = Fraction(1)
    """Share of the n draws that must meet the expected value, 0 to 1."""


@frozen
class Endpoint:
    """An OpenAI-compatible chat endpoint."""

    base_url: str = field(repr=False)
    """As it was given; it may hold credentials."""
    api_key: str | None = field(default=None, repr=False)
    """None: no ``Authorization`` header is sent."""
    url_name: str = "EVAL_BASE_URL"
    """What messages call the URL: the variable to set."""
    key_name: str = "EVAL_API_KEY"
    """What messages call the key."""
    model_name: str = "EVAL_MODEL"
    """What messages call the model."""


@frozen
class Limits:
    """How much may be asked of an endpoint, and for how long."""

    max_calls: int = 2_000
    """Requests, retries included."""
    max_total_tokens: int | None = None
    """Tokens of requests and replies, as the endpoint counts them; None: as many as it takes."""
    deadline_s: int = 1_800
    """From the first request; then nothing more is sent, and what is in flight is given up."""
    max_concurrency: int = 8
    """Requests in flight at once."""
    tries: int = 4
    """Requests for one draw, the first included."""
    connect_s: float = 10
    """From asking for a connection to having one."""
    answer_s: float = 120
    """From sending a request to its last byte."""
    wait_cap_s: float = 300
    """Longest wait that all retries of one draw may add up to, and longest time for which nothing may come at all."""
    response_bytes: int = 4 * 1024 * 1024
    """Size of a response body, decoded, beyond which it is refused."""


class Forks(StrEnum):
    """What happens when something is affected in a pull request from a fork."""

    FAIL = "fail"
    """Nothing is sent, and the run ends as not measured, with exit code 3."""
    SKIP = "skip"
    """Nothing is sent, and the run ends as not measured, with a notice and exit code 0."""
    DRAW = "draw"
    """It is treated like any other pull request."""


class CommentMode(StrEnum):
    """When there is a comment. One that is there already is kept up to date, but for ``off``."""

    ALWAYS = "always"
    """On every run for a pull request."""
    FAILURES = "failures"
    """When the run is not a pass: something failed, or could not be measured."""
    CHANGES = "changes"
    """When a case or deck is affected, a gate loosened, an expected value edited or something removed."""
    OFF = "off"
    """Never; GitHub is not asked, and what is there is left alone."""


@frozen
class Posting:
    """What becomes of the report on GitHub."""

    token: str | None = field(default=None, repr=False)
    """For GitHub's API; None: nothing is posted."""
    mode: CommentMode = CommentMode.ALWAYS
    """When there is a comment."""
    comment_id: str = "default"
    """Tells several comments on one pull request apart."""


DEFAULT_GOLDEN = ("**/*.golden.jsonl", "**/golden.jsonl")
DEFAULT_FAIL_ON = frozenset(
    {
        GateName.AGREEMENT,
        GateName.SCHEMA,
        GateName.LENGTH,
        GateName.EXPECTED,
        GateName.JUDGE_FLIP,
        GateName.JUDGE_GOLD,
    }
)


@frozen
class Settings:
    """Everything that a run is told from outside the repository's own files."""

    repo: str = "."
    """Folder of the repository, or any folder in it."""
    base: str | None = None
    """Revision to compare with; None: the event's, else the default branch."""
    head: str | None = None
    """Revision to measure, or ``WORKTREE``; None: the event's, else HEAD in the Action, the files on disk elsewhere."""
    endpoint: Endpoint | None = None
    """None: no endpoint was given; a run that has to draw says what to set."""
    judge_endpoint: Endpoint | None = None
    """Where judges are asked: its own, or that of the draws. None: neither was given."""
    defaults: Defaults = Defaults()
    """For cases whose files do not say."""
    limits: Limits = Limits()
    """What may be asked of the endpoint."""
    config: str | None = None
    """Path of the configuration file in the tree; None for the usual places."""
    golden: tuple[str, ...] | None = None
    """Globs of golden files; None to ask the configuration file, then ``DEFAULT_GOLDEN``."""
    root: str = ""
    """Folder of the repository that is looked at (``working-directory``); empty for all of it."""
    force_all: bool = False
    """Draw all cases and judge all decks, affected or not."""
    cases: tuple[str, ...] = ()
    """Narrow the run: ``ID`` or ``PATH#ID``."""
    tags: tuple[str, ...] = ()
    """Narrow the run to cases with any of these."""
    fail_on: frozenset[GateName] = DEFAULT_FAIL_ON
    """Gates whose failure fails the run; the others warn."""
    forks: Forks = Forks.FAIL
    """What happens when something is affected in a pull request from a fork."""
    posting: Posting = Posting()
    """What becomes of the report on GitHub."""
    show_completions: bool = True
    """Whether model text may be shown outside the report files."""
    allow_commands: bool = False
    """Whether the graders ``command`` may run what the repository names; never for a fork."""
    report_dir: str = "evalaction-report"
    """Folder for the report files; made when it is missing."""
    ledger: str | None = None
    """File to which each draw is appended as it comes; None: none is kept."""
    resume: bool = False
    """Whether draws that the ledger holds are taken from it, and not drawn again."""
    notes: tuple[str, ...] = ()
    """What is allowed and should be known (a key too short to be redacted)."""
