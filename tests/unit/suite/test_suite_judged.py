"""Golden lines that a judge grades: what they may hold, and who judges them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from support.suites import golden, problems, suite_of
from support.trees import MemoryTree

from evalaction import fingerprint
from evalaction.errors import BadInput
from evalaction.records.case import Case, CaseJudge, Contract, Grader, Sampling, Use, UseRole
from evalaction.records.deck import Deck
from evalaction.records.settings import Defaults
from evalaction.suite.case import Resolver
from evalaction.suite.contract import Judges
from evalaction.suite.files import Files
from evalaction.suite.given import Given, given_by
from evalaction.suite.load import Known
from evalaction.values import sha256

RUBRIC = "A pass says no more than the source.\n"
ROW = {"id": "a", "prompt": "Sum up.", "grader": "judge", "rubric": "judge/rubric.md"}
FILES: dict[str, str | bytes] = {"judge/rubric.md": RUBRIC}


def case_of(
    row: Mapping[str, Any] = ROW,
    *,
    files: Mapping[str, str | bytes] = FILES,
    given: Given | None = None,
    judges: Judges | None = None,
    path: str = "golden.jsonl",
) -> Case:
    """Return the case of a line in a tree of these files."""
    tree = MemoryTree({name: data.encode() if isinstance(data, str) else data for name, data in files.items()})
    resolver = Resolver(Files(tree, root=""), given or Given(model="m"), judges)
    return resolver.case(json.dumps(row), path=path, line=1)[0]


def judge_of(row: Mapping[str, Any] = ROW, **options: Any) -> CaseJudge:
    """Return who judges a line."""
    judge = case_of(row, **options).contract.judge
    assert judge is not None
    return judge


def wrong(**fields: Any) -> list[str]:
    """Return what is wrong with a line that has these fields."""
    row = json.dumps({"id": "a", "prompt": "x", **fields})
    return [text.removeprefix("golden.jsonl:1: ") for text in problems({**golden(row), **FILES})]


def test_case__judge() -> None:
    """A line with a rubric becomes a case whose judge gives pass or fail, is asked twice, and at temperature 0."""
    judge = CaseJudge(
        rubric_path="judge/rubric.md",
        rubric=RUBRIC,
        labels=("pass", "fail"),
        repeats=2,
        sampling=Sampling(model="m", temperature=0),
        unasked=frozenset({"temperature"}),
    )
    expected = Case(
        id="a",
        path="golden.jsonl",
        line=1,
        messages=({"role": "user", "content": "Sum up."},),
        n=5,
        sampling=Sampling(model="m"),
        contract=Contract(grader=Grader.JUDGE, judge=judge),
        uses=(Use(path="judge/rubric.md", role=UseRole.RUBRIC, sha256=sha256(RUBRIC.encode())),),
    )
    assert expected == case_of()


def test_case__judge_everything_said() -> None:
    """Labels, askings and the expected label are those of the line; the rubric is seen from the golden file."""
    row = {**ROW, "rubric": "../judge/rubric.md", "labels": ["good", "bad"], "judge_repeats": 20, "expect": "bad"}
    case = case_of({**row, "expect_min": 0.5}, path="evals/golden.jsonl")
    judge = replace(judge_of(), labels=("good", "bad"), repeats=20)
    assert (judge, "bad") == (case.contract.judge, case.contract.expect)


def test_case__judge_and_template() -> None:
    """All files that a case was made from are named, each with what it is for."""
    row = {"id": "a", "prompt_file": "p.txt", "grader": "judge", "rubric": "judge/rubric.md"}
    case = case_of(row, files={**FILES, "p.txt": "Sum up."})
    assert [("judge/rubric.md", UseRole.RUBRIC), ("p.txt", UseRole.TEMPLATE)] == [
        (use.path, use.role) for use in case.uses
    ]


@pytest.mark.parametrize(
    ("given", "model"),
    [
        (Given(model="m"), "m"),
        (Given(model="m", judge_model="j"), "j"),
        (Given(judge_model="j"), "j"),
        (Given(), None),
    ],
)
def test_judge__model(given: Given, model: str | None) -> None:
    """A judge without a deck is the judge model that was given, else the model of the cases, at temperature 0."""
    assert Sampling(model=model, temperature=0) == judge_of(given=given).sampling


def test_judge__no_model_of_a_prompt_file() -> None:
    """The model that a prompt file names answers, and is not made to judge itself; nor does its sampling hold."""
    prompt = "messages: [{role: user, content: x}]\nmodel: answers\nmodelParameters: {temperature: 1}\n"
    row = {"id": "a", "prompt_file": "p.prompt.yml", "grader": "judge", "rubric": "judge/rubric.md"}
    case = case_of(row, files={**FILES, "p.prompt.yml": prompt})
    assert Sampling(model="answers", temperature=1) == case.sampling
    assert case.contract.judge is not None
    assert Sampling(model="m", temperature=0) == case.contract.judge.sampling


def test_judge__of_a_deck() -> None:
    """A line that goes by a deck's rubric and labels is graded by the judge of that deck, as it is asked there."""
    tested = Deck(
        name="d",
        path="d.jsonl",
        rubric_path="elsewhere.md",
        rubric=RUBRIC,
        labels=("pass", "fail"),
        show=("trace",),
        fixtures=(),
        sampling=Sampling(model="tested", temperature=1, seed=3),
        unasked=frozenset({"seed"}),
    )
    judges = {(RUBRIC, ("pass", "fail")): tested}
    untested = judge_of()
    expected = replace(untested, sampling=tested.sampling, unasked=tested.unasked)
    assert expected == judge_of(judges=judges)
    other = ["fail", "pass"]
    assert replace(untested, labels=tuple(other)) == judge_of({**ROW, "labels": other}, judges=judges)
    files = {"judge/rubric.md": RUBRIC + "."}
    assert replace(untested, rubric=RUBRIC + ".") == judge_of(files=files, judges=judges)


