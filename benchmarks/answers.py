"""What the endpoint that is measured against answers, which tries it fails, and what it counts.

What is answered, and which tries fail, depends on the prompt, the seed (without one: on how often that prompt was
asked) and the number of the try alone, never on the order in which requests come.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

WORDS = ("yes", "no", "maybe")
OK, LIMITED, BROKEN = 200, 429, 500
RESET = 0
"""In place of a status: the connection is closed without an answer."""


@dataclass(kw_only=True, slots=True)
class Behaviour:
    """How the endpoint behaves; each is a flag and a key of ``/config``. Shares are between 0 and 1."""

    latency_ms: float = 0.0
    """From a request to its answer."""
    jitter_ms: float = 0.0
    """At most so much more."""
    flip: float = 0.0
    """Share of answers with another word."""
    bad_json: float = 0.0
    """Share of answers in prose."""
    p429: float = 0.0
    """Share of tries answered 429."""
    retry_after: float = 1.0
    """Seconds that a 429 asks to wait."""
    rps: float = 0.0
    """Requests a second, and at once after a pause, beyond which there is a 429; 0 for no end."""
    max_concurrent: int = 0
    """Requests in flight beyond which there is a 429; 0 for no end."""
    p500: float = 0.0
    """Share of tries answered 500."""
    reset_conn: float = 0.0
    """Share of tries whose connection is closed without an answer."""
    max_faults: int = 3
    """Most tries of one prompt and seed that fail by a share."""
    seed: int = 0
    """Of the endpoint's own choices."""


@dataclass(slots=True)
class Asked:
    """What was asked with one prompt and seed."""

    tries: int = 0
    answered: int = 0
    faults: int = 0
    not_before: float = 0.0
    """Until when its last 429 asked to wait."""


@dataclass(kw_only=True, slots=True)
class Counts:
    """What ``/stats`` tells, beside what follows from it."""

    requests: int = 0
    ok: int = 0
    s429: int = 0
    s500: int = 0
    bad_requests: int = 0
    conn_resets: int = 0
    max_in_flight: int = 0
    connections: int = 0
    """Accepted since the start or the last reset."""
    max_open: int = 0
    early_any: int = 0
    """Requests that came while any 429 asked to wait."""
    early_same: int = 0
    """Those whose own prompt and seed was to wait."""
    without_seed: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    user_agents: dict[str, int] = field(default_factory=dict)


class Endpoint:
    """Decides on answers and faults, and counts."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.open = self.in_flight = 0
        self.reset()

    def reset(self) -> None:
        """Start counting anew; what is open or in flight stays so."""
        self.counts = Counts(max_open=self.open, max_in_flight=self.in_flight)
        self.asked: defaultdict[tuple[str, int], Asked] = defaultdict(Asked)
        self.unseeded: Counter[str] = Counter()
        self.window_end = self.first = self.last = self.busy_s = 0.0
        self.cpu_began = time.process_time()
        self.allowance, self.allowance_at = self.behaviour.rps, time.monotonic()

    def stats(self) -> dict[str, Any]:
        """Return the counters.

        ``first_s`` and ``last_s`` are when the first request came and the last answer went, by the machine's monotonic
        clock; ``busy`` is the mean number of requests in flight over ``span_s`` between them.
        """
        span = max(0.0, self.last - self.first)
        return asdict(self.counts) | {
            "in_flight": self.in_flight,
            "open": self.open,
            "distinct": len(self.asked),
            "repeats_ok": sum(asked.answered > 1 for asked in self.asked.values()),
            "first_s": self.first,
            "last_s": self.last,
            "span_s": round(span, 4),
            "busy": round(self.busy_s / span, 2) if span else 0,
            "cpu_s": round(time.process_time() - self.cpu_began, 4),
        }

    def configure(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Change the behaviour, and return the one in force."""
        before = asdict(self.behaviour)
        for name in before.keys() & changes.keys():
            setattr(self.behaviour, name, type(before[name])(changes[name]))
        self.allowance, self.allowance_at = self.behaviour.rps, time.monotonic()
        return asdict(self.behaviour)

    def seed_of(self, request: dict[str, Any], prompt: str) -> int:
        """Return the seed of a request; of one without, how often its prompt was asked without one before."""
        seed = request.get("seed")
        if seed is not None:
            return int(seed)
        self.counts.without_seed += 1
        self.unseeded[prompt] += 1
        return self.unseeded[prompt] - 1

    def fate(self, asked: Asked, prompt: str, seed: int, now: float) -> int:
        """Return the status of the answer to a request that has just come, or ``RESET``."""
        told, counts = self.behaviour, self.counts
        asked.tries += 1
        counts.early_any += now < self.window_end
        counts.early_same += now < asked.not_before
        limited = 0 < told.max_concurrent <= self.in_flight
        if told.rps:
            self.allowance = min(told.rps, self.allowance + (now - self.allowance_at) * told.rps)
            self.allowance_at, limited = now, limited or self.allowance < 1
            self.allowance -= not limited
        status = LIMITED if limited else OK
        for share, fault in ((told.p429, LIMITED), (told.reset_conn, RESET), (told.p500, BROKEN)):
            may = share and status == OK and asked.faults < told.max_faults
            if may and self._chance(fault, prompt, seed, asked.tries) < share:
                asked.faults += 1
                status = fault
        if status == LIMITED:
            asked.not_before = now + told.retry_after
            self.window_end = max(self.window_end, asked.not_before)
        return status

    def delay_s(self, prompt: str, seed: int, tries: int) -> float:
        """Return how long an answer takes."""
        jitter = self.behaviour.jitter_ms
        more = jitter * self._chance("jitter", prompt, seed, tries) if jitter else 0.0
        return (self.behaviour.latency_ms + more) / 1000

    def completion(self, prompt: str, seed: int) -> str:
        """Return what the model says."""
        told = self.behaviour
        if told.bad_json and self._chance("bad", prompt, seed) < told.bad_json:
            return "There is no answer to this."
        _, found, rest = prompt.partition("EXPECT=")
        word = rest.split(None, 1)[0] if found else WORDS[int(self._chance("word", prompt) * len(WORDS))]
        flipped = bool(told.flip) and self._chance("flip", prompt, seed) < told.flip
        if flipped:
            others = [other for other in WORDS if other != word]
            word = others[int(self._chance("other", prompt, seed) * len(others))]
        return f'{{"answer": {json.dumps(word)}, "sure": {"false" if flipped else "true"}}}'

    def _chance(self, *of: object) -> float:
        """Return a number in [0, 1) that depends on ``of`` alone."""
        digest = hashlib.blake2b(repr((self.behaviour.seed, of)).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") / 2**64
