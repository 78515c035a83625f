"""Failures that judges and their readers are known for, each with its exact input, through the command.

A judge here knows a fixture by what stands in its trace, as a paid one does, and answers what the test has it answer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import Answer, Received, ScriptedEndpoint, answer, completion
from support.judges import Item, Judge, fixtures, honest, items_of, judging
from support.story import Ended, lines, run, two_commits

Row = Mapping[str, Any]
PASS_FAIL = ("pass", "fail")


@dataclass(frozen=True, kw_only=True)
class New:
    """A deck that a pull request adds."""

    rows: Sequence[Row]
    labels: Sequence[str] = PASS_FAIL
    keys: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Put:
    """What came of putting decks to a judge."""

    ended: Ended
    requests: list[Received]
    """In the order in which they were sent."""

    @property
    def decks(self) -> dict[str, Any]:
        """The decks of ``report.json``, by name."""
        return {deck["name"]: deck for deck in self.ended.report["decks"]}

    def vectors(self, deck: str) -> dict[str, list[str | None]]:
        """Return the labels of each fixture of a deck, by request."""
        return {fixture["id"]: fixture["labels"] for fixture in self.decks[deck]["fixtures"]}


def put(tmp_path: Path, judge: Judge, **decks: New) -> Put:
    """Put new decks to one judge."""
    files = {"rubric.md": "Judge each item.\n"}
    for name, deck in decks.items():
        said = {"rubric": "rubric.md", "fixtures": f"{name}.jsonl", "labels": deck.labels, **deck.keys}
        files |= {f"{name}.deck.yml": json.dumps(said, ensure_ascii=False), f"{name}.jsonl": lines(*deck.rows)}
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, files)
    with judging(judge) as endpoint:
        report = str(tmp_path / "report")
        ended = run(repo.path, "judge", "--max-concurrency", "1", "--report-dir", report, url=endpoint.base_url)
    return Put(ended=ended, requests=endpoint.requests)


def echoes(items: Sequence[Item]) -> str:
    """Give each item what its trace holds as its label, whatever that is."""
    return json.dumps([{"id": item["id"], "label": json.loads(item["trace"])} for item in items])


ENGLISH = {
    "correct": "correct",
    "CORRECT": "correct",
    "Correct.": "correct",
    " correct \n": "correct",
    "incorrect": "incorrect",
    "INCORRECT": "incorrect",
    "Incorrect!": "incorrect",
    **dict.fromkeys(
        (
            "**correct**",
            "not correct",
            "in correct",
            "partially correct",
            "correctly",
            "correct|incorrect",
            "correct, not incorrect",
            "",
            "cor\u200brect",
            "c0rrect",
            "yes",
            "Yes, it is incorrect",
        )
    ),
}
LABELS: dict[str, tuple[tuple[str, ...], dict[str, str | None]]] = {
    "English": (("correct", "incorrect"), ENGLISH),
    "Chinese": (
        ("合格", "不合格"),
        {"合格": "合格", " 不合格\n": "不合格", "合格.": "合格", "不 合格": None, "合格不合格": None, "不": None},
    ),
    "Russian": (
        ("верно", "неверно"),
        {
            "Верно.": "верно",
            "НЕВЕРНО": "неверно",  # noqa: RUF001 - Cyrillic letters, as are all of these
            "не верно": None,
            "вернo": None,  # noqa: RUF001 - its last letter is a Latin one
            "верно/неверно": None,
        },
    ),
    "German": (("groß", "klein"), {"GROSS": "groß", "Groß!": "groß", "Klein": "klein", "gross klein": None}),
    "Arabic": (("نعم", "لا"), {"نعم": "نعم", "لا.": "لا", "نعم لا": None}),
    "accents": (("passé", "échec"), {"passe\u0301": "passé", "E\u0301CHEC": "échec", "passe": None, "echec": None}),
    "three": (
        ("pass", "fail", "pass with remarks"),
        {"Pass": "pass", "PASS WITH REMARKS.": "pass with remarks", "fail": "fail", "pass with": None, "remarks": None},
    ),
    "numbers": (("1", "0", "10"), {"1": "1", "0.": "0", "10": "10", "1.0": None, "01": None, "one": None, "-1": None}),
    "emoji": (("👍", "👎"), {"👍": "👍", "👎!": "👎", "👍🏽": None, "👍👎": None, ":+1:": None}),
}


@pytest.mark.parametrize("turned", [False, True], ids=["as written", "turned round"])
def test_label__compared_whole(tmp_path: Path, turned: bool) -> None:
    """A text is a label or none, in any script and whichever label stands first; no label holds another one."""
    decks = {
        name: New(
            rows=[
                {"id": str(number), "task": "t", "trace": json.dumps(text), "gold": labels[number % 2]}
                for number, text in enumerate(texts)
            ],
            labels=labels[::-1] if turned else labels,
            keys={"max_orders": len(texts)},
        )
        for name, (labels, texts) in LABELS.items()
    }
    said = put(tmp_path, echoes, **decks)
    for name, (_, texts) in LABELS.items():
        orders = said.decks[name]["orders"]
        assert {str(number): [label] * orders for number, label in enumerate(texts.values())} == said.vectors(name)
        right = sum(label == row["gold"] for label, row in zip(texts.values(), decks[name].rows, strict=True))
        assert said.decks[name]["gold"] == {"count": right * orders, "of": len(texts) * orders}
        assert said.decks[name]["verdict"] == "fail"


def test_label__no_string(tmp_path: Path) -> None:
    """True, 1, null, a list and an object are no labels, though the deck's labels are written like them."""
    values: list[Any] = [True, 1, None, ["True"], {"label": "True"}, 0.5, []]
    labels = ("True", "1", "None", "0.5")
    rows = [
        {"id": str(number), "task": "t", "trace": json.dumps(value), "gold": labels[number % 4]}
        for number, value in enumerate(values)
    ]
    said = put(tmp_path, echoes, deck=New(rows=rows, labels=labels, keys={"max_orders": 7}))
    assert said.vectors("deck") == {row["id"]: [None] * 7 for row in rows}
    assert said.decks["deck"]["judge_flip_rate"] == {"count": 7, "of": 7}


