"""What a request holds, and what it does not."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from support.drawing import make_call, make_case

from evalaction.draw.request import body, encode, named, seed_of
from evalaction.errors import BadInput
from evalaction.records.case import Sampling
from evalaction.records.draw import Whose
from evalaction.values import Number


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


def test_body__left_out() -> None:
    """What is left out is not sent, save what somebody wrote down."""
    call = make_call(make_case("a", sampling=Sampling(model="m", temperature=0, top_p=1, max_tokens=9)))
    free = replace(call, unasked=frozenset({"temperature", "max_tokens"}))
    names = {"temperature", "top_p", "seed"}
    plain = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
    assert {**plain, "temperature": 0, "top_p": 1, "max_tokens": 9} == body(call, left_out=names)
    assert {**plain, "top_p": 1, "max_tokens": 9} == body(free, left_out=names)


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
