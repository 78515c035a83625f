"""Golden lines of each grader: the contract that they become, and what they may not hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from support.suites import golden, problems, suite_of

from evalaction.records.case import EXACTLY, Case, Command, Compare, Contract, Grader, Use, UseRole
from evalaction.suite.graded import TAKEN
from evalaction.values import parse, sha256

FILES: dict[str, str | bytes] = {
    "good.py": "\ufeffx = 1\r\ny = 2\r\n\r\n",
    "check.py": b"\xff\x00 any bytes",
    "lib/check.py": "import artifact",
    "lib/data.json": "{}",
    "empty.txt": " \n",
    "conflict.txt": "x\n<<<<<<< HEAD\n",
    "nul.txt": "x\ny\0",
    "latin.txt": b"\xe9",
    "pointer.txt": "version https://git-lfs.github.com/spec/v1\r\noid sha256:0111\r\nsize 8\r\n",
    "long.txt": "x" * 1_000_001,
    "large.bin": b"x" * 10_000_001,
    "r.md": "Be kind.",
    "s.json": '{"type": "object"}',
}


def case_of(path: str = "golden.jsonl", **fields: Any) -> Case:
    suite = suite_of({path: json.dumps({"id": "a", "prompt": "x", **fields}), **FILES}, golden=(path,))
    assert () == suite.problems
    return suite.cases[0]


def wrong(**fields: Any) -> list[str]:
    row = json.dumps({"id": "a", "prompt": "x", **fields})
    return [text.removeprefix("golden.jsonl:1: ") for text in problems({**golden(row), **FILES})]


NUMBER = parse("0.01")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"grader": "choice", "labels": ["spam", "Ham"], "expect": "Ham"},
            Contract(grader=Grader.CHOICE, labels=("Ham", "spam"), expect="Ham"),
        ),
        (
            {"grader": "regex", "regex": r"total: (\d+)", "expect": "7"},
            Contract(grader=Grader.REGEX, regex=r"total: (\d+)", expect="7"),
        ),
        ({"grader": "number"}, Contract(grader=Grader.NUMBER)),
        (
            {"grader": "number", "expect": 19.50, "round": 0.01, "tolerance": 0},
            Contract(
                grader=Grader.NUMBER,
                expect=parse("19.5"),
                whole=Compare(round=NUMBER, tolerance=0),  # type: ignore[arg-type]
            ),
        ),
        (
            {"expect_keys": ["b", "a"], "compare": {"b": {"round": 0.01}, "a": {"case_insensitive": True}}},
            Contract(
                grader=Grader.JSON,
                expect_keys=("a", "b"),
                compare=(("a", Compare(case_insensitive=True)), ("b", Compare(round=NUMBER))),  # type: ignore[arg-type]
            ),
        ),
        (
            {"expect": {"a": [1]}, "compare": {"other": {"unordered": True}}},
            Contract(grader=Grader.JSON, expect={"a": [1]}, compare=(("other", Compare(unordered=True)),)),
        ),
        (
            {"agree_on": ["b"], "expect": {"a": 1}, "compare": {"a": {"tolerance": 2}}},
            Contract(grader=Grader.JSON, agree_on=("b",), expect={"a": 1}, compare=(("a", Compare(tolerance=2)),)),
        ),
        (
            {"grader": "diff", "expect_file": "good.py", "fence": "Python"},
            Contract(grader=Grader.DIFF, expect="x = 1\ny = 2", expect_path="good.py", fence="python"),
        ),
        (
            {"grader": "command", "command": ["true"]},
            Contract(grader=Grader.COMMAND, expect="pass", command=Command(argv=("true",), artifact="artifact.txt")),
        ),
        (
            {"grader": "command", "command": ["x", "x"], "expect_keys": ["a"], "command_timeout": 300},
            Contract(
                grader=Grader.COMMAND,
                expect="pass",
                expect_keys=("a",),
                command=Command(argv=("x", "x"), artifact="artifact.json", timeout_s=300),
            ),
        ),
        (
            {
                "grader": "command",
                "command": ["python3", "check.py"],
                "command_files": ["./lib/data.json", "check.py"],
                "artifact": "artifact.py",
                "fence": True,
            },
            Contract(
                grader=Grader.COMMAND,
                expect="pass",
                fence="",
                command=Command(
                    argv=("python3", "check.py"),
                    artifact="artifact.py",
                    files=(("check.py", b"\xff\x00 any bytes"), ("data.json", b"{}")),
                ),
            ),
        ),
    ],
)
def test_contract__each_grader(fields: dict[str, Any], expected: Contract) -> None:
    """What a line says of its grader becomes its contract, and nothing else is set."""
    assert expected == case_of(**fields).contract


def test_contract__exactly() -> None:
    """Where nothing is said of how values compare, they compare exactly."""
    contract = case_of(grader="number").contract
    assert (True, EXACTLY) == (contract.whole is EXACTLY, contract.compared("a"))


def test_case__files_of_a_grader() -> None:
    """Files are seen from the golden file, and each stands in the case with what it is for."""
    diff = case_of("lib/x.golden.jsonl", grader="diff", expect_file="../good.py")
    command = case_of("lib/x.golden.jsonl", grader="command", command=["x"], command_files=["data.json", "../check.py"])

    def use(path: str, role: UseRole) -> Use:
        data = FILES[path]
        return Use(path=path, role=role, sha256=sha256(data if isinstance(data, bytes) else data.encode()))

    assert (use("good.py", UseRole.EXPECTED),) == diff.uses
    assert (use("check.py", UseRole.COMMAND), use("lib/data.json", UseRole.COMMAND)) == command.uses


@pytest.mark.parametrize("data", ["x = 1\ny = 2", "x = 1\r\ny = 2\r\n", b"\xef\xbb\xbfx = 1\ny = 2\n\n\n"])
def test_contract__same_known_good_file(data: str | bytes) -> None:
    """A byte order mark, line ends and line feeds at the very end are no part of what is expected."""
    row = json.dumps({"id": "a", "prompt": "x", "grader": "diff", "expect_file": "good.py"})
    suite = suite_of({**golden(row), "good.py": data})
    assert ["x = 1\ny = 2"] == [case.contract.expect for case in suite.cases]


LINE: dict[str, dict[str, Any]] = {
    "choice": {"grader": "choice", "labels": ["yes", "no"]},
    "regex": {"grader": "regex", "regex": "x"},
    "number": {"grader": "number"},
    "diff": {"grader": "diff", "expect_file": "good.py"},
    "command": {"grader": "command", "command": ["x"]},
    "judge": {"grader": "judge", "rubric": "r.md"},
    "json": {"grader": "json"},
    "text": {"grader": "text"},
    "exact": {"grader": "exact"},
}
"""Grader → the least that a line of it holds."""
FIELD: dict[str, Any] = {
    "rubric": "r.md",
    "labels": ["yes", "no"],
    "judge_repeats": 2,
    "regex": "x",
    "round": 1,
    "tolerance": 1,
    "fence": True,
    "command": ["x"],
    "command_files": ["r.md"],
    "command_timeout": 1,
    "artifact": "a",
    "expect_keys": ["a"],
    "agree_on": ["a"],
    "compare": {"a": {"unordered": True}},
    "schema": {"type": "object"},
    "schema_file": "s.json",
    "expect_file": "good.py",
}


@pytest.mark.parametrize("grader", LINE)
@pytest.mark.parametrize("name", TAKEN)
def test_problems__field_of_another_grader(grader: str, name: str) -> None:
    """A field that a line's grader does not read is an error that names the graders which do."""
    readers = [reader.value for reader in TAKEN[name]]
    message = f"`{name}` needs the grader {' or '.join(readers)}, not {grader}. Change the grader, or remove it."
    expected = [] if grader in readers else [message]
    also = {"expect": 1} if (grader, name) == ("number", "tolerance") else {}
    assert expected == wrong(**{**LINE[grader], name: FIELD[name], **also})


