"""Which decks are run and why, and what of them asks less than it did."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.decks import JUDGE_SAMPLING, trace_deck
from support.suites import suite_of

from evalaction.judge.exam import exam_of
from evalaction.judge.fingerprint import deck_fingerprint
from evalaction.plan.deck_changes import loosened_deck
from evalaction.plan.make import make_plan
from evalaction.plan.reasons import deck_reasons
from evalaction.records.case import Sampling
from evalaction.records.deck import Deck, Fixture, Planted, ProbeKind, Wording
from evalaction.records.plan import Plan, Reason
from evalaction.suite.load import Known
from evalaction.values import parse

Files = dict[str, str]

STEER, EMPTY = ProbeKind.STEER, ProbeKind.EMPTY
PLANTED = Planted(id="p1", line=1, fields={"task": "t", "trace": "Not done."})
DECK = trace_deck(
    probes=(STEER, EMPTY),
    planted=(PLANTED,),
    wordings=("Be strict.",),
    repeats=2,
    config_path="evalaction.yml",
    line=7,
    judge_flip_max=Fraction(1, 3),
    gold_min=Fraction(2, 3),
)
LONGER = (*DECK.fixtures, Fixture(id="t4", line=4, fields={"task": "t", "trace": "x"}, gold="pass"))

SAME: list[dict[str, Any]] = [
    {},
    {"name": "other"},
    {"path": "elsewhere.jsonl", "rubric_path": "r.md", "line": 3, "config_path": "a.deck.yml", "planted_path": "p"},
    {"wordings": (Wording(path="moved.md", text="Be strict."),)},
    {"planted": (replace(PLANTED, line=2),)},
    {"unasked": frozenset({"temperature"})},
]
DIFFERENT: list[tuple[dict[str, Any], Reason]] = [
    ({"rubric": "Another."}, Reason.RUBRIC),
    ({"wordings": ()}, Reason.RUBRIC),
    ({"wordings": (Wording(path="decks/w1.md", text="Be kind."),)}, Reason.RUBRIC),
    ({"fixtures": DECK.fixtures[::-1]}, Reason.FIXTURES),
    ({"fixtures": LONGER}, Reason.FIXTURES),
    ({"labels": ("fail", "pass")}, Reason.FIXTURES),
    ({"show": ("trace",)}, Reason.FIXTURES),
    ({"planted": ()}, Reason.FIXTURES),
    ({"planted": (replace(PLANTED, fields={"trace": "Not done.", "task": True}),)}, Reason.FIXTURES),
    ({"sampling": replace(JUDGE_SAMPLING, model="j-2")}, Reason.SAMPLING),
    ({"sampling": Sampling(model="j-1")}, Reason.SAMPLING),
    ({"max_orders": 3}, Reason.SAMPLING),
    ({"repeats": 1}, Reason.SAMPLING),
    ({"probes": ()}, Reason.CONTRACT),
]
THRESHOLDS: list[dict[str, Any]] = [{"judge_flip_max": Fraction(0)}, {"gold_min": Fraction(1)}]


@pytest.mark.parametrize("fields", SAME)
def test_deck_reasons__same(fields: dict[str, Any]) -> None:
    """Where a deck stands, and what it and its files are called, affects nothing."""
    assert deck_reasons(DECK, replace(DECK, **fields)) == set()


@pytest.mark.parametrize(("fields", "reason"), DIFFERENT)
def test_deck_reasons__each(fields: dict[str, Any], reason: Reason) -> None:
    """Everything that a judge's figures depend on is a reason of its kind, and moves the fingerprint."""
    after = replace(DECK, **fields)
    assert {reason} == deck_reasons(DECK, after) == deck_reasons(after, DECK)
    assert deck_fingerprint(DECK) != deck_fingerprint(after)


@pytest.mark.parametrize("fields", THRESHOLDS)
def test_deck_reasons__thresholds(fields: dict[str, Any]) -> None:
    """A threshold is a reason, though the figures are the same under any."""
    after = replace(DECK, **fields)
    assert {Reason.CONTRACT} == deck_reasons(DECK, after)
    assert deck_fingerprint(DECK) == deck_fingerprint(after)


