"""The gate for what a change asks less of."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from support.grading import FAIL_ON

from evalaction.errors import Problem
from evalaction.grade.contract import contract_gate
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.plan import Change, Plan, Removed

LOOSENED = Change(
    id="invoice",
    path="evals/invoice.golden.jsonl",
    line=1,
    field="agreement_min",
    before=Decimal("0.9"),
    after=Decimal("0.8"),
)
EDITED = Change(
    id="total", path="evals/invoice.golden.jsonl", line=2, field="expect.total_cents", before=1950, after=None
)
REMOVED = Removed(kind="case", path="evals/old.golden.jsonl", id="old")
REMOVED_FILE = Removed(kind="file", path="evals/gone.golden.jsonl", id=None)


def plan_of(**fields: Any) -> Plan:
    empty: dict[str, Any] = {
        "cases": (),
        "decks": (),
        "removed": (),
        "loosened": (),
        "edited_gold": (),
        "unaffected": 3,
        "total": 3,
    }
    return Plan(**{**empty, **fields})


def test_contract_gate__nothing() -> None:
    """A change that asks for no less raises no gate."""
    assert contract_gate(plan_of(), fail_on=FAIL_ON, compared=True) is None


@pytest.mark.parametrize(("fail_on", "warns"), [(FAIL_ON, True), (FAIL_ON | {GateName.CONTRACT}, False)])
def test_contract_gate__all(fail_on: frozenset[GateName], warns: bool) -> None:
    """Each kind is counted; it warns unless it is asked to fail."""
    detail = "1 loosened, 1 expected values or gold labels edited, 2 removed"
    plan = plan_of(loosened=(LOOSENED,), edited_gold=(EDITED,), removed=(REMOVED, REMOVED_FILE))
    expected = Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail=detail, warns=warns)
    assert expected == contract_gate(plan, fail_on=fail_on, compared=True)


@pytest.mark.parametrize("fails", [True, False])
def test_contract_gate__no_base(fails: bool) -> None:
    """Without a base nobody can say that nothing was loosened: unmeasured, where the gate can fail the run."""
    fail_on = FAIL_ON | {GateName.CONTRACT} if fails else FAIL_ON
    detail = "there is no base to compare with, so that nobody could look for loosened gates"
    expected = Gate(name=GateName.CONTRACT, verdict=Verdict.UNMEASURED, detail=detail) if fails else None
    assert expected == contract_gate(plan_of(), fail_on=fail_on, compared=False)


UNREAD = "base could not be read whole, so that nobody could look for all loosened gates"


@pytest.mark.parametrize(("fail_on", "warns"), [(FAIL_ON, True), (FAIL_ON | {GateName.CONTRACT}, False)])
@pytest.mark.parametrize(
    ("found", "verdict", "detail"),
    [
        ({}, Verdict.UNMEASURED, UNREAD),
        ({"loosened": (LOOSENED,)}, Verdict.FAIL, f"1 loosened, {UNREAD}"),
    ],
)
def test_contract_gate__base_in_part(
    found: dict[str, Any], verdict: Verdict, detail: str, fail_on: frozenset[GateName], warns: bool
) -> None:
    """Where a part of base could not be read, to have found nothing is no pass; what was found has failed."""
    plan = plan_of(unread=(Problem(message="There is no field `foo`.", path="golden.jsonl", line=1),), **found)
    expected = Gate(name=GateName.CONTRACT, verdict=verdict, detail=detail, warns=warns)
    assert expected == contract_gate(plan, fail_on=fail_on, compared=True)