NO_VERDICT = {
    '[{"id": "f1", "reason": "The answer is wrong."}]': "no label given",
    '[{"id": "f1", "label": null}]': "no label given",
    '[{"id": "f1", "label": ""}]': 'not one of the labels: ""',
    '[{"id": "f1", "score": 0}]': "no label given",
    '[{"id": "f1", "label": "unsure"}]': 'not one of the labels: "unsure"',
    '[{"id": "f1", "label": "false"}]': 'not one of the labels: "false"',
    '[{"id": "f1", "pass": "false"}]': "no label given",
    '[{"id": "f1", "pass": true}]': "no label given",
    '[{"id": "f1", "verdict": "pass"}]': "no label given",
    '{"f1": {"label": "pass"}}': "its label is an object, not a string",
    "{}": "an object without `verdicts` that names no fixture",
    '{"label": "pass"}': "an object without `verdicts` that names no fixture",
    '{"verdict": {"id": "f1", "label": "pass"}}': "an object without `verdicts` that names no fixture",
    '{"verdicts": {"f1": "pass"}}': "`verdicts` is an object, not a list of verdicts",
    "[]": "missing: the reply does not name it",
    "null": "the reply is null, not a list of verdicts",
    '""': "the reply is a string, not a list of verdicts",
    '"pass"': "the reply is a string, not a list of verdicts",
    "pass": "no JSON object or array in the text",
    '[{"label": "pass"}]': "verdict 1 has no `id`",
}


