"""Decks: fixtures with gold labels, a rubric, and how a judge is asked about them."""

from __future__ import annotations

import json
from fractions import Fraction
from math import factorial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.suites import problems, suite_of

from evalaction.judge.exam import exam_of
from evalaction.judge.orders import plan_orders
from evalaction.records.case import Sampling
from evalaction.records.deck import Deck, Fixture, Planted, ProbeKind, Wording
from evalaction.records.settings import Defaults
from evalaction.suite.decks import asked_of, order_count
from evalaction.suite.fields import labels
from evalaction.values import parse

DECK = "decks:\n  - name: traces\n    rubric: r.md\n    fixtures: d/traces.golden.jsonl\n"
GOOD = '{"id":"t1","task":"Refund","trace":"Done.","gold":"pass","note":"n"}'
BAD = '{"id":"t2","task":"Refund","trace":["a",{"b":1}],"gold":"fail","tags":["x"]}'
FIXTURES = (
    Fixture(id="t1", line=1, fields={"task": "Refund", "trace": "Done."}, gold="pass"),
    Fixture(id="t2", line=2, fields={"task": "Refund", "trace": ["a", {"b": 1}]}, gold="fail"),
)


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
        fixtures=FIXTURES,
        config_path="evalaction.yml",
        line=2,
        unasked=frozenset({"temperature"}),
    )
    assert ((), (expected,), ()) == (suite.problems, suite.decks, suite.golden_paths)


EVERYTHING = """\
model: cases-model
decks:
  - name: all of it
    rubric: judge/r.md
    fixtures: judge/f.jsonl
    labels: [pass, fail]
    show: [trace]
    max_orders: 6
    repeats: 3
    judge_model: judge-model
    temperature: 0.20
    top_p: 0.9
    seed: 7
    max_tokens: 400
    judge_flip_max: 0.25
    gold_min: 0.5
    probes: [twins, steer]
    planted: judge/p.golden.jsonl
    rubric_variants: [judge/v1.md, judge/v2.md]
"""


def test_load__everything_said() -> None:
    """Every key of a deck reaches its record; probes come in their own order, and planted traces are no golden file."""
    files = {
        "evalaction.yml": EVERYTHING,
        "judge/r.md": "Judge.",
        "judge/f.jsonl": f"{GOOD}\n{BAD}\n",
        "judge/p.golden.jsonl": '\n{"id":9,"trace":"I did it.","note":"n"}\n',
        "judge/v1.md": "Judge well.",
        "judge/v2.md": "Judge better.",
    }
    suite = suite_of(files, defaults=Defaults(model="m", judge_model="by the workflow"))
    sampling = Sampling(model="judge-model", temperature=parse("0.2"), top_p=parse("0.9"), seed=7, max_tokens=400)  # type: ignore[arg-type]
    expected = Deck(
        name="all of it",
        path="judge/f.jsonl",
        rubric_path="judge/r.md",
        rubric="Judge.",
        labels=("pass", "fail"),
        show=("trace",),
        fixtures=FIXTURES,
        config_path="evalaction.yml",
        line=3,
        max_orders=6,
        repeats=3,
        sampling=sampling,
        unasked=frozenset(),
        judge_flip_max=Fraction(1, 4),
        gold_min=Fraction(1, 2),
        probes=(ProbeKind.STEER, ProbeKind.TWINS),
        planted_path="judge/p.golden.jsonl",
        planted=(Planted(id="9", line=2, fields={"trace": "I did it."}),),
        wordings=(Wording(path="judge/v1.md", text="Judge well."), Wording(path="judge/v2.md", text="Judge better.")),
    )
    assert ((), (expected,), ()) == (suite.problems, suite.decks, suite.golden_paths)


@pytest.mark.parametrize(
    ("deck", "config", "defaults", "expected"),
    [
        ("    judge_model: own\n", "model: cases\n", Defaults(model="m", judge_model="j"), "own"),
        ("", "model: cases\n", Defaults(model="m", judge_model="j"), "j"),
        ("", "model: cases\n", Defaults(model="m"), "cases"),
        ("", "", Defaults(model="m"), "m"),
        ("", "", Defaults(), None),
    ],
)
def test_load__judge_model(deck: str, config: str, defaults: Defaults, expected: str | None) -> None:
    """The deck names its judge's model, else the workflow does, else it is the model of the cases."""
    suite = suite_of(files_with(GOOD, BAD, config=config + DECK + deck), defaults=defaults)
    assert [expected] == [item.sampling.model for item in suite.decks]


