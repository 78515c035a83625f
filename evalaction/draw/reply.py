"""What the bytes of a 2xx answer say: replies, or why there are none. Pure.

An answer holds a reply for each choice with a message, however empty that message is: what an empty
one is worth, the grader says. Everything else is a failure, and never a traceback. Text is kept as it
came, half surrogate pairs included; whoever writes it somewhere escapes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from evalaction import late
from evalaction.answer.reply import says_no_answer
from evalaction.draw.content import text_of
from evalaction.draw.failure import is_page, page, rubbish, said_in_body, says_something
from evalaction.draw.replay import body_mark
from evalaction.records.draw import Failure, Reply, Usage

REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
"""Fields of a message in which servers put what is not the answer."""
_UNSEEN_FIELDS = ("reasoning_details", "tool_calls", "function_call")
_MORE = frozenset((*REASONING_FIELDS, *_UNSEEN_FIELDS))
"""Fields of a message in which there is more than its text and refusal."""
_REASONING_PARTS = ("thinking", "reasoning")  # no set: what is looked up may be unhashable
_NO_USAGE = Usage()
_CACHED = ("prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens")
_NAMES = (
    ("prompt_tokens", "input_tokens"),
    ("completion_tokens", "output_tokens"),
    ("total_tokens",),
    ("reasoning_tokens",),
)
"""What the counts of a prompt, a completion, both and the reasoning are called."""
_EVENTS = late.pattern(rb"\s*(?:data|event|id|retry)?: ?\S")
_ZIPPED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""How gzip and Zstandard begin."""


def read_replies(
    content: bytes,
    *,
    asked: int = 1,
    replayed: str | None = None,
    charset: Callable[[], str | None] = lambda: None,
    secrets: tuple[str, ...] = (),
) -> tuple[Reply, ...] | Failure:
    """Read a chat completion.

    A choice with an error or without a message is left out where another one can be read. ``Reply.choice`` is the
    place among the choices, whatever index they name.

    Args:
        content: the whole body, decoded from any compression.
        asked: choices that were asked for; further ones are not read.
        replayed: the mark of a cache in the headers; None without one.
        charset: returns what the headers call the encoding, for a message; None where they do not say.
        secrets: what a failure's message must not repeat.

    Returns:
        One reply a choice, in their order; or why there is none.
    """
    completion = _object(content, charset, secrets)
    if isinstance(completion, Failure):
        return completion
    if says_something(completion.get("error")):
        return said_in_body(completion, content, secrets)
    choices = completion.get("choices")
    if not isinstance(choices, list) or not choices:
        if _is_error(completion):
            return said_in_body(completion, content, secrets)
        return rubbish("a body without choices", content, secrets, kind="no choices")
    read = [_choice(choice, content, secrets) for choice in choices[:asked]]
    messages = [(place, *pair) for place, pair in enumerate(read) if isinstance(pair, tuple)]
    if not messages:
        return next(failure for failure in read if isinstance(failure, Failure))
    replayed = replayed or body_mark(completion)
    return tuple(
        _reply(completion, choice, message, place=place, choices=len(messages), first=turn == 0, replayed=replayed)
        for turn, (place, choice, message) in enumerate(messages)
    )


def _choice(choice: Any, content: bytes, secrets: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]] | Failure:
    """Return a choice with its message, or why it cannot be read."""
    if not isinstance(choice, dict):
        return rubbish("a body without choices", content, secrets, kind="no choices")
    if says_something(choice.get("error")) or choice.get("finish_reason") == "error":
        return said_in_body(choice, content, secrets)
    message = choice.get("message")
    if message is None and ("message" in choice or says_no_answer(_finish_reason(choice))):
        message = {}  # a choice was made, and nothing is in it
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | list | None):
        return rubbish("a choice whose message cannot be read", content, secrets, kind="no message")
    return choice, message


def _object(content: bytes, charset: Callable[[], str | None], secrets: tuple[str, ...]) -> dict[str, Any] | Failure:
    text = text_of(content)
    if text is None:
        return _no_text(content, charset() or "", secrets)
    try:
        # Python's own extensions (NaN, a key twice) do no harm here: the answer is a string within.
        completion = json.loads(text)
    except RecursionError:
        return rubbish("JSON that is nested too deeply", content, secrets, kind="not JSON")
    except ValueError as error:
        return _no_json(text, content, error, secrets)
    if not isinstance(completion, dict):
        return rubbish("JSON that is not an object", content, secrets, kind="not an object")
    return completion


