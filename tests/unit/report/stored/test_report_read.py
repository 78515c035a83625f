"""A stored report, read back: the same comment, or a refusal in words; whoever wrote the file."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.example_reports import example_reports, relayed_reports
from support.grading import NOT_RUN, command_run
from support.reports import case_result, deck, report, schema, untrusted_everywhere

from evalaction.errors import BadInput
from evalaction.forks import FAILS, SKIPPED
from evalaction.publish.log import log_lines
from evalaction.records.case import Compare, Grader
from evalaction.records.draw import Cause, Failure, Usage
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.report import Report
from evalaction.redact import REDACTED, redact
from evalaction.report.comment import render_comment
from evalaction.report.document import report_document
from evalaction.report.stored.read import MAX_BYTES, read_report
from evalaction.report.writer import json_text
from evalaction.values import MAX_DEPTH, parse

RUNS = {name: run for name, run in {**example_reports(), **relayed_reports()}.items() if name != "comment-hostile"}
"""Runs that can have been: in the hostile one texts were replaced once they had been graded."""
RUN_URL = "https://github.example.test/acme/evals/actions/runs/41"
KEYS = ("vendor", "total_cents")
HELD = Failure(cause=Cause.HELD, message=FAILS.message)
UNMEASURED = Gate(name=GateName.CONTRACT, verdict=Verdict.UNMEASURED, detail="there is no base")


def stored(run: Report) -> bytes:
    return json_text(report_document(run)).encode()


def small() -> Any:
    """Return the document of a run with one case of each state of a draw."""
    run = report(case_result("a", "A A B ? ∅", expect={"total_cents": 1950}, agreement_min="0.8", expect_keys=KEYS))
    return json.loads(stored(run))


def refusal(document: Any) -> str | None:
    """Return why a document is refused; None for one that is taken."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    try:
        read_report(data)
    except BadInput as error:
        return error.problems[0].message.removeprefix("The report cannot be used: ").removesuffix(".")
    return None


@pytest.mark.parametrize("name", sorted(RUNS))
def test_read_report__inverse(name: str) -> None:
    """What is read back gives the same comment and the same file, for every example."""
    run = RUNS[name]
    again = read_report(stored(run))

    assert render_comment(again, report_location=RUN_URL) == render_comment(run, report_location=RUN_URL)
    assert stored(again) == stored(run)


KINDS = {
    "nothing affected": report(),
    "deck held": report(decks=(deck("d", failure=HELD),), held=SKIPPED),
    "held": report(case_result("a", "∅ ∅", failure=HELD), held=FAILS),
    "held and excused": report(case_result("a", "∅ ∅", failure=HELD), gates=(UNMEASURED,), held=SKIPPED),
    "no completions": report(case_result("a", "A B A"), show_completions=False),
    "exact": report(case_result("a", "A B", grader=Grader.EXACT, answers={"A": "x ", "B": "x"}, agreement_min="1/3")),
    "estimated and narrowed": report(
        case_result("a", "A A", usage=Usage(), max_completion_tokens=1), partial="tag x", not_chosen=9, unaffected=190
    ),
    "not independent": report(case_result("a", "A A", reply_id="x", fail_on=frozenset({GateName.INDEPENDENCE}))),
    "marked as replayed": report(case_result("a", "A A B", replies={1: {"replayed": "age: 1"}})),
    "command": report(case_result("a", "A B ∅", grader=Grader.COMMAND, runs={"B": command_run(2, "no\n")})),
    "command not run": report(case_result("a", "A A", grader=Grader.COMMAND, runs={"A": NOT_RUN})),
    "command not allowed": report(
        case_result("a", "∅ ∅", grader=Grader.COMMAND, failure=NOT_RUN, blocked=NOT_RUN.message),
        case_result("b", "A A"),
    ),
    "command held": report(
        case_result("a", "∅ ∅", grader=Grader.COMMAND, failure=NOT_RUN, blocked=NOT_RUN.message),
        case_result("b", "∅ ∅", failure=HELD),
        held=FAILS,
    ),
    "agrees on nothing": report(case_result("a", "A A", expect_keys=("x",), agree_on=())),
}


@pytest.mark.parametrize("run", KINDS.values(), ids=KINDS)
def test_read_report__every_kind(run: Report) -> None:
    """Holds, decks, gates that warn or fail, estimates and narrowed runs come back as they were."""
    again = read_report(stored(run))
    assert (again.verdict, again.exit_code, again.headline) == (run.verdict, run.exit_code, run.headline)
    assert (render_comment(again), stored(again)) == (render_comment(run), stored(run))


