"""What whole cases and runs come to: errors stay in every denominator, thresholds are exact, nothing is never a pass.

Each known fault is the head of a family: its counts, thresholds and sizes are varied, and what is expected is worked
out here from the counts alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grading import FAIL_ON, NO_REPLY, draw_of, draws_of, planned_case, reply_of
from support.reports import case_result, report

from evalaction.grade.case import grade_case
from evalaction.records.draw import Cause, Failure
from evalaction.records.report import CaseResult
from evalaction.report.document import report_document
from evalaction.report.writer import json_text
from evalaction.stats.case import with_figures

FIGURES = (
    "verdict",
    "n",
    "measured",
    "agreement",
    "flip_rate",
    "disagreement",
    "flipping",
    "distinct",
    "passes",
    "verdict_flip",
    "pass_hat",
    "schema",
    "expected",
    "gates",
)


def figures(result: CaseResult) -> Any:
    """Return the figures of a case as ``report.json`` has them."""
    case = json.loads(json_text(report_document(report(result))))["cases"][0]
    return {name: case[name] for name in FIGURES}


def graded(strip: str, **fields: Any) -> CaseResult:
    """Return what the draws of a strip come to; see ``support.grading``."""
    planned = planned_case(n=len(strip.split()), **fields)
    return with_figures(grade_case(planned, draws_of(strip), fail_on=FAIL_ON))


def of(count: int, n: int) -> dict[str, int]:
    return {"count": count, "of": n}


def gate(name: str, verdict: str, detail: str) -> dict[str, Any]:
    return {"name": name, "verdict": verdict, "detail": detail, "warns": False}


DENOMINATORS: list[tuple[str, dict[str, Any]]] = [
    (
        "A A A - -",
        {
            "verdict": "unmeasured",
            "n": 5,
            "measured": 3,
            "agreement": of(3, 5),
            "flip_rate": of(2, 5),
            "disagreement": None,
            "flipping": False,
            "distinct": 1,
            "passes": of(3, 3),
            "verdict_flip": False,
            "pass_hat": None,
            "schema": None,
            "expected": None,
            "gates": [
                gate("agreement", "unmeasured", "3 of 5 draws agree, 2 missing; needs 4 of 5 (agreement_min 0.8)")
            ],
        },
    ),
    (
        "A A A A x",
        {
            "verdict": "pass",
            "n": 5,
            "measured": 5,
            "agreement": of(4, 5),
            "flip_rate": of(1, 5),
            "disagreement": 0.4,
            "flipping": True,
            "distinct": 1,
            "passes": of(4, 5),
            "verdict_flip": True,
            "pass_hat": [0.8, 0.6, 0.4, 0.2, 0],
            "schema": None,
            "expected": None,
            "gates": [gate("agreement", "pass", "4 of 5 draws agree; needs 4 of 5 (agreement_min 0.8)")],
        },
    ),
    (
        "A A B - -",
        {
            "verdict": "unmeasured",
            "n": 5,
            "measured": 3,
            "agreement": of(2, 5),
            "flip_rate": of(3, 5),
            "disagreement": None,
            "flipping": True,
            "distinct": 2,
            "passes": of(3, 3),
            "verdict_flip": False,
            "pass_hat": None,
            "schema": None,
            "expected": None,
            "gates": [
                gate("agreement", "unmeasured", "2 of 5 draws agree, 2 missing; needs 4 of 5 (agreement_min 0.8)")
            ],
        },
    ),
    (
        "A - - - -",
        {
            "verdict": "unmeasured",
            "n": 5,
            "measured": 1,
            "agreement": of(1, 5),
            "flip_rate": of(4, 5),
            "disagreement": None,
            "flipping": False,
            "distinct": 1,
            "passes": of(1, 1),
            "verdict_flip": False,
            "pass_hat": None,
            "schema": None,
            "expected": None,
            "gates": [
                gate("agreement", "unmeasured", "1 of 5 draws agree, 4 missing; needs 4 of 5 (agreement_min 0.8)")
            ],
        },
    ),
]


@pytest.mark.parametrize(("strip", "expected"), DENOMINATORS)
def test_figures__errors_in_the_denominator(strip: str, expected: dict[str, Any]) -> None:
    """Errors and texts that cannot be read stay among the n draws, apart from one another, and agree with nothing."""
    assert expected == figures(graded(strip))


def mixtures(n: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield every way in which n draws are a times A, b times B with b at most a, unreadable, and missing."""
    for a in range(n + 1):
        for b in range(min(a, n - a) + 1):
            for unreadable in range(n - a - b + 1):
                yield a, b, unreadable, n - a - b - unreadable


