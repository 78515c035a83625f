"""What a plan draws, why, and what it does not."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.suites import suite_of

from evalaction import fingerprint
from evalaction.errors import BadInput
from evalaction.plan.make import make_plan
from evalaction.records.plan import Plan, Reason, Removed
from evalaction.suite.load import Known

Files = dict[str, str]


def plan_of(base: Files | None, head: Files, **options: Any) -> Plan:
    known: Known = {}
    suites = [None if files is None else suite_of(files, known=known) for files in (base, head)]
    assert suites[1] is not None
    return make_plan(suites[0], suites[1], **{"renames": {}, **options})


def why(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return the reasons, then the changed files, by case id."""
    return {item.case.id: (*map(str, item.reasons), *item.changed_files) for item in plan.cases}


A, B = '{"id":"a","prompt":"x"}', '{"id":"b","prompt":"y"}'
BASE = {"golden.jsonl": f"{A}\n{B}\n"}


@pytest.mark.parametrize(
    "data",
    [
        f"{B}\n\n{A}\n",
        '{ "prompt" : "x" ,\t"id" : "a" }\n{"id":"b","prompt":"\\u0079"}',
        f"\ufeff{A}\r\n{B}\r\n",
        '{"id":"a","prompt":"x","tags":["t"],"note":"n"}\n{"id":"b","prompt":"y","n":5,"agreement_min":0.80}\n',
        '{"id":"a","messages":[{"role":"user","content":"x"}]}\n{"id":"b","prompt_file":"y.txt"}\n',
        '{"id":"a","prompt":"x","samples_per_request":1}\n{"id":"b","prompt":"y"}\n',
    ],
)
def test_make_plan__same_content(data: str) -> None:
    """A file that is reordered, reformatted, re-encoded, or says the same in another way affects nothing."""
    plan = plan_of(BASE, {"golden.jsonl": data, "y.txt": "y\n"})
    assert Plan(cases=(), decks=(), removed=(), loosened=(), edited_gold=(), unaffected=2, total=2) == plan


@pytest.mark.parametrize(
    ("row", "reasons"),
    [
        ('{"id":"b","prompt":"z"}', ("prompt",)),
        ('{"id":"b","prompt":"y","n":7}', ("sampling",)),
        ('{"id":"b","prompt":"y","temperature":0.5}', ("sampling",)),
        ('{"id":"b","prompt":"y","seed":1}', ("sampling",)),
        ('{"id":"b","prompt":"y","samples_per_request":2}', ("sampling",)),
        ('{"id":"b","prompt":"y","agreement_min":0.9}', ("contract",)),
        ('{"id":"b","prompt":"y","expect":"z"}', ("contract",)),
        ('{"id":"b","prompt":"y","max_completion_tokens":9}', ("contract", "sampling")),
        ('{"id":"b","prompt":"z","n":2,"grader":"exact"}', ("prompt", "contract", "sampling")),
        ('{"id":"c","prompt":"y"}', ("new",)),
    ],
)
def test_make_plan__reasons(row: str, reasons: tuple[str, ...]) -> None:
    """A changed line affects its case alone, with what of it changed, in the order of ``Reason``."""
    plan = plan_of(BASE, {"golden.jsonl": f"{A}\n{row}\n"})
    assert ({json.loads(row)["id"]: reasons}, 1) == (why(plan), plan.unaffected)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("", (10, 10, 0, 10)),
        (',"samples_per_request":2', (10, 8, 0, 8)),
        (',"samples_per_request":5', (10, 6, 0, 6)),
        (',"samples_per_request":5,"grader":"judge","rubric":"r.md","judge_repeats":3', (10, 6, 15, 21)),
    ],
)
def test_make_plan__calls(fields: str, expected: tuple[int, int, int, int]) -> None:
    """A request that asks for several draws is one call; each draw is judged for itself."""
    row = f'{{"id":"b","prompt":"y"{fields}}}'
    plan = plan_of(None, {"golden.jsonl": f"{A}\n{row}\n", "r.md": "x"})
    assert expected == (plan.draws, plan.draw_calls, plan.judge_calls, plan.calls)