@pytest.mark.parametrize(
    ("said", "temperature", "unasked"),
    [("", 0, {"temperature"}), ("    temperature: 0\n", 0, set()), ("    temperature: null\n", None, set())],
)
def test_load__temperature(said: str, temperature: object, unasked: object) -> None:
    """The temperature is 0 unless a deck says otherwise, and only one that nobody wrote down is left out if refused."""
    (deck,) = suite_of(files_with(GOOD, BAD, config=DECK + said)).decks
    assert (temperature, unasked) == (deck.sampling.temperature, deck.unasked)


def test_load__own_labels_and_fields() -> None:
    """A deck can have its own labels (also such as yes and no) and show other fields."""
    config = DECK + "    labels: [yes, no]\n    show: [answer, note]\n"
    rows = ['{"id":1,"answer":"a","note":"n","gold":"yes"}', '{"id":2,"answer":"b","note":"m","gold":"no"}']
    suite = suite_of(files_with(*rows, config=config))
    assert () == suite.problems
    assert [{"answer": "a", "note": "n"}, {"answer": "b", "note": "m"}] == [
        item.fields for item in suite.decks[0].fixtures
    ]


SAID: dict[str, st.SearchStrategy[Any]] = {
    "max_orders": st.integers(2, 1000),
    "repeats": st.integers(1, 25),
    "judge_model": st.text("abc/:-", min_size=1),
    "temperature": st.none() | st.integers(0, 2),
    "seed": st.integers(0, 2**53 - 500_001),
    "max_tokens": st.integers(1, 2**53 - 1),
    "judge_flip_max": st.integers(0, 99).map(lambda percent: percent / 100),  # 1 with a gold_min of 0 is refused
    "gold_min": st.integers(0, 100).map(lambda percent: percent / 100),
    "probes": st.lists(st.sampled_from(["steer", "fluent", "empty", "twins"]), min_size=1, unique=True),
    "labels": st.permutations(["pass", "fail", "unsure"]),
    "show": st.permutations(["task", "trace", "note"]),
}


@given(said=st.fixed_dictionaries({}, optional=SAID))
def test_load__said_is_kept(said: dict[str, Any]) -> None:
    """Whatever a deck says within its bounds stands in its record, and what it does not say has its default."""
    rows = [{"id": gold, "task": "t", "trace": "x", "note": "n", "gold": gold} for gold in ("pass", "fail")]
    files = {
        "x.deck.yml": json.dumps({"rubric": "r.md", "fixtures": "f.jsonl", **said}),
        "r.md": "x",
        "f.jsonl": "\n".join(map(json.dumps, rows)),
    }
    suite = suite_of(files)
    assert () == suite.problems
    (deck,) = suite.decks
    sampling = deck.sampling
    assert {
        "max_orders": said.get("max_orders", 24),
        "repeats": said.get("repeats", 1),
        "judge_model": said.get("judge_model"),
        "temperature": said.get("temperature", 0),
        "seed": said.get("seed"),
        "max_tokens": said.get("max_tokens"),
        "judge_flip_max": Fraction(str(said.get("judge_flip_max", 0))),
        "gold_min": Fraction(str(said.get("gold_min", 1))),
        "probes": {*said.get("probes", ())},
        "labels": said.get("labels", ["pass", "fail"]),
        "show": said.get("show", ["task", "trace"]),
        "unasked": {"temperature"} - said.keys(),
    } == {
        "max_orders": deck.max_orders,
        "repeats": deck.repeats,
        "judge_model": sampling.model,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
        "max_tokens": sampling.max_tokens,
        "judge_flip_max": deck.judge_flip_max,
        "gold_min": deck.gold_min,
        "probes": {kind.value for kind in deck.probes},
        "labels": [*deck.labels],
        "show": [*deck.show],
        "unasked": deck.unasked,
    }


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6, 7, 24, 25])
@pytest.mark.parametrize("most", [2, 6, 24, 100, 720, 1000])
def test_order_count__as_planned(k: int, most: int) -> None:
    """The orders that a bound is set on are those that are planned."""
    assert order_count(k, most) == len(plan_orders(k, max_orders=max(most, k), seed="s"))


