"""The decks of report.json, and what a judge said of a draw: everything that was asked and came, in its shape."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

from support.decks import deck_result, judged_case, trace_deck
from support.judging import honest, last_passes
from support.reports import report

from evalaction.records.case import Sampling
from evalaction.records.deck import ProbeKind
from evalaction.records.judge import Judged
from evalaction.records.report import Report
from evalaction.report.decks.document import STRANGE
from evalaction.report.document import report_document
from evalaction.report.writer import json_text


def read(run: Report) -> Any:
    """Return what a reader of the file gets."""
    return json.loads(json_text(report_document(run)))


def without(document: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}


def test_deck_document__one_deck() -> None:
    """A deck holds what it is, every figure of its judge, and null where something was not asked for."""
    asked = trace_deck(
        "pass",
        "fail",
        line=7,
        config_path="evalaction.yml",
        sampling=Sampling(model="j-1", temperature=0, seed=3),
        judge_flip_max=Fraction(1, 10),
    )
    document = read(report(decks=(deck_result(asked, last_passes),)))["decks"][0]

    assert without(document, "gates", "stubs", "runs", "fingerprint") == {
        "name": "trace-judge",
        "file": "decks/trace.jsonl",
        "line": 7,
        "config_file": "evalaction.yml",
        "rubric_file": "decks/rubric.md",
        "rubric": "Pass what does the task, fail what does not.",
        "reasons": ["rubric"],
        "verdict": "fail",
        "labels": ["pass", "fail"],
        "show": ["task", "trace"],
        "sampling": {"model": "j-1", "temperature": 0, "seed": 3},
        "thresholds": {"judge_flip_max": "1/10", "gold_min": "1/1"},
        "orders": 2,
        "repeats": 1,
        "asked": 2,
        "answered": 2,
        "judge_flip_rate": {"count": 2, "of": 2},
        "retest_flip_rate": None,
        "disagreement": 1,
        "order_effect": {"between": {"count": 2, "of": 2}, "within": None, "as_telling": None, "exact": False},
        "gold": {"count": 2, "of": 4},
        "fixtures": [
            {
                "id": "t1",
                "gold": "pass",
                "labels": ["pass", "fail"],
                "flips": True,
                "retest_flips": None,
                "gold_met": {"count": 1, "of": 2},
            },
            {
                "id": "t2",
                "gold": "fail",
                "labels": ["fail", "pass"],
                "flips": True,
                "retest_flips": None,
                "gold_met": {"count": 1, "of": 2},
            },
        ],
        "by_position": [{"position": 1, "count": 0, "of": 2}, {"position": 2, "count": 2, "of": 2}],
        "wordings": [],
        "probes": [],
    }
    assert [(gate["name"], gate["verdict"], gate["warns"]) for gate in document["gates"]] == [
        ("judge-flip", "fail", False),
        ("judge-gold", "fail", False),
    ]


def test_deck_document__runs() -> None:
    """Every request stands there with its order, what came of it and why not; what is planted has no id."""
    asked = trace_deck("pass", "fail", wordings=("Other words.",), probes=(ProbeKind.TWINS,))
    runs = read(report(decks=(deck_result(asked, missing=(1,), unreadable=(2,), unrepaired=(3,)),)))["decks"][0]["runs"]
    parts = [(run["part"], run["wording"], run["probe"]) for run in runs]
    twin = {"kind": "twins", "id": runs[0]["order"][0]}

    assert parts == [("exam", None, None)] * 2 + [("wording", "decks/w1.md", None)] * 2 + [("probe", None, twin)] * 2
    assert [run["order"] for run in runs[4:]] == [[None, *runs[0]["order"]], [*runs[0]["order"], None]]
    first = without(runs[0], "order", "aliases", "fingerprint", "reply", "labels")
    assert first == {
        "part": "exam",
        "wording": None,
        "probe": None,
        "repeat": 1,
        "causes": [None, None],
        "state": "answered",
        "repaired": False,
        "unreadable": None,
        "strange": [],
        "finish_reason": "stop",
        "refusal": None,
        "tool_calls": False,
        "reasoning": False,
        "response_id": "trace-judge-1",
        "choice": 0,
        "created": None,
        "model": None,
        "system_fingerprint": None,
        "replayed": None,
        "tokens": {"prompt": 200, "completion": 30, "reasoning": None, "cached": None},
        "seed": None,
        "latency_s": 0.5,
        "tries": 1,
        "replay_of": None,
        "error": None,
        "first_reply": None,
    }
    assert dict(zip(runs[0]["order"], runs[0]["labels"], strict=True)) == {"t1": "pass", "t2": "fail"}
    came = [(run["state"], run["repaired"], run["labels"] is None, run["reply"] is None) for run in runs[:4]]
    assert came == [
        ("answered", False, False, False),
        ("missing", False, True, True),
        ("answered", True, False, False),
        ("missing", False, True, True),
    ]
    gone = {"cause": "status", "status": 503, "message": "HTTP 503: overloaded"}
    assert [run["error"] for run in runs[:4]] == [None, gone, None, gone]
    said = [run["first_reply"] and run["first_reply"]["reply"] for run in runs[:4]]
    assert said == [None, None, "I would rather not say.", "I would rather not say."]


def test_deck_document__nothing_came() -> None:
    """Where no request was answered every figure is null, and the fixtures still stand there."""
    document = read(report(decks=(deck_result(trace_deck("pass", "fail"), missing=(0, 1)),)))["decks"][0]
    figures = ("judge_flip_rate", "retest_flip_rate", "disagreement", "order_effect", "gold", "by_position")

    assert (document["verdict"], document["asked"], document["answered"]) == ("unmeasured", 2, 0)
    assert {document[name] for name in figures} == {None}
    assert document["fixtures"] == [
        {"id": id_, "gold": gold, "labels": None, "flips": None, "retest_flips": None, "gold_met": None}
        for id_, gold in (("t1", "pass"), ("t2", "fail"))
    ]


def test_deck_document__wordings_and_probes() -> None:
    """Wordings and planted traces have their own figures, and enter none of the deck's."""
    asked = trace_deck("pass", "fail", wordings=("Other words.",), planted=("bad",), probes=(ProbeKind.TWINS,))
    document = read(report(decks=(deck_result(asked, honest, worded=last_passes, probed=last_passes),)))["decks"][0]

    assert document["judge_flip_rate"] == {"count": 0, "of": 2}
    assert document["wordings"] == [
        {
            "file": "decks/w1.md",
            "flips": {"count": 2, "of": 2},
            "gold": {"count": 2, "of": 4},
            "labels": [["pass", "fail"], ["fail", "pass"]],
            "asked": 2,
            "answered": 2,
        }
    ]
    twins, planted = document["probes"]
    assert (twins["kind"], twins["accepted"], twins["asked"], len(twins["labels"])) == ("twins", None, 2, 2)
    assert (planted["kind"], planted["id"], planted["labels"]) == ("planted", "p1", ["fail", "pass"])
    assert (planted["accepted"], planted["apart"]) == ({"count": 1, "of": 2}, None)