def modal_gate(modal: int, n: int, missing: int, minimum: Fraction) -> str:
    """Return what agreement comes to, worked out from the counts."""
    if missing == n:
        return "unmeasured"
    if Fraction(modal, n) >= minimum:
        return "pass"
    return "fail" if Fraction(modal + missing, n) < minimum else "unmeasured"


@pytest.mark.parametrize("n", [2, 3, 5, 7])
@pytest.mark.parametrize("minimum", ["0.2", "0.8", "1"])
def test_figures__every_mixture(n: int, minimum: str) -> None:
    """Whatever n draws are, every figure is what the counts say, and its denominator never shrinks."""
    for a, b, unreadable, missing in mixtures(n):
        strip = " ".join([*"A" * a, *"B" * b, *"x" * unreadable, *"-" * missing])
        result = graded(strip, agreement_min=minimum, expect={"label": "A"}, expect_min="0")
        measured = n - missing
        whole = measured == n
        pairs = a * (a - 1) + b * (b - 1)
        assert {
            "verdict": modal_gate(a, n, missing, Fraction(minimum)),
            "measured": measured,
            "agreement": of(a, n) if measured else None,
            "flip_rate": of(n - a, n) if measured else None,
            "disagreement": float(round(1 - Fraction(pairs, n * (n - 1)), 12)) if whole else None,
            "flipping": b > 0 or (a > 0 and unreadable > 0),
            "distinct": (a > 0) + (b > 0),
            "passes": of(a, measured) if measured else None,
            "verdict_flip": 0 < a < measured,
            "expected": of(a, n) if measured else None,
        } == {
            name: value for name, value in figures(result).items() if name not in {"n", "pass_hat", "schema", "gates"}
        }, strip


THRESHOLDS: list[tuple[int, int, dict[str, str], str, str]] = [
    (4, 5, {"agreement_min": "0.8"}, "pass", "4 of 5 draws agree; needs 4 of 5 (agreement_min 0.8)"),
    (7, 10, {"agreement_min": "0.7"}, "pass", "7 of 10 draws agree; needs 7 of 10 (agreement_min 0.7)"),
    (9, 10, {"agreement_min": "0.9"}, "pass", "9 of 10 draws agree; needs 9 of 10 (agreement_min 0.9)"),
    (79, 100, {"agreement_min": "0.8"}, "fail", "79 of 100 draws agree; needs 80 of 100 (agreement_min 0.8)"),
    (2, 3, {"agreement_min": "0.67"}, "fail", "2 of 3 draws agree; needs 3 of 3 (agreement_min 0.67)"),
    (2, 3, {"agreement_min": "0.66"}, "pass", "2 of 3 draws agree; needs 2 of 3 (agreement_min 0.66)"),
    (2, 3, {"agreement_min": "2/3"}, "pass", "2 of 3 draws agree; needs 2 of 3 (agreement_min 2/3)"),
    (5, 5, {"agreement_min": "1"}, "pass", "5 of 5 draws agree; needs 5 of 5 (agreement_min 1)"),
    (1, 5, {"agreement_min": "0"}, "pass", "1 of 5 draws agree; needs 0 of 5 (agreement_min 0)"),
    (29, 100, {"agreement_min": "0.29"}, "pass", "29 of 100 draws agree; needs 29 of 100 (agreement_min 0.29)"),
    (99, 100, {"agreement_min": "0.9999"}, "fail", "99 of 100 draws agree; needs 100 of 100 (agreement_min 0.9999)"),
]


@pytest.mark.parametrize(("modal", "n", "asked", "verdict", "detail"), THRESHOLDS)
def test_figures__thresholds(modal: int, n: int, asked: dict[str, str], verdict: str, detail: str) -> None:
    """A threshold is met exactly at the decimal that was written, and what is shown is no rounder than what is held."""
    draws = [
        draw_of(reply_of(json.dumps({"label": index if index > modal else 0}), id=f"cmpl-{index}"), index=index)
        for index in range(1, n + 1)
    ]
    result = figures(grade_case(planned_case(n=n, **asked), draws, fail_on=FAIL_ON))
    shown = {name: result[name] for name in ("verdict", "agreement", "flip_rate", "gates")}
    assert shown == {
        "verdict": verdict,
        "agreement": of(modal, n),
        "flip_rate": of(n - modal, n),
        "gates": [gate("agreement", verdict, detail)],
    }


