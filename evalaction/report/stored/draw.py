"""A draw of a stored report, with what a judge said of it, as records again. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalaction.answer.reading import Extraction, Reading
from evalaction.answer.reply import why_no_answer
from evalaction.grade.draws import completion_tokens, grade_draw, passes
from evalaction.grade.expected import meets_expected
from evalaction.grade.schema import Form
from evalaction.records.case import Case, CaseJudge, Contract, Grader
from evalaction.records.command import CommandRun, Ended
from evalaction.records.draw import Cause, Draw, Reply
from evalaction.records.judge import JudgeRequest, Labels, Outcome
from evalaction.records.report import DrawState, GradedDraw
from evalaction.redact import REDACTED
from evalaction.report.stored.pieces import Unfit, is_encodable, seconds, stored_failure, stored_reply, whole
from evalaction.report.stored.reply import names, outcome
from evalaction.values import dumps

_NO_JUDGE = "a draw is not what its judge says of it"
_NO_COMMAND = "a draw is not what its command says of it"
_NO_ANSWER = "the answer of a draw is not the one that its text gives"
_OTHER_STATE = "a draw is not what its state says"
_OF_A_REPLY = ("model", "system_fingerprint", "replayed")
"""What a reply may have, and a missing one has not."""


def stored_draw(document: Any, case: Case, *, hidden: bool) -> GradedDraw:
    """Return one draw of a case, as it was graded.

    Its text, and what its judge said, are read and counted anew. A claim is what cannot be: the text itself, whether it
    satisfies a schema, what a command came to, and what a pattern found. So is what was read of a text that a secret
    was taken out of.

    Args:
        document: of the draw.
        case: its case.
        hidden: a secret was taken out of the contract.

    Raises:
        Unfit: no run can have left this.
    """
    contract, graded = case.contract, _as_stored(document, case)
    _check_command(graded, contract)
    if contract.judge is not None:
        _check_length(graded)
        return _judged(graded, document["judge"], contract, contract.judge)
    if document["judge"] is not None or (graded.ungraded is not None and contract.grader is not Grader.COMMAND):
        raise Unfit(_NO_JUDGE)
    hidden = hidden or any(REDACTED in text for text in (_text(graded), dumps(graded.answer)))
    if not hidden:
        _check_length(graded)
        _check_reading(graded, contract)
    return graded


def _judged(graded: GradedDraw, document: Any, contract: Contract, judge: CaseJudge) -> GradedDraw:
    opinions = _opinions(document, graded.draw, judge)
    graded = replace(graded, opinions=opinions)
    draw = graded.draw
    if opinions and draw.reply is None and graded.ungraded is None:
        raise Unfit(_NO_JUDGE)
    if graded.ungraded is not None and draw.reply is None:
        draw = replace(draw, failure=None, reply=Reply(text=graded.ungraded, finish_reason=None))
    elif not opinions and graded.state is not DrawState.ANSWERED:
        return graded
    if _read(grade_draw(draw, contract, None, opinions)) != _read(graded):
        raise Unfit(_NO_JUDGE)
    return graded


def _text(graded: GradedDraw) -> str:
    """Return all that a draw says, whether or not it could be graded."""
    reply = graded.draw.reply
    said = (graded.ungraded,) if reply is None else (reply.text, reply.refusal)
    return "".join(text for text in said if text is not None)


def _check_command(graded: GradedDraw, contract: Contract) -> None:
    """Check that a command was run on the draws that have an artifact, and on no others."""
    run, failure = graded.command, graded.draw.failure
    asked = contract.grader is Grader.COMMAND
    fits = (
        (run is not None) == (asked and graded.state is DrawState.ANSWERED)
        and (run is None or (run.exit_code is None) == (run.ended is not Ended.EXITED))
        and (run is None or graded.answer == run.answer)
        and (asked or failure is None or failure.cause is not Cause.COMMAND)
    )
    if not fits:
        raise Unfit(_NO_COMMAND)


def _check_length(graded: GradedDraw) -> None:
    """Check a draw's length: what the endpoint counted, or an estimate that no secret changed."""
    reply = graded.draw.reply
    if reply is None or graded.length is None:
        return
    tokens, estimated = completion_tokens(reply)
    # How much else was made than the text is not in the report.
    enough = graded.length >= tokens or REDACTED in _text(graded)
    if graded.length_estimated is not estimated or not (enough if estimated else graded.length == tokens):
        raise Unfit("the length of a draw is not the one that its reply gives")


def _check_reading(graded: GradedDraw, contract: Contract) -> None:
    """Check what was read of a draw's text by reading it anew."""
    draw = graded.draw
    if draw.reply is None and graded.ungraded is None:
        return
    if contract.grader is Grader.REGEX:
        _check_match(graded, contract)
        return
    if draw.reply is None:
        draw = replace(draw, reply=Reply(text=graded.ungraded, finish_reason=None))
    # Of a schema it is not looked at what it says, but keys that are missing are missing, and no JSON satisfies none.
    form = Form(keys=contract.expect_keys, validator=None) if contract.asks_for_form else None
    made = grade_draw(draw, contract, form, run=graded.command or graded.draw.failure)
    if _read(made) != _read(graded):
        raise Unfit(_NO_ANSWER)
    if made.schema_met is not graded.schema_met and (contract.schema is None or made.schema_met is False):
        raise Unfit("a draw has not the form that it says")


def _check_match(graded: GradedDraw, contract: Contract) -> None:
    """Check what a pattern is said to have found, without running it."""
    if graded.draw.reply is None or graded.state is not DrawState.ANSWERED:
        return
    answer = graded.answer
    reading = Reading(value=answer, answer=answer, extraction=Extraction.MATCH)
    if (
        not isinstance(answer, str)
        or why_no_answer(graded.draw.reply) is not None
        or graded.extraction not in {reading.how, replace(reading, after_reasoning=True).how}
        or (contract.expect is not None and meets_expected(reading, contract) is not graded.expected_met)
    ):
        raise Unfit(_NO_ANSWER)


def _read(graded: GradedDraw) -> tuple[Any, ...]:
    cause = None if graded.draw.failure is None else graded.draw.failure.cause
    answer = dumps(graded.answer)
    return (graded.state, answer, graded.extraction, graded.expected_met, graded.ungraded, cause)


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
        or any(
            (document[name] is None) != missing
            for name in ("length", "tokens", "choice", "choices", "tool_calls", "reasoning")
        )
        or (missing and any(document[name] is not None for name in _OF_A_REPLY))
        or (missing and document["replay_of"] is not None and document["ungraded"] is None)
        or (document["answer"] is not None and state is not DrawState.ANSWERED)
        or not is_encodable(document["answer"])
        or (document["expected_met"] is not None) != (case.contract.expect is not None and not missing)
        or (document["schema_met"] is not None) != (case.contract.asks_for_form and not missing)
    )
    if wrong:
        raise Unfit(_OTHER_STATE)
    failure = stored_failure(error) if missing else None
    graded = GradedDraw(
        draw=Draw(
            path=case.path,
            id=case.id,
            index=whole(document["index"]),
            seed=document["seed"],
            reply=None if missing else stored_reply(document, text=document["text"]),
            failure=failure,
            latency_s=None if document["latency_s"] is None else seconds(document["latency_s"]),
            tries=whole(document["tries"]),
            replay_of=document["replay_of"],
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
        ungraded=document["ungraded"],
        command=None if document["command"] is None else _run(document["command"]),
    )
    return replace(graded, passes=passes(graded, case.contract))


def _run(document: Any) -> CommandRun:
    return CommandRun(**{**document, "ended": Ended(document["ended"])})
