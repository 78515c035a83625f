"""A deck's fixtures as they are shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.decks import deck_result, trace_deck
from support.example_decks import TRACES, fluent_last
from support.judging import Order, drops_the_last, gold_of, honest, in_prose, last_passes, verdicts

from evalaction.records.deck import Deck, Fixture
from evalaction.records.deck_result import DeckResult
from evalaction.report.decks.rows import by_weight, contradiction, label_of, legend, rows, signs, worst
from evalaction.report.untrusted import plain


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("pass", "fail"), "PF"),
        (("pass", "partial", "fail"), "PAF"),
        (("correct", "incorrect", "contradictory"), "CIO"),
        (("a", "A1", "aa"), "A1B"),
        (("是", "否"), "AB"),
        (("1", "2", "3"), "123"),
        (("", " "), "AB"),
    ],
)
def test_signs__table(labels: tuple[str, ...], expected: str) -> None:
    """A label goes by its first letter; where that is another's too, by the next of its own, or by one that is free."""
    assert "".join(signs(labels).values()) == expected


@given(st.lists(st.text(max_size=8), min_size=2, max_size=60, unique=True))
def test_signs__no_two_alike(labels: list[str]) -> None:
    """Whatever the labels, each has a sign of its own, of letters and digits alone, in the order of the labels."""
    found = signs(labels)

    assert list(found) == labels
    assert len(set(found.values())) == len(labels)
    assert all(sign.isascii() and sign.isalnum() for sign in found.values())


def vectors(result: DeckResult) -> list[str]:
    """Return the vectors of a deck's fixtures."""
    return [row.vector for row in rows(result)]


def test_rows__labels_in_the_order_of_the_requests() -> None:
    """A vector has one sign for each request of the exam, in its order."""
    result = deck_result(trace_deck(fixtures=TRACES), fluent_last)

    assert [(row.fixture.id, row.vector, row.counts, row.flips, str(row.gold), row.misses) for row in rows(result)] == [
        ("t_ok", "P P P P P P", (("pass", 6),), False, "6/6", False),
        ("t_fluent_fail", "F F F P F P", (("fail", 4), ("pass", 2)), True, "4/6", True),
        ("t_partial", "F F F F F F", (("fail", 6),), False, "6/6", False),
    ]
    assert plain(legend(result)) == "One sign a reply, by order: P pass, F fail."


def test_rows__missing_and_no_label() -> None:
    """A request without a reply and a reply without a label have signs of their own, and are explained."""
    result = deck_result(trace_deck(), drops_the_last, missing=(0, 5))

    assert vectors(result) == ["∅ P · P P ∅", "∅ F F · F ∅", "∅ · F F · ∅"]
    assert plain(legend(result)) == "One sign a reply, by order: P pass, F fail; · no label; ∅ nothing came."
    assert [(row.flips, str(row.gold)) for row in rows(result)] == [(True, "3/4"), (True, "3/4"), (True, "2/4")]


def test_rows__nothing_scored() -> None:
    """While fewer than two orders were answered, whether a fixture flips is not known; what came is shown."""
    one = deck_result(trace_deck(), missing=range(1, 6))
    none = deck_result(trace_deck(), missing=range(6))

    assert next((row.vector, row.flips, str(row.gold)) for row in rows(one)) == ("P ∅ ∅ ∅ ∅ ∅", None, "1/1")
    assert next((row.vector, row.flips, row.gold, row.counts) for row in rows(none)) == ("∅ ∅ ∅ ∅ ∅ ∅", None, None, ())
    assert worst(none) is None


@pytest.mark.parametrize(
    ("k", "orders", "repeats", "vector", "order"),
    [
        (3, 6, 2, "PP PP PP PP PP PP", "One sign a reply, those to one order together: "),
        (4, 24, 1, " ".join("P" * 24), "One sign a reply, by order: "),
        (30, 30, 1, "PPPPPPPPPP PPPPPPPPPP PPPPPPPPPP", "One sign a reply, by order: "),
        (50, 50, 1, "P×50", "Replies with each label, in no order: "),
        (4, 24, 3, "P×72", "Replies with each label, in no order: "),
    ],
)
def test_rows__long_vectors(k: int, orders: int, repeats: int, vector: str, order: str) -> None:
    """Replies to one order stand together, many orders in tens, and very many replies as counts; the legend says it."""
    fixtures = tuple(
        Fixture(id=f"f{n}", line=n, fields={"trace": f"t{n}"}, gold="fail" if n == k else "pass")
        for n in range(1, k + 1)
    )
    result = deck_result(trace_deck(fixtures=fixtures, show=("trace",), max_orders=orders, repeats=repeats))

    assert vectors(result)[0] == vector
    assert plain(legend(result)) == f"{order}P pass, F fail."


def test_rows__counts_of_a_long_vector() -> None:
    """Counts begin with the most frequent label, and lose none."""
    fixtures = tuple(
        Fixture(id=f"f{n}", line=n, fields={"trace": f"t{n}"}, gold="fail" if n else "pass") for n in range(50)
    )
    result = deck_result(trace_deck(fixtures=fixtures, show=("trace",), max_orders=50), last_passes)

    assert set(vectors(result)) == {"F×49 P×1"}


def second_wrong(deck: Deck, order: Order) -> str:
    """Answer gold, but pass the second fixture always, and the third where it stands first."""
    labels = [
        "pass" if index == 1 or (index == 2 and order[0] == 2) else label
        for index, label in zip(order, gold_of(deck, order), strict=True)
    ]
    return verdicts(order, labels)


def test_by_weight__flips_first() -> None:
    """The worst fixture is one that flips, before one that is stable and wrong; the order of the deck decides ties."""
    result = deck_result(trace_deck(), second_wrong)

    assert [row.fixture.id for row in by_weight(result)] == ["t3", "t2", "t1"]
    assert worst(deck_result()) is None


@pytest.mark.parametrize("repeats", [1, 2])
def test_contradiction__two_orders(repeats: int) -> None:
    """The two replies are the first with the right label and the first with another, of two orders at first asking."""
    found = contradiction(deck_result(trace_deck(fixtures=TRACES, repeats=repeats), fluent_last))

    assert found is not None
    row, replies = found
    assert [(row.fixture.id, label_of(judged, row), judged.request.order) for judged in replies] == [
        ("t_fluent_fail", "fail", (1, 0, 2)),
        ("t_fluent_fail", "pass", (0, 2, 1)),
    ]
    assert [json.loads(judged.reply) != [] for judged in replies] == [True, True]


def test_contradiction__stable_and_wrong() -> None:
    """Where all replies agree on a wrong label there is one to look at; where there is no label, two."""

    def all_pass(_deck: Deck, order: Order) -> str:
        return verdicts(order, ["pass"] * len(order))

    stable, silent = contradiction(deck_result(judge=all_pass)), contradiction(deck_result(judge=in_prose))

    assert stable is not None
    assert silent is not None
    assert (stable[0].fixture.id, len(stable[1]), silent[0].fixture.id, len(silent[1])) == ("t2", 1, "t1", 2)
    assert contradiction(deck_result(judge=honest)) is None
