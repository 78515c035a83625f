"""What a run was made with, what it cost, and what it did not draw itself."""

from __future__ import annotations

from evalaction.frozen import frozen


@frozen
class Tokens:
    """Sums over all replies that were drawn in this run and gave a number; None when none did."""

    prompt: int | None
    """Tokens of the requests, cached ones included."""
    completion: int | None
    """Reasoning tokens included."""
    cached: int | None
    """Prompt tokens read from the provider's prompt cache."""
    reasoning: int | None = None
    """Those of ``completion`` that were spent on reasoning."""
    total: int | None = None
    """Tokens of requests and replies together, as ``max-total-tokens`` counts them; None where nobody counted."""
    estimated: bool = False
    """One reply at least came without a usable count, so that ``total`` is estimated there."""


@frozen
class Calls:
    """Requests to the endpoints, for draws and to judges together."""

    planned: int
    """What the plan needs when none is repeated."""
    made: int
    """Those sent, retries and repairs included."""
    retried: int
    """Those sent beyond the first of their draw."""
    judge: int
    """Those of ``made`` that went to judges."""
    repaired: int
    """Those of ``judge`` that asked once more for a reply that could not be read, without their retries."""
    draws: int = 0
    """Draws that came of the others, in this run: more than requests where one asks for several."""
    answered: int = 0
    """Requests that brought those draws."""


@frozen
class Replays:
    """What was read from a ledger, and not drawn in this run."""

    run: str
    """The run that drew it, as the ledger names it. Untrusted text."""
    began: str | None
    """When that run began, as the ledger says; None where it does not. Untrusted text."""
    draws: int
    """Draws of cases."""
    replies: int
    """Replies of judges."""


@frozen
class Manifest:
    """What the run was made with: enough to repeat it."""

    model: str | None
    """Names of all models asked for draws, joined by commas; None when nothing was to be drawn."""
    endpoint_host: str | None
    """Host and port, never a path, a query or credentials; None when nothing was to be drawn."""
    judge_model: str | None
    """Names of all models asked as judges, joined by commas; None when no judge was to be asked."""
    judge_host: str | None
    """Host and port of the judges' endpoint; None when no judge was to be asked."""
    adapted: tuple[str, ...]
    """What an endpoint does not take as it was asked for, and what became of it for the rest of the run, in our own
    words.
    """
    faults: tuple[tuple[str, int], ...] = ()
    """(kind of failure, how often a request ended in it), most often first: those that a further try made good, too."""
    answered_by: tuple[tuple[str | None, str | None, int], ...] = ()
    """(model, ``system_fingerprint``, draws) as the endpoint named them, the most frequent first, 100 at most. More
    than one of a model that was asked for is a change within the run. Untrusted text.
    """
    replays: tuple[Replays, ...] = ()
    """What was read from a ledger, by run; empty for a run that drew all it shows."""
    sampling: tuple[str, ...]
    """One entry a parameter of the cases drawn, in words: ``n 5``, ``max tokens 80 or 96``."""
    items: int
    """Cases of the whole suite."""
    prompts_sha256: str
    """Over the prompt fingerprints of the cases drawn, in their order."""
    sampling_sha256: str
    """Over the sampling fingerprints of the cases drawn, in their order."""
    dataset_sha256: str
    """Over path and raw bytes of the golden and fixture files, paths sorted."""
    config_sha256: str | None
    """Over the configuration file's bytes; None where there is none."""
    versions: tuple[tuple[str, str], ...]
    """(component, version): evalaction, Python."""
    notes: tuple[str, ...]
    """Warnings of the suite, notes of the plan, what ended the drawing. Untrusted text."""
    calls: Calls
    """Requests planned and sent."""
    tokens: Tokens
    """As the endpoint counted them."""
    wall_s: float
    """Seconds from the first request to the last answer; 0 when nothing was sent."""
    repeat_command: str
    """The command that measures the same thing on a desk, without keys; empty where it is not to be shown."""
