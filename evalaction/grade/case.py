"""All draws of one case: what they say together. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from evalaction.grade.draws import Known, grade_draw
from evalaction.grade.gates import Asked, case_verdict, length_gate, schema_gate, share_gate
from evalaction.grade.independence import DRAWS, REPLIES, independence_gate, replies_of
from evalaction.grade.modes import differing_keys, is_flipping, modes_of
from evalaction.grade.schema import compile_form
from evalaction.records.case import Contract, Grader
from evalaction.records.command import CommandRun
from evalaction.records.draw import Draw, Failure
from evalaction.records.gate import Gate, GateName, Share
from evalaction.records.judge import Outcome
from evalaction.records.plan import PlannedCase
from evalaction.records.report import CaseResult, DrawState, GradedDraw, Length, Mode


def grade_case(
    planned: PlannedCase,
    draws: Sequence[Draw],
    *,
    fail_on: frozenset[GateName],
    opinions: Mapping[int, tuple[Outcome, ...]] | None = None,
    runs: Mapping[int, CommandRun | Failure] | None = None,
) -> CaseResult:
    """Grade the draws of one case against its contract.

    Args:
        planned: the case.
        draws: its draws, missing ones included, in any order.
        fail_on: gates whose failure fails the case; the others warn.
        opinions: what its judge said of a draw, by index and then by repeat; None where no judge grades it.
        runs: what came of its command, by index of the draw, or why it could not be run; None where no command grades
            it.

    Returns:
        What the draws say, as counts. Unreadable and missing draws stay in every denominator that is n.
        Disagreement, interval and pass^k are left to ``evalaction.stats.case``, and whose the flips of a judge-graded
        case are to ``evalaction.grade.judgement``.
    """
    contract = planned.case.contract
    form = compile_form(contract, golden_path=planned.case.path)
    said, ran = opinions or {}, runs or {}
    in_order = sorted(draws, key=lambda draw: draw.index)
    known: Known = {}
    graded = tuple(
        grade_draw(draw, contract, form, said.get(draw.index), ran.get(draw.index), known=known) for draw in in_order
    )
    return sum_up(planned, graded, modes_of(graded), fail_on=fail_on)


def sum_up(
    planned: PlannedCase, graded: tuple[GradedDraw, ...], modes: tuple[Mode, ...], *, fail_on: frozenset[GateName]
) -> CaseResult:
    """Count what graded draws say together; see ``grade_case``.

    Args:
        planned: the case.
        graded: all its draws, in order of index.
        modes: their distinct answers, each answered draw in one of them.
        fail_on: gates whose failure fails the case; the others warn.
    """
    contract, n = planned.case.contract, planned.case.n
    measured = sum(draw.state is not DrawState.MISSING for draw in graded)
    modal = modes[0].count if modes else 0
    counted = Share(count=sum(draw.expected_met is True for draw in graded), of=n)
    gates = tuple(
        gate if gate.name in fail_on else replace(gate, warns=True)
        for gate in _gates(graded, contract, agreement=Share(count=modal, of=n), expected=counted, measured=measured)
    )
    return CaseResult(
        planned=planned,
        verdict=case_verdict(gates, measured=measured),
        draws=graded,
        measured=measured,
        agreement=Share(count=modal, of=n) if measured else None,
        flip_rate=Share(count=n - modal, of=n) if measured else None,
        disagreement=None,
        interval=None,
        modes=modes,
        flipping=is_flipping(modes, graded),
        differing_keys=differing_keys(modes),
        schema=_schema_share(graded),
        length=_length(graded, contract.max_completion_tokens),
        expected=counted if measured and contract.expect is not None else None,
        gates=gates,
        has_expected=contract.expect is not None,
        passes=Share(count=sum(draw.passes is True for draw in graded), of=measured) if measured else None,
        extractions=_extractions(graded),
    )


def _extractions(draws: Sequence[GradedDraw]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return how the answers were read, each way with its draws: most draws first, then by name."""
    found: dict[str, list[int]] = {}
    for draw in draws:
        if draw.extraction is not None:
            found.setdefault(draw.extraction, []).append(draw.draw.index)
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple((how, tuple(indices)) for how, indices in ranked)


def _gates(
    draws: Sequence[GradedDraw], contract: Contract, *, agreement: Share, expected: Share, measured: int
) -> Iterator[Gate]:
    """Yield the gates that the contract asks for, in the order in which reports name them."""
    yield share_gate(
        GateName.AGREEMENT,
        agreement,
        measured=measured,
        asked=Asked(field="agreement_min", share=contract.agreement_min),
        what="agree",
    )
    if contract.asks_for_form:
        yield schema_gate(draws)
    if contract.max_completion_tokens is not None:
        yield length_gate(draws, budget=contract.max_completion_tokens)
    if contract.expect is not None:
        yield share_gate(
            GateName.EXPECTED,
            expected,
            measured=measured,
            asked=Asked(field="expect_min", share=contract.expect_min),
            what="pass the command" if contract.grader is Grader.COMMAND else "meet the expected value",
        )
    opinions = [opinion for draw in draws for opinion in draw.opinions]
    independence = independence_gate({DRAWS: [draw.draw for draw in draws], REPLIES: replies_of(opinions)})
    if independence is not None:
        yield independence


def _schema_share(draws: Sequence[GradedDraw]) -> Share | None:
    held = [draw.schema_met for draw in draws if draw.schema_met is not None]
    return Share(count=sum(held), of=len(held)) if held else None


def _length(draws: Sequence[GradedDraw], budget: int | None) -> Length | None:
    lengths = [draw.length for draw in draws if draw.length is not None]
    if not lengths:
        return None
    return Length(
        mean=Fraction(sum(lengths), len(lengths)),
        max=max(lengths),
        budget=budget,
        estimated=any(draw.length_estimated for draw in draws),
    )
