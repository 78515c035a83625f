"""The published JSON Schemas and the reader say the same."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from support.suites import problems, suite_of

from evalaction.records.case import Grader
from evalaction.records.settings import Defaults
from evalaction.suite import config, deck_keys, fixtures, golden
from evalaction.suite.graded import TAKEN


def published(name: str) -> dict[str, Any]:
    text = files("evalaction").joinpath(f"schemas/{name}.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


GOLDEN = Draft202012Validator(published("golden"))
FIXTURE = Draft202012Validator(published("fixture"))
CONFIG = Draft202012Validator(published("config"))
DECK_FILE = Draft202012Validator(published("deck"))
LARGE = [[str(number) for number in range(count)] for count in (100, 101)] + [["x", "y" * size] for size in (200, 201)]
"""Labels at the bounds, and beyond them."""

SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 120) | st.sampled_from([0.0, 0.5, 1.5, "", " ", "a", "json", "judge"])
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "type", "role"]), inner, max_size=2)
    ),
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "wizard", 1])},
    optional={
        "content": st.sampled_from(["", "x", None, [], [{"type": "text", "text": "x"}], [{}], 3]),
        "tool_calls": st.just([]),
        "name": st.just("n"),
        "extra": st.just(1),
    },
)
USUAL: dict[str, st.SearchStrategy[Any]] = {
    "id": st.sampled_from(["a", 1, 1.0, "", "a\x07", "\x85", "x" * 200, "x" * 201, 2**53, -(2**53) + 1, 1.5]),
    "prompt": st.just("x"),
    "messages": st.lists(MESSAGE, max_size=2),
    "prompt_file": st.just("p.txt"),
    "vars": st.sampled_from([{}, {"a": 1}]),
    "grader": st.sampled_from([grader.value for grader in Grader] + ["fuzzy"]),
    "rubric": st.sampled_from(["r.md", " "]),
    "labels": st.sampled_from(
        [["x", "y"], ["x"], ["x", "x"], ["x", "a\x07"], ["x", "\u2028y"], ["x", " . "], [], *LARGE]
    ),
    "judge_repeats": st.sampled_from([1, 2, 3.0, 20, 21]),
    "regex": st.sampled_from(["x", "(a)|b", "", " ", "x" * 10_000, "x" * 10_001]),
    "round": st.sampled_from([0, -1, 0.01, 5, "1"]),
    "tolerance": st.sampled_from([0, -0.1, 0.01, 5]),
    "fence": st.sampled_from([True, False, "Python", "c++", "", " ", "a b", "x" * 40, "x" * 41, "x\n", "`"]),
    "command": st.sampled_from(
        [["true"], ["x", "x"], ["x", " "], ["x", ""], ["x", "\0"], [], ["x", "y" * 10_001], *LARGE]
    ),
    "command_files": st.sampled_from([["r.md"], ["r.md", "s.json"], ["r.md", "r.md"], [], [" "]]),
    "command_timeout": st.sampled_from([0, 1, 300, 301, 10.0, 1.5]),
    "artifact": st.sampled_from(["a.py", "-a", ".a", "_", "a/b", "x" * 100, "x" * 101, "a\n", "\u00e9"]),
    "expect_keys": st.sampled_from([["a"], ["a", "b"], ["a", "a"], []]),
    "agree_on": st.sampled_from([["a"], ["b"]]),
    "compare": st.dictionaries(
        st.sampled_from(["a", "b"]),
        st.sampled_from(
            [
                {"case_insensitive": True},
                {"unordered": True, "round": 0.5},
                {"tolerance": 0},
                {"tolerance": -1},
                {"round": 0},
                {"unordered": False},
                {"trim": True},
                {},
            ]
        ),
        max_size=2,
    ),
    "schema": st.sampled_from([{"type": "object"}, {}]),
    "schema_file": st.just("s.json"),
    "expect": st.sampled_from([{"a": 1}, {}, "x", " ", None, 3, "pass"]),
    "expect_file": st.sampled_from(["p.txt", " "]),
    "expect_min": st.sampled_from([0, 0.5, 1, 1.1]),
    "n": st.sampled_from([1, 2, 100, 101, 5.0, 5.5]),
    "samples_per_request": st.sampled_from([0, 1, 2.0, 5, 6, 101]),
    "agreement_min": st.sampled_from([0, 0.5, 1, 1.1]),
    "max_completion_tokens": st.sampled_from([0, 1, 10**20]),
    "max_tokens": st.sampled_from([0, 1]),
    "temperature": st.sampled_from([-0.1, 0, 0.7]),
    "top_p": st.sampled_from([-0.1, 0, 1, 1.1]),
    "seed": st.sampled_from([-1, 0, 2**53 - 101, 2**53 - 100]),
    "stop": st.sampled_from(["", "x", ["x"], ["x", "x"], [""], []]),
    "response_format": st.sampled_from([{"type": "json_object"}, {"type": ""}, {}]),
    "tags": st.sampled_from([["a"], []]),
    "note": st.sampled_from(["", "x"]),
}
# What one grader alone reads is an error under every other, so it is mostly there with its own.
OF_ONE = set(TAKEN) - {"expect_keys", "agree_on", "schema", "schema_file"}
ROWS = st.fixed_dictionaries(
    {"id": USUAL["id"]},
    optional={name: st.one_of(values, values, ANYTHING) for name, values in USUAL.items() if name != "id"},
) | st.fixed_dictionaries(
    {"id": st.just("a"), "prompt": st.just("x")},
    optional={
        name: values
        for name, values in USUAL.items()
        if name not in {"id", "prompt", "messages", "prompt_file", "vars"} | OF_ONE
    },
)


def graded_by(grader: Grader) -> st.SearchStrategy[dict[str, Any]]:
    """Lines with the fields that a grader reads, most of them with what it needs."""
    own = {name for name, graders in TAKEN.items() if grader in graders}
    needed = own & {"rubric", "regex", "expect_file", "command"} | (
        {"labels"} & own if grader.value == "choice" else set()
    )
    others = ["expect", "expect_min", "n", "tags", "schema", "expect_keys"]
    optional = {name: USUAL[name] for name in (*sorted(own - needed), *others)}
    base = {"id": st.just("a"), "prompt": st.just("x"), "grader": st.just(grader.value)}
    return st.fixed_dictionaries({**base, **{name: USUAL[name] for name in sorted(needed)}}, optional=optional)


GRADED = st.sampled_from(list(Grader)).flatmap(graded_by)
FILES = {"p.txt": "x", "s.json": '{"type": "object"}', "r.md": "x"}


def beyond_a_schema(row: dict[str, Any]) -> bool:
    """Tell whether one field of a line speaks of what another holds, which no schema can say."""
    labels, expect, compare = row.get("labels"), row.get("expect"), row.get("compare")
    n, choices = row.get("n", Defaults().n), row.get("samples_per_request")
    if isinstance(n, int | float) and isinstance(choices, int | float) and choices > n:
        return True
    if isinstance(labels, list) and isinstance(expect, str) and expect not in labels:
        return True
    if not isinstance(compare, dict):
        return False
    agreed = row.get("agree_on", row.get("expect_keys"))
    values = expect if isinstance(expect, dict) else {}
    known = [*agreed, *values] if isinstance(agreed, list) else list(compare)
    return any(
        key not in known
        or (isinstance(options, dict) and "tolerance" in options and not isinstance(values.get(key), int))
        for key, options in compare.items()
    )


@given(row=GRADED | ROWS)
def test_golden__same(row: dict[str, Any]) -> None:
    """A line is accepted by the published schema exactly when the reader accepts it."""
    assume(not beyond_a_schema(row))
    accepted = not problems({"golden.jsonl": json.dumps(row), **FILES})
    assert GOLDEN.is_valid(row) is accepted


FIXTURES = st.fixed_dictionaries(
    {},
    optional={
        "id": USUAL["id"],
        "gold": st.sampled_from(["pass", "fail", "", 1]),
        "task": ANYTHING,
        "trace": ANYTHING,
        "tags": USUAL["tags"],
        "note": ANYTHING,
    },
)


@given(row=FIXTURES)
def test_fixture__same(row: dict[str, Any]) -> None:
    """A fixture is accepted by the published schema exactly when the reader accepts it with what it shows."""
    row = {"task": "t", "trace": "x", **row}
    other = {"id": "other", "task": "t", "trace": "x", "gold": "fail" if row.get("gold") == "pass" else "pass"}
    deck = "decks: [{name: d, rubric: r.md, fixtures: d.jsonl}]"
    found = problems({"evalaction.yml": deck, "r.md": "x", "d.jsonl": f"{json.dumps(row)}\n{json.dumps(other)}"})
    assert FIXTURE.is_valid(row) is not bool(found)


NAMES = st.sampled_from([["x"], ["x", "y"], ["x", "x"], [], "x", "", " ", [" "], [1], None])
SHARE = st.sampled_from([-0.1, 0, 0.5, 1, 1.1])
IN_DECK: dict[str, st.SearchStrategy[Any]] = {
    "name": st.sampled_from(["d", "", " ", 1, "a\x07", "x" * 200, "x" * 201]),
    "rubric": st.sampled_from(["r.md", " "]),
    "fixtures": st.just("d.jsonl"),
    "labels": st.sampled_from(
        [
            ["pass", "fail"],
            ["pass"],
            ["pass", "fail", " "],
            ["pass", "fail", ".;"],
            ["pass", "fail", "a\n"],
            "pass",
            [],
            *LARGE,
        ]
    ),
    "show": st.sampled_from([["task"], ["id"], ["task", "gold"], [], "task", ["trace", "trace"]]),
    "max_orders": st.sampled_from([1, 2, 24, 1000, 1001, 2.5, "24"]),
    "repeats": st.sampled_from([0, 1, 100, 101, None]),
    "judge_model": st.sampled_from(["m", "", 1]),
    "temperature": st.sampled_from([-0.1, 0, 0.7, None, "0"]),
    "top_p": SHARE,
    "seed": st.sampled_from([-1, 0, 2**53 - 500_001, 2**53 - 500_000]),
    "max_tokens": st.sampled_from([0, 1, 2**53]),
    "judge_flip_max": SHARE,
    "gold_min": SHARE,
    "probes": st.sampled_from([["steer", "twins"], ["fluent", "empty"], ["planted"], ["steer", "steer"], [], "steer"]),
    "planted": st.sampled_from(["p.jsonl", "", 1]),
    "rubric_variants": st.sampled_from([["v.md"], [], [" "], ["v.md", "v.md"], ["v.md"] * 21, "v.md"]),
    "model": st.just("m"),
}
DECK = st.fixed_dictionaries({}, optional=IN_DECK) | st.fixed_dictionaries(
    {"name": st.just("d"), "rubric": st.just("r.md"), "fixtures": st.just("d.jsonl")},
    optional={name: IN_DECK[name] for name in IN_DECK.keys() - {"name", "rubric", "fixtures", "model"}},
)
CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["m", "", 1]),
        "defaults": st.fixed_dictionaries(
            {},
            optional={name: USUAL[name] for name in (*config.DEFAULTS, "max_tokens")},
        )
        | st.sampled_from([None, [], "x"]),
        "golden": NAMES,
        "dependencies": NAMES,
        "decks": st.lists(DECK, max_size=1) | st.sampled_from([None, {}, [1], ["x.deck.yml"], [" "]]),
        "base_url": st.just("x"),
    },
)


OF_DECKS = {
    "r.md": "x",
    "v.md": "y",
    "p.jsonl": '{"id":"p","task":"t","trace":"z"}',
    "x.deck.yml": '{"name":"other","rubric":"r.md","fixtures":"d.jsonl"}',
}


@given(value=st.one_of(CONFIGS, CONFIGS, ANYTHING))
def test_config__same(value: Any) -> None:
    """A configuration is accepted by the published schema exactly when the reader accepts it."""
    fixtures = "".join(
        json.dumps({"id": gold, "task": "t", "trace": "x", "gold": gold}) + "\n" for gold in ("pass", "fail")
    )
    tree = {"evalaction.yml": json.dumps(value), "x": '{"id":"a","prompt":"x"}', "y": '{"id":"a","prompt":"x"}'}
    suite = suite_of({**tree, **OF_DECKS, "golden.jsonl": '{"id":"a","prompt":"x"}', "d.jsonl": fixtures})
    wrong = [problem for problem in suite.problems if problem.path == "evalaction.yml"]
    assert CONFIG.is_valid(value) is not bool(wrong)


@given(value=st.one_of(DECK, DECK, ANYTHING))
def test_deck__same(value: Any) -> None:
    """A deck file is accepted by the published schema exactly when the reader accepts it."""
    fixtures = "".join(
        json.dumps({"id": gold, "task": "t", "trace": "x", "gold": gold}) + "\n" for gold in ("pass", "fail")
    )
    suite = suite_of({**OF_DECKS, "x.deck.yml": json.dumps(value), "d.jsonl": fixtures})
    wrong = [problem for problem in suite.problems if problem.path == "x.deck.yml"]
    assert DECK_FILE.is_valid(value) is not bool(wrong)


def test_deck__one_schema() -> None:
    """A deck says the same in a file of its own and in the configuration, where it needs a name."""
    alone, within = published("deck"), published("config")["$defs"]["deck"]
    assert {"name", *alone["required"]} == set(within["required"])
    alone["properties"]["name"]["description"] = within["properties"]["name"]["description"]
    assert within["properties"] == alone["properties"]


@pytest.mark.parametrize(
    ("schema", "fields"),
    [
        (published("golden"), golden.FIELDS),
        (published("fixture"), fixtures.FIELDS),
        (published("config"), config.FIELDS),
        (published("config")["properties"]["defaults"], config.DEFAULTS),
        (published("config")["$defs"]["deck"], deck_keys.KEYS),
        (published("deck"), deck_keys.KEYS),
    ],
)
def test_published__described(schema: dict[str, Any], fields: dict[str, Any]) -> None:
    """The published schemas name the reader's fields, each with a title and a description."""
    assert set(fields) == set(schema["properties"])
    assert [] == [name for name, field in schema["properties"].items() if not {"title", "description"} <= field.keys()]


