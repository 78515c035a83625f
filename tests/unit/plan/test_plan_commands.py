"""Cases whose commands may not be run."""

from __future__ import annotations

from dataclasses import replace

from support.grading import COMMAND, command_contract, planned_case

from evalaction.draw.schedule import blocked_draws, case_calls
from evalaction.plan.commands import block
from evalaction.records.draw import Cause, Draw, Failure
from evalaction.records.plan import Plan, PlannedCase

WHY = "nobody said that it may run"


def graded_by_command(id_: str) -> PlannedCase:
    planned = planned_case(n=2)
    return replace(planned, case=replace(planned.case, id=id_, contract=command_contract(command=COMMAND)))


PLAN = Plan(
    cases=(planned_case(n=2), graded_by_command("one"), graded_by_command("two")),
    decks=(),
    removed=(),
    loosened=(),
    edited_gold=(),
    unaffected=0,
    total=3,
)


def test_block__allowed() -> None:
    """Where commands may be run a plan stays as it is."""
    assert PLAN == block(PLAN, why=None)


def test_block__not_allowed() -> None:
    """Every case that a command grades is blocked, with why, and no other one; no call is planned for it."""
    blocked = block(PLAN, why=WHY)
    assert [None, WHY, WHY] == [planned.blocked for planned in blocked.cases]
    assert (1, 2, 2) == (blocked.drawn, blocked.draws, blocked.calls)
    assert (3, 6, 6) == (PLAN.drawn, PLAN.draws, PLAN.calls)
    assert [("case", 1), ("case", 2)] == [(call.id, call.index) for call in case_calls(blocked)]


def test_blocked_draws__missing() -> None:
    """Of a blocked case all n draws are missing, with why; of one that is drawn none is among them."""
    failure = Failure(cause=Cause.COMMAND, message=WHY)
    assert tuple(
        Draw(path="evals/case.golden.jsonl", id=name, index=index, seed=None, failure=failure)
        for name in ("one", "two")
        for index in (1, 2)
    ) == blocked_draws(block(PLAN, why=WHY))
    assert () == blocked_draws(PLAN)
