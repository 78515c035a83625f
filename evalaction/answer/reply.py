"""Replies that are no answer, whatever their text says: cut off, refused, filtered, empty. Pure."""

from __future__ import annotations

from evalaction import late
from evalaction.records.draw import Reply

CUT_OFF = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "model_length", "incomplete", "truncated", "token_limit"),
        *("max_length", "context_length_exceeded", "model_context_window_exceeded", "error_limit"),
    }
)
"""Finish reasons by which endpoints say that the token limit ended a completion."""
FILTERED = frozenset(
    {
        *("content_filter", "content_filtered", "safety", "recitation", "prohibited_content", "blocklist", "spii"),
        *("image_safety", "image_recitation", "image_prohibited_content", "language", "error_toxic"),
        *("guardrail_intervened", "sensitive"),
    }
)
"""Finish reasons by which endpoints say that they withheld a completion."""
FORM_MISSED = "json_validate_failed"
"""Groq's word for a reply that it withheld, since it is not in the form that the request asked for."""
BROKEN_OFF = frozenset(
    {
        *("error", "abort", "aborted", "cancelled", "canceled", "interrupted", "timeout", "network_error"),
        *("insufficient_system_resource", "repetition_truncation", "malformed_response", "other"),
        FORM_MISSED,
    }
)
"""Finish reasons by which endpoints say that they ended a completion before its end."""
TOOLS = frozenset({"tool_calls", "function_call", "malformed_function_call", "unexpected_tool_call"})
_PREFIX = late.pattern(r"finish_?reason[._]")
MAX_TEXT = 1_000_000
"""Characters beyond which a text is not read: twice what any model writes at once, and read within a second."""
SHOWN = 200
"""Characters of a refusal that are quoted."""


def why_no_answer(reply: Reply) -> str | None:
    """Return why ``reply`` cannot hold an answer, or None when its text has to be read.

    A cut-off reply is never an answer, however well its text parses: a shorter list is valid JSON too.
    Text in a reasoning field or in the arguments of a tool call is never taken for one.
    """
    reason = normal_reason(reply.finish_reason)
    blank = not (reply.text or "").strip()
    if reason in CUT_OFF:
        spent = ", all of it spent on reasoning" if blank and reply.reasoning else ""
        return f"truncated: the token limit ended the reply (finish_reason {_quote(reply.finish_reason)}){spent}"
    if reason in FILTERED:
        return f"content filter: the endpoint withheld the reply (finish_reason {_quote(reply.finish_reason)})"
    if (reply.refusal and reply.refusal.strip()) or reason == "refusal":
        return f"refusal: {_quote(reply.refusal or reply.text)}"
    if reason in BROKEN_OFF:
        return f"error: the endpoint broke the reply off (finish_reason {_quote(reply.finish_reason)})"
    if reply.tool_calls or reason in TOOLS:
        return "tool call: the model called a tool instead of answering"
    return _why_blank(reply) if blank else _why_long(reply.text or "")


def normal_reason(finish_reason: str | None) -> str:
    """Return a finish reason as it is looked up: in lower case, and without what only some servers put around it.

    ``MAX_TOKENS``, ``FinishReason.MAX_TOKENS`` and ``FINISH_REASON_MAX_TOKENS`` are one; of ``content_filter: OTHER``
    the second word only says more.
    """
    reason = (finish_reason or "").casefold().replace("-", "_").partition(":")[0].strip()
    found = _PREFIX.match(reason)
    return reason if found is None else reason[found.end() :]


def says_no_answer(finish_reason: str | None) -> bool:
    """Tell whether a finish reason alone says that a reply is no answer, whatever is in it."""
    reason = normal_reason(finish_reason)
    return reason == "refusal" or any(reason in known for known in (CUT_OFF, FILTERED, BROKEN_OFF, TOOLS))


def _why_long(text: str) -> str | None:
    if len(text) <= MAX_TEXT:
        return None
    return f"too long: {len(text):,} characters, and {MAX_TEXT:,} are the most that are read"


def _why_blank(reply: Reply) -> str:
    what = "no content" if reply.text is None else "white space only" if reply.text else "empty content"
    return f"empty: {what}; the text in the reasoning field is no answer" if reply.reasoning else f"empty: {what}"


def _quote(text: str | None) -> str:
    text = " ".join((text or "").split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