def test_verdict__missing(tmp_path: Path) -> None:
    """A judge whose reply holds no verdict has failed: the draw is neither a pass nor a fail, and the cause is said."""
    texts = list(NO_VERDICT)

    def script(number: int, body: Any) -> Answer:
        if len(body["messages"]) == 1:
            return answer(completion(body["messages"][0]["content"], id=f"draw-{number}"))
        [item] = items_of(body)
        said = texts[int(item["trace"])].replace("f1", item["id"])
        return answer(completion(said, id=f"judge-{number}"))

    cases = [
        {"id": str(number), "prompt": str(number), "grader": "judge", "rubric": "rubric.md", "n": 2}
        for number in range(len(texts))
    ]
    files = {"golden.jsonl": lines(*cases), "rubric.md": "Judge.\n"}
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, files)
    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url)
    found = {
        texts[int(case["id"])]: {draw["error"]["message"] for draw in case["draws"]} for case in ended.report["cases"]
    }
    assert found == {text: {f"no label in 2 of 2 replies of the judge: {cause}"} for text, cause in NO_VERDICT.items()}
    assert {(case["verdict"], case["agreement"]["count"], len(case["modes"])) for case in ended.report["cases"]} == {
        ("fail", 0, 0)
    }
    assert all(case["judge"]["flips"] == {"model": 0, "judge": 2, "transport": 0} for case in ended.report["cases"])
    assert ended.code == 1


GOLD = {"f1": "pass", "f2": "fail", "f3": "fail"}
Said = Callable[[Mapping[str, str], Sequence[Item]], Any]
"""(alias of each fixture by its id, items in their order) → the reply as JSON."""


def right(names: Mapping[str, str], *ids: str) -> list[Row]:
    """Return the right verdicts for these fixtures; for all without any."""
    return [{"id": names[id_], "label": GOLD[id_]} for id_ in ids or GOLD]


def by_place(first: int, *, text: bool = False) -> Said:
    """Return a judge that is right, under the number of each item's place."""
    return lambda _, items: [
        {"id": str(place) if text else place, "label": GOLD[item["trace"]]} for place, item in enumerate(items, first)
    ]


REPLIES: dict[str, tuple[Said, str, int]] = {
    "one of three": (lambda n, _: right(n, "f1"), "P··", 0),
    "the worst one alone": (lambda n, _: right(n, "f3"), "··F", 0),
    "empty": (lambda *_: [], "···", 0),
    "twice the same": (lambda n, _: [*right(n, "f1"), *right(n)], "·FF", 0),
    "twice, in conflict": (lambda n, _: [{"id": n["f1"], "label": "fail"}, *right(n)], "·FF", 0),
    "unknown name": (lambda n, _: [*right(n, "f1", "f2"), {"id": "f9", "label": "fail"}], "PF·", 0),
    "the fixtures' own ids": (lambda *_: right({id_: id_ for id_ in GOLD}), "···", 0),
    "from 1": (by_place(1), "···", 0),
    "from 0": (by_place(0), "···", 0),
    "from 1, as text": (by_place(1, text=True), "···", 0),
    "in capitals": (lambda n, _: [{**row, "id": row["id"].upper()} for row in right(n)], "···", 0),
    "white space around": (lambda n, _: [{**row, "id": f" {row['id']}\n"} for row in right(n)], "PFF", 0),
    "white space within": (lambda n, _: [{**row, "id": " ".join(row["id"])} for row in right(n)], "···", 0),
    "in another order": (lambda n, _: right(n, "f3", "f1", "f2"), "PFF", 0),
    "by name": (lambda n, _: {n[id_]: label for id_, label in GOLD.items()}, "PFF", 0),
    "objects by name": (lambda n, _: {n[id_]: {"label": label} for id_, label in GOLD.items()}, "···", 0),
    "further keys": (
        lambda n, _: {
            "reasoning": "All fail.",
            "verdicts": [
                {"label": "pass" if row["label"] == "pass" else "fail", "score": 1, **row} for row in right(n)
            ],
            "label": "fail",
        },
        "PFF",
        0,
    ),
    "two in one": (lambda n, _: [*right(n, "f1"), {"id": f"{n['f2']}, {n['f3']}", "label": "fail"}], "P··", 0),
    "all in one": (lambda n, _: {"id": list(n.values()), "label": "fail"}, "···", 6),
    "labels alone": (lambda _, items: [GOLD[item["trace"]] for item in items], "···", 6),
    "pairs": (lambda n, _: [[row["id"], row["label"]] for row in right(n)], "···", 6),
    "nested": (lambda n, _: {"result": {"verdicts": right(n)}}, "···", 6),
    "verdicts by name": (lambda n, _: {"verdicts": {n[id_]: label for id_, label in GOLD.items()}}, "···", 6),
    "one object a name": (lambda n, _: [{n[id_]: label} for id_, label in GOLD.items()], "···", 6),
    "text of JSON": (lambda n, _: json.dumps(right(n)), "···", 6),
}