@pytest.mark.parametrize("name", ["golden", "fixture", "config", "deck"])
def test_published__valid(name: str) -> None:
    """The published schemas are JSON Schemas, each with its address."""
    schema = published(name)
    Draft202012Validator.check_schema(schema)
    assert f"urn:evalaction:schema:{name}" == schema["$id"]


def test_documentation__every_field() -> None:
    """The documented table has the reader's fields, in their order."""
    page = (Path(__file__).parents[3] / "docs/golden-files.md").read_text("utf-8")
    table = page.partition("## Fields")[2].partition("\n## ")[0]
    assert list(golden.FIELDS) == re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def test_documentation__examples() -> None:
    """The documented golden lines, fixture and configuration work as they stand."""
    page = (Path(__file__).parents[3] / "docs/golden-files.md").read_text("utf-8")
    rows, entries = ("".join(re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)) for kind in ("json", "yaml"))
    fixture = re.findall(r"`(\{\"id\": \"t1\".*?\})`", page)[0]
    files = {
        "evals/a.golden.jsonl": rows,
        "prompts/refund.txt": "{{ days }}",
        "prompts/summary.txt": "{{ days }}",
        "good/config.ini": "[a]",
        "checks/check_sort.py": "",
        "evalaction.yml": entries,
        "judge/rubric.md": "x",
        "judge/traces.jsonl": fixture + "\n" + fixture.replace("t1", "t2").replace("pass", "fail"),
    }
    assert [] == problems(files)
