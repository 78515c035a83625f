"""The table of inputs: what a workflow or a command line may say, its defaults, and how each text is read. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from evalaction.frozen import frozen
from evalaction.records.gate import GateName
from evalaction.records.settings import (
    DEFAULT_FAIL_ON,
    DEFAULT_GOLDEN,
    CommentMode,
    Defaults,
    Forks,
    Limits,
    Posting,
    Settings,
)

Choice = TypeVar("Choice", bound=StrEnum)

MAX_LABEL = 100
"""Characters of a comment's id."""


@frozen
class Input:
    """One input of the Action, and the option of the same name on the command line."""

    name: str
    """Kebab case."""
    help: str
    """What it says, in one sentence, for ``--help`` and the docs."""
    parse: Callable[[str], Any]
    """Turns trimmed, non-empty text into a value; raises ``ValueError`` with what is allowed."""
    default: str = ""
    """As a person would write it; empty for none."""
    env: str | None = None
    """Environment variable that is read when the input is empty."""
    option: bool = True
    """Whether it is an option of ``check``: a key is not, since others can read the process list, nor is what
    only a pull request has.
    """
    secret: bool = False
    """Whether it is never to be shown: masked in a log, and taken out of every message."""
    expression: str = ""
    """What ``action.yml`` gives when the workflow says nothing; empty for none."""

    @property
    def is_switch(self) -> bool:
        """Whether it says ``true`` or ``false``: as an option, ``true`` where it stands alone."""
        return self.parse is _switch


def _text(text: str) -> str:
    return text


def _label(text: str) -> str:
    if len(text) > MAX_LABEL or not text.isprintable():
        raise ValueError(f"must be printable, in one line of {MAX_LABEL} characters at the most")
    return text


def _one_of(kind: type[Choice]) -> Callable[[str], Choice]:
    def parse(text: str) -> Choice:
        if text not in set(kind):
            raise ValueError(f"must be one of {', '.join(kind)}")
        return kind(text)

    return parse


def _lines(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.splitlines() if part.strip())


def _switch(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError("must be true or false")
    return text == "true"


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", text) or not low <= int(text) <= high:
            raise ValueError(f"must be a whole number from {low:,} to {high:,}")
        return int(text)

    return parse


def _number(low: int, high: int) -> Callable[[str], Decimal]:
    def parse(text: str) -> Decimal:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) or not low <= Decimal(text) <= high:
            raise ValueError(f"must be a number from {low} to {high}, such as {low}.5")
        return Decimal(text)

    return parse


def _gates(text: str) -> frozenset[GateName]:
    allowed = ", ".join(gate.value for gate in GateName)
    names = re.split(r"[\s,]+", text)
    unknown = [name for name in names if name not in set(GateName)]
    if unknown:
        raise ValueError(f"names no gate: {', '.join(unknown)}; allowed: {allowed}")
    return frozenset(GateName(name) for name in names)


def _usual_gates() -> str:
    *names, last = (gate.value for gate in GateName if gate in DEFAULT_FAIL_ON)
    return f"{', '.join(names)} and {last}"


_DEFAULTS, _LIMITS = Defaults(), Limits()