def test_read_report__interrupted() -> None:
    """An interrupted run comes back as one."""
    document = {**small(), "exit_code": 130, "verdict": "fail"}
    assert read_report(json.dumps(document).encode()).headline == "evalaction: interrupted, the affected case fails"


@pytest.mark.parametrize(
    "text", ['\U0001f600\x00\u2028"\\\n', "\ufeff.golden.jsonl", "<!-- evalaction v1 id=default -->"]
)
def test_read_report__hostile_text(text: str) -> None:
    """Whatever stands in a text of a run, what is read back gives the same comment."""
    # What was read of a text that a secret was taken out of is not read anew; no text here was graded as it stands.
    run = untrusted_everywhere(f"{text}{REDACTED}")
    assert render_comment(read_report(stored(run))) == render_comment(run)


@pytest.mark.parametrize("text", ["\ud83d", '"\udcff"\n', "{\ud83d}"])
def test_read_report__halves_of_pairs(text: str) -> None:
    """Half of a surrogate pair comes back where a run can have one: in names, texts and causes, and in no answer."""
    failure = Failure(cause=Cause.STATUS, message=text, status=500)
    run = report(
        case_result(f"id {text}", "A ? ∅", raw={"?": text}, failure=failure, path=f"{text}.golden.jsonl"),
        case_result("text", "? ?", raw={"?": text}, grader=Grader.TEXT),
    )
    again = read_report(stored(run))
    assert (render_comment(again), stored(again)) == (render_comment(run), stored(run))


@pytest.mark.parametrize("opened", ["[", '{"a":'])
def test_read_report__deep_answer(opened: str) -> None:
    """An answer that is nested as deeply as one may be, frozen or drawn, comes back: a report holds it deeper still."""
    text = opened * (MAX_DEPTH - 1) + '{"a": 1}' + ("]" if opened == "[" else "}") * (MAX_DEPTH - 1)
    asked: dict[str, Any] = {} if opened == "[" else {"expect": parse(text), "agree_on": ("a",)}
    run = report(case_result("a", "T T", raw={"T": text}, **asked))
    assert run.cases[0].modes
    assert stored(read_report(stored(run))) == stored(run)


GRADERS: dict[str, Any] = {
    "json": {},
    "compared": {"compare": (("a", Compare(case_insensitive=True, unordered=True, round=5)),), "expect": {"a": "X"}},
    "form": {"expect_keys": ("a",), "schema": schema({"type": "object"})},
    "text": {"grader": Grader.TEXT, "expect": "x"},
    "exact": {"grader": Grader.EXACT, "expect": "x"},
    "choice": {"grader": Grader.CHOICE, "labels": ("x", "y"), "expect": "x"},
    "regex": {"grader": Grader.REGEX, "regex": "(x)", "expect": "x"},
    "number": {"grader": Grader.NUMBER, "whole": Compare(round=Decimal("0.5"), tolerance=0), "expect": 1},
    "diff": {"grader": Grader.DIFF, "expect": "x", "expect_path": "good.txt", "fence": "python"},
    "whole diff": {"grader": Grader.DIFF, "expect": "x", "expect_path": "good.txt"},
    "command": {"grader": Grader.COMMAND, "fence": ""},
    "whole command": {"grader": Grader.COMMAND},
    "command with a form": {"grader": Grader.COMMAND, "expect_keys": ("a",)},
}
TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "x",
            "X ",
            '"x"',
            "y",
            "1.2",
            "about 1,000 of them",
            '{"a": "x"}',
            '{"a": ["y", "x", 12.5]}',
            '<think>{"a": 1}</think>{"a": 2}',
            "```python\nx\n```",
            '```\n{"a": 1}\n```',
            "[1, 2]",
            "\ud83d",
        ]
    ),
)


@given(st.sampled_from(sorted(GRADERS)), st.lists(TEXTS, min_size=2, max_size=3))
def test_read_report__any_completion(grader: str, texts: list[str]) -> None:
    """Whatever a model says and whatever grades it, the report of the run comes back as it was."""
    signs = [f"T{number}" for number in range(len(texts))]
    runs = {"T0": command_run(1, "no\n"), "T1": NOT_RUN}
    run = report(
        case_result("a", " ".join(signs), raw=dict(zip(signs, texts, strict=True)), runs=runs, **GRADERS[grader])
    )
    assert stored(read_report(stored(run))) == stored(run)