def _no_text(content: bytes, charset: str, secrets: tuple[str, ...]) -> Failure:
    if content.startswith(_ZIPPED):
        what = "a compressed body whose header does not say so"
        return rubbish(what, b"", secrets, kind="compressed wrongly")
    declared = f" (its header says {charset[:40]!r})" if charset else ""
    return rubbish(f"a body that is not UTF-8{declared}", content, secrets, kind="not UTF-8")


def _no_json(text: str, content: bytes, error: ValueError, secrets: tuple[str, ...]) -> Failure:
    if not text.strip():
        return rubbish("an empty body", b"", secrets, kind="empty body")
    if is_page(content):
        return page(content, secrets)
    if _EVENTS.match(content):
        what = "a stream of events, though none was asked for"
        return rubbish(what, content, secrets, kind="event stream")
    if _breaks_off(text.strip(), error):
        return rubbish("a body that breaks off", content, secrets, kind="cut off")
    return rubbish("a body that is not JSON", content, secrets, kind="not JSON")


def _breaks_off(text: str, error: ValueError) -> bool:
    """Say whether a text that is not JSON is the beginning of an object."""
    if not text.startswith("{") or not isinstance(error, json.JSONDecodeError) or error.msg == "Extra data":
        return False
    return not text.endswith("}") or error.pos >= len(error.doc.rstrip())


def _is_error(completion: dict[str, Any]) -> bool:
    """Say whether a body without choices is an error that is not called ``error``, as vLLM, MiniMax or GLM send it."""
    base = completion.get("base_resp")
    if isinstance(base, dict) and base.get("status_code"):
        return True
    named = completion.get("object") == "error" or completion.get("type") == "error"
    return named or completion.get("success") is False or bool(completion.get("errors"))


def read_usage(usage: Any) -> Usage:
    """Return the token counts of ``usage``; None for each that is not a number of tokens.

    Some servers count reasoning beside the completion instead of in it: the total shows that (xAI, Gemini), or that
    more went into reasoning than into all of the completion. What was read from a prompt cache goes by other names at
    DeepSeek, Moonshot and Anthropic.
    """
    fields = _dict(usage)
    if not fields:
        return _NO_USAGE
    prompt, completion, total, reasoning = (_first_count(fields, names) for names in _NAMES)
    details = _count(_dict(fields.get("completion_tokens_details")).get("reasoning_tokens"))
    reasoning = reasoning if details is None else details
    cached = _count(_dict(fields.get("prompt_tokens_details")).get("cached_tokens"))
    cached = _first_count(fields, _CACHED) if cached is None else cached
    if completion is not None:
        completion += _beside(completion, prompt=prompt, total=total, reasoning=reasoning, cached=cached)
    return Usage(prompt=prompt, completion=completion, reasoning=reasoning, cached=cached)


def _beside(
    completion: int, *, prompt: int | None, total: int | None, reasoning: int | None, cached: int | None
) -> int:
    """Return the tokens that were made and are not in the count of the completion, going by the other counts."""
    rest = (total or 0) - (prompt or 0) - completion
    if reasoning and (rest == reasoning or reasoning > completion):
        return reasoning
    return rest if prompt and rest > 0 and rest != cached else 0


def _first_count(fields: dict[str, Any], names: tuple[str, ...]) -> int | None:
    return next((count for name in names if (count := _count(fields.get(name))) is not None), None)


def _reply(
    completion: dict[str, Any],
    choice: dict[str, Any],
    message: dict[str, Any],
    *,
    place: int,
    choices: int,
    first: bool,
    replayed: str | None,
) -> Reply:
    content = message.get("content")
    parts = [part for part in content if isinstance(part, dict | str)] if isinstance(content, list) else []
    more = bool(parts) or not _MORE.isdisjoint(message)
    return Reply(
        text=content if isinstance(content, str) else _joined(parts),
        finish_reason=_finish_reason(choice),
        refusal=_text(message.get("refusal")) or (_refusal(parts) if parts else None),
        tool_calls=bool(message.get("tool_calls") or message.get("function_call")),
        reasoning=more and _has_reasoning(message, parts),
        unseen=_unseen(message, parts) if more else 0,
        id=_text(completion.get("id")),
        choice=place,
        created=_count(completion.get("created")),
        model=_text(completion.get("model")),
        fingerprint=_text(completion.get("system_fingerprint")),
        replayed=replayed,
        choices=choices,
        usage=read_usage(completion.get("usage")) if first else _NO_USAGE,
    )


def _finish_reason(choice: dict[str, Any]) -> str | None:
    """Return why a choice ended; some servers send an object (SGLang), gateways the model's own word beside theirs."""
    reason = choice.get("finish_reason")
    named = _text(reason.get("type") if isinstance(reason, dict) else reason)
    return named or _text(choice.get("native_finish_reason"))


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
