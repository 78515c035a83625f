"""What the bytes of an answer say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.endpoint import completion

from evalaction.draw.reply import read_replies, read_usage
from evalaction.records.draw import Cause, Failure, Reply, Usage

USAGE = Usage(prompt=40, completion=12)


def first(content: bytes, **options: Any) -> Reply | Failure:
    """Return the one reply of a body, or the failure."""
    found = read_replies(content, **options)
    if isinstance(found, Failure):
        return found
    (reply,) = found
    return reply


def read(body: Any) -> Reply | Failure:
    return first(json.dumps(body).encode())


def expected(**changes: Any) -> Reply:
    return Reply(
        **{"text": None, "finish_reason": "stop", "id": "cmpl-1", "model": "m", "usage": USAGE, **changes},
    )


def test_read_replies__plain() -> None:
    """A chat completion becomes a reply with everything that is known of it."""
    usage = {
        "prompt_tokens": 40,
        "completion_tokens": 12,
        "prompt_tokens_details": {"cached_tokens": 32},
        "completion_tokens_details": {"reasoning_tokens": 8},
    }
    body = completion("  42\n", usage=usage, model="m-2026-01-01", id="cmpl-9")
    body["choices"][0]["index"] = 2
    body |= {"created": 1_700_000_000, "system_fingerprint": "fp_1"}
    whole = Reply(
        text="  42\n",
        finish_reason="stop",
        id="cmpl-9",
        created=1_700_000_000,
        model="m-2026-01-01",
        fingerprint="fp_1",
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
        *(
            ({"choices": [{"index": 0, "finish_reason": reason}]}, Reply(text=None, finish_reason=reason))
            for reason in ("length", "content_filter", "content_filter: PROHIBITED_CONTENT", "tool_calls")
        ),
        (
            {"choices": [{"message": {"content": "x"}, "finish_reason": {"type": "length", "length": 2}}]},
            Reply(text="x", finish_reason="length"),
        ),
        (
            {"choices": [{"message": {"content": "x"}, "finish_reason": None, "native_finish_reason": "MAX_TOKENS"}]},
            Reply(text="x", finish_reason="MAX_TOKENS"),
        ),
        ({"choices": [{"message": None}]}, Reply(text=None, finish_reason=None)),
        (completion("half \ud83d pair"), expected(text="half \ud83d pair")),
    ],
)
def test_read_replies__message(body: Any, reply: Reply) -> None:
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
def test_read_replies__parts(content: Any, changes: dict[str, Any]) -> None:
    """Of content in parts, the text parts are joined, and the others count for what they are."""
    body = completion(None)
    body["choices"][0]["message"]["content"] = content
    assert expected(**changes) == read(body)


def test_read_replies__content_missing() -> None:
    """A message without content is a reply without text."""
    body = completion(None)
    del body["choices"][0]["message"]["content"]
    assert expected() == read(body)


def test_read_replies__mark_and_nan() -> None:
    """A byte order mark and Python's own NaN do not spoil a reply."""
    content = b'\xef\xbb\xbf{"choices": [{"message": {"content": "42"}, "finish_reason": "stop", "logprob": NaN}]}'
    assert Reply(text="42", finish_reason="stop") == first(content)


CHOICES = "The endpoint answered a body without choices. It said: "
MESSAGE = "The endpoint answered a choice whose message cannot be read. It said: "
NOT_JSON = "The endpoint answered a body that is not JSON. It said: "