def test_read_report__two_secrets() -> None:
    """Answers that differ in what was taken out of the report are still two answers."""
    answers = {"A": {"key": "first-secret"}, "B": {"key": "second-secret"}}
    run = redact(report(case_result("a", "B A B", answers=answers)), ("first-secret", "second-secret"))
    again = read_report(stored(run))

    assert [(mode.label, mode.answer, mode.count) for mode in again.cases[0].modes] == [
        ("A", {"key": REDACTED}, 2),
        ("B", {"key": REDACTED}, 1),
    ]


def test_read_report__words_made_anew() -> None:
    """Neither the headline nor the details of gates are taken from the file."""
    document = small()
    document["headline"] = document["cases"][0]["gates"][0]["detail"] = "all is well"
    again = read_report(json.dumps(document).encode())

    assert again.headline == "evalaction: the affected case fails"
    assert again.cases[0].gates[0].detail == "2 of 5 draws agree, 1 missing; needs 4 of 5 (agreement_min 0.8)"


def test_read_report__hold_in_our_words() -> None:
    """A hold is told in the words of this version, whatever a file says."""
    document = json.loads(stored(report(case_result("a", "∅ ∅", failure=HELD), held=FAILS)))
    document["held"]["message"] = "[click](https://evil.example.test)"

    assert read_report(json.dumps(document).encode()).held == FAILS


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is not strict JSON, or too deep"),
        (b"\xff", "it is not UTF-8"),
        (b'{"a":1,"a":2}', "it is not strict JSON, or too deep"),
        (b"NaN", "it is not strict JSON, or too deep"),
        (b"[" * 100_000, "it is not strict JSON, or too deep"),
        (b"[" * 300 + b"]" * 300, "it is not strict JSON, or too deep"),
        (b"[]", "it has not the published form at $"),
        (b"{}", "it has not the published form at $"),
        (b'{"schema_version":2}', "it is of another version than 1"),
        (b'"' + b"x" * MAX_BYTES + b'"', "it has more than 67,108,864 bytes"),
        (b'{"manifest":{"versions":{"' + b"x" * 9_000 + b'":1}}}', "it has not the published form at $"),
    ],
    ids=range(11),
)
def test_read_report__no_report(data: bytes, why: str) -> None:
    """What is no report is refused in words."""
    assert why == refusal(data)


def test_read_report__refusal() -> None:
    """A refusal names the file, what is wrong and what to give instead."""
    with pytest.raises(BadInput) as refused:
        read_report(b"{", name="theirs.json")
    assert str(refused.value) == (
        "theirs.json: The report cannot be used: it is not strict JSON, or too deep. Give the report.json of a run of "
        "this version, as it was written."
    )