def test_deck_document__strange_names_are_few() -> None:
    """Of the names that nobody asked for a run keeps the first, however many a reply holds."""
    result = deck_result(trace_deck("pass", "fail"))
    judged = result.outcomes[0]
    assert isinstance(judged, Judged)
    strange = tuple(f"n{number}" for number in range(STRANGE + 5))
    changed = replace(judged, labels=replace(judged.labels, strange=strange))
    run = replace(result, outcomes=(changed, *result.outcomes[1:]))

    assert read(report(decks=(run,)))["decks"][0]["runs"][0]["strange"] == list(strange[:STRANGE])


def test_opinion_document__a_judged_case() -> None:
    """A judge-graded case says whose its flips are, and each draw what its judge said, asked by asked."""
    deck = deck_result(trace_deck("pass", "fail"))
    case = read(report(judged_case("pp pf p- ∅", decks=(deck,)), decks=(deck,)))["cases"][0]
    draws = case["draws"]

    assert case["judge"] == {
        "decks": ["trace-judge"],
        "untested": None,
        "flips": {"model": 0, "judge": 1, "transport": 2},
    }
    said = [[(item["repeat"], item["label"], item["state"]) for item in draw["judge"] or ()] for draw in draws]
    assert said == [
        [(1, "pass", "answered"), (2, "pass", "answered")],
        [(1, "pass", "answered"), (2, "fail", "answered")],
        [(1, "pass", "answered"), (2, None, "missing")],
        [],
    ]
    assert [draw["state"] for draw in draws] == ["answered", "unreadable", "missing", "missing"]
    assert [draw["ungraded"] for draw in draws] == [None, None, "Answer 3.", None]
    assert draws[3]["judge"] is None