INPUTS = (
    Input(
        name="base-url",
        help="URL of an OpenAI-compatible chat endpoint; with an empty path, /v1/chat/completions is appended.",
        parse=_text,
        env="EVAL_BASE_URL",
    ),
    Input(name="model", help="Model for cases whose files name none.", parse=_text, env="EVAL_MODEL"),
    Input(
        name="api-key",
        help="Key for the endpoint; without one no Authorization header is sent.",
        parse=_text,
        env="EVAL_API_KEY",
        option=False,
        secret=True,
    ),
    Input(
        name="judge-base-url",
        help="URL of the endpoint that judges are asked at; that of base-url when empty.",
        parse=_text,
        env="JUDGE_URL",
    ),
    Input(
        name="judge-model",
        help="Model of judges whose deck names none; when empty that of the cases.",
        parse=_text,
        env="JUDGE_MODEL",
    ),
    Input(
        name="judge-api-key",
        help="Key for the judges' endpoint; when empty api-key, if scheme, host and port are those of base-url.",
        parse=_text,
        env="JUDGE_API_KEY",
        option=False,
        secret=True,
    ),
    Input(
        name="github-token",
        help="Token for the comment, and for a base that a shallow checkout lacks; by default the job's own.",
        parse=_text,
        option=False,
        secret=True,
        expression="${{ github.token }}",
    ),
    Input(name="config", help="Path of the configuration file in the repository.", parse=_text),
    Input(name="golden", help="Globs of golden files, one a line.", default="\n".join(DEFAULT_GOLDEN), parse=_lines),
    Input(
        name="working-directory",
        help="Folder to look at: in the Action of the workspace, else of the repository; all of it when empty.",
        parse=_text,
    ),
    Input(
        name="base",
        help="Revision whose merge base with head is compared with; when empty the event's, on a desk the default "
        "branch.",
        parse=_text,
    ),
    Input(name="head", help="Revision to measure, or WORKTREE for the files on disk.", parse=_text),
    Input(
        name="repeat",
        help="Draws of a case whose files do not say n, 2 to 100.",
        default=str(_DEFAULTS.n),
        parse=_whole(2, 100),
    ),
    Input(
        name="temperature",
        help="Sampling temperature for cases whose files say none; not sent when empty.",
        parse=_number(0, 2),
    ),
    Input(
        name="agreement-min",
        help="Share of the draws that must agree, for cases whose files do not say.",
        default=str(float(_DEFAULTS.agreement_min)),
        parse=_number(0, 1),
    ),
    Input(
        name="max-concurrency",
        help="Requests in flight at once, at most.",
        default=str(_LIMITS.max_concurrency),
        parse=_whole(1, 1_000),
    ),
    Input(
        name="max-calls",
        help="Requests in all, retries included; a plan that needs more sends nothing.",
        default=str(_LIMITS.max_calls),
        parse=_whole(0, 10_000_000),
    ),
    Input(
        name="max-total-tokens",
        help="Tokens of requests and replies in all, as the endpoint counts them; beyond, nothing more is drawn. No "
        "limit when empty.",
        parse=_whole(1, 100_000_000_000),
    ),
    Input(
        name="deadline",
        help="Seconds after which nothing more is drawn.",
        default=str(_LIMITS.deadline_s),
        parse=_whole(1, 86_400),
    ),
    Input(
        name="fail-on",
        help=f"Gates, separated by commas, whose failure fails the run, besides {_usual_gates()}.",
        parse=_gates,
    ),
    Input(
        name="warn-on",
        help="Gates, separated by commas, whose failure is shown and fails nothing.",
        parse=_gates,
    ),
    Input(
        name="comment-mode",
        help="When there is a comment on the pull request: always, failures (the run is no pass), changes (something "
        "is affected) or off. One that is there is kept up to date.",
        default=str(Posting().mode),
        parse=_one_of(CommentMode),
        option=False,
    ),
    Input(
        name="comment-id",
        help="Tells the comments of several workflows on one pull request apart.",
        default=Posting().comment_id,
        parse=_label,
        option=False,
    ),
    Input(
        name="forks",
        help="What becomes of an affected pull request from a fork: fail and skip send nothing and end as "
        "unmeasured, with exit code 3 or 0; draw treats it like any other.",
        default=str(Settings().forks),
        parse=_one_of(Forks),
        option=False,
    ),
    Input(
        name="allow-commands",
        help="Run the commands that golden files name as graders: programs of the repository, each as a user of its "
        "own. Never for a fork.",
        default="false",
        parse=_switch,
    ),
    Input(
        name="force-run",
        help="Draw all cases and judge all decks, affected or not.",
        default="false",
        parse=_switch,
    ),
    Input(
        name="show-completions",
        help="Show model text in comment, report.md, step summary and log; report.json always holds it.",
        default="true",
        parse=_switch,
    ),
    Input(
        name="report-dir",
        help="Folder for the report files; made when it is missing.",
        default=Settings().report_dir,
        parse=_text,
    ),
    Input(
        name="ledger",
        help="File to which every draw is appended as it comes, so that a run that is killed loses none; none is kept "
        "when empty.",
        parse=_text,
    ),
    Input(
        name="resume",
        help="Take the draws that the ledger holds from it and draw the rest; the report says how many are replays, "
        "and of which run.",
        default="false",
        parse=_switch,
    ),
)
"""Every input there is: ``action.yml``, the options of ``check`` and the docs are held to this table."""
