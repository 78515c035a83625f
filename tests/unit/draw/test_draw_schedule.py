"""Order and budget of the draws."""

from __future__ import annotations

from support.drawing import make_case, make_plan

from evalaction.draw.schedule import interleave, over_budget
from evalaction.records.draw import Cause, Failure
from evalaction.records.settings import Limits


def test_interleave__round_robin() -> None:
    """Every case gets its first draw before any gets its second, and so on."""
    cases = [make_case("a", n=2), make_case("b", n=4), make_case("c", n=3)]
    expected = ["a1", "b1", "c1", "a2", "b2", "c2", "b3", "c3", "b4"]
    assert expected == [f"{case.id}{index}" for case, index in interleave(cases)]


def test_interleave__nothing() -> None:
    """No case, no draw."""
    assert interleave([]) == []


def test_over_budget__met() -> None:
    """A plan of exactly the calls allowed may go on."""
    assert over_budget(make_plan(make_case("a"), make_case("b")), Limits(max_calls=10)) is None


def test_over_budget__exceeded() -> None:
    """A plan over the calls allowed is refused with what to raise or narrow."""
    expected = Failure(
        cause=Cause.BUDGET,
        message="The plan makes 10 calls for 2 cases, and max-calls allows 9: nothing is sent. "
        "Raise max-calls (--max-calls), or narrow the run with --case or --tag.",
    )
    assert expected == over_budget(make_plan(make_case("a"), make_case("b")), Limits(max_calls=9))