@pytest.mark.parametrize("data", [RUBRIC.replace("\n", "\r\n"), b"\xef\xbb\xbf" + RUBRIC.encode()])
def test_judge__same_rubric(data: str | bytes) -> None:
    """Line ends and a byte order mark are no part of a rubric, and in no fingerprint."""
    case = case_of(files={"judge/rubric.md": data})
    assert case.contract == case_of().contract
    assert fingerprint.of_case(case) == fingerprint.of_case(case_of())


def test_case__not_kept_for_the_other_side() -> None:
    """Where a deck asks its judge in another way at head, the same line has another judge there."""
    fixtures = [{"id": gold, "task": "t", "trace": gold, "gold": gold} for gold in ("pass", "fail")]
    files = {**golden(json.dumps(ROW)), **FILES, "d.jsonl": "".join(json.dumps(row) + "\n" for row in fixtures)}
    known: Known = {}
    models = []
    for model in ("old", "new"):
        deck = f"decks: [{{name: d, rubric: judge/rubric.md, fixtures: d.jsonl, judge_model: {model}}}]\n"
        suite = suite_of({**files, "evalaction.yml": deck}, known=known)
        judge = suite.cases[0].contract.judge
        models.append(judge.sampling.model if judge is not None else None)
    assert ["old", "new"] == models


def test_case__judge_is_not_repeatable() -> None:
    """The case of a judged line depends on the decks too, so that it is resolved anew on each side."""
    resolver = Resolver(
        Files(MemoryTree({"judge/rubric.md": RUBRIC.encode()}), root=""), given_by(Defaults(model="m")), {}
    )
    lines = (json.dumps(ROW), '{"id":"b","prompt":"x"}')
    assert [False, True] == [resolver.case(line, path="golden.jsonl", line=1)[1] for line in lines]


