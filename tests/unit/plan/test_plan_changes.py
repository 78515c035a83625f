"""Loosened gates and edited expected values."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from support.suites import golden, suite_of

from evalaction.plan.changes import decimal, edited_expected, edited_gold, loosened
from evalaction.records.case import Case
from evalaction.values import parse


def case_of(**fields: Any) -> Case:
    suite = suite_of({**golden("", json.dumps({"id": "a", "prompt": "x", **fields})), "r.md": "Be kind."})
    assert () == suite.problems
    return suite.cases[0]


def found(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(item.field, item.before, item.after) for item in loosened(case_of(**before), case_of(**after))]


SCHEMA = {"type": "object"}
JUDGED = {"grader": "judge", "rubric": "r.md"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"agreement_min": 0.9}, {"agreement_min": 0.8}, [("agreement_min", parse("0.9"), parse("0.8"))]),
        ({"agreement_min": 1}, {}, [("agreement_min", 1, parse("0.8"))]),
        ({"max_flip": 0.1}, {"max_flip": 0.2}, [("agreement_min", parse("0.9"), parse("0.8"))]),
        ({"n": 10}, {"n": 5}, [("n", 10, 5)]),
        ({"max_completion_tokens": 10}, {"max_completion_tokens": 11}, [("max_completion_tokens", 10, 11)]),
        ({"max_completion_tokens": 10}, {}, [("max_completion_tokens", 10, None)]),
        ({"expect_keys": ["a", "b"]}, {"expect_keys": ["b"]}, [("expect_keys", ["a", "b"], ["b"])]),
        ({"expect_keys": ["a"], "grader": "json"}, {"grader": "json"}, [("expect_keys", ["a"], None)]),
        ({"schema": SCHEMA}, {"grader": "json"}, [("schema", SCHEMA, None)]),
        ({"expect": {"a": 1, "b": 2}}, {"expect": {"a": 1}}, [("expect.b", 2, None)]),
        ({"expect": "yes"}, {}, [("expect", "yes", None)]),
        (
            {"expect": "yes", "expect_min": 0.9},
            {"expect": "yes", "expect_min": 0.5},
            [("expect_min", parse("0.9"), parse("0.5"))],
        ),
        ({"grader": "exact"}, {"grader": "text"}, [("grader", "exact", "text")]),
        ({"grader": "json"}, {"grader": "exact"}, [("grader", "json", "exact")]),
        *(({"grader": grader}, JUDGED, [("grader", grader, "judge")]) for grader in ("text", "exact", "json")),
        ({**JUDGED, "judge_repeats": 3}, JUDGED, [("judge_repeats", 3, 2)]),
        ({"agree_on": ["a", "b"]}, {"agree_on": ["a"]}, [("agree_on", ["a", "b"], ["a"])]),
        (
            {"expect_keys": ["a", "b"]},
            {"expect_keys": ["a", "b"], "agree_on": ["a"]},
            [("agree_on", ["a", "b"], ["a"])],
        ),
        ({"grader": "json"}, {"agree_on": ["a"]}, [("agree_on", None, ["a"])]),
    ],
)
def test_loosened__each_kind(before: dict[str, Any], after: dict[str, Any], expected: list[Any]) -> None:
    """A gate that asks for less is listed; the way back is not."""
    assert expected == found(before, after)
    assert [] == found(after, before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"schema": SCHEMA}, {"schema": {"type": "array"}}),
        ({"expect": {"a": 1}}, {"expect": {"a": 2}}),
        ({"max_tokens": 10}, {"max_tokens": 20}),
        ({"temperature": 1}, {"temperature": 0}),
        ({"expect": "x", "expect_min": 0.5}, {"expect": "x", "tags": ["t"]}),
    ],
)
def test_loosened__what_is_no_loosening(before: dict[str, Any], after: dict[str, Any]) -> None:
    """A changed schema, an edited value, another cap or another sampling is no gate that asks for less."""
    assert [] == found(before, after)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"expect": {"a": 1, "b": [1]}}, {"expect": {"b": [2], "a": 1.0, "c": 3}}, [("expect.b", [1], [2])]),
        ({"expect": {"a": 1}}, {"expect": {"a": True}}, [("expect.a", 1, True)]),
        ({"expect": "yes"}, {"expect": "no"}, [("expect", "yes", "no")]),
        ({"expect": "yes"}, {"expect": {"a": 1}}, [("expect", "yes", {"a": 1})]),
        ({}, {"expect": "yes"}, []),
        ({"expect": "yes"}, {}, []),
        ({"expect": {"a": None}}, {"expect": {"a": 0}}, [("expect.a", None, 0)]),
    ],
)
def test_edited_expected__each_key(before: dict[str, Any], after: dict[str, Any], expected: list[Any]) -> None:
    """Each expected value that differs is listed by its key, with both values."""
    changes = list(edited_expected(case_of(**before), case_of(**after)))
    assert expected == [(item.field, item.before, item.after) for item in changes]
    assert all(("a", "golden.jsonl", 2) == (item.id, item.path, item.line) for item in changes)


def test_edited_gold() -> None:
    """Each gold label that differs is listed with the fixture's id and line."""

    def deck(*gold: str) -> Any:
        rows = [json.dumps({"id": index, "task": "t", "trace": "x", "gold": label}) for index, label in enumerate(gold)]
        config = "decks: [{name: d, rubric: r, fixtures: f}]"
        return suite_of({"evalaction.yml": config, "r": "x", "f": "\n".join(rows)}).decks[0]

    changes = list(edited_gold(deck("pass", "fail"), deck("pass", "pass", "fail")))
    assert [("1", "f", 2, "gold", "fail", "pass")] == [
        (item.id, item.path, item.line, item.field, item.before, item.after) for item in changes
    ]


def test_decimal() -> None:
    """A threshold shows as the number that it was written as."""
    assert [parse("0.8"), 1, parse("0.125")] == [decimal(Fraction(*pair)) for pair in ((4, 5), (1, 1), (1, 8))]
