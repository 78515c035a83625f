"""The tokens that a request and its reply took: the endpoint's own count, or an estimate. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalaction.records.draw import Call, Reply
from evalaction.values import JSON

CHARACTERS_PER_TOKEN = 4
"""What a token is taken to hold where nobody counted."""


def tokens_of(call: Call, replies: Sequence[Reply]) -> tuple[int, bool]:
    """Return the tokens of one request with all its choices, and whether any of them are estimated.

    The endpoint's counts stand with the first choice. Where one is absent, or 0 for something that is not empty, it is
    ⌈characters / 4⌉: of the messages, or of all that was made.

    Args:
        call: what was asked.
        replies: what came, one a choice, at least one.
    """
    usage = replies[0].usage
    asked, made = usage.prompt, usage.completion
    estimated = False
    if not asked:
        asked = _estimate(sum(_characters(message) for message in call.messages))
        estimated = asked > 0
    if not made:
        made = _estimate(sum(len(reply.text or "") + len(reply.refusal or "") + reply.unseen for reply in replies))
        estimated = estimated or made > 0
    return asked + made, estimated


def _estimate(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def _characters(value: JSON | Mapping[str, JSON]) -> int:
    """Return the characters of all texts of a message, roles left aside."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_characters(item) for name, item in value.items() if name != "role")
    if isinstance(value, Sequence):
        return sum(_characters(item) for item in value)
    return 0
