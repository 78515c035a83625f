"""Decks that a scripted judge was asked about, and cases that a judge graded, made by the real code.

A judge is a table of ``support.judging``: it sees a fixture's place in the deck and answers under ``a`` and its index;
here its reply is given under the request's own aliases, and read as a paid judge's is. A planted trace has the index
that follows the deck's last fixture.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from support.judging import Judge, honest

from evalaction.fingerprint import of_case
from evalaction.grade.case import grade_case
from evalaction.grade.deck import grade_deck
from evalaction.grade.judgement import with_judgement
from evalaction.judge.case import case_requests
from evalaction.judge.exam import exam_of
from evalaction.judge.fingerprint import deck_fingerprint
from evalaction.judge.reply import read_reply
from evalaction.records.case import Case, CaseJudge, Contract, Grader, Sampling
from evalaction.records.deck import Deck, Fixture, Planted, Wording
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause, Draw, Failure, Reply, Usage
from evalaction.records.gate import GateName
from evalaction.records.judge import JudgeRequest, Outcome, Unjudged
from evalaction.records.plan import PlannedCase, PlannedDeck, Reason
from evalaction.records.report import CaseResult
from evalaction.records.settings import DEFAULT_FAIL_ON
from evalaction.stats.case import with_figures

JUDGE_GONE = Failure(cause=Cause.STATUS, message="HTTP 503: overloaded", status=503)
RUBRIC = "Pass what does the task, fail what does not."
JUDGE_SAMPLING = Sampling(model="j-1", temperature=0)
NO_LABEL = "?"
"""The label of a judge that answers with none, in the strips of ``judged_case``."""


def trace_deck(*gold: str, **said: Any) -> Deck:
    """Return a deck of fixtures t1, t2, … with these gold labels; pass, fail, fail without any.

    Args:
        gold: one label a fixture.
        said: any field of ``Deck``; ``planted`` and ``wordings`` may be texts: traces p1, p2, … and wordings of files
            w1.md, w2.md, ….
    """
    planted = tuple(
        Planted(id=f"p{n}", line=n, fields={"task": f"task {n}", "trace": item}) if isinstance(item, str) else item
        for n, item in enumerate(said.pop("planted", ()), 1)
    )
    wordings = tuple(
        Wording(path=f"decks/w{n}.md", text=item) if isinstance(item, str) else item
        for n, item in enumerate(said.pop("wordings", ()), 1)
    )
    fields = {
        "name": "trace-judge",
        "path": "decks/trace.jsonl",
        "rubric_path": "decks/rubric.md",
        "rubric": RUBRIC,
        "labels": ("pass", "fail"),
        "show": ("task", "trace"),
        "fixtures": tuple(
            Fixture(id=f"t{n}", line=n, fields={"task": f"task {n}", "trace": f"trace {n}"}, gold=label)
            for n, label in enumerate(gold or ("pass", "fail", "fail"), 1)
        ),
        "sampling": JUDGE_SAMPLING,
        "planted_path": "decks/planted.jsonl" if planted else None,
    }
    return Deck(**{**fields, **said}, planted=planted, wordings=wordings)


def planned_deck(deck: Deck | None = None, *, reasons: tuple[Reason, ...] = (Reason.RUBRIC,)) -> PlannedDeck:
    """Return an affected deck with its exam; the deck of ``trace_deck()`` unless another is given."""
    deck = trace_deck() if deck is None else deck
    return PlannedDeck(deck=deck, fingerprint=deck_fingerprint(deck), reasons=reasons, exam=exam_of(deck))


def deck_result(
    deck: Deck | None = None,
    judge: Judge = honest,
    *,
    reasons: tuple[Reason, ...] = (Reason.RUBRIC,),
    missing: Collection[int] = (),
    fail_on: frozenset[GateName] = DEFAULT_FAIL_ON,
    reply_id: str | None = None,
    **said: Any,
) -> DeckResult:
    """Return what a scripted judge is worth on a deck.

    Args:
        deck: as ``planned_deck`` takes it.
        judge: answers the exam, and everything else for which no other judge is given.
        reasons: why the deck was run.
        missing: indices, from 0, in ``exam.all_requests`` of requests to which nothing came.
        fail_on: gates whose failure fails the deck.
        reply_id: response id of every reply that is read last; without it each has its own.
        said: as ``outcomes_of`` takes it.
    """
    planned = planned_deck(deck, reasons=reasons)
    outcomes = outcomes_of(planned, judge, missing=missing, **said)
    if reply_id is not None:
        outcomes = tuple(_under(each, reply_id) for each in outcomes)
    return grade_deck(planned, outcomes, fail_on=fail_on)


def outcomes_of(
    planned: PlannedDeck,
    judge: Judge = honest,
    *,
    missing: Collection[int] = (),
    retests: Judge | None = None,
    worded: Judge | None = None,
    probed: Judge | None = None,
    unreadable: Collection[int] = (),
    unrepaired: Collection[int] = (),
) -> tuple[Outcome, ...]:
    """Return what comes of every request about a deck.

    Args:
        planned: the deck.
        judge: answers the exam, and what follows where no other judge is given.
        missing: indices, from 0, in ``exam.all_requests`` of requests to which nothing came.
        retests: answers the second and later askings of an order.
        worded: answers under the other wordings.
        probed: answers the probes.
        unreadable: indices of requests whose first reply could not be read, and whose second could.
        unrepaired: indices of requests whose first reply could not be read, and whose repair did not come.
    """
    exam, deck = planned.exam, planned.deck
    asked = [(request, (judge if request.repeat == 1 else retests or judge), deck) for request in exam.requests]
    asked += [(request, worded or judge, deck) for item in exam.wordings for request in item.requests]
    asked += [
        (request, probed or judge, replace(deck, fixtures=(*deck.fixtures, probe.planted)))
        for probe in exam.probes
        for request in probe.requests
    ]
    outcomes: list[Outcome] = []
    for place, (request, answers, seen) in enumerate(asked):
        here = Draw(path=deck.path, id=deck.name, index=place + 1, seed=None)
        gone = replace(here, failure=JUDGE_GONE)
        rubbish = _as_first(_replied(here, "I would rather not say.")) if place in (*unreadable, *unrepaired) else None
        if place in missing or place in unrepaired:
            outcomes.append(Unjudged(request=request, draw=gone, first=rubbish))
        else:
            reply = _replied(here, _renamed(answers(seen, request.order), request))
            judged = read_reply(request, reply, labels=deck.labels, first=rubbish)
            # What cannot be read is asked for once more, and this judge has nothing else to say.
            again = rubbish is None and judged.labels.unreadable is not None
            outcomes.append(replace(judged, draws=(_as_first(reply), reply)) if again else judged)
    return tuple(outcomes)


def judged_case(strip: str, *, decks: Sequence[DeckResult] = (), **said: Any) -> CaseResult:
    """Return a case that a judge graded.

    Args:
        strip: a word for each draw: the judge's labels by repeat, by their first letters. ``p`` is pass, ``f`` fail,
            ``?`` a reply without a label, ``-`` a reply that did not come; the single sign ``∅`` is a draw that did
            not come, and ``!`` one that was refused. ``pp ff pf p- ∅`` are five draws by two repeats.
        decks: that were run beside it.
        said: ``texts`` (of the draws that came, in their order; all different without), ``id``, ``line``,
            ``rubric``, ``labels``, ``judge_sampling``, ``reasons``, ``fail_on``, ``reply_id`` (of every reply of the
            judge), and any field of ``Contract``.
    """
    words = strip.split()
    texts = iter(said.pop("texts", [f"Answer {number}." for number in range(1, len(words) + 1)]))
    fail_on, reply_id = said.pop("fail_on", DEFAULT_FAIL_ON), said.pop("reply_id", None)
    planned = judged_plan(len(words), repeats=max(len(word) for word in words), **said)
    judge = planned.case.contract.judge
    assert judge is not None
    draws, opinions = [], {}
    for index, word in enumerate(words, 1):
        here = Draw(path=planned.case.path, id=planned.case.id, index=index, seed=None)
        if word == "∅":
            draws.append(replace(here, failure=JUDGE_GONE))
            continue
        text = next(texts)
        if word == "!":
            draws.append(_replied(here, text, finish_reason="content_filter"))
            continue
        draws.append(_replied(here, text))
        requests = case_requests(judge, messages=planned.case.messages, text=text)
        opinions[index] = tuple(
            _opinion(request, sign, judge, replace(here, index=place), reply_id=reply_id)
            for place, (request, sign) in enumerate(zip(requests, word, strict=True), (index - 1) * judge.repeats + 1)
        )
    return with_judgement(with_figures(grade_case(planned, draws, fail_on=fail_on, opinions=opinions)), decks)


def judged_plan(n: int, *, repeats: int = 2, **said: Any) -> PlannedCase:
    """Return an affected case of ``n`` draws that a judge grades; see ``judged_case``."""
    judge = CaseJudge(
        rubric_path="evals/tone.md",
        rubric=said.pop("rubric", RUBRIC),
        labels=said.pop("labels", ("pass", "fail")),
        repeats=max(repeats, 2),
        sampling=said.pop("judge_sampling", JUDGE_SAMPLING),
    )
    id_, line, reasons = said.pop("id", "tone_v1"), said.pop("line", 1), said.pop("reasons", (Reason.PROMPT,))
    case = Case(
        id=id_,
        path="evals/tone.golden.jsonl",
        line=line,
        messages=({"role": "user", "content": "Answer the complaint kindly."},),
        n=n,
        sampling=Sampling(model="m-1"),
        contract=Contract(grader=Grader.JUDGE, judge=judge, **said),
    )
    return PlannedCase(case=case, fingerprints=of_case(case), reasons=reasons)


def _opinion(request: JudgeRequest, sign: str, judge: CaseJudge, here: Draw, *, reply_id: str | None) -> Outcome:
    if sign == "-":
        return Unjudged(request=request, draw=replace(here, failure=JUDGE_GONE))
    label = next((label for label in judge.labels if label.startswith(sign)), "no such label")
    reply = f'{{"verdicts": [{{"id": "{request.aliases[0]}", "label": "{label}"}}]}}'
    given = {} if reply_id is None else {"id": reply_id}
    return read_reply(request, _replied(here, reply, **given), labels=judge.labels)


def _replied(draw: Draw, text: str, **fields: Any) -> Draw:
    said: Mapping[str, Any] = {
        "text": text,
        "finish_reason": "stop",
        "id": f"{draw.id}-{draw.index}",
        "usage": Usage(prompt=200, completion=30),
        **fields,
    }
    return replace(draw, reply=Reply(**said), latency_s=0.5, tries=1)


def _under(outcome: Outcome, reply_id: str) -> Outcome:
    if isinstance(outcome, Unjudged):
        return outcome
    *first, last = outcome.draws
    return replace(outcome, draws=(*first, replace(last, reply=last.reply and replace(last.reply, id=reply_id))))


def _as_first(draw: Draw) -> Draw:
    """Return a reply under an id of its own, apart from that of the reply to the second asking."""
    return replace(draw, reply=draw.reply and replace(draw.reply, id=f"{draw.reply.id}-first"))


def _renamed(reply: str, request: JudgeRequest) -> str:
    """Return a scripted reply under the aliases that the request gives the fixtures."""
    names = dict(zip(request.order, request.aliases, strict=True))
    return re.sub(r"\ba(\d+)\b", lambda found: names[int(found[1])], reply)
