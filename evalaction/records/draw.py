"""One sample of a case's request: what was asked, and what came."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; None where it gave no usable number."""

    prompt: int | None = None
    """Tokens of the request, cached ones included."""
    completion: int | None = None
    """Reasoning tokens included."""
    reasoning: int | None = None
    """Those of ``completion`` that were spent on reasoning."""
    cached: int | None = None
    """Prompt tokens read from the provider's prompt cache: cheaper, not a replay."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What the endpoint answered, not yet read."""

    text: str | None
    """The message's content; parts of a list joined; None when there was none."""
    finish_reason: str | None
    """Why the endpoint says that the reply ended (``stop``, ``length``); None when it did not say."""
    refusal: str | None = None
    """What the model said in declining to answer; None when it did not decline."""
    tool_calls: bool = False
    """The model called a tool instead of answering."""
    reasoning: bool = False
    """The message had text in a reasoning field, which is no answer."""
    unseen: int = 0
    """Characters of reasoning fields and tool calls: tokens that were made, though they are no answer."""
    id: str | None = None
    """Response id; two draws that share it, the choice and the time are not independent."""
    choice: int = 0
    """Index of the choice in its response, from 0."""
    created: int | None = None
    """Seconds since 1970 at which the endpoint says it made the response; None when it did not say."""
    model: str | None = None
    """Model name that the endpoint says it used."""
    usage: Usage = Usage()
    """Token counts of the response."""


class Cause(StrEnum):
    """Why nothing came."""

    TRANSPORT = "transport"
    """No connection, or it broke."""
    TIMEOUT = "timeout"
    """No connection, or no complete answer, within the limit on it."""
    STATUS = "status"
    """An HTTP status, or an error in the body of a 200, that retries did not cure."""
    REJECTED = "rejected"
    """400, 401, 403, 404 or 410: it will not get better, so the run sends nothing more."""
    RUBBISH = "rubbish"
    """A reply that is not a chat completion."""
    TOO_LARGE = "too large"
    """A response body beyond the limit on its size."""
    BUDGET = "budget"
    """``max-calls`` was reached."""
    DEADLINE = "deadline"
    """``deadline`` was reached."""
    STOPPED = "stopped"
    """Not sent, since another draw was rejected for good."""
    INTERRUPTED = "interrupted"
    """The run was stopped from outside."""
    HELD = "held back"
    """Nothing was to be sent: the pull request comes from a fork."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """Why a draw is missing."""

    cause: Cause
    """The kind of failure."""
    message: str
    """In words, with the start of the endpoint's own body where there was one. Untrusted text."""
    status: int | None = None
    """HTTP status, or the code in the body's error; None without one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw:
    """One sample: exactly one of ``reply`` and ``failure`` is set."""

    path: str
    """Golden file of its case, path in the tree."""
    id: str
    """(path, id) is the case's key."""
    index: int
    """From 1 to the case's n."""
    seed: int | None
    """As sent; None when none was."""
    reply: Reply | None = None
    """What came; None for a missing draw."""
    failure: Failure | None = None
    """Why it is missing; None for a measured draw."""
    latency_s: float | None = None
    """Seconds from sending to the last byte, of the try that is kept; None when nothing came."""
    tries: int = 0
    """Requests sent for it, 0 when none was."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """All draws of a run."""

    draws: tuple[Draw, ...]
    """Every draw of the plan, in the plan's order, missing ones included."""
    made: int
    """Requests sent."""
    retried: int
    """Requests sent beyond the first of their draw."""
    wall_s: float
    """Seconds from the first request to the last answer."""
    stopped: Failure | None = None
    """What ended the drawing before its time; None when it ran to its end."""
