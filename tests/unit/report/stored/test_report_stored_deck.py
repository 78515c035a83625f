"""Decks and judge-graded cases of a stored report: read and counted anew from the replies, or refused in words."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.decks import deck_result, judged_case, planned_deck, trace_deck
from support.grading import UNIQUE
from support.judging import (
    Judge,
    at_random,
    by_index,
    drops_the_last,
    first_two_pass,
    honest,
    in_prose,
    last_flips,
    last_passes,
    merges,
)
from support.reports import case_result, report

from evalaction.errors import BadInput
from evalaction.records.deck import ProbeKind
from evalaction.records.gate import GateName
from evalaction.records.report import Report
from evalaction.records.settings import DEFAULT_FAIL_ON
from evalaction.redact import REDACTED, redact
from evalaction.report.document import report_document
from evalaction.report.stored import burden
from evalaction.report.stored.read import read_report
from evalaction.report.writer import json_text

PROBES = (ProbeKind.STEER, ProbeKind.FLUENT, ProbeKind.EMPTY, ProbeKind.TWINS)
WHOLE = trace_deck("pass", "fail", "fail", repeats=2, probes=PROBES, planted=("bad",), wordings=("Is it?", "Is it so?"))
SMALL = trace_deck("pass", "fail", repeats=2, probes=(ProbeKind.TWINS,), planted=("bad",), wordings=("Is it?",))
ASKED = len(planned_deck(SMALL).exam.all_requests)


def stored(run: Report) -> bytes:
    return json_text(report_document(run)).encode()


def refusal(document: Any) -> str | None:
    """Return why a document is refused; None for one that is taken."""
    try:
        read_report(json.dumps(document).encode())
    except BadInput as error:
        return error.problems[0].message.removeprefix("The report cannot be used: ").removesuffix(".")
    return None


@pytest.mark.parametrize(
    "judge",
    [
        honest,
        last_passes,
        first_two_pass,
        last_flips,
        by_index,
        drops_the_last,
        merges,
        in_prose,
        at_random(0.5, 1),
        at_random(0.9, 2),
    ],
    ids=lambda judge: judge.__qualname__,
)
def test_deck_result__inverse(judge: Judge) -> None:
    """Whatever a judge says of a deck, of wordings and of planted traces, the file read back is the same file."""
    data = stored(report(decks=(deck_result(WHOLE, judge),)))

    assert stored(read_report(data)) == data


@given(
    missing=st.sets(st.integers(0, ASKED - 1)),
    unreadable=st.sets(st.integers(0, ASKED - 1), max_size=4),
    unrepaired=st.sets(st.integers(0, ASKED - 1), max_size=4),
)
def test_deck_result__inverse_of_parts(missing: set[int], unreadable: set[int], unrepaired: set[int]) -> None:
    """Whatever came, was asked for again or is missing, the file read back is the same file."""
    result = deck_result(
        SMALL, last_flips, missing=missing, unreadable=unreadable, unrepaired=tuple(unrepaired - missing)
    )
    data = stored(report(decks=(result,)))

    assert stored(read_report(data)) == data


@pytest.mark.parametrize("fail_on", [DEFAULT_FAIL_ON, DEFAULT_FAIL_ON | {GateName.INDEPENDENCE}])
def test_read_report__replayed(fail_on: frozenset[GateName]) -> None:
    """Replies of judges that are one are still so when they are read back, whether that only warns or not."""
    said: dict[str, Any] = {"reply_id": UNIQUE, "fail_on": fail_on}
    deck = deck_result(SMALL, unreadable=(1,), unrepaired=(2,), **said)
    case = judged_case("pp p- pp ∅", decks=(deck,), agreement_min=Fraction(1, 2), **said)
    data = stored(report(case, decks=(deck,)))
    again = read_report(data)

    assert stored(again) == data
    assert (again.cases[0].gates, again.decks[0].gates) == (case.gates, deck.gates)
    assert [case.gates[-1].name, deck.gates[-1].name] == [GateName.INDEPENDENCE] * 2


@pytest.mark.parametrize(
    ("response_id", "change", "is_one"),
    [
        (UNIQUE, {}, True),
        (UNIQUE, {"choice": 1}, False),
        (UNIQUE, {"created": 17}, True),
        ("cmpl-1", {}, False),
        ("cmpl-1", {"replayed": "age: 1"}, True),
    ],
)
def test_deck_result__same_id(response_id: str, change: dict[str, Any], *, is_one: bool) -> None:
    """Two replies that are one, or a mark that one was kept, are in doubt, and no gate can be left out."""
    document = small()
    for run in document["decks"][0]["runs"][:3:2]:
        run["response_id"] = response_id
    document["decks"][0]["runs"][2].update(change)

    said = "what it says at decks[0].gates does not follow from its judges' replies"
    assert refusal(document) == (said if is_one else None)


@pytest.mark.parametrize("strip", ["pp pp pp", "pp ff pf p- ∅ ! ?p ??", "∅ ∅", "-- --", "ppp pfp ff-"])
def test_case_result__inverse(strip: str) -> None:
    """Whatever a judge says of the draws of a case, the file read back is the same file."""
    deck = deck_result(SMALL)
    data = stored(report(judged_case(strip, decks=(deck,)), decks=(deck,)))

    assert stored(read_report(data)) == data


def test_deck_result__two_decks() -> None:
    """Decks stand by verdict, each with its own stubs, and none stands there twice."""
    run = report(decks=(deck_result(trace_deck(name="a")), deck_result(trace_deck(name="b"), last_passes)))
    document = json.loads(stored(run))

    assert [deck["name"] for deck in document["decks"]] == ["b", "a"]
    assert refusal(document) is None
    document["decks"].reverse()
    assert refusal(document) == "its decks are not in the order of their verdicts"


def deck(change: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda document: change(document["decks"][0])


def run_of(number: int, change: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda document: change(document["decks"][0]["runs"][number])


def swap(first: int, second: int) -> Callable[[Any], object]:
    def change(document: Any) -> None:
        runs = document["decks"][0]["runs"]
        runs[first], runs[second] = runs[second], runs[first]

    return change


RUNS = "the runs of a deck are not those of its exam, its wordings and its probes"
ORDERS = "the orders of a deck are none that a judge is asked in"
LABEL = "a label is not what the judge's reply says"
STATE = "what came of a request to a judge is not what its state says"
FIXTURES = "a judge was asked about other fixtures than those of its deck"
GOLD = "the gold labels of a deck are not some of its labels, or all alike"
AGAIN = "a judge was asked once more for a reply that can be read, or was not for one that cannot"
WORDING = "a wording was not put to the judge as the deck was"
PLANTED = "a planted trace was not put to the judge before and after the deck"
CALLS = "its calls are not as many as it says"
FOLLOWS = "what it says at decks[0].{} does not follow from its judges' replies"

OTHER = json.loads(stored(report()))["instrument"][0]["stubs"]
"""Of the built-in deck."""
# Of the deck below: 0 to 3 are its two orders, each asked twice; 4 and 5 the wording; 6 and 7 twins; 8 and 9 planted.
# The replies to 1 and 5 did not come; that to 2 was asked for again, and that to 3 as well, without a reply.
CONTRADICTIONS: list[tuple[Callable[[Any], object], str]] = [
    (deck(lambda d: d.update(verdict="pass")), FOLLOWS.format("verdict")),
    (deck(lambda d: d.update(asked=5)), FOLLOWS.format("asked")),
    (deck(lambda d: d.update(answered=3)), FOLLOWS.format("answered")),
    (deck(lambda d: d["gold"].update(count=0)), FOLLOWS.format("gold.count")),
    (deck(lambda d: d.update(judge_flip_rate=None)), FOLLOWS.format("judge_flip_rate")),
    (deck(lambda d: d.update(disagreement=0.5)), FOLLOWS.format("disagreement")),
    (deck(lambda d: d["order_effect"]["between"].update(count=1)), FOLLOWS.format("order_effect.between.count")),
    (deck(lambda d: d["by_position"].pop()), FOLLOWS.format("by_position")),
    (deck(lambda d: d["fixtures"][0]["labels"].reverse()), FOLLOWS.format("fixtures[0].labels[0]")),
    (deck(lambda d: d["fixtures"][0].update(flips=False)), FOLLOWS.format("fixtures[0].flips")),
    (deck(lambda d: d["wordings"][0].update(answered=2)), FOLLOWS.format("wordings[0].answered")),
    (deck(lambda d: d["wordings"][0].update(file="x.md")), RUNS),
    (deck(lambda d: d["wordings"].clear()), RUNS),
    (deck(lambda d: d["probes"].reverse()), RUNS),
    (deck(lambda d: d["probes"][1].update(id="x")), RUNS),
    (deck(lambda d: d["gates"][0].update(verdict="pass")), FOLLOWS.format("gates[0].verdict")),
    (deck(lambda d: d["gates"].pop()), FOLLOWS.format("gates")),
    (deck(lambda d: d["thresholds"].update(gold_min="2/1")), "a threshold is no share from 0 to 1"),
    (deck(lambda d: d["sampling"].update(x=1)), FOLLOWS.format("sampling")),
    (
        deck(lambda d: d["sampling"].update(temperature="0")),
        "a sampling parameter is of another kind than it has to be",
    ),
    (deck(lambda d: d.update(orders=3)), ORDERS),
    (deck(lambda d: d.update(repeats=1)), ORDERS),
    (deck(lambda d: d.update(repeats=101)), "it has not the published form at $.decks[0].repeats"),
    (deck(lambda d: d["fixtures"][0].update(gold="fail")), GOLD),
    (deck(lambda d: d["fixtures"][0].update(gold="other")), GOLD),
    (deck(lambda d: d["fixtures"][0].update(id="t2")), "a fixture stands twice in a deck"),
    (deck(lambda d: d["fixtures"][0].update(id="t3")), FIXTURES),
    (deck(lambda d: d["labels"].reverse()), FOLLOWS.format("by_position[0].count")),
    (deck(lambda d: d["runs"].pop()), PLANTED),
    (deck(lambda d: d["runs"].pop(0)), ORDERS),
    (deck(lambda d: d["runs"].insert(0, d["runs"][0])), ORDERS),
    (swap(0, 1), ORDERS),
    (swap(3, 4), RUNS),
    (swap(4, 5), WORDING),
    (swap(6, 7), PLANTED),
    (run_of(0, lambda r: r["order"].reverse()), ORDERS),
    (run_of(0, lambda r: r["order"].append("t1")), FIXTURES),
    (run_of(0, lambda r: r["aliases"].append("x")), FIXTURES),
    (run_of(0, lambda r: r["order"].__setitem__(0, None)), FIXTURES),
    (run_of(6, lambda r: r["order"].__setitem__(0, "t1")), FIXTURES),
    (
        run_of(0, lambda r: r.update(aliases=["verdicts", "x"])),
        "a judge was asked under names that tell nothing apart",
    ),
    (run_of(0, lambda r: r.update(fingerprint="0" * 64)), ORDERS),
    (run_of(0, lambda r: r.update(repeat=2)), ORDERS),
    (run_of(0, lambda r: r["labels"].reverse()), LABEL),
    (run_of(0, lambda r: r.update(labels=None)), "a judge's labels are not as many as it was asked for"),
    (run_of(0, lambda r: r["labels"].pop()), "a judge's labels are not as many as it was asked for"),
    (run_of(0, lambda r: r.update(reply="no")), LABEL),
    (run_of(0, lambda r: r.update(reply=None)), LABEL),
    (run_of(0, lambda r: r.update(finish_reason="length")), LABEL),
    (run_of(0, lambda r: r.update(tool_calls=True)), LABEL),
    (run_of(0, lambda r: r.update(unreadable="x")), LABEL),
    (run_of(0, lambda r: r.update(strange=["x"])), LABEL),
    (run_of(0, lambda r: r.update(state="missing")), "a judge's labels are not as many as it was asked for"),
    (run_of(0, lambda r: r.update(repaired=True)), STATE),
    (run_of(0, lambda r: r.update(tokens=None)), STATE),
    (run_of(1, lambda r: r.update(reply="x")), STATE),
    (run_of(1, lambda r: r.update(error=None)), STATE),
    (run_of(1, lambda r: r.update(repaired=True)), STATE),
    (run_of(1, lambda r: r.update(strange=["x"])), STATE),
    (run_of(1, lambda r: r["error"].update(cause="held back")), "draws of it were held back, and the run was not"),
    (
        run_of(1, lambda r: r["error"].update(cause="unreadable")),
        "it has not the published form at $.decks[0].runs[1].error",
    ),
    (run_of(2, lambda r: r.update(first_reply=None)), STATE),
    (run_of(2, lambda r: r.update(repaired=False)), STATE),
    (run_of(2, lambda r: r["first_reply"].update(reply=r["reply"])), AGAIN),
    (run_of(2, lambda r: r.update(first_reply=None, repaired=False)), CALLS),
    (run_of(3, lambda r: r["first_reply"].update(tokens=None)), STATE),
    (lambda d: d["manifest"]["calls"].update(planned=9), CALLS),
    (lambda d: d["manifest"]["calls"].update(judge=0, repaired=0), CALLS),
    (lambda d: d["manifest"]["calls"].update(repaired=0), CALLS),
    (lambda d: d["manifest"]["calls"].update(repaired=3), CALLS),
    (lambda d: d["manifest"]["calls"].update(judge=99), CALLS),
    (
        lambda d: d["instrument"][0].update(stubs=OTHER),
        "the stubs of a deck ran over other requests than its judge was asked",
    ),
    (lambda d: d.update(decks=d["decks"] * 2), "a deck stands in it twice"),
    (lambda d: d.update(verdict="pass", exit_code=0), "what it says at verdict does not follow from its draws"),
]


def small() -> Any:
    """Return the document of a run with one deck of two, of which not everything came."""
    return json.loads(
        stored(report(decks=(deck_result(SMALL, last_passes, missing=(1, 5), unreadable=(2,), unrepaired=(3,)),)))
    )


@pytest.mark.parametrize(("change", "why"), CONTRADICTIONS, ids=range(len(CONTRADICTIONS)))
def test_deck_result__contradictions(change: Callable[[Any], object], why: str) -> None:
    """A deck whose figures, runs or parts do not follow from its replies is refused, with the place or in words."""
    document = small()
    change(document)

    assert refusal(document) == why


def draw(number: int, change: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda document: change(document["cases"][0]["draws"][number])


SAYS = "a draw is not what its judge says of it"
ASKED_OTHERWISE = "a judge was asked about a draw in another way than its case asks for"
FORM = "a contract is of another form than it has to be"
WHOSE = "what it says at cases[0].judge.{} does not follow from its draws"
CASE: list[tuple[Callable[[Any], object], str]] = [
    (draw(0, lambda d: d.update(judge=None)), SAYS),
    (draw(0, lambda d: d["judge"].pop()), ASKED_OTHERWISE),
    (draw(0, lambda d: d["judge"][1].update(fingerprint="0" * 64)), ASKED_OTHERWISE),
    (draw(0, lambda d: d["judge"][0].update(label="fail")), LABEL),
    (draw(0, lambda d: d["judge"][0].update(reply="no")), LABEL),
    (
        draw(0, lambda d: d["judge"][0].update(repeat=2)),
        "what it says at cases[0].draws[0].judge[0].repeat does not follow from its draws",
    ),
    (draw(0, lambda d: d.update(ungraded="x")), SAYS),
    (draw(0, lambda d: d.update(answer="fail")), SAYS),
    (draw(0, lambda d: d.update(extraction="whole")), SAYS),
    (draw(2, lambda d: d.update(ungraded=None)), SAYS),
    (draw(2, lambda d: d["error"].update(cause="timeout")), SAYS),
    (draw(3, lambda d: d.update(judge=[])), "it has not the published form at $.cases[0].draws[3].judge"),
    (lambda d: d["cases"][0]["judge"].update(decks=[]), WHOSE.format("decks")),
    (lambda d: d["cases"][0]["judge"].update(untested="x"), WHOSE.format("untested")),
    (lambda d: d["cases"][0]["judge"]["flips"].update(model=1), WHOSE.format("flips.model")),
    (lambda d: d["cases"][0].update(judge=None), "what it says at cases[0].judge does not follow from its draws"),
    (lambda d: d["cases"][0]["contract"].update(grader="text"), FORM),
    (lambda d: d["cases"][0]["contract"].pop("judge"), FORM),
    (lambda d: d["cases"][0]["contract"]["judge"].update(repeats=1), FORM),
    (lambda d: d["cases"][0]["contract"]["judge"].update(labels=["pass"]), FORM),
    (lambda d: d["cases"][0]["contract"]["judge"].update(x=1), FORM),
    (lambda d: d["cases"][0]["contract"]["judge"].update(rubric="Other."), WHOSE.format("decks")),
]


@pytest.mark.parametrize(("change", "why"), CASE, ids=range(len(CASE)))
def test_case_result__contradictions(change: Callable[[Any], object], why: str) -> None:
    """A judge-graded case whose draws or flips do not follow from what its judge replied is refused."""
    exam = deck_result(trace_deck("pass", "fail"))
    document = json.loads(stored(report(judged_case("pp pf p- ∅", decks=(exam,)), decks=(exam,))))
    change(document)

    assert refusal(document) == why


def test_case_result__no_judge() -> None:
    """A case that no judge grades has no opinions, and nothing that could not be graded."""
    judged = json.loads(stored(report(judged_case("pp pp"))))
    document = json.loads(stored(report(case_result("a", "A A"))))
    document["cases"][0]["draws"][0]["judge"] = judged["cases"][0]["draws"][0]["judge"]

    assert refusal(document) == SAYS


INPUTS = {"name", "file", "line", "config_file", "rubric_file", "rubric", "reasons", "fingerprint", "detail", "warns"}
INPUTS |= {
    "show",
    "sampling",
    "thresholds",
    "model",
    "system_fingerprint",
    "response_id",
    "choice",
    "created",
    "seed",
    "latency_s",
    "tokens",
    "reasoning",
    "refusal",
}
INPUTS |= {"finish_reason", "message", "status", "cause", "first_reply", "aliases", "labels of the deck"}
"""What a run was told, and what an endpoint said beside its replies: nothing follows from it while no two
replies are one, and it from nothing."""


def figures(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of everything in a deck that is no input."""
    if place and (place[-1] in INPUTS or (place[-1] == "labels" and len(place) == 1)):
        return
    if isinstance(value, dict | list) and value:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from figures(item, (*place, key))
    else:
        yield place


