"""Gates: exact comparisons and three verdicts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grading import draw_of, reply_of

from evalaction.grade.gates import (
    Asked,
    case_verdict,
    decimal_text,
    length_gate,
    reached,
    schema_gate,
    share_gate,
)
from evalaction.records.gate import Gate, GateName, Share, Verdict
from evalaction.records.report import DrawState, GradedDraw

PASS, FAIL, UNMEASURED = Verdict.PASS, Verdict.FAIL, Verdict.UNMEASURED


@pytest.mark.parametrize(
    ("count", "n", "share", "verdict"),
    [
        (4, 5, Fraction("0.8"), PASS),
        (7, 10, 1 - Fraction("0.3"), PASS),
        (9, 10, 1 - Fraction("0.1"), PASS),
        (7_999, 10_000, Fraction("0.8"), FAIL),
        (2, 3, Fraction("0.67"), FAIL),
        (2, 3, Fraction("0.66"), PASS),
        (5, 5, Fraction(1), PASS),
        (0, 5, 1 - Fraction("1.0"), PASS),
        (29, 100, Fraction("0.29"), PASS),
        (57, 100, Fraction("0.57"), PASS),
    ],
)
def test_reached__thresholds(count: int, n: int, share: Fraction, verdict: Verdict) -> None:
    """A threshold is met exactly at its value, as the decimal that was written."""
    assert verdict is reached(count, n=n, measured=n, share=share)


@pytest.mark.parametrize(
    ("count", "measured", "verdict"),
    [(4, 4, PASS), (3, 4, UNMEASURED), (3, 3, UNMEASURED), (2, 4, FAIL), (1, 1, UNMEASURED), (0, 2, FAIL)],
)
def test_reached__missing(count: int, measured: int, verdict: Verdict) -> None:
    """It has failed when the missing draws could not mend it, and passed when they could not spoil it."""
    assert verdict is reached(count, n=5, measured=measured, share=Fraction("0.8"))


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1)])
def test_reached__nothing_measured(share: Fraction) -> None:
    """Without a measured draw nothing passes, even where nothing is asked."""
    assert reached(0, n=5, measured=0, share=share) is UNMEASURED


@given(st.integers(2, 100), st.fractions(0, 1, max_denominator=100), st.data())
def test_reached__future(n: int, share: Fraction, data: st.DataObject) -> None:
    """What has passed or failed stays so, whatever the missing draws turn out to be."""
    measured = data.draw(st.integers(1, n))
    count = data.draw(st.integers(0, measured))
    later = {reached(count + more, n=n, measured=n, share=share) for more in range(n - measured + 1)}
    now = reached(count, n=n, measured=measured, share=share)
    assert later == ({now} if now is not UNMEASURED else {PASS, FAIL})


@pytest.mark.parametrize(
    ("count", "measured", "minimum", "gate"),
    [
        (4, 5, "0.81", (FAIL, "4 of 5 draws agree; needs 5 of 5 (agreement_min 0.81)")),
        (4, 5, "0.8", (PASS, "4 of 5 draws agree; needs 4 of 5 (agreement_min 0.8)")),
        (3, 4, "0.8", (UNMEASURED, "3 of 5 draws agree, 1 missing; needs 4 of 5 (agreement_min 0.8)")),
    ],
)
def test_share_gate(count: int, measured: int, minimum: str, gate: tuple[Verdict, str]) -> None:
    """The detail says what was seen, what is missing, and what is needed as a number of draws."""
    found = share_gate(
        GateName.AGREEMENT,
        Share(count=count, of=5),
        measured=measured,
        asked=Asked(field="agreement_min", share=Fraction(minimum)),
        what="agree",
    )
    assert Gate(name=GateName.AGREEMENT, verdict=gate[0], detail=gate[1]) == found


def graded(
    index: int = 1,
    *,
    schema_met: bool | None = None,
    length: int | None = None,
    errors: tuple[str, ...] = (),
    cause: str | None = None,
    estimated: bool = False,
) -> GradedDraw:
    return GradedDraw(
        draw=draw_of(reply_of("x"), index=index),
        state=DrawState.ANSWERED,
        schema_met=schema_met,
        schema_errors=errors,
        length=length,
        cause=cause,
        length_estimated=estimated,
    )


@pytest.mark.parametrize(
    ("draws", "verdict", "detail"),
    [
        ([graded(schema_met=True)] * 2, PASS, "2 of 2 measured draws have the form that is asked for"),
        (
            [graded(schema_met=True), graded(2, schema_met=False, errors=("/a: key absent", "/b: key absent"))],
            FAIL,
            "1 of 2 measured draws have the form that is asked for; draw 2: /a: key absent",
        ),
        (
            [graded(3, schema_met=False, cause="no JSON object in the text"), graded()],
            FAIL,
            "0 of 1 measured draws have the form that is asked for; draw 3: no JSON object in the text",
        ),
        ([graded()], UNMEASURED, "0 of 0 measured draws have the form that is asked for"),
    ],
)
def test_schema_gate(draws: list[GradedDraw], verdict: Verdict, detail: str) -> None:
    """Every measured draw must have the form; the first that lacks it is named with what it lacks."""
    assert Gate(name=GateName.SCHEMA, verdict=verdict, detail=detail) == schema_gate(draws)


@pytest.mark.parametrize(
    ("lengths", "verdict", "detail"),
    [
        ([60, 1], PASS, "2 of 2 measured draws keep the budget of 60 completion tokens"),
        (
            [61, 75, 60],
            FAIL,
            "1 of 3 measured draws keep the budget of 60 completion tokens; the longest, draw 2, has 75",
        ),
        ([None, None], UNMEASURED, "0 of 0 measured draws keep the budget of 60 completion tokens"),
    ],
)
def test_length_gate(lengths: list[int | None], verdict: Verdict, detail: str) -> None:
    """Exactly the budget is kept; beyond it the longest draw is named."""
    draws = [graded(index, length=length) for index, length in enumerate(lengths, start=1)]
    assert Gate(name=GateName.LENGTH, verdict=verdict, detail=detail) == length_gate(draws, budget=60)


def test_length_gate__estimated() -> None:
    """A length that is an estimate says so."""
    detail = "0 of 1 measured draws keep the budget of 60 completion tokens; the longest, draw 1, has 61 (estimated)"
    expected = Gate(name=GateName.LENGTH, verdict=FAIL, detail=detail)
    assert expected == length_gate([graded(length=61, estimated=True)], budget=60)


def gate(verdict: Verdict, *, warns: bool = False) -> Gate:
    return Gate(name=GateName.AGREEMENT, verdict=verdict, detail="", warns=warns)


@pytest.mark.parametrize(
    ("gates", "measured", "verdict"),
    [
        ([gate(PASS), gate(PASS)], 5, PASS),
        ([gate(PASS), gate(UNMEASURED)], 5, UNMEASURED),
        ([gate(UNMEASURED), gate(FAIL)], 5, FAIL),
        ([gate(PASS), gate(FAIL, warns=True)], 5, PASS),
        ([gate(PASS), gate(UNMEASURED, warns=True)], 1, PASS),
        ([gate(UNMEASURED, warns=True)], 0, UNMEASURED),
        ([], 0, UNMEASURED),
    ],
)
def test_case_verdict(gates: list[Gate], measured: int, verdict: Verdict) -> None:
    """Fail before unmeasured before pass; warnings count neither way; nothing measured is never a pass."""
    assert verdict is case_verdict(gates, measured=measured)


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (Fraction("0.81"), "0.81"),
        (Fraction("0.8"), "0.8"),
        (Fraction(1), "1"),
        (Fraction(0), "0"),
        (Fraction("0.005"), "0.005"),
        (Fraction(1, 8), "0.125"),
        (Fraction("1.5"), "1.5"),
        (Fraction("-0.25"), "-0.25"),
        (Fraction(2, 3), "2/3"),
        (Fraction("0.999"), "0.999"),
    ],
)
def test_decimal_text(fraction: Fraction, text: str) -> None:
    """A threshold is shown as the decimal that it was written as."""
    assert text == decimal_text(fraction)


@given(st.decimals(0, 1, places=6))
def test_decimal_text__exact(value: object) -> None:
    """Every decimal is shown with its very value."""
    assert Fraction(str(value)) == Fraction(decimal_text(Fraction(str(value))))
