"""Order and budget of the draws."""

from __future__ import annotations

import pytest
from support.drawing import make_case, make_plan

from evalaction.draw.schedule import check_budget, interleave
from evalaction.errors import CannotMeasure
from evalaction.records.settings import Limits


def test_interleave__round_robin() -> None:
    """Every case gets its first draw before any gets its second, and so on."""
    cases = [make_case("a", n=2), make_case("b", n=4), make_case("c", n=3)]
    expected = ["a1", "b1", "c1", "a2", "b2", "c2", "b3", "c3", "b4"]
    assert expected == [f"{case.id}{index}" for case, index in interleave(cases)]


def test_interleave__nothing() -> None:
    """No case, no draw."""
    assert interleave([]) == []


def test_check_budget__met() -> None:
    """A plan of exactly the calls allowed may go on."""
    check_budget(make_plan(make_case("a"), make_case("b")), Limits(max_calls=10))


def test_check_budget__exceeded() -> None:
    """A plan over the calls allowed is refused with what to raise or narrow."""
    with pytest.raises(CannotMeasure) as caught:
        check_budget(make_plan(make_case("a"), make_case("b")), Limits(max_calls=9))
    expected = (
        "The plan makes 10 calls for 2 cases, and 9 are allowed: nothing was sent. "
        "Raise max-calls (--max-calls), or narrow the run with --case or --tag."
    )
    assert expected == str(caught.value)