def test_names__every_fixture_counts(tmp_path: Path) -> None:
    """Of three fixtures in six orders 18 labels are asked for, whatever is given; none goes by its place in a list."""

    def judge(items: Sequence[Item]) -> str:
        said, _, _ = REPLIES[items[0]["task"]]
        return json.dumps(said({item["trace"]: item["id"] for item in items}, items))

    names = {name.replace(" ", "_"): name for name in REPLIES}
    decks = {
        deck: New(rows=[{"id": id_, "task": name, "trace": id_, "gold": gold} for id_, gold in GOLD.items()])
        for deck, name in names.items()
    }
    said = put(tmp_path, judge, **decks)
    means = {"P": "pass", "F": "fail", "·": None}
    for deck, name in names.items():
        _, signs, repairs = REPLIES[name]
        found, given = said.decks[deck], sum(sign != "·" for sign in signs)
        assert (name, {id_: [means[sign]] * 6 for id_, sign in zip(GOLD, signs, strict=True)}) == (
            name,
            said.vectors(deck),
        )
        assert found["gold"] == {"count": 6 * given, "of": 18}
        assert found["judge_flip_rate"] == {"count": 3 - given, "of": 3}
        assert found["verdict"] == ("pass" if given == 3 else "fail")
        assert sum(reply["repaired"] for reply in found["runs"]) == repairs
    repaired = sum(repairs for _, _, repairs in REPLIES.values())
    assert said.ended.report["manifest"]["calls"]["repaired"] == repaired
    assert len(said.requests) == 6 * len(REPLIES) + repaired


def test_names__unknown_one_is_shown(tmp_path: Path) -> None:
    """A name that nobody asked for labels nothing and is kept beside the reply that gave it."""
    rows = [{"id": id_, "task": "t", "trace": id_, "gold": gold} for id_, gold in GOLD.items()]
    said = put(tmp_path, lambda items: json.dumps({items[0]["id"]: "pass", "f9": "fail"}), deck=New(rows=rows))
    assert [reply["strange"] for reply in said.decks["deck"]["runs"]] == [["f9"]] * 6


@pytest.mark.parametrize(("k", "orders"), [(4, 24), (5, 20), (7, 21)])
def test_orders__reproducible(tmp_path: Path, k: int, orders: int) -> None:
    """Each fixture stands equally often at every place, and a second run asks the same, byte for byte."""
    rows = [json.loads(line) for line in fixtures(*(["pass", "fail"] * k)[:k]).splitlines()]
    one, other = (put(tmp_path / name, honest, deck=New(rows=rows)) for name in ("one", "other"))
    assert [request.body for request in one.requests] == [request.body for request in other.requests]
    asked = [tuple(item["id"] for item in items_of(request.json)) for request in one.requests]
    assert (len(asked), len(set(asked))) == (orders, orders)
    places = Counter((place, name) for order in asked for place, name in enumerate(order))
    assert set(places.values()) == {orders // k}
    assert one.decks["deck"]["judge_flip_rate"] == {"count": 0, "of": k}


LEAKY: list[dict[str, Any]] = [
    {"id": "f1", "task": "q1", "trace": "a1", "gold": "pass", "note": "known good"},
    {"id": "f2", "task": "q2", "trace": "a2", "gold": "fail", "note": "seeded error"},
    {"id": "good-03", "task": "q3", "trace": "a3", "gold": "pass"},
    {"id": "f4", "task": "q4", "trace": "a4", "gold": "fail", "tags": ["should-fail"]},
]
OTHER = {"pass": "fail", "fail": "pass"}
UNSEEN: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "gold swapped": lambda: [{**row, "gold": OTHER[row["gold"]]} for row in LEAKY],
    "sorted by gold": lambda: sorted(LEAKY, key=lambda row: str(row["gold"]), reverse=True),
    "notes and tags": lambda: [{**row, "note": "other", "tags": ["expected-pass"]} for row in LEAKY],
    "renamed": lambda: [{**row, "id": row["id"].replace("good", "bad")} for row in LEAKY],
    "numbered": lambda: [{**row, "id": number} for number, row in enumerate(LEAKY)],
}