def case(change: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda document: change(document["cases"][0])


def stub(name: str, **share: int) -> Callable[[Any], object]:
    """Return what changes the score of a stub on the built-in deck of three."""
    return lambda document: document["instrument"][0]["stubs"][name].update(share)


MISSING_DECK = "a deck is missing, or stands twice, where its stubs are"
OTHER_DECK = "the scores of its stubs are not those of one deck"
BROKEN = "its stubs did not come to what they have to"
CONTRADICTIONS: list[tuple[Callable[[Any], object], str]] = [
    (lambda d: d.update(verdict="pass"), "what it says at verdict does not follow from its draws"),
    (lambda d: d.update(exit_code=0), "what it says at exit_code does not follow from its draws"),
    (lambda d: d.update(unaffected=1), "its cases are not as many as it says"),
    (lambda d: d.update(cases=d["cases"] * 2), "a case stands in it twice"),
    (lambda d: d["manifest"]["calls"].update(planned=6), "its calls are not as many as it says"),
    (lambda d: d["manifest"]["calls"].update(retried=9), "its calls are not as many as it says"),
    (lambda d: d["manifest"]["calls"].update(made=0), "its calls are not as many as it says"),
    (
        lambda d: (d["manifest"]["calls"].update(made=3), d["cases"][0]["draws"][0].update(tries=0)),
        "something was measured in it without a call",
    ),
    (lambda d: d["manifest"].update(wall_s=10**40), "a number is out of range"),
    (lambda d: d["manifest"]["calls"].update(judge=1), "its calls are not as many as it says"),
    (lambda d: d["manifest"]["calls"].update(repaired=1), "its calls are not as many as it says"),
    (lambda d: d.update(held={"message": "x", "excused": True}), "the run was held back, and draws of it were not"),
    (lambda d: d.update(instrument=[]), "it has not the published form at $.instrument"),
    # A key that the schema does not know is a stranger's text, and is not repeated.
    (
        lambda d: d["manifest"]["versions"].update({"x\n::error::@octocat": 1}),
        "it has not the published form at $.manifest.versions[…]",
    ),
    (lambda d: d.update(instrument=d["instrument"] * 2), MISSING_DECK),
    (lambda d: d["instrument"].append({**d["instrument"][0], "deck": "d"}), MISSING_DECK),
    (stub("positional", count=2), BROKEN),
    (stub("positional_first", count=2), BROKEN),
    (stub("identity", count=1), BROKEN),
    (stub("gold", count=17), BROKEN),
    (stub("gold", count=19), BROKEN),
    (stub("stamp", count=18), BROKEN),
    (stub("forgetful", count=0), BROKEN),
    (stub("identity", of=4), OTHER_DECK),
    (stub("stamp", of=36), OTHER_DECK),
    (stub("stamp", count=13), OTHER_DECK),
    (stub("gold", of=17), OTHER_DECK),
    (stub("gold", count=10**16), "a number is out of range"),
    (case(lambda c: c.update(verdict="pass")), "what it says at cases[0].verdict does not follow from its draws"),
    (case(lambda c: c.update(n=4)), "a case has other draws than it asks for"),
    (case(lambda c: c["draws"].reverse()), "a case has other draws than it asks for"),
    (case(lambda c: c.update(measured=5)), "what it says at cases[0].measured does not follow from its draws"),
    (
        case(lambda c: c["agreement"].update(count=5)),
        "what it says at cases[0].agreement.count does not follow from its draws",
    ),
    (case(lambda c: c.update(flip_rate=None)), "what it says at cases[0].flip_rate does not follow from its draws"),
    (case(lambda c: c.update(flipping=False)), "what it says at cases[0].flipping does not follow from its draws"),
    (case(lambda c: c.update(distinct=1)), "what it says at cases[0].distinct does not follow from its draws"),
    (case(lambda c: c["length"].update(max=1)), "what it says at cases[0].length.max does not follow from its draws"),
    (case(lambda c: c["modes"].reverse()), "the answers of a case are not those of its draws"),
    (case(lambda c: c["modes"].pop()), "the answers of a case are not those of its draws"),
    (case(lambda c: c["modes"][0].update(answer=1)), "the answers of a case are not those of its draws"),
    (case(lambda c: c["modes"][0].update(draws=[1, 1])), "the answers of a case are not those of its draws"),
    (
        case(lambda c: c["modes"][0].update(count=1)),
        "what it says at cases[0].modes[0].count does not follow from its draws",
    ),
    (case(lambda c: c["gates"].pop()), "what it says at cases[0].gates does not follow from its draws"),
    (
        case(lambda c: c["gates"][0].update(verdict="pass")),
        "what it says at cases[0].gates[0].verdict does not follow from its draws",
    ),
    (case(lambda c: c["draws"][4].update(error=None)), "a draw is not what its state says"),
    (case(lambda c: c["draws"][4].update(answer=1)), "a draw is not what its state says"),
    (case(lambda c: c["draws"][0].update(state="unreadable")), "a draw is not what its state says"),
    (case(lambda c: c["draws"][0].update(length=None)), "a draw is not what its state says"),
    (case(lambda c: c["draws"][0].update(expected_met=None)), "a draw is not what its state says"),
    (case(lambda c: c["draws"][0].update(schema_met=None)), "a draw is not what its state says"),
    (
        case(lambda c: c["draws"][4]["error"].update(cause="held back")),
        "draws of it were held back, and the run was not",
    ),
    (case(lambda c: c["contract"].update(agreement_min="1/0")), "a threshold is no share from 0 to 1"),
    (case(lambda c: c["contract"].update(agreement_min="6/5")), "a threshold is no share from 0 to 1"),
    (
        case(lambda c: c["contract"].update(agreement_min="8/10")),
        "what it says at cases[0].contract.agreement_min does not follow from its draws",
    ),
    (case(lambda c: c["contract"].update(grader=[])), "a contract is of another form than it has to be"),
    (case(lambda c: c["contract"].update(expect_keys="vendor")), "a contract is of another form than it has to be"),
    (case(lambda c: c["contract"].update(x=1)), "what it says at cases[0].contract does not follow from its draws"),
    (case(lambda c: c["contract"].update(max_completion_tokens=True)), "a number is out of range"),
    (case(lambda c: c["sampling"].update(stop="x")), "a sampling parameter is of another kind than it has to be"),
    (case(lambda c: c["sampling"].update(x=1)), "what it says at cases[0].sampling does not follow from its draws"),
    (case(lambda c: c.update(x=1)), "it has not the published form at $.cases[0]"),
]


@pytest.mark.parametrize(("change", "why"), CONTRADICTIONS, ids=range(len(CONTRADICTIONS)))
def test_read_report__contradictions(change: Callable[[Any], object], why: str) -> None:
    """A report whose figures, verdict or parts do not follow from its draws is refused, with the place."""
    document = small()
    change(document)

    assert why == refusal(document)


def test_read_report__decks_and_their_stubs() -> None:
    """What the stubs did on a deck is the same wherever it stands, and no affected deck is without."""
    document = json.loads(stored(report(decks=(deck("d"),))))
    document["instrument"].append({**copy.deepcopy(document["instrument"][0]), "deck": "not affected"})
    assert [each.deck for each in read_report(json.dumps(document).encode()).stubs] == ["d", "not affected"]

    document["decks"][0]["stubs"]["stamp"]["count"] = 12
    assert refusal(document) == "what it says at decks[0].stubs.stamp.count does not follow from its judges' replies"
    del document["instrument"][0]
    assert refusal(document) == MISSING_DECK


def test_read_report__order_of_cases() -> None:
    """The renderer takes the first case for the worst, so a report in another order is refused."""
    document = json.loads(stored(report(case_result("a", "A A"), case_result("b", "A B", agreement_min=1))))
    document["cases"].reverse()

    assert refusal(document) == "its cases are not in the order of their verdicts"


VALID = [json.loads(stored(run)) for run in RUNS.values()]
SCALARS: dict[type, list[Any]] = {
    bool: [True, False],
    int: [-1, 0, 1, 2, 3, 5, 100, 10**16, 10**300],
    float: [0.0, 0.5, 1.5, 1e300],
    str: [
        "",
        "x",
        "pass",
        "fail",
        "unmeasured",
        "answered",
        "unreadable",
        "missing",
        "json",
        "text",
        "1/2",
        "5/4",
        "\ud800",
    ],
    list: [[], [1], ["x"]],
    dict: [{}, {"x": 1}, {"count": 1, "of": 2}],
    type(None): [None],
}


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*place, key)
        yield from places(item, (*place, key))


