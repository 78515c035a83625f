"""Tokens: what is counted, what is estimated, and the budget of them."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.drawing import draw, draw_part, failures, make_call, make_case, make_plan, replies
from support.endpoint import completion

from evalaction.draw.adaptation import Adaptations
from evalaction.draw.schedule import case_calls, further
from evalaction.draw.tokens import tokens_of
from evalaction.records.draw import Adaptation, Cause, Drawn, Failure, Reply, Spent, Usage
from evalaction.records.settings import Limits
from evalaction.values import JSON

UNCOUNTED = Usage()


def reply(text: str | None = None, *, refusal: str | None = None, unseen: int = 0, usage: Usage = UNCOUNTED) -> Reply:
    """Return what an endpoint answered."""
    return Reply(text=text, finish_reason="stop", refusal=refusal, unseen=unseen, usage=usage)


@pytest.mark.parametrize(
    ("usage", "text", "expected"),
    [
        (Usage(prompt=40, completion=12), "x" * 99, (52, False)),
        (Usage(prompt=40, completion=12, reasoning=9, cached=30), "x", (52, False)),
        (Usage(prompt=40), "x" * 9, (43, True)),
        (Usage(completion=12), "x" * 9, (15, True)),
        (Usage(prompt=0, completion=0), "x" * 9, (6, True)),
        (Usage(), "x" * 8, (5, True)),
        (Usage(prompt=40, completion=0), None, (40, False)),
        (Usage(prompt=40), "", (40, False)),
    ],
)
def test_tokens_of__counts(usage: Usage, text: str | None, expected: tuple[int, bool]) -> None:
    """The endpoint's counts, where it has them; four characters a token where not, which is said."""
    call = make_call(make_case(prompt="x" * 9))
    assert expected == tokens_of(call, [reply(text, usage=usage)])


def test_tokens_of__choices() -> None:
    """The count of a request stands with its first choice; an estimate is of all that was made, shown or not."""
    call = make_call(make_case(prompt="x" * 8))
    counted = [reply("x" * 99, usage=Usage(prompt=1, completion=30)), reply("x" * 99)]
    assert tokens_of(call, counted) == (31, False)
    assert tokens_of(call, [reply("x" * 8), reply(refusal="y" * 4), reply(unseen=5)]) == (2 + 5, True)


@pytest.mark.parametrize(
    ("content", "tokens"),
    [
        ("x" * 9, 3),
        ([{"type": "text", "text": "x" * 4}, {"type": "text", "text": "y" * 4}], 4),
        (None, 0),
        ([1, True, None], 0),
    ],
)
def test_tokens_of__messages(content: JSON, tokens: int) -> None:
    """Whatever form a message has, its texts are what is estimated."""
    call = replace(make_call(make_case()), messages=({"role": "user", "content": content},))
    assert tokens == tokens_of(call, [reply(usage=Usage(completion=7))])[0] - 7


def spending(tokens: int | None) -> httpx.Response:
    """Return a completion that took so many tokens; None: nobody counted."""
    usage = {} if tokens is None else {"prompt_tokens": 1, "completion_tokens": tokens - 1}
    return httpx.Response(200, json=completion("x" * 40, usage=usage))


def test_draw_calls__token_budget() -> None:
    """When all tokens are used, the run ends with what there is, and says what to raise or narrow."""
    drawn = draw(
        make_plan(make_case("a", n=9)), lambda _: spending(30), limits=Limits(max_concurrency=1, max_total_tokens=100)
    )
    end = Failure(
        cause=Cause.BUDGET,
        message="120 tokens were used, requests and replies together, and max-total-tokens allows 100. "
        "Raise max-total-tokens (--max-total-tokens), or narrow the run with --case or --tag.",
    )
    assert (drawn.made, drawn.tokens, drawn.stopped, len(replies(drawn))) == (4, 120, end, 4)
    assert {item.failure for item in drawn.draws if item.failure is not None} == {end}