def test_order_count__small() -> None:
    """All orders are taken while they are few enough, and whole rounds of the fixtures beyond."""
    assert [2, 6, 24, 20, 24, 21, 1000] == [*(order_count(k, 24) for k in range(2, 8)), order_count(1000, 24)]
    assert factorial(6) == order_count(6, 1000)


PATH = "d/traces.golden.jsonl"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            (GOOD,),
            f"{PATH}:1: The deck 'traces' has 1 fixture, and it takes two at least. "
            "Add one: a single fixture has no order to permute.",
        ),
        (
            (),
            f"{PATH}:1: The deck 'traces' has no fixture, and it takes two at least. "
            "Add one: a single fixture has no order to permute.",
        ),
        (
            (GOOD, BAD.replace("fail", "pass")),
            f"{PATH}:1: All fixtures of the deck 'traces' have the gold label 'pass'. "
            "Add one with another label: this deck cannot tell a judge from a stamp.",
        ),
        (
            (GOOD, BAD.replace("fail", "failed")),
            f"{PATH}:2: `gold` is 'failed', and the deck's labels are pass, fail. Did you mean fail?",
        ),
        (
            (GOOD, BAD.replace("fail", "3")),
            f"{PATH}:2: `gold` is '3', and the deck's labels are pass, fail.",
        ),
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
            f"{PATH}:2: The id 't1' stands in lines 1 and 2. Give each line its own.",
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


POLICY = "only the workflow or the command line may say that. A pull request could change it otherwise."


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("max_orders: 1", "`max_orders` takes an integer from 2 to 1000, not 1."),
        ("max_orders: 1001", "`max_orders` takes an integer from 2 to 1000, not 1001."),
        ("repeats: 0", "`repeats` takes an integer from 1 to 100, not 0."),
        ("repeats: 101", "`repeats` takes an integer from 1 to 100, not 101."),
        ("temperature: low", '`temperature` takes a number of 0 or more, or null to send none, not "low".'),
        ("gold_min: 1.5", "`gold_min` takes a number from 0 to 1, not 1.5."),
        ("judge_flip_max: -1", "`judge_flip_max` takes a number from 0 to 1, not -1."),
        ("show: [task, gold]", "`show` names `gold`, which no judge may see: it tells the answer."),
        ("show: [id]", "`show` names `id`, which no judge may see: it tells the answer."),
        ("show: []", "`show` takes a list of different texts, one at least, not []."),
        ("labels: [pass]", '`labels` takes a list of two different labels or more, not ["pass"].'),
        ('labels: [pass, "Pass."]', f"`labels` {labels(['pass', 'Pass.'])}."),
        ('labels: [pass, "?!"]', f"`labels` {labels(['pass', '?!'])}."),
        ('labels: [pass, "\\ud800"]', f"`labels` {labels(['pass', chr(0xD800)])}."),
        ('labels: [pass, "fa\\u0007il"]', f"`labels` {labels(['pass', 'fa' + chr(7) + 'il'])}."),
        (
            "probes: [steer, stear]",
            "`probes` takes a list of different kinds, one at least, out of steer, fluent, empty, twins, "
            'not ["steer","stear"].',
        ),
        (
            "probes: [planted]",
            "`probes` names planted, which is made by naming a file under the key `planted`.",
        ),
        (
            "rubric_variants: r.md",
            '`rubric_variants` takes a list of different paths, 1 to 20, not "r.md".',
        ),
        ("model: m", "There is no field `model` in a deck. Its judge's is `judge_model`."),
        ("gold_mim: 1", "There is no field `gold_mim`. Did you mean gold_min?"),
        ("judge_url: x", f"`judge_url` cannot stand in this file: {POLICY}"),
        ("judge_api_key: x", f"`judge_api_key` cannot stand in this file: {POLICY}"),
        (
            "planted: ../p",
            "'../p' leaves the repository. Name a file of this repository by a relative path.",
        ),
        (
            "rubric_variants: [v.md, /v]",
            "'/v' leaves the repository. Name a file of this repository by a relative path.",
        ),
    ],
)
def test_problems__keys(said: str, expected: str) -> None:
    """Each wrong key of a deck names its line."""
    assert [f"evalaction.yml:5: {expected}"] == problems(files_with(GOOD, BAD, config=f"{DECK}    {said}\n"))


def rows_of(count: int) -> list[str]:
    return [
        json.dumps({"id": number, "task": "t", "trace": "x", "gold": ("pass", "fail")[number % 2]})
        for number in range(count)
    ]


