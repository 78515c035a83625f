"""Plans to draw, and time that passes only when there is nothing else to do.

``draw`` runs ``draw_calls`` on an event loop whose clock jumps to the next thing that is due, so waits,
timeouts and deadlines of any length take no real time and always come out the same.
"""

from __future__ import annotations

import asyncio
import random
import selectors
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import httpx

from evalaction.draw.client import Client, make_client
from evalaction.draw.endpoint import make_target
from evalaction.draw.gathered import Kept
from evalaction.draw.run import draw_calls
from evalaction.draw.schedule import case_calls, over_budget
from evalaction.records.case import Case, Contract, Grader, Sampling
from evalaction.records.draw import Call, Draw, Drawn, Failure, Spent
from evalaction.records.plan import Fingerprints, Plan, PlannedCase, PlannedDeck, Reason
from evalaction.records.settings import Endpoint, Limits

T = TypeVar("T")

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
"""What the fake clock's calendar says at its 0."""


def make_case(
    name: str = "a", *, n: int = 5, prompt: str | None = None, line: int = 1, sampling: Sampling | None = None
) -> Case:
    """Return a case whose prompt is its id, unless another is given."""
    return Case(
        id=name,
        path="x.golden.jsonl",
        line=line,
        messages=({"role": "user", "content": prompt or name},),
        n=n,
        sampling=sampling or Sampling(model="m"),
        contract=Contract(grader=Grader.TEXT),
    )


def make_call(case: Case, index: int = 1) -> Call:
    """Return draw ``index`` (from 1) of a case, as it is sent."""
    return case_calls(make_plan(case))[index - 1]


def make_plan(*cases: Case, decks: Sequence[PlannedDeck] = ()) -> Plan:
    """Return a plan of nothing but ``cases`` and ``decks``."""
    prints = Fingerprints(prompt="0" * 64, contract="0" * 64, sampling="0" * 64)
    return Plan(
        cases=tuple(PlannedCase(case=case, fingerprints=prints, reasons=(Reason.NEW,)) for case in cases),
        decks=tuple(decks),
        removed=(),
        loosened=(),
        edited_gold=(),
        unaffected=0,
        total=len(cases),
    )


class _JumpingSelector(selectors.SelectSelector):
    """Instead of waiting for a time, is there at once."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("everybody waits for something that cannot come")
        if not ready and timeout:
            self.now += timeout
        return ready


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.selector = _JumpingSelector()
        super().__init__(self.selector)

    def time(self) -> float:
        return self.selector.now


class FakeClock:
    """The clock of the event loop that it is used in, with a calendar that begins at ``START``."""

    def now(self) -> float:
        """Return seconds since the loop was made."""
        return asyncio.get_running_loop().time()

    def wall(self) -> datetime:
        """Return the date."""
        return START + timedelta(seconds=self.now())

    async def sleep(self, seconds: float) -> None:
        """Let the loop's time pass."""
        await asyncio.sleep(seconds)


def run_virtual(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run ``coroutine`` on a loop of virtual time. It must not use the network."""
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(coroutine)


Handler = Callable[[httpx.Request], "httpx.Response | Awaitable[httpx.Response]"]


def draw(
    plan: Plan,
    handler: Handler,
    *,
    limits: Limits | None = None,
    on_draw: Callable[[Draw], None] = lambda _: None,
    stop: asyncio.Event | None = None,
    seed: int = 0,
) -> Drawn:
    """Draw the cases of ``plan`` in virtual time from ``handler``, which stands in for the network."""
    limits = limits or Limits()
    spent = Spent(end=over_budget(plan, limits))
    return draw_part(case_calls(plan), handler, limits=limits, on_draw=on_draw, stop=stop, seed=seed, spent=spent)


def draw_part(  # noqa: PLR0913 - each is another thing, and each is given by name
    calls: Iterable[Call],
    handler: Handler,
    *,
    limits: Limits | None = None,
    on_draw: Callable[[Draw], None] = lambda _: None,
    stop: asyncio.Event | None = None,
    seed: int = 0,
    spent: Spent | None = None,
    ledger: Kept | None = None,
    keep: bool = True,
    on_pause: Callable[[Failure, float], None] | None = None,
) -> Drawn:
    """Draw ``calls`` in virtual time from ``handler``, which stands in for the network and may be a coroutine."""

    async def go() -> Drawn:
        async with scripted_client(handler, limits or Limits()) as client:
            return await draw_calls(
                calls,
                client=client,
                target=make_target(Endpoint(base_url="https://llm.example.test/v1")),
                limits=limits or Limits(),
                clock=FakeClock(),
                rng=random.Random(seed),  # noqa: S311 - jitter
                on_draw=on_draw,
                on_pause=on_pause,
                stop=stop,
                spent=spent or Spent(),
                ledger=ledger,
                keep=keep,
            )

    return run_virtual(go())


def scripted_client(handler: Handler, limits: Limits) -> Client:
    """Return a client whose requests ``handler`` answers."""

    async def handle(request: httpx.Request) -> httpx.Response:
        answer = handler(request)
        return answer if isinstance(answer, httpx.Response) else await answer

    return make_client(limits, transport=httpx.MockTransport(handle))


class ImpatientClock(FakeClock):
    """A clock for a real network: what would be waited for is skipped, and counted as if it had passed."""

    def __init__(self) -> None:
        self.skipped = 0.0
        """Seconds that were not waited for."""

    def now(self) -> float:
        """Return seconds, skipped ones included."""
        return super().now() + self.skipped

    async def sleep(self, seconds: float) -> None:
        """Skip ``seconds``."""
        self.skipped += seconds
        await asyncio.sleep(0)


def draw_over_network(
    plan: Plan,
    endpoint: Endpoint,
    *,
    limits: Limits | None = None,
    on_draw: Callable[[Draw], None] = lambda _: None,
    stop: asyncio.Event | None = None,
) -> Drawn:
    """Draw ``plan`` from a server on loopback, without waiting between tries."""

    async def go() -> Drawn:
        async with make_client(limits or Limits()) as client:
            return await draw_calls(
                case_calls(plan),
                client=client,
                target=make_target(endpoint),
                limits=limits or Limits(),
                clock=ImpatientClock(),
                rng=random.Random(0),  # noqa: S311 - jitter
                on_draw=on_draw,
                stop=stop,
            )

    return asyncio.run(go())


def replies(drawn: Drawn) -> Mapping[tuple[str, int], str | None]:
    """Return the texts that came, by (id, index)."""
    return {(draw.id, draw.index): draw.reply.text for draw in drawn.draws if draw.reply is not None}


def failures(drawn: Drawn) -> Mapping[tuple[str, int], tuple[str, int | None]]:
    """Return (cause, status) of what is missing, by (id, index)."""
    return {
        (draw.id, draw.index): (draw.failure.cause.value, draw.failure.status)
        for draw in drawn.draws
        if draw.failure is not None
    }
