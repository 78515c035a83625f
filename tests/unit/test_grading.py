"""Draws graded as they come, against grading a case when all its draws are there."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.drawing import make_plan
from support.grading import FAIL_ON, NOT_RUN, command_contract, command_run, draw_of, planned_case, reply_of

from evalaction import grading
from evalaction.grade.case import grade_case
from evalaction.grade.draws import grade_draw
from evalaction.grading import Grading, Opinions, Runs
from evalaction.records.case import Contract, Schema
from evalaction.records.draw import Draw
from evalaction.records.plan import Plan, PlannedCase
from evalaction.records.report import CaseResult
from evalaction.redact import Redactor, redact
from evalaction.spool import Spool, Spooled
from evalaction.stats.case import with_figures

KEY = "sk-test-AAAA1111BBBB2222"
SCHEMA = Schema(document={"type": "object", "required": ["label"], "properties": {"label": {"enum": ["A", "B"]}}})
CONTRACTS: Sequence[Mapping[str, Any]] = (
    {},
    {"expect_keys": ("label",), "max_completion_tokens": 11},
    {"schema": SCHEMA, "expect": {"label": "A"}},
    {"schema": Schema(document={"type": "object", "maxProperties": 0})},
)
TEXTS: Sequence[str | None] = (
    '{"label": "A"}', '{"label": "B"}', '{"label": "A", "more": 1}', "Sorry.", "", None, f'{{"label": "{KEY}"}}',
    f'{{"label": "{KEY.upper()}"}}',
)  # fmt: skip


def plan_of(*cases: tuple[int, Mapping[str, Any]]) -> tuple[Plan, list[PlannedCase]]:
    """Return a plan of cases with these n and contracts."""
    planned = []
    for number, (n, fields) in enumerate(cases):
        item = planned_case(n=n, **fields)
        planned.append(replace(item, case=replace(item.case, id=f"case-{number}")))
    return replace(make_plan(), cases=tuple(planned)), planned


def all_draws(planned: Sequence[PlannedCase], texts: Sequence[str | None]) -> list[Draw]:
    """Return all draws of cases, which say these texts in turn."""
    draws: list[Draw] = []
    for item in planned:
        for index in range(1, item.case.n + 1):
            text = texts[len(draws) % len(texts)]
            reply = None if text is None else reply_of(text, id=f"chatcmpl-{len(draws):024x}")
            draws.append(replace(draw_of(reply, index=index), id=item.case.id))
    return draws


def graded(
    plan: Plan, draws: Sequence[Draw], *, runs: Runs | None = None, opinions: Opinions | None = None, **more: Any
) -> tuple[CaseResult, ...]:
    """Return what comes of draws that come in this order."""
    going_on = Grading(plan, fail_on=FAIL_ON, redactor=Redactor([KEY]), **more)
    for draw in draws:
        going_on.draw(draw)
    return going_on.results(opinions=opinions or {}, runs=runs or {}, decks=())


def at_the_end(planned: Sequence[PlannedCase], draws: Sequence[Draw]) -> tuple[CaseResult, ...]:
    """Return the same, each case graded at once when all is there."""
    of_case = [[draw for draw in draws if draw.id == item.case.id] for item in planned]
    results = [with_figures(grade_case(item, own, fail_on=FAIL_ON)) for item, own in zip(planned, of_case, strict=True)]
    return redact(tuple(results), [KEY])


@given(
    cases=st.lists(st.tuples(st.integers(2, 6), st.sampled_from(CONTRACTS)), min_size=1, max_size=4),
    texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=9),
    order=st.randoms(use_true_random=False),
    spooled=st.sampled_from([0, 10_000]),
    forms=st.sampled_from([0, 100]),
)
def test_results__as_at_the_end(
    cases: list[tuple[int, Mapping[str, Any]]],
    texts: list[str | None],
    order: random.Random,
    spooled: int,
    forms: int,
) -> None:
    """In whatever order draws come, on the disk or not, results are those of grading each case when it is whole."""
    plan, planned = plan_of(*cases)
    draws = all_draws(planned, texts)
    expected = at_the_end(planned, draws)
    order.shuffle(draws)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grading, "FORMS", forms)
        results = graded(plan, draws, spooled=spooled)
    assert expected == results
    assert {spooled == 0} == {isinstance(result.draws, Spooled) for result in results}


def test_draw__graded_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each draw is read when it comes, and a case is done with its last draw: nothing is left for the end."""
    read: list[str] = []
    own = grade_draw

    def noted(draw: Draw, contract: Contract, form: Any, **more: Any) -> Any:
        read.append(f"{draw.id} {draw.index}")
        return own(draw, contract, form, **more)

    monkeypatch.setattr("evalaction.grading.grade_draw", noted)
    plan, planned = plan_of((2, CONTRACTS[0]), (2, CONTRACTS[2]))
    going_on = Grading(plan, fail_on=FAIL_ON, redactor=Redactor([]))
    draws = all_draws(planned, TEXTS[:1])
    for number, draw in enumerate([draws[0], draws[2], draws[1], draws[3]], 1):
        going_on.draw(draw)
        assert number == len(read)
    going_on.results(opinions={}, runs={}, decks=())
    assert ["case-0 1", "case-1 1", "case-0 2", "case-1 2"] == read