@pytest.mark.parametrize(
    ("count", "said", "expected"),
    [
        (
            3,
            "max_orders: 2",
            "evalaction.yml:5: `max_orders` is 2, and the deck 'traces' has 3 fixtures. "
            "It takes 3 orders at least, so that each fixture stands once at every place.",
        ),
        (
            224,
            "repeats: 1",
            "evalaction.yml:2: The deck 'traces' asks for 50,176 labels (224 fixtures in 224 orders, 1 times each), "
            "and 50,000 are the most. Take fewer orders, repeats, rubric_variants or fixtures.",
        ),
        (
            50,
            "{max_orders: 1000, repeats: 1, rubric_variants: [v.md]}",
            "evalaction.yml:2: The deck 'traces' asks for 100,000 labels (50 fixtures in 1,000 orders, 2 times each), "
            "and 50,000 are the most. Take fewer orders, repeats, rubric_variants or fixtures.",
        ),
    ],
)
def test_problems__orders(count: int, said: str, expected: str) -> None:
    """Fewer orders than fixtures have no balance, and there is a bound on what one deck may ask for."""
    keys = said.strip("{}") if said.startswith("{") else said
    config = "decks:\n  - {name: traces, rubric: r.md, fixtures: d/traces.golden.jsonl, " + keys + "}\n"
    if not said.startswith("{"):
        config = f"{DECK}    {said}\n"
    assert [expected] == problems({**files_with(*rows_of(count), config=config), "v.md": "y"})


def test_load__most_that_can_be_asked() -> None:
    """The bounds themselves are allowed: 50 fixtures in 1,000 orders."""
    suite = suite_of(files_with(*rows_of(50), config=f"{DECK}    max_orders: 1000\n"))
    assert ((), [1000]) == (suite.problems, [deck.max_orders for deck in suite.decks])


