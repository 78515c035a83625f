"""A draw of a stored report: what is read anew from its text, and what stays a claim."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from support.grading import NOT_RUN, command_run
from support.reports import case_result, report, schema

from evalaction.errors import BadInput
from evalaction.records.case import Compare, Grader
from evalaction.records.draw import Usage
from evalaction.redact import REDACTED
from evalaction.report.document import report_document
from evalaction.report.stored.read import read_report
from evalaction.report.writer import json_text

TEXT = "the answer of a draw is not the one that its text gives"
STATE = "a draw is not what its state says"
COMMAND = "a draw is not what its command says of it"
FORM = "a draw has not the form that it says"
LENGTH = "the length of a draw is not the one that its reply gives"
CONTRACT = "a contract is of another form than it has to be"
HALF_ALLOWED = "a command was not allowed for some draws of a case, and was for others"

CASES: dict[str, dict[str, Any]] = {
    "json": {"expect": {"total_cents": 1950}},
    "keys": {"expect_keys": ("vendor", "total_cents")},
    "schema": {"schema": schema({"required": ["vendor"]})},
    "compare": {"compare": (("vendor", Compare(case_insensitive=True)),)},
    "text": {"grader": Grader.TEXT, "answers": {"A": "Yes ", "B": "no"}, "expect": "yes"},
    "exact": {"grader": Grader.EXACT, "answers": {"A": "Yes ", "B": "no"}},
    "choice": {
        "grader": Grader.CHOICE,
        "labels": ("Yes", "No"),
        "answers": {"A": "yes", "B": "no"},
        "raw": {"?": "perhaps"},
    },
    "regex": {
        "grader": Grader.REGEX,
        "regex": "is (.)",
        "answers": {"A": "it is x", "B": "it is y"},
        "expect": "x",
    },
    "number": {
        "grader": Grader.NUMBER,
        "whole": Compare(round=Decimal("0.5"), tolerance=1),
        "answers": {"A": "1.1", "B": "2"},
        "expect": 1,
    },
    "diff": {
        "grader": Grader.DIFF,
        "answers": {"A": "x", "B": "y"},
        "raw": {"?": "  "},
        "expect": "x",
        "expect_path": "good.txt",
    },
    "command": {"grader": Grader.COMMAND, "runs": {"B": command_run(1, "no\n")}, "raw": {"?": "  "}},
    "not run": {"grader": Grader.COMMAND, "runs": {"A": NOT_RUN}, "raw": {"?": "  "}},
    "estimated": {"usage": Usage()},
}


def document(name: str) -> Any:
    """Return the document of a run with one case of two answers, an unreadable draw and a missing one."""
    return json.loads(json_text(report_document(report(case_result("a", "A A B ? ∅", **CASES[name])))))


def refusal(document: Any) -> str | None:
    """Return why a document is refused; None for one that is taken."""
    try:
        read_report(json.dumps(document).encode())
    except BadInput as error:
        return error.problems[0].message.removeprefix("The report cannot be used: ").removesuffix(".")
    return None


@pytest.mark.parametrize("name", CASES)
def test_stored_draw__as_it_was(name: str) -> None:
    """What a run wrote is taken, whatever grades it."""
    assert refusal(document(name)) is None


def draw(index: int, **fields: Any) -> Callable[[Any], object]:
    """Return what gives one draw of the case other fields."""
    return lambda case: case["draws"][index - 1].update(fields)


def contract(**fields: Any) -> Callable[[Any], object]:
    """Return what gives the case another contract."""
    return lambda case: case["contract"].update(fields)


def without(name: str) -> Callable[[Any], object]:
    """Return what takes a field away from the case's contract."""
    return lambda case: case["contract"].pop(name)


def run(index: int, **fields: Any) -> Callable[[Any], object]:
    """Return what makes something else of a command's run."""
    return lambda case: case["draws"][index - 1]["command"].update(fields)


