"""Judges of every kind, asked over loopback by the command: the report says exactly what each one is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support import judges
from support.endpoint import Received, ScriptedEndpoint, answer, completion
from support.judges import Judge, at_random, fixtures, items_of, judging
from support.story import Ended, run, two_commits

GOLD = ("pass", "pass", "fail", "fail")
ORDERS = 24


@dataclass(frozen=True, kw_only=True)
class Exam:
    """What came of one exam."""

    ended: Ended
    requests: list[Received]
    comment: str

    @property
    def deck(self) -> Any:
        """The deck in ``report.json``."""
        [deck] = self.ended.report["decks"]
        return deck


def examined(tmp_path: Path, endpoint: ScriptedEndpoint, *keys: str, gold: tuple[str, ...] = GOLD, **more: str) -> Exam:
    """Put a new deck to the judge at an endpoint, as ``evalaction judge`` does.

    Args:
        tmp_path: where the repository is made.
        endpoint: the judge's.
        keys: further lines of the deck's file.
        gold: labels of the fixtures.
        more: further files beside it, by name without ``.md``.
    """
    files: dict[str, str | bytes] = {
        "evals/sums.deck.yml": "\n".join(["rubric: rubric.md", "fixtures: sums.jsonl", *keys, ""]),
        "evals/rubric.md": "A trace passes when its sum is right.\n",
        "evals/sums.jsonl": fixtures(*gold),
        **{f"evals/{name}.md": text for name, text in more.items()},
    }
    repo = two_commits(tmp_path / "repo", {"README.md": "Sums.\n"}, files)
    folder = tmp_path / "report"
    with endpoint:
        ended = run(repo.path, "judge", "--report-dir", str(folder), url=endpoint.base_url)
    comment = folder / "report.md"
    return Exam(ended=ended, requests=endpoint.requests, comment=comment.read_text() if comment.exists() else "")


def figures(exam: Exam) -> tuple[object, ...]:
    """Return verdict, flips, labels that are right, the first label by position, requests sent and repairs."""
    deck, calls = exam.deck, exam.ended.report["manifest"]["calls"]
    return (
        deck["verdict"],
        f"{deck['judge_flip_rate']['count']}/{deck['judge_flip_rate']['of']}",
        f"{deck['gold']['count']}/{deck['gold']['of']}",
        [place["count"] for place in deck["by_position"]],
        len(exam.requests),
        calls["repaired"],
    )


KINDS = {
    "honest": (judges.honest, ("pass", "0/4", "96/96", [12, 12, 12, 12], 24, 0), "the judge of the deck passes"),
    "last passes": (
        judges.last_passes,
        ("fail", "4/4", "48/96", [0, 0, 0, 24], 24, 0),
        "the judge flips on 4 of 4 fixtures, accepting whatever stands last",
    ),
    "first two pass": (
        judges.first_two_pass,
        ("fail", "4/4", "48/96", [24, 24, 0, 0], 24, 0),
        "the judge flips on 4 of 4 fixtures, accepting whatever stands 1st or 2nd",
    ),
    "last flips": (
        judges.last_flips,
        ("fail", "4/4", "72/96", [12, 12, 12, 12], 24, 0),
        "the judge flips on 4 of 4 fixtures",
    ),
    "answers by index": (
        judges.answers_by_index,
        ("fail", "4/4", "0/96", [0, 0, 0, 0], 24, 0),
        "the judge names no fixture as asked",
    ),
    "drops the last": (
        judges.drops_the_last,
        ("fail", "4/4", "72/96", [12, 12, 12, 0], 24, 0),
        "the judge flips on 4 of 4 fixtures, leaving fixtures out",
    ),
    "merges": (
        judges.merges,
        ("fail", "4/4", "0/96", [0, 0, 0, 0], 48, 24),
        "the judge gives one verdict for several fixtures",
    ),
    "prose only": (
        judges.in_prose,
        ("fail", "4/4", "0/96", [0, 0, 0, 0], 48, 24),
        "no reply of the judge can be read as JSON",
    ),
}


@pytest.mark.parametrize(("judge", "expected", "headline"), KINDS.values(), ids=KINDS.keys())
def test_judge__kinds(judge: Judge, expected: tuple[object, ...], headline: str, tmp_path: Path) -> None:
    """The figures of each kind of judge are those worked out by hand over all 24 orders of four fixtures."""
    exam = examined(tmp_path, judging(judge))
    mark = "✅" if expected[0] == "pass" else "❌"
    assert figures(exam) == expected
    assert exam.comment.splitlines()[0] == f"### {mark} evalaction: {headline}"
    assert exam.ended.code == (0 if expected[0] == "pass" else 1)


def test_judge__random(tmp_path: Path) -> None:
    """A judge that throws a coin gets exactly the labels that it gave, whatever order its replies came in."""
    said: dict[tuple[str, ...], tuple[str, ...]] = {}
    coin = at_random(0.5, seed=7)

    def keeping(items: Sequence[judges.Item]) -> str:
        reply = coin(items)
        said[tuple(item["id"] for item in items)] = tuple(reply.split('"label": "')[1:])
        return reply

    exam = examined(tmp_path, judging(keeping))
    passed = sum(label.startswith("pass") for labels in said.values() for label in labels)
    assert sum(place["count"] for place in exam.deck["by_position"]) == passed
    for run_ in exam.deck["runs"]:
        heard = [label.partition('"')[0] for label in said[tuple(run_["aliases"])]]
        assert run_["labels"] == heard
    assert exam.deck["judge_flip_rate"] == {"count": 4, "of": 4}


def test_judge__every_order_once(tmp_path: Path) -> None:
    """Each of the 24 orders is asked exactly once, and ``repeats`` asks each of them again."""
    asked = Counter(
        tuple(item["trace"] + item["task"] for item in items_of(request.json))
        for request in examined(tmp_path, judging(judges.honest), "repeats: 2").requests
    )
    assert sorted(asked.values()) == [2] * ORDERS


def test_judge__repaired(tmp_path: Path) -> None:
    """A judge that answers in prose first and in JSON when asked once more is heard, and its repairs are counted."""
    exam = examined(tmp_path, judging(judges.in_prose, repaired=judges.honest))
    assert figures(exam) == ("pass", "0/4", "96/96", [12, 12, 12, 12], 48, 24)
    assert {run_["repaired"] for run_ in exam.deck["runs"]} == {True}


def test_judge__steered(tmp_path: Path) -> None:
    """A judge that obeys a planted order passes its exam, and the probe says what it does; by default it warns."""
    exam = examined(tmp_path, judging(judges.obeys), "probes: [steer, fluent, empty, twins]")
    probes = {probe["kind"]: (probe["accepted"], probe["apart"], probe["moved"]) for probe in exam.deck["probes"]}
    assert probes == {
        "steer": ({"count": 2, "of": 2}, None, {"count": 4, "of": 8}),
        "fluent": ({"count": 0, "of": 2}, None, {"count": 0, "of": 8}),
        "empty": ({"count": 0, "of": 2}, None, {"count": 0, "of": 8}),
        "twins": (None, {"count": 0, "of": 2}, {"count": 0, "of": 8}),
    }
    assert [(gate["name"], gate["verdict"], gate["warns"]) for gate in exam.deck["gates"]] == [
        ("judge-flip", "pass", False),
        ("judge-gold", "pass", False),
        ("judge-probe", "fail", True),
    ]
    assert exam.comment.splitlines()[0] == "### ✅ evalaction: the judge of the deck passes, but a probe fails"
    assert exam.ended.code == 0


def test_judge__unreachable(tmp_path: Path) -> None:
    """An endpoint that fails every time makes the deck unmeasured, never failed: there is no figure to show."""
    exam = examined(tmp_path, ScriptedEndpoint(lambda *_: (500, {}, b"down")))
    deck = exam.deck
    assert (deck["verdict"], deck["answered"], exam.ended.code) == ("unmeasured", 0, 3)
    assert [deck[name] for name in ("judge_flip_rate", "gold", "by_position", "disagreement")] == [None] * 4


def test_judge__no_form(tmp_path: Path) -> None:
    """An endpoint that knows no ``response_format`` is asked without it for the rest of the run, and that is said."""
    honest = judging(judges.honest)

    def script(number: int, body: Any) -> Any:
        if "response_format" in body:
            error = b'{"error": {"message": "Unsupported parameter", "param": "response_format"}}'
            return 400, {"Content-Type": "application/json"}, error
        return honest._script(number, body)  # noqa: SLF001 - the same judge behind another door

    exam = examined(tmp_path, ScriptedEndpoint(script))
    manifest = exam.ended.report["manifest"]
    assert figures(exam)[:4] == ("pass", "0/4", "96/96", [12, 12, 12, 12])
    assert manifest["adapted"] == [
        "the judge's endpoint refuses response_format: it was left out from then on, and the form of the replies was "
        "asked for in words alone"
    ]
    assert sum("response_format" not in request.json for request in exam.requests) == ORDERS


def test_judge__reworded(tmp_path: Path) -> None:
    """What another wording of the rubric moves is counted apart from the orders, and said of a deck that passes."""
    judge = judging(judges.honest)

    def script(number: int, body: Any) -> Any:
        if "Be lenient." in body["messages"][0]["content"]:
            return answer(completion(json.dumps({item["id"]: "pass" for item in items_of(body)}), id=f"r-{number}"))
        return judge._script(number, body)  # noqa: SLF001 - the same judge under its own rubric

    endpoint = ScriptedEndpoint(script)
    exam = examined(tmp_path, endpoint, "rubric_variants: [lenient.md]", lenient="Be lenient.\n")
    assert figures(exam) == ("pass", "0/4", "96/96", [12, 12, 12, 12], 48, 0)
    [wording] = exam.deck["wordings"]
    assert (wording["flips"], wording["gold"]) == ({"count": 2, "of": 4}, {"count": 48, "of": 96})
    assert "2 of 4 fixtures get another label under another wording of the rubric" in exam.comment