@pytest.mark.parametrize("name", sorted(set(TAKEN) - {"expect_keys", "agree_on", "compare", "schema", "schema_file"}))
def test_problems__field_without_its_grader(name: str) -> None:
    """A field that one grader reads does not choose that grader: a line without one is told what to write."""
    readers = [reader.value for reader in TAKEN[name]]
    message = f"`{name}` needs the grader {' or '.join(readers)}, not text."
    assert [f'{message} Add "grader": "{readers[0]}", or remove it.'] == wrong(**{name: FIELD[name]})


@pytest.mark.parametrize(
    ("grader", "remedy"),
    [
        ("choice", "`labels`. List what an answer may be."),
        ("regex", "`regex`. Write the pattern whose first group is the answer."),
        ("diff", "`expect_file`. Name the file that is known to be good, relative to the golden file."),
        ("command", "`command`. List the program that is run on each draw, and its arguments."),
        ("judge", "a `rubric`. Name the file that says what a good answer is, relative to the golden file."),
    ],
)
def test_problems__what_a_grader_needs(grader: str, remedy: str) -> None:
    """A grader without what it goes by is an error that says what is missing."""
    assert [f"The grader {grader} needs {remedy}"] == wrong(grader=grader)


def test_problems__choice_without_labels() -> None:
    """A choice without labels is told so, and not that its expected value is none of another grader's labels."""
    assert ["The grader choice needs `labels`. List what an answer may be."] == wrong(grader="choice", expect="spam")