SOUND = small()
FIGURES = list(figures(SOUND["decks"][0]))


@given(
    place=st.sampled_from(FIGURES), other=st.sampled_from([None, True, 0, 1, 2, 7, 0.5, "pass", "fail", "x", [], ["x"]])
)
def test_deck_result__every_figure(place: tuple[Any, ...], other: Any) -> None:
    """No figure, verdict, label, order or reply of a deck can be another one: the file is refused."""
    document = copy.deepcopy(SOUND)
    holder = document["decks"][0]
    for key in place[:-1]:
        holder = holder[key]
    if type(holder[place[-1]]) is type(other) and holder[place[-1]] == other:
        return
    holder[place[-1]] = other

    assert refusal(document) is not None


KEY = "key-4f0c1d"
"""A secret that a judge repeats."""


def repeating(key: str, *, reason: str = "reason") -> Judge:
    """Return a judge that answers gold, and repeats the key in every reply."""

    def judge(deck: Any, order: Any) -> str:
        said = json.loads(honest(deck, order))
        return json.dumps({"verdicts": said, reason: key})

    return judge


@pytest.mark.parametrize(
    ("secret", "judge"),
    [
        (KEY, repeating(KEY)),
        (KEY, repeating("none", reason=KEY)),
        # Without the secret these replies cannot be read any more, or not in the same way.
        ("verdicts", repeating(KEY)),
        ('"label": "', repeating(KEY)),
        ("I would rather", in_prose),
        (KEY, lambda deck, order: honest(deck, order).replace('"pass"', f'"{KEY}{"x" * 99}"')),
        (KEY, lambda deck, order: honest(deck, order)[:-1] + f', {{"id": "{KEY}", "label": "pass"}}]'),
    ],
    ids=range(7),
)
def test_deck_result__secrets(secret: str, judge: Judge) -> None:
    """A run out of whose replies a secret was taken is read back as it was, wherever the secret stood."""
    exam = deck_result(WHOLE, judge, unreadable=(2,), unrepaired=(3,))
    data = stored(redact(report(decks=(exam,)), (secret,)))

    assert REDACTED in data.decode()
    assert stored(read_report(data)) == data


