"""A deck's fingerprint: it moves with all that a judge's figures depend on, and with nothing else."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from support.judging import deck_of

from evalaction.judge import fingerprint
from evalaction.judge.fingerprint import deck_fingerprint
from evalaction.records.case import Sampling
from evalaction.records.deck import Planted, ProbeKind, Wording

DECK = replace(
    deck_of("pass", "fail", "fail"),
    probes=(ProbeKind.STEER,),
    planted_path="planted.jsonl",
    planted=(Planted(id="p", line=1, fields={"trace": "x"}),),
    wordings=(Wording(path="other.md", text="Pass what is correct."),),
)
FIRST = DECK.fixtures[0]


@pytest.mark.parametrize(
    "change",
    [
        {"rubric": "Pass all."},
        {"labels": ("fail", "pass")},
        {"show": ("task", "trace")},
        {"fixtures": DECK.fixtures[::-1]},
        {"fixtures": (replace(FIRST, gold="fail"), *DECK.fixtures[1:])},
        {"fixtures": (replace(FIRST, id="other"), *DECK.fixtures[1:])},
        {"fixtures": (replace(FIRST, fields={"trace": "t9"}), *DECK.fixtures[1:])},
        {"sampling": Sampling(model="judge", temperature=0)},
        {"sampling": Sampling(model=None)},
        {"sampling": Sampling(model=None, temperature=0, top_p=Decimal("0.5"))},
        {"sampling": Sampling(model=None, temperature=0, seed=1)},
        {"sampling": Sampling(model=None, temperature=0, max_tokens=9)},
        {"max_orders": 3},
        {"repeats": 2},
        {"probes": ()},
        {"probes": (ProbeKind.STEER, ProbeKind.EMPTY)},
        {"planted": ()},
        {"planted": (Planted(id="p", line=1, fields={"trace": "y"}),)},
        {"wordings": ()},
        {"wordings": (Wording(path="other.md", text="Pass nothing."),)},
    ],
    ids=str,
)
def test_deck_fingerprint__moves(change: dict[str, Any]) -> None:
    """Whatever changes a request, a label's worth or the figures has another fingerprint."""
    assert deck_fingerprint(DECK) != deck_fingerprint(replace(DECK, **change))


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"path": "other.jsonl"},
        {"rubric_path": "other.md"},
        {"line": 9},
        {"unasked": frozenset({"temperature"})},
        {"judge_flip_max": Fraction(1, 2)},
        {"gold_min": Fraction(1, 2)},
        {"fixtures": tuple(replace(fixture, line=99) for fixture in DECK.fixtures)},
        {"planted_path": "other.jsonl"},
        {"planted": (replace(DECK.planted[0], line=9),)},
        {"wordings": (replace(DECK.wordings[0], path="else.md"),)},
    ],
    ids=str,
)
def test_deck_fingerprint__stays(change: dict[str, Any]) -> None:
    """Thresholds, names, places and line numbers change no figure."""
    assert deck_fingerprint(DECK) == deck_fingerprint(replace(DECK, **change))


@pytest.mark.parametrize("name", ["SYSTEM", "REPAIR", "_MADE"])
def test_deck_fingerprint__own_texts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Our own texts are a part of the instrument: where they change, earlier figures are void."""
    before = deck_fingerprint(DECK)
    monkeypatch.setattr(fingerprint, name, "another")
    assert before != deck_fingerprint(DECK)


def test_deck_fingerprint__form() -> None:
    """It is a SHA-256 in hex."""
    assert set("0123456789abcdef") >= set(deck_fingerprint(DECK))
    assert 64 == len(deck_fingerprint(DECK))
