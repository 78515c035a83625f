"""What is allowed in a suite, and should be known. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from evalaction.errors import Problem
from evalaction.records.case import Case, Grader
from evalaction.records.suite import Suite
from evalaction.suite.fields import label_form
from evalaction.suite.lines import bounded
from evalaction.suite.templates import Unused
from evalaction.suite.words import listed
from evalaction.values import dumps

_REFUSING_WORDS = """
    bad fail failed false incorrect invalid no refuse refused reject rejected wrong
"""
_REFUSING = frozenset(_REFUSING_WORDS.split())
"""Labels, as they are compared, that no one would have accept anything."""


def warnings_of(
    cases: Iterable[Case], unread: Mapping[str, tuple[str, ...]], unused: Mapping[str, Unused] | None = None
) -> list[str]:
    """Return one line for each kind of thing to know, naming the first case and how many there are.

    Args:
        cases: of the suite.
        unread: prompt file → fields of it that are not read.
        unused: template → the variables that are given to it and have no place in it.
    """
    cold: list[Case] = []
    idle: list[Case] = []
    cut: list[Case] = []
    lone: list[Case] = []
    for case in cases:
        contract, sampling = case.contract, case.sampling
        if sampling.temperature == 0:
            cold.append(case)
        budget = contract.max_completion_tokens
        if not case.is_checked:
            idle.append(case)
        if budget is not None and sampling.max_tokens is not None and sampling.max_tokens <= budget:
            cut.append(case)
        if case.requests == 1:
            lone.append(case)
    found = [
        (cold, "temperature 0 is asked for, which is a request and no promise of equal answers"),
        (idle, "nothing is checked, since any one draw meets agreement_min"),
        (cut, "max_tokens is not above max_completion_tokens, so that an overrun is cut off and not seen"),
        (lone, "all draws are choices of one request, since samples_per_request is not below n"),
    ]
    lines = [f"{_where(those)}: {what}." for those, what in found if those]
    lines += [f"{path}: {listed(names)} are not read." for path, names in sorted(unread.items())]
    return lines + [
        f"{given.place}: `vars` has {listed(given.names)}, which {path} does not use."
        for path, given in sorted((unused or {}).items())
    ]


def unchecked(suite: Suite) -> list[Problem]:
    """Return a problem for each case on which nothing can fail: an error for ``lint``, a warning in a report."""
    found: dict[str, list[Problem]] = {}
    for case in suite.cases:
        if not case.is_checked:
            found.setdefault(case.path, []).append(_unchecked(case))
    return [problem for path, problems in found.items() for problem in bounded(problems, path)]


def _unchecked(case: Case) -> Problem:
    agreement = case.contract.agreement_min
    form = "keys, a schema, " if case.contract.grader in {Grader.JSON, Grader.TEXT} else ""
    return Problem(
        message=f"Nothing is checked of the case {case.id!r}: any one of {case.n} draws meets agreement_min "
        f"{dumps(Decimal(agreement.numerator) / Decimal(agreement.denominator))}, and no draw is held to anything.",
        path=case.path,
        line=case.line,
        remedy=f"Raise agreement_min, or add {form}a budget or an expected value.",
    )


def lint_warnings(suite: Suite) -> list[str]:
    """Return what only ``lint`` tells of judges, one line for each kind of thing and deck.

    A report says by itself which judge is untested; and which label accepts is a matter of the deck's words.
    """
    tested = {(deck.rubric, deck.labels) for deck in suite.decks}
    judged = [(case, case.contract.judge) for case in suite.cases]
    lone = [case for case, judge in judged if judge is not None and (judge.rubric, judge.labels) not in tested]
    lines = [f"{_where(lone)}: no deck tests the judge: none has this rubric and these labels."] if lone else []
    for deck in suite.decks:
        if label_form(deck.labels[0]) in _REFUSING:
            said = f"{deck.labels[0]!r} is the first of the labels, so it counts as the accepting one"
            lines.append(f"{deck.config_path}:{deck.line}: {said}.")
    return lines


def _where(cases: Sequence[Case]) -> str:
    first = f"{cases[0].path}:{cases[0].line}"
    return first if len(cases) == 1 else f"{first} and {len(cases) - 1} more"