def test_make_plan__more_draws_a_request() -> None:
    """More draws a request than at base is another sampling, and loosens no gate; nor do fewer."""
    few, many = (f'{A}\n{{"id":"b","prompt":"y","samples_per_request":{k}}}\n' for k in (2, 5))
    for base, head in ((few, many), (many, few), (f"{A}\n{B}\n", many)):
        plan = plan_of({"golden.jsonl": base}, {"golden.jsonl": head})
        assert ({"b": ("sampling",)}, ()) == (why(plan), plan.loosened)


def test_make_plan__blocked_is_no_call() -> None:
    """A case of which no draw is made costs none."""
    head = {"golden.jsonl": f'{A}\n{{"id":"b","prompt":"y","samples_per_request":2}}\n'}
    plan = plan_of(None, head)
    blocked = replace(plan, cases=(plan.cases[0], replace(plan.cases[1], blocked="not allowed")))
    assert (5, 5, 5) == (blocked.draws, blocked.draw_calls, blocked.calls)


def test_make_plan__planned_case() -> None:
    """A planned case carries its fingerprints and why it is drawn."""
    head = {"golden.jsonl": f'{A}\n{{"id":"b","prompt":"z"}}\n'}
    (planned,) = plan_of(BASE, head).cases
    assert fingerprint.of_case(planned.case) == planned.fingerprints
    assert ((Reason.PROMPT,), 5) == (planned.reasons, planned.case.n)


TREE = {
    "golden.jsonl": (
        '{"id":"a","prompt_file":"prompts/a.txt","vars":{"input":"x"},"schema_file":"schemas/a.json"}\n'
        '{"id":"b","prompt_file":"prompts/b.txt","vars":{"input":"x"},"schema_file":"schemas/b.json"}\n'
    ),
    "schemas/a.json": '{"$ref":"common.json#/$defs/label"}',
    "schemas/b.json": '{"type":"object"}',
    "schemas/common.json": '{"$defs":{"label":{"enum":["billing","refund"]}}}',
    "prompts/a.txt": "{% include 'prompts/shared/tone.txt' %}\nTicket: {{ input }}",
    "prompts/b.txt": "Ticket: {{ input }}",
    "prompts/shared/tone.txt": "Be brief.",
    "README.md": "x",
}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (
            {"schemas/common.json": '{"$defs":{"label":{"enum":["billing"]}}}'},
            {"a": ("contract", "schemas/common.json")},
        ),
        ({"prompts/shared/tone.txt": "Be kind."}, {"a": ("prompt", "prompts/shared/tone.txt")}),
        ({"prompts/b.txt": "Ticket {{ input }}"}, {"b": ("prompt", "prompts/b.txt")}),
        ({"prompts/b.txt": "{# comment #}Ticket: {{ input }}\n"}, {}),
        ({"schemas/b.json": '{\n  "type": "object"\n}\n'}, {}),
        ({"README.md": "y"}, {}),
        (
            {
                "golden.jsonl": TREE["golden.jsonl"].replace(
                    '"b","prompt_file":"prompts/b.txt","vars":{"input":"x"',
                    '"b","prompt_file":"prompts/b.txt","vars":{"input":"y"',
                )
            },
            {"b": ("prompt",)},
        ),
        ({"evalaction.yml": "defaults: {temperature: 0.5}"}, {"a": ("sampling",), "b": ("sampling",)}),
        ({"evalaction.yml": "defaults: {agreement_min: 0.5}"}, {"a": ("contract",), "b": ("contract",)}),
        ({"evalaction.yml": "model: m"}, {"a": ("sampling",), "b": ("sampling",)}),
        (
            {"prompts/shared/tone.txt": "Be kind.", "schemas/common.json": '{"$defs":{"label":{"type":"string"}}}'},
            {"a": ("prompt", "contract", "prompts/shared/tone.txt", "schemas/common.json")},
        ),
    ],
)
def test_make_plan__files(changed: Files, expected: dict[str, tuple[str, ...]]) -> None:
    """A template, include, schema or configuration affects the cases whose content it changes, and names itself."""
    assert expected == why(plan_of(TREE, {**TREE, **changed}))


