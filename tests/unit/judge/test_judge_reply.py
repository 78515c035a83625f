"""A judge's reply as it came, and the chat that asks for it again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judging import came, deck_of, unheard

from evalaction.judge.reply import NO_TEXT, REPAIR, SHOWN_AGAIN, read_reply, repair_messages
from evalaction.judge.request import requests_of
from evalaction.records.draw import Draw, Reply
from evalaction.records.judge import Judged, Labels

DECK = deck_of("pass", "fail")
REQUEST = requests_of(DECK)[0]
ONE, TWO = REQUEST.aliases
CLEAR = json.dumps([{"id": ONE, "label": "Pass."}, {"id": TWO, "label": "fail"}])


def replied(**fields: Any) -> Draw:
    """Return a draw whose reply has these fields beside a text that reads well."""
    reply = Reply(**{"text": CLEAR, "finish_reason": "stop", **fields})
    return Draw(path=DECK.path, id=DECK.name, index=1, seed=None, reply=reply)


def test_read_reply__clear() -> None:
    """A reply is kept with its draw and its labels."""
    draw = came(DECK, CLEAR)
    assert Judged(request=REQUEST, labels=Labels(by_alias=((ONE, "pass"), (TWO, "fail"))), draws=(draw,)) == read_reply(
        REQUEST, draw, labels=DECK.labels
    )


def test_read_reply__repaired() -> None:
    """The unreadable reply that came first stands beside the one that was read last, whose labels count."""
    first, draw = came(DECK, "both are fine"), came(DECK, CLEAR, number=2)
    assert Judged(
        request=REQUEST,
        labels=Labels(by_alias=((ONE, "pass"), (TWO, "fail"))),
        draws=(first, draw),
    ) == read_reply(REQUEST, draw, labels=DECK.labels, first=first)


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"finish_reason": "length"}, "truncated: the token limit ended the reply (finish_reason length)"),
        (
            {"finish_reason": "content_filter"},
            "content filter: the endpoint withheld the reply (finish_reason content_filter)",
        ),
        ({"refusal": "I cannot judge."}, "refusal: I cannot judge."),
        ({"tool_calls": True}, "tool call: the model called a tool instead of answering"),
        ({"text": None}, "empty: no content"),
        ({"text": " \n", "reasoning": True}, "empty: white space only; the text in the reasoning field is no answer"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_read_reply__no_answer(fields: dict[str, Any], cause: str) -> None:
    """A reply that is cut off, withheld, refused or empty has no label, however well its text reads."""
    draw = replied(**fields)
    assert Judged(
        request=REQUEST,
        labels=Labels(
            by_alias=((ONE, None), (TWO, None)),
            causes=((ONE, "the reply cannot be read"), (TWO, "the reply cannot be read")),
            unreadable=cause,
        ),
        draws=(draw,),
    ) == read_reply(REQUEST, draw, labels=DECK.labels)


def test_read_reply__missing() -> None:
    """Nothing that came is no reply without labels: it cannot be read at all."""
    with pytest.raises(ValueError, match=r"^a missing draw says nothing$"):
        read_reply(REQUEST, unheard(DECK, REQUEST).draw, labels=DECK.labels)


def test_repair_messages__whole() -> None:
    """The request, the reply and one sentence of ours: what was asked for stands there as it stood."""
    assert (
        *REQUEST.messages,
        {"role": "assistant", "content": "both are fine"},
        {
            "role": "user",
            "content": """\
Your reply could not be read as labels. Reply with JSON and nothing else: one object that has the "id" of each \
item as a key, and the item's label as its value:
{"…": "…"}""",
        },
    ) == repair_messages(REQUEST, came(DECK, "both are fine"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, NO_TEXT),
        ("", NO_TEXT),
        (" \n", NO_TEXT),
        ("\ud83d", "\ufffd"),
        ("x" * (SHOWN_AGAIN + 1), "x" * SHOWN_AGAIN),
    ],
    ids=["none", "empty", "blank", "half of a pair", "long"],
)
def test_repair_messages__said(text: str | None, expected: str) -> None:
    """Turns go by turns and can be sent, whatever was said: without text, with half a character, without an end."""
    asked = repair_messages(REQUEST, replied(text=text))
    assert (*REQUEST.messages, {"role": "assistant", "content": expected}, {"role": "user", "content": REPAIR}) == asked


@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_read_reply__any_text(text: str) -> None:
    """Any text is read without an error, can be asked for again, and gives labels of the deck or none."""
    judged = read_reply(REQUEST, replied(text=text), labels=DECK.labels)
    assert [ONE, TWO] == [alias for alias, _ in judged.labels.by_alias]
    assert {label for _, label in judged.labels.by_alias} <= {"pass", "fail", None}
    assert json.dumps(
        [dict(each) for each in repair_messages(REQUEST, replied(text=text))], ensure_ascii=False
    ).encode()


def test_read_reply__other_labels() -> None:
    """The labels are the deck's own."""
    deck = replace(DECK, labels=("fail", "Pass."))
    assert (("Pass.", "fail")) == tuple(
        label for _, label in read_reply(REQUEST, came(DECK, CLEAR), labels=deck.labels).labels.by_alias
    )
