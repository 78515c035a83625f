"""Whether an error says that a quota is used up which does not come back within a run. Pure.

What counts is what providers answer: OpenAI's and Azure's ``insufficient_quota``, Google's ``QuotaFailure`` with a
``quotaId`` of ``...PerDay...`` or a limit of 0, Groq's tokens or requests per day (TPD, RPD), OpenRouter's
``free-models-per-day``, GitHub's ``... per 86400s exceeded for UserByModelByDay``, Cloudflare's ``daily free
allocation``, Moonshot's ``exceeded_current_quota_error``, Anthropic's ``credit balance is too low``, DeepSeek's
``Insufficient Balance``, LiteLLM's ``budget_exceeded``. A limit per minute is none of them, though some
call it by the same name.
"""

from __future__ import annotations

import re

from evalaction import late

STATUSES = frozenset({400, 402, 403, 412, 429})
"""Statuses with which a quota is refused."""
PAYMENT = 402
_OF_THE_REQUEST = frozenset({400, 412})
"""Statuses whose words may be those of the request (``daily`` in a schema): only money counts there."""

_LENGTH = 16_000
_OF_A_DAY = late.pattern(r"PerDay|PerWeek|PerMonth")
"""In Google's ``quotaId``: the waits that stand beside it are those of a minute all the same."""
_NONE_AT_ALL = late.pattern(r"quota exceeded for metric:.{0,200}?\blimit: 0\b", re.IGNORECASE | re.DOTALL)
_LONG = late.pattern(
    r"per[ _-]?(?:day|week|month)|\b(?:daily|weekly|monthly)\b|by(?:day|month)|\b(?:tpd|rpd)\b|per 86400 ?s|_daily\b",
    re.IGNORECASE,
)
_SHORT = late.pattern(
    r"per[ _-]?(?:min|sec|hour)|by(?:minute|second)|\b(?:tpm|rpm|rps)\b|per \d{1,4} ?s\b|throttl|concurren"
    r"|allocated quota exceeded",
    re.IGNORECASE,
)
_LIMIT = late.pattern(r"limit|quota|exceed|exhaust|allocation|used up", re.IGNORECASE)
_MONEY = late.pattern(
    r"insufficient[ _-]?(?:quota|balance|credits?|funds)|exceeded_current_quota|credit[ _]balance"
    r"|billing[ _](?:hard|not)|check your billing|budget[ _](?:has been )?exceeded"
    r"|spend(?:ing)?[ _-]limit|account_?overdue|arrearage"
    r"|(?:out of|no more|not enough|used all (?:of )?(?:your |available )*) ?credits?|requires more credits"
    r"|usage_limit_reached|free[ _-]?(?:tier[ _-]?only|usage[ _-]?exhausted)|余额不足|欠费",
    re.IGNORECASE,
)


def is_used_up(status: int | None, content: bytes) -> bool:
    """Say whether an error is about a quota of days, or about money: nothing that a wait of minutes cures.

    Args:
        status: the HTTP status, or the code of an error inside a 200; None for an error without a code.
        content: the body, or its start.
    """
    if status == PAYMENT:
        return True
    if status is not None and status not in STATUSES:
        return False
    text = content[:_LENGTH].decode("utf-8", "replace")
    if _OF_A_DAY.search(text) or _NONE_AT_ALL.search(text):
        return True
    short, long = _SHORT.search(text), None if status in _OF_THE_REQUEST else _LONG.search(text)
    # What is named first was exceeded; what follows is advice ("... unlock 1000 free requests per day").
    if long and _LIMIT.search(text) and (short is None or long.start() < short.start()):
        return True
    return short is None and _MONEY.search(text) is not None
