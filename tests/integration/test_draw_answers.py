"""Each way in which an endpoint can answer, over real sockets: what becomes of the draw, and what it is counted as."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from support.chaos import FAULTS, FORMS, Answer, Chaos, End, Fault, chunked, http
from support.drawing import ImpatientClock, failures, make_case, make_plan, replies
from support.endpoint import Answer as Scripted
from support.endpoint import ScriptedEndpoint, answer, completion

from evalaction.draw.client import make_client
from evalaction.draw.endpoint import make_target
from evalaction.draw.run import draw_calls
from evalaction.draw.schedule import case_calls
from evalaction.records.case import Sampling
from evalaction.records.draw import Adaptation, Call, Cause, Drawn
from evalaction.records.settings import Endpoint, Limits

LIMITS = Limits(max_concurrency=1, answer_s=3, response_bytes=100_000)
ONE = case_calls(make_plan(make_case("a", n=1)))


async def _draw(calls: Sequence[Call], base_url: str, limits: Limits) -> Drawn:
    async with make_client(limits) as client:
        return await draw_calls(
            calls,
            client=client,
            target=make_target(Endpoint(base_url=base_url)),
            limits=limits,
            clock=ImpatientClock(),
            rng=random.Random(0),  # noqa: S311 - jitter
            on_draw=lambda _: None,
        )


def meet(*faults: Fault, limits: Limits = LIMITS) -> tuple[Drawn, Chaos]:
    """Return one draw from an endpoint whose first requests fail so, in turn."""

    async def go() -> tuple[Drawn, Chaos]:
        async with Chaos(lambda *_: "é", first=faults) as endpoint:
            return await _draw(ONE, endpoint.base_url, limits), endpoint

    return asyncio.run(go())


def ask(script: Callable[[int, Any], Scripted], calls: Sequence[Call]) -> tuple[Drawn, list[Any]]:
    """Return draws from a scripted endpoint, with the bodies of the requests."""
    with ScriptedEndpoint(script) as endpoint:
        drawn = asyncio.run(_draw(calls, endpoint.base_url, replace(LIMITS, answer_s=60)))
    return drawn, [request.json for request in endpoint.requests]


@pytest.mark.parametrize("fault", FAULTS, ids=[f"{number} {fault.kind}" for number, fault in enumerate(FAULTS)])
def test_draw_calls__each_fault(fault: Fault) -> None:
    """After a failure that may pass the draw is asked for again, and comes; the failure is counted as its kind."""
    drawn, endpoint = meet(fault)
    assert replies(drawn) == {("a", 1): "é"}
    assert (drawn.made, drawn.retried, drawn.draws[0].tries) == (2, 1, 2)
    assert drawn.faults == ((fault.kind, 1),)
    assert endpoint.requests == 2


@pytest.mark.parametrize("form", range(len(FORMS)))
def test_draw_calls__each_form(form: int) -> None:
    """A good answer is read in whatever form it comes."""
    drawn, _ = meet(Fault("good", lambda body: Answer(FORMS[form](body))))
    assert (replies(drawn), drawn.made, drawn.faults) == ({("a", 1): "é"}, 1, ())


def test_draw_calls__drip() -> None:
    """An answer that comes a byte at a time has the limit on the whole of it, also when bytes keep coming."""
    drip = Fault("x", lambda body: Answer(http(200, body, length=10_000), End.DRIPPING))
    drawn, _ = meet(drip, drip, limits=replace(LIMITS, answer_s=0.5, tries=2))
    (draw,) = drawn.draws
    assert draw.failure is not None
    assert (draw.failure.cause, draw.tries, drawn.faults) == (Cause.TIMEOUT, 2, (("timeout", 2),))
    assert "within 0.5 s" in draw.failure.message


@pytest.mark.parametrize(
    "raw",
    [http(200, b" " * 200_000), chunked(b" " * 200_000, 1_000), http(200, b"x" * 100_001)],
    ids=["length", "chunks", "one more"],
)
def test_draw_calls__too_large(raw: bytes) -> None:
    """A body beyond the limit is not read to its end and not asked for again."""
    drawn, endpoint = meet(Fault("x", lambda _: Answer(raw, End.CLOSED)))
    (draw,) = drawn.draws
    assert draw.failure is not None
    assert (draw.failure.cause, drawn.faults, endpoint.requests) == (Cause.TOO_LARGE, (("too large", 1),), 1)


ERROR = {"message": "Upstream failed"}
GOOD = completion("42")
BAD_CHOICE = completion("", choices=[{"finish_reason": "error", "error": {"code": 503, "message": "Upstream failed"}}])


@pytest.mark.parametrize(
    ("bodies", "requests", "cause", "kind"),
    [
        ([{"error": {**ERROR, "code": 502}}] * 2 + [GOOD], 3, None, "error in a 200"),
        ([{"error": {**ERROR, "code": 429}}], 4, Cause.STATUS, "error in a 200"),
        ([{"error": {**ERROR, "code": "529"}}], 4, Cause.STATUS, "error in a 200"),
        ([{"error": {**ERROR, "code": 400}}], 1, Cause.REJECTED, "error in a 200"),
        ([{"error": {**ERROR, "code": 402}}], 1, Cause.QUOTA, "quota used up"),
        ([{"error": {**ERROR, "code": "insufficient_quota"}}], 1, Cause.QUOTA, "quota used up"),
        ([BAD_CHOICE], 4, Cause.STATUS, "error in a 200"),
        ([{"error": "Upstream failed"}], 4, Cause.STATUS, "error in a 200"),
        ([{"object": "error", "message": "Upstream failed", "code": 503}], 4, Cause.STATUS, "error in a 200"),
        ([{"id": "x", "choices": [], "message": "Upstream failed"}], 4, Cause.RUBBISH, "no choices"),
        ([{"id": "x", "choices": None, "message": "Upstream failed"}], 4, Cause.RUBBISH, "no choices"),
        ([["Upstream failed"]], 4, Cause.RUBBISH, "not an object"),
    ],
)
def test_draw_calls__error_in_a_success(bodies: list[Any], requests: int, cause: Cause | None, kind: str) -> None:
    """An error inside a 200 is asked again like the same status; it is never an answer, and shows its words."""
    drawn, held = ask(lambda number, _: answer(bodies[min(number, len(bodies) - 1)]), ONE)
    (draw,) = drawn.draws
    assert len(held) == requests == drawn.made
    assert {kind} == {name for name, _ in drawn.faults}
    if cause is None:
        assert replies(drawn) == {("a", 1): "42"}
    else:
        assert draw.failure is not None
        assert draw.failure.cause in {cause, Cause.STOPPED}
        assert "Upstream failed" in draw.failure.message


def calls_of(n: int, *, of_budget: bool = False, **sampling: Any) -> tuple[Call, ...]:
    """Return n calls of one case with this sampling."""
    calls = case_calls(make_plan(make_case("a", n=n, sampling=Sampling(model="m", **sampling))))
    return tuple(replace(call, cap_of_budget=of_budget) for call in calls)


REFUSALS = {
    "max_tokens": {
        "message": "'max_tokens' cannot be used with this model; send 'max_completion_tokens'.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    },
    "temperature": {
        "message": "'temperature' must be left at its default of 1 for this model, got 0.2.",
        "type": "invalid_request_error",
        "param": "temperature",
        "code": "unsupported_value",
    },
    "seed": {"message": "unknown argument: seed", "type": "invalid_request_error", "param": None, "code": None},
    "top_p": {"message": "`temperature` and `top_p` cannot both be specified", "param": "top_p"},
    "max_completion_tokens": {"message": "Unrecognized request argument supplied: max_completion_tokens"},
}


def picky(*names: str) -> Callable[[int, Any], Scripted]:
    """Return a script that refuses parameters by name."""

    def script(number: int, body: Any) -> Scripted:
        refused = next((name for name in names if name in body), None)
        if refused is not None:
            return answer({"error": REFUSALS[refused]}, 400)
        return answer(completion("42", id=f"cmpl-{number}"))

    return script


@pytest.mark.parametrize(
    ("names", "of_budget", "made", "adapted", "last"),
    [
        (("temperature",), False, 6, [Adaptation(name="temperature", model="m")], {"top_p", "seed", "max_tokens"}),
        (
            ("max_tokens",),
            False,
            6,
            [Adaptation(name="max_tokens", instead="max_completion_tokens", model="m")],
            {"temperature", "top_p", "seed", "max_completion_tokens"},
        ),
        (
            ("max_tokens", "max_completion_tokens"),
            True,
            7,
            [Adaptation(name="max_tokens", model="m")],
            {"temperature", "top_p", "seed"},
        ),
        (
            ("seed", "top_p", "temperature"),
            False,
            8,
            [Adaptation(name=name, model="m") for name in ("seed", "temperature", "top_p")],
            {"max_tokens"},
        ),
    ],
)
def test_draw_calls__parameters(
    names: tuple[str, ...], of_budget: bool, made: int, adapted: list[Adaptation], last: set[str]
) -> None:
    """A parameter that a model does not take is changed once, for all draws: each refusal costs one request."""
    calls = calls_of(5, of_budget=of_budget, temperature=1, top_p=1, seed=3, max_tokens=64)
    drawn, held = ask(picky(*names), calls)
    assert len(replies(drawn)) == 5
    assert (drawn.made, list(drawn.adapted)) == (made, adapted)
    assert drawn.faults == (("parameter refused", made - 5),)
    assert last == held[-1].keys() - {"model", "messages"}
    assert [{"model", "messages", *last}] * 4 == [set(body) for body in held[-4:]]


def test_draw_calls__parameters_unset() -> None:
    """What was not set is in no request, whatever a model would take."""
    _, held = ask(picky("temperature"), calls_of(5))
    assert [{"model", "messages"}] * 5 == [set(body) for body in held]


def test_draw_calls__cap_refused_twice() -> None:
    """A cap that somebody wrote down and that goes by neither name ends the run, with what to do."""
    drawn, held = ask(picky("max_tokens", "max_completion_tokens"), calls_of(5, max_tokens=64))
    assert len(held) == 2
    assert drawn.stopped is not None
    assert "refuses the parameter 'max_completion_tokens' with the model 'm' (HTTP 400)" in drawn.stopped.message
    assert "in place of max_tokens" in drawn.stopped.message
    assert len(failures(drawn)) == 5


@pytest.mark.parametrize("refuses", [True, False])
def test_draw_calls__choices_not_given(refuses: bool) -> None:
    """A server that refuses n, or takes it and gives one choice, is asked for each draw by itself from then on."""

    def script(number: int, body: Any) -> Scripted:
        if refuses and "n" in body:
            return answer({"error": {"message": "Invalid n value (currently only n = 1 is supported)"}}, 400)
        return answer(completion(f"L{number}", id=f"cmpl-{number}"))

    drawn, held = ask(script, calls_of(6, samples_per_request=3))
    assert len(set(replies(drawn).values())) == 6
    assert drawn.adapted == (Adaptation(name="n", refused=refuses, model="m"),)
    assert [3, *[None] * (6 if refuses else 5)] == [body.get("n") for body in held]