def test_make_plan__prompt_file_parameters() -> None:
    """A prompt file that changes only its parameters is named for the sampling."""
    prompt = "messages: [{role: user, content: x}]\nmodelParameters: {temperature: 0.5}\n"
    base = {"golden.jsonl": '{"id":"a","prompt_file":"p.prompt.yml"}', "p.prompt.yml": prompt}
    head = {**base, "p.prompt.yml": prompt.replace("0.5", "0.6")}
    assert {"a": ("sampling", "p.prompt.yml")} == why(plan_of(base, head))


REFUND = "".join(f"line {number}\n" for number in range(30))
R1 = '{"id":"r1","prompt_file":"prompts/refund.txt"}\n'


def test_make_plan__renamed_template() -> None:
    """A template that was only renamed affects nothing; one that was edited on the way is named."""
    base = {"golden.jsonl": R1, "prompts/refund.txt": REFUND}
    moved = {"golden.jsonl": R1.replace("refund", "refund_v2"), "prompts/refund_v2.txt": REFUND}
    assert {} == why(plan_of(base, moved))
    edited = {**moved, "prompts/refund_v2.txt": REFUND.replace("line 3", "line three")}
    assert {"r1": ("prompt", "prompts/refund_v2.txt")} == why(plan_of(base, edited))


def test_make_plan__swapped_templates() -> None:
    """Two templates that exchange their contents affect both cases."""
    golden = '{"id":"a","prompt_file":"a.txt"}\n{"id":"b","prompt_file":"b.txt"}\n'
    plan = plan_of(
        {"golden.jsonl": golden, "a.txt": "A", "b.txt": "B"}, {"golden.jsonl": golden, "a.txt": "B", "b.txt": "A"}
    )
    assert {"a": ("prompt", "a.txt"), "b": ("prompt", "b.txt")} == why(plan)


def test_make_plan__moved_golden_file() -> None:
    """A golden file that moved, with its templates seen from its new folder, affects nothing and removes nothing."""
    base = {"golden.jsonl": f"{A}\n{B}\n"}
    plan = plan_of(base, {"evals/new.golden.jsonl": f"{A}\n{B}\n"}, renames={"evals/new.golden.jsonl": "golden.jsonl"})
    assert (0, 2, ()) == (len(plan.cases), plan.unaffected, plan.removed)


def test_make_plan__dependency() -> None:
    """A listed file that changed, came or went affects every case, and is named."""
    config = "dependencies: [lib/*.py]"
    base = {**BASE, "evalaction.yml": config, "lib/a.py": "1", "lib/b.py": "1"}
    head = {**BASE, "evalaction.yml": config, "lib/a.py": "2", "lib/c.py": "1"}
    reasons = ("dependency", "lib/a.py", "lib/b.py", "lib/c.py")
    assert {"a": reasons, "b": reasons} == why(plan_of(base, head))


def test_make_plan__workflow() -> None:
    """Another workflow file affects every case, since model and defaults may live there."""
    plan = plan_of(BASE, {"golden.jsonl": f'{A}\n{{"id":"b","prompt":"z"}}\n'}, workflow_changed=True)
    assert {"a": ("sampling",), "b": ("prompt", "sampling")} == why(plan)
    assert ("The workflow that started this run differs from base, so every case is affected.",) == plan.notes


def test_make_plan__no_base() -> None:
    """Without a base every case is drawn, and none counts as unaffected."""
    plan = plan_of(None, BASE)
    assert ({"a": ("all",), "b": ("all",)}, 0, 2) == (why(plan), plan.unaffected, plan.total)


def test_make_plan__forced() -> None:
    """When all were asked for, those that changed keep their own reasons."""
    plan = plan_of(BASE, {"golden.jsonl": f'{A}\n{{"id":"b","prompt":"z"}}\n'}, force_all="asked for")
    assert ({"a": ("all",), "b": ("prompt",)}, 0) == (why(plan), plan.unaffected)
    assert ("Every case is drawn: asked for.",) == plan.notes


