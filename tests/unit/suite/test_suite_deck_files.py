"""Decks in files of their own, found by their names or named by the configuration."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.suites import ids, problems, suite_of
from support.trees import MemoryTree

from evalaction.records.settings import Defaults
from evalaction.suite.deck_keys import KEYS
from evalaction.suite.load import load_suite
from evalaction.values import sha256

ROWS = '{"id":"a","task":"t","trace":"x","gold":"pass"}\n{"id":"b","task":"t","trace":"y","gold":"fail"}\n'
DECK = "rubric: rubric.md\nfixtures: traces.golden.jsonl\n"
FOLDER = {"rubric.md": "Judge.", "traces.golden.jsonl": ROWS}


def within(folder: str, **files: str) -> dict[str, str]:
    """Return the rubric and the fixtures of a folder, and deck files beside them by the start of their names."""
    named = {f"{name}.deck.yml": text for name, text in files.items()}
    return {f"{folder}{path}": text for path, text in {**FOLDER, **named}.items()}


def test_load__found() -> None:
    """A deck file is found in any folder; it is named after itself, and its paths are seen from its folder."""
    files = {**within("judge/deep/", traces=DECK), **within("", other=f"# why\n\nname: mine\n{DECK}")}
    suite = suite_of(files)
    assert [
        ("traces", "judge/deep/traces.deck.yml", 1, "judge/deep/rubric.md", "judge/deep/traces.golden.jsonl"),
        ("mine", "other.deck.yml", 3, "rubric.md", "traces.golden.jsonl"),
    ] == [(deck.name, deck.config_path, deck.line, deck.rubric_path, deck.path) for deck in suite.decks]
    assert ((), (), None) == (suite.problems, suite.golden_paths, suite.config_path)


def test_load__beside_configuration() -> None:
    """Decks of the configuration come first, those of other files after them; files that it lists have its order."""
    files = {
        **within("b/", two=DECK, three=DECK),
        **within("a/", four=DECK),
        "evalaction.yml": "decks:\n"
        "- b/two.deck.yml\n"
        "- {name: one, rubric: a/rubric.md, fixtures: a/traces.golden.jsonl}\n"
        "- ./b/two.deck.yml\n"
        "- plain.yml\n",
        "plain.yml": "name: plain\nrubric: a/rubric.md\nfixtures: a/traces.golden.jsonl\n",
    }
    suite = suite_of(files)
    assert () == suite.problems
    assert ["two", "one", "plain", "four", "three"] == [deck.name for deck in suite.decks]


def test_load__root() -> None:
    """Only deck files below the folder that is looked at are found; they may name files beside it."""
    files = {**within("", outer=DECK), "svc/in.deck.yml": "rubric: ../rubric.md\nfixtures: ../traces.golden.jsonl\n"}
    suite = suite_of(files, root="svc")
    assert ((), [("in", "rubric.md")]) == (suite.problems, [(deck.name, deck.rubric_path) for deck in suite.decks])


def test_load__identity() -> None:
    """Fixtures and planted traces are part of the data set's identity, each file once; deck files are not."""
    planted = '{"id":"p","task":"t","trace":"z"}\n'
    files = {**within("", one=f"{DECK}planted: p.jsonl\n", two=DECK), "p.jsonl": planted}
    rows = f"{sha256(planted.encode())}  p.jsonl\n{sha256(ROWS.encode())}  traces.golden.jsonl\n"
    assert sha256(rows.encode()) == suite_of(files).dataset_sha256


def test_load__judge_of_a_case() -> None:
    """A case that is graded by a deck's rubric and labels has the deck's judge, with the sampling of the first such."""
    line = '{"id":"c","prompt":"x","grader":"judge","rubric":"rubric.md"}\n'
    files = {
        **within("", a=f"{DECK}judge_model: first\nseed: 3\n", b=f"{DECK}judge_model: second\n"),
        "golden.jsonl": line,
    }
    suite = suite_of(files, defaults=Defaults(model="m"))
    (case,) = suite.cases
    assert case.contract.judge is not None
    assert ((), suite.decks[0].sampling) == (suite.problems, case.contract.judge.sampling)


def test_warnings__other_suffix() -> None:
    """A file that looks like a deck's and is not read is told."""
    suite = suite_of({"golden.jsonl": '{"id":"a","prompt":"x"}', "judge/x.deck.yaml": "anything"})
    assert (
        ["a"],
        ("judge/x.deck.yaml: the file is not read, since a deck file ends in .deck.yml.",),
    ) == (ids(suite), suite.warnings)


