"""What the bytes of an answer say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.endpoint import completion

from evalaction.draw.reply import read_reply, read_usage
from evalaction.records.draw import Cause, Failure, Reply, Usage

USAGE = Usage(prompt=40, completion=12)


def read(body: Any) -> Reply | Failure:
    return read_reply(json.dumps(body).encode())


def expected(**changes: Any) -> Reply:
    return Reply(
        **{"text": None, "finish_reason": "stop", "id": "cmpl-1", "model": "m", "usage": USAGE, **changes},
    )


def test_read_reply__plain() -> None:
    """A chat completion becomes a reply with everything that is known of it."""
    usage = {
        "prompt_tokens": 40,
        "completion_tokens": 12,
        "prompt_tokens_details": {"cached_tokens": 32},
        "completion_tokens_details": {"reasoning_tokens": 8},
    }
    body = completion("  42\n", usage=usage, model="m-2026-01-01", id="cmpl-9")
    body["choices"][0]["index"] = 2
    body["created"] = 1_700_000_000
    whole = Reply(
        text="  42\n",
        finish_reason="stop",
        id="cmpl-9",
        choice=2,
        created=1_700_000_000,
        model="m-2026-01-01",
        usage=Usage(prompt=40, completion=12, reasoning=8, cached=32),
    )
    assert whole == read(body)


@pytest.mark.parametrize(
    ("body", "reply"),
    [
        (
            completion(None, finish_reason="length", reasoning_content="thinking"),
            expected(finish_reason="length", reasoning=True, unseen=8),
        ),
        (completion("", reasoning_content='{"label": "billing"}'), expected(text="", reasoning=True, unseen=20)),
        (completion("", reasoning="so"), expected(text="", reasoning=True, unseen=2)),
        (
            completion("x", reasoning_details=[{"type": "reasoning.text"}]),
            expected(text="x", reasoning=True, unseen=28),
        ),
        (completion("x", reasoning_content=" ", reasoning=None), expected(text="x", unseen=1)),
        (completion(None, refusal="I can't help with that."), expected(refusal="I can't help with that.")),
        (
            completion(None, finish_reason="tool_calls", tool_calls=[{"id": "c1", "type": "function"}]),
            expected(finish_reason="tool_calls", tool_calls=True, unseen=34),
        ),
        (completion(None, function_call={"name": "f"}), expected(tool_calls=True, unseen=13)),
        (completion("x", tool_calls=[], refusal=""), expected(text="x")),
        (completion("", finish_reason="content_filter"), expected(text="", finish_reason="content_filter")),
        (completion("  \n\t"), expected(text="  \n\t")),
        (
            completion("x", finish_reason=None, id="", model=None),
            expected(text="x", finish_reason=None, id=None, model=None),
        ),
        ({"choices": [{"message": None}]}, Reply(text=None, finish_reason=None)),
        (completion("half \ud83d pair"), expected(text="half \ud83d pair")),
    ],
)
def test_read_reply__message(body: Any, reply: Reply) -> None:
    """An empty, refused, filtered or cut answer is a reply that says so; reasoning and tools are no text."""
    assert reply == read(body)


@pytest.mark.parametrize(
    ("content", "changes"),
    [
        ([{"type": "text", "text": "4"}, {"type": "text", "text": "2"}], {"text": "42"}),
        (["4", {"text": "2"}, {"type": "output_text", "text": "!"}], {"text": "42!"}),
        (
            [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "42"}],
            {"text": "42", "reasoning": True, "unseen": 38},
        ),
        ([{"type": "refusal", "refusal": "no"}], {"refusal": "no"}),
        ([{"type": "image_url"}, 5, None, {"type": ["text"]}, {"type": "text", "text": 5}], {}),
        ([], {}),
    ],
)
def test_read_reply__parts(content: Any, changes: dict[str, Any]) -> None:
    """Of content in parts, the text parts are joined, and the others count for what they are."""
    body = completion(None)
    body["choices"][0]["message"]["content"] = content
    assert expected(**changes) == read(body)


def test_read_reply__content_missing() -> None:
    """A message without content is a reply without text."""
    body = completion(None)
    del body["choices"][0]["message"]["content"]
    assert expected() == read(body)


def test_read_reply__mark_and_nan() -> None:
    """A byte order mark and Python's own NaN do not spoil a reply."""
    content = b'\xef\xbb\xbf{"choices": [{"message": {"content": "42"}, "finish_reason": "stop", "logprob": NaN}]}'
    assert Reply(text="42", finish_reason="stop") == read_reply(content)


