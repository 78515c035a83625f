"""What is allowed and should be known: variables that no template uses, and cases on which nothing can fail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from support.suites import golden, suite_of

from evalaction.suite.warnings import unchecked

VARS = {"days": 1, "expect": {"a": 1}}
NOT_USED = "golden.jsonl:1: `vars` has expect, which p.txt does not use."


def warnings(files: Mapping[str, str], *rows: Mapping[str, Any]) -> list[str]:
    lines = [json.dumps({"id": index, **row}) for index, row in enumerate(rows)]
    suite = suite_of({**golden(*lines), **files})
    assert () == suite.problems
    return list(suite.warnings)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"p.txt": "{{ days }}"}, [NOT_USED]),
        ({"p.txt": "{% set expect = 1 %}{{ days + expect }}"}, [NOT_USED]),
        ({"p.txt": "{{ days }} expect"}, [NOT_USED]),
        ({"p.txt": "{{ days }}{{ expect.a }}"}, []),
        ({"p.txt": "{{ days }}{% if days > 1 %}{{ expect }}{% endif %}"}, []),
        ({"p.txt": "{{ days }}{% include 'q.txt' %}", "q.txt": "{% for key in expect %}{{ key }}{% endfor %}"}, []),
        ({"p.txt": "{{ days }}{% if days > 1 %}{% include 'q.txt' %}{% endif %}", "q.txt": "{{ expect }}"}, []),
        (
            {
                "p.txt": "{% extends 'q.txt' %}{% block b %}{{ days }}{% endblock %}",
                "q.txt": "{% block b %}{% endblock %}",
            },
            [NOT_USED],
        ),
        ({"p.txt": "{{ days }}{% include 'q' ~ '.txt' %}", "q.txt": "x"}, []),
        ({"p.txt": "{{ days }}{% include 'q.txt' ignore missing %}"}, []),
    ],
)
def test_warnings__unused_variable(files: Mapping[str, str], expected: list[str]) -> None:
    """A variable that no template can reach is said, and one that some way through the templates uses is not."""
    assert expected == warnings(files, {"prompt_file": "p.txt", "vars": VARS})


def test_warnings__unused_in_a_prompt_file() -> None:
    """A variable that stands in no placeholder of a prompt file is said, once a file and with the first line."""
    prompt = 'messages: [{role: user, content: \'Wait {{ days }} days, or {{days}}; "{{"expect"}}".\'}]'
    row = {"prompt_file": "p.prompt.yml", "vars": VARS}
    expected = ["golden.jsonl:1: `vars` has expect, which p.prompt.yml does not use."]
    assert expected == warnings({"p.prompt.yml": prompt}, row, row)


ONE_REQUEST = "all draws are choices of one request, since samples_per_request is not below n."


@pytest.mark.parametrize(
    ("config", "rows", "expected"),
    [
        ("", [{"samples_per_request": 4}], []),
        ("", [{"samples_per_request": 5}], [f"golden.jsonl:1: {ONE_REQUEST}"]),
        (
            "",
            [{}, {"n": 2, "samples_per_request": 2}, {"samples_per_request": 5}],
            [f"golden.jsonl:2 and 1 more: {ONE_REQUEST}"],
        ),
        ("defaults: {samples_per_request: 4}", [{}, {"n": 4}, {"n": 3}], [f"golden.jsonl:2 and 1 more: {ONE_REQUEST}"]),
    ],
)
def test_warnings__one_request(config: str, rows: list[dict[str, Any]], expected: list[str]) -> None:
    """A case all of whose draws come from one request is said, whoever asked for it."""
    files = {"evalaction.yml": config} if config else {}
    assert expected == warnings(files, *({"prompt": "x", **row} for row in rows))


@pytest.mark.parametrize(
    "fields",
    [
        {"agreement_min": 0},
        {"agreement_min": 0.2},
        {"max_flip": 1},
        {"n": 2, "agreement_min": 0.5},
        {"grader": "choice", "labels": ["a", "b"], "agreement_min": 0},
        {"grader": "number", "round": 1, "agreement_min": 0},
        {"grader": "regex", "regex": "x", "agreement_min": 0},
        {"agree_on": ["a"], "agreement_min": 0},
        {"compare": {"a": {"unordered": True}}, "agreement_min": 0},
        {"grader": "judge", "rubric": "r.md", "agreement_min": 0},
    ],
)
def test_unchecked__nothing_can_fail(fields: dict[str, Any]) -> None:
    """A case that any draws pass is an error for lint and a warning in a report, whatever its grader."""
    suite = suite_of({**golden(json.dumps({"id": "a", "prompt": "x", **fields})), "r.md": "Be kind."})
    agreement = fields.get("agreement_min", 0)
    expected = (
        f"golden.jsonl:1: Nothing is checked of the case 'a': any one of {fields.get('n', 5)} draws meets "
        f"agreement_min {agreement}, and no draw is held to anything. Raise agreement_min, or "
        f"add {'' if fields.get('grader', 'json') not in {'json', 'text'} else 'keys, a schema, '}"
        "a budget or an expected value."
    )
    assert [expected] == [str(problem) for problem in unchecked(suite)]
    assert ("golden.jsonl:1: nothing is checked, since any one draw meets agreement_min.",) == suite.warnings


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"agreement_min": 0.21},
        {"agreement_min": 0, "expect": "x"},
        {"agreement_min": 0, "expect_keys": ["a"]},
        {"agreement_min": 0, "schema": {"type": "object"}},
        {"agreement_min": 0, "max_completion_tokens": 9},
        {"agreement_min": 0, "grader": "diff", "expect_file": "r.md"},
        {"agreement_min": 0, "grader": "command", "command": ["true"]},
    ],
)
def test_unchecked__something_can(fields: dict[str, Any]) -> None:
    """A case that some draws fail is no error."""
    suite = suite_of({**golden(json.dumps({"id": "a", "prompt": "x", **fields})), "r.md": "Be kind."})
    assert [] == unchecked(suite)


def test_unchecked__flood() -> None:
    """Of very many such cases in a file the first are named, and how many more there are."""
    rows = [json.dumps({"id": index, "prompt": "x", "agreement_min": 0}) for index in range(1_000)]
    found = [str(problem) for problem in unchecked(suite_of(golden(*rows)))]
    assert (51, "golden.jsonl: There are 950 more problems in this file.") == (len(found), found[-1])
