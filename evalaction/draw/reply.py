"""What the bytes of a 2xx answer say: a reply, or why they are none. Pure.

An answer is a reply when it has a choice with a message, however empty that message is: what an empty
one is worth, the grader says. Everything else is a failure, and never a traceback. Text is kept as it
came, half surrogate pairs included; whoever writes it somewhere escapes it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from evalaction.draw.failure import rubbish, said_in_body
from evalaction.records.draw import Failure, Reply, Usage

REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
"""Fields of a message in which servers put what is not the answer."""
_UNSEEN_FIELDS = ("reasoning_details", "tool_calls", "function_call")
_REASONING_PARTS = ("thinking", "reasoning")  # no set: what is looked up may be unhashable


def read_reply(content: bytes, *, secrets: tuple[str, ...] = ()) -> Reply | Failure:
    """Read a chat completion.

    Args:
        content: the whole body, decoded from any compression.
        secrets: what a failure's message must not repeat.
    """
    completion = _object(content, secrets)
    if isinstance(completion, Failure):
        return completion
    if completion.get("error"):
        return said_in_body(completion, content, secrets)
    choices = completion.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return rubbish("a body without choices", content, secrets)
    choice: dict[str, Any] = choices[0]
    if choice.get("error") or choice.get("finish_reason") == "error":
        return said_in_body(choice, content, secrets)
    message = choice.get("message")
    if message is None and "message" in choice:
        message = {}  # a choice was made, and nothing is in it
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | list | None):
        return rubbish("a choice whose message cannot be read", content, secrets)
    return _reply(completion, choice, message)


def _object(content: bytes, secrets: tuple[str, ...]) -> dict[str, Any] | Failure:
    try:
        # Python's own extensions (NaN, a key twice) do no harm here: the answer is a string within.
        completion = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return rubbish("a body that is not UTF-8", content, secrets)
    except RecursionError:
        return rubbish("JSON that is nested too deeply", content, secrets)
    except ValueError:
        return rubbish("a body that is not JSON" if content.strip() else "an empty body", content, secrets)
    if not isinstance(completion, dict):
        return rubbish("JSON that is not an object", content, secrets)
    return completion


def read_usage(usage: Any) -> Usage:
    """Return the token counts of ``usage``; None for each that is not a number of tokens."""
    fields = _dict(usage)
    return Usage(
        prompt=_count(fields.get("prompt_tokens")),
        completion=_count(fields.get("completion_tokens")),
        reasoning=_count(_dict(fields.get("completion_tokens_details")).get("reasoning_tokens")),
        cached=_count(_dict(fields.get("prompt_tokens_details")).get("cached_tokens")),
    )


def _reply(completion: dict[str, Any], choice: dict[str, Any], message: dict[str, Any]) -> Reply:
    content = message.get("content")
    parts = [part for part in content if isinstance(part, dict | str)] if isinstance(content, list) else []
    index = choice.get("index")
    return Reply(
        text=content if isinstance(content, str) else _joined(parts),
        finish_reason=_text(choice.get("finish_reason")),
        refusal=_text(message.get("refusal")) or _refusal(parts),
        tool_calls=bool(message.get("tool_calls") or message.get("function_call")),
        reasoning=_has_reasoning(message, parts),
        unseen=_unseen(message, parts),
        id=_text(completion.get("id")),
        choice=index if type(index) is int else 0,
        created=_count(completion.get("created")),
        model=_text(completion.get("model")),
        usage=read_usage(completion.get("usage")),
    )


def _joined(parts: list[dict[str, Any] | str]) -> str | None:
    """Return the text of a message's parts; None when no part is text."""
    texts = [part if isinstance(part, str) else part.get("text") for part in parts if _kind(part) == "text"]
    strings = [text for text in texts if isinstance(text, str)]
    return "".join(strings) if strings else None


def _refusal(parts: list[dict[str, Any] | str]) -> str | None:
    found = (part.get("refusal") for part in parts if isinstance(part, dict) and _kind(part) == "refusal")
    return next((text for text in map(_text, found) if text), None)


def _has_reasoning(message: dict[str, Any], parts: list[dict[str, Any] | str]) -> bool:
    named = any(_text(message.get(name)) for name in REASONING_FIELDS)
    return named or bool(message.get("reasoning_details")) or any(_kind(p) in _REASONING_PARTS for p in parts)


def _unseen(message: dict[str, Any], parts: list[dict[str, Any] | str]) -> int:
    """Return the characters of what a message holds besides its text and refusal."""
    named = sum(len(text) for name in REASONING_FIELDS if isinstance(text := message.get(name), str))
    others = [message[name] for name in _UNSEEN_FIELDS if message.get(name)]
    others += [part for part in parts if _kind(part) in _REASONING_PARTS]
    return named + sum(len(json.dumps(item, ensure_ascii=False)) for item in others)


def _kind(part: dict[str, Any] | str) -> object:
    kind = "text" if isinstance(part, str) else part.get("type", "text")
    return "text" if kind == "output_text" else kind


def _text(value: Any) -> str | None:
    """Return a string that says something; a number where an id should stand is one, too."""
    if isinstance(value, str):
        return value if value.strip() else None
    return str(value) if type(value) is int and -(2**63) <= value < 2**64 else None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    """Return a whole number, of tokens or of seconds, also from ``"60"`` or ``60.0``; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,15}\s*", value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value < 2**53 else None