def bodies(tmp_path: Path, rows: Sequence[Row]) -> list[bytes]:
    """Return what a judge is asked about these lines, planted traces among them."""
    deck = New(rows=rows, keys={"probes": ["steer", "fluent", "empty", "twins"]})
    return [request.body for request in put(tmp_path, honest, deck=deck).requests]


def test_gold__reaches_no_request(tmp_path: Path) -> None:
    """Gold labels, notes, tags, ids and the order of the file change no byte of what a judge is asked."""
    asked = bodies(tmp_path / "as it is", LEAKY)
    assert len(asked) == 24 + 4 * 2
    assert dict.fromkeys(UNSEEN, asked) == {name: bodies(tmp_path / name, rows()) for name, rows in UNSEEN.items()}


def test_gold__in_no_word(tmp_path: Path) -> None:
    """No name or value of an unseen field stands in a request, and few orders begin with all that pass."""
    requests = put(tmp_path, honest, deck=New(rows=LEAKY)).requests
    texts = [request.body.decode() for request in requests]
    words = ("gold", "expected", "note", "tags", "known good", "seeded error", "should-fail", "good-03", '"f1"', '"f2"')
    assert [(text, word) for text in texts for word in words if word in text] == []
    first = Counter({item["trace"] for item in items_of(request.json)[:2]} == {"a1", "a3"} for request in requests)
    assert first == {True: 4, False: 20}


def test_gold__under_another_name(tmp_path: Path) -> None:
    """A field that is neither known nor shown ends the run: it cannot leak, and it cannot be taken for gold."""
    rows = [*LEAKY[:3], {**LEAKY[3], "expected_label": "fail"}]
    said = put(tmp_path, honest, deck=New(rows=rows))
    error = "error: deck.jsonl:4: There is no field `expected_label`. Known are id, gold, task, trace, tags, note.\n"
    assert (said.ended.code, said.ended.err, said.requests) == (2, error, [])


def test_gold__expected_label_of_a_case(tmp_path: Path) -> None:
    """What a judge-graded case expects, its id, tags and thresholds change no byte of what its judge is asked."""

    def script(_: int, body: Any) -> Answer:
        return answer(completion("Fine.") if len(body["messages"]) == 1 else completion(honest(items_of(body))))

    def asked(name: str, **fields: Any) -> list[bytes]:
        case = {"prompt": "Write.", "grader": "judge", "rubric": "rubric.md", "n": 2, **fields}
        files = {"golden.jsonl": lines(case), "rubric.md": "Judge.\n"}
        repo = two_commits(tmp_path / name, {"README.md": "x"}, files)
        with ScriptedEndpoint(script) as endpoint:
            run(repo.path, "check", "--max-concurrency", "1", url=endpoint.base_url)
        return [request.body for request in endpoint.requests]

    one = asked("one", id="must-pass", expect="pass", tags=["good"])
    assert one == asked("other", id="must-fail", expect="fail", note="bad", agreement_min=0.5)
    assert len(one) == 2 + 4
