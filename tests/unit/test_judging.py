"""What the judges of a run are asked, in virtual time and without a network, and what comes of it."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.decks import judged_plan, planned_deck, trace_deck
from support.drawing import FakeClock, Handler, draw_part, make_case, make_plan, run_virtual, scripted_client
from support.endpoint import completion
from support.judges import is_repair, items_of, verdicts

from evalaction.draw.endpoint import Target, make_target
from evalaction.draw.run import draw_calls
from evalaction.draw.schedule import case_calls, further
from evalaction.grade.deck import grade_deck
from evalaction.judge.reply import repair_messages
from evalaction.judging import ask_judges, nothing_judged, questions_of
from evalaction.records.case import Sampling
from evalaction.records.deck import Deck, ProbeKind
from evalaction.records.draw import Adaptation, Cause, Draw, Failure, Reply, Spent, Whose
from evalaction.records.judge import Judged, Judging, Outcome, Unjudged
from evalaction.records.plan import Plan, PlannedCase
from evalaction.records.settings import Endpoint, Limits

ONE = Limits(max_concurrency=1)
KEY, JUDGE_KEY = "sk-test-AAAA1111BBBB2222", "sk-test-CCCC3333DDDD4444"
GONE = Failure(cause=Cause.STATUS, message="HTTP 503", status=503)
PROSE = "The first one is fine."
JUDGES = Endpoint(base_url="https://judge.example.test", url_name="JUDGE_URL", key_name="JUDGE_API_KEY")


def plan_of(*cases: PlannedCase, decks: Sequence[Deck] = ()) -> Plan:
    """Return a plan of judge-graded cases and of decks."""
    return replace(make_plan(decks=[planned_deck(deck) for deck in decks]), cases=cases)


def texts(planned: PlannedCase, *said: str | None, **fields: Any) -> list[Draw]:
    """Return the draws of a case that said this, by index; None for one that did not come."""
    case = planned.case
    return [
        Draw(
            path=case.path,
            id=case.id,
            index=index,
            seed=None,
            reply=None if text is None else Reply(text=text, **{"finish_reason": "stop", **fields}),
            failure=GONE if text is None else None,
        )
        for index, text in enumerate(said, 1)
    ]


def replied(text: str) -> httpx.Response:
    return httpx.Response(200, content=json.dumps(completion(text)))


def passes(body: Any) -> str:
    """Pass every item."""
    items = items_of(body)
    return verdicts(items, ["pass"] * len(items))


def answering(says: Callable[[Any], str] = passes, bodies: list[Any] | None = None) -> Handler:
    """Return a judge that says ``says(body)``, and writes down what it was asked."""

    def handler(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if bodies is not None:
            bodies.append(body)
        return replied(says(body))

    return handler


def ask(
    plan: Plan,
    draws: Sequence[Draw],
    handler: Handler,
    *,
    limits: Limits = ONE,
    spent: Spent | None = None,
    told: list[Draw] | None = None,
    stop: asyncio.Event | None = None,
) -> Judging:
    """Ask the judges of a plan in virtual time."""

    async def go() -> Judging:
        async with scripted_client(handler, limits) as client:
            send = partial(
                draw_calls,
                client=client,
                target=make_target(JUDGES),
                limits=limits,
                clock=FakeClock(),
                rng=random.Random(0),  # noqa: S311 - jitter
                on_draw=([] if told is None else told).append,
                stop=stop,
            )
            return await ask_judges(plan, draws, send=send, spent=spent or Spent())

    return run_virtual(go())


def labels_of(outcomes: Sequence[Outcome]) -> list[str | None]:
    """Return the first label that each reply gives; ``-`` for one that did not come."""
    return [item.labels.by_alias[0][1] if isinstance(item, Judged) else "-" for item in outcomes]


def judged_in(outcomes: Sequence[Outcome]) -> list[Judged]:
    """Return the outcomes that were judged."""
    return [item for item in outcomes if isinstance(item, Judged)]


def causes(outcomes: Sequence[Outcome]) -> list[tuple[Cause, bool]]:
    """Return why each unjudged request is, and whether an unreadable reply came before."""
    missing = [item for item in outcomes if isinstance(item, Unjudged)]
    return [(item.draw.failure.cause, item.first is not None) for item in missing if item.draw.failure is not None]


def test_questions_of__whole() -> None:
    """A request carries its deck's sampling with the reply's form, its own seed, and what may be left out."""
    deck = trace_deck("pass", "fail", sampling=Sampling(model="j", temperature=0, seed=7, max_tokens=99))
    deck = replace(deck, unasked=frozenset({"temperature"}))
    judged = judged_plan(2, judge_sampling=Sampling(model="k", temperature=1, seed=100))
    plan = plan_of(judged, decks=[deck])
    questions = questions_of(plan, texts(judged, "Sorry.", "So sorry."))
    of_deck = [question for question in questions if question.about == "trace-judge"]
    of_case = [question for question in questions if question.about != "trace-judge"]
    assert list(plan.decks[0].exam.all_requests) == [question.request for question in of_deck]
    assert [
        (Whose.DECK, "decks/trace.jsonl", "trace-judge", 1, 7),
        (Whose.DECK, "decks/trace.jsonl", "trace-judge", 2, 8),
    ] == [(call.whose, call.path, call.id, call.index, call.seed) for call in (each.call for each in of_deck)]
    assert [
        (("evals/tone.golden.jsonl", "tone_v1", 1), 1, 100),
        (("evals/tone.golden.jsonl", "tone_v1", 1), 2, 101),
        (("evals/tone.golden.jsonl", "tone_v1", 2), 3, 102),
        (("evals/tone.golden.jsonl", "tone_v1", 2), 4, 103),
    ] == [(question.about, question.call.index, question.call.seed) for question in of_case]
    assert {Whose.JUDGE} == {question.call.whose for question in of_case}
    for question in questions:
        sampling = deck.sampling if question in of_deck else Sampling(model="k", temperature=1, seed=100)
        assert replace(sampling, response_format=question.request.form) == question.call.sampling
        assert question.request.messages == question.call.messages
    assert {frozenset({"temperature", "response_format"})} == {question.call.unasked for question in of_deck}
    assert {frozenset({"response_format"})} == {question.call.unasked for question in of_case}


def test_questions_of__interleaved() -> None:
    """Requests go round the decks and the judged cases: a bad minute does not land on one."""
    first, second = judged_plan(1, id="a"), judged_plan(1, id="b", repeats=3)
    plan = plan_of(first, second, decks=[trace_deck("pass", "fail"), trace_deck("pass", "fail", name="other")])
    questions = questions_of(plan, [*texts(second, "x"), *texts(first, "y")])
    expected = ["trace-judge", "other", "a", "b", "trace-judge", "other", "a", "b", "b"]
    assert expected == [question.call.id for question in questions]


def test_questions_of__first_askings_first() -> None:
    """All orders of a deck are asked once before any is asked again, with the numbers and seeds of the exam."""
    deck = trace_deck("pass", "fail", repeats=3, probes=(ProbeKind.EMPTY,), sampling=Sampling(model="j", seed=10))
    plan = plan_of(decks=[deck])
    questions = questions_of(plan, [])
    asked = [(question.request.repeat, question.call.index, question.call.seed) for question in questions]
    assert [
        (1, 1, 10),
        (1, 4, 13),
        (1, 7, 16),
        (1, 8, 17),
        (2, 2, 11),
        (2, 5, 14),
        (3, 3, 12),
        (3, 6, 15),
    ] == asked
    requests = plan.decks[0].exam.all_requests
    assert all(question.request is requests[question.call.index - 1] for question in questions)


def test_ask_judges__changes_in_the_run() -> None:
    """A judge that changes halfway through the run is not taken for one that goes by the order."""
    deck = trace_deck(repeats=2)
    sent: list[Any] = []

    def says(body: Any) -> str:
        items = items_of(body)
        return verdicts(items, ["pass" if len(sent) <= deck.repeats * 3 else "fail"] * len(items))

    plan = plan_of(decks=[deck])
    judging = ask(plan, [], answering(says, sent))
    result = grade_deck(plan.decks[0], judging.exams["trace-judge"], fail_on=frozenset())
    assert result.effect is not None
    assert ("18/18", "10395/10395") == (str(result.effect.within), str(result.effect.as_telling))


@pytest.mark.parametrize(
    "fields",
    [{"finish_reason": "length"}, {"refusal": "No."}, {"tool_calls": True}, {"finish_reason": "content_filter"}],
)
def test_questions_of__no_text(fields: dict[str, Any]) -> None:
    """A draw that holds no text to be judged is not put to the judge, and moves no other draw's number."""
    judged = judged_plan(3)
    bad, good = texts(judged, "cut", **fields)[0], texts(judged, "", "whole", None)[1:]
    questions = questions_of(plan_of(judged), [bad, *good])
    assert [(question.call.index, question.about[2]) for question in questions] == [(3, 2), (4, 2)]
    assert questions_of(plan_of(judged), texts(judged, None, "", "  ")) == ()


