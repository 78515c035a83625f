"""A stored report, and what an endpoint did with its requests: who answered, what came together, what was replayed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from support.decks import deck_result, judged_case
from support.grading import UNIQUE
from support.reports import case_result, report

from evalaction.errors import BadInput
from evalaction.records.case import Sampling
from evalaction.records.draw import Usage
from evalaction.records.gate import Verdict
from evalaction.records.manifest import Tokens
from evalaction.records.report import Report
from evalaction.report.comment import render_comment
from evalaction.report.document import report_document
from evalaction.report.stored.read import read_report
from evalaction.report.writer import json_text

SEVERAL = Sampling(model="m-1", samples_per_request=3)
RUN = "3f2a9c41b7d0e586"
REPLIES: dict[int, dict[str, Any]] = {
    # Three choices of one request, whose tokens stand with the first; then what was missing, asked for again.
    1: {"choices": 3, "choice": 0, "id": UNIQUE, "usage": Usage(prompt=40, completion=90), "model": "m-1-0101"},
    2: {"choices": 3, "choice": 1, "id": UNIQUE, "usage": Usage(), "model": "m-1-0101"},
    3: {"choices": 3, "choice": 2, "id": UNIQUE, "usage": Usage(), "model": "m-1-0101"},
    4: {"fingerprint": "fp_1"},
    5: {"replayed": "x-cache: HIT"},
}


def stored(run: Report) -> bytes:
    return json_text(report_document(run)).encode()


def several() -> Report:
    """Return a run of a case whose draws came in several ways, one of them from a ledger."""
    case = case_result(
        "a", "A A B A A", sampling=SEVERAL, replies=REPLIES, replay_of={5: RUN}, max_completion_tokens=64
    )
    tokens = Tokens(prompt=80, completion=102, reasoning=8, cached=None, total=190, estimated=True)
    return report(case, manifest={"faults": (("HTTP 429", 3),), "tokens": tokens, "items": 1})


def document() -> Any:
    return json.loads(stored(several()))


def refusal(changed: Any) -> str | None:
    """Return why a document is refused; None for one that is taken."""
    try:
        read_report(json.dumps(changed).encode())
    except BadInput as error:
        return error.problems[0].message.removeprefix("The report cannot be used: ").removesuffix(".")
    return None


def test_read_report__several_ways() -> None:
    """Choices of one request, replays, names and failures come back as they were; so does the comment."""
    run = several()
    again = read_report(stored(run))

    assert (stored(again), render_comment(again)) == (stored(run), render_comment(run))
    assert again.manifest.tokens == run.manifest.tokens


def test_read_report__replayed_judges() -> None:
    """Judges' replies that were read from a ledger come back as such, and cost the run nothing."""
    deck = deck_result()
    data = json.loads(stored(report(judged_case("pp pp", decks=(deck,)), decks=(deck,))))
    for asked in (*data["decks"][0]["runs"], *(said for draw in data["cases"][0]["draws"] for said in draw["judge"])):
        asked["replay_of"] = RUN
    data["manifest"]["replays"] = [{"run": RUN, "began": None, "draws": 0, "replies": 10}]
    data["manifest"]["calls"].update(made=2, judge=0)

    assert refusal(data) is None


OTHER_CALLS = "its calls are not as many as it says"
OTHER_READ = "what it says was read from a ledger is not what its draws say"
OTHER_NAMES = "those who answered are not those that its draws name"
OTHER_STATE = "a draw is not what its state says"


def of_draw(index: int, **fields: Any) -> Callable[[Any], object]:
    return lambda changed: changed["cases"][0]["draws"][index - 1].update(fields)