@given(
    st.lists(st.sampled_from([*SAME, *(fields for fields, _ in DIFFERENT)])),
    st.lists(st.sampled_from([*SAME, *(fields for fields, _ in DIFFERENT)])),
)
def test_deck_reasons__as_the_fingerprint(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    """Under equal thresholds there is a reason exactly when the fingerprints differ."""

    def made(changes: list[dict[str, Any]]) -> Deck:
        deck = DECK
        for fields in changes:
            deck = replace(deck, **fields)
        return deck

    before, after = made(one), made(other)
    assert bool(deck_reasons(before, after)) is (deck_fingerprint(before) != deck_fingerprint(after))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"judge_flip_max": Fraction(1, 2)}, ("judge_flip_max", Fraction(1, 3), parse("0.5"))),
        ({"gold_min": Fraction(1, 2)}, ("gold_min", Fraction(2, 3), parse("0.5"))),
        ({"max_orders": 3}, ("max_orders", 24, 3)),
        ({"max_orders": 5}, ("max_orders", 24, 5)),
        ({"repeats": 1}, ("repeats", 2, 1)),
        ({"probes": (EMPTY,)}, ("probes", ["steer", "empty"], ["empty"])),
        ({"probes": ()}, ("probes", ["steer", "empty"], None)),
        ({"planted": ()}, ("planted.p1", {"task": "t", "trace": "Not done."}, None)),
        ({"labels": ("fail", "pass")}, ("labels", ["pass", "fail"], ["fail", "pass"])),
    ],
)
def test_loosened_deck__each(fields: dict[str, Any], expected: tuple[str, Any, Any]) -> None:
    """What asks less of a judge is listed by itself, under the deck's name and where the deck is written down."""
    before = replace(DECK, judge_flip_max=Fraction(1, 4), gold_min=Fraction(3, 4))
    numbers = {Fraction(1, 3): parse("0.25"), Fraction(2, 3): parse("0.75")}
    field, was, is_ = expected
    found = [
        (item.id, item.path, item.line, item.field, item.before, item.after)
        for item in loosened_deck(before, replace(before, **fields))
    ]
    was = numbers.get(was, was) if isinstance(was, Fraction) else was
    assert [("trace-judge", "evalaction.yml", 7, field, was, is_)] == found


def test_loosened_deck__removed_label() -> None:
    """A label that is gone told fixtures apart."""
    three = replace(DECK, labels=("pass", "fail", "odd"))
    assert ["labels"] == [item.field for item in loosened_deck(three, DECK)]
    assert [] == list(loosened_deck(DECK, three))


@pytest.mark.parametrize(
    "fields",
    [
        {"judge_flip_max": Fraction(0)},
        {"gold_min": Fraction(1)},
        {"max_orders": 6},
        {"max_orders": 100},
        {"repeats": 3},
        {"probes": tuple(ProbeKind)[:4]},
        {"planted": (PLANTED, replace(PLANTED, id="p2"))},
        {"planted": (replace(PLANTED, fields={"task": "u", "trace": "v"}),)},
        {"fixtures": LONGER},
        {"rubric": "Another.", "wordings": (), "sampling": Sampling(model="j-2")},
    ],
)
def test_loosened_deck__what_is_no_loosening(fields: dict[str, Any]) -> None:
    """Asking for more, for as many orders in other words, or for something else is no loosening."""
    assert [] == list(loosened_deck(DECK, replace(DECK, **fields)))


def test_loosened_deck__labels_without_planted_traces() -> None:
    """Which label comes first matters where something is planted alone."""
    plain = trace_deck()
    assert [] == list(loosened_deck(plain, replace(plain, labels=("fail", "pass"))))


FIXTURES = '{"id":1,"task":"t","trace":"x","gold":"pass"}\n{"id":2,"task":"t","trace":"y","gold":"fail"}\n'
CONFIG = """\
decks:
  - {name: tone, rubric: tone.md, fixtures: tone.jsonl}
  - {name: other, rubric: other.md, fixtures: other.jsonl}
"""
JUDGED = {"id": "j", "prompt": "x", "grader": "judge", "rubric": "tone.md"}
TREE = {
    "evalaction.yml": CONFIG,
    "tone.md": "Be kind.",
    "other.md": "Be right.",
    "tone.jsonl": FIXTURES,
    "other.jsonl": FIXTURES,
    "golden.jsonl": f'{json.dumps(JUDGED)}\n{{"id":"a","prompt":"x","tags":["t"]}}\n',
}


def plan_of(changed: Files, *, base: Files | None = TREE, **options: Any) -> Plan:
    known: Known = {}
    before = None if base is None else suite_of(base, known=known)
    after = suite_of({**TREE, **changed}, known=known)
    assert after.problems == ()
    return make_plan(before, after, **{"renames": {}, **options})


def why(plan: Plan) -> tuple[dict[str, str], dict[str, str]]:
    """Return the reasons by case, then by deck."""
    return (
        {item.case.id: ", ".join([*item.reasons, *item.changed_files]) for item in plan.cases},
        {item.deck.name: ", ".join(item.reasons) for item in plan.decks},
    )


def test_make_plan__deck_with_its_exam() -> None:
    """A planned deck carries everything that its judge is asked."""
    (planned,) = plan_of({"other.md": "Be exact."}).decks
    assert (exam_of(planned.deck), deck_fingerprint(planned.deck)) == (planned.exam, planned.fingerprint)


