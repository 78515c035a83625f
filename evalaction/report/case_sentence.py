"""On what a case fails, in one sentence: the weightiest of its gates, with the figures it went by. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from evalaction.records.case import Grader
from evalaction.records.gate import GateName, Share
from evalaction.records.report import CaseResult, DrawState
from evalaction.report import words
from evalaction.report.findings import given_instead, is_wrong
from evalaction.report.misses import missed, misses
from evalaction.report.untrusted import Phrase

_OTHERWISE: Mapping[Grader, tuple[str, str, str]] = {
    Grader.DIFF: ("is not the known-good file", "meets it", "meet it"),
    Grader.COMMAND: ("does not pass its command", "passes it", "pass it"),
}
"""What is said of a draw that misses, and of one and of several that do not, where no value is expected."""


def failure(case: CaseResult, *, show: bool) -> Phrase:
    """Return on what a case fails, the weightiest gate alone, as what follows its name in a sentence.

    Args:
        case: one that fails.
        show: whether model text may be shown.
    """
    gates = {gate.name: gate for gate in words.failing(case)}
    name = next((name for name in words.BY_WEIGHT if name in gates), None)
    contract = case.planned.case.contract
    # How many draws give one verdict says less than how many of them pass.
    if name is GateName.AGREEMENT and contract.grader is Grader.COMMAND and GateName.EXPECTED in gates:
        name = GateName.EXPECTED
    if name is GateName.AGREEMENT and case.agreement is not None:
        met = _of(case, case.agreement, contract.agreement_min, "agrees", "agree")
        in_all = f" in {_came(case)}" if case.measured == case.planned.case.n else ""
        return (f" gave {_answers(case)}{in_all}: {met}",)
    if name is GateName.EXPECTED and case.expected is not None:
        return _not_expected(case, case.expected, show=show)
    if name is GateName.SCHEMA and case.schema is not None:
        return (f" has the asked form in {case.schema.count} of {_came(case)}.",)
    if name is GateName.LENGTH and case.length is not None:
        return (f" needs up to {case.length.max:,} completion tokens, and {case.length.budget or 0:,} are allowed.",)
    return (f" fails on {', '.join(map(words.gate_name, gates)) or 'a gate'}.",)


def _not_expected(case: CaseResult, share: Share, *, show: bool) -> Phrase:
    asked = case.planned.case.contract.expect_min
    told = _OTHERWISE.get(case.planned.case.contract.grader)
    if told is not None:
        said, does, do = told
        return (f" {said} in {words.draws(missed(case))}: {_of(case, share, asked, does, do)}",)
    if case.agreement is not None and case.agreement.count == share.of and is_wrong(case):
        met = _of(case, share, asked, "meets the expected value", "meet the expected value")
        return (f" gave one answer in all {words.count(share.of, 'draw')}, and it is wrong: {met}",)
    elsewhere, draws = misses(case), missed(case)
    gave = (" (", *given_instead(elsewhere, among=draws), ")") if show and elsewhere else ()
    met = _of(case, share, asked, "meets it", "meet it")
    return (f" misses the expected value in {words.draws(draws)}", *gave, f": {met}")


def _came(case: CaseResult) -> str:
    n = case.planned.case.n
    return words.count(n, "draw") if case.measured == n else f"the {words.count(case.measured, 'draw')} that came"


def _of(case: CaseResult, share: Share, asked: Fraction, does: str, do: str) -> str:
    """Return ``4 of 5 agree, 5 are needed.``, of the draws that came: a missing one has done nothing wrong."""
    needed = words.needed(asked, share.of)
    if case.measured == share.of:
        return f"{share.count} of {share.of} {do}, {needed.count} are needed."
    verb = does if case.measured == 1 else do
    return f"{share.count} of {_came(case)} {verb}, {needed.count} of {needed.of} are needed."


def _answers(case: CaseResult) -> str:
    unreadable = sum(draw.state is DrawState.UNREADABLE for draw in case.draws)
    parts = [words.count(len(case.modes), "answer")] if case.modes or not unreadable else []
    if unreadable:
        parts.append(words.count(unreadable, "unreadable draw"))
    return " and ".join(parts)
