"""One sample of a case's request: what was asked, and what came."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias

from evalaction.frozen import frozen
from evalaction.records.case import Sampling
from evalaction.values import JSON

DrawKey: TypeAlias = tuple[str, str, int]
"""(path, id, index) of a draw of a case."""


@frozen
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


@frozen
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
    fingerprint: str | None = None
    """``system_fingerprint``: the endpoint's own name for the configuration that answered; None without one."""
    replayed: str | None = None
    """What marks it as a reply that was shown before, such as ``x-cache: HIT``; None without a mark. Untrusted text."""
    choices: int = 1
    """Choices of the response that it came in. Of more than one, ``usage`` is that of all, and stands with the first
    of them alone.
    """
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
    QUOTA = "quota used up"
    """A limit of the endpoint that does not come back within a run (a day's, the account's money), so the run sends
    nothing more.
    """
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
    COMMAND = "command"
    """The command that grades it is not allowed, or could not be started."""


@frozen
class Failure:
    """Why a draw is missing."""

    cause: Cause
    """The kind of failure."""
    message: str
    """In words, with the start of the endpoint's own body where there was one. Untrusted text."""
    status: int | None = None
    """HTTP status, or the code in the body's error; None without one."""
    kind: str = ""
    """The kind for counting, where ``cause`` and ``status`` do not tell it apart: ``connection reset``, ``HTML``."""

    @property
    def counted_as(self) -> str:
        """The kind of failure, in our own words, as it is counted: ``HTTP 429``, ``connection reset``, ``timeout``."""
        return self.kind or (self.cause.value if self.status is None else f"HTTP {self.status}")


@frozen
class Adaptation:
    """A parameter that an endpoint does not take as it was asked for, and what became of it for the rest of the run."""

    name: str
    """The parameter, by the name that a request gives it at first."""
    instead: str | None = None
    """The name by which it is sent from then on; None: it is left out."""
    refused: bool = True
    """The endpoint refused it by name; else it took it and did not do what it says (``n``)."""
    model: str | None = None
    """Whose requests are sent without it, or with the other name: another model may take what this one does not."""


class Whose(StrEnum):
    """What a request is made for."""

    CASE = "case"
    """A draw of a case."""
    DECK = "deck"
    """A request to the judge of a deck."""
    JUDGE = "judge"
    """A request to the judge of a case."""


@frozen
class Call:
    """One request to be made, and whose it is."""

    path: str
    """Golden file of its case, or fixtures file of its deck; path in the tree."""
    line: int
    """Physical line of the case, from 1; 1 for a deck."""
    id: str
    """Id of its case, or name of its deck."""
    index: int
    """From 1: which draw of the case it is, or which request to its judge."""
    messages: tuple[Mapping[str, JSON], ...]
    """The chat that is sent."""
    sampling: Sampling
    """What is asked of the sampler."""
    seed: int | None = None
    """As it is sent; None: none is."""
    choices: int = 1
    """Draws that are asked for in this one request (``n``): those from ``index`` on. Of more than one, none has a seed.
    """
    unasked: frozenset[str] = frozenset()
    """Parameters of ``sampling`` that nobody wrote down: where the endpoint refuses one by name, it is left out for
    the rest of the run.
    """
    cap_of_budget: bool = False
    """``max_tokens`` was made from a length budget, and written down by nobody."""
    whose: Whose = Whose.CASE
    """What it is made for; messages for people name it."""


@frozen
class Spent:
    """What earlier parts of a run have used up of its limits."""

    made: int = 0
    """Requests sent."""
    tokens: int = 0
    """Tokens of requests and replies, as the endpoint counted them; estimated where it did not."""
    elapsed_s: float = 0.0
    """Seconds since the first of them."""
    end: Failure | None = None
    """Why nothing more is sent; None while the run goes on."""
    adapted: tuple[Adaptation, ...] = ()
    """What the endpoint does not take as it was asked for."""


@frozen
class Draw:
    """One sample: exactly one of ``reply`` and ``failure`` is set."""

    path: str
    """Golden file of its case, or fixtures file of its deck; path in the tree."""
    id: str
    """Id of its case, or name of its deck."""
    index: int
    """From 1 to the case's n; for a judge, the number of the request."""
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
    replay_of: str | None = None
    """The run that it was drawn in, where it was read from that run's ledger; None: it was drawn in this run."""


@frozen
class Drawn:
    """All draws of a run, or of a part of it."""

    draws: tuple[Draw, ...]
    """Every draw that was asked for, in that order, missing ones included."""
    made: int
    """Requests sent."""
    retried: int
    """Requests sent beyond the first of their draw."""
    wall_s: float
    """Seconds from the first request to the last answer."""
    stopped: Failure | None = None
    """What ended the drawing before its time; None when it ran to its end."""
    tokens: int = 0
    """Tokens of requests and replies of this part, as the endpoint counted them; estimated where it did not."""
    adapted: tuple[Adaptation, ...] = ()
    """What the endpoint does not take as it was asked for, as this part or an earlier one found out; sorted."""
    faults: tuple[tuple[str, int], ...] = ()
    """(kind of failure, how often a request ended in it), most often first: those that a further try made good, too."""
