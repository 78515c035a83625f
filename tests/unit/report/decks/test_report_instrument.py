"""The stub judges' scores in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.judging import deck_of
from support.reports import STUBS

from evalaction.judge.stubs import examine
from evalaction.records.gate import Share
from evalaction.records.judge import Examined
from evalaction.report.decks.instrument import stub_lines, stubs_phrase
from evalaction.report.untrusted import markdown, plain

TWO = Examined(deck="a `b`\n", scores=examine(deck_of("pass", "fail")))
FIVE = Examined(deck="c", scores=examine(deck_of("pass", "fail", "fail", "fail", "fail")))


@pytest.mark.parametrize(
    ("stubs", "said", "shown"),
    [
        (STUBS, "positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck", None),
        (
            (TWO,),
            "positional 1.00 (2/2), identity 0.00 (0/2) on the deck a `b`⏎",
            "positional 1.00 (2/2), identity 0.00 (0/2) on the deck ``a `b`⏎``",
        ),
        ((TWO, FIVE), "positional 1.00 (7/7), identity 0.00 (0/7) on 2 decks", None),
    ],
)
def test_stubs_phrase__table(stubs: tuple[Examined, ...], said: str, shown: str | None) -> None:
    """Figures come with their n, the fixtures of all decks together; the name of a deck is shown as text."""
    assert plain(stubs_phrase(stubs)) == said
    assert markdown(stubs_phrase(stubs)) == (shown or said)


def test_stub_lines__whole() -> None:
    """Every score of each deck has its line; a share that is neither all nor none stands as it is, never rounded."""
    assert stub_lines((TWO, FIVE)) == [
        "Stubs on the deck a `b`⏎: flips of positional 1.00 (2/2), positional-first 1.00 (2/2), forgetful 1.00 (2/2), "
        "identity 0.00 (0/2); gold met by gold 1.00 (4/4), stamp 2/4.",
        "Stubs on the deck c: flips of positional 1.00 (5/5), positional-first 1.00 (5/5), forgetful 1.00 (5/5), "
        "identity 0.00 (0/5); gold met by gold 1.00 (100/100), stamp 20/100.",
    ]
    nearly = Examined(deck=None, scores=replace(TWO.scores, stamp=Share(count=999, of=1_000)))
    assert stub_lines((nearly,))[0].endswith("stamp 999/1000.")