@given(st.integers(2, 100), st.integers(0, 10_000), st.data())
def test_figures__any_threshold(n: int, written: int, data: st.DataObject) -> None:
    """At any decimal of four places and for any n, the verdict is that of integers alone."""
    modal = data.draw(st.integers(1, n))
    draws = [
        draw_of(reply_of(json.dumps({"label": index if index > modal else 0}), id=f"cmpl-{index}"), index=index)
        for index in range(1, n + 1)
    ]
    planned = planned_case(n=n, agreement_min=f"{written / 10_000:.4f}")
    verdict = grade_case(planned, draws, fail_on=FAIL_ON).verdict
    assert verdict == ("pass" if modal * 10_000 >= written * n else "fail")


def ended(*results: CaseResult) -> dict[str, Any]:
    """Return how a run ended, as ``report.json`` has it."""
    document = json.loads(json_text(report_document(report(*results))))
    return {name: document[name] for name in ("verdict", "exit_code", "headline")}


def test_figures__independent_draws() -> None:
    """Five draws with five answers agree in one; one reply shown five times agrees in five, and is noted."""
    apart = figures(graded("A B C D E"))
    again = [draw_of(reply_of('{"label": "A"}', id="cmpl-1"), index=index) for index in range(1, 6)]
    shown_again = figures(grade_case(planned_case(), again, fail_on=FAIL_ON))
    agreement = "draws agree; needs 4 of 5 (agreement_min 0.8)"
    assert [
        (of(1, 5), [gate("agreement", "fail", f"1 of 5 {agreement}")]),
        (
            of(5, 5),
            [
                gate("agreement", "pass", f"5 of 5 {agreement}"),
                {
                    **gate(
                        "independence",
                        "unmeasured",
                        "5 of 5 draws share a response id: they may be one reply shown again",
                    ),
                    "warns": True,
                },
            ],
        ),
    ] == [(case["agreement"], case["gates"]) for case in (apart, shown_again)]


UNREACHED = Failure(cause=Cause.TRANSPORT, message="the connection was refused")
NOTHING = {
    "verdict": "unmeasured",
    "n": 5,
    "measured": 0,
    "agreement": None,
    "flip_rate": None,
    "disagreement": None,
    "flipping": False,
    "distinct": 0,
    "passes": None,
    "verdict_flip": False,
    "pass_hat": None,
    "schema": None,
    "expected": None,
    "gates": [gate("agreement", "unmeasured", "0 of 5 draws agree, 5 missing; needs 4 of 5 (agreement_min 0.8)")],
}
GARBAGE = {
    **NOTHING,
    "verdict": "fail",
    "measured": 5,
    "agreement": of(0, 5),
    "flip_rate": of(5, 5),
    "disagreement": 1,
    "passes": of(0, 5),
    "pass_hat": [0, 0, 0, 0, 0],
    "gates": [gate("agreement", "fail", "0 of 5 draws agree; needs 4 of 5 (agreement_min 0.8)")],
}


@pytest.mark.parametrize(("strip", "expected"), [("x x x x x", GARBAGE), ("- - - - -", NOTHING)])
def test_figures__nothing_measured(strip: str, expected: dict[str, Any]) -> None:
    """Equal texts that cannot be read agree on nothing; where nothing came every figure is null, and none is 0."""
    assert expected == figures(graded(strip))


def test_figures__why_nothing_was_measured() -> None:
    """Each draw that did not come keeps the endpoint's own words."""
    result = graded("- - - - -")
    assert [NO_REPLY.message] * 5 == [draw.cause for draw in result.draws]


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        (
            ("∅ ∅", "∅ ∅", "∅ ∅"),
            {
                "verdict": "unmeasured",
                "exit_code": 3,
                "headline": "evalaction: could not be measured: 3 of 3 affected cases",
            },
        ),
        (
            (),
            {"verdict": "pass", "exit_code": 0, "headline": "evalaction: nothing affected"},
        ),
        (
            ("? ?",),
            {"verdict": "fail", "exit_code": 1, "headline": "evalaction: the affected case fails"},
        ),
    ],
)
def test_figures__runs(results: tuple[str, ...], expected: dict[str, Any]) -> None:
    """Nothing to do passes and says so; what could not be done, or was nothing to be read, does not pass."""
    cases = [case_result(f"c{number}", strip, failure=UNREACHED) for number, strip in enumerate(results)]
    assert expected == ended(*cases)
