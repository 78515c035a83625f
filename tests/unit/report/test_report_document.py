"""report.json: everything that was measured, exactly, in its published shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from support.example_reports import example_reports
from support.grading import NOT_RUN, command_run
from support.reports import case_result, change, removed, report, untrusted_everywhere

from evalaction.records.case import Compare, Grader
from evalaction.records.command import Ended
from evalaction.records.report import Report
from evalaction.report.document import report_document, report_pieces
from evalaction.report.writer import Document, json_chunks, json_text

SCHEMA = json.loads((Path(__file__).parents[3] / "evalaction/schemas/report.schema.json").read_text(encoding="utf-8"))


def read(run: Report) -> Any:
    """Return what a reader of the file gets."""
    return json.loads(json_text(report_document(run)))


def test_schema__is_one() -> None:
    """The published schema is a JSON Schema that refuses what it does not know, at every level."""
    Draft202012Validator.check_schema(SCHEMA)
    objects = [SCHEMA, *SCHEMA["$defs"].values()]

    assert [item.get("additionalProperties") for item in objects if "properties" in item] == [False] * sum(
        "properties" in item for item in objects
    )


@pytest.mark.parametrize("name", sorted(example_reports()))
def test_report_document__follows_the_schema(name: str) -> None:
    """Every example's document is valid under the published schema."""
    assert list(Draft202012Validator(SCHEMA).iter_errors(read(example_reports()[name]))) == []


@pytest.mark.parametrize("name", sorted(example_reports()))
def test_report_pieces__same_file(name: str) -> None:
    """Made case by case, the file is the same, and no case is made before it is asked for."""
    run = example_reports()[name]
    pieces = report_pieces(run)

    assert isinstance(pieces["cases"], Iterator)
    assert "".join(json_chunks(pieces)) == json_text(report_document(run))


def test_report_document__hostile_text() -> None:
    """Halves of surrogate pairs and control characters come back from the file as they were."""
    text = '\ud83d\x00\u2028"\\\n'
    document = report_document(untrusted_everywhere(text))

    assert json.loads(json_text(document).encode().decode())["cases"][0]["id"] == f"{text}flip"
    assert list(Draft202012Validator(SCHEMA).iter_errors(json.loads(json_text(document)))) == []


def test_report_document__exact_numbers() -> None:
    """Integers of any size and decimals of any length come back digit by digit."""
    answer = {
        "big": 10**30 + 1,
        "power": 10**21,
        "small": Decimal("0.1000000000000000000000001"),
        "double": Decimal("1E-7"),
    }
    run = report(case_result("a", "A A", answers={"A": answer}))
    parsed = json.loads(json_text(report_document(run)), parse_float=Decimal)

    assert parsed["cases"][0]["modes"] == [{"answer": answer, "count": 2, "draws": [1, 2]}]
    assert [type(parsed["cases"][0]["draws"][0]["answer"][key]) for key in answer] == [int, int, Decimal, Decimal]


