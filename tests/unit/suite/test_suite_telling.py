"""What gives a gold label away, and what only looks like it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.suites import suite_of

from evalaction.suite.telling import telling_ids

NEUTRAL = ("Paid back 20.", "Paid back 30.")


def warnings(
    *traces: object, rubric: str = "Judge.", labels: str = "[pass, fail]", gold: str = "fail", other: str = "pass"
) -> list[str]:
    """Return what is warned of where the traces have one gold label, and the last line has another."""
    rows = [{"id": f"n{number}", "task": "t", "trace": trace, "gold": gold} for number, trace in enumerate(traces)]
    rows.append({"id": "last", "task": "t", "trace": "z", "gold": other})
    files = {
        "d.deck.yml": f"rubric: r.md\nfixtures: f.jsonl\nlabels: {labels}\n",
        "r.md": rubric,
        "f.jsonl": "\n".join(map(json.dumps, rows)),
    }
    suite = suite_of(files)
    assert () == suite.problems
    return [*suite.warnings]


@pytest.mark.parametrize(
    ("trace", "shown"),
    [
        ("It refunds twice (expected fail).", "expected fail"),
        ("Expected: FAIL", "Expected: FAIL"),
        ("expected_label = fail", "expected_label = fail"),
        ("This one should be  pass.", "should be pass"),
        ("gold: fail", "gold: fail"),
        ("…\nGold fail\n…", "Gold fail"),
        ("label = pass", "label = pass"),
        ("Note: the right answer is fail", "right answer is fail"),
        ("The correct verdict is **fail**.", "correct verdict is **fail"),
        ("ground truth -> fail", "ground truth -> fail"),
        ("tags: should-fail", "should-fail"),
        ("expected fail because it abstains", "expected fail"),
        ({"steps": ["a", {"gold": "fail"}]}, "gold: fail"),
        ({"expected_label": "pass"}, "expected_label: pass"),
    ],
)
def test_telling__trace(trace: object, shown: str) -> None:
    """A trace in which words say what its label is, in whatever shape, is told with its line and those words."""
    assert [f"f.jsonl:2: what the judge is shown tells a label ({shown})."] == warnings(NEUTRAL[0], trace)


@pytest.mark.parametrize(
    "trace",
    [
        "2 tests pass, 1 fails",
        "pass",
        "All tests should pass.",
        "The expected pass rate is 80 %.",
        "The build is expected to fail.",
        "failed: expected 3, got 4",
        "pass: 3, fail: 1",
        "A correct pass to the striker.",
        "It must fail fast.",
        "The result is fail-safe.",
        "Put a label on the box, pass it on.",
        {"result": "pass"},
        {"status": "fail", "expected": 3},
        ["expected", "fail"],
    ],
)
def test_telling__no_trace(trace: object) -> None:
    """A label by itself, or in a sentence about something else, is no finding."""
    assert [] == warnings(trace)


@pytest.mark.parametrize(
    ("labels", "gold", "other", "trace", "found"),
    [
        ("[yes, no]", "no", "yes", "gold: no", "gold: no"),
        ("[yes, no]", "no", "yes", "The correct label is no.", "correct label is no"),
        ("[yes, no]", "no", "yes", "The correct answer is no.", None),
        ("[yes, no]", "no", "yes", "Expected no errors.", None),
        ("[yes, no]", "no", "yes", "Is that right? No.", None),
        ("[correct, incorrect]", "incorrect", "correct", "verdict: incorrect", "verdict: incorrect"),
        ("[correct, incorrect]", "incorrect", "correct", "The total should be correct.", None),
        ("[correct, incorrect]", "incorrect", "correct", "The right answer is correct.", None),
        ('["not met", met]', "not met", "met", "expected: not met", "expected: not met"),
        ('["+", "-"]', "-", "+", "gold: -", "gold: -"),
    ],
)
def test_telling__labels(labels: str, gold: str, other: str, trace: str, found: str | None) -> None:
    """Labels that are everyday words are findings beside words for a gold label alone."""
    expected = [] if found is None else [f"f.jsonl:1: what the judge is shown tells a label ({found})."]
    assert expected == warnings(trace, labels=labels, gold=gold, other=other)


def test_telling__several() -> None:
    """Traces that tell make one line, with the first place, its words, cut, and how many more there are."""
    trace = "expected" + 3 * " " + "verdict is " + "fail"
    found = warnings(NEUTRAL[0], trace, "gold: fail", "label: pass")
    assert ["f.jsonl:2 and 2 more: what the judge is shown tells a label (expected verdict is fail)."] == found


@pytest.mark.parametrize(
    ("rubric", "expected"),
    [
        ("Be strict.\nTrace n0 is too long.", "r.md:2: the rubric names the fixture n0."),
        ("Item 2 should be fail.", "r.md:1: the rubric gives the answer for one item (Item 2 should be fail)."),
        (
            "\n\nThe last trace gets a pass.",
            "r.md:3: the rubric gives the answer for one item (The last trace gets a pass).",
        ),
        ("Fixture #3: 'fail'", "r.md:1: the rubric gives the answer for one item (Fixture #3: 'fail)."),
        ("Be kind to trace last: pass.", "r.md:1: the rubric gives the answer for one item (trace last: pass)."),
        ("Dates in words are an expected fail.", "r.md:1: the rubric says what is expected (expected fail)."),
        ("A sum that is right\n(gold: pass)", "r.md:2: the rubric says what is expected (gold: pass)."),
    ],
)
def test_telling__rubric(rubric: str, expected: str) -> None:
    """A rubric that names a fixture or answers for one item is told with its line."""
    assert [expected] == warnings(*NEUTRAL, rubric=rubric)


@pytest.mark.parametrize(
    "rubric",
    [
        "Label each item pass or fail. Judge the last trace like the first.",
        "Rule 3: fail when a total is wrong. Expected verdicts are pass and fail.",
        "The expected pass rate is 3 of 4. An answer that should fail is one that is wrong.",
        "Step n01 counts, n0_x too.",
    ],
)
def test_telling__no_rubric(rubric: str) -> None:
    """A rubric may name its labels, number its rules, and use the words that are ids of fixtures (here: last)."""
    assert [] == warnings(*NEUTRAL, rubric=rubric)


def test_telling__wordings() -> None:
    """Other wordings of the rubric are looked at like the first, each under its own file."""
    files = {
        "d.deck.yml": "rubric: r.md\nfixtures: f.jsonl\nrubric_variants: [v.md]\n",
        "r.md": "Judge.",
        "v.md": "Judge. x-1 is hard.",
        "f.jsonl": '{"id":"x-1","task":"t","trace":"x","gold":"pass"}\n{"id":"b","task":"t","trace":"y","gold":"fail"}',
    }
    assert ("v.md:1: the rubric names the fixture x-1.",) == suite_of(files).warnings


@pytest.mark.parametrize(
    ("name", "labels", "gold", "tells"),
    [
        ("t_fluent_fail", "[pass, fail]", "fail", True),
        ("t_fluent_fail", "[pass, fail]", "pass", True),
        ("good-03", "[pass, fail]", "pass", True),
        ("tOk", "[pass, fail]", "pass", True),
        ("isWrong2", "[pass, fail]", "fail", True),
        ("PASS1", "[pass, fail]", "pass", True),
        ("t-not-met", '[met, "not met"]', "not met", True),
        ("refund-abstains", "[abstains, answers]", "abstains", True),
        ("passenger", "[pass, fail]", "fail", False),
        ("bypass", "[pass, fail]", "fail", False),
        ("token", "[pass, fail]", "fail", False),
        ("no-refund", "[yes, no]", "no", False),
        ("t1", '["1", "2"]', "1", False),
    ],
)
def test_telling__ids(name: str, labels: str, gold: str, *, tells: bool) -> None:
    """An id with a label, or a word for well or ill, as a part of it is told, whether or not gold agrees."""
    others = [label for label in ("pass", "fail", "not met", "met", "answers", "yes", "2") if label in labels]
    other = next(label for label in others if label != gold)
    rows = [
        {"id": name, "task": "t", "trace": "x", "gold": gold},
        {"id": "b", "task": "t", "trace": "y", "gold": other},
    ]
    files = {
        "d.deck.yml": f"rubric: r.md\nfixtures: f.jsonl\nlabels: {labels}\n",
        "r.md": "Judge.",
        "f.jsonl": "\n".join(map(json.dumps, rows)),
    }
    what = f"f.jsonl:1: the id {name} tells a label. No judge sees it, but people and tools do."
    suite = suite_of(files)
    told = [line for deck in suite.decks for line in telling_ids(deck)]
    assert ((), (), [what] if tells else []) == (suite.problems, suite.warnings, told)


@given(trace=st.text() | st.text("expected fail:goldlabel is=should be\n\"'`*([-_", max_size=2000))
def test_telling__any_text(trace: str) -> None:
    """Whatever a trace holds, it is looked through, and each finding is one short line of its own."""
    found = warnings(trace)
    assert len(found) <= 1
    assert all("\n" not in line and len(line) < 150 for line in found)