@given(st.permutations(range(4)))
def test_questions_of__any_order_of_draws(order: list[int]) -> None:
    """In which order the draws came changes nothing."""
    judged = judged_plan(4)
    draws = texts(judged, "a", "b", None, "d")
    plan = plan_of(judged, decks=[trace_deck()])
    assert questions_of(plan, draws) == questions_of(plan, [draws[place] for place in order])


def test_ask_judges__whole() -> None:
    """Every outcome stands where its request stands; every draw is told, kept and counted."""
    judged = judged_plan(2)
    plan = plan_of(judged, decks=[trace_deck("pass", "fail")])
    bodies: list[Any] = []
    told: list[Draw] = []
    judging = ask(plan, texts(judged, "Sorry.", None), answering(bodies=bodies), told=told)
    requests = plan.decks[0].exam.all_requests
    assert {"trace-judge"} == judging.exams.keys()
    assert list(requests) == [outcome.request for outcome in judging.exams["trace-judge"]]
    assert [("evals/tone.golden.jsonl", "tone_v1", 1)] == list(judging.opinions)
    assert [1, 2] == [outcome.request.repeat for outcome in judging.opinions["evals/tone.golden.jsonl", "tone_v1", 1]]
    outcomes = [*judging.exams["trace-judge"], *judging.opinions["evals/tone.golden.jsonl", "tone_v1", 1]]
    assert ["pass"] * 4 == labels_of(outcomes)
    kept = Counter(draw for item in judged_in(outcomes) for draw in item.draws)
    assert Counter(told) == Counter(judging.drawn.draws) == kept
    assert (judging.drawn.made, judging.drawn.retried, judging.repaired, judging.drawn.stopped) == (4, 0, 0, None)
    assert [item.request.form for item in outcomes if item.request in requests] == [
        body["response_format"] for body in bodies if body["messages"][0] == dict(requests[0].messages[0])
    ]


