"""Lines that are compared with earlier ones: nothing is let through, and nothing is made otherwise than alone."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from support.suites import suite_of

from evalaction.suite.alike import parts_of_text
from evalaction.values import MAX_DEPTH, canonical, parse

ROWS: list[dict[str, object]] = [
    {"id": "a", "prompt": "x", "expect_keys": ["vendor", "total"], "n": 5, "agreement_min": 0.8},
    {"id": "a", "prompt": "x", "n": 5, "expect": {"vendor": "v", "total": 1.5}, "tags": ["t"]},
    {"id": "a", "prompt": 'x "y"\n\u20ac', "expect": "v", "expect_min": 1},
    {"id": 7, "messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json_object"}},
    {"n": 5, "id": "a", "note": "n", "prompt": "x"},
    {"id": "a", "prompt": "x", "grader": "choice", "labels": ["a", "b"], "expect": "a"},
    {"id": "a", "prompt": "x", "grader": "number", "expect": 1, "tolerance": 0.5},
    {"id": "a", "prompt": "x", "expect": {"a": 1}, "compare": {"a": {"tolerance": 1}}},
    {"id": "a", "prompt": "x", "compare": {"a": {"unordered": True}}, "expect_keys": ["b"], "expect": {"a": 1}},
    {"id": "a", "prompt": "x", "grader": "command", "command": ["x", '"expect": 1'], "n": 5},
    {"id": "a", "prompt": "x", "schema": {"properties": {"expect": {"const": 1}}}, "expect": {"expect": 1}},
]
VALUES: list[object] = [
    1,
    True,
    1.0,
    0,
    None,
    "",
    " ",
    "a",
    "\ud800",
    {},
    {"expect": 2},
    {"id": "b"},
    {"a": "1"},
    [],
    ["a"],
    [1],
]
DEEP = '{"id": "b", "prompt": "x", "expect": {"k": ' + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1) + "}}"
"""A line that is too deep by one, though its expected value is not."""
PIECES = [
    *'{}[]",:\\ \t01e.-',
    '"id": ',
    '"expect": ',
    '"expect":',
    ', "n": 5',
    ', "id": "b"',
    "\\u0065",
    "\\ud800",
    "\\n",
    "true",
    "NaN",
    "\0",
    "\x1f",
    "é",
]


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str]:
    """A line, and one that came of it by a few edits of its fields and of its text."""
    row = draw(st.sampled_from(ROWS))
    other = {**row, "id": draw(st.sampled_from(["b", "\u2028", 8, row["id"]]))}
    for _ in range(draw(st.integers(0, 2))):
        name = draw(st.sampled_from([*row, "id", "id", "expect", "expect", "note", "seed"]))
        other[name] = draw(st.sampled_from(VALUES))
    text = json.dumps(other, ensure_ascii=draw(st.booleans()))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 5])))
        text = text[:start] + draw(st.sampled_from(["", *PIECES])) + text[end:]
    return json.dumps(row), text


def told(*lines: str) -> tuple[list[str], list[str]]:
    """Return the cases and the problems of the last of some lines, as if it stood alone."""
    suite = suite_of({"golden.jsonl": "\n".join(lines).encode("utf-8", "surrogatepass")})
    cases = [repr(replace(case, line=1)) for case in suite.cases if case.line == len(lines)]
    problems = [str(replace(problem, line=1)) for problem in suite.problems if problem.line == len(lines)]
    return cases, [problem for problem in problems if "stands in lines" not in problem]


@given(edited())
@example(('{"id": "a", "prompt": "x", "n": 5}', '{"id": "a", "prompt": "x", "n": 5}, {}'))
@example(('{"id": "a", "prompt": "x", "seed": 1}', '{"id": "b", "prompt": "x", "seed": true}'))
@example(('{"id": "a", "prompt": "x", "expect": "y"}', '{"id": "b", "prompt": "x", "expect": {"y": 1}}'))
@example(('{"id": "a", "prompt": "x", "expect": {"k": 1}}', DEEP))
@example(
    (
        '{"id": "a", "prompt": "x", "grader": "choice", "labels": ["a", "b"], "expect": "a"}',
        '{"id": "b", "prompt": "x", "grader": "choice", "labels": ["a", "b"], "expect": "c"}',
    )
)
@example(
    (
        '{"id": "a", "prompt": "x", "expect": {"a": 1}, "agree_on": ["b"], "compare": {"a": {"round": 1}}}',
        '{"id": "b", "prompt": "x", "expect": {"c": 1}, "agree_on": ["b"], "compare": {"a": {"round": 1}}}',
    )
)
@example(
    (
        '{"id": "a", "prompt": "x", "grader": "number", "expect": 1}',
        '{"id": "b", "prompt": "x", "grader": "number", "expect": true}',
    )
)
@example((DEEP.replace("[[", "[").replace("]]", "]"), DEEP))
def test_case__as_if_alone(lines: tuple[str, str]) -> None:
    """A line has the same case and the same problems after a line that is like it as it has alone."""
    cases, problems = told(*lines)
    alone, alone_problems = told(lines[1])
    assert alone_problems == problems
    if alone and not cases:  # its id is taken
        assert len({str(json.loads(line)["id"]) for line in lines}) == 1
    else:
        assert alone == cases


@given(edited())
def test_parts_of_text__put_together(lines: tuple[str, str]) -> None:
    """Two lines with the same in common are both JSON or both not, and differ in their own values alone."""
    assume("\ud800" not in lines[1])  # half of a pair never comes out of bytes
    parts = [parts_of_text(line) for line in lines]
    if parts[0] is None or parts[1] is None or parts[0][1] != parts[1][1]:
        return
    row, own = parse(lines[0]), parts[1][0]
    assert isinstance(row, dict)
    assert canonical({**row, **own}) == canonical(parse(lines[1]))


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ('{"id": "a", "prompt": "x\\n", "n": 5}', {"id": "a", "prompt": "x\n"}),
        (
            '{"id":7,"messages":[{"role":"user","content":"}"}]}',
            {"id": 7, "messages": [{"role": "user", "content": "}"}]},
        ),
        (
            '{"id": "a", "prompt": "x", "n": 5, "expect": {"b": 1}, "seed": 1}',
            {"id": "a", "prompt": "x", "expect": {"b": 1}},
        ),
        ('{"id": "a", "prompt": "x", "schema": {"expect": {}}}', {"id": "a", "prompt": "x"}),
        ('{"id": "a", "n": 5, "prompt": "x"}', None),
        ('{"id": 07, "prompt": "x"}', None),
        ('{"id": "a", "prompt": "\\ud800"}', None),
        ('{"id": "a", "prompt": "\\x"}', None),
        ('{"id": "a", "prompt": "x", "expect": }', None),
        ("", None),
    ],
)
def test_parts_of_text__own(text: str, own: object) -> None:
    """A line's own values are read strictly; a line in another writing, or with a wrong value, is no such line."""
    parts = parts_of_text(text)
    assert own == (parts and parts[0])