def test_make_plan__removed() -> None:
    """Removed cases and whole files are listed."""
    base = {**BASE, "old.golden.jsonl": '{"id":"c","prompt":"z"}\n'}
    plan = plan_of(base, {"golden.jsonl": f"{A}\n"})
    expected = (
        Removed(kind="file", path="old.golden.jsonl", id=None),
        Removed(kind="case", path="golden.jsonl", id="b"),
        Removed(kind="case", path="old.golden.jsonl", id="c"),
    )
    assert expected == plan.removed


def test_make_plan__changes_of_a_contract() -> None:
    """Loosened gates and edited values are listed for paired cases, whatever is narrowed."""
    base = {"golden.jsonl": '{"id":"a","prompt":"x","expect":{"total_cents":1950},"agreement_min":1}\n' + B}
    head = {"golden.jsonl": '{"id":"a","prompt":"x","expect":{"total_cents":19},"agreement_min":0.8}\n' + B}
    plan = plan_of(base, head, cases=("b",))
    assert ["agreement_min"] == [item.field for item in plan.loosened]
    assert ["expect.total_cents"] == [item.field for item in plan.edited_gold]
    assert ({"b": ("all",)}, 1, 0) == (why(plan), plan.not_chosen, plan.unaffected)


DECK = "decks: [{name: d, rubric: r.md, fixtures: f.jsonl}]"
FIXTURES = '{"id":1,"task":"t","trace":"x","gold":"pass"}\n{"id":2,"task":"t","trace":"y","gold":"fail"}\n'
DECKS = {"evalaction.yml": DECK, "r.md": "Judge.", "f.jsonl": FIXTURES}


@pytest.mark.parametrize(
    ("changed", "reasons"),
    [
        ({}, None),
        ({"r.md": "Judge.\n"}, ("rubric",)),
        ({"f.jsonl": FIXTURES.replace('"y"', '"z"')}, ("fixtures",)),
        ({"f.jsonl": "\n".join(reversed(FIXTURES.splitlines()))}, ("fixtures",)),
        ({"f.jsonl": FIXTURES.replace('"trace":"x"', '"trace":"x","note":"n"')}, None),
        ({"evalaction.yml": DECK.replace("f.jsonl", "f.jsonl, labels: [pass, fail, odd]")}, ("fixtures",)),
        ({"r.md": "New.", "f.jsonl": FIXTURES.replace('"y"', '"z"')}, ("rubric", "fixtures")),
    ],
)
def test_make_plan__decks(changed: Files, reasons: tuple[str, ...] | None) -> None:
    """A deck is affected by its rubric, and by its fixtures, their order and labels."""
    plan = plan_of(DECKS, {**DECKS, **changed})
    assert ([] if reasons is None else [reasons]) == [tuple(map(str, item.reasons)) for item in plan.decks]


def test_make_plan__new_and_removed_decks() -> None:
    """A new deck is affected; a removed deck, and a fixture that is gone, are listed."""
    other = {
        **DECKS,
        "evalaction.yml": DECK.replace("name: d", "name: e").replace("f.jsonl", "g.jsonl"),
        "g.jsonl": FIXTURES,
    }
    plan = plan_of(DECKS, other)
    assert ([("e", (Reason.NEW,))], (Removed(kind="deck", path="f.jsonl", id="d"),)) == (
        [(item.deck.name, item.reasons) for item in plan.decks],
        plan.removed,
    )
    more = {**DECKS, "f.jsonl": FIXTURES + '{"id":3,"task":"t","trace":"z","gold":"fail"}\n'}
    assert (Removed(kind="fixture", path="f.jsonl", id="3"),) == plan_of(more, DECKS).removed


def test_make_plan__forced_decks_and_narrowing() -> None:
    """All decks are affected when all were asked for; narrowed to cases, a plan has none and says so."""
    both = {**DECKS, **BASE}
    assert [(Reason.ALL,)] == [item.reasons for item in plan_of(both, both, force_all="asked for").decks]
    plan = plan_of(None, both, cases=("a",))
    assert ((), ("1 affected deck is not among what was chosen.",)) == (plan.decks, plan.notes)


