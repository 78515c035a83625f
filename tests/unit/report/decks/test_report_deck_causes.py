"""Why a judge's replies give no label."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from support.decks import deck_result, trace_deck
from support.example_decks import TRACES, wavering
from support.judging import (
    Judge,
    Order,
    by_index,
    came,
    drops_the_last,
    honest,
    in_prose,
    last_passes,
    merges,
    verdicts,
)

from evalaction.judge.reply import read_reply
from evalaction.records.deck import Deck
from evalaction.report.decks.causes import Lack, every, how, is_silent, most_frequent, no_label, silence, tallies
from evalaction.report.untrusted import plain

ONCE = trace_deck(fixtures=TRACES)
SILENT = "gave no fixture a label in all 6 replies: they "


def saying(reply: Callable[[Order], object]) -> Judge:
    """Return a judge whose reply is this JSON."""
    return lambda _deck, order: json.dumps(reply(order))


def with_reply(**fields: Any) -> Lack:
    """Return why a reply with these fields gives no label."""
    result = deck_result(ONCE, honest)
    first = result.outcomes[0]
    draw = came(ONCE, "")
    draw = replace(draw, reply=draw.reply and replace(draw.reply, **fields))
    judged = read_reply(first.request, draw, labels=ONCE.labels)
    [tally] = tallies(replace(result, outcomes=(judged,)))
    return tally.lack


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"text": "{", "finish_reason": "length"}, Lack.CUT),
        ({"text": "No.", "refusal": "No."}, Lack.DECLINED),
        ({"text": "No.", "finish_reason": "content_filter"}, Lack.DECLINED),
        ({"text": "No.", "finish_reason": "error"}, Lack.BROKEN),
        ({"text": "No.", "finish_reason": "tool_calls"}, Lack.TOOL),
        ({"text": " "}, Lack.EMPTY),
        ({"text": None}, Lack.EMPTY),
        ({"text": "t1 is a pass"}, Lack.NOT_JSON),
        ({"text": '{"a": 1} {"a": 2}'}, Lack.NOT_JSON),
        ({"text": "<think>"}, Lack.NOT_JSON),
        ({"text": "{}"}, Lack.NAMELESS),
        ({"text": '{"1": "pass"}'}, Lack.NAMELESS),
        ({"text": '["pass"]'}, Lack.FORM),
        ({"text": '[{"label": "pass"}]'}, Lack.FORM),
        ({"text": '{"verdicts": 1}'}, Lack.FORM),
        ({"text": "3"}, Lack.FORM),
        ({"text": "[]"}, Lack.LEFT_OUT),
        ({"text": '[{"id": 1, "label": "pass"}]'}, Lack.RENAMED),
    ],
)
def test_tallies__of_whole_replies(fields: dict[str, Any], expected: Lack) -> None:
    """What is wrong with a whole reply is told by the words of the stage that read it."""
    assert with_reply(**fields) is expected


@pytest.mark.parametrize(
    ("judge", "lack", "headline", "said"),
    [
        (
            by_index,
            Lack.RENAMED,
            "the judge names no fixture as asked",
            "do not name the fixtures as asked, but 1, 2, 3",
        ),
        (
            merges,
            Lack.MERGED,
            "the judge gives one verdict for several fixtures",
            "give one verdict for several fixtures",
        ),
        (in_prose, Lack.NOT_JSON, "no reply of the judge can be read as JSON", "cannot be read as JSON"),
        (
            saying(lambda order: ["pass"] * len(order)),
            Lack.FORM,
            "no reply of the judge has the form asked for",
            "have another form than was asked for",
        ),
        (
            saying(lambda order: dict.fromkeys(map(str, order), "pass")),
            Lack.NAMELESS,
            "no reply of the judge names a fixture",
            "name no fixture",
        ),
        (saying(lambda _: []), Lack.LEFT_OUT, "the judge leaves every fixture out", "leave fixtures out"),
        (
            lambda _deck, order: verdicts((*order, *order), ["pass"] * 2 * len(order)),
            Lack.TWICE,
            "the judge labels every fixture several times",
            "label a fixture several times",
        ),
        (
            lambda _deck, order: verdicts(order, ["great"] * len(order)),
            Lack.OTHER,
            "the judge gives no fixture one of the labels",
            "give none of the labels",
        ),
    ],
)
def test_silence__one_cause(judge: Judge, lack: Lack, headline: str, said: str) -> None:
    """A judge that gives no label is told by what it does instead, in the headline and in a sentence."""
    result = deck_result(ONCE, judge)

    assert is_silent(result)
    assert [tally.lack for tally in tallies(result)] == [lack]
    assert (every(result), plain(silence(result, show=True))) == (headline, f"{SILENT}{said}")


def merged_alone(_deck: Deck, order: Order) -> str:
    """Give one verdict for all, and no list."""
    return json.dumps({"id": ", ".join(f"a{index}" for index in order), "label": "pass"})


def test_tallies__one_verdict_outside_a_list() -> None:
    """One verdict for all fixtures is told as such where it is no list, too."""
    assert [tally.lack for tally in tallies(deck_result(ONCE, merged_alone))] == [Lack.MERGED]


def half_prose(deck: Deck, order: Order) -> str:
    """Answer in prose where the first fixture stands first, and with an empty list otherwise."""
    return in_prose(deck, order) if order[0] == 0 else "[]"


def test_silence__several_causes() -> None:
    """Where replies give no label for several causes, the most frequent one is told with its count."""
    result = deck_result(ONCE, half_prose)

    assert every(result) == "the judge gives no fixture a label"
    assert plain(silence(result, show=True)) == "gave no fixture a label in all 6 replies: 4 of 6 leave fixtures out"
    assert plain(no_label(result, show=True)) == (
        "18 of 18 labels are missing: left out in 4 of 6 replies, no readable JSON in 2 of 6 replies."
    )


def test_silence__one_reply() -> None:
    """Of a single reply it is not said what all do."""
    result = deck_result(ONCE, in_prose, missing=range(1, 6))

    assert plain(silence(result, show=True)) == "gave no fixture a label in the one reply: no readable JSON"


def drops_one(deck: Deck, order: Order) -> str:
    """Answer gold, and forget the second fixture of the deck, wherever it stands."""
    kept = tuple(index for index in order if index != 1)
    return verdicts(kept, [deck.fixtures[index].gold for index in kept])


@pytest.mark.parametrize(
    ("judge", "title", "line"),
    [
        (honest, "", ""),
        (
            drops_the_last,
            "left out in 6 of 6 replies, always what stood last",
            "6 of 18 labels are missing: left out in 6 of 6 replies, always what stood last.",
        ),
        (drops_one, "left out in 6 of 6 replies", "6 of 18 labels are missing: left out in 6 of 6 replies."),
        (
            by_index,
            "other names than asked in 6 of 6 replies",
            "18 of 18 labels are missing: other names than asked in 6 of 6 replies (1, 2, 3).",
        ),
    ],
)
def test_no_label__table(judge: Judge, title: str, line: str) -> None:
    """Missing labels are counted by cause, with the place where they stood when it is always the same."""
    result = deck_result(ONCE, judge)

    assert (most_frequent(result), plain(no_label(result, show=True))) == (title, line)


def test_no_label__names_without_completions() -> None:
    """Names that a judge made up are model text, and are not shown without completions."""
    assert plain(no_label(deck_result(ONCE, by_index), show=False)) == (
        "18 of 18 labels are missing: other names than asked in 6 of 6 replies."
    )


def renames_the_last(deck: Deck, order: Order) -> str:
    """Answer gold, under another name for what stands last."""
    return json.dumps([*json.loads(drops_the_last(deck, order)), {"id": "last", "label": "pass"}])


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (last_passes, ", accepting whatever stands last"),
        (drops_the_last, ", leaving fixtures out"),
        (renames_the_last, ", giving some no label"),
        (wavering([(0, 1, 2)]), ""),
    ],
)
def test_how__flips(judge: Judge, expected: str) -> None:
    """How a judge flips is told where it all comes to one thing."""
    assert how(deck_result(ONCE, judge)) == expected