SENT = "The endpoint answered a web page (HTML), as proxies and sign-in pages send it"
UTF_8 = "The endpoint answered a body that is not UTF-8. It said: "
CUT = "The endpoint answered a body that breaks off. It said: "
EVENTS = "The endpoint answered a stream of events, though none was asked for. It said: "
OBJECT = "The endpoint answered JSON that is not an object. It said: "


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (b"", "empty body", "The endpoint answered an empty body."),
        (b" \n", "empty body", "The endpoint answered an empty body."),
        (b"<html>Sign in</html>", "HTML", f"{SENT}."),
        (b"\n<!DOCTYPE HTML PUBLIC ''>\n<TITLE>\n 502\tBad </TITLE>", "HTML", f"{SENT}, titled '502 Bad'."),
        (b"<?xml version='1.0'?><html><head/></html>", "HTML", f"{SENT}."),
        (
            b"<Error><Code>AccessDenied</Code></Error>",
            "not JSON",
            NOT_JSON + "<Error><Code>AccessDenied</Code></Error>",
        ),
        (b"upstream connect error", "not JSON", NOT_JSON + "upstream connect error"),
        (b'{"choices": [{"mess', "cut off", CUT + '{"choices": [{"mess'),
        (b'{"choices": [', "cut off", CUT + '{"choices": ['),
        (b'{"choices": nul', "cut off", CUT + '{"choices": nul'),
        (b'{"a": "b\\u00', "cut off", CUT + '{"a": "b\\u00'),
        (b"{", "cut off", CUT + "{"),
        (b'{"a": 1}{"b": 2}', "not JSON", NOT_JSON + '{"a": 1}{"b": 2}'),
        (b"{'a': 1}", "not JSON", NOT_JSON + "{'a': 1}"),
        (b"data: {}\n\n", "event stream", EVENTS + "data: {}"),
        (b": PROCESSING\n\ndata: {}\n\n", "event stream", EVENTS + ": PROCESSING\n\ndata: {}"),
        (b"event: message\ndata: {}\n\n", "event stream", EVENTS + "event: message\ndata: {}"),
        (b'{"id": "\xff"}', "not UTF-8", UTF_8 + '{"id": "\ufffd"}'),
        (b"\xff\xfe{\x00x\xd8", "not UTF-8", UTF_8 + "\ufffd\ufffd{\x00x\ufffd"),
        (b"{\x00\x00\x00", "cut off", CUT + "{\x00\x00\x00"),
        (b"{\x00\x00\x00\x00\x00", "not UTF-8", UTF_8 + "{\x00\x00\x00\x00\x00"),
        (b'{"a": {"b": 1}', "cut off", CUT + '{"a": {"b": 1}'),
        (b'{"a": 1} and more', "not JSON", NOT_JSON + '{"a": 1} and more'),
        (b"\x00{\x00", "not UTF-8", UTF_8 + "\x00{\x00"),
        (
            b"\x1f\x8b\x08\x00",
            "compressed wrongly",
            "The endpoint answered a compressed body whose header does not say so.",
        ),
        (
            b"\x28\xb5\x2f\xfd\x00",
            "compressed wrongly",
            "The endpoint answered a compressed body whose header does not say so.",
        ),
        (b"[]", "not an object", OBJECT + "[]"),
        (b"\xff\xfe[\x00]\x00", "not an object", OBJECT + "\ufffd\ufffd[\x00]\x00"),
        (b"null", "not an object", OBJECT + "null"),
        (b'{"id": 1}', "no choices", CHOICES + '{"id": 1}'),
        (
            b'{"id": "x", "choices": [], "usage": null}',
            "no choices",
            CHOICES + '{"id": "x", "choices": [], "usage": null}',
        ),
        (b'{"id": "x", "choices": null}', "no choices", CHOICES + '{"id": "x", "choices": null}'),
        (b'{"choices": {}}', "no choices", CHOICES + '{"choices": {}}'),
        (b'{"choices": ["x"]}', "no choices", CHOICES + '{"choices": ["x"]}'),
        (b'{"message": "no such route"}', "no choices", CHOICES + "no such route"),
        (b'{"choices": [{}]}', "no message", MESSAGE + '{"choices": [{}]}'),
        (
            b'{"choices": [{"message": {"content": 5}}]}',
            "no message",
            MESSAGE + '{"choices": [{"message": {"content": 5}}]}',
        ),
        (
            b'{"choices": [{"message": {"content": {}}}]}',
            "no message",
            MESSAGE + '{"choices": [{"message": {"content": {}}}]}',
        ),
    ],
)
def test_read_replies__rubbish(content: bytes, kind: str, message: str) -> None:
    """What is not a chat completion is a failure of its own kind that shows how it begins, and no traceback."""
    assert Failure(cause=Cause.RUBBISH, message=message, kind=kind) == first(content)