def of_calls(**fields: int) -> Callable[[Any], object]:
    return lambda changed: changed["manifest"]["calls"].update(fields)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda _: None, None),
        # Which draws came of one request is a claim: two requests at the least, four at the most.
        (of_calls(made=3, retried=0), None),
        (of_calls(made=1), OTHER_CALLS),
        (of_calls(made=5), OTHER_CALLS),
        (of_calls(retried=1), OTHER_CALLS),
        (of_calls(planned=5), OTHER_CALLS),
        (of_calls(draws=5), OTHER_CALLS),
        (of_draw(1, tries=0), "something was measured in it without a call"),
        (of_draw(4, replay_of=RUN), OTHER_CALLS),
        (of_draw(5, replay_of="another"), OTHER_READ),
        (lambda d: d["manifest"].update(replays=[]), OTHER_READ),
        (lambda d: d["manifest"]["replays"][0].update(draws=2), OTHER_READ),
        (lambda d: d["manifest"]["replays"][0].update(began="2026-11-30"), None),
        (lambda d: d["manifest"]["replays"][0].update(draws=10**16), "a number is out of range"),
        (of_draw(4, model="m-2"), OTHER_NAMES),
        (of_draw(4, system_fingerprint=None), OTHER_NAMES),
        (lambda d: d["manifest"].update(answered_by=[]), OTHER_NAMES),
        (
            lambda d: d["manifest"].update(answered_by=d["manifest"]["answered_by"] * 40),
            "it has not the published form at $.manifest.answered_by",
        ),
        (lambda d: d["manifest"]["faults"][0].update(count=10**16), "a number is out of range"),
        (lambda d: d["manifest"]["tokens"].update(total=10**16), "a number is out of range"),
        (of_draw(5, replayed=None), "what it says at cases[0].gates does not follow from its draws"),
        (of_draw(2, choice=0), OTHER_CALLS),
        (of_draw(4, choices=2), "the length of a draw is not the one that its reply gives"),
        (of_draw(4, choices=10**16), "a number is out of range"),
        (of_draw(4, choices=None), OTHER_STATE),
        (
            lambda d: d["cases"][0]["sampling"].update(samples_per_request=101),
            "a sampling parameter is of another kind than it has to be",
        ),
        (
            lambda d: d["cases"][0]["sampling"].update(samples_per_request=True),
            "a sampling parameter is of another kind than it has to be",
        ),
        (lambda d: d["cases"][0]["sampling"].pop("samples_per_request"), OTHER_CALLS),
    ],
)
def test_read_report__contradictory(change: Callable[[Any], object], why: str | None) -> None:
    """What calls, names, replays and choices say has to follow from the draws, and be of a size that can be."""
    changed = document()
    change(changed)
    assert refusal(changed) == why


@pytest.mark.parametrize("name", ["model", "system_fingerprint", "replayed", "replay_of"])
def test_read_report__nothing_came(name: str) -> None:
    """A draw for which nothing came has nothing of a reply, and was read from no ledger."""
    changed = json.loads(stored(report(case_result("a", "A A ∅"))))
    changed["cases"][0]["draws"][2][name] = "x"
    assert refusal(changed) == OTHER_STATE

    judged = json.loads(stored(report(judged_case("pp p-"))))
    judged["cases"][0]["draws"][1]["judge"][1][name] = "x"
    assert refusal(judged) == "what came of a request to a judge is not what its state says"


OF_A_REPLY = ("model", "system_fingerprint", "replayed", "replay_of")


def as_before(changed: Any) -> Any:
    """Return the document as a version wrote it that knew nothing of all this."""
    manifest = changed["manifest"]
    for name in ("faults", "answered_by", "replays"):
        del manifest[name]
    for name in ("reasoning", "total", "estimated"):
        del manifest["tokens"][name]
    del manifest["calls"]["draws"]
    asked = [run for deck in changed["decks"] for run in deck["runs"]]
    for case in changed["cases"]:
        for draw in case["draws"]:
            asked += draw["judge"] or []
            for name in ("choices", *OF_A_REPLY):
                del draw[name]
    for reply in (*asked, *(run["first_reply"] for run in asked if run["first_reply"] is not None)):
        for name in OF_A_REPLY[1:]:
            del reply[name]
    return changed


def test_read_report__earlier() -> None:
    """A report that was written before is read as one in which nothing of it was."""
    deck = deck_result(unreadable=(1,))
    run = report(case_result("a", "A B ∅ ?"), judged_case("pp p- ∅", line=2, decks=(deck,)), decks=(deck,))

    assert stored(read_report(json.dumps(as_before(json.loads(stored(run)))).encode())) == stored(run)


@pytest.mark.parametrize(
    ("warns", "why"), [(True, None), (False, "what it says at verdict does not follow from its draws")]
)
def test_read_report__earlier_independence(*, warns: bool, why: str | None) -> None:
    """Draws that share an id failed a gate before; where it only warned that is read as a doubt, and else refused."""
    before = as_before(json.loads(stored(report(case_result("a", "A A", reply_id=UNIQUE)))))
    before["cases"][0]["gates"][-1].update(verdict="fail", warns=warns)
    if not warns:
        before["cases"][0].update(verdict="fail")
        before.update(verdict="fail", exit_code=1)

    assert refusal(before) == why
    if warns:
        gates = read_report(json.dumps(before).encode()).cases[0].gates
        assert gates[-1].verdict is Verdict.UNMEASURED
