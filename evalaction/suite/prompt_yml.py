"""``.prompt.yml`` files: messages with ``{{name}}``, a model and its parameters, as GitHub Models stores them. Pure.

``testData`` and ``evaluators`` are accepted and not read: what is checked stands in golden lines.
Source of the format: docs.github.com, "Storing prompts in GitHub repositories", and the gh-models extension.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.suite.fields import SAFE_INTEGER, Check, any_object, any_text, integer, number, takes, text
from evalaction.suite.golden import MAX_SEED, messages
from evalaction.suite.words import near
from evalaction.suite.yamltext import Document, read
from evalaction.values import JSON, InvalidJSON, dumps, parse

SUFFIXES = (".prompt.yml", ".prompt.yaml")

_FORMATS = ("text", "json_object", "json_schema")
_PLACEHOLDER = late.pattern(r"\{\{([^{}]*)\}\}")
_NAME = late.pattern(r"[A-Za-z_][A-Za-z0-9_-]*\Z", re.ASCII)


def _format(value: JSON) -> str | None:
    return None if isinstance(value, str) and value in _FORMATS else takes(f"one of {', '.join(_FORMATS)}", value)


def _schema(value: JSON) -> str | None:
    return None if isinstance(value, str | dict) else takes("a JSON object, or the text of one", value)


def _anything(_value: JSON) -> str | None:
    return None


FIELDS: dict[str, Check] = {
    "name": any_text,
    "description": any_text,
    "model": text,
    "modelParameters": any_object,
    "responseFormat": _format,
    "jsonSchema": _schema,
    "messages": messages,
    "testData": _anything,
    "evaluators": _anything,
}
_TOKENS = integer(1, SAFE_INTEGER)
PARAMETERS: dict[str, tuple[str, Check]] = {
    "temperature": ("temperature", number(0, None)),
    "topP": ("top_p", number(0, 1)),
    "top_p": ("top_p", number(0, 1)),
    "seed": ("seed", integer(0, MAX_SEED)),
    "maxTokens": ("max_tokens", _TOKENS),
    "max_tokens": ("max_tokens", _TOKENS),
    "maxCompletionTokens": ("max_tokens", _TOKENS),
    "max_completion_tokens": ("max_tokens", _TOKENS),
}
"""Name in the file → (what it is called here, its check)."""


@frozen
class PromptFile:
    """A prompt file, read and checked; its placeholders stand as they are."""

    path: str
    messages: tuple[Mapping[str, JSON], ...]
    sampling: Mapping[str, JSON]
    """Fields of ``Given`` that the file sets: model, temperature, top_p, seed, max_tokens, response_format."""
    unread: tuple[str, ...]
    """Fields that say how to check the prompt, which are not read."""


def read_prompt_file(path: str, content: str) -> PromptFile:
    """Read a prompt file.

    Args:
        path: its path, for messages.
        content: its text.

    Raises:
        BadInput: everything that is wrong with it, each with its line.
    """
    document = read(path, content)
    value = document.value
    if not isinstance(value, dict):
        raise BadInput(document.problem((), "The file holds no mapping.", remedy="It needs `messages` at least."))
    problems = document.check((), FIELDS)
    problems += document.check(("modelParameters",), {name: check for name, (_, check) in PARAMETERS.items()})
    problems += _twice(document)
    if "messages" not in value and not problems:
        problems.append(document.problem((), "There are no `messages`."))
    if problems:
        raise BadInput(*problems)
    return PromptFile(
        path=path,
        messages=tuple(value["messages"]),  # type: ignore[arg-type]  # checked to be messages
        sampling=_sampling(document, value),
        unread=tuple(name for name in ("testData", "evaluators") if value.get(name)),
    )


def _twice(document: Document) -> list[Problem]:
    parameters = document.at(("modelParameters",))
    seen: dict[str, str] = {}
    problems = []
    for name in parameters if isinstance(parameters, dict) else ():
        meaning = PARAMETERS.get(name, (name, None))[0]
        if meaning in seen:
            place = ("modelParameters", name)
            problems.append(
                document.problem(place, f"`{name}` and `{seen[meaning]}` mean the same.", remedy="Keep one.")
            )
        seen[meaning] = name
    return problems


def _sampling(document: Document, value: dict[str, JSON]) -> dict[str, JSON]:
    parameters = value.get("modelParameters") or {}
    sampling = {PARAMETERS[name][0]: item for name, item in parameters.items()}  # type: ignore[union-attr]
    if "model" in value:
        sampling["model"] = value["model"]
    wanted = value.get("responseFormat")
    if wanted == "json_schema":
        sampling["response_format"] = {"type": wanted, "json_schema": _json_schema(document, value.get("jsonSchema"))}
    elif wanted is not None:
        sampling["response_format"] = {"type": wanted}
    return sampling


def _json_schema(document: Document, schema: JSON) -> JSON:
    place = ("jsonSchema",)
    if schema is None:
        raise BadInput(
            document.problem(("responseFormat",), "`responseFormat` is json_schema, and there is no `jsonSchema`.")
        )
    if isinstance(schema, str):
        try:
            schema = parse(schema)
        except InvalidJSON as error:
            raise BadInput(document.problem(place, f"`jsonSchema` is not JSON: {error}.")) from error
    if not isinstance(schema, dict) or not isinstance(schema.get("name"), str) or "schema" not in schema:
        raise BadInput(document.problem(place, "`jsonSchema` is no object with `name` and `schema`."))
    return schema


def fill(prompt: PromptFile, variables: Mapping[str, JSON]) -> tuple[dict[str, JSON], ...]:
    """Return the messages with every ``{{name}}`` replaced by its value, once: values are data.

    Raises:
        BadInput: a placeholder has no value, or is more than a name; the problem has no place.
    """

    def replaced(match: re.Match[str]) -> str:
        name = match.group(1).strip()
        if not name or name[0] in "\"'":
            return match.group()  # braces of something else, such as JSON
        if not _NAME.match(name):
            raise BadInput(
                Problem(
                    message=f"{prompt.path} holds {match.group()!r}, and only plain names can stand in such a file.",
                    remedy="Use a Jinja template for more.",
                    source_path=prompt.path,
                )
            )
        if name not in variables:
            raise BadInput(
                Problem(
                    message=f"{prompt.path} uses the variable {name!r}, which `vars` does not hold.",
                    remedy=near(name, variables),
                    source_path=prompt.path,
                )
            )
        value = variables[name]
        return value if isinstance(value, str) else dumps(value)

    return tuple(_filled(message, lambda text: _PLACEHOLDER.sub(replaced, text)) for message in prompt.messages)


def names_in(prompt: PromptFile) -> frozenset[str]:
    """Return the names that stand in a prompt file's placeholders."""
    found: set[str] = set()

    def noted(match: re.Match[str]) -> str:
        found.add(match.group(1).strip())
        return match.group()

    for message in prompt.messages:
        _filled(message, lambda text: _PLACEHOLDER.sub(noted, text))
    return frozenset(found)


def _filled(message: Mapping[str, JSON], fill_text: Callable[[str], str]) -> dict[str, JSON]:
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": fill_text(content)}
    if isinstance(content, list):
        return {**message, "content": [_filled_part(part, fill_text) for part in content]}
    return dict(message)


def _filled_part(part: JSON, fill_text: Callable[[str], str]) -> JSON:
    text = part.get("text") if isinstance(part, dict) else None
    return {**part, "text": fill_text(text)} if isinstance(part, dict) and isinstance(text, str) else part
