"""Order and budget of the draws."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.decks import planned_deck, trace_deck
from support.drawing import make_case, make_plan

from evalaction.draw.schedule import case_calls, further, interleave, never_sent, over_budget
from evalaction.records.case import Case, CaseJudge, Sampling
from evalaction.records.draw import Adaptation, Call, Cause, Draw, Drawn, Failure, Spent
from evalaction.records.settings import Limits

TWO = planned_deck(trace_deck("pass", "fail"))
"""A deck in two orders."""

TEMPERATURE, FORM = Adaptation(name="temperature"), Adaptation(name="response_format")


def judged_case(name: str, *, n: int, repeats: int) -> Case:
    """Return a case whose draws a judge grades."""
    case = make_case(name, n=n)
    judge = CaseJudge(
        rubric_path="r.md", rubric="Be right.", labels=("pass", "fail"), repeats=repeats, sampling=Sampling(model="j")
    )
    return replace(case, contract=replace(case.contract, judge=judge))


def test_never_sent() -> None:
    """Every call is a missing draw without a seed, all for the one reason, and no request is counted."""
    failure = Failure(cause=Cause.HELD, message="From a fork.")
    calls = case_calls(make_plan(make_case("a", n=2, sampling=Sampling(model="m", seed=4)), make_case("b", n=1)))
    draws = [
        Draw(path="x.golden.jsonl", id=name, index=index, seed=None, failure=failure)
        for name, index in (("a", 1), ("b", 1), ("a", 2))
    ]
    assert Drawn(draws=tuple(draws), made=0, retried=0, wall_s=0) == never_sent(calls, failure)


@given(st.lists(st.lists(st.integers(), max_size=5), max_size=5))
def test_interleave__round_robin(groups: list[list[int]]) -> None:
    """Every group gives its first item before any gives its second, and so on, and nothing is lost."""
    tagged = [[(turn, place) for turn, _ in enumerate(group)] for place, group in enumerate(groups)]
    assert sorted(item for group in tagged for item in group) == interleave(tagged)


def test_case_calls__whole() -> None:
    """Each draw of each case is one call, round by round, with all that its request needs."""
    seeded = make_case("a", n=2, line=4, sampling=Sampling(model="m", seed=7, max_tokens=16))
    seeded = replace(seeded, contract=replace(seeded.contract, max_completion_tokens=8))
    calls = case_calls(make_plan(seeded, make_case("b", n=3)))
    expected = [
        ("a", 1, 7, True),
        ("b", 1, None, False),
        ("a", 2, 8, True),
        ("b", 2, None, False),
        ("b", 3, None, False),
    ]
    assert expected == [(call.id, call.index, call.seed, call.cap_of_budget) for call in calls]
    first = Call(
        path="x.golden.jsonl",
        line=4,
        id="a",
        index=1,
        messages=({"role": "user", "content": "a"},),
        sampling=seeded.sampling,
        seed=7,
        cap_of_budget=True,
    )
    assert first == calls[0]


def test_case_calls__nothing() -> None:
    """No case, no draw."""
    assert case_calls(make_plan()) == ()


def test_over_budget__met() -> None:
    """A plan of exactly the calls allowed may go on, judges included."""
    assert over_budget(make_plan(make_case("a"), make_case("b")), Limits(max_calls=10)) is None
    assert over_budget(make_plan(make_case("a"), decks=[TWO]), Limits(max_calls=7)) is None


NARROW = ", or narrow the run with --case or --tag"
LOWER = "lower max_orders or repeats of a deck"


@pytest.mark.parametrize(
    ("cases", "decks", "needs", "remedy"),
    [
        ((make_case("a"), make_case("b")), 0, "10 calls for 2 cases", NARROW),
        ((make_case("a", n=2),), 0, "2 calls for 1 case", NARROW),
        ((), 1, "2 judge calls for 1 deck", f", or {LOWER}"),
        (
            (make_case("a"),),
            2,
            "9 calls (5 draws for 1 case, 4 judge calls for 2 decks)",
            f", narrow the run with --case or --tag, or {LOWER}",
        ),
        (
            (judged_case("a", n=2, repeats=3), make_case("b", n=2)),
            0,
            "10 calls (4 draws for 2 cases, 6 judge calls for 1 judge-graded case)",
            NARROW,
        ),
        (
            (judged_case("a", n=2, repeats=2), judged_case("b", n=2, repeats=2)),
            1,
            "14 calls (4 draws for 2 cases, 10 judge calls for 1 deck and 2 judge-graded cases)",
            f", narrow the run with --case or --tag, or {LOWER}",
        ),
    ],
)
def test_over_budget__exceeded(cases: tuple[Case, ...], decks: int, needs: str, remedy: str) -> None:
    """A plan over the calls allowed is refused with what it needs, and what to raise, narrow or lower."""
    plan = make_plan(*cases, decks=[TWO] * decks)
    expected = Failure(
        cause=Cause.BUDGET,
        message=f"The plan makes {needs}, and max-calls allows 1: nothing is sent. "
        f"Raise max-calls (--max-calls){remedy}.",
    )
    assert expected == over_budget(plan, Limits(max_calls=1))


def test_further__sums() -> None:
    """What parts use up adds up, and the first end of the run stays."""
    end = Failure(cause=Cause.DEADLINE, message="late")
    part = Drawn(draws=(), made=3, retried=1, wall_s=2.5, adapted=(TEMPERATURE,))
    once = further(Spent(), part)
    assert once == Spent(made=3, elapsed_s=2.5, adapted=(TEMPERATURE,))
    twice = further(once, replace(part, stopped=end, adapted=(FORM, TEMPERATURE)))
    assert twice == Spent(made=6, elapsed_s=5.0, end=end, adapted=(TEMPERATURE, FORM))
    assert further(twice, replace(part, made=0, wall_s=0.0)) == twice
