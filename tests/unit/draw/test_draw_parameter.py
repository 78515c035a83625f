"""Which parameter an error complains of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.draw.parameter import is_of_size, parameter_of, refused_parameter, refuses

FREE = frozenset({"temperature", "response_format"})


def said(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **fields}}


NOT_SUPPORTED = (
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about "
    "supported models at the Structured Outputs guide: https://docs.example.test/structured-outputs"
)
ONLY_DEFAULT = (
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
)
NOT_WITH_MODEL = "Unsupported parameter: 'temperature' is not supported with this model."
API_VERSION = "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later"
ONE_OF = (
    "'response_format' : one of the following must be satisfied[('response_format.type' : value is not one of the "
    "allowed values ['text'])]"
)
DESERIALIZE = (
    "Failed to deserialize the JSON body into the target type: response_format: response_format.type `json_schema` is "
    "unavailable now at line 1 column 12440"
)
FORM_TYPE = (
    "The parameter `response_format.type` specified in the request are not valid: invalid value: `json_schema`, "
    "supported values are: `json_object` and `text`."
)
TYPE_ONE_OF = 'response_format type must be one of "text" or "json_object", but got: json_schema'
EXTRA = {"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}
EXTRA_AS_PYTHON = (
    "[{'type': 'extra_forbidden', 'loc': ('body', 'response_format'), 'msg': 'Extra inputs are not permitted', "
    "'input': {'temperature': 0}}]"
)
OF_UPSTREAM = {"message": "Provider returned error", "code": 400, "metadata": {"raw": json.dumps(said(NOT_WITH_MODEL))}}

REAL = [
    # OpenAI and Azure
    pytest.param(400, said(ONLY_DEFAULT, param="temperature", code="unsupported_value"), "temperature", id="value"),
    pytest.param(400, said(NOT_WITH_MODEL, param="temperature"), "temperature", id="parameter"),
    pytest.param(400, said(NOT_SUPPORTED), "response_format", id="model"),
    pytest.param(400, said(NOT_SUPPORTED, param=""), "response_format", id="param empty"),
    pytest.param(400, said("no", param="response_format.type"), "response_format", id="path"),
    pytest.param(400, {"error": {"code": "BadRequest", "message": API_VERSION}}, "response_format", id="version"),
    pytest.param(400, said(API_VERSION, param="422"), "response_format", id="a number for a param"),
    # DeepSeek
    pytest.param(
        400,
        said("This response_format type is unavailable now", code="invalid_request_error"),
        "response_format",
        id="unavailable",
    ),
    pytest.param(422, DESERIALIZE, "response_format", id="plain text"),
    # Groq
    pytest.param(400, said(ONE_OF), "response_format", id="one of"),
    pytest.param(
        400,
        said("This model does not support response format `json_schema`. See supported models."),
        "response_format",
        id="two words",
    ),
    pytest.param(
        400,
        {
            "error": {
                "message": "'response_format.type' : value is not one of the allowed values ['text','json_object']"
            }
        },
        "response_format",
        id="allowed values",
    ),
    # xAI, Volcengine
    pytest.param(
        400,
        {"code": "Client specified an invalid argument", "error": "The response_format parameter is unsupported."},
        "response_format",
        id="error as text",
    ),
    pytest.param(400, said(FORM_TYPE, param="response_format.type"), "response_format", id="type"),
    # Mistral, FastAPI
    pytest.param(422, {"object": "error", "message": {"detail": [EXTRA]}}, "response_format", id="detail in message"),
    pytest.param(422, {"detail": [EXTRA]}, "response_format", id="detail"),
    pytest.param(
        422,
        {"object": "error", "message": json.dumps({"detail": [EXTRA]}), "type": "internal_error_proxy", "code": "1000"},
        "response_format",
        id="detail as text",
    ),
    pytest.param(
        422,
        {"detail": [{"loc": ["body", "temperature"], "msg": "ensure this value is greater than 0"}]},
        "temperature",
        id="place",
    ),
    # vLLM
    pytest.param(
        400,
        {"object": "error", "message": EXTRA_AS_PYTHON, "type": "BadRequestError", "param": None, "code": 400},
        "response_format",
        id="python",
    ),
    pytest.param(
        400,
        {"object": "error", "message": "The provided JSON schema contains features not supported by xgrammar."},
        "response_format",
        id="machinery",
    ),
    pytest.param(400, said("Guided decoding is not supported on this platform."), "response_format", id="guided"),
    # llama.cpp, Ollama
    pytest.param(400, {"error": {"code": 400, "message": TYPE_ONE_OF}}, "response_format", id="type one of"),
    pytest.param(
        400, said('Either "json_schema" or "grammar" can be specified, but not both'), "response_format", id="either"
    ),
    pytest.param(500, {"error": "invalid JSON schema in format"}, "response_format", id="500"),
    pytest.param(400, said('invalid format: expected "json" or a JSON schema'), "response_format", id="a JSON schema"),
    # gateways
    pytest.param(400, {"error": OF_UPSTREAM}, "temperature", id="upstream"),
    pytest.param(None, {"choices": [{"error": said(ONLY_DEFAULT)["error"]}]}, "temperature", id="in a choice"),
    pytest.param(400, [said(ONLY_DEFAULT)], "temperature", id="in a list"),
    pytest.param(
        400, said("`temperature` and `top_p` cannot both be specified for this model."), "temperature", id="together"
    ),
    pytest.param(404, said("No endpoints found that support structured outputs."), "response_format", id="routing"),
    pytest.param(400, said("invalid temperature: only 1 is allowed for this model"), "temperature", id="only one"),
    pytest.param(400, said("This model lacks structured output.", param="model"), "response_format", id="model lacks"),
]


@pytest.mark.parametrize(("status", "body", "name"), REAL)
def test_refused_parameter__real(status: int | None, body: Any, name: str) -> None:
    """What endpoints answer names the parameter, and only a parameter that was sent is named."""
    content = (body if isinstance(body, str) else json.dumps(body)).encode()
    assert name == refused_parameter(status, content, FREE)
    assert refused_parameter(status, content, FREE - {name}) is None
    assert refused_parameter(status, content, ()) is None


@pytest.mark.parametrize(
    "body",
    [
        said("no"),
        said("The temperature is fine.", param="max_tokens"),
        said("Could not parse the JSON body of your request."),
        said("The model `m` does not exist."),
        said("'messages' must contain the word 'json'.", param="messages"),
        said("my_temperature, temperatures and json_schemata are unknown"),
        {"detail": [{"loc": ["body", "messages", 0, "content"], "msg": "no", "input": {"temperature": 0}}]},
        {"message": "[{'loc': ('body', 'messages'), 'input': {'temperature': 0, 'response_format': {}}}]"},
        {"choices": [{"message": {"content": "temperature"}}]},
        "",
        "<html><body>Bad gateway</body></html>",
        [],
        None,
        7,
    ],
)
def test_refused_parameter__none(body: Any) -> None:
    """An error about something else refuses nothing, whatever it repeats of the request."""
    content = (body if isinstance(body, str) else json.dumps(body)).encode()
    assert refused_parameter(400, content, FREE) is None


@pytest.mark.parametrize("status", [401, 402, 403, 405, 408, 409, 410, 413, 429, 502, 503, 529])
def test_refused_parameter__other_status(status: int) -> None:
    """A status that speaks of the key, of money, of the rate or of a moment refuses no parameter."""
    content = json.dumps(said(ONLY_DEFAULT, param="temperature")).encode()
    assert refused_parameter(status, content, FREE) is None


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_refused_parameter__any_bytes(content: bytes) -> None:
    """Any bytes at all are read without an error."""
    assert refused_parameter(400, content, FREE) in {None, *FREE}
    parameter_of(content, tuple(FREE))


@pytest.mark.parametrize("opened", ["[", '{"error":'])
def test_refused_parameter__deep(opened: str) -> None:
    """A body that is nested without end is read without an error."""
    assert refused_parameter(400, opened.encode() * 100_000, FREE) is None


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (said("no", param="messages[0].content"), "messages[0].content"),
        ({"detail": [{"loc": ["body", "top_p"], "msg": "too large"}]}, "top_p"),
        ({"detail": [{"loc": ["body", "messages"], "msg": "temperature"}]}, None),
        (said("top_p and temperature are both set"), "top_p"),
        (said("model: stop"), None),
    ],
)
def test_parameter_of__names(body: Any, name: str | None) -> None:
    """For people the parameter is named that the body names, also where it was not ours to leave out."""
    assert name == parameter_of(json.dumps(body).encode(), ("model", "temperature", "top_p", "stop"))


CAPPED = frozenset({"max_tokens", "temperature", "n", "seed", "response_format"})
RENAMED = frozenset({"max_completion_tokens", "temperature", "seed"})
INSTEAD = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
UNKNOWN = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
NESTED = json.dumps(said(INSTEAD, param="max_tokens", code="unsupported_parameter"))


@pytest.mark.parametrize(
    ("body", "sent", "name"),
    [
        (said(INSTEAD, param="max_tokens", code="unsupported_parameter"), CAPPED, "max_tokens"),
        ({"error": {"message": INSTEAD, "code": "invalid_request_body"}}, CAPPED, "max_tokens"),
        ({"error": {"message": f"[openai/m] [400]: {NESTED} (reset after 30s)"}}, CAPPED, "max_tokens"),
        (
            said("'max_tokens' cannot be used with this model; send 'max_completion_tokens'.", param="max_tokens"),
            CAPPED,
            "max_tokens",
        ),
        ({"message": "the upstream service refused 'max_tokens'", "error": {"type": "APIError"}}, CAPPED, "max_tokens"),
        (said("Unrecognized request argument supplied: max_completion_tokens"), RENAMED, "max_completion_tokens"),
        (
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Extra inputs"}]},
            RENAMED,
            "max_completion_tokens",
        ),
        (said("unknown argument: seed"), CAPPED, "seed"),
        ([{"error": {"code": 400, "message": UNKNOWN, "status": "INVALID_ARGUMENT"}}], CAPPED, "seed"),
        (said("Invalid n value (currently only n = 1 is supported)"), CAPPED, "n"),
        (said("n must equal 1 (multi-choice is not supported)"), CAPPED, "n"),
        (said("'n' : number must be at most 1", param=None), CAPPED, "n"),
        (said("no", param="n"), CAPPED, "n"),
        (
            said("Model m does not support the n parameter for multiple choices. Send n separate requests instead."),
            CAPPED,
            "n",
        ),
        ({"error": {"code": 400, "message": "Multiple candidates is not enabled for this model"}}, CAPPED, "n"),
        (said("Only one completion choice is allowed"), CAPPED, "n"),
        (said("`temperature` is deprecated for this model."), CAPPED, "temperature"),
        (said("Param Incorrect", param="temperature is not supported by this model"), CAPPED, "temperature"),
    ],
)
def test_refused_parameter__every_name(body: Any, sent: frozenset[str], name: str) -> None:
    """Each parameter is recognised by what endpoints call it, ``n`` only where it is meant."""
    assert name == refused_parameter(400, json.dumps(body).encode(), sent)


OPENAI_LENGTH = (
    "This model's maximum context length is 8192 tokens. However, you requested 10000 tokens (2000 in the messages, "
    "8000 in the completion). Please reduce the length of the messages or completion."
)
VLLM = (
    "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens "
    "and your request has 200 input tokens (8000 > 4096 - 200)."
)
VLLM_NEWER = (
    "This model's maximum context length is 128000 tokens. However, you requested 65535 output tokens and your prompt "
    "contains at least 62466 input tokens, for a total of at least 128001 tokens."
)
OUTPUT = (
    "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000."
)
GROQ = (
    "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the "
    "`context_window` for this model"
)
ARK = (
    "The parameter `max_tokens` specified in the request are not valid: integer above maximum value, expected <= 12288"
)
TGI = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens"
ANTHROPIC = "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for m"
AQ = {"message": "Param Incorrect", "param": "max_tokens is too large: 1048576. This model supports at most 131072"}

SIZES = [
    said(OPENAI_LENGTH, param="messages", code="context_length_exceeded"),
    said(OPENAI_LENGTH, type="BadRequestError"),
    said(VLLM, param="max_tokens"),
    {"object": "error", "message": VLLM_NEWER, "code": 400},
    said(OUTPUT, param="max_tokens"),
    said(GROQ, param="max_tokens"),
    said("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", code="invalid_request_error"),
    {"type": "error", "error": {"type": "invalid_request_error", "message": ANTHROPIC}},
    said(ARK, param="max_tokens", code="InvalidParameter"),
    {"error": TGI, "error_type": "validation"},
    {
        "error": {
            "code": 400,
            "message": "the request exceeds the available context size",
            "type": "exceed_context_size_error",
        }
    },
    {"error": AQ},
    said("Invalid 'max_tokens': integer below minimum value. Expected a value >= 16, but got 8.", param="max_tokens"),
    said("prompt is too long: 219418 tokens > 200000 maximum; max_tokens"),
]


@pytest.mark.parametrize("body", SIZES)
def test_refused_parameter__size(body: Any) -> None:
    """A request beyond the context window, or a cap beyond the model's own, is no cap whose name is not known."""
    content = json.dumps(body).encode()
    for sent in (CAPPED, RENAMED):
        assert refused_parameter(400, content, sent) is None
    renamed = json.dumps(body).replace("max_tokens", "max_completion_tokens").encode()
    assert refused_parameter(400, renamed, RENAMED) is None
    assert is_of_size(content)


