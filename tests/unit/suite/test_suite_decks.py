"""Decks: fixtures with gold labels, and a rubric."""

from __future__ import annotations

import pytest
from support.suites import problems, suite_of

from evalaction.records.case import Deck, Fixture

DECK = "decks:\n  - name: traces\n    rubric: r.md\n    fixtures: d/traces.golden.jsonl\n"
GOOD = '{"id":"t1","task":"Refund","trace":"Done.","gold":"pass","note":"n"}'
BAD = '{"id":"t2","task":"Refund","trace":["a",{"b":1}],"gold":"fail","tags":["x"]}'


def files_with(*rows: str, config: str = DECK, rubric: str = "Judge.\r\n") -> dict[str, str]:
    return {"evalaction.yml": config, "r.md": rubric, "d/traces.golden.jsonl": "".join(f"{row}\n" for row in rows)}


def test_load__historical_fixtures() -> None:
    """Lines of id, task, trace and gold work as they stand; a deck's file is no golden file, and a deck is enough."""
    suite = suite_of(files_with(GOOD, BAD))
    expected = Deck(
        name="traces",
        path="d/traces.golden.jsonl",
        rubric_path="r.md",
        rubric="Judge.\n",
        labels=("pass", "fail"),
        show=("task", "trace"),
        fixtures=(
            Fixture(id="t1", line=1, fields={"task": "Refund", "trace": "Done."}, gold="pass"),
            Fixture(id="t2", line=2, fields={"task": "Refund", "trace": ["a", {"b": 1}]}, gold="fail"),
        ),
    )
    assert ((), (expected,), ()) == (suite.problems, suite.decks, suite.golden_paths)


def test_load__own_labels_and_fields() -> None:
    """A deck can have its own labels (also such as yes and no) and show other fields."""
    config = DECK + "    labels: [yes, no]\n    show: [answer, note]\n"
    rows = ['{"id":1,"answer":"a","note":"n","gold":"yes"}', '{"id":2,"answer":"b","note":"m","gold":"no"}']
    suite = suite_of(files_with(*rows, config=config))
    assert () == suite.problems
    assert [{"answer": "a", "note": "n"}, {"answer": "b", "note": "m"}] == [
        item.fields for item in suite.decks[0].fixtures
    ]


PATH = "d/traces.golden.jsonl"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            (GOOD,),
            f"{PATH}: The deck 'traces' has 1 fixtures, and it takes two at least. "
            "One fixture has no order to permute.",
        ),
        (
            (),
            f"{PATH}: The deck 'traces' has 0 fixtures, and it takes two at least. "
            "One fixture has no order to permute.",
        ),
        (
            (GOOD, BAD.replace("fail", "pass")),
            f"{PATH}: All fixtures of the deck 'traces' have the gold label 'pass'. "
            "Add one with another label: this deck cannot tell a judge from a stamp.",
        ),
        ((GOOD, BAD.replace("fail", "failed")), f"{PATH}:2: `gold` is 'failed', and the deck's labels are pass, fail."),
        ((GOOD, '{"id":"t2","task":"x","trace":"y"}'), f"{PATH}:2: There is no `gold`."),
        (
            (GOOD, '{"id":"t2","task":"x","gold":"fail"}'),
            f"{PATH}:2: There is no `trace`, which the deck 'traces' shows to its judge.",
        ),
        (
            (GOOD, '{"id":"t2","task":"x","trace":"y","gold":"fail","golden":"x"}'),
            f"{PATH}:2: There is no field `golden`. Did you mean gold?",
        ),
        (
            (GOOD, BAD.replace("t2", "t1")),
            f"{PATH}:2: The id 't1' stands in lines 1 and 2. Give each fixture its own.",
        ),
        (
            (GOOD, "{"),
            f"{PATH}:2: The line is not JSON: Expecting property name enclosed in double quotes (character 2). "
            "Write one whole JSON object a line.",
        ),
    ],
)
def test_problems__fixtures(rows: tuple[str, ...], expected: str) -> None:
    """A deck that could not tell a judge from a stamp, or that cannot be read, names its file and line."""
    assert [expected] == problems(files_with(*rows))


def test_problems__files() -> None:
    """A rubric or a fixtures file that is not there names the deck's entry."""
    expected = ["evalaction.yml:2: r.md does not exist.", "evalaction.yml:2: d/traces.golden.jsonl does not exist."]
    assert expected == problems({"evalaction.yml": DECK})


def test_problems__empty_rubric() -> None:
    """A rubric without a word is no rubric."""
    assert ["r.md: The rubric is empty."] == problems(files_with(GOOD, BAD, rubric=" \n"))
