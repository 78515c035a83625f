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
    files = {"r.md": "Be kind.", "good.txt": "x\n", "other.txt": "y\n"}
    suite = suite_of({**golden("", json.dumps({"id": "a", "prompt": "x", **fields})), **files})
    assert () == suite.problems
    return suite.cases[0]


def found(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(item.field, item.before, item.after) for item in loosened(case_of(**before), case_of(**after))]


SCHEMA: dict[str, Any] = {"type": "object"}
JUDGED: dict[str, Any] = {"grader": "judge", "rubric": "r.md"}
CHOICE: dict[str, Any] = {"grader": "choice", "labels": ["no", "yes"]}
NUMBER: dict[str, Any] = {"grader": "number", "expect": 1}
DIFF: dict[str, Any] = {"grader": "diff", "expect_file": "good.txt"}
COMMAND: dict[str, Any] = {"grader": "command", "command": ["x", "y"]}
REGEX: dict[str, Any] = {"grader": "regex", "regex": "x"}
A: dict[str, Any] = {"agree_on": ["a"], "expect": {"a": 1}}
FOLDS: dict[str, Any] = {"compare": {"a": {"case_insensitive": True}}}
GOOD = "good.txt (sha256 2d711642b726)"
OTHER = "other.txt (sha256 a1fce4363854)"


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
        *((CHOICE, {"grader": grader}, [("grader", "choice", grader)]) for grader in ("text", "exact")),
        (CHOICE, REGEX, [("grader", "choice", "regex")]),
        ({"grader": "text"}, {"grader": "number"}, [("grader", "text", "number")]),
        ({"grader": "json"}, {"grader": "number"}, [("grader", "json", "number")]),
        ({"grader": "exact"}, REGEX, [("grader", "exact", "regex")]),
        (CHOICE, {**CHOICE, "labels": ["no", "yes", "maybe"]}, [("labels", ["no", "yes"], ["maybe", "no", "yes"])]),
        ({**NUMBER, "round": 1}, {**NUMBER, "round": 10}, [("round", 1, 10)]),
        (NUMBER, {**NUMBER, "round": 0.5}, [("round", None, parse("0.5"))]),
        (NUMBER, {**NUMBER, "tolerance": 0.5}, [("tolerance", None, parse("0.5"))]),
        ({**NUMBER, "tolerance": 1}, {**NUMBER, "tolerance": 2}, [("tolerance", 1, 2)]),
        (A, {**A, "compare": {"a": {"tolerance": 1}}}, [("compare.a.tolerance", None, 1)]),
        (
            {**A, "compare": {"a": {"round": 1}}},
            {**A, "compare": {"a": {"round": 2, "unordered": True, "case_insensitive": True}}},
            [
                ("compare.a.case_insensitive", None, True),
                ("compare.a.unordered", None, True),
                ("compare.a.round", 1, 2),
            ],
        ),
        ({"grader": "json"}, {"compare": {"a": {"unordered": True}}}, [("compare.a.unordered", None, True)]),
        (DIFF, {**DIFF, "fence": "text"}, [("fence", None, "text")]),
        ({**DIFF, "fence": "text"}, {**DIFF, "fence": True}, [("fence", "text", True)]),
        (DIFF, {**DIFF, "expect_min": 0.5}, [("expect_min", 1, parse("0.5"))]),
        (COMMAND, {**COMMAND, "command_timeout": 11}, [("command_timeout", 10, 11)]),
        (COMMAND, {**COMMAND, "expect_min": 0.5}, [("expect_min", 1, parse("0.5"))]),
        ({**COMMAND, "schema": SCHEMA}, COMMAND, [("schema", SCHEMA, None)]),
        (
            COMMAND,
            JUDGED,
            [("grader", "command", "judge"), ("command", ["x", "y"], None)],
        ),
    ],
)
def test_loosened__each_kind(before: dict[str, Any], after: dict[str, Any], expected: list[Any]) -> None:
    """A gate that asks for less is listed; the way back is not."""
    assert expected == found(before, after)
    assert [] == found(after, before)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (DIFF, {"grader": "text"}, [("grader", "diff", "text"), ("expect_file", "good.txt", None)]),
        ({"grader": "text"}, DIFF, []),
        (DIFF, {"grader": "exact", "expect": "x"}, []),
        (COMMAND, {"grader": "json"}, [("command", ["x", "y"], None)]),
        ({"grader": "json"}, COMMAND, [("grader", "json", "command")]),
        (JUDGED, COMMAND, []),
    ],
)
def test_loosened__another_grader(before: dict[str, Any], after: dict[str, Any], expected: list[Any]) -> None:
    """A file that is known to be good, or a command, that is gone is listed; so is leaving draws to a command."""
    assert expected == found(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CHOICE, {**CHOICE, "labels": ["Yes", "no"]}),
        ({**CHOICE, "labels": ["a", "b", "c"]}, {**CHOICE, "labels": ["b", "a"]}),
        (REGEX, {**REGEX, "regex": "."}),
        (COMMAND, {**COMMAND, "command": ["true"]}),
        (DIFF, {**DIFF, "expect_file": "other.txt"}),
        ({"agree_on": ["b"]}, {"agree_on": ["b", "a"], "compare": {"a": {"unordered": True}}}),
        ({"schema": SCHEMA}, {"schema": {"type": "array"}}),
        ({"expect": {"a": 1}}, {"expect": {"a": 2}}),
        ({"max_tokens": 10}, {"max_tokens": 20}),
        ({"temperature": 1}, {"temperature": 0}),
        ({"expect": "x", "expect_min": 0.5}, {"expect": "x", "tags": ["t"]}),
    ],
)
def test_loosened__what_is_no_loosening(before: dict[str, Any], after: dict[str, Any]) -> None:
    """A changed schema, pattern or command, an edited value, another cap or sampling is no gate that asks for less."""
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
        ({"expect": {"\u00e9": 1}}, {"expect": {"e\u0301": 2}}, [("expect.e\u0301", 1, 2)]),
        ({"expect": {"a": "\u00e9"}}, {"expect": {"a": "e\u0301"}}, []),
        (
            {"expect": {"\u00e9": "X"}, "compare": {"e\u0301": {"case_insensitive": True}}},
            {"expect": {"\u00e9": "x"}, "compare": {"e\u0301": {"case_insensitive": True}}},
            [],
        ),
        *(
            (
                {"expect": {"a": "X"}, **before},
                {"expect": {"a": "x"}, **after},
                [] if before == after == FOLDS else [("expect.a", "X", "x")],
            )
            for before in ({}, FOLDS)
            for after in ({}, FOLDS)
        ),
        ({**NUMBER, "round": 10}, {**NUMBER, "round": 10, "expect": 4}, []),
        ({**NUMBER, "tolerance": 10}, {**NUMBER, "tolerance": 10, "expect": 4}, [("expect", 1, 4)]),
        (DIFF, {**DIFF, "expect_file": "other.txt"}, [("expect_file", GOOD, OTHER)]),
        (DIFF, {"grader": "exact", "expect": "y"}, [("expect", GOOD, "y")]),
        (COMMAND, {"grader": "text", "expect": "y"}, []),
        (COMMAND, {**COMMAND, "command_timeout": 11}, []),
        (COMMAND, {**COMMAND, "command": ["true"]}, [("command", ["x", "y"], ["true"])]),
        (
            {**COMMAND, "command_files": ["good.txt"]},
            {**COMMAND, "command_files": ["other.txt"]},
            [
                ("command_files.good.txt", "sha256 73cb3858a687", None),
                ("command_files.other.txt", None, "sha256 3bb2abb69ebb"),
            ],
        ),
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