CLAIMS: list[tuple[str, Callable[[Any], object], str]] = [
    ("json", draw(1, answer={"vendor": "Other", "total_cents": 1950}), TEXT),
    ("json", draw(3, text='{"vendor": "Acme Tools", "total_cents": 1950}'), TEXT),
    ("json", draw(1, text="no JSON at all"), TEXT),
    ("json", draw(1, text='{"vendor": "Acme Tools", "total_cents": true}'), TEXT),
    ("json", draw(4, text='{"vendor": "Acme Tools", "total_cents": 1950}'), TEXT),
    ("json", draw(1, extraction="fence"), TEXT),
    ("json", draw(1, expected_met=False), TEXT),
    ("json", draw(3, expected_met=True), TEXT),
    ("json", draw(1, finish_reason="length"), TEXT),
    ("json", draw(1, refusal="No."), TEXT),
    ("json", draw(1, tool_calls=True), TEXT),
    ("json", draw(1, tool_calls=None), STATE),
    ("json", draw(5, reasoning=False), STATE),
    ("json", draw(1, ungraded="x"), "a draw is not what its judge says of it"),
    ("json", draw(1, command={"ended": "exited", "exit_code": 0, "output": "", "cut": False}), COMMAND),
    ("json", draw(5, error={"cause": "command", "status": None, "message": "x"}), COMMAND),
    ("json", draw(1, length={"tokens": 11, "estimated": False}), LENGTH),
    ("json", draw(1, length={"tokens": 12, "estimated": True}), LENGTH),
    ("estimated", draw(1, length={"tokens": 1, "estimated": True}), LENGTH),
    ("estimated", draw(1, length={"tokens": 12, "estimated": False}), LENGTH),
    ("json", draw(1, passes=False), "what it says at cases[0].draws[0].passes does not follow from its draws"),
    ("json", draw(5, passes=False), "what it says at cases[0].draws[4].passes does not follow from its draws"),
    (
        "json",
        lambda case: case["passes"].update(count=4),
        "what it says at cases[0].passes.count does not follow from its draws",
    ),
    (
        "json",
        lambda case: case.update(verdict_flip=False),
        "what it says at cases[0].verdict_flip does not follow from its draws",
    ),
    (
        "json",
        lambda case: case.update(pass_hat=[1, 1, 1, 1, 1]),
        "what it says at cases[0].pass_hat does not follow from its draws",
    ),
    (
        "json",
        lambda case: case["extractions"][0].update(how="fence"),
        "what it says at cases[0].extractions[0].how does not follow from its draws",
    ),
    (
        "json",
        lambda case: case.update(checks=["expected", "length"]),
        "what it says at cases[0].checks does not follow from its draws",
    ),
    ("json", lambda case: case.update(expect_file="good.txt"), CONTRACT),
    ("keys", draw(1, text='{"vendor": "Acme Tools"}', answer={"vendor": "Acme Tools"}), FORM),
    ("keys", draw(1, schema_met=False), FORM),
    ("schema", draw(4, schema_met=True), FORM),
    ("json", draw(1, answer={"vendor": "\ud83d", "total_cents": 1950}), STATE),
    ("json", contract(expect={"vendor": "\ud83d"}), CONTRACT),
    ("text", draw(1, answer="Yes "), TEXT),
    ("exact", draw(1, answer="yes"), TEXT),
    ("choice", draw(1, answer="No"), TEXT),
    ("choice", draw(1, answer="yes"), TEXT),
    ("number", draw(1, answer=1.1), TEXT),
    ("diff", draw(1, answer="y"), TEXT),
    ("regex", draw(1, answer="y"), TEXT),
    ("regex", draw(1, answer=1), TEXT),
    ("regex", draw(1, extraction="whole"), TEXT),
    ("regex", draw(1, finish_reason="length"), TEXT),
    ("command", draw(1, answer="fail"), COMMAND),
    ("command", draw(1, command=None), COMMAND),
    ("command", draw(4, command={"ended": "exited", "exit_code": 0, "output": "", "cut": False}), COMMAND),
    ("command", run(1, exit_code=None), COMMAND),
    ("command", run(1, ended="time limit"), COMMAND),
    ("command", run(1, exit_code=3), COMMAND),
    ("command", run(3, exit_code=0), COMMAND),
    ("command", run(1, exit_code=10**9), "it has not the published form at $.cases[0].draws[0].command"),
    ("command", run(1, ended="x"), "it has not the published form at $.cases[0].draws[0].command"),
    ("command", draw(1, text="  "), TEXT),
    ("command", draw(5, error={"cause": "command", "status": None, "message": "x"}), HALF_ALLOWED),
    ("not run", draw(1, ungraded=None), HALF_ALLOWED),
    ("not run", draw(1, ungraded=" "), TEXT),
    ("not run", draw(1, tries=0), "its calls are not as many as it says"),
]


