"""Prompt files as GitHub Models stores them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.suites import problems, suite_of

from evalaction.records.case import Sampling, Use, UseRole
from evalaction.records.settings import Defaults
from evalaction.values import parse, sha256

PROMPT = """\
name: Text Summarizer
description: Summarizes input text concisely
model: openai/gpt-4o-mini
modelParameters:
  temperature: 0.5
  topP: 0.9
  maxTokens: 100
messages:
  - role: system
    content: You are a {{ kind }} summarizer.
  - role: user
    content: |
      Summarize: {{input}}
testData:
  - input: The quick brown fox.
    expected: A fox.
evaluators:
  - name: Starts
    string: {startsWith: A}
"""


def files_with(prompt: str, row: dict[str, Any] | None = None) -> dict[str, str]:
    fields = {"id": "a", "prompt_file": "s.prompt.yml", "vars": {"input": "{{kind}}", "kind": 3}, **(row or {})}
    return {"golden.jsonl": json.dumps(fields), "s.prompt.yml": prompt}


def test_case__whole_file() -> None:
    """Messages, model and parameters are taken, placeholders are filled once, and what is not read is said."""
    suite = suite_of(files_with(PROMPT), defaults=Defaults(model="other", temperature=1))
    (case,) = suite.cases
    messages = (
        {"role": "system", "content": "You are a 3 summarizer."},
        {"role": "user", "content": "Summarize: {{kind}}\n"},
    )
    sampling = Sampling(
        model="openai/gpt-4o-mini",
        temperature=parse("0.5"),  # type: ignore[arg-type]
        top_p=parse("0.9"),  # type: ignore[arg-type]
        max_tokens=100,
    )
    uses = (Use(path="s.prompt.yml", role=UseRole.TEMPLATE, sha256=sha256(PROMPT.encode())),)
    assert (messages, sampling, uses) == (case.messages, case.sampling, case.uses)
    assert ("s.prompt.yml: testData, evaluators are not read.",) == suite.warnings


def test_case__line_wins() -> None:
    """What the golden line says comes before what the prompt file says."""
    (case,) = suite_of(files_with(PROMPT, {"temperature": 0.1, "max_tokens": 5})).cases
    assert (parse("0.1"), 5) == (case.sampling.temperature, case.sampling.max_tokens)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("responseFormat: text", {"type": "text"}),
        ("responseFormat: json_object", {"type": "json_object"}),
        (
            'responseFormat: json_schema\njsonSchema: \'{"name": "n", "schema": {"type": "object"}}\'',
            {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
        ),
        (
            "responseFormat: json_schema\njsonSchema: {name: n, schema: {type: object}}",
            {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
        ),
    ],
)
def test_case__response_format(said: str, expected: Any) -> None:
    """The response format becomes the request's."""
    (case,) = suite_of(files_with(f"messages: [{{role: user, content: x}}]\n{said}\n")).cases
    assert expected == case.sampling.response_format


ONE = "messages: [{role: user, content: x}]\n"


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("model: m\n", "s.prompt.yml:1: There are no `messages`."),
        ("messagess: []\n", "s.prompt.yml:1: There is no field `messagess`. Did you mean messages?"),
        (
            ONE + "modelParameters: {temperatuur: 1}\n",
            "s.prompt.yml:2: There is no field `temperatuur`. Did you mean temperature?",
        ),
        (
            ONE + "modelParameters:\n  temperature: hot\n",
            's.prompt.yml:3: `temperature` takes a number of 0 or more, not "hot".',
        ),
        (
            ONE + "modelParameters: {maxTokens: 1, max_tokens: 1}\n",
            "s.prompt.yml:2: `max_tokens` and `maxTokens` mean the same. Keep one.",
        ),
        (
            ONE + "responseFormat: xml\n",
            's.prompt.yml:2: `responseFormat` takes one of text, json_object, json_schema, not "xml".',
        ),
        (
            ONE + "responseFormat: json_schema\n",
            "s.prompt.yml:2: `responseFormat` is json_schema, and there is no `jsonSchema`.",
        ),
        (
            ONE + "responseFormat: json_schema\njsonSchema: '{'\n",
            "s.prompt.yml:3: `jsonSchema` is not JSON: Expecting property name enclosed in double quotes.",
        ),
        (
            ONE + "responseFormat: json_schema\njsonSchema: {name: n}\n",
            "s.prompt.yml:3: `jsonSchema` is no object with `name` and `schema`.",
        ),
        ("- x\n", "s.prompt.yml:1: The file holds no mapping. It needs `messages` at least."),
        ("messages: [\n", "s.prompt.yml:2: The file is not YAML: expected the node content, but found '<stream end>'."),
        (
            "messages: [{role: user, content: '{{inptu}}'}]\n",
            "golden.jsonl:1: In the case 'a': s.prompt.yml uses the variable 'inptu', which `vars` does not hold. "
            "Did you mean input?",
        ),
        (
            "messages: [{role: user, content: '{{ input.name }}'}]\n",
            "golden.jsonl:1: In the case 'a': s.prompt.yml holds '{{ input.name }}', and only plain names can stand in "
            "such a file. Use a Jinja template for more.",
        ),
    ],
)
def test_problems__kinds(prompt: str, expected: str) -> None:
    """What is wrong with a prompt file names its line; what a case lacks names the case's."""
    assert [expected] == problems(files_with(prompt))


def test_problems__once() -> None:
    """A broken prompt file is one problem, however many cases use it."""
    rows = "".join(f'{{"id":{index},"prompt_file":"s.prompt.yml"}}\n' for index in range(3))
    assert ["s.prompt.yml:1: There are no `messages`."] == problems({"golden.jsonl": rows, "s.prompt.yml": "model: m"})


def test_case__parts_and_braces() -> None:
    """Texts within parts are filled, and braces that are no placeholder stay."""
    prompt = "messages: [{role: user, content: [{type: text, text: 'a {{input}} {{\"k\": {}}}'}, {type: image_url}]}]\n"
    (case,) = suite_of(files_with(prompt)).cases
    parts = [{"type": "text", "text": 'a {{kind}} {{"k": {}}}'}, {"type": "image_url"}]
    assert ({"role": "user", "content": parts},) == case.messages
