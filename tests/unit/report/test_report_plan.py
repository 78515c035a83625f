"""A plan as JSON and in plain words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.decks import judged_plan, planned_deck, trace_deck
from support.reports import STUBS
from support.suites import suite_of
from support.trees import MemoryTree

from evalaction.forks import FAILS
from evalaction.plan.make import make_plan
from evalaction.records.deck import ProbeKind
from evalaction.records.plan import Plan
from evalaction.records.tree import Pair
from evalaction.report.plan_document import plan_document
from evalaction.report.plan_lines import plan_lines
from evalaction.values import parse

PAIR = Pair(
    base=MemoryTree({}, sha="0123456789abcdef", ref="main"), head=MemoryTree({}, sha=None, ref="WORKTREE"), renames={}
)
DECK = {
    "evalaction.yml": "decks: [{name: d, rubric: r.md, fixtures: f.jsonl}]",
    "r.md": "Judge.",
    "f.jsonl": '{"id":1,"task":"t","trace":"x","gold":"pass"}\n{"id":2,"task":"t","trace":"y","gold":"fail"}\n',
}


def plan() -> Plan:
    base = {
        "golden.jsonl": '{"id":"a","prompt_file":"t.txt","agreement_min":0.9,"expect":"y"}\n{"id":"b","prompt":"y"}\n'
        '{"id":"c","prompt":"z"}\n',
        "t.txt": "x",
        **DECK,
    }
    head = {
        "golden.jsonl": '{"id":"a","prompt_file":"t.txt","expect":"n"}\n{"id":"b","prompt":"y"}\n'
        '{"id":"new","prompt":"y","n":3}\n',
        "t.txt": "z",
        **DECK,
        "r.md": "Judge well.",
    }
    return make_plan(suite_of(base), suite_of(head), renames={}, workflow_changed=False)


def test_plan_document__whole() -> None:
    """The document has what other programs rely on."""
    expected = {
        "cases": [
            {
                "id": "a",
                "file": "golden.jsonl",
                "line": 1,
                "reasons": ["prompt", "contract"],
                "changed_files": ["t.txt"],
                "n": 5,
                "blocked": None,
                "judge_calls": 0,
            },
            {
                "id": "new",
                "file": "golden.jsonl",
                "line": 3,
                "reasons": ["new"],
                "changed_files": [],
                "n": 3,
                "blocked": None,
                "judge_calls": 0,
            },
        ],
        "decks": [
            {"name": "d", "file": "f.jsonl", "reasons": ["rubric"], "orders": 2, "repeats": 1, "requests": 2},
        ],
        "removed": [{"kind": "case", "file": "golden.jsonl", "id": "c"}],
        "loosened": [
            {
                "id": "a",
                "file": "golden.jsonl",
                "line": 1,
                "field": "agreement_min",
                "before": parse("0.9"),
                "after": parse("0.8"),
            }
        ],
        "edited_gold": [{"id": "a", "file": "golden.jsonl", "line": 1, "field": "expect", "before": "y", "after": "n"}],
        "unaffected": 1,
        "not_chosen": 0,
        "total": 3,
        "chosen": None,
        "notes": [],
        "calls": {"draws": 8, "judge": 2, "baseline_at_most": 0},
    }
    assert expected == plan_document(plan(), notes=())


def test_plan_lines__whole() -> None:
    """The lines say what runs and why, what a reviewer must see, and the calls."""
    expected = (
        "main (0123456789ab) → work tree",
        "2 cases of 3 to be drawn, 1 unaffected, 1 deck to be judged.",
        "golden.jsonl:1 a: prompt, contract (t.txt), n 5",
        "golden.jsonl:3 new: new, n 3",
        "Deck d (f.jsonl): rubric, 2 fixtures in 2 orders, each asked once: 2 judge calls",
        "Gate loosened: a agreement_min 0.9 → 0.8 (golden.jsonl:1)",
        'Expected value edited: a expect "y" → "n" (golden.jsonl:1)',
        "Removed: case c (golden.jsonl)",
        "Note: a note",
        "Stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck.",
        "8 calls planned for draws and 2 judge calls; a call that fails is tried again.",
        "A judge's reply that cannot be read is asked for once more (a repair), which is one more call.",
        # 1 - 0.95³ = 14.3 %; P(Bin(5, 0.95) < 4) = 2.3 %; 1 - 0.857 · 0.977 = 16.2 %
        "A sound case, whose every draw gives its usual answer with probability 0.95, misses 3/3 in 14.3 % of runs; at "
        "least one of 2 such cases does in 16.2 %.",
    )
    assert expected == plan_lines(plan(), pair=PAIR, stubs=STUBS, notes=("a note",))


def with_judge(*, n: int = 3, repeats: int = 2) -> Plan:
    deck = trace_deck(
        repeats=2, planted=("Not done.",), probes=(ProbeKind.STEER, ProbeKind.TWINS), wordings=("Be strict.",)
    )
    graded = judged_plan(n, repeats=repeats)
    return replace(plan(), cases=(graded,), decks=(planned_deck(deck), planned_deck()), loosened=(), removed=())


def test_plan_document__judge() -> None:
    """What judges cost stands by case, by deck and in the sum."""
    document: Any = plan_document(with_judge(repeats=3), notes=())
    # 6 orders twice, 6 in another wording, 2 for each of 3 planted traces; 6 orders once; 3 draws judged 3 times.
    assert [(3, 9)] == [(case["n"], case["judge_calls"]) for case in document["cases"]]
    assert [(6, 2, 24), (6, 1, 6)] == [
        (deck["orders"], deck["repeats"], deck["requests"]) for deck in document["decks"]
    ]
    assert document["calls"] == {"draws": 3, "judge": 39, "baseline_at_most": 0}


def test_plan_lines__several_draws_a_request() -> None:
    """Calls are requests: where one asks for several draws, the draws are told beside them."""
    first = plan().cases[0].case
    several = replace(first, sampling=replace(first.sampling, samples_per_request=2))
    asked = replace(plan(), cases=(replace(plan().cases[0], case=several), plan().cases[1]))
    lines = plan_lines(asked, pair=PAIR, stubs=STUBS, notes=())

    assert "6 calls planned for 8 draws and 2 judge calls; a call that fails is tried again." in lines
    assert plan_document(asked, notes=())["calls"] == {"draws": 6, "judge": 2, "baseline_at_most": 0}


def test_plan_lines__judge() -> None:
    """The lines say what each judge costs before anything is sent, and what a repair is."""
    lines = plan_lines(with_judge(), pair=PAIR, stubs=STUBS, notes=())
    assert (
        "1 case of 3 to be drawn, 1 unaffected, 2 decks to be judged.",
        "evals/tone.golden.jsonl:1 tone_v1: prompt, n 3, each judged 2 times: 6 judge calls",
        "Deck trace-judge (decks/trace.jsonl): rubric, 3 fixtures in 6 orders, each asked 2 times (12), 1 other "
        "wording (6), 3 planted traces (6): 24 judge calls",
        "Deck trace-judge (decks/trace.jsonl): rubric, 3 fixtures in 6 orders, each asked once: 6 judge calls",
    ) == lines[1:5]
    assert (
        "3 calls planned for draws and 36 judge calls; a call that fails is tried again.",
        "A judge's reply that cannot be read is asked for once more (a repair), which is one more call.",
    ) == lines[-3:-1]


def test_plan_lines__decks_alone() -> None:
    """Where no case is drawn, the judges' calls stand alone, and nothing is said of chance."""
    alone = replace(with_judge(), cases=(), chosen="the decks alone", not_chosen=2)
    sent, held = (plan_lines(alone, pair=PAIR, stubs=STUBS, notes=(), hold=hold) for hold in (None, FAILS))
    assert sent[1] == "2 decks to be judged, and no case to be drawn."
    assert (
        "30 judge calls planned; a call that fails is tried again.",
        "A judge's reply that cannot be read is asked for once more (a repair), which is one more call.",
    ) == sent[-2:]
    assert held[-1] == "30 judge calls would be made, and none is."