def test_report_document__one_case() -> None:
    """A case holds every figure, null where nothing is measured, and every draw."""
    case = read(
        report(case_result("a", "A B ∅", answers={"A": {"x": 1}, "B": {"x": Decimal("1.5")}}, expect={"x": 1}))
    )["cases"][0]
    draws = case.pop("draws")
    for name in ("fingerprints", "gates"):
        del case[name]

    assert case == {
        "id": "a",
        "file": "golden/invoices.golden.jsonl",
        "line": 1,
        "reasons": ["prompt"],
        "changed_files": [],
        "verdict": "fail",
        "n": 3,
        "measured": 2,
        "agreement": {"count": 1, "of": 3},
        "flip_rate": {"count": 2, "of": 3},
        "disagreement": None,
        "interval": None,
        "flipping": True,
        "distinct": 2,
        "modes": [{"answer": {"x": 1.5}, "count": 1, "draws": [2]}, {"answer": {"x": 1}, "count": 1, "draws": [1]}],
        "differing_keys": ["x"],
        "schema": None,
        "length": {"mean": 12, "max": 12, "budget": None, "unit": "tokens", "estimated": False},
        "expected": {"count": 1, "of": 3},
        "passes": {"count": 1, "of": 2},
        "verdict_flip": True,
        "pass_hat": None,
        "extractions": [{"how": "whole", "draws": [1, 2]}],
        "checks": ["expected"],
        "contract": {"grader": "json", "expect": {"x": 1}, "expect_min": "1/1", "agreement_min": "4/5"},
        "expect_file": None,
        "sampling": {"model": "m-1", "temperature": 0.7},
        "judge": None,
        "baseline": None,
    }
    assert draws[1:] == [
        {
            "index": 2,
            "seed": None,
            "state": "answered",
            "text": '{"x":1.5}',
            "sha256": "461b06088af6528a5584517dd01a204856b291c4eead2bf678c9a6cc0e615623",
            "finish_reason": "stop",
            "refusal": None,
            "tool_calls": False,
            "reasoning": False,
            "answer": {"x": 1.5},
            "extraction": "whole",
            "tokens": {"prompt": 40, "completion": 12, "reasoning": None, "cached": None},
            "schema_met": None,
            "schema_errors": [],
            "expected_met": False,
            "command": None,
            "passes": False,
            "length": {"tokens": 12, "estimated": False},
            "latency_s": 0.5,
            "tries": 1,
            "response_id": "cmpl-2",
            "choice": 0,
            "choices": 1,
            "created": None,
            "model": None,
            "system_fingerprint": None,
            "replayed": None,
            "replay_of": None,
            "judge": None,
            "ungraded": None,
            "error": None,
        },
        {
            "index": 3,
            "seed": None,
            "state": "missing",
            "text": None,
            "sha256": None,
            "finish_reason": None,
            "refusal": None,
            "tool_calls": None,
            "reasoning": None,
            "answer": None,
            "extraction": None,
            "tokens": None,
            "schema_met": None,
            "schema_errors": [],
            "expected_met": None,
            "command": None,
            "passes": None,
            "length": None,
            "latency_s": None,
            "tries": 0,
            "response_id": None,
            "choice": None,
            "choices": None,
            "created": None,
            "model": None,
            "system_fingerprint": None,
            "replayed": None,
            "replay_of": None,
            "judge": None,
            "ungraded": None,
            "error": {"cause": "deadline", "status": None, "message": "the deadline of 1,800 s was reached"},
        },
    ]


def test_report_document__figures_that_are_no_counts() -> None:
    """Means and disagreements are numbers of twelve digits; the interval has both its ends."""
    case = read(report(case_result("a", "A A B")))["cases"][0]

    assert (case["disagreement"], case["interval"]) == (0.666666666667, [0.00840375866, 0.99161984871])


def test_report_document__passes() -> None:
    """What passes is counted, and pass^k are numbers of twelve digits; without a check beside agreement it says so."""
    cases = read(report(case_result("a", "A A B", expect={"total_cents": 1950}), case_result("b", "A A A")))["cases"]

    assert [
        {name: case[name] for name in ("id", "passes", "verdict_flip", "pass_hat", "checks")} for case in cases
    ] == [
        {
            "id": "a",
            "passes": {"count": 2, "of": 3},
            "verdict_flip": True,
            "pass_hat": [0.666666666667, 0.333333333333, 0],
            "checks": ["expected"],
        },
        {
            "id": "b",
            "passes": {"count": 3, "of": 3},
            "verdict_flip": False,
            "pass_hat": [1, 1, 1],
            "checks": [],
        },
    ]


COMMANDS = {"B": command_run(1, "boom\n"), "C": command_run(None, "x", ended=Ended.OUTPUT, cut=True), "D": NOT_RUN}


def test_report_document__commands() -> None:
    """A command's runs are told whole; one that could not be made leaves a missing draw with its text."""
    texts = {letter: f"artifact {letter}" for letter in "ABCD"}
    case = read(report(case_result("a", "A B C D", grader=Grader.COMMAND, answers=texts, runs=COMMANDS)))["cases"][0]

    assert case["contract"] == {
        "grader": "command",
        "expect": "pass",
        "expect_min": "1/1",
        "agreement_min": "4/5",
        "command": {
            "argv": ["python3", "check.py"],
            "artifact": "artifact.txt",
            "files": {"check.py": "ad64355106bb158b020ecf9702be48f7730fc091dd4bb6a2f092b40393495b3d"},
            "timeout": 10,
        },
    }
    names = ("state", "text", "answer", "extraction", "command", "passes", "ungraded", "error")
    assert [{name: draw[name] for name in names} for draw in case["draws"]] == [
        {
            "state": "answered",
            "text": f"artifact {letter}",
            "answer": answer,
            "extraction": "exit code",
            "command": command,
            "passes": answer == "pass",
            "ungraded": None,
            "error": None,
        }
        for letter, answer, command in (
            ("A", "pass", {"ended": "exited", "exit_code": 0, "output": "", "cut": False}),
            ("B", "fail", {"ended": "exited", "exit_code": 1, "output": "boom\n", "cut": False}),
            ("C", "fail", {"ended": "output limit", "exit_code": None, "output": "x", "cut": True}),
        )
    ] + [
        {
            "state": "missing",
            "text": None,
            "answer": None,
            "extraction": None,
            "command": None,
            "passes": None,
            "ungraded": "artifact D",
            "error": {
                "cause": "command",
                "status": None,
                "message": "commands are not allowed: set allow-commands",
            },
        }
    ]


