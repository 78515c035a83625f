"""A draw of a stored report, with what a judge said of it, as records again. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalaction.grade.draws import grade_draw
from evalaction.records.case import Case, CaseJudge, Contract
from evalaction.records.draw import Draw, Reply
from evalaction.records.judge import JudgeRequest, Labels, Outcome
from evalaction.records.report import DrawState, GradedDraw
from evalaction.report.stored.pieces import Unfit, seconds, stored_failure, stored_reply, whole
from evalaction.report.stored.reply import names, outcome

_NO_JUDGE = "a draw is not what its judge says of it"


def stored_draw(document: Any, case: Case) -> GradedDraw:
    """Return one draw of a case, as it was graded.

    What its judge said is read and counted anew; what a program read from it is taken as it stands.

    Raises:
        Unfit: no run can have left this.
    """
    judge, graded = case.contract.judge, _as_stored(document, case)
    if judge is None:
        if document["judge"] is not None or document["ungraded"] is not None:
            raise Unfit(_NO_JUDGE)
        return graded
    opinions = _opinions(document["judge"], graded.draw, judge)
    graded = replace(graded, opinions=opinions, ungraded=document["ungraded"])
    draw = graded.draw
    if opinions and draw.reply is None and graded.ungraded is None:
        raise Unfit(_NO_JUDGE)
    if graded.ungraded is not None and draw.reply is None:
        draw = replace(draw, failure=None, reply=Reply(text=graded.ungraded, finish_reason=None))
    elif not opinions and graded.state is not DrawState.ANSWERED:
        return graded
    if _read(grade_draw(draw, case.contract, None, opinions)) != _read(graded):
        raise Unfit(_NO_JUDGE)
    return graded


def _read(graded: GradedDraw) -> tuple[Any, ...]:
    cause = None if graded.draw.failure is None else graded.draw.failure.cause
    return (graded.state, graded.answer, graded.extraction, graded.expected_met, graded.ungraded, cause)


def _opinions(documents: Sequence[Any] | None, draw: Draw, judge: CaseJudge) -> tuple[Outcome, ...]:
    if documents is None:
        return ()
    asked = {(item["alias"], item["fingerprint"]) for item in documents}
    if len(documents) != judge.repeats or len(asked) > 1:
        raise Unfit("a judge was asked about a draw in another way than its case asks for")
    return tuple(
        outcome(
            item,
            JudgeRequest(
                order=(0,),
                repeat=number,
                aliases=names([item["alias"]]),
                messages=(),
                fingerprint=item["fingerprint"],
            ),
            here=Draw(path=draw.path, id=draw.id, index=number, seed=None),
            labels=judge.labels,
            said=Labels(
                by_alias=((item["alias"], item["label"]),),
                causes=() if item["cause"] is None else ((item["alias"], item["cause"]),),
                strange=tuple(item["strange"]),
                unreadable=item["unreadable"],
            ),
        )
        for number, item in enumerate(documents, 1)
    )


def _as_stored(document: Any, case: Case) -> GradedDraw:
    state, error, length = DrawState(document["state"]), document["error"], document["length"]
    missing = state is DrawState.MISSING
    wrong = (
        ((error is None) != (state is DrawState.ANSWERED))
        or (error is not None and (error["cause"] == DrawState.UNREADABLE) != (state is DrawState.UNREADABLE))
        or any((document[name] is None) != missing for name in ("length", "tokens", "choice"))
        or (document["answer"] is not None and state is not DrawState.ANSWERED)
        or (document["expected_met"] is not None) != (case.contract.expect is not None and not missing)
        or (document["schema_met"] is not None) != (_has_form(case.contract) and not missing)
    )
    if wrong:
        raise Unfit("a draw is not what its state says")
    failure = stored_failure(error) if missing else None
    return GradedDraw(
        draw=Draw(
            path=case.path,
            id=case.id,
            index=whole(document["index"]),
            seed=document["seed"],
            reply=None if missing else stored_reply(document, text=document["text"]),
            failure=failure,
            latency_s=None if document["latency_s"] is None else seconds(document["latency_s"]),
            tries=whole(document["tries"]),
        ),
        state=state,
        answer=document["answer"],
        extraction=document["extraction"],
        cause=None if error is None else error["message"],
        schema_errors=tuple(document["schema_errors"]),
        schema_met=document["schema_met"],
        length=None if length is None else whole(length["tokens"]),
        length_estimated=length is not None and length["estimated"],
        expected_met=document["expected_met"],
    )


def _has_form(contract: Contract) -> bool:
    return bool(contract.expect_keys) or contract.schema is not None