@pytest.mark.parametrize(
    "body",
    [
        said(INSTEAD),
        said(ONLY_DEFAULT, param="temperature"),
        said("temperature must be less than or equal to 1", param="temperature"),
        said("'seed' must be at most 9223372036854775807"),
        said("Don't use N/A; an n-gram isn't n."),
        said("no"),
    ],
)
def test_is_of_size__no(body: Any) -> None:
    """A value of another parameter, and a cap by another name, are no size; no such text speaks of ``n``."""
    content = json.dumps(body).encode()
    assert not is_of_size(content)
    assert refused_parameter(400, content, {"n"}) is None


def test_refused_parameter__value() -> None:
    """A value that a model does not take is a refusal of the parameter where it is no cap."""
    content = json.dumps(said("temperature must be less than or equal to 1")).encode()
    assert refused_parameter(400, content, CAPPED) == "temperature"


@pytest.mark.parametrize(
    ("status", "words", "expected"),
    [
        (400, "temperature", True),
        (422, "", True),
        (500, "CUDA error; temperature 0.7", False),
        (None, "stream closed; seed 5", False),
        (501, "temperature is not supported", True),
        (500, "The model does not support temperature", True),
        (500, "got an unexpected keyword argument 'seed'", True),
        (500, "Unsupported parameter: temperature", True),
        (500, "Unexpected error while handling {'model': 'm', 'temperature': 0.7}", False),
        (500, "litellm.InternalServerError: Invalid response object, kwargs={'temperature': 0.7}", False),
        (500, "Service temporarily unavailable. params: temperature=0.7", False),
        (None, "cannot reach the upstream; temperature=0.7", False),
        (None, "Unknown name: seed", True),
    ],
)
def test_refuses__words(status: int | None, words: str, expected: bool) -> None:
    """A server's own failure is no refusal unless it says so."""
    assert expected == refuses(status, json.dumps({"error": words}).encode())


def test_refused_parameter__page() -> None:
    """What stands in a web page is about no parameter."""
    content = b"<html><body>temperature</body></html>"
    assert refused_parameter(400, content, CAPPED) is None
    assert parameter_of(content, tuple(CAPPED)) is None
