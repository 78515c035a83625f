"""``evalaction.yml``: what it may say, who wins, and what it may never say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from support.suites import ids, problems, suite_of

from evalaction.records.case import Sampling
from evalaction.records.settings import Defaults
from evalaction.values import parse, sha256

ROW = '{"id":"a","prompt":"x"}\n'
CONFIG = """\
model: config-model
defaults:
  n: 7
  temperature: 0.70
  top_p: 0.9
  seed: 3
  agreement_min: 0.9
  expect_min: 0.5
golden: [evals/*.jsonl]
dependencies: [lib/*.py, data.csv]
"""


def test_load__everything_said() -> None:
    """Model, defaults, globs and dependencies reach the cases, over what the workflow says by default."""
    files = {
        "evalaction.yml": CONFIG,
        "evals/a.jsonl": ROW,
        "golden.jsonl": "ignored",
        "lib/a.py": "1",
        "data.csv": "2",
    }
    suite = suite_of(files, defaults=Defaults(model="env", n=3, temperature=1, agreement_min=Fraction(1, 2)))
    (case,) = suite.cases
    sampling = Sampling(model="config-model", temperature=parse("0.7"), top_p=parse("0.9"), seed=3)  # type: ignore[arg-type]
    assert (7, sampling, Fraction(9, 10), Fraction(1, 2)) == (
        case.n,
        case.sampling,
        case.contract.agreement_min,
        case.contract.expect_min,
    )
    assert ("evals/a.jsonl",) == suite.golden_paths
    assert {"data.csv": sha256(b"2"), "lib/a.py": sha256(b"1")} == suite.dependencies
    assert ("evalaction.yml", sha256(CONFIG.encode())) == (suite.config_path, suite.config_sha256)
    assert () == suite.problems


def test_load__line_wins() -> None:
    """A golden line comes before the configuration."""
    row = '{"id":"a","prompt":"x","n":2,"temperature":0.1,"agreement_min":1}'
    (case,) = suite_of({"evalaction.yml": CONFIG, "evals/a.jsonl": row, "lib/a.py": "", "data.csv": ""}).cases
    found: Any = (case.n, case.sampling.temperature, case.contract.agreement_min)
    assert (2, parse("0.1"), 1) == found


def test_load__input_globs_win() -> None:
    """Globs that the workflow gives replace those of the configuration."""
    files = {"evalaction.yml": "golden: a.jsonl", "a.jsonl": ROW, "b.jsonl": '{"id":"b","prompt":"x"}'}
    assert ["b"] == ids(suite_of(files, golden=("b.jsonl",)))


@pytest.mark.parametrize("place", ["evalaction.yml", ".github/evalaction.yml"])
def test_load__places(place: str) -> None:
    """The file is found at the root and under .github; its paths are seen from the root."""
    suite = suite_of({place: "golden: e/x.jsonl", "e/x.jsonl": ROW})
    assert (place, ("e/x.jsonl",)) == (suite.config_path, suite.golden_paths)


def test_load__both_places() -> None:
    """Two configuration files are an error: one of them would be ignored."""
    expected = ".github/evalaction.yml: evalaction.yml is there too: one of them would be ignored. Keep one."
    assert [expected] == problems(
        {"evalaction.yml": "model: m", ".github/evalaction.yml": "model: m", "golden.jsonl": ROW}
    )


def test_load__root() -> None:
    """With another folder to look at, configuration, globs and dependencies are seen from it."""
    files = {
        "evalaction.yml": "model: outer",
        "golden.jsonl": "outer",
        "svc/evalaction.yml": "model: inner\ndependencies: d.txt",
        "svc/golden.jsonl": '{"id":"a","prompt_file":"../common.txt"}',
        "svc/d.txt": "",
        "svc/inc.txt": "inc",
        "common.txt": "{% include 'inc.txt' %}",
    }
    suite = suite_of(files, root="svc/")
    assert ((), ("svc/golden.jsonl",), ["svc/d.txt"]) == (suite.problems, suite.golden_paths, list(suite.dependencies))
    assert ("inner", "inc") == (suite.cases[0].sampling.model, suite.cases[0].messages[0]["content"])


def test_load__root_outside() -> None:
    """A folder outside the repository is an error."""
    expected = "working-directory: '..' leaves the repository. Name a file of this repository by a relative path."
    assert [expected] == problems({"golden.jsonl": ROW}, root="..")


def test_load__named_config_missing() -> None:
    """A configuration file that was named and is not there is an error."""
    assert ["conf/e.yml: conf/e.yml does not exist."] == problems({"golden.jsonl": ROW}, config="conf/e.yml")


POLICY = "only the workflow or the command line may say that. A pull request could change it otherwise."


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("model: m\nbase_url: http://x\n", f"evalaction.yml:2: `base_url` cannot stand in this file: {POLICY}"),
        ("api-key: x\n", f"evalaction.yml:1: `api-key` cannot stand in this file: {POLICY}"),
        ("defaults:\n  max_calls: 9\n", f"evalaction.yml:2: `max_calls` cannot stand in this file: {POLICY}"),
        ("fail_on: []\n", f"evalaction.yml:1: `fail_on` cannot stand in this file: {POLICY}"),
        (
            "defaults: {max_completion_tokens: 9}\n",
            "evalaction.yml:1: `max_completion_tokens` is no default: a length budget belongs to its case.",
        ),
        (
            "defaults:\n  max-total-tokens: 9\n",
            f"evalaction.yml:2: `max-total-tokens` cannot stand in this file: {POLICY}",
        ),
        ("ledger: x\n", f"evalaction.yml:1: `ledger` cannot stand in this file: {POLICY}"),
        ("resume: true\n", f"evalaction.yml:1: `resume` cannot stand in this file: {POLICY}"),
        (
            "defaults:\n  seed: 0\n  samples_per_request: 3\n",
            "evalaction.yml:3: `samples_per_request` is 3, and there is a `seed`: all choices of one request would "
            "share it. Keep one of them, or let each case say its own.",
        ),
        (
            "decks: [{name: d, rubric: r.md, fixtures: d.jsonl, samples_per_request: 2}]\n",
            "evalaction.yml:1: There is no field `samples_per_request`. Known are name, rubric, fixtures, labels, "
            "show, max_orders, repeats, judge_model, temperature, top_p, seed, max_tokens, judge_flip_max, gold_min, "
            "probes, planted, rubric_variants.",
        ),
        ("n: 5\n", "evalaction.yml:1: There is no field `n` here. It belongs under `defaults`."),
        ("defaults: {model: m}\n", "evalaction.yml:1: There is no field `model` here. It stands beside `defaults`."),
        ("gold: x\n", "evalaction.yml:1: There is no field `gold`. Did you mean golden?"),
        (
            "model: m\ndefaults:\n  n: 1\n",
            "evalaction.yml:3: `n` is 1, and one draw measures nothing: it takes 2 to 100.",
        ),
        (
            "defaults:\n  n: 5\n  temperatuur: 1\n",
            "evalaction.yml:3: There is no field `temperatuur`. Did you mean temperature?",
        ),
        ("model: no\nmodel: m\n", "evalaction.yml:2: The key `model` stands twice. Remove one of them."),
        (
            "- a\n",
            "evalaction.yml:1: The file holds no mapping. Known are model, defaults, golden, dependencies, decks.",
        ),
        ("dependencies:\n  - a.txt\n", "evalaction.yml:2: a.txt does not exist."),
        (
            "dependencies: ../a.txt\n",
            "evalaction.yml:1: '../a.txt' leaves the repository. Name a file of this repository by a relative path.",
        ),
        (
            "golden: /x\n",
            "evalaction.yml:1: '/x' is not a glob of paths within the repository. "
            "Write it relative, such as prompts/**/*.golden.jsonl, without .. and no slash at its ends.",
        ),
        (
            "decks: [{name: d}]\n",
            "evalaction.yml:1: The deck has no `rubric`.\nevalaction.yml:1: The deck has no `fixtures`.",
        ),
        (
            "decks:\n  - {name: d, rubric: r, fixtures: f, judge-url: x}\n",
            f"evalaction.yml:2: `judge-url` cannot stand in this file: {POLICY}",
        ),
        (
            "decks:\n- {name: d, rubric: ../r, fixtures: f}\n",
            "evalaction.yml:2: '../r' leaves the repository. Name a file of this repository by a relative path.",
        ),
    ],
)
def test_problems__kinds(config: str, expected: str) -> None:
    """Each wrong entry names its line; what only the workflow may say is refused by name."""
    assert expected.split("\n") == problems({"evalaction.yml": config, "golden.jsonl": ROW})


def test_load__empty_file() -> None:
    """An empty configuration says nothing."""
    suite = suite_of({"evalaction.yml": "# later\n", "golden.jsonl": ROW})
    assert ((), "evalaction.yml", ["a"]) == (suite.problems, suite.config_path, ids(suite))