@pytest.mark.parametrize(
    ("decks", "trace", "expected"),
    [
        (
            1,
            "x" * 2_196,
            "evalaction.yml:2: With the deck 'd0' the decks ask for 50,000 labels together, in requests of "
            "110,108,000 characters",
        ),
        (
            11,
            "x",
            "evalaction.yml:12: With the deck 'd10' the decks ask for 550,000 labels together, in requests of "
            "3,938,000 characters",
        ),
    ],
)
def test_problems__in_all(decks: int, trace: str, expected: str) -> None:
    """What all decks ask for together is bounded, in labels and in characters, since a plan holds every request."""
    names = (f"{{name: d{number}, rubric: r.md, fixtures: d.jsonl, max_orders: 1000}}" for number in range(decks))
    config = "decks:\n" + "".join(f"  - {name}\n" for name in names)
    rows = ({**json.loads(row), "trace": trace} for row in rows_of(50))
    files = {"evalaction.yml": config, "r.md": "x" * 50, "d.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows)}
    most = "500,000 labels and 100,000,000 characters are the most"
    remedy = "Take shorter traces, or fewer orders, repeats, rubric_variants, fixtures or decks."
    assert [f"{expected}, and {most}. {remedy}"] == problems(files)


def test_problems__many_lines() -> None:
    """Of a file in which every line is wrong fifty problems are told, and how many more there are."""
    told = problems(files_with(*["[]"] * 60))
    assert ("d/traces.golden.jsonl: There are 10 more problems in this file.", 51) == (told[-1], len(told))


@given(
    k=st.integers(2, 6),
    most=st.integers(6, 30),
    repeats=st.integers(1, 3),
    probes=st.sets(st.sampled_from([kind for kind in ProbeKind if kind is not ProbeKind.PLANTED])),
    planted=st.integers(0, 3),
    wordings=st.integers(0, 2),
)
def test_asked_of__what_is_asked(
    k: int, most: int, repeats: int, probes: set[ProbeKind], planted: int, wordings: int
) -> None:
    """The labels are those of all requests; the characters are no more than all requests have, and not much fewer."""
    fields = {"task": "t\n" * 500, "trace": "\u00e9" * 1_000}
    deck = Deck(
        name="d",
        path="d.jsonl",
        rubric_path="r.md",
        rubric="r" * 3_000,
        labels=("pass", "fail"),
        show=("task", "trace"),
        fixtures=tuple(Fixture(id=f"f{n}", line=n, fields={**fields, "n": n}, gold="pass") for n in range(k)),
        max_orders=most,
        repeats=repeats,
        probes=tuple(kind for kind in ProbeKind if kind in probes),
        planted=tuple(Planted(id=f"p{n}", line=n, fields=fields) for n in range(planted)),
        wordings=tuple(Wording(path=f"w{n}.md", text="w" * 2_000 + str(n)) for n in range(wordings)),
    )
    requests = exam_of(deck).all_requests
    labels, characters = asked_of(deck)
    sent = sum(len(str(message["content"])) for request in requests for message in request.messages)
    # What stands around it in a request is ours: some 900 characters, and 50 for each item.
    ours = sum(1_000 + 50 * len(request.order) for request in requests)
    # A trace that is planted may be shorter than the one in whose place it stands.
    shorter = 2 * len(probes) * 2_000
    assert sum(len(request.order) for request in requests) == labels
    assert sent - ours <= characters <= sent + shorter


def test_problems__no_exam() -> None:
    """Thresholds that together let every judge pass are refused where they stand."""
    said = "`judge_flip_max` 1 and `gold_min` 0 let every judge pass, and one that passes is believed."
    files = {
        "d.deck.yml": "rubric: r.md\nfixtures: f.jsonl\njudge_flip_max: 1.0\ngold_min: 0\n",
        "r.md": "Judge.",
        "f.jsonl": f"{GOOD}\n{BAD}\n",
    }
    assert [f"d.deck.yml:3: {said} Lower the one or raise the other."] == problems(files)


def test_problems__files() -> None:
    """Files of a deck that are not there name the line of the key that says them."""
    config = f"{DECK}    planted: p.jsonl\n    rubric_variants: [v.md]\n"
    expected = [
        "evalaction.yml:3: r.md does not exist.",
        "evalaction.yml:4: d/traces.golden.jsonl does not exist.",
        "evalaction.yml:5: p.jsonl does not exist.",
        "evalaction.yml:6: v.md does not exist.",
    ]
    assert expected == problems({"evalaction.yml": config})


def test_problems__empty_rubric() -> None:
    """A rubric without a word is no rubric."""
    assert ["r.md: The rubric is empty."] == problems(files_with(GOOD, BAD, rubric=" \n"))


@pytest.mark.parametrize(
    ("rubric", "expected"),
    [
        (
            "Pass\n<<<<<<< HEAD\nmore.\n=======\nless.\n>>>>>>> other\n",
            "r.md:2: The merge-conflict marker <<<<<<< stands here. Resolve the conflict.",
        ),
        ("Pass\n\n\0", "r.md:3: The rubric holds a NUL character. Save it as UTF-8."),
        (
            "\ufeffversion https://git-lfs.github.com/spec/v1\n",
            "evalaction.yml:3: r.md is a Git LFS pointer, not the file itself. Do not store it in LFS (git lfs "
            "untrack), or read the work tree after a checkout with `lfs: true`.",
        ),
    ],
)
def test_problems__rubric(rubric: str, expected: str) -> None:
    """A rubric that is not what somebody wrote for a judge is none: half a merge, another file's bytes, a pointer."""
    assert [expected] == problems(files_with(GOOD, BAD, rubric=rubric))


def test_load__rubric_of_markdown() -> None:
    """An underlined heading and a deep quotation look like a conflict's markers, and are none."""
    rubric = "Right\n=======\n>>>>>>> quoted\n\n<<<<<<<< eight\n"
    suite = suite_of(files_with(GOOD, BAD, rubric=rubric))
    assert ((), [rubric]) == (suite.problems, [deck.rubric for deck in suite.decks])


def test_problems__wordings() -> None:
    """Another wording of the rubric says something, and neither what the rubric nor what another wording says."""
    files = files_with(GOOD, BAD, config=f"{DECK}    rubric_variants: [same.md, ./r.md, empty.md, a.md, b.md]\n")
    files |= {"same.md": " Judge.\n\n", "empty.md": "\n", "a.md": "Be a judge.", "b.md": "Be a judge.\r\n"}
    assert [
        "evalaction.yml:5: The wording same.md says the same as r.md. Word it differently, or remove it.",
        "evalaction.yml:5: The wording r.md says the same as r.md. Word it differently, or remove it.",
        "empty.md: The rubric is empty.",
        "evalaction.yml:5: The wording b.md says the same as a.md. Word it differently, or remove it.",
    ] == problems(files)