def test_ask_judges__nothing_to_ask() -> None:
    """A plan without decks and without judge-graded cases sends nothing."""
    bodies: list[Any] = []
    judging = ask(make_plan(make_case("a")), [], answering(bodies=bodies))
    assert (judging.exams, judging.opinions, judging.drawn.draws, judging.repaired, bodies) == ({}, {}, (), 0, [])


def test_ask_judges__repaired() -> None:
    """An unreadable reply is asked for again once, after all requests, with the reply and what is wanted."""
    plan = plan_of(decks=[trace_deck("pass", "fail")])
    bodies: list[Any] = []
    judging = ask(plan, [], answering(lambda body: passes(body) if is_repair(body) else PROSE, bodies))
    outcomes = judging.exams["trace-judge"]
    assert [(True, 2, PROSE)] * 2 == [
        (item.repaired, len(item.draws), item.draws[0].reply.text if item.draws[0].reply else None)
        for item in outcomes
        if isinstance(item, Judged)
    ]
    assert ["pass", "pass"] == labels_of(outcomes)
    assert [False, False, True, True] == [is_repair(body) for body in bodies]
    for outcome, body in zip(outcomes, bodies[2:], strict=True):
        assert isinstance(outcome, Judged)
        assert [dict(message) for message in repair_messages(outcome.request, outcome.draws[0])] == body["messages"]
        assert body["response_format"] == outcome.request.form
    assert (judging.drawn.made, judging.repaired, len(judging.drawn.draws)) == (4, 2, 4)


