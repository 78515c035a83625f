"""Errors that stand in place of a reply: it was cut off, filtered, or not in the form that was asked for. Pure.

Something came of such a request, though the endpoint does not show it: the draw is measured and no answer, as it is
where another endpoint says the same with a ``finish_reason``. To ask again until one does come would hide a draw that
did not hold; to end the run would take one case for all.

Seen with: OpenAI and Azure (``content_filter``, ``invalid_prompt``, a message that could not be finished), Groq
(``json_validate_failed``), Anthropic (output blocked), DashScope (``data_inspection_failed``), DeepSeek (``Content
Exists Risk``), Zhipu (1301), OpenRouter (403, input was flagged), LiteLLM (``ContentPolicyViolationError``).
"""

from __future__ import annotations

import json
import re

from evalaction import late
from evalaction.answer.reply import FORM_MISSED
from evalaction.records.draw import Reply

_STATUSES = frozenset({None, 400, 403})
"""Statuses with which replies are withheld; None: an error inside a 200 that has none."""
_LENGTH = 16_000
_FILTERED = late.pattern(
    r"""\\*["'](?:code|type|status)\\*["']\s*:\s*\\*["'](?:content_filter(?:ed)?|content_policy_violation|1301"""
    r"""|ContentPolicyViolationError|ResponsibleAIPolicyViolation|invalid_prompt|data_?inspection_?failed"""
    r"""|moderation_blocked)\\*["']"""
    r"|content management policy|content exists risk|input was flagged|flagged as potentially violating"
    r"|ContentPolicyViolationError|rejected as a result of (?:our|the) safety system"
    r"|blocked by (?:our |the )?(?:content|safety) filter|inappropriate content|不安全或敏感内容",
    re.IGNORECASE,
)
_CUT_OFF = late.pattern(
    r"could not finish the (?:message|response|reply)|model output limit was reached", re.IGNORECASE
)
_FORM_MISSED = late.pattern(rf"""\\*["']code\\*["']\s*:\s*\\*["']{FORM_MISSED}\\*["']""")


def withheld(status: int | None, content: bytes, *, choices: int) -> tuple[Reply, ...]:
    """Return the replies that an error tells of, one a choice; none where it tells of no reply.

    Args:
        status: the HTTP status, or the code of an error inside a 200; None for an error without a code.
        content: the body.
        choices: replies that were asked for.
    """
    if status not in _STATUSES:
        return ()
    text = content[:_LENGTH].decode("utf-8", "replace")
    if _FORM_MISSED.search(text):
        return _replies(FORM_MISSED, choices, text=_generated(content))
    if _CUT_OFF.search(text):
        return _replies("length", choices)
    return _replies("content_filter", choices) if _FILTERED.search(text) else ()


def _replies(reason: str, choices: int, *, text: str | None = None) -> tuple[Reply, ...]:
    return tuple(Reply(text=text, finish_reason=reason, choice=place, choices=choices) for place in range(choices))


def _generated(content: bytes) -> str | None:
    """Return what the model wrote, where Groq shows it."""
    try:
        text = json.loads(content)["error"]["failed_generation"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return text if isinstance(text, str) else None