GRADERS: dict[str, Any] = {
    "choice": {"labels": ("yes", "no"), "answers": {"A": "yes", "B": "no"}, "expect": "yes"},
    "regex": {"regex": "is (.*)", "answers": {"A": "it is x", "B": "it is y"}, "expect": "x"},
    "number": {"whole": Compare(round=Decimal("0.5"), tolerance=1), "answers": {"A": "1.2", "B": "2"}, "expect": 1},
    "diff": {"fence": "", "expect": "x\ny", "expect_path": "good.txt", "answers": {"A": "```\nx\n```", "B": "x"}},
    "command": {"fence": "python", "answers": {"A": "```python\nx\n```", "B": "x"}},
    "json": {"compare": (("vendor", Compare(case_insensitive=True)), ("x", Compare(unordered=True)))},
}


@pytest.mark.parametrize("grader", GRADERS)
def test_report_document__every_grader(grader: str) -> None:
    """Whatever grades a case, its document follows the published schema."""
    run = report(case_result("a", "A B ?", grader=Grader(grader), **GRADERS[grader]))
    assert list(Draft202012Validator(SCHEMA).iter_errors(read(run))) == []


def test_report_document__an_unreadable_draw() -> None:
    """An unreadable draw keeps its text and says why it is no answer."""
    draw = read(report(case_result("a", "A ?")))["cases"][0]["draws"][1]

    assert (draw["state"], draw["text"], draw["answer"], draw["error"]) == (
        "unreadable",
        "I cannot tell.",
        None,
        {"cause": "unreadable", "status": None, "message": "no JSON object in the text"},
    )


def test_report_document__changes() -> None:
    """What is checked differently or removed is listed, each with its place."""
    document = read(
        report(
            loosened=(change("a", "agreement_min", Decimal("0.9"), Decimal("0.8"), line=4),),
            removed=(removed("b"), removed(None, kind="file")),
        )
    )

    assert document["loosened"] == [
        {
            "id": "a",
            "file": "golden/invoices.golden.jsonl",
            "line": 4,
            "field": "agreement_min",
            "before": 0.9,
            "after": 0.8,
        }
    ]
    assert document["removed"] == [
        {"kind": "case", "file": "golden/old.golden.jsonl", "id": "b"},
        {"kind": "file", "file": "golden/old.golden.jsonl", "id": None},
    ]
    assert (document["verdict"], document["exit_code"], document["schema_version"]) == ("pass", 0, 1)


def test_report_document__whole_without_completions() -> None:
    """The file holds the completions even where comment and log do not."""
    run = report(case_result("a", "A A", grader=Grader.TEXT, answers={"A": "yes"}), show_completions=False)

    assert [draw["text"] for draw in read(run)["cases"][0]["draws"]] == ["yes", "yes"]


DOCUMENTS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=20,
)


@given(DOCUMENTS)
def test_json_text__round_trip(document: Document) -> None:
    """A JSON reader gets the document back."""
    assert json.loads(json_text(document)) == document


def test_json_text__layout() -> None:
    """Small things stand on one line, large ones a line each, so that two reports can be compared."""
    document: Document = {"a": {"count": 4, "of": 5}, "b": [], "c": [{"d": 1}, "x" * 100], "e": ["y" * 60, "z" * 60]}

    assert json_text(document) == (
        '{\n  "a": {"count": 4, "of": 5},\n  "b": [],\n  "c": [\n    {"d": 1},\n    "'
        + "x" * 100
        + '"\n  ],\n  "e": [\n    "'
        + "y" * 60
        + '",\n    "'
        + "z" * 60
        + '"\n  ]\n}\n'
    )


@pytest.mark.parametrize("number", [float("nan"), float("inf"), Decimal("NaN")])
def test_json_text__no_number(number: Document) -> None:
    """What is no JSON number is refused, rather than written into a file that nobody can read."""
    with pytest.raises(ValueError, match=r"is no JSON number$"):
        json_text(number)
