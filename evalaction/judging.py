"""Plan and draws → what the judges say: every request is sent, read, and sent once more where the reply is unreadable.

No I/O of its own: what sends is passed in, and what is asked and what comes of it is worked out by pure functions.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from evalaction.answer.reply import why_no_answer
from evalaction.draw.parameter import RESPONSE_FORMAT
from evalaction.draw.request import seed_of
from evalaction.draw.schedule import added, further, interleave, never_sent
from evalaction.frozen import frozen
from evalaction.judge.case import case_requests
from evalaction.judge.reply import read_reply, repair_messages
from evalaction.records.case import Case, CaseJudge
from evalaction.records.deck import Deck
from evalaction.records.draw import Call, Draw, DrawKey, Drawn, Failure, Spent, Whose
from evalaction.records.judge import Judged, JudgeRequest, Judging, Outcome, Unjudged
from evalaction.records.plan import Plan, PlannedDeck


class Send(Protocol):
    """``draw_calls``, given everything but the calls and what was spent before them."""

    def __call__(self, calls: Sequence[Call], *, spent: Spent) -> Awaitable[Drawn]:
        """Make the draws; see ``draw_calls``."""


@frozen
class Question:
    """One request to a judge, before it is sent."""

    about: str | DrawKey
    """Name of the deck, or the draw that is graded."""
    request: JudgeRequest
    """What is asked."""
    labels: tuple[str, ...]
    """What may be answered."""
    call: Call
    """As it is sent."""


async def ask_judges(plan: Plan, draws: Sequence[Draw], *, send: Send, spent: Spent) -> Judging:
    """Ask the judges of all decks and of all judge-graded draws of a plan.

    Args:
        plan: whose decks and cases they are.
        draws: of the plan's cases, as they came, in any order.
        send: ``draw_calls`` with the judges' endpoint; told of every reply of a judge, repairs included.
        spent: what the draws have used up of the limits. Where they ended the run, no judge is asked.

    Raises:
        BadInput: a request cannot be sent; nothing was sent.
    """
    questions = questions_of(plan, draws)
    asked = await send([question.call for question in questions], spent=spent)
    outcomes = [_outcome(question, draw) for question, draw in zip(questions, asked.draws, strict=True)]
    unreadable = [place for place, outcome in enumerate(outcomes) if _is_unreadable(outcome)]
    calls = [_repair(questions[place], asked.draws[place]) for place in unreadable]
    repairs = await send(calls, spent=further(spent, asked))
    for place, draw in zip(unreadable, repairs.draws, strict=True):
        outcomes[place] = _outcome(questions[place], draw, first=asked.draws[place])
    repaired = sum(draw.tries > 0 and draw.replay_of is None for draw in repairs.draws)
    return _judging(plan, questions, outcomes, drawn=_together(asked, repairs), repaired=repaired)


def nothing_judged(plan: Plan, draws: Sequence[Draw], failure: Failure) -> Judging:
    """Return what there is when no judge was asked, for one reason.

    Args:
        plan: whose decks and cases they are.
        draws: of the plan's cases.
        failure: why nothing was sent.
    """
    questions = questions_of(plan, draws)
    drawn = never_sent([question.call for question in questions], failure)
    outcomes = [_outcome(question, draw) for question, draw in zip(questions, drawn.draws, strict=True)]
    return _judging(plan, questions, outcomes, drawn=drawn, repaired=0)


def questions_of(plan: Plan, draws: Sequence[Draw]) -> tuple[Question, ...]:
    """Return everything that the judges of a plan are asked, in the order in which it is sent.

    The requests go round the decks and the judge-graded cases, each in its own order: a bad minute at the provider
    then falls on all alike. A deck's orders are all asked once before any is asked again. Otherwise a judge that
    changes in the course of a run would be more alike within an order than between orders, which is what an effect of
    the order looks like; and a run that ends early still has what flips are counted over.

    Args:
        plan: whose decks and cases they are.
        draws: of the plan's cases, in any order; those that hold no text to be judged are left out.
    """
    graded = [(case, case.contract.judge) for case in (planned.case for planned in plan.cases)]
    by_case: dict[tuple[str, str], list[Draw]] = {case.key: [] for case, judge in graded if judge is not None}
    for draw in sorted(draws, key=lambda draw: draw.index):
        by_case.get((draw.path, draw.id), []).append(draw)
    decks = [sorted(_of_deck(planned), key=lambda question: question.request.repeat) for planned in plan.decks]
    cases = [list(_of_case(case, judge, by_case[case.key])) for case, judge in graded if judge is not None]
    return tuple(interleave([*decks, *cases]))


def _of_deck(planned: PlannedDeck) -> Iterator[Question]:
    deck = planned.deck
    for number, request in enumerate(planned.exam.all_requests, 1):
        call = _call(request, deck, number, path=deck.path, line=1, id_=deck.name)
        yield Question(about=deck.name, request=request, labels=deck.labels, call=call)


def _of_case(case: Case, judge: CaseJudge, draws: Sequence[Draw]) -> Iterator[Question]:
    for draw in draws:
        if draw.reply is None or draw.reply.text is None or why_no_answer(draw.reply) is not None:
            continue
        for request in case_requests(judge, messages=case.messages, text=draw.reply.text):
            # A number that does not depend on which other draws came.
            number = (draw.index - 1) * judge.repeats + request.repeat
            call = _call(request, judge, number, path=case.path, line=case.line, id_=case.id)
            about = (draw.path, draw.id, draw.index)
            yield Question(about=about, request=request, labels=judge.labels, call=call)


def _call(request: JudgeRequest, asked: Deck | CaseJudge, number: int, *, path: str, line: int, id_: str) -> Call:
    """Return a request to a judge as it is sent: the form of the reply is ours, and nobody wrote it down."""
    return Call(
        path=path,
        line=line,
        id=id_,
        index=number,
        messages=request.messages,
        sampling=replace(asked.sampling, response_format=request.form),
        seed=seed_of(asked.sampling, number),
        unasked=asked.unasked | {RESPONSE_FORMAT},
        whose=Whose.DECK if isinstance(asked, Deck) else Whose.JUDGE,
    )


def _outcome(question: Question, draw: Draw, *, first: Draw | None = None) -> Outcome:
    if draw.reply is None:
        return Unjudged(request=question.request, draw=draw, first=first)
    return read_reply(question.request, draw, labels=question.labels, first=first)


def _is_unreadable(outcome: Outcome) -> bool:
    return isinstance(outcome, Judged) and outcome.labels.unreadable is not None


def _repair(question: Question, draw: Draw) -> Call:
    return replace(question.call, messages=repair_messages(question.request, draw))


def _judging(
    plan: Plan, questions: Sequence[Question], outcomes: Sequence[Outcome], *, drawn: Drawn, repaired: int
) -> Judging:
    exams: dict[str, list[Outcome]] = {planned.deck.name: [] for planned in plan.decks}
    opinions: dict[DrawKey, list[Outcome]] = {}
    # Not in the order of sending, but in that of the exam, and of a draw's repeats.
    pairs = sorted(zip(questions, outcomes, strict=True), key=lambda pair: pair[0].call.index)
    for question, outcome in pairs:
        if isinstance(question.about, str):
            exams[question.about].append(outcome)
        else:
            opinions.setdefault(question.about, []).append(outcome)
    return Judging(
        exams={name: tuple(found) for name, found in exams.items()},
        opinions={key: tuple(found) for key, found in opinions.items()},
        drawn=drawn,
        repaired=repaired,
    )


def _together(asked: Drawn, repairs: Drawn) -> Drawn:
    return Drawn(
        draws=(*asked.draws, *repairs.draws),
        made=asked.made + repairs.made,
        retried=asked.retried + repairs.retried,
        wall_s=asked.wall_s + repairs.wall_s,
        stopped=repairs.stopped,
        tokens=asked.tokens + repairs.tokens,
        adapted=repairs.adapted,
        faults=added(asked.faults, repairs.faults),
    )
