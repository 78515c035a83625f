"""What docs/judge.md shows of requests, repairs and figures is what they are."""

from __future__ import annotations

import re
from pathlib import Path

from support.judging import SUMS, heard

from evalaction.judge.attribution import order_effect
from evalaction.judge.reply import REPAIR
from evalaction.judge.request import requests_of
from evalaction.judge.score import score_deck

TEXT = (Path(__file__).parents[3] / "docs" / "judge.md").read_text()


def test_documented__request() -> None:
    """The messages of the first request, and the one that asks for a reply again, stand there byte for byte."""
    told, data = (str(message["content"]) for message in requests_of(SUMS)[0].messages)
    assert [told, data, REPAIR] == re.findall(r"```text\n(.*?)\n```", TEXT, re.DOTALL)


def test_documented__figures() -> None:
    """The worked example comes to what it says, label by label."""
    replies = [
        heard(SUMS, request, [*(SUMS.fixtures[index].gold for index in request.order[:-1]), "pass"])
        for request in requests_of(SUMS)
    ]
    score, effect = score_deck(SUMS, replies), order_effect(SUMS, replies, seed="s")
    rows = []
    for fixture in score.fixtures:
        letters = "".join(str(label)[0].upper() for label in fixture.labels)
        pairs = " ".join(letters[place : place + 2] for place in range(0, len(letters), 2))
        flips = "yes" if fixture.flips else "no"
        rows.append(f"| `{fixture.id}` | {fixture.gold} | `{pairs}` | {flips} | {fixture.gold_met} |")
    assert "\n".join(rows) in TEXT
    first, second, third = (position.share for position in score.by_position)
    assert effect.within is not None
    assert effect.as_telling is not None
    sentences = (
        f"the judge flip rate is {score.judge_flip_rate}.",
        f"the retest flip rate is {score.retest_flip_rate}.",
        f"Gold is met by {score.gold.count} of {score.gold.of} labels.",
        f"The first label was given to {first} at the first place, {second} at the second and {third} at the third",
        f"differ in {effect.between.count} of {effect.between.of} comparisons, "
        f"those to one order in {effect.within.count} of {effect.within.of};",
        f"of the {effect.as_telling.of:,} ways to deal twelve replies to six orders, {effect.as_telling.count} tell",
    )
    flat = " ".join(TEXT.split())
    assert [] == [sentence for sentence in sentences if sentence not in flat]