@pytest.mark.parametrize("chosen", [None, "the decks alone"])
def test_plan_lines__no_case_at_all(chosen: str | None) -> None:
    """A suite without cases is told by its decks, be they affected or not."""
    decks = replace(with_judge(), cases=(), total=0, unaffected=0, chosen=chosen)
    runs = (decks, replace(decks, decks=()))
    assert [plan_lines(run, pair=PAIR, stubs=STUBS, notes=())[1] for run in runs] == [
        "2 decks to be judged.",
        "0 decks to be judged.",
    ]


def test_plan_lines__held() -> None:
    """What is held back says what it would cost."""
    lines = plan_lines(with_judge(), pair=PAIR, stubs=STUBS, notes=(), hold=FAILS)
    assert lines[-1] == "3 calls would be made for draws and 36 judge calls, and none is."


def test_plan_lines__merge() -> None:
    """A merge made for the run is named by the pull request's head, the one that a clone has."""
    pair = replace(PAIR, head=MemoryTree({}, sha="9" * 40, ref="HEAD"), desk_head="8a41b77" + "0" * 33)
    lines = plan_lines(plan(), pair=pair, stubs=STUBS, notes=())
    assert lines[0] == "main (0123456789ab) → merge of 8a41b7700000"


def test_plan_lines__many() -> None:
    """A long list is cut, and what was left out is counted."""
    rows = "".join(f'{{"id":{index},"prompt":"x","n":2}}\n' for index in range(1, 1_026))
    suite = suite_of({"golden.jsonl": rows})
    lines = plan_lines(
        make_plan(None, suite, renames={}, cases=tuple(str(index) for index in range(1, 1_025))),
        pair=PAIR,
        stubs=STUBS,
        notes=(),
    )
    assert "and 1,004 more" == lines[22]
    assert "2,048 calls planned for draws; a call that fails is tried again." == lines[-2]
    chosen = "(chosen: cases 1, 2, 3, 4, 5 and 1,019 more)"
    assert f"1,024 cases of 1,025 to be drawn, 0 unaffected, 1 affected but not chosen {chosen}." == lines[1]


def test_plan_lines__hostile_names() -> None:
    """A path or value with control characters cannot move the cursor or begin a line."""
    suite = suite_of({"a\n\x1b[2J.golden.jsonl": '{"id":"x\u202ey","prompt":"x"}'})
    lines = plan_lines(make_plan(None, suite, renames={}), pair=PAIR, stubs=STUBS, notes=())
    assert "a⏎⟨U+001B⟩[2J.golden.jsonl:1 x⟨U+202E⟩y: all, n 5" == lines[2]
