"""Distinct answers, ranked and labelled."""

from __future__ import annotations

from typing import Any

import pytest
from support.grading import contract_of, draws_of, replies

from evalaction.grade.draws import grade_draw
from evalaction.grade.modes import differing_keys, is_flipping, label, modes_of
from evalaction.records.report import GradedDraw, Mode


def graded(*texts: str) -> list[GradedDraw]:
    return [grade_draw(draw, contract_of(), None) for draw in replies(*texts)]


def strip(marks: str) -> list[GradedDraw]:
    return [grade_draw(draw, contract_of(), None) for draw in draws_of(marks)]


@pytest.mark.parametrize(
    ("rank", "expected"),
    [(0, "A"), (25, "Z"), (26, "AA"), (27, "AB"), (51, "AZ"), (52, "BA"), (701, "ZZ"), (702, "AAA")],
)
def test_label(rank: int, expected: str) -> None:
    """Labels go on after Z as columns of a sheet do."""
    assert expected == label(rank)


def test_modes_of__ranked() -> None:
    """The most frequent answer comes first; unreadable and missing draws are no answers."""
    expected = (
        Mode(label="A", answer={"label": "q"}, count=2, draws=(2, 4), modal=True),
        Mode(label="B", answer={"label": "p"}, count=1, draws=(5,), modal=False),
    )
    assert expected == modes_of(strip("x q - q p"))


def test_modes_of__tie() -> None:
    """Two answers with the top count are both modal, in the order of their canonical bytes."""
    expected = (
        Mode(label="A", answer={"label": "p"}, count=2, draws=(2, 4), modal=True),
        Mode(label="B", answer={"label": "q"}, count=2, draws=(1, 3), modal=True),
        Mode(label="C", answer={"label": "z"}, count=1, draws=(5,), modal=False),
    )
    assert expected == modes_of(strip("q p q p z"))


def test_modes_of__none() -> None:
    """Draws without an answer have no modes."""
    assert modes_of(strip("x - x")) == ()


@pytest.mark.parametrize(
    ("one", "other", "modes"),
    [
        ('{"n": 100}', '{"n": 1e2}', 1),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1.0}', 1),
        ('{"n": 1}', '{"n": true}', 2),
        ('{"a": null}', "{}", 2),
        ('{"id": 9007199254740993}', '{"id": 9007199254740992}', 2),
        ("null", "[null]", 2),
    ],
)
def test_modes_of__equality(one: str, other: str, modes: int) -> None:
    """Answers are one mode exactly when they are equal by value."""
    assert modes == len(modes_of(graded(one, other)))


@pytest.mark.parametrize(
    ("texts", "keys"),
    [
        (['{"a": 1, "b": 2}', '{"a": 1, "b": 3}'], ("b",)),
        (['{"b": 1, "a": null}', '{"b": 2}'], ("a", "b")),
        (['{"a": 1}', '{"a": true}', '{"a": 1}'], ("a",)),
        (['{"a": 1}', '{"a": 1}'], ()),
        (['{"a": 1}', "[1]"], ()),
        (["1", "2"], ()),
        ([], ()),
    ],
)
def test_differing_keys(texts: list[str], keys: tuple[str, ...]) -> None:
    """The keys on which objects differ, an absent key differing from a null one; other values have none."""
    assert keys == differing_keys(modes_of(graded(*texts)))


@pytest.mark.parametrize(
    ("marks", "flipping"),
    [("A A A", False), ("A A B", True), ("A A x", True), ("x x x", False), ("A - -", False), ("- -", False)],
)
def test_is_flipping(marks: str, flipping: bool) -> None:
    """A case flips with two answers, or with an unreadable draw beside a readable one; a missing draw says nothing."""
    draws: Any = strip(marks)
    assert flipping is is_flipping(modes_of(draws), draws)