def test_case_result__secrets() -> None:
    """Texts that differed in what was taken out of them keep the labels, and whose the flips are, that they had."""
    texts = ("Yours, first-secret.", "Yours, second-secret.", "Yours, first-secret.")
    run = redact(report(judged_case("pp ff pp", texts=texts)), ("first-secret", "second-secret"))
    document = json.loads(stored(run))

    assert document["cases"][0]["judge"]["flips"] == {"model": 1, "judge": 0, "transport": 0}
    assert stored(read_report(stored(run))) == stored(run)
    for flips in ((1, 0, 1), (2, 0, 0), (0, 0, 0), (0, 0, 1), (2, -1, 0)):
        document["cases"][0]["judge"]["flips"] = dict(zip(("model", "judge", "transport"), flips, strict=True))
        assert refusal(document) is not None


def test_deck_result__secrets_are_no_excuse() -> None:
    """A label that can still be read counts as it is read, whatever was taken out of the reply."""
    document = json.loads(stored(redact(report(decks=(deck_result(SMALL, repeating(KEY)),)), (KEY,))))
    document["decks"][0]["runs"][0]["labels"].reverse()
    assert refusal(document) == LABEL

    document = json.loads(stored(redact(report(decks=(deck_result(SMALL, repeating(KEY)),)), ("verdicts",))))
    document["decks"][0]["runs"][0]["labels"] = ["x", "x"]
    assert refusal(document) == LABEL


def test_read_report__too_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would take minutes is refused before it is begun: values, comparisons, brackets."""
    data = stored(report(decks=(deck_result(SMALL),)))
    large = "its decks are larger than any that are counted anew"
    for limit, why in (("MAX_VALUES", "it has more than 9 values"), ("MAX_WORK", large), ("MAX_MARKS", large)):
        with monkeypatch.context() as patch:
            patch.setattr(burden, limit, 9)
            assert refusal(json.loads(data)) == why


def test_read_report__many_labels() -> None:
    """More labels than a judge may have are refused: each would be compared with in every reply."""
    names = [f"l{number}" for number in range(99)]
    document = small()
    document["decks"][0]["labels"] += names
    assert refusal(document) == "it has not the published form at $.decks[0].labels"

    document = json.loads(stored(report(judged_case("pp ff pp"))))
    document["cases"][0]["contract"]["judge"]["labels"] += names
    assert refusal(document) == "a contract is of another form than it has to be"


def test_read_report__long_reply() -> None:
    """A reply that no endpoint's response could hold is refused."""
    document = small()
    document["decks"][0]["runs"][0]["reply"] = " " * (4 * 1024 * 1024 + 1)

    assert refusal(document) == "a reply is longer than any that is taken"
