"""Drawing from an endpoint that fails in every way: no draw is lost, and each failure is counted."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from typing import NamedTuple

import pytest
from support.chaos import FAULTS, Chaos
from support.drawing import ImpatientClock, failures, make_case, make_plan, replies

from evalaction.draw.client import make_client
from evalaction.draw.endpoint import make_target
from evalaction.draw.run import draw_calls
from evalaction.draw.schedule import case_calls
from evalaction.records.case import Sampling
from evalaction.records.draw import Draw, Drawn
from evalaction.records.plan import Plan
from evalaction.records.settings import Endpoint, Limits

LIMITS = Limits(max_calls=20_000, max_concurrency=32, deadline_s=10_000_000, answer_s=4)


class Ran(NamedTuple):
    """What a run came to, by both sides' counts."""

    drawn: Drawn
    told: list[Draw]
    endpoint: Chaos


def text(prompt: str, index: int) -> str:
    """Return an answer that is the same for the same prompt and seed, and differs between seeds."""
    return f"{prompt}: {random.Random(f'{prompt}/{index}').randrange(3)} é \U0001f600"  # noqa: S311 - an answer


def run(plan: Plan, *, rate: float, most_in_a_row: int | None = 3, limits: Limits = LIMITS) -> Ran:
    """Draw a plan over real sockets; pauses between requests are skipped."""
    told: list[Draw] = []

    async def go() -> Ran:
        async with (
            Chaos(text, rate=rate, seed=6, most_in_a_row=most_in_a_row) as endpoint,
            make_client(limits) as client,
        ):
            drawn = await draw_calls(
                case_calls(plan),
                client=client,
                target=make_target(Endpoint(base_url=endpoint.base_url)),
                limits=limits,
                clock=ImpatientClock(),
                rng=random.Random(0),  # noqa: S311 - jitter
                on_draw=told.append,
            )
            return Ran(drawn=drawn, told=told, endpoint=endpoint)

    return asyncio.run(go())


def counted(drawn: Drawn) -> Mapping[str, int]:
    """Return how often requests failed, by kind."""
    return dict(drawn.faults)


def plan_of(cases: int, n: int) -> Plan:
    """Return cases whose draws have a seed each."""
    return make_plan(*(make_case(f"c{number}", n=n, sampling=Sampling(model="m", seed=1)) for number in range(cases)))


def test_draw_calls__chaos() -> None:
    """5,000 draws of which 20 % of the requests fail, in all ways: none is lost, all are counted, answers are the same.

    The endpoint's own counts are what the run has counted, request for request and kind for kind.
    """
    plan = plan_of(50, 100)
    bad, good = run(plan, rate=0.2), run(plan, rate=0.0)
    drawn, endpoint = bad.drawn, bad.endpoint
    assert (failures(drawn), drawn.stopped) == ({}, None)
    assert replies(good.drawn) == replies(drawn)
    assert len(replies(drawn)) == len(bad.told) == 5_000 == endpoint.answered
    assert drawn.made == endpoint.requests == 5_000 + sum(endpoint.faults.values())
    assert drawn.retried == sum(endpoint.faults.values())
    assert endpoint.faults == counted(drawn)
    assert {fault.kind for fault in FAULTS} == set(endpoint.faults)
    assert 1_050 < sum(endpoint.faults.values()) < 1_450
    assert sum(draw.tries for draw in drawn.draws) == drawn.made
    assert len({draw.reply.id for draw in drawn.draws if draw.reply}) == 5_000
    assert endpoint.most_in_flight <= 32
    assert (good.drawn.made, good.drawn.faults) == (5_000, ())


def test_draw_calls__chaos_without_end() -> None:
    """Where every try of a draw may fail, a draw is missing after four, with its cause; all the others are there."""
    plan = plan_of(10, 40)
    bad = run(plan, rate=0.5, most_in_a_row=None)
    drawn, endpoint = bad.drawn, bad.endpoint
    missing = failures(drawn)
    whole = {(f"c{case}", index): text(f"c{case}", index) for case in range(10) for index in range(1, 41)}
    assert drawn.stopped is None
    assert replies(drawn) == {key: said for key, said in whole.items() if key not in missing}
    assert 0 < len(missing) < 80
    assert {draw.tries for draw in drawn.draws if draw.failure} == {4}
    assert (drawn.made, drawn.retried) == (endpoint.requests, endpoint.requests - 400)
    assert endpoint.faults == counted(drawn)
    assert endpoint.answered == 400 - len(missing)


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_draw_calls__chaos_of_choices(rate: float) -> None:
    """Requests for several choices fail and come as a whole: every draw is there, and each request counts once."""
    sampling = Sampling(model="m", samples_per_request=4)
    plan = make_plan(*(make_case(f"c{number}", n=10, sampling=sampling) for number in range(20)))
    bad = run(plan, rate=rate)
    drawn, endpoint = bad.drawn, bad.endpoint
    assert (failures(drawn), drawn.stopped, drawn.adapted) == ({}, None, ())
    assert len(replies(drawn)) == 200
    assert drawn.made == endpoint.requests == 60 + sum(endpoint.faults.values())
    assert endpoint.faults == counted(drawn)