def test_ask_judges__repaired_once() -> None:
    """A reply that is unreadable twice is no label, and is not asked for a third time."""
    bodies: list[Any] = []
    judging = ask(plan_of(decks=[trace_deck("pass", "fail")]), [], answering(lambda _: PROSE, bodies))
    assert [None, None] == labels_of(judging.exams["trace-judge"])
    assert (len(bodies), judging.drawn.made, judging.repaired) == (4, 4, 2)


def test_ask_judges__label_by_label() -> None:
    """A reply that can be read, and gives some item no label, is not asked for again."""
    bodies: list[Any] = []
    judging = ask(
        plan_of(decks=[trace_deck("pass", "fail")]),
        [],
        answering(lambda body: verdicts(items_of(body), ["pass", "perhaps"]), bodies),
    )
    assert (len(bodies), judging.repaired) == (2, 0)


def test_ask_judges__repair_brings_nothing() -> None:
    """A repair to which no reply comes leaves the request unjudged, with the unreadable reply beside it."""

    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(413) if is_repair(json.loads(request.content)) else replied(PROSE)

    judging = ask(plan_of(decks=[trace_deck("pass", "fail")]), [], handler)
    for outcome in judging.exams["trace-judge"]:
        assert isinstance(outcome, Unjudged)
        assert (outcome.draw.failure is not None, outcome.first is not None) == (True, True)
        assert outcome.first is not None
        assert outcome.first.reply is not None
        assert outcome.first.reply.text == PROSE
    assert (judging.repaired, judging.drawn.made) == (2, 4)


@pytest.mark.parametrize(("made", "calls", "kinds"), [(0, 2, [True, True]), (1, 1, [True, False]), (2, 0, [False] * 2)])
def test_ask_judges__budget_for_repairs(made: int, calls: int, kinds: list[bool]) -> None:
    """Draws, judges and repairs have one budget: a repair that it leaves no room for is unjudged, and not counted."""
    limits = Limits(max_concurrency=1, max_calls=4)
    handler = answering(lambda body: passes(body) if is_repair(body) else PROSE)
    judging = ask(plan_of(decks=[trace_deck("pass", "fail")]), [], handler, limits=limits, spent=Spent(made=made))
    outcomes = judging.exams["trace-judge"]
    assert kinds == [isinstance(item, Judged) for item in outcomes]
    assert (judging.repaired, judging.drawn.made) == (calls, 2 + calls)
    assert [(Cause.BUDGET, True)] * kinds.count(False) == causes(outcomes)
    assert (judging.drawn.stopped is None) == (made == 0)


def test_ask_judges__deadline_for_repairs() -> None:
    """The deadline counts from the first draw: what the judges are asked too late for is unjudged."""

    async def handler(_: httpx.Request) -> httpx.Response:
        await asyncio.sleep(10)
        return replied(PROSE)

    limits = Limits(max_concurrency=1, deadline_s=100)
    judging = ask(plan_of(decks=[trace_deck("pass", "fail")]), [], handler, limits=limits, spent=Spent(elapsed_s=75))
    assert [(Cause.DEADLINE, True)] * 2 == causes(judging.exams["trace-judge"])
    assert (judging.drawn.made, judging.repaired, judging.drawn.wall_s) == (3, 1, 25.0)


def test_ask_judges__stopped_before() -> None:
    """When the draws ended the run, no judge is asked, and every request is missing for that reason."""
    end = Failure(cause=Cause.REJECTED, message="No key.", status=401)
    bodies: list[Any] = []
    told: list[Draw] = []
    plan = plan_of(decks=[trace_deck("pass", "fail")])
    judging = ask(plan, [], answering(bodies=bodies), spent=Spent(made=3, end=end), told=told)
    ended = Failure(cause=Cause.STOPPED, message="The run had ended (rejected, HTTP 401).")
    assert [ended, ended] == [draw.failure for draw in told]
    assert [(Cause.STOPPED, False)] * 2 == causes(judging.exams["trace-judge"])
    assert (bodies, len(told), judging.drawn.made, judging.drawn.stopped) == ([], 2, 0, end)