def test_read_replies__deep() -> None:
    """JSON that is nested too deeply is a failure."""
    found = first(b"[" * 100_000)
    message = "The endpoint answered JSON that is nested too deeply. It said: " + "[" * 500 + "…"
    assert Failure(cause=Cause.RUBBISH, message=message, kind="not JSON") == found


def choice(text: str | None, **fields: Any) -> dict[str, Any]:
    return {"finish_reason": "stop", "message": {"role": "assistant", "content": text}, **fields}


def test_read_replies__choices() -> None:
    """Each choice is a reply with its place and its own end; the tokens of all of them stand with the first."""
    body = completion(
        None, choices=[choice("a"), choice(None, finish_reason="length"), choice("c", index=0), choice("d")]
    )
    replies = (
        expected(text="a", choices=3),
        expected(choice=1, finish_reason="length", choices=3, usage=Usage()),
        expected(text="c", choice=2, choices=3, usage=Usage()),
    )
    content = json.dumps(body).encode()
    assert replies == read_replies(content, asked=3)
    assert expected(text="a") == first(content)


def test_read_replies__choice_lost() -> None:
    """A choice that cannot be read is left out where others can, and is the failure where none can."""
    broken = choice("", error={"code": 503, "message": "gone"})
    body = completion(None, choices=[broken, choice("b"), {"message": 5}, choice("d")])
    replies = (expected(text="b", choice=1, choices=2), expected(text="d", choice=3, choices=2, usage=Usage()))
    assert replies == read_replies(json.dumps(body).encode(), asked=4)
    message = "The endpoint answered 200 with an error 503 in the body. It said: gone"
    lost = Failure(cause=Cause.STATUS, message=message, status=503, kind="error in a 200")
    assert lost == read_replies(json.dumps(body).encode(), asked=1)


@pytest.mark.parametrize(
    ("replayed", "fields", "mark"),
    [
        (None, {}, None),
        (None, {"cached": True}, "cached: true"),
        ("age: 3", {"cached": True}, "age: 3"),
        (None, {"usage": {"prompt_tokens_details": {"cached_tokens": 1_024}, "cached": True}}, None),
    ],
)
def test_read_replies__replayed(replayed: str | None, fields: dict[str, Any], mark: str | None) -> None:
    """The mark of a cache, in headers or body, stands with each reply; that of a prompt cache is none."""
    body = completion(None, choices=[choice("a"), choice("b")]) | fields
    replies = read_replies(json.dumps(body).encode(), asked=2, replayed=replayed)
    assert isinstance(replies, tuple)
    assert [mark, mark] == [reply.replayed for reply in replies]


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
        ({"error": {"message": "busy", "type": "overloaded_error"}}, Cause.STATUS, 529, "busy"),
        ({"error": {"message": "slow", "code": "rate_limit_exceeded"}}, Cause.STATUS, 429, "slow"),
        ({"error": {"message": "who?", "code": "invalid_api_key"}}, Cause.REJECTED, 401, "who?"),
        ({"error": {"message": "who?", "code": "model_not_found"}}, Cause.REJECTED, 404, "who?"),
        ({"error": {"message": "long", "code": "context_length_exceeded"}}, Cause.REJECTED, 400, "long"),
        (
            {"error": {"message": "Provider returned error", "code": 429, "metadata": {"raw": "m is busy"}}},
            Cause.STATUS,
            429,
            "Provider returned error: m is busy",
        ),
        (
            {"error": {"message": "Failed", "code": 429, "metadata": {"raw": '{"error": {"message": "m is busy"}}'}}},
            Cause.STATUS,
            429,
            "Failed: m is busy",
        ),
        ({"error": {"message": "what?", "type": "invalid_request_error"}}, Cause.STATUS, None, "what?"),
        ({"object": "error", "message": "no", "type": "BadRequestError", "code": 400}, Cause.REJECTED, 400, "no"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, Cause.STATUS, 529, "busy"),
        ({"code": 500, "msg": "404 NOT_FOUND", "success": False}, Cause.STATUS, 500, "404 NOT_FOUND"),
        ({"success": False, "errors": [{"code": 7009, "message": "down"}]}, Cause.STATUS, None, "down"),
        (
            {"choices": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}},
            Cause.STATUS,
            None,
            "rate limit",
        ),
        ({"error": "model is loading"}, Cause.STATUS, None, "model is loading"),
        ({"error": True}, Cause.STATUS, None, '{"error": true}'),
        ({"error": ["a"]}, Cause.STATUS, None, '{"error": ["a"]}'),
    ],
)
def test_read_replies__error_in_body(body: Any, cause: Cause, status: int | None, said: str) -> None:
    """An error inside a 200 means what the same HTTP status would, and shows the provider's message."""
    named = f" {status}" if status else ""
    message = f"The endpoint answered 200 with an error{named} in the body. It said: {said}"
    assert Failure(cause=cause, message=message, status=status, kind="error in a 200") == read(body)