OTHER = "Change the grader, or remove it."
LABELS = "`labels` holds {}, and a label is a text in one line with more than punctuation in it."
APART = (
    "`labels` holds {} and {}, which cannot be told apart in a reply: case, white space at the ends and end "
    "punctuation do not count."
)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"rubric": None},
            "The grader judge needs a `rubric`. "
            "Name the file that says what a good answer is, relative to the golden file.",
        ),
        ({"rubric": " "}, '`rubric` takes a text that is not empty, not " ".'),
        (
            {"rubric": "judge/rubrik.md"},
            "In the case 'a': judge/rubrik.md does not exist. Did you mean judge/rubric.md?",
        ),
        (
            {"rubric": "../rubric.md"},
            "In the case 'a': '../rubric.md' leaves the repository. Name a file of this repository by a relative path.",
        ),
        (
            {"judge_repeats": 1},
            "`judge_repeats` is 1, and one asking cannot show that the judge wavers: it takes 2 to 20.",
        ),
        ({"judge_repeats": 21}, "`judge_repeats` takes an integer from 2 to 20, not 21."),
        ({"judge_repeats": True}, "`judge_repeats` takes an integer from 2 to 20, not true."),
        ({"labels": "pass"}, '`labels` takes a list of two different labels or more, not "pass".'),
        ({"labels": ["pass"]}, '`labels` takes a list of two different labels or more, not ["pass"].'),
        ({"labels": ["pass", 1]}, LABELS.format(1)),
        ({"labels": ["pass", ""]}, LABELS.format('""')),
        ({"labels": ["pass", " ! . "]}, LABELS.format('" ! . "')),
        ({"labels": ["pass", "fa\nil"]}, LABELS.format('"fa\\nil"')),
        ({"labels": ["pass", "fa\x85il"]}, LABELS.format('"fa\x85il"')),
        ({"labels": ["pass", "fail", "pass"]}, APART.format('"pass"', '"pass"')),
        ({"labels": ["pass", "fail", "Pass."]}, APART.format('"pass"', '"Pass."')),
        ({"labels": ["stra\u00dfe", " STRASSE !"]}, APART.format('"stra\u00dfe"', '" STRASSE !"')),
        ({"labels": ["\u00e9", "e\u0301"]}, APART.format('"\u00e9"', '"e\u0301"')),
        (
            {"expect": "Pass"},
            '`expect` is "Pass", which no judge can answer: the labels are pass, fail. Did you mean pass?',
        ),
        (
            {"labels": ["good", "bad"], "expect": "pass"},
            '`expect` is "pass", which no judge can answer: the labels are good, bad.',
        ),
        ({"expect": {"a": 1}}, "`expect` is an object, which needs the grader json, not judge."),
        (
            {"expect_keys": ["a"]},
            f"`expect_keys` needs the grader json or command, not judge. {OTHER}",
        ),
        (
            {"schema": {"type": "object"}},
            f"`schema` needs the grader json or command, not judge. {OTHER}",
        ),
    ],
)
def test_problems__judge(fields: dict[str, Any], expected: str) -> None:
    """What a judge could not go by, be asked or answer is one sentence that says what is right."""
    row = {"grader": "judge", "rubric": "judge/rubric.md", **fields}
    assert [expected] == wrong(**{name: value for name, value in row.items() if value is not None})


@pytest.mark.parametrize("data", ["", "\r\n\t", b"\xef\xbb\xbf"])
def test_problems__empty_rubric(data: str | bytes) -> None:
    """A rubric that says nothing is an error, since every judge would make up its own."""
    with pytest.raises(BadInput) as caught:
        case_of(files={"judge/rubric.md": data})
    assert "judge/rubric.md: The rubric is empty." == str(caught.value)


def test_problems__unreadable_rubric() -> None:
    """A rubric that is not UTF-8 is one clear error."""
    with pytest.raises(BadInput) as caught:
        case_of(files={"judge/rubric.md": b"\xff"})
    expected = "In the case 'a': judge/rubric.md is not UTF-8 (line 1). Save it as UTF-8."
    assert expected == str(caught.value)


def test_suite__rubric_named_like_a_prompt() -> None:
    """A rubric is a text, whatever its file is called."""
    row = {**ROW, "rubric": "r.prompt.yml"}
    suite = suite_of({**golden(json.dumps(row)), "r.prompt.yml": "{{ not a prompt"})
    assert ((), ()) == (suite.problems, suite.warnings)