def test_make_plan__base_with_problems() -> None:
    """A base that cannot be read in full is said, and its cases count as new."""
    plan = plan_of({"golden.jsonl": f"{A}\nrubbish\n"}, BASE)
    first = "golden.jsonl:2: The line is not JSON: Expecting value (character 1). Write one whole JSON object a line."
    assert {"b": ("new",)} == why(plan)
    assert (f"At base a problem was found, so that cases may count as new: {first}",) == plan.notes
    assert [first] == [str(problem) for problem in plan.unread]


TAGGED = {
    "x.golden.jsonl": '{"id":"a","prompt":"x","tags":["t"]}\n{"id":"b","prompt":"y","tags":["t","u"]}\n',
    "y.golden.jsonl": '{"id":"a","prompt":"z"}\n',
}


@pytest.mark.parametrize(
    ("options", "drawn", "chosen"),
    [
        ({"cases": ("a",)}, ["x.golden.jsonl#a", "y.golden.jsonl#a"], "case a"),
        ({"cases": ("y.golden.jsonl#a",)}, ["y.golden.jsonl#a"], "case y.golden.jsonl#a"),
        ({"cases": ("a", "b")}, ["x.golden.jsonl#a", "x.golden.jsonl#b", "y.golden.jsonl#a"], "cases a, b"),
        ({"tags": ("u",)}, ["x.golden.jsonl#b"], "tag u"),
        ({"tags": ("t", "u")}, ["x.golden.jsonl#a", "x.golden.jsonl#b"], "tags t, u"),
        ({"cases": ("a",), "tags": ("t",)}, ["x.golden.jsonl#a"], "case a with tag t"),
    ],
)
def test_make_plan__narrowed(options: dict[str, Any], drawn: list[str], chosen: str) -> None:
    """A plan is narrowed by id, by path and id, and by tag; what is left out is counted."""
    plan = plan_of(None, TAGGED, **options)
    assert (drawn, chosen, 3 - len(drawn)) == (
        [f"{item.case.path}#{item.case.id}" for item in plan.cases],
        plan.chosen,
        plan.not_chosen,
    )


def test_make_plan__named_though_unaffected() -> None:
    """A case that is named is drawn though nothing of it changed; one that bears a tag is not."""
    assert {"b": ("all",)} == why(plan_of(TAGGED, TAGGED, cases=("b",)))
    plan = plan_of(TAGGED, TAGGED, tags=("t",))
    assert ({}, 3, 0) == (why(plan), plan.unaffected, plan.not_chosen)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"cases": ("x.golden.json#a", "zzz")},
            "--case: There is no case 'x.golden.json#a'. "
            "Near are x.golden.jsonl#a, y.golden.jsonl#a, x.golden.jsonl#b.\n"
            "--case: There is no case 'zzz'. Give a case of the golden files at head.",
        ),
        ({"tags": ("T",)}, "--tag: There is no tag 'T'. Give a tag of the golden files at head."),
        ({"cases": ("a",), "tags": ("u",)}, "--tag: None of the named cases bears the tag."),
    ],
)
def test_make_plan__nothing_of_that_name(options: dict[str, Any], expected: str) -> None:
    """A case or tag that is not there is an error that names what is near."""
    with pytest.raises(BadInput) as caught:
        plan_of(None, TAGGED, **options)
    assert expected == str(caught.value)


@pytest.mark.parametrize(
    "options", [{}, {"cases": ("a",)}, {"tags": ("u",)}, {"force_all": "x"}, {"workflow_changed": True}]
)
def test_make_plan__every_case_is_accounted_for(options: dict[str, Any]) -> None:
    """Drawn, not chosen and unaffected cases make up the suite."""
    head = {**TAGGED, "y.golden.jsonl": '{"id":"a","prompt":"other"}\n'}
    plan = plan_of(TAGGED, head, **options)
    assert plan.total == len(plan.cases) + plan.not_chosen + plan.unaffected