def test_draw_calls__token_budget_estimated() -> None:
    """Where nobody counted, the budget goes by an estimate, and that is said."""
    drawn = draw(
        make_plan(make_case("a", n=9)), lambda _: spending(None), limits=Limits(max_concurrency=1, max_total_tokens=22)
    )
    message = (
        "22 tokens were used, requests and replies together, some of them estimated at 4 characters each since the "
        "endpoint did not count them, and max-total-tokens allows 22. Raise max-total-tokens (--max-total-tokens), or "
        "narrow the run with --case or --tag."
    )
    assert Failure(cause=Cause.BUDGET, message=message) == drawn.stopped
    assert (drawn.made, drawn.tokens) == (2, 22)


def test_draw_calls__token_budget_not_reached() -> None:
    """A run that uses all that is allowed with its last request has not ended early."""
    drawn = draw(make_plan(make_case("a", n=2)), lambda _: spending(50), limits=Limits(max_total_tokens=100))
    assert (drawn.stopped, drawn.tokens) == (None, 100)


@settings(max_examples=60, deadline=None)
@given(
    costs=st.lists(st.none() | st.integers(2, 60), min_size=1, max_size=9),
    budget=st.integers(0, 300),
    before=st.integers(0, 200),
    concurrency=st.integers(1, 4),
)
def test_draw_calls__any_token_budget(costs: list[int | None], budget: int, before: int, concurrency: int) -> None:
    """No request leaves once the budget is used up, earlier parts included; tokens add up over parts."""
    turn = iter(range(9_999))
    seen: list[int] = []

    def handler(_: httpx.Request) -> httpx.Response:
        cost = costs[next(turn) % len(costs)]
        seen.append(11 if cost is None else cost)
        return spending(cost)

    calls = case_calls(make_plan(make_case("a", n=12)))
    spent = Spent(tokens=before)
    drawn = draw_part(calls, handler, limits=Limits(max_total_tokens=budget, max_concurrency=concurrency), spent=spent)
    assert drawn.tokens == sum(seen)
    assert further(spent, drawn).tokens == before + sum(seen)
    assert before + sum(seen[: max(0, len(seen) - concurrency)]) < budget or not seen
    assert (drawn.stopped is None) == (not failures(drawn))


TEMPERATURE = Adaptation(name="temperature", model="m")
RENAMED = Adaptation(name="max_tokens", instead="max_completion_tokens", model="m")
GONE = Adaptation(name="max_tokens", model="m")


def test_adaptations__noted() -> None:
    """Each parameter is changed once, but that one which is refused by its other name too is left out."""
    adapted = Adaptations([TEMPERATURE])
    steps = [TEMPERATURE, RENAMED, RENAMED, GONE, GONE, RENAMED]
    counted = []
    for change in steps:
        adapted.note(change, model="m")
        counted.append(adapted.made)
    assert counted == [0, 1, 1, 2, 2, 2]
    assert adapted.all == (GONE, TEMPERATURE)
    assert dict(adapted.of("m")) == {"temperature": None, "max_tokens": None}


def test_adaptations__as_sent() -> None:
    """A request that is on its way keeps what it was sent with."""
    adapted = Adaptations(())
    before = adapted.of("m")
    adapted.note(RENAMED, model="m")
    assert (dict(before), dict(adapted.of("m"))) == ({}, {"max_tokens": "max_completion_tokens"})


def test_adaptations__of_one_model() -> None:
    """What one model does not take is still sent to another."""
    adapted = Adaptations([TEMPERATURE])
    adapted.note(Adaptation(name="n", refused=False), model="other")
    assert (dict(adapted.of("m")), dict(adapted.of("other"))) == ({"temperature": None}, {"n": None})
    assert (adapted.one_choice("m"), adapted.one_choice("other")) == (False, True)


def test_further__renamed_then_left_out() -> None:
    """What became of a parameter last is what later parts are told."""
    part = Drawn(draws=(), made=0, retried=0, wall_s=0.0)
    once = further(Spent(), Drawn(draws=(), made=0, retried=0, wall_s=0.0, adapted=(RENAMED, TEMPERATURE)))
    twice = further(once, Drawn(draws=(), made=0, retried=0, wall_s=0.0, adapted=(GONE, TEMPERATURE)))
    assert (once.adapted, twice.adapted) == ((RENAMED, TEMPERATURE), (GONE, TEMPERATURE))
    assert further(twice, part) == twice
