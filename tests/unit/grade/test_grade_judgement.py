"""Cases that a judge grades: the labels of their draws, whose the flips are, and what the judge is worth."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.decks import JUDGE_SAMPLING, deck_result, judged_case, judged_plan, trace_deck
from support.grading import UNIQUE, draws_of, planned_case, reply_of
from support.judging import honest, last_passes

from evalaction.grade.case import grade_case
from evalaction.grade.judgement import with_judgement
from evalaction.records.case import Sampling
from evalaction.records.deck import ProbeKind
from evalaction.records.deck_result import DeckResult, Judgement
from evalaction.records.draw import Cause, Draw
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.report import CaseResult
from evalaction.records.settings import DEFAULT_FAIL_ON

REPLAYED = "its deck trace-judge has replies that may not be fresh"


def whose(result: CaseResult) -> tuple[int, int, int]:
    assert result.judgement is not None
    return (result.judgement.model, result.judgement.judge, result.judgement.transport)


def draws(result: CaseResult) -> list[tuple[str, Any, str | None, str | None]]:
    return [(each.state.value, each.answer, each.cause, each.ungraded) for each in result.draws]


def test_grade_case__judged() -> None:
    """A draw has a label as its answer when all repeats give it; otherwise it says why it has none."""
    refused = "content filter: the endpoint withheld the reply (finish_reason content_filter)"
    assert [
        ("answered", "pass", None, None),
        ("answered", "fail", None, None),
        ("unreadable", None, "the judge gave it different labels: pass, fail", None),
        (
            "unreadable",
            None,
            'no label in 1 of 2 replies of the judge: not one of the labels: "no such label"',
            None,
        ),
        ("missing", None, "HTTP 503: overloaded", "Answer 5."),
        ("missing", None, "HTTP 503: overloaded", None),
        ("unreadable", None, refused, None),
    ] == draws(judged_case("pp ff pf p? f- ∅ !"))


def test_grade_case__judged_counts() -> None:
    """Agreement, modes, flips, length and the expected value are taken over labels as over any answer."""
    result = judged_case("pp pp ff p- pp", expect="pass", agreement_min=1, max_completion_tokens=30)
    assert [("A", "pass", 3), ("B", "fail", 1)] == [(mode.label, mode.answer, mode.count) for mode in result.modes]
    assert (4, "3/5", True, "3/5") == (result.measured, str(result.agreement), result.flipping, str(result.expected))
    assert {"agreement": "fail", "length": "pass", "expected": "fail"} == {
        gate.name.value: gate.verdict.value for gate in result.gates
    }
    assert ["label", "label", "label", None, "label"] == [each.extraction for each in result.draws]
    assert [2, 2, 2, 2, 2] == [len(each.opinions) for each in result.draws]


def test_grade_case__judge_not_asked() -> None:
    """A text that only a judge can grade is missing as long as no judge was asked, and no gate passes."""
    planned = judged_plan(2)
    came = [
        Draw(path="evals/tone.golden.jsonl", id="tone_v1", index=index, seed=None, reply=reply_of("Dear customer."))
        for index in (1, 2)
    ]
    result = grade_case(planned, came, fail_on=DEFAULT_FAIL_ON)
    assert [("missing", None, "its judge was not asked", "Dear customer.")] * 2 == draws(result)
    assert (0, None, Verdict.UNMEASURED) == (result.measured, result.agreement, result.verdict)
    assert {Cause.STOPPED} == {each.draw.failure.cause for each in result.draws if each.draw.failure}


@pytest.mark.parametrize(
    ("strip", "texts", "expected"),
    [
        ("pp pp pp", "a a b", (0, 0, 0)),
        ("pp pp ff", "a b c", (1, 0, 0)),
        ("pp pp pf", "a b c", (0, 1, 0)),
        ("pp pp p?", "a b c", (0, 1, 0)),
        ("pp pp ??", "a b c", (0, 1, 0)),
        # One text with two labels over two draws: the one with the modal label agrees, and is no flip.
        ("pp pp ff", "a b a", (0, 1, 0)),
        ("pp pp f-", "a b a", (0, 0, 1)),
        # What came of a text whose other reply is missing speaks against the judge as well.
        ("pp pp ff p-", "a b c c", (0, 1, 1)),
        ("pp pp f-", "a b c", (0, 0, 1)),
        ("pp pp ∅", "a b", (0, 0, 1)),
        ("pp pp !", "a b c", (1, 0, 0)),
        ("pp pp ff", ("x", "y", "X"), (1, 0, 0)),
        ("pp pp ff", ("\u00e9", "b", "e\u0301"), (1, 0, 0)),
        # A tie: the first mode, here fail by its bytes, counts as the most frequent.
        ("pp ff", "a b", (1, 0, 0)),
        ("pp ff", "a a", (0, 1, 0)),
        # Nothing is answered: every draw is a flip.
        ("pf ?? !", "a b c", (1, 2, 0)),
        ("∅ ∅", "", (0, 0, 2)),
        ("! !", "a b", (2, 0, 0)),
        ("pp pp ff pf p? f- ∅ !", "a b c d e f g", (2, 2, 2)),
    ],
)
def test_with_judgement__whose(strip: str, texts: str | Sequence[str], expected: tuple[int, int, int]) -> None:
    """One text with two labels is the judge's doing, another text with another label the model's."""
    texts = texts.split() if isinstance(texts, str) else texts
    assert expected == whose(judged_case(strip, texts=texts))


@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(
        st.one_of(st.just("∅"), st.just("!"), st.text("pf?-", min_size=2, max_size=2)), min_size=2, max_size=7
    ),
    data=st.data(),
)
def test_with_judgement__property(words: list[str], data: st.DataObject) -> None:
    """Each flip is somebody's, and nobody's twice: the three are n minus the modal count, whatever came first."""
    texts = data.draw(st.lists(st.sampled_from("abc"), min_size=len(words), max_size=len(words)))
    pairs = list(zip(words, texts, strict=True))
    again = data.draw(st.permutations(pairs))
    one, other = (
        judged_case(
            " ".join(word for word, _ in each),
            texts=[text for word, text in each if word != "∅"],
        )
        for each in (pairs, again)
    )
    assert whose(one) == whose(other)
    assert sum(whose(one)) == len(words) - max((mode.count for mode in one.modes), default=0)
    assert one.flip_rate is None or sum(whose(one)) == one.flip_rate.count
    assert whose(one)[2] == sum("-" in word or word == "∅" for word in words)
    assert whose(one)[0] >= words.count("!")


@pytest.mark.parametrize(
    ("decks", "names", "untested"),
    [
        ([], (), "no deck has its rubric, labels and judge"),
        ([deck_result()], ("trace-judge",), None),
        ([deck_result(None, last_passes)], ("trace-judge",), "its deck trace-judge fails"),
        ([deck_result(missing=(0,))], ("trace-judge",), "its deck trace-judge is unmeasured"),
        ([deck_result(reply_id=UNIQUE)], ("trace-judge",), REPLAYED),
        ([deck_result(reply_id=UNIQUE, fail_on=DEFAULT_FAIL_ON | {GateName.INDEPENDENCE})], ("trace-judge",), REPLAYED),
        ([deck_result(reply_id=UNIQUE, missing=(0,))], ("trace-judge",), REPLAYED),
        ([deck_result(None, last_passes, reply_id=UNIQUE)], ("trace-judge",), "its deck trace-judge fails"),
        ([deck_result(missing=range(6))], ("trace-judge",), "its deck trace-judge was not run"),
        ([deck_result(None, last_passes, fail_on=frozenset())], ("trace-judge",), "its deck trace-judge fails"),
        ([deck_result(missing=(0,), fail_on=frozenset())], ("trace-judge",), "its deck trace-judge is unmeasured"),
        ([deck_result(trace_deck(probes=tuple(ProbeKind)[:1]), probed=last_passes)], ("trace-judge",), None),
        (
            [deck_result(), deck_result(trace_deck(name="b"), last_passes), deck_result(trace_deck(name="c"), honest)],
            ("trace-judge", "b", "c"),
            "its deck b fails",
        ),
        (
            [deck_result(trace_deck(name="a"), last_passes), deck_result(trace_deck(name="b"), missing=range(6))],
            ("a", "b"),
            "its deck a fails, its deck b was not run",
        ),
        ([deck_result(trace_deck(rubric="Another."))], (), "no deck has its rubric, labels and judge"),
        (
            [deck_result(trace_deck("pass", "fail", labels=("fail", "pass")))],
            (),
            "no deck has its rubric, labels and judge",
        ),
        (
            [deck_result(trace_deck(sampling=Sampling(model="j-2", temperature=0)))],
            (),
            "no deck has its rubric, labels and judge",
        ),
        (
            [deck_result(trace_deck(sampling=Sampling(model="j-1")))],
            (),
            "no deck has its rubric, labels and judge",
        ),
    ],
)
def test_with_judgement__untested(decks: list[DeckResult], names: tuple[str, ...], untested: str | None) -> None:
    """A judge is tested by the decks with its rubric, labels and sampling alone, all of whose exams it must pass."""
    result = judged_case("pp pp", decks=decks, judge_sampling=JUDGE_SAMPLING)
    assert Judgement(decks=names, untested=untested, model=0, judge=0, transport=0) == result.judgement


@pytest.mark.parametrize("asked", [False, True])
def test_grade_case__replayed_judge(*, asked: bool) -> None:
    """Replies of a judge that are one are noted beside its case, which is unmeasured where that is asked for."""
    fail_on = DEFAULT_FAIL_ON | ({GateName.INDEPENDENCE} if asked else frozenset())
    result = judged_case("pp pp p- ∅", reply_id=UNIQUE, agreement_min=Fraction(1, 2), fail_on=fail_on)
    noted = Gate(
        name=GateName.INDEPENDENCE,
        verdict=Verdict.UNMEASURED,
        detail="5 of 5 replies of the judge share a response id: they may be one reply shown again",
        warns=not asked,
    )
    assert (Verdict.UNMEASURED if asked else Verdict.PASS, noted) == (result.verdict, result.gates[-1])
    assert [GateName.AGREEMENT] == [gate.name for gate in judged_case("pp pp p- ∅").gates]


def test_with_judgement__no_judge() -> None:
    """A case that no judge grades has no judgement."""
    result = grade_case(planned_case(n=2), draws_of("A B"), fail_on=DEFAULT_FAIL_ON)
    assert with_judgement(result, [deck_result()]) is result
