"""What an endpoint does not take, in words, and who had asked for it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from support.decks import judged_plan, planned_deck, trace_deck
from support.drawing import make_plan
from support.reports import planned_case

from evalaction.records.case import Sampling
from evalaction.records.draw import Adaptation
from evalaction.records.plan import Plan
from evalaction.report.adapted import adapted

TEMPERATURE, SEED, CHOICES = Adaptation(name="temperature"), Adaptation(name="seed"), Adaptation(name="n")
ONE_CHOICE = Adaptation(name="n", refused=False)
RENAMED = Adaptation(name="max_tokens", instead="max_completion_tokens")
FORM = Adaptation(name="response_format")
WARM = Sampling(model="m-1", temperature=Decimal("0.7"))


def plan_of(*samplings: Sampling, **said: Any) -> Plan:
    """Return a plan of a case for each sampling, with fields of ``Contract``; ``plan`` holds fields of ``Plan``."""
    rest = said.pop("plan", {})
    cases = tuple(planned_case(f"c{place}", 5, sampling=each, **said) for place, each in enumerate(samplings))
    return replace(make_plan(), **{"cases": cases, **rest})


@pytest.mark.parametrize(
    ("each", "said"),
    [
        (TEMPERATURE, "the endpoint refuses temperature: it was left out from then on"),
        (RENAMED, "the endpoint takes max_completion_tokens in place of max_tokens"),
        (ONE_CHOICE, "the endpoint gives one choice a request, though n asked for more"),
        (CHOICES, "the endpoint refuses n: it was left out from then on"),
    ],
)
def test_adapted__nobody_asked(each: Adaptation, said: str) -> None:
    """What nobody had asked for is said, and is nothing that a reader must be told."""
    made = plan_of(Sampling(model="m-1", max_tokens=128), max_completion_tokens=64)
    assert adapted(made, draws=[each], judges=[], shared=True) == ((said,), ())


@pytest.mark.parametrize(
    ("each", "samplings", "said"),
    [
        (
            TEMPERATURE,
            [WARM, WARM, Sampling(model="m-1")],
            "the endpoint refuses temperature, which 2 cases ask for: it was left out from then on",
        ),
        (
            SEED,
            [Sampling(model="m-1", seed=0)],
            "the endpoint refuses seed, which 1 case asks for: it was left out from then on",
        ),
        (
            RENAMED,
            [Sampling(model="m-1", max_tokens=99)],
            "the endpoint takes max_completion_tokens in place of max_tokens, which 1 case asks for",
        ),
        (
            ONE_CHOICE,
            [Sampling(model="m-1", samples_per_request=5)] * 3,
            "the endpoint gives one choice a request, though 3 cases ask for more (samples_per_request)",
        ),
        (
            CHOICES,
            [Sampling(model="m-1", samples_per_request=5)] * 3,
            "the endpoint refuses n, which 3 cases ask for (samples_per_request): it was left out from then on",
        ),
        # Whoever wrote it down gets it all the same.
        (Adaptation(name="max_tokens"), [Sampling(model="m-1", max_tokens=99)], None),
    ],
)
def test_adapted__asked(each: Adaptation, samplings: list[Sampling], said: str | None) -> None:
    """What cases had asked for a reader must be told, with how many of them."""
    made = plan_of(*samplings, max_completion_tokens=64)
    assert adapted(made, draws=[each], judges=[], shared=False)[1] == (() if said is None else (said,))


def test_adapted__blocked() -> None:
    """A case that is not drawn asks for nothing."""
    (item,) = plan_of(WARM).cases
    made = plan_of(plan={"cases": (replace(item, blocked="no"),)})
    assert adapted(made, draws=[TEMPERATURE], judges=[], shared=False)[1] == ()


def asked_temperature(**said: Any) -> Plan:
    """Return a plan of a case, a deck and a judge-graded case that all ask for a temperature, one deck aside."""
    graded = judged_plan(5)
    usual = planned_deck(trace_deck(name="usual", unasked=frozenset({"temperature"})))
    return plan_of(WARM, plan={"cases": (*plan_of(WARM).cases, graded), "decks": (planned_deck(), usual)}, **said)


@pytest.mark.parametrize(
    ("shared", "draws", "judges", "expected"),
    [
        (
            True,
            [TEMPERATURE],
            [TEMPERATURE, FORM],
            (
                (
                    "the endpoint refuses temperature: it was left out from then on",
                    "the judge's endpoint refuses response_format: it was left out from then on, and the form of the "
                    "replies was asked for in words alone",
                ),
                (
                    "the endpoint refuses temperature, which 1 case, 1 deck and 1 judge-graded case ask for: it was "
                    "left out from then on",
                ),
            ),
        ),
        (
            False,
            [],
            [TEMPERATURE],
            (
                ("the judge's endpoint refuses temperature: it was left out from then on",),
                (
                    "the judge's endpoint refuses temperature, which 1 deck and 1 judge-graded case ask for: it was "
                    "left out from then on",
                ),
            ),
        ),
        (
            False,
            [TEMPERATURE],
            [],
            (
                ("the endpoint refuses temperature: it was left out from then on",),
                ("the endpoint refuses temperature, which 1 case asks for: it was left out from then on",),
            ),
        ),
    ],
)
def test_adapted__judges(
    draws: list[Adaptation], judges: list[Adaptation], expected: tuple[tuple[str, ...], ...], *, shared: bool
) -> None:
    """One endpoint's refusal is said once, for all who ask it; two endpoints are told apart, with who asks each."""
    assert adapted(asked_temperature(), draws=draws, judges=judges, shared=shared) == expected


def test_adapted__of_one_model() -> None:
    """Where one of several models does not take a parameter, those cases count that ask this one for it."""
    samplings = [Sampling(model=name, temperature=1) for name in ("a", "a", "b")]
    left_out = "the endpoint refuses temperature"
    for models, who in ((("a",), "2 cases ask for"), (("b",), "1 case asks for"), (("a", "b"), "3 cases ask for")):
        changes = [Adaptation(name="temperature", model=model) for model in models]
        assert (
            (f"{left_out}: it was left out from then on",),
            (f"{left_out}, which {who}: it was left out from then on",),
        ) == adapted(plan_of(*samplings), draws=changes, judges=[], shared=False)
