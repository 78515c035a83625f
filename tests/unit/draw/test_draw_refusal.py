"""What a status other than success means, and what to do about it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.drawing import make_call, make_case

from evalaction.draw.endpoint import make_target
from evalaction.draw.failure import concerns_all, is_passing
from evalaction.draw.refusal import status_failure
from evalaction.draw.request import sent
from evalaction.records.case import Sampling
from evalaction.records.draw import Cause, Failure, Whose
from evalaction.records.settings import Endpoint
from evalaction.values import Number

KEY = "sk-test-AAAA1111BBBB2222"
URL = f"https://user:{KEY}@llm.example.test/v1?key={KEY}"
CALL = make_call(make_case("a", line=3, sampling=Sampling(model="m", temperature=Number("0.2"), seed=1, max_tokens=9)))


def refuse(status: int, body: Any = None, *, key: str | None = None, location: str | None = None) -> Failure:
    content = b"" if body is None else json.dumps(body).encode()
    target = make_target(Endpoint(base_url=URL if key else URL.replace(f"user:{KEY}@", ""), api_key=key))
    return status_failure(status, content, target=target, call=CALL, sent=tuple(sent(CALL)), location=location)


@pytest.mark.parametrize(
    "status", [408, 409, 424, 425, 429, 498, 499, 500, 502, 503, 504, 520, 522, 524, 529, 530, 599]
)
def test_status_failure__passing(status: int) -> None:
    """A status that may be gone the next time is asked again."""
    failure = refuse(status, {"error": {"message": "later"}})
    message = f"llm.example.test answered HTTP {status}. It said: later"
    assert Failure(cause=Cause.STATUS, message=message, status=status) == failure
    assert is_passing(failure)
    assert (status in {429, 503, 529}) == concerns_all(failure)


def test_status_failure__too_large_a_request() -> None:
    """A request that is too large is this draw's own failure: not asked again, and the run goes on."""
    failure = refuse(413)
    message = "llm.example.test finds this request too large (HTTP 413)."
    assert Failure(cause=Cause.STATUS, message=message, status=413) == failure
    assert not is_passing(failure)


def test_status_failure__too_large_for_a_minute() -> None:
    """What OpenAI says of a request that is larger than a minute's limit is the same, though with the status 429."""
    words = "Request too large for m on tokens per min (TPM): Limit 30000, Requested 35064. Reduce the input."
    failure = refuse(429, {"error": {"message": words, "code": "rate_limit_exceeded"}})
    message = f"llm.example.test finds this request too large (HTTP 429). It said: {words}"
    assert Failure(cause=Cause.STATUS, message=message, status=429, kind="request too large") == failure
    assert not is_passing(failure)


def test_status_failure__upgraded() -> None:
    """A redirect to the same host by https is told from one to another path."""
    target = make_target(Endpoint(base_url="http://llm.example.test/v1"))
    for port in ("", ":443"):
        location = f"https://llm.example.test{port}/v1/chat/completions"
        failure = status_failure(301, b"", target=target, call=CALL, sent=(), location=location)
        assert failure.message == (
            "http://llm.example.test/v1/chat/completions redirects to https on llm.example.test (HTTP 301), and "
            "redirects are not followed, since they would take the key along. Set EVAL_BASE_URL to the endpoint's "
            "final URL."
        )


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 406, 407, 410, 411, 415, 422, 451, 600])
def test_status_failure__permanent(status: int) -> None:
    """Every other status from 400 up ends the run."""
    failure = refuse(status)
    assert Cause.REJECTED is failure.cause
    assert not is_passing(failure)


@pytest.mark.parametrize(
    ("status", "key", "message"),
    [
        (401, None, "llm.example.test wants a key (HTTP 401), and none was given. Set EVAL_API_KEY (input api-key)."),
        (401, KEY, "llm.example.test does not accept the key (HTTP 401). Check EVAL_API_KEY (input api-key)."),
        (402, KEY, "llm.example.test wants to be paid first (HTTP 402). Check the balance of the account."),
        (
            403,
            KEY,
            (
                "llm.example.test forbids the request (HTTP 403). Check that EVAL_API_KEY (input api-key) may use the "
                "model 'm'."
            ),
        ),
        (
            404,
            None,
            (
                "There is nothing to ask at https://llm.example.test/v1/chat/completions?key=… (HTTP 404), or it has "
                "no model 'm'. Check EVAL_BASE_URL (input base-url) and EVAL_MODEL."
            ),
        ),
        (
            410,
            None,
            (
                "https://llm.example.test/v1/chat/completions?key=…, or its model 'm', is gone for good (HTTP 410). "
                "Set another EVAL_BASE_URL (input base-url) or EVAL_MODEL."
            ),
        ),
        (
            400,
            None,
            (
                "llm.example.test refuses the request with the model 'm' (HTTP 400). Check the model, the messages and "
                "the parameters for the case at x.golden.jsonl:3."
            ),
        ),
    ],
)
def test_status_failure__remedy(status: int, key: str | None, message: str) -> None:
    """A permanent failure says cause and remedy, and no credentials."""
    assert Failure(cause=Cause.REJECTED, message=message, status=status) == refuse(status, key=key)