@pytest.mark.parametrize("spooled", [0, 10_000])
def test_draw__told_of_each_case(spooled: int) -> None:
    """Whoever wants is told of each case with its last draw, as it will stand in the report; of a large run, nobody."""
    plan, planned = plan_of((2, CONTRACTS[0]), (2, CONTRACTS[2]))
    told: list[CaseResult] = []
    going_on = Grading(plan, fail_on=FAIL_ON, redactor=Redactor([KEY]), on_case=told.append, spooled=spooled)
    draws = all_draws(planned, TEXTS[:1])
    known = []
    for draw in [draws[2], draws[0], draws[3], draws[1]]:
        going_on.draw(draw)
        known.append(len(told))
    results = going_on.results(opinions={}, runs={}, decks=())
    assert known == ([0, 0, 0, 0] if spooled == 0 else [0, 0, 1, 2])
    assert all(any(one is other for other in results) for one in told)


@pytest.mark.parametrize("spooled", [0, 10_000])
def test_waiting__command(spooled: int) -> None:
    """Draws that a command grades wait for it, the first of each case first; those of other cases do not."""
    fields = {name: getattr(command_contract(), name) for name in ("grader", "command", "expect")}
    plan, planned = plan_of((2, fields), (2, {}), (3, fields))
    draws = all_draws(planned, ["{}"])
    going_on = Grading(plan, fail_on=FAIL_ON, redactor=Redactor([]), spooled=spooled)
    for draw in draws:
        going_on.draw(draw)
    waiting = going_on.waiting()
    assert ["case-0 1", "case-2 1", "case-0 2", "case-2 2", "case-2 3"] == [
        f"{each.id} {each.index}" for each in waiting
    ]
    runs = {(each.path, each.id, each.index): command_run(each.index % 2) for each in waiting}
    results = going_on.results(opinions={}, runs={**runs, (waiting[0].path, "case-0", 1): NOT_RUN}, decks=())
    assert [[None, "pass"], [{}, {}], ["fail", "pass", "fail"]] == [
        [each.answer for each in result.draws] for result in results
    ]
    assert "commands are not allowed: set allow-commands" == results[0].draws[0].cause


def test_draw__keys_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No draw that holds a key is written to the disk before it is taken out, and answers are told apart by it."""
    written: list[object] = []
    own = Spool.keep

    def noted(self: Any, item: Any) -> Any:
        written.append(item)
        return own(self, item)

    monkeypatch.setattr(Spool, "keep", noted)
    plan, planned = plan_of((3, {}))
    draws = all_draws(planned, [f'{{"label": "{KEY}"}}', f'{{"label": "{KEY} "}}', '{"label": "A"}'])
    (result,) = graded(plan, draws, spooled=0)
    assert 3 == len(result.modes)
    assert 3 == len(written)
    assert KEY not in repr(written)
    assert KEY not in repr(result)
