"""Which parameter an error complains of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.draw.parameter import parameter_of, refused_parameter

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
    pytest.param(
        400,
        said("Failed to validate JSON. Please adjust your prompt.", code="json_validate_failed"),
        "response_format",
        id="code",
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
