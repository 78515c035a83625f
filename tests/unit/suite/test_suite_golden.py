"""What a golden line may hold, and the case that it becomes."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from support.suites import golden, problems, suite_of

from evalaction import fingerprint
from evalaction.records.case import Case, Contract, Grader, Sampling
from evalaction.records.settings import Defaults
from evalaction.values import parse

OTHER = "Change the grader, or remove it."


def case_of(row: str, **defaults: Any) -> Case:
    suite = suite_of(golden(row), defaults=Defaults(**defaults))
    assert () == suite.problems
    return suite.cases[0]


def wrong(**fields: Any) -> list[str]:
    row = json.dumps({"id": "a", "prompt": "x", **fields})
    return [text.removeprefix("golden.jsonl:1: ") for text in problems(golden(row))]


def test_case__historical_prompt() -> None:
    """A line of id, prompt, keys, budget, n and threshold works as it stands."""
    row = (
        '{"id": "inv-1", "prompt": "Acme Tools, total $19.50 USD", "expect_keys": ["vendor", "total_cents"],'
        ' "max_completion_tokens": 120, "n": 5, "agreement_min": 0.8}'
    )
    expected = Case(
        id="inv-1",
        path="golden.jsonl",
        line=1,
        messages=({"role": "user", "content": "Acme Tools, total $19.50 USD"},),
        n=5,
        sampling=Sampling(model=None, max_tokens=240),
        contract=Contract(
            grader=Grader.JSON,
            expect_keys=("total_cents", "vendor"),
            agreement_min=Fraction(4, 5),
            max_completion_tokens=120,
        ),
    )
    assert expected == case_of(row)


def test_case__historical_messages() -> None:
    """A line of id and messages works as it stands, and is read as text."""
    row = '{"id": 7, "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]}'
    expected = Case(
        id="7",
        path="golden.jsonl",
        line=1,
        messages=({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}),
        n=5,
        sampling=Sampling(model=None),
        contract=Contract(grader=Grader.TEXT),
    )
    assert expected == case_of(row)


def test_case__everything_said() -> None:
    """Every field that a line can say reaches its place, and thresholds are the exact decimals."""
    row = {
        "id": "a",
        "prompt": "x",
        "grader": "json",
        "expect_keys": ["a"],
        "agree_on": ["c", "b"],
        "expect": {"a": 1.0},
        "expect_min": 0.7,
        "n": 3,
        "max_flip": 0.1,
        "max_completion_tokens": 10,
        "max_tokens": 99,
        "temperature": 0.7,
        "top_p": 1,
        "seed": 4,
        "stop": "END",
        "response_format": {"type": "json_object"},
        "tags": ["t"],
        "note": "n",
    }
    expected = Case(
        id="a",
        path="golden.jsonl",
        line=1,
        messages=({"role": "user", "content": "x"},),
        n=3,
        sampling=Sampling(
            model="m",
            temperature=parse("0.7"),  # type: ignore[arg-type]
            top_p=1,
            seed=4,
            stop=("END",),
            response_format={"type": "json_object"},
            max_tokens=99,
        ),
        contract=Contract(
            grader=Grader.JSON,
            expect_keys=("a",),
            agree_on=("b", "c"),
            expect={"a": 1},
            expect_min=Fraction(7, 10),
            agreement_min=Fraction(9, 10),
            max_completion_tokens=10,
        ),
        tags=("t",),
        note="n",
    )
    assert expected == case_of(json.dumps(row), model="m")


def test_case__defaults() -> None:
    """What a line does not say comes from the defaults."""
    case = case_of('{"id": "a", "prompt": "x"}', model="m", n=7, temperature=1, agreement_min=Fraction(1, 2))
    assert (7, Fraction(1, 2), Sampling(model="m", temperature=1)) == (
        case.n,
        case.contract.agreement_min,
        case.sampling,
    )


@pytest.mark.parametrize(
    ("fields", "grader"),
    [
        ({}, Grader.TEXT),
        ({"expect": "yes"}, Grader.TEXT),
        ({"expect": {"a": 1}}, Grader.JSON),
        ({"expect_keys": ["a"]}, Grader.JSON),
        ({"agree_on": ["a"]}, Grader.JSON),
        ({"schema": {"type": "object"}}, Grader.JSON),
        ({"grader": "exact", "expect": "yes"}, Grader.EXACT),
        ({"compare": {"a": {"unordered": True}}}, Grader.JSON),
        ({"grader": "json"}, Grader.JSON),
    ],
)
def test_case__default_grader(fields: dict[str, Any], grader: Grader) -> None:
    """The grader is json with keys, a schema, a comparison or an object to expect, and text otherwise."""
    assert grader is case_of(json.dumps({"id": "a", "prompt": "x", **fields})).contract.grader


def test_case__thresholds_agree() -> None:
    """``max_flip`` is the exact complement of ``agreement_min``, so both can be given."""
    row = '{"id": "a", "prompt": "x", "agreement_min": 0.9, "max_flip": 0.1}'
    assert Fraction(9, 10) == case_of(row).contract.agreement_min


GOLDEN_FIELDS = (
    "Known are id, prompt, messages, prompt_file, vars, grader, rubric, labels, judge_repeats, regex, round, "
    "tolerance, fence, command, command_files, command_timeout, artifact, expect_keys, agree_on, compare, schema, "
    "schema_file, expect, expect_file, expect_min, n, samples_per_request, agreement_min, max_flip, "
    "max_completion_tokens, max_tokens, temperature, top_p, seed, stop, response_format, tags, note."
)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"expekt": {"a": 1}}, "There is no field `expekt`. Did you mean expect?"),
        ({"passes": 1}, f"There is no field `passes`. {GOLDEN_FIELDS}"),
        ({"n": 1}, "`n` is 1, and one draw measures nothing: it takes 2 to 100."),
        ({"n": 101}, "`n` takes an integer from 2 to 100, not 101."),
        ({"n": "5"}, '`n` takes an integer from 2 to 100, not "5".'),
        ({"n": True}, "`n` takes an integer from 2 to 100, not true."),
        ({"n": 2.5}, "`n` takes an integer from 2 to 100, not 2.5."),
        ({"samples_per_request": 0}, "`samples_per_request` takes an integer from 1 to 100, not 0."),
        ({"samples_per_request": 101}, "`samples_per_request` takes an integer from 1 to 100, not 101."),
        ({"agreement_min": 1.01}, "`agreement_min` takes a number from 0 to 1, not 1.01."),
        ({"agreement_min": 80}, "`agreement_min` takes a number from 0 to 1, not 80."),
        ({"expect": "x", "expect_min": 0}, "`expect_min` takes a number above 0 and up to 1, not 0."),
        (
            {"agreement_min": 0.8, "max_flip": 0.1},
            "`agreement_min` and `max_flip` contradict each other: together they have to make 1. Keep one of them.",
        ),
        ({"expect": None}, "`expect` is null, which checks nothing."),
        ({"expect": {}}, "`expect` is {}, which checks nothing."),
        ({"expect": " "}, "`expect` is blank, which checks nothing."),
        ({"expect": []}, "`expect` takes an object of keys and their values, a text, or a number, not []."),
        ({"expect": False}, "`expect` takes an object of keys and their values, a text, or a number, not false."),
        ({"expect_min": 0.5}, "`expect_min` without `expect` checks nothing."),
        ({"expect_keys": []}, "`expect_keys` takes a list of different texts, one at least, not []."),
        ({"expect_keys": ["a", "a"]}, '`expect_keys` takes a list of different texts, one at least, not ["a","a"].'),
        (
            {"grader": "fuzzy"},
            '`grader` takes one of json, text, exact, choice, regex, number, diff, judge, command, not "fuzzy".',
        ),
        (
            {"grader": "text", "expect_keys": ["a"]},
            f"`expect_keys` needs the grader json or command, not text. {OTHER}",
        ),
        (
            {"grader": "exact", "schema": {"type": "object"}},
            f"`schema` needs the grader json or command, not exact. {OTHER}",
        ),
        ({"grader": "text", "expect": {"a": 1}}, "`expect` is an object, which needs the grader json, not text."),
        (
            {"grader": "json", "expect": "a"},
            "`expect` is a text, and the grader json compares the keys of an object. "
            "Use the grader text or exact, or write an object of keys and their values.",
        ),
        (
            {"schema": {"type": "object"}, "schema_file": "s.json"},
            "`schema` and `schema_file` are both given. Keep one of them.",
        ),
        ({"schema": {}}, "`schema` takes an object that is not empty, not {}."),
        ({"vars": {"a": 1}}, "`vars` goes with `prompt_file` alone. Put the prompt into a template file."),
        (
            {"messages": [{"role": "user", "content": "x"}]},
            "There are prompt, messages: a case has exactly one of prompt, messages, prompt_file.",
        ),
        ({"prompt": " "}, '`prompt` takes a text that is not empty, not " ".'),
        ({"id": ""}, '`id` takes an integer or a text of 1 to 200 characters, none of them control, not "".'),
        ({"id": "a\nb"}, '`id` takes an integer or a text of 1 to 200 characters, none of them control, not "a\\nb".'),
        ({"id": 1.5}, "`id` takes an integer or a text of 1 to 200 characters, none of them control, not 1.5."),
        ({"id": True}, "`id` takes an integer or a text of 1 to 200 characters, none of them control, not true."),
        ({"temperature": -1}, "`temperature` takes a number of 0 or more, not -1."),
        ({"top_p": 1.5}, "`top_p` takes a number from 0 to 1, not 1.5."),
        ({"seed": -1}, "`seed` takes an integer from 0 to 9007199254740891, not -1."),
        ({"max_tokens": 0}, "`max_tokens` takes an integer from 1 to 9007199254740991, not 0."),
        ({"response_format": "json"}, '`response_format` takes an object with a `type`, not "json".'),
        ({"stop": [""]}, '`stop` takes a text or a list of different texts, none of them empty, not [""].'),
        ({"tags": "a"}, '`tags` takes a list of different texts, one at least, not "a".'),
        ({"note": 1}, "`note` takes a text, not 1."),
    ],
)
def test_problems__fields(fields: dict[str, Any], expected: str) -> None:
    """Each wrong field, and each pair that cannot stand together, is one sentence that says what is right."""
    assert [expected] == wrong(**fields)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], "takes a list of messages, one at least, not []"),
        (["x"], "holds a message 1 that is not an object"),
        (
            [{"role": "user", "content": "x"}, {"role": "wizard", "content": "x"}],
            "holds a message 2 that has no `role` of system, developer, user, assistant, tool",
        ),
        (
            [{"role": "user", "kontent": "x"}],
            "holds a message 1 that has no field 'kontent' to hold: "
            "known are role, content, name, tool_calls, tool_call_id",
        ),
        (
            [{"role": "user", "content": None}],
            "holds a message 1 that has no `content`: a text, or a list of parts with their `type`",
        ),
    ],
)
def test_problems__messages(messages: list[Any], expected: str) -> None:
    """A chat that cannot be sent names the message that is wrong."""
    row = json.dumps({"id": "a", "messages": messages})
    assert [f"golden.jsonl:1: `messages` {expected}."] == problems(golden(row))


def test_problems__no_request() -> None:
    """A line without a request, or without an id, says so."""
    expected = [
        "golden.jsonl:1: There is no `id`.",
        "golden.jsonl:1: There is no request: a case has exactly one of prompt, messages, prompt_file.",
    ]
    assert expected == problems(golden('{"note": "x"}'))


def test_problems__all_fields() -> None:
    """All that is wrong with a line is said at once."""
    assert [
        "`n` is 1, and one draw measures nothing: it takes 2 to 100.",
        "`seed` takes an integer from 0 to 9007199254740891, not -1.",
    ] == wrong(n=1, seed=-1)


def test_case__same_frame_is_no_shortcut() -> None:
    """A line like an earlier one in all but its own fields gets its own, and is checked as strictly."""
    rows = [
        '{"id":"a","prompt":"x","n":5,"expect":{"k":1}}',
        '{"id":"b","prompt":"y","n":5,"expect":{"k":2}}',
        '{"id":"c","prompt":"z","n":true,"expect":{"k":2}}',
        '{"id":"d","prompt":"z","n":5,"expect":{}}',
        '{"id":"e","prompt":"z","n":5,"expect":"k"}',
        '{"id":"f","prompt":"","n":5,"expect":{"k":3}}',
    ]
    suite = suite_of(golden(*rows))
    found = [(case.id, case.messages[0]["content"], case.contract.expect) for case in suite.cases]
    assert [("a", "x", {"k": 1}), ("b", "y", {"k": 2}), ("e", "z", "k")] == found
    assert [3, 4, 6] == [problem.line for problem in suite.problems]


def test_warnings__one_line_a_kind() -> None:
    """What is allowed and should be known is one line for each kind, with the first case."""
    rows = [
        '{"id":"a","prompt":"x","temperature":0}',
        '{"id":"b","prompt":"x","temperature":0.0}',
        '{"id":"c","prompt":"x","agreement_min":0.2}',
        '{"id":"d","prompt":"x","max_completion_tokens":10,"max_tokens":10}',
        '{"id":"e","prompt":"x"}',
    ]
    expected = (
        "golden.jsonl:1 and 1 more: temperature 0 is asked for, which is a request and no promise of equal answers.",
        "golden.jsonl:3: nothing is checked, since any one draw meets agreement_min.",
        "golden.jsonl:4: max_tokens is not above max_completion_tokens, so that an overrun is cut off and not seen.",
    )
    assert expected == suite_of(golden(*rows)).warnings


def test_fingerprint__order_of_keys() -> None:
    """The order in which keys are listed is no part of a contract."""
    one, other = ('{"id":"a","prompt":"x","expect_keys":["a","b"]}', '{"id":"a","expect_keys":["b","a"],"prompt":"x"}')
    assert fingerprint.of_case(case_of(one)) == fingerprint.of_case(case_of(other))