CHOICES = "The endpoint answered a body without choices. It said: "
MESSAGE = "The endpoint answered a choice whose message cannot be read. It said: "
NOT_JSON = "The endpoint answered a body that is not JSON. It said: "


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The endpoint answered an empty body."),
        (b" \n", "The endpoint answered an empty body."),
        (b"<html>Sign in</html>", NOT_JSON + "<html>Sign in</html>"),
        (b'{"choices": [{"mess', NOT_JSON + '{"choices": [{"mess'),
        (b"data: {}\n\n", NOT_JSON + "data: {}"),
        (b'{"id": "\xff"}', 'The endpoint answered a body that is not UTF-8. It said: {"id": "\ufffd"}'),
        (b"\xff\xfe[\x00]\x00", "The endpoint answered a body that is not UTF-8. It said: \ufffd\ufffd[\x00]\x00"),
        (b"[]", "The endpoint answered JSON that is not an object. It said: []"),
        (b"null", "The endpoint answered JSON that is not an object. It said: null"),
        (b'{"id": 1}', CHOICES + '{"id": 1}'),
        (b'{"id": "x", "choices": [], "usage": null}', CHOICES + '{"id": "x", "choices": [], "usage": null}'),
        (b'{"id": "x", "choices": null}', CHOICES + '{"id": "x", "choices": null}'),
        (b'{"choices": {}}', CHOICES + '{"choices": {}}'),
        (b'{"choices": ["x"]}', CHOICES + '{"choices": ["x"]}'),
        (b'{"message": "no such route"}', CHOICES + "no such route"),
        (b'{"choices": [{}]}', MESSAGE + '{"choices": [{}]}'),
        (b'{"choices": [{"message": {"content": 5}}]}', MESSAGE + '{"choices": [{"message": {"content": 5}}]}'),
        (b'{"choices": [{"message": {"content": {}}}]}', MESSAGE + '{"choices": [{"message": {"content": {}}}]}'),
    ],
)
def test_read_reply__rubbish(content: bytes, message: str) -> None:
    """What is not a chat completion is a failure that shows how it begins, and no traceback."""
    assert Failure(cause=Cause.RUBBISH, message=message) == read_reply(content)


def test_read_reply__deep() -> None:
    """JSON that is nested too deeply is a failure."""
    found = read_reply(b"[" * 100_000)
    message = "The endpoint answered JSON that is nested too deeply. It said: " + "[" * 500 + "…"
    assert Failure(cause=Cause.RUBBISH, message=message) == found


@pytest.mark.parametrize(
    ("body", "cause", "status", "said"),
    [
        ({"error": {"message": "Upstream failed", "code": 502}}, Cause.STATUS, 502, "Upstream failed"),
        ({"error": {"message": "too many calls", "code": 429}}, Cause.STATUS, 429, "too many calls"),
        ({"error": {"message": "too many calls", "code": "429"}}, Cause.STATUS, 429, "too many calls"),
        ({"error": {"message": "busy", "code": "overloaded", "status": 529}}, Cause.STATUS, 529, "busy"),
        ({"error": {"message": "no route", "code": 400}}, Cause.REJECTED, 400, "no route"),
        ({"error": {"message": "no key", "code": 401}}, Cause.REJECTED, 401, "no key"),
        ({"error": {"message": "odd", "code": 1302}}, Cause.STATUS, None, "odd"),
        ({"error": {"message": "odd", "code": True}}, Cause.STATUS, None, "odd"),
        ({"error": "model is loading"}, Cause.STATUS, None, "model is loading"),
        ({"error": True}, Cause.STATUS, None, '{"error": true}'),
        ({"error": ["a"]}, Cause.STATUS, None, '{"error": ["a"]}'),
    ],
)
def test_read_reply__error_in_body(body: Any, cause: Cause, status: int | None, said: str) -> None:
    """An error inside a 200 means what the same HTTP status would, and shows the provider's message."""
    named = f" {status}" if status else ""
    message = f"The endpoint answered 200 with an error{named} in the body. It said: {said}"
    assert Failure(cause=cause, message=message, status=status) == read(body)