def test_ask_judges__rejected() -> None:
    """A judge that refuses for good ends the asking; what was still to be asked is unjudged, repairs included."""
    turn = iter(range(100))

    def handler(_: httpx.Request) -> httpx.Response:
        return replied(PROSE) if next(turn) == 0 else httpx.Response(401)

    judging = ask(plan_of(decks=[trace_deck()]), [], handler)
    expected = [(Cause.STOPPED, True), (Cause.REJECTED, False), *[(Cause.STOPPED, False)] * 4]
    assert expected == causes(judging.exams["trace-judge"])
    assert judging.drawn.stopped is not None
    assert judging.drawn.stopped.message == (
        "judge.example.test wants a key (HTTP 401), and none was given. Set JUDGE_API_KEY (input judge-api-key). "
        "EVAL_API_KEY goes to the origin of EVAL_BASE_URL alone."
    )
    assert (judging.drawn.made, judging.repaired) == (2, 0)


def test_ask_judges__interrupted() -> None:
    """What is stopped from outside is unjudged for that reason."""
    stop = asyncio.Event()
    stop.set()

    async def handler(_: httpx.Request) -> httpx.Response:
        await asyncio.sleep(1)
        return replied(PROSE)

    judging = ask(plan_of(decks=[trace_deck("pass", "fail")]), [], handler, stop=stop)
    assert [(Cause.INTERRUPTED, False)] * 2 == causes(judging.exams["trace-judge"])