def test_read_replies__error_in_choice() -> None:
    """An error in the choice is the draw's failure, never an empty completion."""
    body = completion("", finish_reason="error")
    without = Failure(
        cause=Cause.STATUS,
        message=f"The endpoint answered 200 with an error in the body. It said: {json.dumps(body)}",
        kind="error in a 200",
    )
    assert without == read(body)
    body["choices"][0]["error"] = {"code": 503, "message": "stream closed"}
    message = "The endpoint answered 200 with an error 503 in the body. It said: stream closed"
    assert Failure(cause=Cause.STATUS, message=message, status=503, kind="error in a 200") == read(body)


def test_read_replies__no_error() -> None:
    """An empty error field beside a choice is none."""
    assert expected(text="x") == read(completion("x") | {"error": None})
    assert expected(text="x") == read(completion("x") | {"error": {}})
    assert expected(text="x") == read(completion("x") | {"error": {"code": 0, "message": ""}})
    assert expected(text="x") == read(completion("x") | {"error": {"code": None, "message": None}})


def test_read_replies__secrets() -> None:
    """A key that an endpoint repeats is in no message, not even cut in half."""
    content = b"x" * 490 + b"sk-test-AAAA1111BBBB2222"
    found = first(content, secrets=("sk-test-AAAA1111BBBB2222",))
    message = NOT_JSON + "x" * 490 + "‹redacted›"
    assert Failure(cause=Cause.RUBBISH, message=message, kind="not JSON") == found


@given(st.binary())
def test_read_replies__any_bytes(content: bytes) -> None:
    """No body raises."""
    read_replies(content)


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
def test_read_replies__any_types(whole: Any, choice: Any, message: Any) -> None:
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
        ({"prompt_cache_hit_tokens": 5, "prompt_cache_miss_tokens": 9}, Usage(cached=5)),
        ({"prompt_tokens_details": {"cached_tokens": 0}, "cached_tokens": 5}, Usage(cached=0)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 5,
                "total_tokens": 44,
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Usage(prompt=9, completion=35, reasoning=30),
        ),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 35,
                "total_tokens": 44,
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Usage(prompt=9, completion=35, reasoning=30),
        ),
        # Thinking that no count but the total holds, and one that is more than the completion it should be part of.
        ({"prompt_tokens": 20, "completion_tokens": 35, "total_tokens": 623}, Usage(prompt=20, completion=603)),
        (
            {"prompt_tokens": 21, "completion_tokens": 12, "completion_tokens_details": {"reasoning_tokens": 400}},
            Usage(prompt=21, completion=412, reasoning=400),
        ),
        (
            {"prompt_tokens": 21, "completion_tokens": 12, "total_tokens": 433, "reasoning_tokens": 400},
            Usage(prompt=21, completion=412, reasoning=400),
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 114, "cache_read_input_tokens": 100},
            Usage(prompt=9, completion=5, cached=100),
        ),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 69}, Usage(prompt=0, completion=0)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 2}, Usage(prompt=9, completion=5)),
        ({"input_tokens": 9, "output_tokens": 60}, Usage(prompt=9, completion=60)),
    ],
)
def test_read_usage__variants(usage: Any, counts: Usage) -> None:
    """What is no number of tokens is None, and never 0."""
    assert counts == read_usage(usage)
