"""What a line asks of the sampler: how many draws one request asks for, whose word that is, and what it excludes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.suites import golden, problems, suite_of

from evalaction import fingerprint
from evalaction.records.case import Sampling
from evalaction.records.plan import Fingerprints
from evalaction.records.settings import Defaults

PROMPT_FILE = "modelParameters: {seed: 7}\nmessages: [{role: user, content: x}]\n"


def row_of(**fields: Any) -> str:
    return json.dumps({"id": "a", "prompt": "x", **fields})


def files_of(config: str = "", **fields: Any) -> dict[str, str]:
    return {**golden(row_of(**fields)), **({"evalaction.yml": config} if config else {})}


@pytest.mark.parametrize(
    ("fields", "config", "default", "expected"),
    [
        ({}, "", 1, (5, 1, 5)),
        ({"samples_per_request": 5}, "", 1, (5, 5, 1)),
        ({"samples_per_request": 4}, "", 1, (5, 4, 2)),
        ({"n": 100, "samples_per_request": 100}, "", 1, (100, 100, 1)),
        ({}, "defaults: {samples_per_request: 2}", 1, (5, 2, 3)),
        ({"samples_per_request": 3}, "defaults: {samples_per_request: 2}", 1, (5, 3, 2)),
        ({"samples_per_request": 1}, "defaults: {samples_per_request: 2}", 1, (5, 1, 5)),
        ({"n": 3}, "defaults: {samples_per_request: 100}", 1, (3, 3, 1)),
        ({}, "defaults: {n: 4, samples_per_request: 5}", 1, (4, 4, 1)),
        ({}, "", 3, (5, 3, 2)),
        ({"n": 2}, "", 3, (2, 2, 1)),
        ({"samples_per_request": 1, "seed": 0}, "", 1, (5, 1, 5)),
        ({"samples_per_request": 1, "seed": 3}, "defaults: {samples_per_request: 2}", 1, (5, 1, 5)),
        ({"samples_per_request": 1}, "defaults: {seed: 3}", 1, (5, 1, 5)),
    ],
)
def test_sampling__draws_of_one_request(
    fields: dict[str, Any], config: str, default: int, expected: tuple[int, int, int]
) -> None:
    """The line says how many draws one request asks for, then the configuration, then the workflow; what is given by
    default is no more than the case has draws.
    """  # noqa: D205 - one sentence
    suite = suite_of(files_of(config, **fields), defaults=Defaults(samples_per_request=default))
    assert () == suite.problems
    (case,) = suite.cases
    assert expected == (case.n, case.sampling.samples_per_request, case.requests)


@given(n=st.integers(2, 100), choices=st.integers(1, 100))
def test_sampling__requests(n: int, choices: int) -> None:
    """A default of any size makes as few requests as have room for all draws, each for no more than there are."""
    (case,) = suite_of(files_of(f"defaults: {{n: {n}, samples_per_request: {choices}}}")).cases
    asked, requests = case.sampling.samples_per_request, case.requests
    assert asked == min(n, choices)
    assert (requests - 1) * asked < n <= requests * asked


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            files_of(samples_per_request=6),
            "golden.jsonl:1: `samples_per_request` is 6, and the case has 5 draws, by default: one request cannot ask "
            "for more. Lower it, or raise `n`.",
        ),
        (
            files_of("defaults: {n: 9}", n=2, samples_per_request=3),
            "golden.jsonl:1: `samples_per_request` is 3, and the case has 2 draws: one request cannot ask for more. "
            "Lower it, or raise `n`.",
        ),
        (
            files_of(samples_per_request=2, seed=0),
            "golden.jsonl:1: `samples_per_request` is 2, and `seed` is 0: all choices of one request would share one "
            "seed. Set `samples_per_request` to 1 here, or no seed.",
        ),
        (
            files_of("defaults: {seed: 3}", samples_per_request=2),
            "golden.jsonl:1: `samples_per_request` is 2, and `seed` is 3 (a default): all choices of one request would "
            "share one seed. Set `samples_per_request` to 1 here, or no seed.",
        ),
        (
            files_of("defaults: {samples_per_request: 4}", seed=3),
            "golden.jsonl:1: `samples_per_request` is 4 (a default), and `seed` is 3: all choices of one request would "
            "share one seed. Set `samples_per_request` to 1 here, or no seed.",
        ),
        (
            {
                **golden('{"id":"a","prompt_file":"p.prompt.yml","samples_per_request":2}'),
                "p.prompt.yml": PROMPT_FILE,
            },
            "golden.jsonl:1: `samples_per_request` is 2, and `seed` is 7 (of p.prompt.yml): all choices of one request "
            "would share one seed. Set `samples_per_request` to 1 here, or no seed.",
        ),
        (
            {
                **golden('{"id":"a","prompt_file":"p.prompt.yml"}'),
                "p.prompt.yml": PROMPT_FILE,
                "evalaction.yml": "defaults: {samples_per_request: 8}",
            },
            "golden.jsonl:1: `samples_per_request` is 5 (a default), and `seed` is 7 (of p.prompt.yml): all choices of "
            "one request would share one seed. Set `samples_per_request` to 1 here, or no seed.",
        ),
    ],
)
def test_sampling__cannot_be_asked(files: dict[str, str], expected: str) -> None:
    """More draws than a case has, and several draws with one seed, are errors with file and line, wherever number and
    seed come from.
    """  # noqa: D205 - one sentence
    assert [expected] == problems(files)


def test_sampling__said_with_the_rest() -> None:
    """It is said together with what else is wrong with the line."""
    expected = [
        "golden.jsonl:1: In the case 'a': gone.txt does not exist.",
        "golden.jsonl:1: `samples_per_request` is 6, and the case has 5 draws, by default: one request cannot ask for "
        "more. Lower it, or raise `n`.",
    ]
    assert expected == problems(files_of(samples_per_request=6, grader="diff", expect_file="gone.txt"))


def test_sampling__like_earlier_lines() -> None:
    """Of two lines that differ in the prompt alone, each asks for as many."""
    suite = suite_of(golden(row_of(samples_per_request=2), row_of(id="b", prompt="y", samples_per_request=2)))
    assert [2, 2] == [case.sampling.samples_per_request for case in suite.cases]


def test_sampling__not_of_a_judge() -> None:
    """Judges are asked for one reply a request, whatever the cases say."""
    rows = "".join(
        json.dumps({"id": gold, "task": "t", "trace": "x", "gold": gold}) + "\n" for gold in ("pass", "fail")
    )
    files = {
        **golden(row_of(grader="judge", rubric="r.md", samples_per_request=2), row_of(id="b", samples_per_request=5)),
        "evalaction.yml": "defaults: {samples_per_request: 3}\n"
        "decks: [{name: d, rubric: other.md, fixtures: d.jsonl}]\n",
        "r.md": "x",
        "other.md": "y",
        "d.jsonl": rows,
    }
    suite = suite_of(files)
    assert () == suite.problems
    judge, deck = suite.cases[0].contract.judge, suite.decks[0]
    assert judge is not None
    assert (1, 1) == (judge.sampling.samples_per_request, deck.sampling.samples_per_request)


MODEL = "model: m\n"
ROWS: dict[str, dict[str, Any]] = {
    "inv-1": {
        "prompt": "Acme Tools, total $19.50 USD",
        "expect_keys": ["vendor", "total_cents"],
        "max_completion_tokens": 120,
        "n": 5,
        "agreement_min": 0.8,
    },
    "all": {
        "prompt": "x",
        "n": 3,
        "temperature": 0.7,
        "top_p": 1,
        "stop": "END",
        "response_format": {"type": "json_object"},
        "max_tokens": 99,
    },
    "seed": {"messages": [{"role": "user", "content": "x"}], "seed": 4},
    "bare": {"prompt": "x"},
}
X = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
PLAIN = "1fffcebadfb4cbafc12f32fbe8a7a631ce4843ae4d8924ebcb864716cf8be7df"


def test_sampling__fingerprints_stay() -> None:
    """A suite that does not ask for several draws a request keeps the fingerprints that it has always had."""
    expected = {
        "inv-1": Fingerprints(
            prompt="08047171bd6efddc4b25d0ed9118a4d0edc10aa30ca3d53b4348adb5602a6ea7",
            contract="dc120153a73d9e5c2585475ddaa9cf2b0aa1b342a67df7f70ea0787f9a6fd1c3",
            sampling="45a12c29a14d1fb4b51d2822187d657174c92f6474d70b61a6fdb46fd800adc8",
        ),
        "all": Fingerprints(
            prompt=X,
            contract=PLAIN,
            sampling="9d952dcc26e4b58569028567a40e618553db67077ecbaab6552041eb7fd5178f",
        ),
        "seed": Fingerprints(
            prompt=X,
            contract=PLAIN,
            sampling="d3100da19133ebb2ae2db700ea6b138843fcd71a956df2e6d19bd3299048ecca",
        ),
        "bare": Fingerprints(
            prompt=X,
            contract=PLAIN,
            sampling="0f433d9999c104c8fa8eafccedbe4819e4fbb000423fe283dadf7a76d150e7d7",
        ),
    }
    for more in ({}, {"samples_per_request": 1}):
        rows = golden(*(json.dumps({"id": name, **row, **more}) for name, row in ROWS.items()))
        suite = suite_of({**rows, "evalaction.yml": MODEL})
        assert expected == {case.id: fingerprint.of_case(case) for case in suite.cases}


def test_sampling__everything_else_stays() -> None:
    """Several draws a request change nothing else of a case."""
    (case,) = suite_of(files_of(MODEL, samples_per_request=2, temperature=1)).cases
    assert Sampling(model="m", temperature=1, samples_per_request=2) == case.sampling