@pytest.mark.parametrize(
    ("changed", "options", "cases", "decks"),
    [
        ({}, {}, {}, {}),
        ({"other.md": "Be exact."}, {}, {}, {"other": "rubric"}),
        ({"tone.md": "Be polite."}, {}, {"j": "contract, tone.md"}, {"tone": "rubric"}),
        (
            {"golden.jsonl": TREE["golden.jsonl"].replace('"prompt": "x"', '"prompt": "y"')},
            {},
            {"j": "prompt"},
            {"tone": "case"},
        ),
        ({}, {"workflow_changed": True}, {"j": "sampling", "a": "sampling"}, {"tone": "sampling", "other": "sampling"}),
        ({}, {"force_all": "asked for"}, {"j": "all", "a": "all"}, {"tone": "all", "other": "all"}),
        ({}, {"base": None}, {"j": "all", "a": "all"}, {"tone": "all", "other": "all"}),
        ({}, {"cases": ("j",)}, {"j": "all"}, {"tone": "case"}),
        ({}, {"cases": ("a",)}, {"a": "all"}, {}),
        ({"tone.jsonl": FIXTURES.replace("y", "z")}, {"cases": ("j",)}, {"j": "all"}, {"tone": "fixtures"}),
        ({}, {"decks_only": True}, {}, {"tone": "all", "other": "all"}),
        ({"other.md": "Be exact."}, {"decks_only": True}, {}, {"tone": "all", "other": "rubric"}),
        ({}, {"base": None, "decks_only": True}, {}, {"tone": "all", "other": "all"}),
    ],
)
def test_make_plan__which_decks(
    changed: Files, options: dict[str, Any], cases: dict[str, str], decks: dict[str, str]
) -> None:
    """A deck runs when it is affected, when its judge grades a case that is drawn, or when all were asked for."""
    assert (cases, decks) == why(plan_of(changed, **options))


def test_make_plan__dependency_of_decks() -> None:
    """A listed file that changed affects the suite: decks too."""
    base = {**TREE, "evalaction.yml": f"{CONFIG}dependencies: [lib.py]\n", "lib.py": "1"}
    plan = plan_of({**base, "lib.py": "2"}, base=base)
    assert {"tone": "dependency", "other": "dependency"} == why(plan)[1]


@pytest.mark.parametrize(
    ("options", "chosen", "not_chosen", "notes"),
    [
        ({"cases": ("j",)}, "case j", 0, ("1 affected deck is not among what was chosen.",)),
        ({"tags": ("t",)}, "tag t", 1, ("2 affected decks are not among what was chosen.",)),
        ({"decks_only": True}, "the decks alone", 1, ()),
        ({"decks_only": True, "force_all": "asked for"}, "the decks alone", 2, ()),
        ({"force_all": "asked for"}, None, 0, ("Every case is drawn and every deck is judged: asked for.",)),
        (
            {"workflow_changed": True},
            None,
            0,
            ("The workflow that started this run differs from base, so every case and every deck is affected.",),
        ),
    ],
)
def test_make_plan__narrowed_decks(
    options: dict[str, Any], chosen: str | None, not_chosen: int, notes: tuple[str, ...]
) -> None:
    """What a narrowed plan leaves out is counted; the decks alone are a narrowing too."""
    plan = plan_of({"tone.md": "Be polite.", "other.md": "Be exact."}, **options)
    assert (chosen, not_chosen, notes) == (plan.chosen, plan.not_chosen, plan.notes)


def test_make_plan__changes_of_decks() -> None:
    """What was loosened, edited or removed is listed whatever is chosen, after what is found in cases."""
    base = {**TREE, "evalaction.yml": CONFIG.replace("other.jsonl}", "other.jsonl, judge_flip_max: 0.5}")}
    changed = {
        "evalaction.yml": CONFIG.splitlines()[0] + "\n" + CONFIG.splitlines()[1].replace("}", ", gold_min: 0.5}"),
        "tone.jsonl": FIXTURES.replace('"gold":"pass"', '"gold":"fail"').replace(
            'y","gold":"fail"', 'y","gold":"pass"'
        ),
    }
    for options in ({}, {"cases": ("a",)}, {"decks_only": True}):
        plan = plan_of(changed, base=base, **options)
        assert [("tone", "evalaction.yml", 2, "gold_min", 1, parse("0.5"))] == [
            (item.id, item.path, item.line, item.field, item.before, item.after) for item in plan.loosened
        ]
        assert [("1", "pass", "fail"), ("2", "fail", "pass")] == [
            (item.id, item.before, item.after) for item in plan.edited_gold
        ]
        assert [("deck", "other")] == [(item.kind, item.id) for item in plan.removed]


def test_make_plan__costs() -> None:
    """The plan counts the requests to judges: of drawn cases by their repeats, of decks by their exam."""
    plan = plan_of({}, force_all="asked for")
    # Two cases of 5 draws, one of them judged twice; two decks in two orders.
    assert (10, 5 * 2 + 2 + 2, 24) == (plan.draws, plan.judge_calls, plan.calls)