KNOWN = (
    "name, rubric, fixtures, labels, show, max_orders, repeats, judge_model, temperature, top_p, seed, max_tokens, "
    "judge_flip_max, gold_min, probes, planted, rubric_variants"
)
SIDE = DECK.replace(".golden", "")
POLICY = "only the workflow or the command line may say that. A pull request could change it otherwise."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", f"j/x.deck.yml:1: The file holds no deck. A deck has rubric, fixtures; known are {KNOWN}."),
        ("- a\n", f"j/x.deck.yml:1: The file holds no mapping. A deck has rubric, fixtures; known are {KNOWN}."),
        (
            "# a deck\nname: d\n",
            "j/x.deck.yml:2: The deck has no `rubric`.\nj/x.deck.yml:2: The deck has no `fixtures`.",
        ),
        (f"{SIDE}gold_min: 2\n", "j/x.deck.yml:3: `gold_min` takes a number from 0 to 1, not 2."),
        (f"{SIDE}base_url: x\n", f"j/x.deck.yml:3: `base_url` cannot stand in this file: {POLICY}"),
        (f"{SIDE}fixture: x\n", "j/x.deck.yml:3: There is no field `fixture`. Did you mean fixtures?"),
        (f"{SIDE}rubric: r\n", "j/x.deck.yml:3: The key `rubric` stands twice. Remove one of them."),
        (
            "rubric: ../../r.md\nfixtures: traces.jsonl\n",
            "j/x.deck.yml:1: '../../r.md' leaves the repository. Name a file of this repository by a relative path.",
        ),
        (
            "rubric: j/rubric.md\nfixtures: traces.jsonl\n",
            "j/x.deck.yml:1: j/j/rubric.md does not exist. Did you mean j/rubric.md?",
        ),
        (
            "name: ''\n" + SIDE,
            'j/x.deck.yml:1: `name` takes a text of 1 to 200 characters, none of them control, not "".',
        ),
    ],
)
def test_problems__of_a_file(text: str, expected: str) -> None:
    """What is wrong in a deck file names that file and its line, and is all that is told."""
    files = {**within("j/", x=text), "golden.jsonl": '{"id":"a","prompt":"x"}\n'}
    assert expected.split("\n") == problems({path.replace("es.golden", "es"): data for path, data in files.items()})


def test_problems__too_much_text() -> None:
    """All deck files together are bounded, since YAML is slow to read; those beyond the bound are not read."""
    padding = f"# {'x' * 149_000}\n"
    files = within("", a=DECK + padding, b=DECK + padding, c=DECK + padding, d="not read: [")
    expected = "c.deck.yml: The deck files up to this one have more than 300,000 characters together. "
    assert [f"{expected}Write fewer or shorter ones."] == problems(files)


def test_problems__listed() -> None:
    """A deck file that the configuration names and that cannot be had is a fault of that line."""
    config = "decks:\n- j/x.deck.yml\n- j/gone.deck.yml\n- ../out.deck.yml\n"
    assert [
        "evalaction.yml:3: j/gone.deck.yml does not exist.",
        "evalaction.yml:4: '../out.deck.yml' leaves the repository. Name a file of this repository by a relative path.",
    ] == [
        problem.replace(" Did you mean j/x.deck.yml?", "")
        for problem in problems({**within("j/", x=DECK), "evalaction.yml": config})
    ]


def test_problems__one_name() -> None:
    """A name stands once in all of the configuration and the deck files; the message says where the other one is."""
    files = {
        **within("a/", traces=DECK),
        **within("b/", traces=DECK, other=f"{DECK}name: one\n"),
        "evalaction.yml": "decks:\n- rubric: a/rubric.md\n  fixtures: a/traces.golden.jsonl\n  name: one\n",
    }
    assert [
        "b/other.deck.yml:3: There is another deck named 'one', in evalaction.yml:4.",
        "b/traces.deck.yml:1: There is another deck named 'traces', in a/traces.deck.yml:1. "
        "It is named after its file; give it a `name`.",
    ] == problems(files)


@pytest.mark.parametrize("name", ["", "\udcff", "a\x07", "x" * 201])
def test_problems__no_name(name: str) -> None:
    """A file whose name is nothing but the ending, or cannot be shown or is too long, gives its deck no name."""
    files = within("", **{name: DECK})
    expected = f"{name}.deck.yml:1: The deck has no `name`, and its file's name gives it none."
    assert [expected] == problems(files)


def test_problems__link() -> None:
    """A symbolic link is not followed, under this name either."""
    tree = MemoryTree({"golden.jsonl": b'{"id":"a","prompt":"x"}'}, symlinks=("x.deck.yml",))
    found = load_suite(tree, defaults=Defaults()).problems
    assert ["x.deck.yml: x.deck.yml is a symbolic link, which is never followed. Put the file itself there."] == [
        str(problem) for problem in found
    ]


def test_problems__broken_configuration() -> None:
    """With a mistake in the configuration the fixtures and planted traces that it names are taken for no cases."""
    config = (
        "modle: m\ndecks:\n- {name: d, rubric: r.md, fixtures: f.golden.jsonl, planted: p.golden.jsonl}\n- {name: e}\n"
    )
    files = {"evalaction.yml": config, "f.golden.jsonl": ROWS, "p.golden.jsonl": '{"id":"p"}', "r.md": "x"}
    assert [
        "evalaction.yml:1: There is no field `modle`. Did you mean model?",
        "evalaction.yml:4: The deck has no `rubric`.",
        "evalaction.yml:4: The deck has no `fixtures`.",
    ] == problems(files)


PAGE = (Path(__file__).parents[3] / "docs/judge.md").read_text("utf-8").partition("## Decks\n")[2].partition("\n## ")[0]


def test_documentation__every_key() -> None:
    """The documented table has the keys of a deck, in their order."""
    assert list(KEYS) == re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)


def test_documentation__example() -> None:
    """The documented deck, fixtures and configuration work as they stand, and tell no answer."""
    blocks = dict(reversed(re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)))
    configuration = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
    files = {
        "judge/traces.deck.yml": blocks["yaml"],
        "judge/traces.jsonl": blocks["json"],
        "judge/rubric.md": blocks["markdown"],
        "evalaction.yml": configuration,
        "judge/tone.md": "Judge.",
        "judge/tone.jsonl": ROWS,
    }
    suite = suite_of(files)
    assert ((), (), ["traces", "tone"]) == (suite.problems, suite.warnings, [deck.name for deck in suite.decks])