TO_TEXT = 'Write it as a text, or use "grader": "number".'
NOT_WITH = "`expect` does not go with"
NUMBERS = "and the grader number compares numbers. Write a number, without quotation marks."


@pytest.mark.parametrize(
    ("line", "expect", "expected"),
    [
        *(
            (name, {"a": 1}, f"`expect` is an object, which needs the grader json, not {name}.")
            for name in ("text", "exact", "choice", "regex", "judge")
        ),
        *(
            (name, 1, f"`expect` is a number, which needs the grader number, not {name}. {TO_TEXT}")
            for name in ("text", "exact", "choice", "regex", "judge")
        ),
        (
            "json",
            1,
            "`expect` is a number, and the grader json compares the keys of an object. "
            "Use the grader number, or write an object of keys and their values.",
        ),
        ("number", "1", f"`expect` is a text, {NUMBERS}"),
        ("number", {"a": 1}, f"`expect` is an object, {NUMBERS}"),
        ("diff", "x", f"{NOT_WITH} the grader diff: `expect_file` says what is expected. Remove it."),
        (
            "command",
            "pass",
            f"{NOT_WITH} the grader command: `command` says what is expected. Remove it.",
        ),
        (
            "choice",
            "Yes",
            '`expect` is "Yes", which no draw can answer: the labels are yes, no.',
        ),
    ],
)
def test_problems__expected_of_another_kind(line: str, expect: Any, expected: str) -> None:
    """An expected value that no answer of the grader can meet is an error, never a case that always fails."""
    assert [expected] == wrong(**LINE[line], expect=expect)