@pytest.mark.parametrize(("name", "change", "why"), CLAIMS, ids=range(len(CLAIMS)))
def test_stored_draw__claims(name: str, change: Callable[[Any], object], why: str) -> None:
    """What can be worked out anew from a draw has to follow from it."""
    made = document(name)
    change(made["cases"][0])
    assert why == refusal(made)


@pytest.mark.parametrize(
    "change",
    [
        draw(1, text=f"{REDACTED} and no JSON at all"),
        draw(1, text=f'{{"vendor": "{REDACTED}"}}'),
        lambda case: (draw(1, text="none")(case), contract(expect={"total_cents": REDACTED})(case)),
    ],
)
def test_stored_draw__secrets(change: Callable[[Any], object]) -> None:
    """What was read of a text, or by a contract, that a secret was taken out of is taken as it stands."""
    made = document("json")
    change(made["cases"][0])
    first = made["cases"][0]["draws"][0]
    first["sha256"] = hashlib.sha256(first["text"].encode()).hexdigest()
    assert refusal(made) is None


CONTRACTS: list[tuple[str, Callable[[Any], object]]] = [
    ("json", contract(grader="choice")),
    ("json", contract(grader="number", whole={"round": 1})),
    ("json", contract(grader="diff", expect="x")),
    ("json", contract(grader="x")),
    ("json", contract(labels=["a", "b"])),
    ("json", contract(regex="x")),
    ("json", contract(fence="")),
    ("json", contract(whole={"round": 1})),
    ("json", contract(command={"argv": ["x"], "artifact": "x", "files": {}, "timeout": 1})),
    ("text", contract(agree_on=["a"])),
    ("text", contract(compare={"a": {"unordered": True}})),
    ("compare", contract(compare={})),
    ("compare", contract(compare=[])),
    ("compare", contract(compare={"vendor": {}})),
    ("compare", contract(compare={"vendor": {"case_insensitive": False}})),
    ("compare", contract(compare={"vendor": {"case_insensitive": 1}})),
    ("compare", contract(compare={"vendor": {"round": 0}})),
    ("compare", contract(compare={"vendor": {"round": "1"}})),
    ("compare", contract(compare={"vendor": {"tolerance": -1}})),
    ("compare", contract(compare={"vendor": {"tolerance": True}})),
    ("compare", contract(compare={"vendor": {"other": 1}})),
    ("compare", contract(compare={"é": {"round": 1}, "e\u0301": {"round": 1}})),
    ("choice", without("labels")),
    ("choice", contract(labels=["Yes"])),
    ("choice", contract(labels=["Yes", 1])),
    ("choice", contract(labels=[f"label {number}" for number in range(101)])),
    ("choice", contract(expect="perhaps")),
    ("choice", contract(expect=["Yes"])),
    ("regex", without("regex")),
    ("regex", contract(regex=1)),
    ("regex", contract(regex="x" * 10_001)),
    ("regex", contract(expect=1)),
    ("number", contract(expect="1")),
    ("number", contract(expect=True)),
    ("number", contract(whole=None)),
    ("number", contract(whole={})),
    ("number", contract(whole={"round": -1})),
    ("number", contract(whole={"unordered": True})),
    ("diff", without("expect")),
    ("diff", contract(expect={"a": 1})),
    ("diff", contract(fence=True)),
    ("diff", contract(fence="Python")),
    ("diff", contract(fence="a b")),
    ("diff", lambda case: case.update(expect_file=None)),
    ("command", without("command")),
    ("command", without("expect")),
    ("command", contract(expect="fail")),
    ("command", contract(command=[])),
    ("command", lambda case: case["contract"]["command"].update(argv=[])),
    ("command", lambda case: case["contract"]["command"].update(argv="python3")),
    ("command", lambda case: case["contract"]["command"].update(argv=["\0"])),
    ("command", lambda case: case["contract"]["command"].update(artifact="../x")),
    ("command", lambda case: case["contract"]["command"].update(timeout=0)),
    ("command", lambda case: case["contract"]["command"].update(timeout=10**40)),
    ("command", lambda case: case["contract"]["command"].update(timeout=True)),
    ("command", lambda case: case["contract"]["command"].update(files={"check.py": "x"})),
    ("command", lambda case: case["contract"]["command"].update(files=["check.py"])),
    ("command", lambda case: case["contract"]["command"].update({"shell": True})),
    ("command", lambda case: case["contract"]["command"].pop("files")),
]