@pytest.mark.parametrize(
    ("status", "key", "message"),
    [
        (401, KEY, "llm.example.test does not accept the key (HTTP 401). Check K."),
        (401, None, "llm.example.test wants a key (HTTP 401), and none was given. Set K."),
        (403, KEY, "llm.example.test forbids the request (HTTP 403). Check that K may use the model 'j'."),
        (
            404,
            None,
            (
                "There is nothing to ask at https://llm.example.test/v1/chat/completions (HTTP 404), or it has no "
                "model 'j'. Check U and M."
            ),
        ),
        (
            410,
            None,
            (
                "https://llm.example.test/v1/chat/completions, or its model 'j', is gone for good (HTTP 410). Set "
                "another U or M."
            ),
        ),
        (
            302,
            None,
            (
                "https://llm.example.test/v1/chat/completions redirects to nowhere (HTTP 302), and redirects are not "
                "followed, since they would take the key along. Set U to the endpoint's final URL."
            ),
        ),
        (
            400,
            None,
            (
                "llm.example.test refuses the request with the model 'j' (HTTP 400). Check the model, the messages and "
                "the parameters for the deck 'replies'."
            ),
        ),
    ],
)
def test_status_failure__judge(status: int, key: str | None, message: str) -> None:
    """A failure of a deck's judge names the deck, and the settings under the names of its own endpoint."""
    target = make_target(
        Endpoint(base_url="https://llm.example.test", api_key=key, url_name="U", key_name="K", model_name="M")
    )
    call = replace(CALL, id="replies", sampling=Sampling(model="j"), whose=Whose.DECK)
    failure = status_failure(status, b"", target=target, call=call, sent=(), location=None)
    assert Failure(cause=Cause.REJECTED, message=message, status=status) == failure


@pytest.mark.parametrize(("max_tokens", "of_budget"), [(16, True), (12, False)])
def test_status_failure__cap(max_tokens: int, of_budget: bool) -> None:
    """A refused cap that was made from the length budget says so; one that was written down does not."""
    case = make_case("a", line=3, sampling=Sampling(model="m", max_tokens=max_tokens))
    case = replace(case, contract=replace(case.contract, max_completion_tokens=8))
    failure = status_failure(
        400,
        b'{"error": {"message": "no", "param": "max_tokens"}}',
        target=make_target(Endpoint(base_url="https://llm.example.test")),
        call=make_call(case),
        sent=("model", "max_tokens"),
        location=None,
    )
    remedy = "It is sent as the cap of twice max_completion_tokens: set neither"
    message = (
        "llm.example.test refuses the parameter 'max_tokens' with the model 'm' (HTTP 400). "
        f"{remedy if of_budget else 'Change it, or do not set it,'} for the case at x.golden.jsonl:3. It said: no"
    )
    assert Failure(cause=Cause.REJECTED, message=message, status=400) == failure


@pytest.mark.parametrize(
    ("body", "name", "said"),
    [
        (
            {
                "error": {
                    "message": "use 'max_completion_tokens'.",
                    "param": "max_tokens",
                    "code": "unsupported_parameter",
                }
            },
            "max_tokens",
            "use 'max_completion_tokens'.",
        ),
        (
            {"error": {"message": "must be left at its default", "param": "temperature"}},
            "temperature",
            "must be left at its default",
        ),
        (
            {"error": {"message": "unknown argument: seed", "param": None, "code": None}},
            "seed",
            "unknown argument: seed",
        ),
        (
            {
                "status": "failure",
                "message": "the upstream service refused 'max_tokens'",
                "error": {"type": "APIError", "code": "400"},
            },
            "max_tokens",
            "the upstream service refused 'max_tokens'",
        ),
        ({"detail": "temperature: too hot"}, "temperature", "temperature: too hot"),
    ],
)
def test_status_failure__parameter(body: Any, name: str, said: str) -> None:
    """A refused parameter is named, with the model, whatever the shape of the body."""
    message = (
        f"llm.example.test refuses the parameter '{name}' with the model 'm' (HTTP 400). Change it, or do not set it, "
        f"for the case at x.golden.jsonl:3. It said: {said}"
    )
    assert Failure(cause=Cause.REJECTED, message=message, status=400) == refuse(400, body)