PLACES = [list(places(document)) for document in VALID]


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """Draw a valid document with some of its values replaced, repeated or taken away."""
    chosen = draw(st.integers(0, len(VALID) - 1))
    document, all_places = copy.deepcopy(VALID[chosen]), PLACES[chosen]
    for _ in range(draw(st.integers(1, 3))):
        *above, last = draw(st.sampled_from(all_places))
        holder = document
        for key in above:
            holder = holder[key] if isinstance(holder, dict | list) and _has(holder, key) else None
        if not isinstance(holder, dict | list) or not _has(holder, last):
            continue
        how = draw(st.sampled_from(["alike", "alike", "other", "gone", "again"]))
        if how == "gone":
            del holder[last]
        elif how == "again" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        else:
            kind = type(holder[last]) if how == "alike" else draw(st.sampled_from(list(SCALARS)))
            holder[last] = copy.deepcopy(draw(st.sampled_from(SCALARS[kind])))
    return document


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else isinstance(key, int) and key < len(holder)


@given(mutated())
def test_read_report__mutated(document: Any) -> None:
    """A changed report is refused in words, or it is one that can be shown and stored like any other."""
    data = json.dumps(document).encode()
    try:
        run = read_report(data)
    except BadInput:
        return
    again = read_report(stored(run))
    assert again == run
    for relayed_from in (None, RUN_URL):
        assert render_comment(again, relayed_from=relayed_from) == render_comment(run, relayed_from=relayed_from)
    assert list(log_lines(run, groups=False))


@given(st.binary(max_size=200))
def test_read_report__any_bytes(data: bytes) -> None:
    """No bytes make the reader fail in any other way than in words."""
    assert refusal(data) is not None