def test_read_reply__error_in_choice() -> None:
    """An error in the choice is the draw's failure, never an empty completion."""
    body = completion("", finish_reason="error")
    without = Failure(
        cause=Cause.STATUS,
        message=f"The endpoint answered 200 with an error in the body. It said: {json.dumps(body)}",
    )
    assert without == read(body)
    body["choices"][0]["error"] = {"code": 503, "message": "stream closed"}
    message = "The endpoint answered 200 with an error 503 in the body. It said: stream closed"
    assert Failure(cause=Cause.STATUS, message=message, status=503) == read(body)


def test_read_reply__no_error() -> None:
    """An empty error field beside a choice is none."""
    assert expected(text="x") == read(completion("x") | {"error": None})
    assert expected(text="x") == read(completion("x") | {"error": {}})


def test_read_reply__secrets() -> None:
    """A key that an endpoint repeats is in no message, not even cut in half."""
    content = b"x" * 490 + b"sk-test-AAAA1111BBBB2222"
    found = read_reply(content, secrets=("sk-test-AAAA1111BBBB2222",))
    message = NOT_JSON + "x" * 490 + "‹redacted›"
    assert Failure(cause=Cause.RUBBISH, message=message) == found


@given(st.binary())
def test_read_reply__any_bytes(content: bytes) -> None:
    """No body raises."""
    read_reply(content)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.fixed_dictionaries(
        {"id": anything, "model": anything, "usage": anything},
        optional={"error": anything},
    ),
    st.fixed_dictionaries({"finish_reason": anything, "index": anything}, optional={"error": anything}),
    st.fixed_dictionaries(
        {"content": anything | st.lists(st.fixed_dictionaries({"type": anything, "text": anything}), max_size=3)},
        optional=dict.fromkeys(("refusal", "tool_calls", "reasoning_content", "reasoning_details"), anything),
    ),
)
def test_read_reply__any_types(whole: Any, choice: Any, message: Any) -> None:
    """No type in any field raises, and a reply's fields have the types that they are declared with."""
    found = read({**whole, "choices": [{**choice, "message": message}]})
    if isinstance(found, Reply):
        assert isinstance(found.text, str | None)
        assert isinstance(found.finish_reason, str | None)
        assert isinstance(found.refusal, str | None)
        assert isinstance(found.id, str | None)
        assert type(found.choice) is int


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (None, Usage()),
        ([], Usage()),
        ({}, Usage()),
        ({"prompt_tokens": 9, "completion_tokens": None, "total_tokens": None}, Usage(prompt=9)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, Usage(prompt=0, completion=0)),
        ({"prompt_tokens": "9", "completion_tokens": "60"}, Usage(prompt=9, completion=60)),
        ({"prompt_tokens": 9.0, "completion_tokens": 60.5}, Usage(prompt=9)),
        ({"prompt_tokens": -1, "completion_tokens": True}, Usage()),
        ({"prompt_tokens": "-1", "completion_tokens": "many"}, Usage()),
        ({"prompt_tokens": 10**30, "completion_tokens": "9" * 5000}, Usage()),
        ({"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, Usage()),
        ({"completion_tokens": 60, "completion_tokens_details": {"reasoning_tokens": None}}, Usage(completion=60)),
        ({"completion_tokens": 60, "completion_tokens_details": None}, Usage(completion=60)),
        ({"prompt_tokens_details": {"cached_tokens": 5}}, Usage(cached=5)),
    ],
)
def test_read_usage__variants(usage: Any, counts: Usage) -> None:
    """What is no number of tokens is None, and never 0."""
    assert counts == read_usage(usage)
