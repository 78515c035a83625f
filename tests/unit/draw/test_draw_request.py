"""What a request holds, and what it does not."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from support.drawing import make_call, make_case

from evalaction.draw.request import body, changes, encode, named, seed_of, sent
from evalaction.errors import BadInput
from evalaction.records.case import Sampling
from evalaction.records.draw import Adaptation, Call, Whose
from evalaction.values import JSON, Number


def test_body__unset() -> None:
    """What is not set is not sent: no temperature, top_p, seed, stop, n, max_tokens or stream."""
    assert body(make_call(make_case("a"))) == {"model": "m", "messages": [{"role": "user", "content": "a"}]}


def test_body__everything() -> None:
    """What is set is sent under the request's own names."""
    sampling = Sampling(
        model="m",
        temperature=Number("0.7"),
        top_p=1,
        seed=7,
        stop=("\n", "END"),
        response_format={"type": "json_schema", "json_schema": {"b": Decimal("0.5"), "a": None}},
        max_tokens=64,
    )
    expected = {
        "model": "m",
        "messages": [{"role": "user", "content": "a"}],
        "temperature": 0.7,
        "top_p": 1,
        "seed": 9,
        "stop": ["\n", "END"],
        "response_format": {"type": "json_schema", "json_schema": {"b": 0.5, "a": None}},
        "max_tokens": 64,
    }
    assert expected == body(make_call(make_case("a", sampling=sampling), 3))


def test_body__zero() -> None:
    """A 0 is set, and sent."""
    sampling = Sampling(model="m", temperature=0, seed=0)
    assert {"temperature": 0, "seed": 0}.items() <= body(make_call(make_case("a", sampling=sampling))).items()


def test_seed_of__consecutive() -> None:
    """Draws of one case send s, s + 1, …: never one seed for all."""
    case = make_case("a", sampling=Sampling(model="m", seed=7))
    assert [body(make_call(case, index))["seed"] for index in (1, 2, 3)] == [7, 8, 9]
    assert [seed_of(case.sampling, index) for index in (1, 2, 3)] == [7, 8, 9]
    assert None is seed_of(Sampling(model="m"), 1)


def call_of(**sampling: Any) -> Call:
    return make_call(make_case("a", sampling=Sampling(model="m", **sampling)))


ALL = {"temperature": 0, "top_p": 1, "seed": 1, "stop": ("x",), "max_tokens": 9}


@pytest.mark.parametrize(
    ("unasked", "of_budget", "left"),
    [
        (frozenset(), False, {"stop": ["x"], "max_completion_tokens": 9}),
        (frozenset(), True, {"stop": ["x"]}),
        (frozenset({"stop"}), False, {"max_completion_tokens": 9}),
        (frozenset({"stop", "max_tokens"}), False, {}),
    ],
)
def test_sent__left_out(unasked: frozenset[str], of_budget: bool, left: dict[str, JSON]) -> None:
    """What a run goes without is not sent, nor what nobody wrote down; anything else is sent all the same."""
    call = replace(call_of(**ALL), unasked=unasked, cap_of_budget=of_budget)
    adapted = dict.fromkeys(("temperature", "top_p", "seed", "stop", "max_tokens", "n"))
    assert {"model": "m", **left} == sent(call, adapted=adapted)
    assert [{"role": "user", "content": "a"}] == body(call, adapted=adapted)["messages"]


def test_sent__renamed() -> None:
    """A parameter that goes by another name has it in its own place."""
    call = call_of(max_tokens=9, top_p=1)
    assert {"model": "m", "top_p": 1, "max_completion_tokens": 9} == sent(
        call, adapted={"max_tokens": "max_completion_tokens"}
    )


@pytest.mark.parametrize(("choices", "n"), [(1, None), (2, 2), (5, 5)])
def test_sent__choices(choices: int, n: int | None) -> None:
    """A request for several choices says how many; one for one says nothing of it."""
    call = replace(call_of(), choices=choices)
    assert n == sent(call).get("n")
    assert None is sent(call, adapted={"n": None}).get("n")


