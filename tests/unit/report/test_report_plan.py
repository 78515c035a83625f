"""A plan as JSON and in plain words."""

from __future__ import annotations

from dataclasses import replace

from support.reports import STUBS
from support.suites import suite_of
from support.trees import MemoryTree

from evalaction.plan.make import make_plan
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
            },
            {"id": "new", "file": "golden.jsonl", "line": 3, "reasons": ["new"], "changed_files": [], "n": 3},
        ],
        "decks": [{"name": "d", "file": "f.jsonl", "reasons": ["rubric"], "orders": None, "repeats": None}],
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
        "calls": {"draws": 8, "judge": 0, "baseline_at_most": 0},
    }
    assert expected == plan_document(plan(), notes=())


def test_plan_lines__whole() -> None:
    """The lines say what runs and why, what a reviewer must see, and the calls."""
    expected = (
        "main (0123456789ab) → work tree",
        "2 cases of 3 to be drawn, 1 unaffected.",
        "golden.jsonl:1 a: prompt, contract (t.txt), n 5",
        "golden.jsonl:3 new: new, n 3",
        "Affected deck, which this version cannot judge: d (f.jsonl): rubric",
        "Gate loosened: a agreement_min 0.9 → 0.8 (golden.jsonl:1)",
        'Expected value edited: a expect "y" → "n" (golden.jsonl:1)',
        "Removed: case c (golden.jsonl)",
        "Note: a note",
        "Stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck.",
        "8 calls planned for draws; a call that fails is tried again.",
        # 1 - 0.95³ = 14.3 %; P(Bin(5, 0.95) < 4) = 2.3 %; 1 - 0.857 · 0.977 = 16.2 %
        "A sound case, whose every draw gives its usual answer with probability 0.95, misses 3/3 in 14.3 % of runs; at "
        "least one of 2 such cases does in 16.2 %.",
    )
    assert expected == plan_lines(plan(), pair=PAIR, stubs=STUBS, notes=("a note",))


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
