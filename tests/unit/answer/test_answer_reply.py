"""Replies that are no answer, each with its own cause."""

from __future__ import annotations

from typing import Any

import pytest
from support.grading import reply_of

from evalaction.answer.reply import why_no_answer

WELL_FORMED = '{"label": "billing"}'


@pytest.mark.parametrize(
    ("text", "fields", "cause"),
    [
        (WELL_FORMED, {"finish_reason": "length"}, "truncated: the token limit ended the reply (finish_reason length)"),
        (
            "",
            {"finish_reason": "length", "reasoning": True},
            "truncated: the token limit ended the reply (finish_reason length), all of it spent on reasoning",
        ),
        (
            WELL_FORMED,
            {"finish_reason": "MAX_TOKENS"},
            "truncated: the token limit ended the reply (finish_reason MAX_TOKENS)",
        ),
        (
            "",
            {"finish_reason": "content_filter"},
            "content filter: the endpoint withheld the reply (finish_reason content_filter)",
        ),
        (None, {"refusal": "I can't help\nwith that."}, "refusal: I can't help with that."),
        (None, {"refusal": "x" * 300}, "refusal: " + "x" * 199 + "…"),
        (WELL_FORMED, {"finish_reason": "error"}, "error: the endpoint broke the reply off (finish_reason error)"),
        *(
            (
                WELL_FORMED,
                {"finish_reason": reason},
                f"error: the endpoint broke the reply off (finish_reason {reason})",
            )
            for reason in ["abort", "Cancelled", "timeout", "network_error", "insufficient_system_resource"]
        ),
        (
            WELL_FORMED,
            {"finish_reason": "guardrail_intervened"},
            "content filter: the endpoint withheld the reply (finish_reason guardrail_intervened)",
        ),
        *(
            (WELL_FORMED, {"finish_reason": reason}, f"{cause} (finish_reason {reason})")
            for cause, reasons in {
                "truncated: the token limit ended the reply": [
                    *("FinishReason.MAX_TOKENS", "FINISH_REASON_MAX_TOKENS", "finish_reason.length", "ERROR_LIMIT"),
                    *("max-tokens", "length: 512"),
                ],
                "content filter: the endpoint withheld the reply": [
                    *("content_filter: OTHER", "content_filter: RECITATION", "IMAGE_SAFETY", "LANGUAGE", "ERROR_TOXIC"),
                ],
                "error: the endpoint broke the reply off": [
                    *("OTHER", "MALFORMED_RESPONSE", "repetition_truncation", "json_validate_failed"),
                ],
            }.items()
            for reason in reasons
        ),
        (None, {"tool_calls": True}, "tool call: the model called a tool instead of answering"),
        (WELL_FORMED, {"finish_reason": "tool_calls"}, "tool call: the model called a tool instead of answering"),
        (None, {}, "empty: no content"),
        ("", {}, "empty: empty content"),
        ("  \n\t", {}, "empty: white space only"),
        ("", {"reasoning": True}, "empty: empty content; the text in the reasoning field is no answer"),
        (None, {"reasoning": True}, "empty: no content; the text in the reasoning field is no answer"),
    ],
)
def test_why_no_answer__cause(text: str | None, fields: dict[str, Any], cause: str) -> None:
    """Each kind of reply without an answer names its own cause, however well its text parses."""
    assert cause == why_no_answer(reply_of(text, **fields))


@pytest.mark.parametrize(
    "finish_reason", ["stop", None, "", "eos", "STOP", "FinishReason.STOP", "COMPLETE", "end_turn", ":"]
)
def test_why_no_answer__readable(finish_reason: str | None) -> None:
    """A reply that ended by itself has to be read, whatever its endpoint calls that; an empty refusal is none."""
    assert why_no_answer(reply_of(WELL_FORMED, finish_reason=finish_reason, refusal="", reasoning=True)) is None


@pytest.mark.parametrize(
    ("length", "cause"),
    [
        (1_000_000, None),
        (1_000_001, "too long: 1,000,001 characters, and 1,000,000 are the most that are read"),
        (10_485_760, "too long: 10,485,760 characters, and 1,000,000 are the most that are read"),
    ],
)
def test_why_no_answer__length(length: int, cause: str | None) -> None:
    """A text that is longer than any that is read is named for it, and one character less is read."""
    assert cause == why_no_answer(reply_of("x" * length))
