"""What a request holds, and what it does not."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from support.drawing import make_case

from evalaction.draw.request import body, encode, seed_of
from evalaction.errors import BadInput
from evalaction.records.case import Sampling
from evalaction.values import Number


def test_body__unset() -> None:
    """What is not set is not sent: no temperature, top_p, seed, stop, n, max_tokens or stream."""
    assert body(make_case("a"), 1) == {"model": "m", "messages": [{"role": "user", "content": "a"}]}


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
    assert expected == body(make_case("a", sampling=sampling), 3)


def test_body__zero() -> None:
    """A 0 is set, and sent."""
    sampling = Sampling(model="m", temperature=0, seed=0)
    assert {"temperature": 0, "seed": 0}.items() <= body(make_case("a", sampling=sampling), 1).items()


def test_seed_of__consecutive() -> None:
    """Draws of one case send s, s + 1, …: never one seed for all."""
    case = make_case("a", sampling=Sampling(model="m", seed=7))
    assert [seed_of(case, index) for index in (1, 2, 3)] == [7, 8, 9]
    assert None is seed_of(make_case("a"), 1)


def test_encode__bytes() -> None:
    """Requests are compact UTF-8 JSON, in the order of the file."""
    case = make_case("a", prompt="Grüße \U0001f600\n", sampling=Sampling(model="m", response_format={"b": 1, "a": 2}))
    expected = (
        '{"model":"m","messages":[{"role":"user","content":"Grüße \U0001f600\\n"}],"response_format":{"b":1,"a":2}}'
    )
    assert expected.encode() == encode(case, 1)
    assert json.loads(encode(case, 1)) == body(case, 1)


def test_encode__no_model() -> None:
    """A case without a model cannot be sent, and the message says what to set."""
    with pytest.raises(BadInput) as caught:
        encode(make_case("a", line=3, sampling=Sampling(model=None)), 1)
    expected = "x.golden.jsonl:3: case 'a' has no model. Set EVAL_MODEL, or a model in evalaction.yml."
    assert expected == str(caught.value)


@pytest.mark.parametrize("value", [Number("1e500"), "\ud800"])
def test_encode__not_json(value: object) -> None:
    """What JSON cannot carry is an error with the case's place."""
    case = make_case("a", line=3, sampling=Sampling(model="m", response_format={"x": value}))  # type: ignore[dict-item]
    with pytest.raises(BadInput) as caught:
        encode(case, 1)
    expected = (
        "x.golden.jsonl:3: case 'a' holds a number or a character that a request cannot carry. "
        "Numbers must be finite doubles, and text must be valid Unicode."
    )
    assert expected == str(caught.value)
