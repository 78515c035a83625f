"""What a report says of the run as a whole."""

from __future__ import annotations

from decimal import Decimal

import pytest
from support.reports import planned_case

from evalaction.records.case import Sampling
from evalaction.report.assemble import sampling_words


@pytest.mark.parametrize(
    ("samplings", "expected"),
    [
        ([], ()),
        ([Sampling(model="m")], ("n 5", "temperature provider default")),
        (
            [Sampling(model="m", temperature=Decimal("0.7"), seed=1, max_tokens=number) for number in (96, 80, 96)],
            ("n 5", "temperature 0.7", "seed 1", "max tokens 80 or 96"),
        ),
        (
            [Sampling(model="m", temperature=0), Sampling(model="m", top_p=Decimal("0.9"))],
            ("n 5", "temperature 0 or provider default", "top p 0.9 or not set"),
        ),
        (
            [Sampling(model="m", max_tokens=number) for number in (100, 1_000, 9, 8)],
            ("n 5", "temperature provider default", "max tokens 8 to 1000"),
        ),
    ],
)
def test_sampling_words__a_parameter_each(samplings: list[Sampling], expected: tuple[str, ...]) -> None:
    """Cases that differ in one parameter are told in one entry for it, by value."""
    cases = [planned_case(str(index), 5, sampling=sampling) for index, sampling in enumerate(samplings)]

    assert sampling_words(cases) == expected


@pytest.mark.parametrize(
    ("caps", "expected"),
    [
        (((80, 40),), "max tokens 80 (twice the budget)"),
        (((80, 40), (96, 48)), "max tokens 80 or 96 (twice the budget)"),
        (((80, 40), (80, None)), "max tokens 80"),
        (((100, 40),), "max tokens 100"),
    ],
)
def test_sampling_words__twice_the_budget(caps: tuple[tuple[int, int | None], ...], expected: str) -> None:
    """A cap that no file names, since it is made of the length budget, is explained; one of another make is not."""
    cases = [
        planned_case(str(cap), 5, sampling=Sampling(model="m", max_tokens=cap), max_completion_tokens=budget)
        for cap, budget in caps
    ]

    assert sampling_words(cases)[-1] == expected