OPTIONS = "case_insensitive, unordered, round, tolerance"
IN_NO_EXPECT = (
    "and `expect` has no number for it: within a tolerance is no equality of two draws. "
    "Use `round`, or write the expected number into `expect`."
)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"compare": {}}, "`compare` takes an object of keys, each with how its values compare, not {}."),
        ({"compare": {"a": {}}}, f'`compare` takes for "a" an object with some of {OPTIONS}, not {{}}.'),
        ({"compare": {"a": True}}, f'`compare` takes for "a" an object with some of {OPTIONS}, not true.'),
        (
            {"compare": {"a": {"trim": True}}},
            f'`compare` for "a": there is no option "trim", known are {OPTIONS}.',
        ),
        ({"compare": {"a": {"unordered": False}}}, '`compare` for "a": `unordered` takes true, not false.'),
        ({"compare": {"a": {"round": 0}}}, '`compare` for "a": `round` takes a number above 0, not 0.'),
        (
            {"compare": {"a": {"tolerance": -1}}, "expect": {"a": 1}},
            '`compare` for "a": `tolerance` takes a number of 0 or more, not -1.',
        ),
        (
            {"compare": {"totl": {"round": 1}}, "expect_keys": ["total"]},
            '`compare` names the key "totl", which is neither agreed on nor expected. Did you mean total?',
        ),
        (
            {"compare": {"x": {"round": 1}}, "expect_keys": ["a", "x"], "agree_on": ["a"], "expect": {"b": 1}},
            '`compare` names the key "x", which is neither agreed on nor expected. Such keys are a, b.',
        ),
        ({"compare": {"a": {"tolerance": 1}}}, f'`compare` has a `tolerance` for "a", {IN_NO_EXPECT}'),
        (
            {"compare": {"a": {"tolerance": 1}}, "expect": {"b": 1}},
            f'`compare` has a `tolerance` for "a", {IN_NO_EXPECT}',
        ),
        (
            {"compare": {"a": {"tolerance": 1}}, "expect": {"a": True}},
            f'`compare` has a `tolerance` for "a", {IN_NO_EXPECT}',
        ),
        (
            {"compare": {"\u00e9": {"round": 1}, "e\u0301": {"round": 2}}},
            '`compare` holds "\u00e9" twice, in two spellings of Unicode, and keys are compared in NFC.',
        ),
        (
            {"expect": {"a": [{"e\u0301": 1, "\u00e9": 1}]}},
            '`expect` cannot be compared: two keys of one object are the same in Unicode NFC: "\u00e9".',
        ),
        (
            {"expect_keys": ["\u00e9", "e\u0301"]},
            '`expect_keys` holds "\u00e9" twice, in two spellings of Unicode, and keys are compared in NFC.',
        ),
        (
            {"expect": "a" + "\u0301" * 101},
            "`expect` cannot be compared: more than 100 combining marks in a row in a string.",
        ),
        ({"agree_on": ["a" + "\u0f73" * 101]}, "`agree_on` holds more than 100 combining marks in a row."),
        ({**LINE["regex"], "regex": "(a"}, "`regex` is no pattern: missing ) at position 2."),
        ({**LINE["regex"], "regex": " "}, '`regex` takes a text that is not empty, not " ".'),
        ({**LINE["number"], "round": 0, "expect": 1}, "`round` takes a number above 0, not 0."),
        (
            {**LINE["number"], "tolerance": 1},
            "`tolerance` without `expect` checks nothing: within a tolerance is no equality of two draws. "
            "Use `round`, or write the expected number into `expect`.",
        ),
        (
            {**LINE["diff"], "fence": "a b"},
            '`fence` takes true, for a block of any language, or the name of a language, not "a b".',
        ),
        (
            {**LINE["command"], "fence": True, "schema_file": "s.json"},
            "`fence` does not go with keys or a schema: the artifact is the JSON value then. Remove one of them.",
        ),
        (
            {"grader": "command", "command": "python3 check.py"},
            "`command` takes a list of texts that are not empty, the program first, such as "
            '["python3", "check.py"], not "python3 check.py".',
        ),
        ({"grader": "command", "command": ["x"] * 101}, "`command` holds 101 texts, and 100 are the most."),
        ({"grader": "command", "command": ["x\0"]}, "`command` holds a NUL character, which no argument can have."),
        (
            {**LINE["command"], "command_files": ["check.py", "./lib/../lib/check.py"]},
            "In the case 'a': `command_files` puts check.py and lib/check.py into one folder, and both are named "
            "check.py. Rename one of them, or name it once.",
        ),
        (
            {**LINE["command"], "command_files": ["check.py", "./check.py"]},
            "In the case 'a': `command_files` puts check.py and check.py into one folder, and both are named "
            "check.py. Rename one of them, or name it once.",
        ),
        (
            {**LINE["command"], "command_files": ["lib/check.py"], "artifact": "check.py"},
            "In the case 'a': `command_files` puts lib/check.py into one folder with the artifact, which is named "
            "check.py too. Name the artifact otherwise, in `artifact`.",
        ),
        (
            {**LINE["command"], "command_files": ["large.bin"]},
            "In the case 'a': `command_files` are larger than 10,000,000 bytes together.",
        ),
        (
            {**LINE["command"], "command_files": ["../x"]},
            "In the case 'a': '../x' leaves the repository. Name a file of this repository by a relative path.",
        ),
        (
            {**LINE["command"], "command_files": ["pointer.txt"]},
            "In the case 'a': pointer.txt is a Git LFS pointer, not the file itself. Do not store it in LFS "
            "(git lfs untrack), or read the work tree after a checkout with `lfs: true`.",
        ),
        (
            {**LINE["command"], "artifact": ".env"},
            "`artifact` takes a file's name of 1 to 100 letters, digits and ._-, which begins with no . or -, "
            'not ".env".',
        ),
        ({**LINE["command"], "command_timeout": 301}, "`command_timeout` takes an integer from 1 to 300, not 301."),
        (
            {**LINE["diff"], "expect_file": "goood.py"},
            "In the case 'a': goood.py does not exist. Did you mean good.py?",
        ),
        ({**LINE["diff"], "expect_file": "empty.txt"}, "empty.txt: The expected file is empty."),
        (
            {**LINE["diff"], "expect_file": "conflict.txt"},
            "conflict.txt:2: The merge-conflict marker <<<<<<< stands here. Resolve the conflict.",
        ),
        (
            {**LINE["diff"], "expect_file": "nul.txt"},
            "nul.txt:2: The expected file holds a NUL character. Save it as UTF-8.",
        ),
        (
            {**LINE["diff"], "expect_file": "latin.txt"},
            "In the case 'a': latin.txt is not UTF-8 (line 1). Save it as UTF-8.",
        ),
        ({**LINE["diff"], "expect_file": "long.txt"}, "long.txt: The file is longer than 1,000,000 characters."),
    ],
)
def test_problems__options(fields: Mapping[str, Any], expected: str) -> None:
    """An option that checks nothing, or cannot be met, is one sentence that says what is right."""
    assert [expected] == wrong(**fields)


@pytest.mark.parametrize("line", ["diff", "command", "choice"])
def test_expect_min__of_what_is_expected(line: str) -> None:
    """A share of draws can be asked for wherever something is expected, by a value, a file or a command."""
    fields = {**LINE[line], "expect_min": 0.5, **({"expect": "yes"} if line == "choice" else {})}
    assert [] == wrong(**fields)