TOO_LONG = [
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, "
    "8000 in the completion). Please reduce the length of the messages or completion.",
    "max_tokens is too large: 6000. This model supports at most 4096 completion tokens, whereas you provided 6000.",
    "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
]


@pytest.mark.parametrize("words", TOO_LONG)
@pytest.mark.parametrize("of_budget", [False, True])
def test_status_failure__too_long(words: str, of_budget: bool) -> None:
    """A request beyond the model's window, or a cap beyond its own, is no parameter that is not known."""
    call = replace(CALL, cap_of_budget=of_budget)
    failure = status_failure(
        400,
        json.dumps({"error": {"message": words, "param": "messages"}}).encode(),
        target=make_target(Endpoint(base_url="https://llm.example.test")),
        call=call,
        sent=tuple(sent(call)),
        location=None,
    )
    lower = "a smaller max_completion_tokens (twice that is the cap)" if of_budget else "a lower max_tokens"
    message = (
        "llm.example.test finds that the request is too long for the model 'm', or its cap on tokens too high (HTTP "
        f"400). Take shorter messages, {lower} or another model for the case at x.golden.jsonl:3. It said: {words}"
    )
    assert Failure(cause=Cause.REJECTED, message=message, status=400) == failure


def test_status_failure__switched() -> None:
    """An answer that no request asked for (101) is asked again."""
    failure = refuse(101)
    assert Failure(cause=Cause.STATUS, message="llm.example.test answered HTTP 101.", status=101) == failure
    assert is_passing(failure)


@pytest.mark.parametrize("words", ["top_p is wrong", "seeds are wrong", "no_temperature", "the model must stop"])
def test_status_failure__other_words(words: str) -> None:
    """A parameter that was not sent, a part of a word, and a common word name no parameter."""
    message = (
        "llm.example.test refuses the request with the model 'm' (HTTP 422). Check the model, the messages and the "
        f"parameters for the case at x.golden.jsonl:3. It said: {words}"
    )
    assert Failure(cause=Cause.REJECTED, message=message, status=422) == refuse(422, {"detail": words})


@pytest.mark.parametrize(
    ("location", "aim"),
    [
        ("https://u:password@other.example.test/login?token=abc", "other.example.test"),
        ("/v2/chat/completions?token=abc", "another path of the same host"),
        ("//other.example.test:8080/", "other.example.test:8080"),
        ("mailto:a@example.test", "nowhere"),
        ("https://[", "nowhere"),
        ("", "nowhere"),
        (None, "nowhere"),
    ],
)
def test_status_failure__redirect(location: str | None, aim: str) -> None:
    """A redirect ends the run, and the message shows the host that it points to and nothing more of it."""
    message = (
        f"https://llm.example.test/v1/chat/completions?key=… redirects to {aim} (HTTP 307), and redirects are not "
        "followed, since they would take the key along. Set EVAL_BASE_URL to the endpoint's final URL."
    )
    expected = Failure(cause=Cause.REJECTED, message=message, status=307)
    assert expected == refuse(307, {"error": "x"}, location=location)


def test_status_failure__key_echoed() -> None:
    """A key that the endpoint repeats is not in the message."""
    message = (
        "llm.example.test does not accept the key (HTTP 401). Check EVAL_API_KEY (input api-key). "
        "It said: bad key ' ‹redacted›': wrong prefix"
    )
    failure = refuse(401, {"error": {"message": f"bad key ' {KEY}': wrong prefix"}}, key=f" {KEY}")
    assert Failure(cause=Cause.REJECTED, message=message, status=401) == failure


def test_status_failure__long_body() -> None:
    """Of a long body the start is kept."""
    target = make_target(Endpoint(base_url=URL))
    failure = status_failure(500, b"\xffx" * 1_000, target=target, call=CALL, sent=(), location=None)
    assert failure.message == "llm.example.test answered HTTP 500. It said: " + "\ufffdx" * 250 + "…"