def test_ask_judges__form_refused() -> None:
    """A form that the endpoint refuses is left out for the rest, repairs included, and nothing is lost."""
    bodies: list[Any] = []

    async def handler(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        bodies.append(body)
        await asyncio.sleep(1)
        if "response_format" in body:
            message = "This response_format type is unavailable now"
            return httpx.Response(400, json={"error": {"message": message, "param": None}})
        return replied(passes(body) if is_repair(body) else PROSE)

    judging = ask(plan_of(decks=[trace_deck()]), [], handler, limits=Limits(max_concurrency=4))
    assert ["pass"] * 6 == labels_of(judging.exams["trace-judge"])
    assert [True] * 4 + [False] * 12 == ["response_format" in body for body in bodies]
    assert (judging.drawn.made, judging.drawn.retried, judging.repaired) == (16, 4, 6)
    assert judging.drawn.adapted == (Adaptation(name="response_format", model="j-1"),)


@pytest.mark.parametrize("unasked", [frozenset(), frozenset({"temperature"})])
def test_ask_judges__temperature_refused(unasked: frozenset[str]) -> None:
    """A temperature is left out where a model refuses it, be it of our own choosing or the repository's, and told."""

    def handler(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if "temperature" in body:
            return httpx.Response(400, json={"error": {"message": "not with this model", "param": "temperature"}})
        return replied(passes(body))

    deck = replace(trace_deck("pass", "fail"), unasked=unasked)
    judging = ask(plan_of(decks=[deck]), [], handler)
    assert judging.drawn.adapted == (Adaptation(name="temperature", model="j-1"),)
    assert ["pass", "pass"] == labels_of(judging.exams["trace-judge"])


def test_ask_judges__keys_stay_apart() -> None:
    """The key of one endpoint never goes to the other, and a judge without one is asked without."""
    judged = judged_plan(1)
    plan = plan_of(judged, decks=[trace_deck("pass", "fail")])
    for judge_key in (JUDGE_KEY, None):
        seen: set[tuple[str, str | None]] = set()

        def handler(request: httpx.Request, seen: set[tuple[str, str | None]] = seen) -> httpx.Response:
            seen.add((request.url.host, request.headers.get("Authorization")))
            body = json.loads(request.content)
            return replied("Sorry." if request.url.host == "llm.example.test" else passes(body))

        both_parts(plan, handler, judges=make_target(replace(JUDGES, api_key=judge_key)))
        bearer = None if judge_key is None else f"Bearer {judge_key}"
        assert {("llm.example.test", f"Bearer {KEY}"), ("judge.example.test", bearer)} == seen


def both_parts(plan: Plan, handler: Handler, *, judges: Target) -> Judging:
    """Draw a plan's cases at one endpoint, and have them judged at another, over one client."""

    async def go() -> Judging:
        async with scripted_client(handler, ONE) as client:
            send = partial(
                draw_calls,
                client=client,
                limits=ONE,
                clock=FakeClock(),
                rng=random.Random(0),  # noqa: S311 - jitter
                on_draw=lambda _: None,
            )
            target = make_target(Endpoint(base_url="https://llm.example.test", api_key=KEY))
            drawn = await send(case_calls(plan), target=target)
            return await ask_judges(plan, drawn.draws, send=partial(send, target=judges), spent=further(Spent(), drawn))

    return run_virtual(go())


def test_ask_judges__busy_elsewhere() -> None:
    """That the model's endpoint wanted to be left alone does not hold the judges back."""
    busy = draw_part(
        case_calls(make_plan(make_case("a", n=1))),
        lambda _: httpx.Response(429, headers={"Retry-After": "200"}),
        limits=Limits(tries=1),
    )
    times: list[float] = []

    def handler(request: httpx.Request) -> httpx.Response:
        times.append(asyncio.get_running_loop().time())
        return replied(passes(json.loads(request.content)))

    ask(plan_of(decks=[trace_deck("pass", "fail")]), [], handler, spent=further(Spent(), busy))
    assert times == [0.0, 0.0]


def test_ask_judges__half_a_pair() -> None:
    """A completion or a reply that no request could carry as it is ends nothing."""
    judged = judged_plan(1)
    judging = ask(plan_of(judged), texts(judged, "\ud800 sorry"), answering(lambda _: "\ud800"))
    assert [[None, None]] == [labels_of(outcomes) for outcomes in judging.opinions.values()]


@settings(max_examples=25, deadline=None)
@given(
    seconds=st.lists(st.sampled_from([0.0, 1.0, 3.0]), min_size=1, max_size=7),
    concurrency=st.integers(1, 6),
    unreadable=st.sets(st.integers(0, 5)),
)
def test_ask_judges__any_order_of_arrival(seconds: list[float], concurrency: int, unreadable: set[int]) -> None:
    """In whatever order replies arrive, each stands with its request, and the same ones are asked for again."""
    deck = replace(trace_deck(), sampling=Sampling(model="j", seed=0))
    judged = judged_plan(2, judge_sampling=Sampling(model="j", seed=100))
    plan = plan_of(judged, decks=[deck])
    turn = iter(range(10_000))

    async def handler(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(seconds[next(turn) % len(seconds)])
        body = json.loads(request.content)
        if body["seed"] in unreadable and not is_repair(body):
            return replied(PROSE)
        label = "pass" if body["seed"] % 2 else "fail"
        items = items_of(body)
        return replied(verdicts(items, [label] * len(items)))

    judging = ask(plan, texts(judged, "x", "y"), handler, limits=Limits(max_concurrency=concurrency))
    assert ["fail", "pass"] * 3 == labels_of(judging.exams["trace-judge"])
    assert [place in unreadable for place in range(6)] == [
        item.repaired for item in judged_in(judging.exams["trace-judge"])
    ]
    assert [["fail", "pass"]] * 2 == [labels_of(outcomes) for outcomes in judging.opinions.values()]
    assert judging.repaired == len(unreadable)


def test_nothing_judged__held() -> None:
    """Where nothing is to be sent, every request is unjudged for the one reason, and nothing was made."""
    judged = judged_plan(2)
    plan = plan_of(judged, decks=[trace_deck("pass", "fail", sampling=Sampling(model="j", seed=7))])
    held = Failure(cause=Cause.HELD, message="From a fork.")
    judging = nothing_judged(plan, texts(judged, None, None), held)
    assert judging == Judging(
        exams={
            "trace-judge": tuple(
                Unjudged(
                    request=request,
                    draw=Draw(path="decks/trace.jsonl", id="trace-judge", index=index, seed=None, failure=held),
                )
                for index, request in enumerate(plan.decks[0].exam.all_requests, 1)
            )
        },
        opinions={},
        drawn=judging.drawn,
        repaired=0,
    )
    assert [held, held] == [draw.failure for draw in judging.drawn.draws]
    assert (judging.drawn.made, judging.drawn.retried, judging.drawn.wall_s, judging.drawn.stopped) == (0, 0, 0, None)
