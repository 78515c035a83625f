"""What a golden line may hold: each field by itself, and the fields together. Pure.

``evalaction/schemas/golden.schema.json`` publishes the same. What it cannot say (that two thresholds
contradict each other, that a JSON Schema is one, that a file exists) is found when a line is resolved.
"""

from __future__ import annotations

from collections.abc import Iterator

from evalaction.errors import Problem
from evalaction.records.case import Grader
from evalaction.suite.fields import (
    SAFE_INTEGER,
    Check,
    any_object,
    any_text,
    check_all,
    identifier,
    integer,
    labels,
    number,
    response_format,
    some_object,
    takes,
    text,
    text_or_texts,
    texts,
)
from evalaction.suite.graded import compared, graded
from evalaction.suite.grader_fields import (
    arguments,
    artifact,
    command_files,
    comparisons,
    expected,
    fence,
    keys,
    pattern,
    timeout,
)
from evalaction.suite.words import listed
from evalaction.values import JSON

MIN_N, MAX_N = 2, 100
MIN_REPEATS, MAX_REPEATS = 2, 20
"""How often a judge is asked about one draw."""
MAX_SEED = SAFE_INTEGER - MAX_N
"""So that the seed of the last draw is still an integer that every reader holds."""

_GRADERS = tuple(grader.value for grader in Grader)
_ROLES = ("system", "developer", "user", "assistant", "tool")
_REQUESTS = ("prompt", "messages", "prompt_file")


def grader(value: JSON) -> str | None:
    """Check for a grader."""
    return None if isinstance(value, str) and value in _GRADERS else takes(f"one of {listed(_GRADERS)}", value)


def draws(value: JSON) -> str | None:
    """Check for a number of draws."""
    if value == 1 and isinstance(value, int) and not isinstance(value, bool):
        return f"is 1, and one draw measures nothing: it takes {MIN_N} to {MAX_N}"
    return integer(MIN_N, MAX_N)(value)


def judge_repeats(value: JSON) -> str | None:
    """Check for how often a judge is asked about one draw."""
    if value == 1 and isinstance(value, int) and not isinstance(value, bool):
        return f"is 1, and one asking cannot show that the judge wavers: it takes {MIN_REPEATS} to {MAX_REPEATS}"
    return integer(MIN_REPEATS, MAX_REPEATS)(value)


def messages(value: JSON) -> str | None:
    """Check for a chat: a list of messages, one at least, each with its role and content."""
    if not isinstance(value, list) or not value:
        return takes("a list of messages, one at least", value)
    for index, message in enumerate(value, start=1):
        wrong = _message(message)
        if wrong is not None:
            return f"holds a message {index} that {wrong}"
    return None


def _message(message: JSON) -> str | None:
    if not isinstance(message, dict):
        return "is not an object"
    strange = [name for name in message if name not in _MESSAGE]
    if strange:
        return f"has no field {strange[0]!r} to hold: known are {listed(_MESSAGE)}"
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in _ROLES:
        return f"has no `role` of {listed(_ROLES)}"
    if isinstance(content, str) or (content is None and "tool_calls" in message):
        return None
    parts = isinstance(content, list) and content
    if parts and all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in parts):
        return None
    return "has no `content`: a text, or a list of parts with their `type`"


_MESSAGE = ("role", "content", "name", "tool_calls", "tool_call_id")

SAMPLING: dict[str, Check] = {
    "temperature": number(0, None),
    "top_p": number(0, 1),
    "seed": integer(0, MAX_SEED),
    "stop": text_or_texts,
    "response_format": response_format,
}
"""Fields that a request sends as they stand."""

FIELDS: dict[str, Check] = {
    "id": identifier,
    "prompt": text,
    "messages": messages,
    "prompt_file": text,
    "vars": any_object,
    "grader": grader,
    "rubric": text,
    "labels": labels,
    "judge_repeats": judge_repeats,
    "regex": pattern,
    "round": number(0, None, above=True),
    "tolerance": number(0, None),
    "fence": fence,
    "command": arguments,
    "command_files": command_files,
    "command_timeout": timeout,
    "artifact": artifact,
    "expect_keys": keys,
    "agree_on": keys,
    "compare": comparisons,
    "schema": some_object,
    "schema_file": text,
    "expect": expected,
    "expect_file": text,
    "expect_min": number(0, 1, above=True),
    "n": draws,
    "samples_per_request": integer(1, MAX_N),
    "agreement_min": number(0, 1),
    "max_flip": number(0, 1),
    "max_completion_tokens": integer(1, SAFE_INTEGER),
    "max_tokens": integer(1, SAFE_INTEGER),
    **SAMPLING,
    "tags": texts,
    "note": any_text,
}
"""Every field of a golden line, with its check."""


def check_line(row: dict[str, JSON]) -> list[Problem]:
    """Return everything that is wrong with a golden line by itself; the problems have no place."""
    problems = check_all(row, FIELDS)
    return problems or list(_together(row))


def _together(row: dict[str, JSON]) -> Iterator[Problem]:
    if "id" not in row:
        yield Problem(message="There is no `id`.")
    requests = [name for name in _REQUESTS if name in row]
    if len(requests) != 1:
        found = f"There are {listed(requests)}" if requests else "There is no request"
        yield Problem(message=f"{found}: a case has exactly one of {listed(_REQUESTS)}.")
    if "vars" in row and "prompt_file" not in row:
        yield Problem(message="`vars` goes with `prompt_file` alone.", remedy="Put the prompt into a template file.")
    if "schema" in row and "schema_file" in row:
        yield Problem(message="`schema` and `schema_file` are both given.", remedy="Keep one of them.")
    yield from graded(row)
    yield from compared(row)