@pytest.mark.parametrize(("name", "change"), CONTRACTS, ids=range(len(CONTRACTS)))
def test_stored_contract__form(name: str, change: Callable[[Any], object]) -> None:
    """A contract that no golden file can have asked for is refused."""
    made = document(name)
    change(made["cases"][0])
    assert refusal(made) == CONTRACT


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?=x)" * 1_000, "(", "a{1000}{1000}{1000}"])
def test_stored_contract__pattern(pattern: str) -> None:
    """A pattern of a report is never run: what it found is a claim, like the text that it was found in."""
    made = document("regex")
    made["cases"][0]["contract"]["regex"] = pattern
    assert refusal(made) is None


@pytest.mark.parametrize("mark", ["{", "[", "`", "~"])
def test_stored_draw__too_much_to_look_through(mark: str) -> None:
    """Texts in which a search could begin millions of times are refused before any is read."""
    made = document("json")
    made["cases"][0]["draws"][0]["text"] = mark * 3_000_001
    assert refusal(made) == "the texts of its draws have more brackets and fences than are looked through anew"


def test_stored_contract__too_much_to_compare() -> None:
    """A contract of very many keys, each with a comparison of its own, is refused before a draw is held to it."""
    made = document("compare")
    keys = [f"k{number}" for number in range(2_000)]
    made["cases"][0]["contract"] |= {"agree_on": keys, "compare": {key: {"unordered": True} for key in keys}}
    assert refusal(made) == "its contracts are larger than any that draws are held to anew"


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("compare", {"agree_on": [], "compare": {f"k{number}": {"round": 1} for number in range(2_000)}}),
        ("json", {"expect": {f"k{n}": n for n in range(5_000)}, "agree_on": [f"k{n}" for n in range(5_000)]}),
        ("json", {"expect": {"vendor": "x" * 30_000_000}}),
        ("json", {"expect": {f"k{number}": number for number in range(500_000)}}),
        ("keys", {"expect_keys": [f"k{number}" for number in range(500_000)]}),
        ("choice", {"labels": ["Yes", "x" * 30_000_000]}),
        ("text", {"expect": "x" * 30_000_000}),
    ],
)
def test_stored_contract__too_much_to_hold_to(name: str, fields: Any) -> None:
    """A contract that is far longer than what it is about, or of many keys, is refused before a draw is held to it."""
    made = document(name)
    made["cases"][0]["contract"] |= fields
    assert refusal(made) == "its contracts are larger than any that draws are held to anew"