def test_changes__asked() -> None:
    """A refused parameter is left out, or renamed, or neither: what somebody wrote down of the reply's form stays."""
    call = replace(call_of(**ALL, response_format={"type": "json_object"}), choices=2)
    rename = Adaptation(name="max_tokens", instead="max_completion_tokens")
    left_out = {name: Adaptation(name=name) for name in ("temperature", "top_p", "seed", "n")}
    assert {**left_out, "max_tokens": rename} == changes(call)
    form = Adaptation(name="response_format")
    free = replace(call, unasked=frozenset({"response_format"}))
    assert {**left_out, "max_tokens": rename, "response_format": form} == changes(free)
    renamed = {"max_tokens": "max_completion_tokens", "seed": None}
    del left_out["seed"]
    assert left_out == changes(call, adapted=renamed)
    capped = replace(call, cap_of_budget=True)
    assert {**left_out, "max_completion_tokens": Adaptation(name="max_tokens")} == changes(capped, adapted=renamed)


def test_body__own_seed() -> None:
    """The seed that is sent is the call's own, whatever its sampling begins with."""
    call = make_call(make_case("a", sampling=Sampling(model="m", seed=7)), 2)
    assert body(call)["seed"] == 8
    assert "seed" not in body(replace(call, seed=None))


@pytest.mark.parametrize(
    ("whose", "expected"),
    [
        (Whose.CASE, "the case at x.golden.jsonl:3"),
        (Whose.DECK, "the deck 'a'"),
        (Whose.JUDGE, "the judge of the case at x.golden.jsonl:3"),
    ],
)
def test_named__whose(whose: Whose, expected: str) -> None:
    """People read which case or deck a request is for."""
    assert expected == named(replace(make_call(make_case("a", line=3)), whose=whose))


def test_encode__bytes() -> None:
    """Requests are compact UTF-8 JSON, in the order of the file."""
    case = make_case("a", prompt="Grüße \U0001f600\n", sampling=Sampling(model="m", response_format={"b": 1, "a": 2}))
    expected = (
        '{"model":"m","messages":[{"role":"user","content":"Grüße \U0001f600\\n"}],"response_format":{"b":1,"a":2}}'
    )
    assert expected.encode() == encode(make_call(case))
    assert json.loads(encode(make_call(case))) == body(make_call(case))


def test_encode__no_model() -> None:
    """A case without a model cannot be sent, and the message says what to set."""
    with pytest.raises(BadInput) as caught:
        encode(make_call(make_case("a", line=3, sampling=Sampling(model=None))))
    expected = "x.golden.jsonl:3: case 'a' has no model. Set EVAL_MODEL, or a model in evalaction.yml."
    assert expected == str(caught.value)


@pytest.mark.parametrize(
    ("whose", "subject"),
    [(Whose.CASE, "case"), (Whose.DECK, "deck"), (Whose.JUDGE, "the judge of case")],
)
def test_encode__no_model_of_a_judge(whose: Whose, subject: str) -> None:
    """The error says whose model is missing, and names the variable of its endpoint."""
    call = replace(make_call(make_case("a", sampling=Sampling(model=None))), whose=whose)
    with pytest.raises(BadInput) as caught:
        encode(call, model_name="JUDGE_MODEL")
    expected = f"x.golden.jsonl:1: {subject} 'a' has no model. Set JUDGE_MODEL, or a model in evalaction.yml."
    assert expected == str(caught.value)


@pytest.mark.parametrize("value", [Number("1e500"), "\ud800"])
def test_encode__not_json(value: object) -> None:
    """What JSON cannot carry is an error with the case's place."""
    case = make_case("a", line=3, sampling=Sampling(model="m", response_format={"x": value}))  # type: ignore[dict-item]
    with pytest.raises(BadInput) as caught:
        encode(make_call(case))
    expected = (
        "x.golden.jsonl:3: case 'a' holds a number or a character that a request cannot carry. "
        "Numbers must be finite doubles, and text must be valid Unicode."
    )
    assert expected == str(caught.value)
