"""Replies that are no answer, whatever their text says: cut off, refused, filtered, empty. Pure."""

from __future__ import annotations

from evalaction.records.draw import Reply

CUT_OFF = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "model_length", "incomplete", "truncated", "token_limit"),
        *("max_length", "context_length_exceeded", "model_context_window_exceeded"),
    }
)
"""Finish reasons by which endpoints say that the token limit ended a completion."""
FILTERED = frozenset(
    {
        *("content_filter", "content_filtered", "safety", "recitation", "prohibited_content", "blocklist", "spii"),
        *("guardrail_intervened", "sensitive"),
    }
)
"""Finish reasons by which endpoints say that they withheld a completion."""
BROKEN_OFF = frozenset(
    {
        *("error", "abort", "aborted", "cancelled", "canceled", "interrupted", "timeout", "network_error"),
        "insufficient_system_resource",
    }
)
"""Finish reasons by which endpoints say that they ended a completion before its end."""
TOOLS = frozenset({"tool_calls", "function_call", "malformed_function_call"})
MAX_TEXT = 1_000_000
"""Characters beyond which a text is not read: twice what any model writes at once, and read within a second."""
SHOWN = 200
"""Characters of a refusal that are quoted."""


def why_no_answer(reply: Reply) -> str | None:
    """Return why ``reply`` cannot hold an answer, or None when its text has to be read.

    A cut-off reply is never an answer, however well its text parses: a shorter list is valid JSON too.
    Text in a reasoning field or in the arguments of a tool call is never taken for one.
    """
    reason = (reply.finish_reason or "").casefold().replace("-", "_")
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
